// Reductions take the operands in the order of the ranks, so that all have the same bits.
#include "comm/short_operation.h"

#include <cstring>
#include <vector>

#include "comm/host_reduction.h"

namespace manyrt::comm {
namespace {

const char* at(const void* base, uint64_t bytes) { return static_cast<const char*>(base) + bytes; }

}  // namespace

uint64_t shortCount(Kind kind, int32_t type, int32_t size, uint64_t bytes) {
  const bool sends_to_each = kind == Kind::kReduceScatter || kind == Kind::kAllToAll || kind == Kind::kScatter;
  // By the sender's bytes: what it sends is what the slot has to hold.
  return bytes / sizeOf(type) / (sends_to_each ? static_cast<uint64_t>(size) : 1);
}

void finishFromSent(const Operation& of, int32_t rank, int32_t size, const void* const* sent, void* receive) {
  Ranges ranges;
  (void)rangesOf(of, rank, size, &ranges);
  const uint64_t bytes = of.count * sizeOf(of.type), own = bytes * static_cast<uint64_t>(rank);
  if (ranges.receive == 0) return;
  switch (of.kind) {
    case Kind::kAllReduce:
    case Kind::kReduce:
      return reduceOnHost(of.type, of.reduction, receive, sent, size, of.count);
    case Kind::kReduceScatter: {
      std::vector<const void*> parts;
      // Each rank reduces its own part alone.
      for (int32_t other = 0; other < size; ++other) parts.push_back(at(sent[other], own));
      return reduceOnHost(of.type, of.reduction, receive, parts.data(), size, of.count);
    }
    case Kind::kBroadcast:
      memcpy(receive, sent[of.root], bytes);
      return;
    case Kind::kScatter:
      memcpy(receive, at(sent[of.root], own), bytes);
      return;
    case Kind::kAllGather:
    case Kind::kGather:
    case Kind::kAllToAll:
      for (int32_t other = 0; other < size; ++other) {
        const uint64_t part = of.kind == Kind::kAllToAll ? own : 0;
        memcpy(static_cast<char*>(receive) + bytes * static_cast<uint64_t>(other), at(sent[other], part), bytes);
      }
      return;
    case Kind::kBarrier:
    case Kind::kSend:
    case Kind::kReceive:
    case Kind::kSplit:
      return;
  }
}

}  // namespace manyrt::comm
