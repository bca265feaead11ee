// A memory trace: the allocations and frees of a program in their order (docs/memory-trace.md). It is read from a trace file,
// or from what the library writes for RT_TRACE. The manyrt command and the benchmarks replay and draw it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct MemoryEvent {
  enum class Kind : uint8_t { kAllocate, kFree, kReserve, kRelease };
  Kind kind = Kind::kAllocate;
  uint32_t stream = 0;  // 0: no stream
  uint64_t id = 0;      // of a block, or of a reserved range: each counted from 0
  uint64_t bytes = 0;   // of the block or range, also where it ends
  uint64_t address = 0;
  uint64_t time = 0;  // nanoseconds since the first event, or the number of the event; never falls
};

struct MemoryTrace {
  std::string name;
  bool timed = false;   // times are nanoseconds
  bool placed = false;  // blocks have addresses
  uint64_t blocks = 0;
  std::vector<MemoryEvent> events;
};

// Throws Failure with a sentence for what is wrong. `pool`: which pool of a file of RT_TRACE; 0: the one with the highest peak.
MemoryTrace loadMemoryTrace(const std::string& path, uint64_t pool);
std::string memoryTraceJson(const MemoryTrace& trace);

struct MemoryPeaks {
  uint64_t live = 0, reserved = 0;  // bytes; reserved is 0 where the trace tells of no range
};
MemoryPeaks peaksOf(const MemoryTrace& trace);
std::string memoryText(const MemoryTrace& trace);                 // for a reader
std::string memorySvg(const MemoryTrace& trace, bool by_stream);  // memory_svg.cpp; of a placed trace
