// A temporary may take the place of any that are over when it begins. Earlier holders of that place are over too: they were
// over when these began. So each range of bytes has one holder, the last temporary that was placed there, and only holders are
// asked.
#include "graph/memory/sequence.h"

#include <algorithm>
#include <numeric>

#include "graph/memory/lifetimes.h"

namespace manyrt::graph {
namespace {

constexpr uint32_t kNoHolder = UINT32_MAX;

struct Range {
  uint64_t begin, end;
  uint32_t holder;  // kNoHolder: none of those that could give the range away
};

// The block, as ranges that follow each other from 0 on.
class Block {
 public:
  uint64_t bytes() const { return ranges_.empty() ? 0 : ranges_.back().end; }

  // Leaves the ranges that are never free for this round to one holder: `mayBeFree` tells of the others.
  template <class MayBeFree>
  void beginRound(MayBeFree mayBeFree) {
    kept_.swap(ranges_);
    ranges_.clear();
    for (const Range& range : kept_) {
      if (mayBeFree(range.holder)) {
        ranges_.push_back(range);
      } else if (!ranges_.empty() && ranges_.back().holder == kNoHolder) {
        ranges_.back().end = range.end;
      } else {
        ranges_.push_back({range.begin, range.end, kNoHolder});
      }
    }
  }
  // Gives the others back what they held.
  void endRound() {
    std::vector<Range> all;
    auto kept = kept_.begin();
    for (const Range& range : ranges_) {
      if (range.holder != kNoHolder) {
        all.push_back(range);
        continue;
      }
      while (kept != kept_.end() && kept->end <= range.begin) ++kept;
      for (; kept != kept_.end() && kept->end <= range.end; ++kept) all.push_back(*kept);
    }
    ranges_ = std::move(all);
    kept_.clear();
  }

  // The lowest place among ranges that are free and the end of the block; the vertex holds it then.
  template <class IsFree>
  uint64_t place(uint32_t temporary, uint64_t size, IsFree isFree) {
    size_t first = 0, last = 0;
    for (; last < ranges_.size(); ++last) {
      if (!isFree(ranges_[last].holder)) {
        first = last + 1;
      } else if (ranges_[last].end - ranges_[first].begin >= size) {
        break;
      }
    }
    const uint64_t begin = first < ranges_.size() ? ranges_[first].begin : bytes(), end = begin + size;
    if (last == ranges_.size()) {  // it goes beyond the end
      ranges_.resize(first);
      ranges_.push_back({begin, end, temporary});
      return begin;
    }
    const Range rest{end, ranges_[last].end, ranges_[last].holder};
    ranges_[first] = {begin, end, temporary};
    if (rest.begin < rest.end) {
      if (last == first) {
        ranges_.insert(ranges_.begin() + static_cast<ptrdiff_t>(first) + 1, rest);
        return begin;
      }
      ranges_[last--] = rest;
    }
    ranges_.erase(ranges_.begin() + static_cast<ptrdiff_t>(first) + 1, ranges_.begin() + static_cast<ptrdiff_t>(last) + 1);
    return begin;
  }

 private:
  std::vector<Range> ranges_, kept_;  // of this round; of all holders before it
};

// The graph upside down: step i is the last but i.
Before reversed(const Before& before) {
  const auto count = static_cast<uint32_t>(before.size());
  Before result(count);
  for (uint32_t i = count; i-- > 0;) {  // the last first, so that lists are ascending
    for (uint32_t first : before[i]) result[count - 1 - first].push_back(count - 1 - i);
  }
  return result;
}

std::vector<uint32_t> reversed(const std::vector<uint32_t>& steps, size_t count) {
  std::vector<uint32_t> result;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) result.push_back(static_cast<uint32_t>(count) - 1 - *step);
  return result;
}

// The most bytes that are live at one step, if steps ran in the order of their numbers.
uint64_t mostLive(const std::vector<Temporary>& temporaries, size_t steps) {
  std::vector<uint64_t> begun(steps), ended(steps);
  for (const Temporary& each : temporaries) {
    if (each.users.empty()) continue;
    const auto [first, last] = std::minmax_element(each.users.begin(), each.users.end());
    begun[*first] += rounded(each.size);
    ended[*last] += rounded(each.size);
  }
  uint64_t live = 0, most = 0;
  for (size_t i = 0; i < steps; ++i) {
    live += begun[i];
    most = std::max(most, live);
    live -= ended[i];
  }
  return most;
}

}  // namespace

// Upside down, sweeps tell of some hundred temporaries at a time before which others they end.
void placeInSequence(MemoryPlan* plan, const std::vector<Temporary>& temporaries, const Before& before) {
  const auto count = static_cast<uint32_t>(temporaries.size());
  plan->peak = mostLive(temporaries, before.size());
  std::vector<Lifetime> upside_down(count);
  std::vector<uint32_t> order, last;  // temporaries by their beginning; those of which a round has only a share come last
  LifetimeFinder finder(before);
  for (uint32_t i = 0; i < count; ++i) {
    if (temporaries[i].users.empty()) continue;
    const Lifetime lifetime = finder.find(temporaries[i].users);
    upside_down[i] = {reversed(lifetime.end, before.size()), reversed(lifetime.begin, before.size())};
    (lifetime.begin.size() <= OverFinder::kMostEnds ? order : last).push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return upside_down[a].end.back() > upside_down[b].end.back(); });
  Block block;
  const Before after = reversed(before);
  OverFinder(after, std::move(upside_down))
      .run(order, [&](const std::vector<uint32_t>& items, const std::vector<OverBits>& over) {
        block.beginRound([&](uint32_t holder) { return over[holder] != OverBits{}; });
        for (uint32_t i = 0; i < items.size(); ++i) {
          const uint64_t size = rounded(temporaries[items[i]].size);
          plan->offsets[items[i]] = block.place(
              items[i], size, [&](uint32_t holder) { return holder != kNoHolder && OverSweep::test(over[holder], i); });
        }
        block.endRound();
      });
  for (uint32_t each : last) {
    plan->offsets[each] = block.place(each, rounded(temporaries[each].size), [](uint32_t) { return false; });
  }
  plan->bytes = block.bytes();
}

}  // namespace manyrt::graph
