// Where temporaries lie. Each is put to the lowest place that is free of those it may be live with; which comes first decides
// how well that packs, so a few orders are tried and the smallest result is kept, the first one of equals.
#include <algorithm>
#include <numeric>

#include "graph/order.h"

namespace manyrt::graph {
namespace {

constexpr uint64_t kAlignment = 256;

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

uint64_t place(const std::vector<uint32_t>& order, const std::vector<Temporary>& temporaries,
               const std::vector<std::vector<uint32_t>>& conflicts, std::vector<uint64_t>* offsets) {
  uint64_t total = 0;
  std::vector<bool> placed(temporaries.size());
  std::vector<Place> taken;
  for (uint32_t each : order) {
    taken.clear();
    for (uint32_t other : conflicts[each]) {
      if (placed[other]) taken.push_back({(*offsets)[other], (*offsets)[other] + rounded(temporaries[other].size)});
    }
    std::sort(taken.begin(), taken.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
    const uint64_t size = rounded(temporaries[each].size);
    uint64_t at = 0, best = UINT64_MAX, best_gap = UINT64_MAX;  // the tightest gap
    for (const Place& one : taken) {
      if (one.begin >= at + size && one.begin - at < best_gap) {
        best = at;
        best_gap = one.begin - at;
      }
      at = std::max(at, one.end);
    }
    (*offsets)[each] = best != UINT64_MAX ? best : at;
    placed[each] = true;
    total = std::max(total, (*offsets)[each] + size);
  }
  return total;
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
  for (const std::vector<uint32_t>& order : orders) {
    std::vector<uint64_t> offsets(count);
    const uint64_t bytes = place(order, temporaries, conflicts, &offsets);
    if (bytes >= plan.bytes) continue;
    plan.bytes = bytes;
    plan.offsets = std::move(offsets);
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
  return plan;
}

}  // namespace manyrt::graph
