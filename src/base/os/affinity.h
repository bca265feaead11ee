// How many processors the calling thread may run on. Headers alone, for libmanyrt-comm.
#pragma once

#include <sched.h>
#include <unistd.h>

#include <cstdint>

namespace manyrt {

// At least 1. Its affinity mask, as taskset and cpusets set it; where that cannot be read, all processors.
inline uint32_t processorsAllowed() {
  constexpr size_t kMost = 1024;
  cpu_set_t* set = CPU_ALLOC(kMost);
  if (set == nullptr) return 1;
  const size_t size = CPU_ALLOC_SIZE(kMost);
  CPU_ZERO_S(size, set);
  const int count =
      sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  CPU_FREE(set);
  return count > 0 ? static_cast<uint32_t>(count) : 1;
}

}  // namespace manyrt
