// Where temporaries lie. First each is put to the lowest place that is free of those it may be live with, in a few orders of
// which the best is kept. Where that takes more than the heaviest crowd, a search for places goes on, first for a plan of just
// these bytes, which there nearly always is. It is bounded by counted work, so that a plan is a function of the graph alone.
#include <algorithm>

#include "graph/memory/packing.h"
#include "graph/memory/placing.h"

namespace manyrt::graph {
namespace {

constexpr uint64_t kTryWork = 50'000;      // of one walk, and as much for each pair of a tenant and another one or a crowd
constexpr uint64_t kTryWorkPerPair = 6;    // as this says: a walk that never turns back takes half of that
constexpr uint64_t kAllWork = 16'000'000;  // of all walks of a plan: some 20 ms
constexpr uint64_t kCloseEnough = 256;     // this part of the heaviest crowd is not searched for
constexpr uint64_t kWorthMore = 50;        // but where this part is left, everything is tried
// Walks with chance are short: where the first few turns were wrong, going back to them would take for ever.
constexpr PackingTaste kTastes[] = {{0.001, 0, 0},    {0, 0.02, 0},     {0.002, 0, 0.05}, {0.002, 0, 0.1},
                                    {0.002, 0, 0.2},  {0.002, 0, 0.05}, {0.002, 0, 0.1},  {0.002, 0, 0.2},
                                    {0.002, 0, 0.05}, {0.002, 0, 0.1},  {0.002, 0, 0.2}};

class Search {
 public:
  // No plan is smaller than `least`.
  Search(const Tenants& tenants, const Crowds& crowds, uint64_t least)
      : packing_(tenants, crowds),
        least_(least),
        try_work_(kTryWork + kTryWorkPerPair * tenants.count() * (tenants.count() + crowds.size())) {}

  bool find(uint64_t most, Places* best) {
    for (const PackingTaste& taste : kTastes) {
      const uint64_t given = std::min(left_, try_work_);
      uint64_t work = given;
      const bool found = packing_.find(most, taste, &work);
      left_ -= given - work;
      if (found) {
        if (packing_.bytes() < best->bytes) *best = {packing_.places(), packing_.bytes()};
        return true;
      }
      if (work != 0) {  // there is nothing left to try: no plan is that small
        least_ = most;
        return false;
      }
    }
    return false;
  }
  // Halves what is between the least and the best again and again; chance may bring more the next time.
  void narrow(Places* best) {
    do {
      uint64_t low = least_;
      // What was not found with chance before may be found now, and be smaller than that.
      while (left_ != 0 && best->bytes > low && best->bytes - low > least_ / kCloseEnough) {
        const uint64_t middle = low + (best->bytes - low) / 2;
        if (!find(middle, best)) low = middle;
      }
    } while (left_ != 0 && best->bytes - least_ > least_ / kWorthMore);
  }

 private:
  Packing packing_;
  uint64_t least_;
  const uint64_t try_work_;
  uint64_t left_ = kAllWork;
};

// What is certainly live at each step, and each tenant by itself: these are filled up to crowds.
Crowds beginningsOf(const Tenants& tenants, const std::vector<Temporary>& temporaries, const Ancestors& ancestors,
                    uint32_t steps) {
  Crowds result;
  for (uint32_t i = 0; i < tenants.count(); ++i) result.push_back({i});
  for (uint32_t step = 0; step < steps; ++step) {
    std::vector<uint32_t> live;
    for (uint32_t i = 0; i < tenants.count(); ++i) {
      bool begun = false, needed = false;
      for (uint32_t user : temporaries[tenants.number[i]].users) {
        begun = begun || user == step || ancestors.comesBefore(user, step);
        needed = needed || user == step || ancestors.comesBefore(step, user);
      }
      if (begun && needed) live.push_back(i);
    }
    if (!live.empty()) result.push_back(std::move(live));
  }
  return result;
}

uint64_t heaviestOf(const Crowds& crowds, const Tenants& tenants) {
  uint64_t result = 0;
  for (const std::vector<uint32_t>& crowd : crowds) result = std::max(result, tenants.sumOf(crowd));
  return result;
}

}  // namespace

MemoryPlan planMemory(const std::vector<Temporary>& temporaries, const Ancestors& ancestors, uint32_t steps) {
  MemoryPlan plan;
  plan.offsets.assign(temporaries.size(), 0);
  const Tenants tenants(temporaries, ancestors);
  if (tenants.count() == 0) return plan;
  for (uint64_t size : tenants.size) plan.without_reuse += size;
  Places best;
  const std::vector<PlacingOrder> orders = placingOrders(tenants, temporaries);
  const PlacingOrder& order = placeInOrder(&best, orders, tenants);
  Crowds crowds = filledUp(beginningsOf(tenants, temporaries, ancestors, steps), tenants);
  plan.peak = heaviestOf(crowds, tenants);
  if (best.bytes > plan.peak) {
    if (std::vector<uint32_t> heaviest = heaviestCrowd(tenants); tenants.sumOf(heaviest) > plan.peak) {
      plan.peak = tenants.sumOf(heaviest);
      crowds.push_back(std::move(heaviest));
    }
  }
  if (best.bytes > plan.peak) {
    Search search(tenants, crowds, plan.peak);
    if (!search.find(plan.peak, &best)) {
      improveOrder(&best, order, plan.peak, tenants);
      for (const PlacingOrder& other : orders) {
        if (&other != &order && best.bytes > plan.peak + plan.peak / kWorthMore) improveOrder(&best, other, plan.peak, tenants);
      }
      search.narrow(&best);
    }
  }
  plan.bytes = best.bytes;
  for (uint32_t i = 0; i < tenants.count(); ++i) plan.offsets[tenants.number[i]] = best.at[i];
  return plan;
}

}  // namespace manyrt::graph
