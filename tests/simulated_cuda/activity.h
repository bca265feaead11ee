// Simulated CUPTI: records of kernels, copies and fills in buffers that the client gives. A record gets its place when the call
// is made, so that a buffer with unfinished work is not handed over. It gets its times when a stream has carried out the work.
// The functions that a client calls are exported under CUPTI's names; the file libcupti.so of the tests leads to them.
//
// Environment, read at the first call: SIMULATED_CUPTI, words separated by commas:
//   taken     another profiler has it: cuptiSubscribe refuses
//   disabled  cuptiActivityEnable refuses, as for a user without the right to profile
//   foreign   no record names the number of its caller, as though the records were those of another release
//   late      a flush hands over what was complete at the flush before
//   loses     every fifth record of a kernel is lost, and counted as such
//   shuffled  nodes of graphs have numbers that say nothing of their order
// SIMULATED_CUPTI_VERSION: what cuptiGetVersion answers; 28. The records have the sizes of that release.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "execute.h"

namespace manyrt::simulated::activity {

// The work that one call gives to the device. Its pieces run later, on the thread of a stream. Empty while nothing is recorded.
class Call {
 public:
  explicit Call(uint32_t function, bool of_runtime = false);  // as callbacks are numbered

  using Work = std::function<void(Runner&)>;
  // The work with its times taken. `node`: of a graph; 0: none.
  Work kernel(const Launch& launch, Work work, uint64_t node = 0) const;
  Work copy(int kind, size_t bytes, Work work, uint64_t node = 0) const;  // cudaMemcpyKind
  Work fill(size_t bytes, Work work, uint64_t node = 0) const;

 private:
  Work timed(std::shared_ptr<struct Place> place, Work work) const;
  uint32_t correlation_ = 0;
};

uint64_t nodeNumber(uint64_t exec, size_t index);

}  // namespace manyrt::simulated::activity
