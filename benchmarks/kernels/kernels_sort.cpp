// Sorting networks over global and over local memory, radix sort, ranks.
#include <algorithm>
#include <tuple>
#include <utility>

#include "kernel_case.h"

namespace sixty {
namespace {

using Words = std::vector<std::uint32_t>;

std::uint32_t u(std::size_t value) { return static_cast<std::uint32_t>(value); }
template <class T>
void sortBuffer(Buffer& given) {
  std::sort(data<T>(given), data<T>(given) + count<T>(given));
}

Case bitonic(std::size_t scale) {
  const std::uint32_t count = scale == 0 ? 512 : 1 << 14;
  const std::size_t group = scale == 0 ? 9 : 128;
  Case made;
  made.restore = true;
  made.buffers = {output(integers(count, 31, 0))};
  for (std::uint32_t block = 2; block <= count; block *= 2) {
    for (std::uint32_t distance = block / 2; distance > 0; distance /= 2) {
      made.launches.push_back({"bitonic_step",
                               {roundUp(count / 2, group), 1, 1},
                               {group, 1, 1},
                               {buffer(0), scalar(count), scalar(block), scalar(distance)}});
    }
  }
  return made;
}
void bitonicReference(std::vector<Buffer>& buffers, std::size_t) { sortBuffer<std::uint32_t>(buffers[0]); }

constexpr std::size_t kPart = 256;  // 2 * GROUP of the source

Case oddEven(std::size_t scale) {
  const std::size_t parts = scale == 0 ? 3 : 512;
  Words keys = integers(parts * kPart, 32, 0);
  // Keys differ, so that there is one order.
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = (keys[i] & ~u(kPart - 1)) | u(i % kPart);
  Case made;
  made.restore = true;
  made.buffers = {output(keys), output(integers(parts * kPart, 33, 0))};
  made.launches = {{"odd_even_merge", {parts * kPart / 2, 1, 1}, {kPart / 2, 1, 1}, {buffer(0), buffer(1)}}};
  return made;
}
void oddEvenReference(std::vector<Buffer>& buffers, std::size_t) {
  std::uint32_t* keys = data<std::uint32_t>(buffers[0]);
  std::uint32_t* values = data<std::uint32_t>(buffers[1]);
  for (std::size_t base = 0; base < count<std::uint32_t>(buffers[0]); base += kPart) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::size_t i = 0; i < kPart; ++i) pairs.emplace_back(keys[base + i], values[base + i]);
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t i = 0; i < kPart; ++i) std::tie(keys[base + i], values[base + i]) = pairs[i];
  }
}

// Buffers: keys, the other half of each pass, counts. After an even number of passes the keys are where they were.
Case radix(std::size_t scale) {
  const std::size_t count = scale == 0 ? 1013 : 100'003, group = scale == 0 ? 7 : 64, groups = scale == 0 ? 5 : 16;
  const std::size_t items = group * groups, each = (count + items - 1) / items;
  Case made;
  made.buffers = {output(integers(count, 34, 0)), input(Words(count)), input(Words(16 * items))};
  for (std::uint32_t shift = 0; shift < 32; shift += 4) {
    const std::size_t from = shift / 4 % 2, to = 1 - from;
    made.launches.push_back({"radix_count",
                             {items, 1, 1},
                             {group, 1, 1},
                             {buffer(from), buffer(2), scalar(u(count)), scalar(u(each)), scalar(shift)}});
    made.launches.push_back(
        {"radix_scan", {group, 1, 1}, {group, 1, 1}, {buffer(2), scalar(u(16 * items)), local(group * sizeof(std::uint32_t))}});
    made.launches.push_back({"radix_scatter",
                             {items, 1, 1},
                             {group, 1, 1},
                             {buffer(from), buffer(to), buffer(2), scalar(u(count)), scalar(u(each)), scalar(shift)}});
  }
  made.restore = true;
  return made;
}
void radixReference(std::vector<Buffer>& buffers, std::size_t) { sortBuffer<std::uint32_t>(buffers[0]); }

Case ranks(std::size_t scale) {
  const std::size_t count = scale == 0 ? 301 : 4001, group = scale == 0 ? 17 : 64;
  std::vector<float> numbers = floats(count, 35);
  numbers[count / 2] = numbers[count / 3];
  Case made;
  made.buffers = {input(numbers), output(std::vector<float>(count))};
  made.launches = {{"rank_sort",
                    {roundUp(count, group), 1, 1},
                    {group, 1, 1},
                    {buffer(0), buffer(1), scalar(static_cast<std::int32_t>(count)), local(group * sizeof(float))}}};
  return made;
}
void ranksReference(std::vector<Buffer>& buffers, std::size_t) {
  buffers[1].bytes = buffers[0].bytes;
  sortBuffer<float>(buffers[1]);
}

}  // namespace

std::vector<Kernel> sortKernels() {
  return {
      {"bitonic_step", "sort", "sort.cl", "", bitonic, bitonicReference},
      {"odd_even_merge", "sort", "sort.cl", "", oddEven, oddEvenReference},
      {"radix_sort", "sort", "sort.cl", "", radix, radixReference},
      {"rank_sort", "sort", "sort.cl", "", ranks, ranksReference, "sixty_rank_sort"},
  };
}

}  // namespace sixty
