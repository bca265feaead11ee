// The interference graph of the temporaries of a plan: an edge joins two that may be live at once, which must not share a byte.
// The members of a clique are all joined: they need the sum of their sizes. Made by planMemory; knows nothing of offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/memory/memory_plan.h"
#include "graph/model/sweep.h"

namespace manyrt::graph {

// A square of bits, by rows of words.
class BitMatrix {
 public:
  explicit BitMatrix(size_t count) : words_((count + 63) / 64), bits_(words_ * count) {}
  bool test(size_t row, size_t column) const { return (bits_[row * words_ + column / 64] >> (column % 64) & 1) != 0; }
  size_t words() const { return words_; }  // of a row
  uint64_t* row(size_t row) { return bits_.data() + row * words_; }
  const uint64_t* row(size_t row) const { return bits_.data() + row * words_; }
  uint32_t countRow(size_t row) const;
  BitMatrix transposed() const;

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

// Vertices are the temporaries with users, the largest first; those of one size in the order of their numbers.
class InterferenceGraph {
 public:
  InterferenceGraph(const std::vector<Temporary>& temporaries, const Before& before);
  uint32_t count() const { return static_cast<uint32_t>(size.size()); }
  // The vertices of a graph that `vertices`, ascending, name.
  InterferenceGraph(const InterferenceGraph& whole, const std::vector<uint32_t>& vertices);
  uint64_t sumOf(const std::vector<uint32_t>& vertices) const;
  // Lists of vertices, ascending: two of different lists conflict. As many lists as there can be.
  std::vector<std::vector<uint32_t>> components() const;
  std::vector<uint32_t> byConflicts() const;  // vertices by size times conflicts, the most first

  std::vector<uint32_t> number;       // of each vertex, among all temporaries
  std::vector<uint64_t> size;         // bytes, rounded up to the alignment of offsets
  std::vector<uint32_t> first, last;  // the smallest and the largest user
  BitMatrix conflicts;                // the edges, both ways
  BitMatrix predecessors;             // by row, the vertices that are over when that of the row begins

 private:
  void findPredecessors(const std::vector<Temporary>& temporaries, const Before& before);
};

}  // namespace manyrt::graph
