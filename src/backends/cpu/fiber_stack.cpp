// Mapping stacks for fibers. A process may have no more than 65530 mappings, which 16 threads with the largest groups would
// exceed. So many stacks are mapped at once, with guards that need no mapping of their own where the kernel has these (Linux
// 6.13).
#include "backends/cpu/fiber_stack.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "base/fault.h"

namespace manyrt::cpu::fibers {
namespace {

constexpr size_t kStride = kGuardBytes + kStackBytes;
constexpr size_t kSlabBytes = kStride * kSlabStacks;
constexpr int kGuardInstall = 102;     // MADV_GUARD_INSTALL, which older headers do not name
constexpr int kNoAdvice = 0x7fff0000;  // of no kernel

// Emulators (qemu-user) answer 0 to all advice and do nothing: only an answer that tells advice apart is believed.
bool guard(unsigned char* at) {
  static const bool believed = madvise(at, kGuardBytes, kNoAdvice) != 0;
  return (believed && madvise(at, kGuardBytes, kGuardInstall) == 0) || mprotect(at, kGuardBytes, PROT_NONE) == 0;
}

}  // namespace

Stacks::Slab::Slab() {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* mapped = fault::fails("cpu.fiber") ? MAP_FAILED : mmap(nullptr, kSlabBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  memory = static_cast<unsigned char*>(mapped);
  madvise(memory, kSlabBytes, MADV_NOHUGEPAGE);  // a huge page for a few hundred bytes of each stack; may be refused
  for (uint32_t i = 0; i < kSlabStacks; ++i) {
    // Without its guard an overrun would write to the neighbour's stack. So the whole slab is given up.
    if (guard(memory + i * kStride)) continue;
    munmap(memory, kSlabBytes);
    throw std::bad_alloc();
  }
  for (uint32_t i = 0; i < kSlabStacks; ++i) {
    fibers[i].stack = memory + i * kStride + kGuardBytes;
    createFor(fibers[i]);
  }
}

Stacks::Slab::~Slab() {
  for (Fiber& fiber : fibers) destroyFor(fiber, fiber.stack, kStackBytes);
  munmap(memory, kSlabBytes);
}

uint32_t Stacks::take(uint32_t count) {
  if (count > kMaxTaken - taken_) throw std::bad_alloc();
  const uint32_t first = taken_;
  while (kept() < first + count) slabs_.push_back(std::make_unique<Slab>());
  taken_ = first + count;
  most_taken_ = std::max(most_taken_, taken_);
  return first;
}

void Stacks::give(uint32_t count, uint32_t most_kept) {
  taken_ -= count;
  if (kept() > most_kept) keep(most_kept);
  // After many runs only as many stacks stay as the largest group among them took.
  if (++runs_ < kRunsToForget) return;
  keep(most_taken_);
  runs_ = 0;
  most_taken_ = taken_;
}

void Stacks::keep(uint32_t stacks) {
  const uint32_t slabs = (std::max(stacks, taken_) + kSlabStacks - 1) / kSlabStacks;
  while (slabs_.size() > slabs) slabs_.pop_back();
}

}  // namespace manyrt::cpu::fibers
