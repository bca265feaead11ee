// Recorded allocations replayed in allocators (P7). It has the peak of the bytes that each takes from its driver, beside the
// peak of the live bytes. Figures are bytes and the same in each repetition, so that a trace is replayed once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interleave.h"
#include "memory_trace.h"

namespace bench {

struct TracePeer {
  std::string name;
  std::function<uint64_t(const MemoryTrace&)> peak_reserved;
};

// One comparison for each trace that is there, named "<prefix>_<trace>": the pool of the device, the live bytes, first fit, and
// the peers. A trace that is missing is told as a peer that is.
void registerTraces(const std::string& prefix, const std::string& device, const std::vector<TracePeer>& peers);

}  // namespace bench
