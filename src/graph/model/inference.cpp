// Nodes are learned when the next inferred one is added, so that dependencies that are given to the newest nodes cost nothing.
#include "graph/model/inference.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "graph/model/order.h"

namespace manyrt::graph {
namespace {

// Given dependencies may lead from a later node to an earlier one: then the numbers are no topological order.
std::vector<uint32_t> sequenceFrom(uint32_t first, const std::vector<Node>& nodes) {
  std::vector<uint32_t> result(nodes.size() - first);
  std::iota(result.begin(), result.end(), first);
  const auto forward = [&](uint32_t node) { return nodes[node].before.empty() || nodes[node].before.back() < node; };
  if (std::all_of(result.begin(), result.end(), forward)) return result;
  Before before;
  for (const Node& node : nodes) before.push_back(node.before);
  result = sequenceOf(before);
  std::erase_if(result, [&](uint32_t node) { return node < first; });
  return result;
}

}  // namespace

Span spanOf(const Access& access, const std::vector<Buffer>& buffers) {
  const Operand& memory = *access.memory;
  if (memory.buffer != kNone) {
    return {memory.offset, access.bytes != 0 ? memory.offset + access.bytes : buffers[memory.buffer].size};
  }
  const uintptr_t begin = reinterpret_cast<uintptr_t>(memory.pointer);
  if (access.bytes != 0) return {begin, begin + access.bytes};
  const allocator::BlockLease& lease = memory.lease;
  return {begin, lease ? lease.region()->addressOf(*lease.block()) + lease.block()->size.load() : UINTPTR_MAX};
}

void Inference::Users::find(bool write, std::vector<uint32_t>* conflicts) const {
  conflicts->insert(conflicts->end(), writers_.begin(), writers_.end());
  if (write) conflicts->insert(conflicts->end(), readers_.begin(), readers_.end());
}

void Inference::Users::add(bool write, const NewNode& added) {
  std::vector<uint32_t>& users = write ? writers_ : readers_;
  if (!users.empty() && users.back() == added.node) return;  // by another access
  if (writers_.size() + readers_.size() >= limit_) {
    replace(write, added);
    limit_ = std::max<size_t>(16, 2 * (writers_.size() + readers_.size()));
  }
  users.push_back(added.node);
}

void Inference::Users::replace(bool write, const NewNode& added) {
  const auto gone = [&](uint32_t user) { return added.comesAfter(user); };
  if (write) std::erase_if(writers_, gone);
  std::erase_if(readers_, gone);
}

void Inference::Pieces::find(uint64_t begin, uint64_t end, bool write, std::vector<uint32_t>* conflicts) const {
  auto piece = pieces_.upper_bound(begin);
  if (piece != pieces_.begin() && std::prev(piece)->second.end > begin) --piece;
  for (; piece != pieces_.end() && piece->first < end; ++piece) piece->second.users.find(write, conflicts);
}

void Inference::Pieces::cut(uint64_t at) {
  const auto next = pieces_.lower_bound(at);
  if (next == pieces_.begin()) return;
  Piece& piece = std::prev(next)->second;
  if (piece.end <= at) return;
  pieces_.emplace_hint(next, at, piece);
  piece.end = at;
}

void Inference::Pieces::add(uint64_t begin, uint64_t end, bool write, const NewNode& added) {
  if (begin >= end) return;
  cut(begin);
  cut(end);
  auto piece = pieces_.lower_bound(begin);
  while (begin < end) {
    const bool inside = piece != pieces_.end() && piece->first < end;
    if (inside && write) piece->second.users.replace(true, added);
    if (inside && piece->second.users.empty()) {  // a piece without users ends, and the new one takes its range
      piece = pieces_.erase(piece);
      continue;
    }
    if (!inside || begin < piece->first) {
      piece = pieces_.emplace_hint(piece, begin, Piece{inside ? piece->first : end, {}});
    }
    piece->second.users.add(write, added);
    begin = piece->second.end;
    ++piece;
  }
}

Inference::Lookup Inference::lookupOf(const Access& access, const std::vector<Buffer>& buffers) {
  const Span span = spanOf(access, buffers);
  Lookup lookup{span.begin, span.end, (access.access & RT_GRAPH_WRITE) != 0, nullptr, nullptr, nullptr};
  const uint32_t buffer = access.memory->buffer;
  lookup.pieces = buffer == kNone ? &addresses_ : &buffers_[buffer];
  if (buffer != kNone && buffers[buffer].role == RT_GRAPH_BUFFER_TEMPORARY) return lookup;
  lookup.same = buffer == kNone ? &any_address_ : &any_buffer_;
  lookup.other = buffer == kNone ? &any_buffer_ : &any_address_;
  return lookup;
}

std::vector<uint32_t> Inference::conflictsOf(const Work& work, const std::vector<Buffer>& buffers) {
  const Accesses accesses = accessesOf(work);
  std::vector<uint32_t> result;
  everything_.find(accesses.opaque, &result);
  if (accesses.opaque) return result;
  for (const Access& access : accesses.memory) {
    const Lookup lookup = lookupOf(access, buffers);
    lookup.pieces->find(lookup.begin, lookup.end, lookup.write, &result);
    if (lookup.other != nullptr) lookup.other->find(lookup.write, &result);
  }
  return result;
}

void Inference::enter(const Work& work, const NewNode& added, const std::vector<Buffer>& buffers) {
  const Accesses accesses = accessesOf(work);
  if (accesses.opaque) everything_.replace(true, added);
  everything_.add(accesses.opaque, added);
  if (accesses.opaque) return;
  for (const Access& access : accesses.memory) {
    const Lookup lookup = lookupOf(access, buffers);
    lookup.pieces->add(lookup.begin, lookup.end, lookup.write, added);
    if (lookup.same != nullptr) lookup.same->add(lookup.write, added);
  }
}

void Inference::learn(const std::vector<Node>& nodes, const std::vector<Buffer>& buffers) {
  const uint32_t first = static_cast<uint32_t>(ancestors_.size());
  ancestors_.resize(nodes.size());
  buffers_.resize(buffers.size());
  for (uint32_t node : sequenceFrom(first, nodes)) {
    sets_.begin();
    const std::vector<uint32_t>& before = nodes[node].before;
    for (auto each = before.rbegin(); each != before.rend();
         ++each) {  // latest first: most redundant ones come before a later one
      if (sets_.contains(ancestors_[node], *each)) continue;
      sets_.unite(&ancestors_[node], ancestors_[*each]);
      sets_.insert(&ancestors_[node], *each);
    }
  }
  for (uint32_t node = first; node < nodes.size(); ++node) {
    enter(nodes[node].work, {node, &ancestors_[node], &sets_}, buffers);
  }
}

std::vector<uint32_t> Inference::dependenciesOf(const Work& work, const std::vector<Node>& nodes,
                                                const std::vector<Buffer>& buffers) try {
  learn(nodes, buffers);
  std::vector<uint32_t> conflicts = conflictsOf(work, buffers), result;
  std::sort(conflicts.begin(), conflicts.end(), std::greater<>());
  sets_.begin();
  NodeSets::Set covered;  // the nodes of the result, and those before them
  for (uint32_t node : conflicts) {
    if (sets_.contains(covered, node)) continue;
    result.push_back(node);
    sets_.unite(&covered, ancestors_[node]);
    sets_.insert(&covered, node);
  }
  sets_.forget();
  return result;
} catch (...) {  // a node may be learned by half, which no destructor undoes
  forget();
  throw;
}

}  // namespace manyrt::graph
