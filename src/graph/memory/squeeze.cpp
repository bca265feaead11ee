// Ejection of vertices. Vertices above the limit are taken out. The largest one without a place then gets the smallest gap
// below the limit that it fits. If there is none, it gets the place where it pushes out the least, and from then on it weighs
// more. So two vertices do not push each other out for ever.
#include <algorithm>

#include "graph/memory/placement.h"
#include "graph/memory/places.h"

namespace manyrt::graph {
namespace {

// In Places::work(). Ways of placing that look at each pair of vertices take their part of it.
constexpr uint64_t kMostWork = 100'000'000, kLeastWork = 40'000'000;
constexpr uint64_t kWorkOfVertex = 40'000;  // at most, for graphs of few vertices
constexpr uint64_t kAttempts = 8;           // that may fail for all of the work
constexpr int kMostFailures = 4;
constexpr uint64_t kPrecision = 128;  // of the limit, as a part of the least

uint64_t workFor(uint64_t vertices) {
  const uint64_t pairs = std::min(kMostWork - kLeastWork, vertices * vertices);
  return std::min(kMostWork - pairs, kWorkOfVertex * vertices);
}

class Squeezer {
 public:
  explicit Squeezer(const InterferenceGraph& graph)
      : graph_(graph), places_(graph), weight_(graph.count()), open_((graph.count() + 63) / 64) {}

  uint64_t work() const { return places_.work() + work_; }
  // Changes `offset` and returns true, if all vertices got a place below the limit.
  bool run(std::vector<uint64_t>* offset, uint64_t limit, uint64_t most_work) {
    const uint64_t end = work() + most_work;
    places_.clear();
    std::fill(open_.begin(), open_.end(), 0);
    for (uint32_t vertex = 0; vertex < graph_.count(); ++vertex) {
      weight_[vertex] = {1, kHeaviest * (graph_.size[vertex] >> kShift) / ((limit >> kShift) + 1) + 1};
      if ((*offset)[vertex] + graph_.size[vertex] <= limit) {
        places_.insert(vertex, (*offset)[vertex]);
      } else {
        open(vertex);
      }
    }
    for (uint32_t vertex; nextOpen(&vertex);) {
      if (work() > end) return false;
      open_[vertex / 64] &= ~(uint64_t{1} << (vertex % 64));
      place(vertex, limit);
    }
    for (uint32_t vertex = 0; vertex < graph_.count(); ++vertex) (*offset)[vertex] = places_.offsetOf(vertex);
    return true;
  }

 private:
  static constexpr uint64_t kHeaviest = 1000;
  static constexpr int kShift = 12;  // so that no product of sizes wraps
  struct Weight {
    uint64_t needs;  // from 1 on: how often it found no gap
    uint64_t size;   // as a part of the limit
  };

  void open(uint32_t vertex) { open_[vertex / 64] |= uint64_t{1} << (vertex % 64); }
  bool nextOpen(uint32_t* vertex) const {
    for (size_t w = 0; w < open_.size(); ++w) {
      if (open_[w] == 0) continue;
      *vertex = static_cast<uint32_t>(w * 64) + static_cast<uint32_t>(std::countr_zero(open_[w]));
      return true;
    }
    return false;
  }
  uint64_t costOf(const Taken& taken) const { return weight_[taken.vertex].needs * weight_[taken.vertex].size; }

  // Up and down in turn: what lies against the limit leaves the low places to others, and the other way round.
  bool upwards(uint32_t vertex) const { return weight_[vertex].needs % 2 == 1; }

  void place(uint32_t vertex, uint64_t limit) {
    const uint64_t size = graph_.size[vertex];
    taken_.clear();
    uint64_t at = 0, best = UINT64_MAX, best_gap = UINT64_MAX;
    places_.forEachConflict(vertex, [&](const Taken& taken) {
      if (taken.begin >= at + size && taken.begin - at < best_gap) {
        best = at;
        best_gap = taken.begin - at;
      }
      at = std::max(at, taken.end);
      taken_.push_back(taken);
      return true;
    });
    if (limit >= at + size && limit - at < best_gap) best = upwards(vertex) ? limit - size : at;
    if (best == UINT64_MAX) {
      best = cheapest(vertex, limit);
      ++weight_[vertex].needs;
      for (const Taken& taken : taken_) {
        if (taken.begin >= best + size || best >= taken.end) continue;
        places_.remove(taken.vertex);
        open(taken.vertex);
      }
    }
    places_.insert(vertex, best);
  }

  // The place where the conflicts that it meets cost the least in all: it begins where one ends, or ends where one begins.
  uint64_t cheapest(uint32_t vertex, uint64_t limit) {
    const uint64_t size = graph_.size[vertex];
    by_end_.clear();
    places_.forEachConflictByEnd(vertex, [&](const Taken& taken) {
      by_end_.push_back(taken);
      return true;
    });
    uint64_t cost = 0, least = UINT64_MAX, best = 0;
    auto begun = taken_.begin(), ended = by_end_.begin();
    const auto tryAt = [&](uint64_t candidate) {  // each candidate is no lower than the one before
      for (; begun != taken_.end() && begun->begin < candidate + size; ++begun) cost += costOf(*begun);
      for (; ended != by_end_.end() && ended->end <= candidate; ++ended) cost -= costOf(*ended);
      if (cost > least || (cost == least && !upwards(vertex))) return;
      least = cost;
      best = candidate;
    };
    tryAt(0);
    auto next_begin = taken_.begin(), next_end = by_end_.begin();
    while (next_begin != taken_.end() && next_begin->begin < size) ++next_begin;
    for (;;) {
      const uint64_t ends = next_end != by_end_.end() && next_end->end + size <= limit ? next_end->end : UINT64_MAX;
      const uint64_t begins = next_begin != taken_.end() ? next_begin->begin - size : UINT64_MAX;
      if (std::min(ends, begins) == UINT64_MAX) break;
      tryAt(std::min(ends, begins));
      ++(ends < begins ? next_end : next_begin);
    }
    tryAt(limit - size);
    work_ += 3 * taken_.size();
    return best;
  }

  const InterferenceGraph& graph_;
  Places places_;
  std::vector<Weight> weight_;
  std::vector<uint64_t> open_;         // bits of vertices without a place
  std::vector<Taken> taken_, by_end_;  // by the conflicts of a vertex
  uint64_t work_ = 0;
};

}  // namespace

// The first attempt is the least itself, which often succeeds. Then the limit goes down by a part of what is left: what lies
// above it is little, and goes elsewhere with few ejections. Each failure halves the part.
void squeeze(Placement* best, uint64_t least, const InterferenceGraph& graph) {
  const uint64_t all = workFor(graph.count());
  Squeezer squeezer(graph);
  uint64_t limit = least, part = 4;
  int failures = 0;  // one after another
  while (best->bytes - least > least / kPrecision && squeezer.work() < all && failures < kMostFailures) {
    std::vector<uint64_t> offset = best->offset;
    const uint64_t most = limit == least ? all / (2 * kAttempts) : all / kAttempts;
    if (squeezer.run(&offset, limit, std::min(all - squeezer.work(), most))) {
      *best = {std::move(offset), limit};
      failures = 0;
    } else {
      ++failures;
      part *= 2;
    }
    const uint64_t step = (best->bytes - least) / part / 256 * 256;
    if (step == 0) break;
    limit = best->bytes - step;
  }
}

}  // namespace manyrt::graph
