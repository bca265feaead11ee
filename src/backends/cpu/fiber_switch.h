// From one flow of control to another on the same thread: Boost.Context's few instructions, or ucontext of libc. The latter
// serves a library that was configured without Boost. Tells the sanitizers which stack is in use. Knows nothing of groups.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(MANYRT_FIBERS_BOOST)
#include <boost/context/detail/fcontext.hpp>
#else
#include <ucontext.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MANYRT_FIBERS_ASAN 1
#elif __has_feature(thread_sanitizer)
#define MANYRT_FIBERS_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define MANYRT_FIBERS_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define MANYRT_FIBERS_TSAN 1
#endif

#if defined(MANYRT_FIBERS_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(MANYRT_FIBERS_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

// ThreadSanitizer counts entries and exits of functions, for each fiber. A function that is entered on one and left on another,
// or never left, stays out of its count.
#if defined(MANYRT_FIBERS_TSAN) && defined(__clang__)
#define MANYRT_NOT_COUNTED __attribute__((disable_sanitizer_instrumentation))
#elif defined(MANYRT_FIBERS_TSAN)
#define MANYRT_NOT_COUNTED __attribute__((no_sanitize("thread")))
#else
#define MANYRT_NOT_COUNTED
#endif

namespace manyrt::cpu::fibers {

// A flow of control while another one runs: where it goes on, and what the sanitizers know of it.
struct Continuation {
#if defined(MANYRT_FIBERS_BOOST)
  void* context = nullptr;
  uint64_t mode = 0;  // floating-point mode that a fresh one begins with, where Boost.Context does not keep it
  bool fresh = false;
#else
  ucontext_t context;
#endif
#if defined(MANYRT_FIBERS_ASAN)
  const void* bottom = nullptr;
  size_t size = 0;
  void* fake_stack = nullptr;
#elif defined(MANYRT_FIBERS_TSAN)
  void* handle = nullptr;
#endif
};

// The flow that the thread is in when it first comes to a fiber: the sanitizers are asked for its name.
inline void beHere([[maybe_unused]] Continuation& place) {
#if defined(MANYRT_FIBERS_TSAN)
  place.handle = __tsan_get_current_fiber();
#endif
}

// Around the life of a stack, and where an abandoned one is to be used afresh.
inline void createFor([[maybe_unused]] Continuation& place) {
#if defined(MANYRT_FIBERS_TSAN)
  place.handle = __tsan_create_fiber(0);
#endif
}
inline void destroyFor([[maybe_unused]] Continuation& place, [[maybe_unused]] unsigned char* stack,
                       [[maybe_unused]] size_t size) {
#if defined(MANYRT_FIBERS_ASAN)
  __asan_unpoison_memory_region(stack, size);
#elif defined(MANYRT_FIBERS_TSAN)
  __tsan_destroy_fiber(place.handle);
  place.handle = nullptr;
#endif
}

// `self` has just been continued by `from`.
MANYRT_NOT_COUNTED inline void arrive([[maybe_unused]] Continuation& self, [[maybe_unused]] Continuation& from) {
#if defined(MANYRT_FIBERS_ASAN)
  __sanitizer_finish_switch_fiber(self.fake_stack, &from.bottom, &from.size);
#endif
}

// `ends`: `from` is never continued. `apart`: ThreadSanitizer does not take `to` for being ordered after `from`.
MANYRT_NOT_COUNTED inline void depart([[maybe_unused]] Continuation& from, [[maybe_unused]] Continuation& to,
                                      [[maybe_unused]] bool ends, [[maybe_unused]] bool apart) {
#if defined(MANYRT_FIBERS_ASAN)
  __sanitizer_start_switch_fiber(ends ? nullptr : &from.fake_stack, to.bottom, to.size);
#elif defined(MANYRT_FIBERS_TSAN)
  __tsan_switch_to_fiber(to.handle, apart ? __tsan_switch_to_fiber_no_sync : 0);
#endif
}

// A new fiber calls this first, on its own stack: defined in fiber.cpp. `from` continued it.
[[noreturn]] MANYRT_NOT_COUNTED void begin(Continuation& from);

#if defined(MANYRT_FIBERS_BOOST)

// Boost.Context keeps the floating-point mode on x86-64, and on aarch64 it does not (1.74). Writing the register is slow, and
// hardly any fiber changes it.
#if defined(__aarch64__)
inline uint64_t floatingMode() {
  uint64_t mode;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
inline void setFloatingMode(uint64_t mode) {
  if (floatingMode() != mode) __asm__ __volatile__("msr fpcr, %0" : : "r"(mode));
}
#else
inline uint64_t floatingMode() { return 0; }
inline void setFloatingMode(uint64_t) {}
#endif

[[noreturn]] MANYRT_NOT_COUNTED inline void enter(boost::context::detail::transfer_t came) {
  Continuation& from = *static_cast<Continuation*>(came.data);
  from.context = came.fctx;
  begin(from);
}

// Takes the floating-point mode of this moment along.
inline void make(Continuation& place, unsigned char* stack, size_t size) {
  place.context = boost::context::detail::make_fcontext(stack + size, size, enter);
  place.mode = floatingMode();
  place.fresh = true;
}

MANYRT_NOT_COUNTED inline boost::context::detail::transfer_t keep(boost::context::detail::transfer_t came) {
  static_cast<Continuation*>(came.data)->context = came.fctx;
  return came;
}

// A fiber that waits is continued by way of keep(), on its stack, which returns to it. jump_fcontext itself ends in a jump. A
// processor that pairs calls with returns guesses the next returns wrong after such a jump (24 ns a switch instead of 6).
MANYRT_NOT_COUNTED inline boost::context::detail::transfer_t go(Continuation& self, Continuation& to) {
  if (!to.fresh) [[likely]]
    return boost::context::detail::ontop_fcontext(to.context, &self, keep);
  to.fresh = false;
  setFloatingMode(to.mode);
  return keep(boost::context::detail::jump_fcontext(to.context, &self));
}

MANYRT_NOT_COUNTED inline void switchTo(Continuation& self, Continuation& to, bool apart = false) {
  depart(self, to, false, apart);
  const uint64_t mode = floatingMode();
  boost::context::detail::transfer_t came = go(self, to);
  setFloatingMode(mode);
  arrive(self, *static_cast<Continuation*>(came.data));
}

[[noreturn]] MANYRT_NOT_COUNTED inline void leave(Continuation& self, Continuation& to, bool apart = false) {
  depart(self, to, true, apart);
  go(self, to);
  __builtin_unreachable();
}

#else

inline thread_local Continuation* came_from = nullptr;

[[noreturn]] MANYRT_NOT_COUNTED inline void enter() { begin(*came_from); }

inline void make(Continuation& place, unsigned char* stack, size_t size) {
  getcontext(&place.context);
  place.context.uc_stack.ss_sp = stack;
  place.context.uc_stack.ss_size = size;
  place.context.uc_link = nullptr;
  makecontext(&place.context, enter, 0);
  place.context.uc_stack.ss_size = 0;  // not needed any more; AddressSanitizer would forget at each switch what it knows
}

MANYRT_NOT_COUNTED inline void switchTo(Continuation& self, Continuation& to, bool apart = false) {
  depart(self, to, false, apart);
  came_from = &self;
  swapcontext(&self.context, &to.context);
  arrive(self, *came_from);
}

[[noreturn]] MANYRT_NOT_COUNTED inline void leave(Continuation& self, Continuation& to, bool apart = false) {
  depart(self, to, true, apart);
  came_from = &self;
  setcontext(&to.context);
  __builtin_unreachable();
}

#endif

inline void makeOn(Continuation& place, unsigned char* stack, size_t size) {
#if defined(MANYRT_FIBERS_ASAN)
  place.bottom = stack;
  place.size = size;
  place.fake_stack = nullptr;
#endif
  make(place, stack, size);
}

}  // namespace manyrt::cpu::fibers
