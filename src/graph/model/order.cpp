// Topological sequence, transitive reduction, and levels. All run once for a plan.
#include "graph/model/order.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "graph/model/sweep.h"

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

namespace {

// The steps that some list may not need, because another step of the list waits for them already. That step is on a higher
// level, and the suspect has a second follower on the way to it. Ascending.
std::vector<uint32_t> suspects(const Before& before) {
  const std::vector<uint32_t> levels = levelsOf(before);
  std::vector<uint32_t> followers(before.size());
  for (const std::vector<uint32_t>& list : before) {
    for (uint32_t first : list) ++followers[first];
  }
  std::vector<bool> suspect(before.size());
  for (const std::vector<uint32_t>& list : before) {
    uint32_t highest = 0;
    for (uint32_t first : list) highest = std::max(highest, levels[first]);
    for (uint32_t first : list) {
      if (levels[first] < highest && followers[first] > 1) suspect[first] = true;
    }
  }
  std::vector<uint32_t> result;
  for (uint32_t i = 0; i < suspect.size(); ++i) {
    if (suspect[i]) result.push_back(i);
  }
  return result;
}

}  // namespace

// A suspect follows from others in a list if the bits of another step of the list have it. The last suspects come first: the
// sweep for earlier ones, which is longer, then goes along what is left of the dependencies.
Before reduced(Before before) {
  using Few = Sweep<8>;
  for (std::vector<uint32_t>& list : before) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  const std::vector<uint32_t> all = suspects(before);
  std::vector<uint32_t> last(before.size());  // the last step that waits for each
  for (uint32_t i = 0; i < before.size(); ++i) {
    for (uint32_t first : before[i]) last[first] = i;
  }
  constexpr uint32_t kNoBit = UINT32_MAX;
  std::vector<uint32_t> bit_of(before.size(), kNoBit);
  Few sweep(before);
  for (size_t from = all.size(); from != 0;) {
    const size_t to = from;
    from -= std::min<size_t>(from, Few::kBits);
    Few::Bits every{};
    uint32_t end = 0;
    for (size_t i = from; i < to; ++i) {
      bit_of[all[i]] = static_cast<uint32_t>(i - from);
      Few::set(&every, static_cast<uint32_t>(i - from));
      end = std::max(end, last[all[i]] + 1);
    }
    sweep.run(all[from], end, every, [&](uint32_t step, Few::Bits* bits) {
      std::vector<uint32_t>& list = before[step];
      const auto begin = std::lower_bound(list.begin(), list.end(), all[from]);
      const auto stop = std::upper_bound(begin, list.end(), all[to - 1]);
      Few::Bits own{};
      const auto kept = std::remove_if(begin, stop, [&](uint32_t first) {
        const uint32_t bit = bit_of[first];
        if (bit == kNoBit) return false;
        Few::set(&own, bit);
        return Few::test(*bits, bit);
      });
      list.erase(kept, stop);
      for (size_t w = 0; w < own.size(); ++w) (*bits)[w] |= own[w];
    });
    for (size_t i = from; i < to; ++i) bit_of[all[i]] = kNoBit;
  }
  return before;
}

std::vector<uint32_t> levelsOf(const Before& before) {
  std::vector<uint32_t> levels(before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    for (uint32_t first : before[i]) levels[i] = std::max(levels[i], levels[first] + 1);
  }
  return levels;
}

}  // namespace manyrt::graph
