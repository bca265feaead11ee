// Replays of a memory trace: by first fit on offsets, which is what a plain allocator does, and in the pool of a device.
#pragma once

#include <rt.h>

#include <string>
#include <utility>
#include <vector>

#include "memory_trace.h"

inline constexpr uint64_t kFirstFitAlignment = 256;  // that of rtMalloc and of cudaMalloc

// The same allocations, placed at the lowest offset that has room, in one range that grows at its end and starts at 0.
MemoryTrace placeFirstFit(const MemoryTrace& trace, uint64_t alignment);

// Replays a trace in the order of its events. `Pool` has allocate(bytes, stream), which gives an address, and free(address,
// stream); streams are numbered from 0 without a gap, but for kNoStream.
inline constexpr uint32_t kNoStream = UINT32_MAX;
template <class Pool>
void replay(const MemoryTrace& trace, Pool&& pool) {
  std::vector<uint32_t> numbers;  // of the trace, in the order of their first use
  const auto place = [&numbers](uint32_t stream) -> uint32_t {
    if (stream == 0) return kNoStream;
    for (uint32_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == stream) return i;
    }
    numbers.push_back(stream);
    return static_cast<uint32_t>(numbers.size() - 1);
  };
  std::vector<void*> blocks(trace.blocks);
  for (const MemoryEvent& event : trace.events) {
    if (event.kind == MemoryEvent::Kind::kAllocate) blocks[event.id] = pool.allocate(event.bytes, place(event.stream));
    if (event.kind == MemoryEvent::Kind::kFree) pool.free(std::exchange(blocks[event.id], nullptr), place(event.stream));
  }
  for (void* block : blocks) {
    if (block != nullptr) pool.free(block, kNoStream);
  }
}

// In a context of its own on the device, as rtMallocAsync and rtMalloc do it. The statistics of its pool at the end.
rtMemPoolStats_t replayInPool(const MemoryTrace& trace, rtDevice_t device);

// The same with the addresses that the pool gave and the ranges that it took, as the library's own trace tells them. In a
// process that has not called the library before; afterwards the library is shut down.
MemoryTrace placeInPool(const MemoryTrace& trace, const std::string& device);
