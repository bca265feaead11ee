// Copies to pageable memory of the program that may still be running. The CUDA runtime returns from such a copy when it is
// done, so that a later copy from there reads its result. This library returns at once: a later copy that reads its source
// during the call waits for the earlier one. Each context notes the writes of its streams; ops/copy asks all contexts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "allocator/region.h"
#include "base/lock_order.h"
#include "base/spin_lock.h"

namespace manyrt::allocator {

class HostWrites {
 public:
  struct Write {
    uintptr_t begin = 0, end = 0;
    Stamp stamp;  // the stream that writes, and its submission

   private:
    friend class HostWrites;
    Write* next_ = nullptr;
  };

  HostWrites() = default;
  HostWrites(const HostWrites&) = delete;
  HostWrites& operator=(const HostWrites&) = delete;
  ~HostWrites();

  // Whether any context has noted one. Relaxed: a thread sees the copies that it has submitted itself or has waited for.
  static bool any() { return count_.load(std::memory_order_relaxed) != 0; }

  void add(std::unique_ptr<Write> write);
  // Appends the stamps of the writes that meet the range. Throws bad_alloc.
  void find(uintptr_t begin, uintptr_t end, std::vector<Stamp>* stamps);

 private:
  void forgetOver();
  void unlink(Write* write);  // under the lock

  static constexpr size_t kLookAt = 16;
  // Changed under the lock of one context, for any(): a count that orders nothing.
  static inline std::atomic<uint64_t> count_{0};

  Ranked<SpinLock, LockRank::kHostWrites> lock_;
  Write* first_ = nullptr;  // newest
  size_t size_ = 0;
  size_t look_at_ = kLookAt;  // with this many writes the next one calls forgetOver()
  bool looking_ = false;      // a thread is in forgetOver(), which alone removes writes
};

// The writes of all contexts that meet the range. Throws bad_alloc.
std::vector<Stamp> hostWritesTo(uintptr_t begin, uintptr_t end);

}  // namespace manyrt::allocator
