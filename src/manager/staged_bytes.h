// Counts the bytes of staging memory that the copies of a stream hold: copies from pageable memory that the stream has not
// passed. The memory itself belongs to a pool, which takes it back in the order of the stream. Called by ops/staged_source.
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
    uint64_t serial;  // of the submission after which the bytes are free
  };

  // Called before a copy is submitted. Null: the stream would hold more than kMax. Throws bad_alloc.
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
  // Called when the copy was submitted, or failed. The caller gives the share up.
  void settle(Share& share, uint64_t serial) {
    std::lock_guard lock(mutex_);
    share.serial = serial;
  }

 private:
  Ranked<std::mutex, LockRank::kStagedBytes> mutex_;
  uint64_t held_ = 0;
  std::deque<Share> shares_;  // almost in the order of serials; a deque keeps the addresses of its elements
};

}  // namespace manyrt::manager
