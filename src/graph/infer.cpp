// Dependencies that follow from what nodes read and write: a node waits for the earlier ones whose memory meets its own where
// either of the two writes. What nobody can see into (host functions, native functions, graphs, events, fences) is ordered with
// everything.
#include "graph/graph.h"

namespace manyrt::graph {
namespace {

struct Span {
  uintptr_t begin, end;
};

// Of an address. Where its end is not known it is that of the allocation, else none.
Span spanOf(const Access& access) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(access.memory->pointer);
  if (access.bytes != 0) return {begin, begin + access.bytes};
  const allocator::BlockLease& lease = access.memory->lease;
  return {begin, lease ? lease.region()->addressOf(*lease.block()) + lease.block()->size.load() : UINTPTR_MAX};
}

}  // namespace

bool Graph::overlap(const Access& one, const Access& other) const {
  const Operand &a = *one.memory, &b = *other.memory;
  if ((a.buffer == kNone) != (b.buffer == kNone)) {  // a buffer may be bound to any address, but a temporary
    return buffers_[a.buffer == kNone ? b.buffer : a.buffer].role != RT_GRAPH_BUFFER_TEMPORARY;
  }
  if (a.buffer == kNone) {
    const Span first = spanOf(one), second = spanOf(other);
    return first.begin < second.end && second.begin < first.end;
  }
  if (a.buffer != b.buffer) return false;  // two buffers are two memories: rtGraphExecBindBuffer
  const uint64_t size = buffers_[a.buffer].size;
  const uint64_t a_end = one.bytes != 0 ? a.offset + one.bytes : size, b_end = other.bytes != 0 ? b.offset + other.bytes : size;
  return a.offset < b_end && b.offset < a_end;
}

bool Graph::conflict(const Accesses& one, const Accesses& other) const {
  if (one.opaque || other.opaque) return true;
  for (const Access& a : one.memory) {
    for (const Access& b : other.memory) {
      if (((a.access | b.access) & RT_GRAPH_WRITE) != 0 && overlap(a, b)) return true;
    }
  }
  return false;
}

std::vector<uint32_t> Graph::infer(const Work& work) const {
  const Accesses accesses = accessesOf(work);
  std::vector<uint32_t> result, open;
  std::vector<bool> covered(nodes_.size());  // comes before a node of the result
  for (uint32_t i = static_cast<uint32_t>(nodes_.size()); i-- > 0;) {
    if (covered[i] || !conflict(accesses, accessesOf(nodes_[i].work))) continue;
    result.push_back(i);
    covered[i] = true;
    open.push_back(i);
    while (!open.empty()) {
      const uint32_t node = open.back();
      open.pop_back();
      for (uint32_t before : nodes_[node].before) {
        if (covered[before]) continue;
        covered[before] = true;
        open.push_back(before);
      }
    }
  }
  return result;
}

}  // namespace manyrt::graph
