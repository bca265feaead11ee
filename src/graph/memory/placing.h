// Places for temporaries that are given one after another: quick for any number of them, and close to the best where the order
// is a good one. A few orders are tried, and a walk from the best of these.
#pragma once

#include "graph/memory/crowds.h"

namespace manyrt::graph {

struct Places {
  std::vector<uint64_t> at;  // by tenant
  uint64_t bytes = UINT64_MAX;
};

using PlacingOrder = std::vector<uint32_t>;  // of tenants

// By size, beginning, length, both and end.
std::vector<PlacingOrder> placingOrders(const Tenants& tenants, const std::vector<Temporary>& temporaries);

// Each as low as those before it allow, where it fits most tightly. Returns the best of these orders.
const PlacingOrder& placeInOrder(Places* best, const std::vector<PlacingOrder>& orders, const Tenants& tenants);

// Tries to do better than `best`, which is never less than `least`, by moving one at a time to an earlier turn.
void improveOrder(Places* best, PlacingOrder order, uint64_t least, const Tenants& tenants);

}  // namespace manyrt::graph
