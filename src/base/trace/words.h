// The words of the sinks for what a stream does and the number of a thread, so that all name the same thing alike.
#pragma once

#include "base/trace.h"

namespace manyrt::trace {

inline const char* wordOf(Kind kind) {
  static constexpr const char* kWords[] = {"kernel", "copy", "fill", "prefetch", "graph", "task", "host function"};
  return kWords[static_cast<int>(kind)];
}

// By RT_MEMCPY_*. Shared memory counts as the device's.
inline const char* wordOfCopy(int32_t copy) {
  static constexpr const char* kWords[] = {"copy", "copy host to host", "copy host to device", "copy device to host",
                                           "copy device to device"};
  return kWords[copy >= 0 && copy <= 4 ? copy : 0];
}

// The name of a span.
inline const char* nameOf(const Work& work) {
  return work.kind == Kind::kKernel ? work.name : work.kind == Kind::kCopy ? wordOfCopy(work.copy) : wordOf(work.kind);
}

// The calling thread's number, from the operating system.
uint64_t threadNumber();

}  // namespace manyrt::trace
