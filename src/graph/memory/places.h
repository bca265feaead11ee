// The places of vertices of an interference graph while they are being given: those that have one, in the order of their
// offsets. So the conflicts of a vertex come in order without being sorted for each.
#pragma once

#include <algorithm>
#include <vector>

#include "graph/memory/interference.h"

namespace manyrt::graph {

struct Taken {  // by a vertex
  uint64_t begin, end;
  uint32_t vertex;
};

class Places {
 public:
  explicit Places(const InterferenceGraph& graph) : graph_(graph), offset_(graph.count()), placed_(graph.conflicts.words()) {}

  void clear() {
    by_begin_.clear();
    by_end_.clear();
    std::fill(placed_.begin(), placed_.end(), 0);
  }
  void insert(uint32_t vertex, uint64_t offset) {
    offset_[vertex] = offset;
    by_begin_.insert(positionIn(&by_begin_, vertex, BeginLess{this}), vertex);
    by_end_.insert(positionIn(&by_end_, vertex, EndLess{this}), vertex);
    placed_[vertex / 64] |= uint64_t{1} << (vertex % 64);
  }
  void remove(uint32_t vertex) {
    by_begin_.erase(positionIn(&by_begin_, vertex, BeginLess{this}));
    by_end_.erase(positionIn(&by_end_, vertex, EndLess{this}));
    placed_[vertex / 64] &= ~(uint64_t{1} << (vertex % 64));
  }
  uint64_t offsetOf(uint32_t vertex) const { return offset_[vertex]; }
  uint64_t endOf(uint32_t vertex) const { return offset_[vertex] + graph_.size[vertex]; }
  uint64_t work() const { return work_; }  // vertices and words that were looked at so far

  // Visits what the placed conflicts of a vertex take, in the order of where they begin or end, until visit(Taken) returns
  // false.
  template <class Visit>
  void forEachConflict(uint32_t vertex, Visit visit) {
    forEach(by_begin_, vertex, BeginLess{this}, visit);
  }
  template <class Visit>
  void forEachConflictByEnd(uint32_t vertex, Visit visit) {
    forEach(by_end_, vertex, EndLess{this}, visit);
  }

 private:
  using List = std::vector<uint32_t>;

  struct BeginLess {
    const Places* places;
    bool operator()(uint32_t a, uint32_t b) const {
      const uint64_t of_a = places->offset_[a], of_b = places->offset_[b];
      return of_a != of_b ? of_a < of_b : a < b;
    }
  };
  struct EndLess {
    const Places* places;
    bool operator()(uint32_t a, uint32_t b) const {
      const uint64_t of_a = places->endOf(a), of_b = places->endOf(b);
      return of_a != of_b ? of_a < of_b : a < b;
    }
  };
  template <class Less>
  static List::iterator positionIn(List* list, uint32_t vertex, Less less) {
    return std::lower_bound(list->begin(), list->end(), vertex, less);
  }
  Taken takenBy(uint32_t vertex) const { return {offset_[vertex], endOf(vertex), vertex}; }

  template <class Less, class Visit>
  void forEach(const List& list, uint32_t vertex, Less less, Visit visit) {
    const uint64_t* conflicts = graph_.conflicts.row(vertex);
    size_t count = 0;
    for (size_t w = 0; w < placed_.size(); ++w) count += static_cast<size_t>(std::popcount(conflicts[w] & placed_[w]));
    work_ += placed_.size();
    constexpr size_t kFew = 16;  // a look at a placed vertex costs a part of sorting a conflict
    if (count * kFew < list.size()) {
      few_.clear();
      for (size_t w = 0; w < placed_.size(); ++w) {
        forEachBit(conflicts[w] & placed_[w], [&](uint32_t bit) { few_.push_back(static_cast<uint32_t>(w * 64 + bit)); });
      }
      std::sort(few_.begin(), few_.end(), less);
      work_ += few_.size() * kFew;
      for (uint32_t other : few_) {
        if (!visit(takenBy(other))) return;
      }
      return;
    }
    // Without a branch on whether one is a conflict, which no processor foresees.
    constexpr size_t kBlock = 128;
    uint32_t block[kBlock];
    for (size_t from = 0; from < list.size(); from += kBlock) {
      const size_t to = std::min(list.size(), from + kBlock);
      size_t found = 0;
      for (size_t i = from; i < to; ++i) {
        block[found] = list[i];
        found += conflicts[list[i] / 64] >> (list[i] % 64) & 1;
      }
      work_ += to - from;
      for (size_t i = 0; i < found; ++i) {
        if (!visit(takenBy(block[i]))) return;
      }
    }
  }

  const InterferenceGraph& graph_;
  std::vector<uint64_t> offset_;
  std::vector<uint64_t> placed_;  // bits of vertices
  List by_begin_, by_end_, few_;
  uint64_t work_ = 0;
};

}  // namespace manyrt::graph
