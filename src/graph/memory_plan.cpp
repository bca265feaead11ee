// Where temporaries lie. Each is put to the lowest place that is free of those it may be live with; which comes first decides
// how well that packs, so a few orders are tried and the smallest result is kept, the first one of equals.
#include <algorithm>
#include <numeric>

#include "graph/order.h"

namespace manyrt::graph {
namespace {

constexpr uint64_t kAlignment = 256;
constexpr uint64_t kSearchWork = 2'000'000;  // conflicts that are looked at
constexpr uint64_t kAllowance = 25;          // how far, as a part of the best, an order may be worse at first

uint64_t rounded(uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

bool allBefore(const Temporary& one, const Temporary& other, const Ancestors& ancestors) {
  for (uint32_t a : one.users) {
    for (uint32_t b : other.users) {
      if (!ancestors.comesBefore(a, b)) return false;
    }
  }
  return true;
}

struct Place {
  uint64_t begin, end;
};

// Temporaries in the order in which they get their places; conflicts are those that must not share a byte.
class Placing {
 public:
  Placing(const std::vector<Temporary>& temporaries, const std::vector<std::vector<uint32_t>>& conflicts)
      : temporaries_(temporaries), conflicts_(conflicts), turns_(temporaries.size()) {}

  // From the turn `first` on; those before keep their places in `offsets`. Returns the bytes of all, or UINT64_MAX as soon as
  // they are more than `most`.
  uint64_t place(const std::vector<uint32_t>& order, size_t first, uint64_t most, std::vector<uint64_t>* offsets) {
    for (uint32_t i = 0; i < order.size(); ++i) turns_[order[i]] = i;
    uint64_t total = 0;
    for (uint32_t i = 0; i < order.size(); ++i) {
      const uint64_t size = rounded(temporaries_[order[i]].size);
      if (i >= first) (*offsets)[order[i]] = tightest(order[i], i, size, *offsets);
      total = std::max(total, (*offsets)[order[i]] + size);
      if (total > most) return UINT64_MAX;
    }
    return total;
  }

 private:
  uint64_t tightest(uint32_t each, uint32_t turn, uint64_t size, const std::vector<uint64_t>& offsets) {
    taken_.clear();
    for (uint32_t other : conflicts_[each]) {
      if (turns_[other] < turn) taken_.push_back({offsets[other], offsets[other] + rounded(temporaries_[other].size)});
    }
    std::sort(taken_.begin(), taken_.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
    uint64_t at = 0, best = UINT64_MAX, best_gap = UINT64_MAX;
    for (const Place& one : taken_) {
      if (one.begin >= at + size && one.begin - at < best_gap) {
        best = at;
        best_gap = one.begin - at;
      }
      at = std::max(at, one.end);
    }
    return best != UINT64_MAX ? best : at;
  }

  const std::vector<Temporary>& temporaries_;
  const std::vector<std::vector<uint32_t>>& conflicts_;
  std::vector<uint32_t> turns_;  // by temporary; of those that are placed
  std::vector<Place> taken_;
};

// Numbers that are the same everywhere: a plan is a function of the graph.
class Sequence {
 public:
  uint32_t below(size_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<uint32_t>((state_ >> 16) % limit);
  }

 private:
  uint64_t state_ = 0x9e3779b97f4a7c15;
};

// Tries to do better: one of those that reach the end, or any other, is moved to an earlier turn, and the order stays where
// that costs little, at first more than later. Ends where no plan can be smaller, or when as much was looked at as a plan may
// cost.
void search(MemoryPlan* plan, std::vector<uint32_t> order, Placing& placing, const std::vector<Temporary>& temporaries,
            const std::vector<std::vector<uint32_t>>& conflicts) {
  uint64_t work = order.size();
  for (uint32_t each : order) work += conflicts[each].size();
  std::vector<uint64_t> offsets(temporaries.size());
  uint64_t bytes = placing.place(order, 0, UINT64_MAX, &offsets);
  std::vector<uint64_t> tried = offsets;
  Sequence random;
  std::vector<uint32_t> highest;
  for (uint64_t left = kSearchWork; order.size() > 2 && plan->bytes > plan->peak && left >= work; left -= work) {
    highest.clear();
    for (uint32_t i = 1; i < order.size(); ++i) {
      if (offsets[order[i]] + rounded(temporaries[order[i]].size) == bytes) highest.push_back(i);
    }
    const bool any = highest.empty() || random.below(4) == 0;
    const uint32_t from = any ? 1 + random.below(order.size() - 1) : highest[random.below(highest.size())];
    const uint32_t to = random.below(from);
    std::rotate(order.begin() + to, order.begin() + from, order.begin() + from + 1);
    const uint64_t allowed = static_cast<uint64_t>(static_cast<double>(plan->bytes) / kAllowance * left / kSearchWork);
    const uint64_t reached = placing.place(order, to, std::max(plan->bytes + allowed, bytes), &tried);
    if (reached == UINT64_MAX) {
      std::rotate(order.begin() + to, order.begin() + to + 1, order.begin() + from + 1);
      tried = offsets;
      continue;
    }
    bytes = reached;
    offsets = tried;
    if (bytes >= plan->bytes) continue;
    plan->bytes = bytes;
    plan->offsets = offsets;
  }
}

}  // namespace

MemoryPlan planMemory(const std::vector<Temporary>& temporaries, const Ancestors& ancestors, uint32_t steps) {
  MemoryPlan plan;
  const uint32_t count = static_cast<uint32_t>(temporaries.size());
  std::vector<uint32_t> used;
  for (uint32_t i = 0; i < count; ++i) {
    if (!temporaries[i].users.empty()) used.push_back(i);
  }
  std::vector<std::vector<uint32_t>> conflicts(count);
  for (size_t a = 0; a < used.size(); ++a) {
    plan.without_reuse += rounded(temporaries[used[a]].size);
    for (size_t b = a + 1; b < used.size(); ++b) {
      const Temporary &one = temporaries[used[a]], &other = temporaries[used[b]];
      if (allBefore(one, other, ancestors) || allBefore(other, one, ancestors)) continue;
      conflicts[used[a]].push_back(used[b]);
      conflicts[used[b]].push_back(used[a]);
    }
  }
  const auto first = [&](uint32_t i) { return *std::min_element(temporaries[i].users.begin(), temporaries[i].users.end()); };
  const auto last = [&](uint32_t i) { return *std::max_element(temporaries[i].users.begin(), temporaries[i].users.end()); };
  const auto size = [&](uint32_t i) { return temporaries[i].size; };
  std::vector<std::vector<uint32_t>> orders(5, used);
  const auto sort = [](std::vector<uint32_t>& order, auto key) {
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  };
  sort(orders[0], [&](uint32_t i) { return UINT64_MAX - size(i); });
  sort(orders[1], first);
  sort(orders[2], [&](uint32_t i) { return UINT32_MAX - (last(i) - first(i)); });
  sort(orders[3], [&](uint32_t i) { return -static_cast<double>(size(i)) * (1.0 + last(i) - first(i)); });
  sort(orders[4], last);
  plan.offsets.assign(count, 0);
  plan.bytes = used.empty() ? 0 : UINT64_MAX;
  size_t chosen = 0;
  Placing placing(temporaries, conflicts);
  for (const std::vector<uint32_t>& order : orders) {
    std::vector<uint64_t> offsets(count);
    const uint64_t bytes = placing.place(order, 0, UINT64_MAX, &offsets);
    if (bytes >= plan.bytes) continue;
    plan.bytes = bytes;
    plan.offsets = std::move(offsets);
    chosen = static_cast<size_t>(&order - orders.data());
  }
  for (uint32_t step = 0; step < steps; ++step) {
    uint64_t live = 0;
    for (uint32_t each : used) {
      bool begun = false, needed = false;
      for (uint32_t user : temporaries[each].users) {
        begun = begun || user == step || ancestors.comesBefore(user, step);
        needed = needed || user == step || ancestors.comesBefore(step, user);
      }
      if (begun && needed) live += rounded(temporaries[each].size);
    }
    plan.peak = std::max(plan.peak, live);
  }
  // Again from the other orders where much is left that may be gained; beside a peak far below, there is not: steps that have
  // no order between them can be live at once, and the peak counts only what certainly is.
  for (size_t i = 0; i < orders.size(); ++i) {
    const bool worth = plan.bytes > plan.peak + plan.peak / 20 && plan.bytes < plan.peak + plan.peak / 4;
    if (i == 0 || worth) search(&plan, orders[(chosen + i) % orders.size()], placing, temporaries, conflicts);
  }
  return plan;
}

}  // namespace manyrt::graph
