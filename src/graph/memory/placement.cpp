// Fitting in a given order, and a search for a better order that moves one vertex at a time.
#include "graph/memory/placement.h"

#include <algorithm>
#include <numeric>

#include "graph/memory/places.h"

namespace manyrt::graph {
namespace {

using Order = std::vector<uint32_t>;  // of vertices

constexpr uint64_t kSearchWork = 2'000'000;  // edges, and words of rows, that the search looks at
constexpr uint64_t kAllowance = 25;          // at first an order may be worse than the best by this part of it

enum class Fit { kSmallestGap, kLowestGap };

class Placer {
 public:
  Placer(const InterferenceGraph& graph, Fit fit) : graph_(graph), fit_(fit), places_(graph) {}

  // Offsets from position `first` of the order on; the earlier ones are read from `offset`. Returns the bytes of all, or
  // UINT64_MAX as soon as they are more than `limit`.
  uint64_t place(const Order& order, size_t first, uint64_t limit, std::vector<uint64_t>* offset) {
    places_.clear();
    uint64_t bytes = 0;
    for (size_t position = 0; position < order.size(); ++position) {
      const uint32_t vertex = order[position];
      if (position >= first) (*offset)[vertex] = gapFor(vertex);
      places_.insert(vertex, (*offset)[vertex]);
      bytes = std::max(bytes, places_.endOf(vertex));
      if (bytes > limit) return UINT64_MAX;
    }
    return bytes;
  }

 private:
  // The lowest of the smallest gaps between conflicting vertices that hold this one, or the lowest gap; else the end of the
  // last of these.
  uint64_t gapFor(uint32_t vertex) {
    const uint64_t size = graph_.size[vertex];
    uint64_t at = 0, best = UINT64_MAX, best_gap = UINT64_MAX;
    places_.forEachConflict(vertex, [&](const Taken& taken) {  // `at` is the end of all so far
      if (taken.begin >= at + size && taken.begin - at < best_gap) {
        best = at;
        best_gap = taken.begin - at;
        if (fit_ == Fit::kLowestGap) return false;
      }
      at = std::max(at, taken.end);
      return true;
    });
    return best != UINT64_MAX ? best : at;
  }

  const InterferenceGraph& graph_;
  const Fit fit_;
  Places places_;
};

// A fixed sequence (xorshift): a plan is a function of the graph alone.
class Random {
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

Order sizeOrder(const InterferenceGraph& graph) {
  Order order(graph.count());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

Placement placeLargestFirst(const InterferenceGraph& graph) {
  Placement result{std::vector<uint64_t>(graph.count()), 0};
  result.bytes = Placer(graph, Fit::kSmallestGap).place(sizeOrder(graph), 0, UINT64_MAX, &result.offset);
  return result;
}

Placement placeByConflicts(const InterferenceGraph& graph) {
  Placement result{std::vector<uint64_t>(graph.count()), 0};
  result.bytes = Placer(graph, Fit::kLowestGap).place(graph.byConflicts(), 0, UINT64_MAX, &result.offset);
  return result;
}

// Each pass turns the block upside down and places the vertices again, the lowest first. Those placed before a vertex lie no
// higher than they did, so its old place is free at least. No pass makes the block larger.
Placement placeBackwards(const InterferenceGraph& graph) {
  constexpr int kPasses = 2;
  Placer placer(graph, Fit::kLowestGap);
  Placement result{std::vector<uint64_t>(graph.count()), 0};
  Order order = sizeOrder(graph);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return graph.last[a] > graph.last[b]; });
  result.bytes = placer.place(order, 0, UINT64_MAX, &result.offset);
  for (int pass = 0; pass < kPasses; ++pass) {
    for (uint32_t vertex : order) result.offset[vertex] = result.bytes - graph.size[vertex] - result.offset[vertex];
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return result.offset[a] < result.offset[b]; });
    result.bytes = placer.place(order, 0, UINT64_MAX, &result.offset);
  }
  return result;
}

void improve(Placement* best, uint64_t least, const InterferenceGraph& graph) {
  Placer fit(graph, Fit::kSmallestGap);
  Order order = sizeOrder(graph);
  uint64_t work = order.size() * graph.conflicts.words();  // of one attempt
  for (uint32_t vertex : order) work += graph.conflicts.countRow(vertex);
  std::vector<uint64_t> offset = best->offset, tried = offset;
  uint64_t bytes = best->bytes;  // of `order`, which may be worse than the best
  Random random;
  std::vector<uint32_t> highest;
  for (uint64_t left = kSearchWork; order.size() > 2 && best->bytes > least && left >= work; left -= work) {
    // Mostly one that reaches the end is placed earlier, since only that can lower it. In a quarter of all attempts any other
    // one is, which leads out of local minima.
    highest.clear();
    for (uint32_t i = 1; i < order.size(); ++i) {
      if (offset[order[i]] + graph.size[order[i]] == bytes) highest.push_back(i);
    }
    const bool any = highest.empty() || random.below(4) == 0;
    const uint32_t from = any ? 1 + random.below(order.size() - 1) : highest[random.below(highest.size())];
    const uint32_t to = random.below(from);
    std::rotate(order.begin() + to, order.begin() + from, order.begin() + from + 1);
    // A worse order is accepted too, by an allowance that shrinks to nothing with the work that is left (simulated annealing
    // without chance). Those before `to` keep their offsets: nothing that they depend on has moved.
    const auto allowed = static_cast<uint64_t>(static_cast<double>(best->bytes) / kAllowance * left / kSearchWork);
    const uint64_t reached = fit.place(order, to, std::max(best->bytes + allowed, bytes), &tried);
    if (reached == UINT64_MAX) {
      std::rotate(order.begin() + to, order.begin() + to + 1, order.begin() + from + 1);
      tried = offset;
      continue;
    }
    bytes = reached;
    offset = tried;
    if (bytes < best->bytes) *best = {offset, bytes};
  }
}

}  // namespace manyrt::graph
