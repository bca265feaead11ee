// A descriptor that can be read, and that poll tells of, once it was signalled: for waits that watch descriptors.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace manyrt {

// Negative, with errno, where there are no descriptors left. Closed on exec; reads and writes never block. The caller closes
// it.
inline int openSignalDescriptor() { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

inline void signalDescriptor(int descriptor) {
  const uint64_t one = 1;
  (void)!write(descriptor, &one, sizeof one);
}

}  // namespace manyrt
