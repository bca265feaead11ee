// The functions of the driver that the library calls, and what they count. Host functions call rt functions themselves.
#pragma once

#include <atomic>
#include <cstdint>

#include "random/op.h"
#include "rt.h"

namespace rtrandom {

struct CallbackCounts {
  std::atomic<uint64_t> host_submitted{0};  // host functions that streams and graph launches have to call
  std::atomic<uint64_t> host_called{0};
  std::atomic<uint64_t> releases_due{0};  // release functions handed over
  std::atomic<uint64_t> releases{0};
  std::atomic<uint64_t> log_lines{0};
  std::atomic<uint64_t> out_of_memory{0};
};
CallbackCounts& counts();

// The effect of a host function op on the bytes of its memory: each byte of the range is changed by its value.
void applyHostFunction(const Op& op, uint8_t* memory);

// user: a HostCall. Applies its op to its address and does a few rt calls.
void runHostFunction(void* user, rtStatus_t status);
// user: a HostCall. Looks at the native stream and submits nothing.
rtStatus_t runNative(const uint64_t native[2], void* user);
// user: an std::atomic<uint64_t>, which is counted up.
void countRelease(void* user);
void receiveLine(int32_t level, const char* message, void* user);  // user: one of kLogSinks bytes at logSinks()
inline constexpr size_t kLogSinks = 4;
char* logSinks();

}  // namespace rtrandom
