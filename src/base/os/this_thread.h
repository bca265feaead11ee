// The system's facts about the calling thread. Headers alone, as libmanyrt-comm uses them too.
#pragma once

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace manyrt::this_thread {

// The number that the system, debuggers and traces know it by.
inline uint64_t number() { return static_cast<uint64_t>(syscall(SYS_gettid)); }

inline bool isMain() { return number() == static_cast<uint64_t>(getpid()); }

// Lets its sleeps end within a microsecond of their time instead of 50. For short sleeps between two looks at a device.
inline void napPunctually() { prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); }

}  // namespace manyrt::this_thread
