// Sets of nodes, one for each node of a graph: those that come before it. A set is a list of chunks of bits, and sets share
// equal chunks. A node that comes after another one shares most of its chunks with that node. A look-up reads one bit. A union
// takes one step for each chunk, most of which both sets share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace manyrt::graph {

class NodeSets {
 public:
  using Set = std::vector<uint32_t>;  // the chunk of each kNodes nodes; 0, or beyond the end: none of them

  bool contains(const Set& set, uint32_t node) const {
    const size_t at = node / kNodes;
    return at < set.size() && (chunkOf(set[at])[node % kNodes / 64] >> (node % 64) & 1) != 0;
  }
  // Only the set that was begun last may change.
  void begin() { own_ = static_cast<uint32_t>(chunks_.size()) + 1; }
  void insert(Set* set, uint32_t node);
  void unite(Set* set, const Set& other);
  void forget() { chunks_.resize(own_ - 1); }  // drops the set that was begun last

 private:
  static constexpr uint32_t kNodes = 512;
  using Chunk = std::array<uint64_t, kNodes / 64>;

  static constexpr Chunk kEmpty{};
  const Chunk& chunkOf(uint32_t chunk) const { return chunk == 0 ? kEmpty : chunks_[chunk - 1]; }
  Chunk& changeable(uint32_t* chunk);

  std::vector<Chunk> chunks_;  // from 1 on
  uint32_t own_ = 1;           // chunks from here on belong to one set
};

}  // namespace manyrt::graph
