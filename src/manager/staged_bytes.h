// How many bytes of staging memory the copies of a stream hold: those whose source was pageable and that the stream has not
// passed. Only the count is here; the memory belongs to a pool, which takes it back by itself. Called by ops/staged_source.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "backends/backend.h"
#include "base/lock_order.h"

namespace manyrt::manager {

class StagedBytes {
 public:
  static constexpr uint64_t kMax = uint64_t{64} << 20;  // named in rt.h
  struct Share {
    uint64_t bytes;
    uint64_t serial;  // of the submission behind which they are free
  };

  // Before a copy is submitted; null: with these bytes the stream would hold more than kMax. Throws bad_alloc.
  Share* take(uint64_t bytes, backend::Stream& stream) {
    if (bytes > kMax) return nullptr;
    const uint64_t done = stream.completed();  // without the lock: this may ask a driver
    std::lock_guard lock(mutex_);
    for (; !shares_.empty() && shares_.front().serial <= done; shares_.pop_front()) held_ -= shares_.front().bytes;
    if (bytes > kMax - held_) return nullptr;
    shares_.push_back({bytes, UINT64_MAX});
    held_ += bytes;
    return &shares_.back();
  }
  // The copy was submitted, or will not be. The share belongs to this from here on.
  void settle(Share& share, uint64_t serial) {
    std::lock_guard lock(mutex_);
    share.serial = serial;
  }

 private:
  Ranked<std::mutex, LockRank::kStagedBytes> mutex_;
  uint64_t held_ = 0;
  std::deque<Share> shares_;  // about in the order of their serials; those in it stay at their addresses
};

}  // namespace manyrt::manager
