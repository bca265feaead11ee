// Sequence, reduction, levels and lanes; the memory of temporaries is in memory_plan.cpp. All run once for a plan.
#include "graph/order.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace manyrt::graph {

std::vector<uint32_t> sequenceOf(const Before& before) {
  const uint32_t count = static_cast<uint32_t>(before.size());
  std::vector<std::vector<uint32_t>> after(count);
  std::vector<size_t> open(count);
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < count; ++i) {
    open[i] = before[i].size();
    for (uint32_t first : before[i]) after[first].push_back(i);
    if (open[i] == 0) ready.push(i);
  }
  std::vector<uint32_t> result;
  result.reserve(count);
  while (!ready.empty()) {
    const uint32_t step = ready.top();
    ready.pop();
    result.push_back(step);
    for (uint32_t next : after[step]) {
      if (--open[next] == 0) ready.push(next);
    }
  }
  return result;
}

Ancestors::Ancestors(const Before& before) : words_((before.size() + 63) / 64), bits_(words_ * before.size()) {
  for (size_t i = 0; i < before.size(); ++i) {
    for (uint32_t first : before[i]) {
      for (size_t w = 0; w < words_; ++w) bits_[i * words_ + w] |= bits_[first * words_ + w];
      bits_[i * words_ + first / 64] |= uint64_t{1} << (first % 64);
    }
  }
}

Before reduced(const Before& before, const Ancestors& ancestors) {
  Before result(before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    std::vector<uint32_t> sorted = before[i];
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (uint32_t first : sorted) {
      const bool follows =
          std::any_of(sorted.begin(), sorted.end(), [&](uint32_t other) { return ancestors.comesBefore(first, other); });
      if (!follows) result[i].push_back(first);
    }
  }
  return result;
}

std::vector<uint32_t> levelsOf(const Before& before) {
  std::vector<uint32_t> levels(before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    for (uint32_t first : before[i]) levels[i] = std::max(levels[i], levels[first] + 1);
  }
  return levels;
}

std::vector<uint32_t> lanesOf(const Before& reduced_before, const Ancestors& ancestors, uint32_t most, uint32_t* count) {
  std::vector<uint32_t> lanes(reduced_before.size()), last;  // the last step of each lane
  std::vector<uint32_t> loads;
  for (uint32_t i = 0; i < reduced_before.size(); ++i) {
    uint32_t lane = UINT32_MAX;
    for (uint32_t first : reduced_before[i]) {  // goes on where a predecessor was the last: no wait between them
      if (last[lanes[first]] == first) lane = std::min(lane, lanes[first]);
    }
    for (uint32_t each = 0; lane == UINT32_MAX && each < last.size(); ++each) {  // what is over anyway holds nobody up
      if (ancestors.comesBefore(last[each], i)) lane = each;
    }
    if (lane == UINT32_MAX && last.size() < most) {
      lane = static_cast<uint32_t>(last.size());
      last.push_back(i);
      loads.push_back(0);
    }
    if (lane == UINT32_MAX) lane = static_cast<uint32_t>(std::min_element(loads.begin(), loads.end()) - loads.begin());
    lanes[i] = lane;
    last[lane] = i;
    ++loads[lane];
  }
  *count = static_cast<uint32_t>(last.size());
  return lanes;
}

}  // namespace manyrt::graph
