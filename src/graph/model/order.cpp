// Topological sequence, transitive closure and reduction, and levels. All run once for a plan.
#include "graph/model/order.h"

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

}  // namespace manyrt::graph
