// Histograms of bytes: global atomics, local atomics, counters of each item.
#include "kernel_case.h"

namespace sixty {
namespace {

std::uint32_t u(std::size_t value) { return static_cast<std::uint32_t>(value); }

// Bytes of which some are far more frequent than others.
std::vector<std::uint8_t> bytesOf(std::size_t count) {
  const std::vector<std::uint32_t> a = integers(count, 51, 129), b = integers(count, 52, 128);
  std::vector<std::uint8_t> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<std::uint8_t>(a[i] + b[i]);
  return result;
}

Launch clear(std::size_t bins, std::size_t group) {
  return {"histogram_clear", {roundUp(bins, group), 1, 1}, {group, 1, 1}, {buffer(1), scalar(u(bins))}};
}

void countBytes(std::vector<Buffer>& buffers, std::uint32_t shift) {
  std::vector<std::uint32_t> bins(count<std::uint32_t>(buffers[1]));
  for (const std::byte value : buffers[0].bytes) ++bins[std::to_integer<std::uint32_t>(value) >> shift];
  std::memcpy(buffers[1].bytes.data(), bins.data(), buffers[1].bytes.size());
}
void allBins(std::vector<Buffer>& buffers, std::size_t) { countBytes(buffers, 0); }
void fewBins(std::vector<Buffer>& buffers, std::size_t) { countBytes(buffers, 2); }

Case global(std::size_t scale) {
  const std::size_t count = scale == 0 ? 5003 : 100'003, group = scale == 0 ? 13 : 128;
  Case made;
  made.buffers = {input(bytesOf(count)), output(std::vector<std::uint32_t>(256, 7))};
  made.launches = {clear(256, group),
                   {"histogram_global",
                    {roundUp(count, group), 1, 1},
                    {group, 1, 1},
                    {buffer(0), buffer(1), scalar(static_cast<std::int32_t>(count))}}};
  return made;
}

Case locals(std::size_t scale) {
  const std::size_t words = scale == 0 ? 1501 : 100'003, group = scale == 0 ? 13 : 128, groups = scale == 0 ? 5 : 32;
  const std::vector<std::uint8_t> bytes = bytesOf(4 * words);
  std::vector<std::uint32_t> contents(words);
  std::memcpy(contents.data(), bytes.data(), bytes.size());
  Case made;
  made.buffers = {input(contents), output(std::vector<std::uint32_t>(256, 7))};
  made.launches = {clear(256, group),
                   {"histogram_local", {groups * group, 1, 1}, {group, 1, 1}, {buffer(0), buffer(1), scalar(u(words))}}};
  return made;
}

Case privates(std::size_t scale) {
  const std::size_t count = scale == 0 ? 5003 : 1'000'003, group = scale == 0 ? 13 : 64, each = scale == 0 ? 41 : 240;
  Case made;
  made.buffers = {input(bytesOf(count)), output(std::vector<std::uint32_t>(64, 7))};
  made.launches = {clear(64, group),
                   {"histogram_private",
                    {roundUp((count + each - 1) / each, group), 1, 1},
                    {group, 1, 1},
                    {buffer(0), buffer(1), scalar(std::uint64_t{count}), scalar(u(each)), local(64 * group)}}};
  return made;
}

}  // namespace

std::vector<Kernel> histogramKernels() {
  return {
      {"histogram_global", "histogram", "histogram.cl", "", global, allBins},
      {"histogram_local", "histogram", "histogram.cl", "", locals, allBins},
      {"histogram_private", "histogram", "histogram.cl", "", privates, fewBins},
  };
}

}  // namespace sixty
