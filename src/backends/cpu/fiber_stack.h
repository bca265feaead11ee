// The stacks of a thread's fibers: reserved address space that becomes memory where it is touched, each with a guard below.
// They stay with the thread for its next groups. They are given back when groups become smaller, and when the thread ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/cpu/fiber_switch.h"

namespace manyrt::cpu::fibers {

// A stack holds the private arrays of an item and printf of libc (some 8 KiB). A thread of the program that waits runs
// kernels, too. So a stack also holds the frame of a signal handler (up to 12 KiB with the widest registers). Pages that are
// not touched cost nothing. A guard is as large as the largest array that a kernel is likely to skip on its way down.
#if defined(MANYRT_FIBERS_TSAN)
inline constexpr size_t kStackBytes = size_t{512} << 10;  // whole work-groups run here, too (runApart)
#else
inline constexpr size_t kStackBytes = size_t{128} << 10;
#endif
inline constexpr size_t kGuardBytes = size_t{64} << 10;
inline constexpr uint32_t kSlabStacks = 16;    // mapped together
inline constexpr uint32_t kMaxKept = 4096;     // by one thread: the largest group
inline constexpr uint32_t kMaxTaken = 65536;   // by groups inside groups, before it counts as a lack of memory
inline constexpr uint32_t kRunsToForget = 64;  // a larger group that is so many runs ago is not expected again

struct Fiber : Continuation {
  Fiber* next = nullptr;  // of the circle of those that have not ended
  Fiber* previous = nullptr;
  uint32_t index = 0;  // of the item
  bool started = false;
  unsigned char* stack = nullptr;  // its lowest byte
};

// Stacks of one thread. Taken and given back like a stack of stacks, because a run inside an item ends before that item goes
// on.
class Stacks {
 public:
  Stacks() = default;
  ~Stacks() { keep(0); }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // The number of the first of `count` that are free. Throws std::bad_alloc.
  uint32_t take(uint32_t count);
  void give(uint32_t count, uint32_t most_kept);
  Fiber& operator[](uint32_t number) { return slabs_[number / kSlabStacks]->fibers[number % kSlabStacks]; }
  uint32_t kept() const { return static_cast<uint32_t>(slabs_.size()) * kSlabStacks; }

 private:
  struct Slab {
    Slab();  // throws std::bad_alloc
    ~Slab();
    Slab(const Slab&) = delete;
    Slab& operator=(const Slab&) = delete;
    unsigned char* memory;
    Fiber fibers[kSlabStacks];
  };
  void keep(uint32_t stacks);

  std::vector<std::unique_ptr<Slab>> slabs_;
  uint32_t taken_ = 0;
  uint32_t most_taken_ = 0;  // in the runs counted below
  uint32_t runs_ = 0;
};

// Where a fiber's frames begin: tops that all lay at one offset of their pages would share a few sets of the caches.
inline size_t usableBytes(uint32_t number) { return kStackBytes - (number % 16) * 192; }

}  // namespace manyrt::cpu::fibers
