// Random bytes of the system, fit for secrets. A header alone, as libmanyrt-comm uses it too.
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstddef>

namespace manyrt {

// False, with errno, where the system has none. Blocks only before a machine that has just started has gathered any.
inline bool randomBytes(void* bytes, size_t size) {
  size_t drawn = 0;
  while (drawn < size) {
    const ssize_t got = getrandom(static_cast<char*>(bytes) + drawn, size - drawn, 0);
    if (got > 0) drawn += static_cast<size_t>(got);
    if (got < 0 && errno != EINTR) return false;
  }
  return true;
}

}  // namespace manyrt
