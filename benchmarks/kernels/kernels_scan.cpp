// Prefix sums in three forms, and the sum of each group.
#include "kernel_case.h"

namespace sixty {
namespace {

std::uint32_t u(std::size_t value) { return static_cast<std::uint32_t>(value); }
std::vector<std::int32_t> small(std::size_t count, std::uint32_t seed) {
  const std::vector<std::uint32_t> values = integers(count, seed, 1000);
  return {values.begin(), values.end()};
}

// The sums of the groups are scanned by one group of the same kernel, so there are at most 2 * group of them.
Case blelloch(std::size_t scale) {
  const std::size_t count = scale == 0 ? 1003 : 120'001, group = scale == 0 ? 32 : 256;
  const std::size_t part = 2 * group, parts = (count + part - 1) / part, line = scale == 0 ? 9 : 128;
  Case made;
  made.buffers = {input(small(count, 41)), output(std::vector<std::int32_t>(count)), input(std::vector<std::int32_t>(parts)),
                  input(std::vector<std::int32_t>(parts)), input(std::vector<std::int32_t>(1))};
  const Argument tree = local(part * sizeof(std::int32_t));
  made.launches = {
      {"scan_blelloch", {parts * group, 1, 1}, {group, 1, 1}, {buffer(0), buffer(1), buffer(2), scalar(u(count)), tree}},
      {"scan_blelloch", {group, 1, 1}, {group, 1, 1}, {buffer(2), buffer(3), buffer(4), scalar(u(parts)), tree}},
      {"scan_add", {roundUp(count, line), 1, 1}, {line, 1, 1}, {buffer(1), buffer(3), scalar(u(count)), scalar(u(part))}}};
  return made;
}
void blellochReference(std::vector<Buffer>& buffers, std::size_t) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < count<std::int32_t>(buffers[0]); ++i) {
    data<std::int32_t>(buffers[1])[i] = sum;
    sum += data<std::int32_t>(buffers[0])[i];
  }
}

std::size_t hillisGroup(std::size_t scale) { return scale == 0 ? 37 : 256; }
Case hillis(std::size_t scale) {
  const std::size_t count = scale == 0 ? 401 : 200'001, group = hillisGroup(scale);
  Case made;
  made.buffers = {input(floats(count, 42)), output(std::vector<float>(count), 1e-5, 2e-5)};
  made.launches = {{"scan_hillis",
                    {roundUp(count, group), 1, 1},
                    {group, 1, 1},
                    {buffer(0), buffer(1), scalar(static_cast<std::int32_t>(count)), local(2 * group * sizeof(float))}}};
  return made;
}
void hillisReference(std::vector<Buffer>& buffers, std::size_t scale) {
  double sum = 0;
  for (std::size_t i = 0; i < count<float>(buffers[0]); ++i) {
    if (i % hillisGroup(scale) == 0) sum = 0;
    sum += double{data<float>(buffers[0])[i]};
    data<float>(buffers[1])[i] = static_cast<float>(sum);
  }
}

std::size_t segmentedGroup(std::size_t scale) { return scale == 0 ? 29 : 128; }
Case segmented(std::size_t scale) {
  const std::size_t count = scale == 0 ? 307 : 150'001, group = segmentedGroup(scale);
  std::vector<std::uint8_t> flags;
  for (const std::uint32_t value : integers(count, 43, 11)) flags.push_back(value == 0);
  Case made;
  made.buffers = {input(integers(count, 44, 1000)), input(flags), output(std::vector<std::uint32_t>(count))};
  made.launches = {
      {"scan_segmented",
       {roundUp(count, group), 1, 1},
       {group, 1, 1},
       {buffer(0), buffer(1), buffer(2), scalar(std::uint64_t{count}), local(group * sizeof(std::uint32_t)), local(group)}}};
  return made;
}
void segmentedReference(std::vector<Buffer>& buffers, std::size_t scale) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count<std::uint32_t>(buffers[0]); ++i) {
    if (i % segmentedGroup(scale) == 0 || data<std::uint8_t>(buffers[1])[i] != 0) sum = 0;
    sum += data<std::uint32_t>(buffers[0])[i];
    data<std::uint32_t>(buffers[2])[i] = sum;
  }
}

std::size_t reduceGroup(std::size_t scale) { return scale == 0 ? 64 : 256; }
Case reduce(std::size_t scale) {
  const std::size_t group = reduceGroup(scale), groups = scale == 0 ? 7 : 8001;
  Case made;
  made.buffers = {input(floats(groups * group, 45)), output(std::vector<float>(groups), 1e-5, 2e-5)};
  made.launches = {{"reduce", {groups * group, 1, 1}, {group, 1, 1}, {buffer(0), buffer(1), local(group * sizeof(float))}}};
  return made;
}
void reduceReference(std::vector<Buffer>& buffers, std::size_t scale) {
  const std::size_t group = reduceGroup(scale);
  for (std::size_t g = 0; g < count<float>(buffers[1]); ++g) {
    double sum = 0;
    for (std::size_t i = 0; i < group; ++i) sum += double{data<float>(buffers[0])[g * group + i]};
    data<float>(buffers[1])[g] = static_cast<float>(sum);
  }
}

}  // namespace

std::vector<Kernel> scanKernels() {
  return {
      {"scan_blelloch", "scan", "scan.cl", "", blelloch, blellochReference},
      {"scan_hillis", "scan", "scan.cl", "", hillis, hillisReference},
      {"scan_segmented", "scan", "scan.cl", "", segmented, segmentedReference},
      {"reduce", "scan", "reduce.cl", "", reduce, reduceReference},
  };
}

}  // namespace sixty
