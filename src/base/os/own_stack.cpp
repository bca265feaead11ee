// A mapping with a guard page below it, and ucontext to switch there and back. Its system calls for the signal mask do not
// matter: there is one switch for a whole build. Tells the sanitizers which stack is in use.
#include "base/os/own_stack.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdint>

#include "base/fault.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MANYRT_STACK_ASAN 1
#elif __has_feature(thread_sanitizer)
#define MANYRT_STACK_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MANYRT_STACK_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define MANYRT_STACK_TSAN 1
#endif

#if defined(MANYRT_STACK_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(MANYRT_STACK_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace manyrt {
namespace {

constexpr size_t kGuardBytes = 64 << 10;

struct Excursion {
  void (*body)(void*);
  void* user;
  ucontext_t caller, own;
#if defined(MANYRT_STACK_ASAN)
  const void* caller_bottom = nullptr;
  size_t caller_bytes = 0;
  void* fake_stack = nullptr;
#elif defined(MANYRT_STACK_TSAN)
  void* caller_fiber = nullptr;
  void* own_fiber = nullptr;
#endif
};

// makecontext passes numbers of 32 bits alone.
void runTrip(uint32_t high, uint32_t low) {
  auto* trip = reinterpret_cast<Excursion*>(uintptr_t{high} << 32 | low);
#if defined(MANYRT_STACK_ASAN)
  __sanitizer_finish_switch_fiber(nullptr, &trip->caller_bottom, &trip->caller_bytes);
#endif
  trip->body(trip->user);
#if defined(MANYRT_STACK_ASAN)
  __sanitizer_start_switch_fiber(nullptr, trip->caller_bottom, trip->caller_bytes);
#elif defined(MANYRT_STACK_TSAN)
  __tsan_switch_to_fiber(trip->caller_fiber, 0);
#endif
  setcontext(&trip->caller);
}

void goAndReturn(Excursion* trip, [[maybe_unused]] unsigned char* bottom, [[maybe_unused]] size_t bytes) {
#if defined(MANYRT_STACK_ASAN)
  __sanitizer_start_switch_fiber(&trip->fake_stack, bottom, bytes);
#elif defined(MANYRT_STACK_TSAN)
  trip->caller_fiber = __tsan_get_current_fiber();
  trip->own_fiber = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(trip->own_fiber, 0);
#endif
  swapcontext(&trip->caller, &trip->own);
#if defined(MANYRT_STACK_ASAN)
  __sanitizer_finish_switch_fiber(trip->fake_stack, nullptr, nullptr);
  __asan_unpoison_memory_region(bottom, bytes);
#elif defined(MANYRT_STACK_TSAN)
  __tsan_destroy_fiber(trip->own_fiber);
#endif
}

}  // namespace

bool runOnOwnStack(size_t bytes, void (*body)(void*), void* user) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  const size_t whole = kGuardBytes + bytes;
  void* mapped = fault::fails("stack") ? MAP_FAILED : mmap(nullptr, whole, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (mapped == MAP_FAILED) return false;
  unsigned char* const bottom = static_cast<unsigned char*>(mapped) + kGuardBytes;
  Excursion trip;
  trip.body = body;
  trip.user = user;
  const bool ready = mprotect(mapped, kGuardBytes, PROT_NONE) == 0 && getcontext(&trip.own) == 0;
  if (ready) {
    trip.own.uc_stack.ss_sp = bottom;
    trip.own.uc_stack.ss_size = bytes;
    trip.own.uc_link = nullptr;
    const auto address = reinterpret_cast<uintptr_t>(&trip);
    makecontext(&trip.own, reinterpret_cast<void (*)()>(runTrip), 2, static_cast<uint32_t>(address >> 32),
                static_cast<uint32_t>(address));
    goAndReturn(&trip, bottom, bytes);
  }
  munmap(mapped, whole);
  return ready;
}

}  // namespace manyrt
