// Changes the newest set. Copies a shared chunk before it changes it.
#include "graph/model/node_sets.h"

namespace manyrt::graph {

NodeSets::Chunk& NodeSets::changeable(uint32_t* chunk) {
  if (*chunk < own_) {
    const Chunk copy = chunkOf(*chunk);
    chunks_.push_back(copy);
    *chunk = static_cast<uint32_t>(chunks_.size());
  }
  return chunks_[*chunk - 1];
}

void NodeSets::insert(Set* set, uint32_t node) {
  const size_t at = node / kNodes;
  if (at >= set->size()) set->resize(at + 1);
  if (!contains(*set, node)) changeable(&(*set)[at])[node % kNodes / 64] |= uint64_t{1} << (node % 64);
}

void NodeSets::unite(Set* set, const Set& other) {
  if (set->size() < other.size()) set->resize(other.size());
  for (size_t at = 0; at < other.size(); ++at) {
    uint32_t& mine = (*set)[at];
    if (mine == other[at]) continue;
    const Chunk &ours = chunkOf(mine), &theirs = chunkOf(other[at]);
    Chunk both;
    for (size_t i = 0; i < both.size(); ++i) both[i] = ours[i] | theirs[i];
    if (both == theirs) {
      mine = other[at];
    } else if (both != ours) {
      changeable(&mine) = both;
    }
  }
}

}  // namespace manyrt::graph
