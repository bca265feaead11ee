// News of the other processes of a communicator, as its hub tells them (comm/bootstrap/hub.h). The thread of the presence
// writes them, and the watch reads them. The watch alone makes failures of them: a process that ended is one where a rank waits
// for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "comm/bootstrap/message.h"
#include "comm/operation.h"

namespace manyrt::comm::nccl {

struct News {
  explicit News(int32_t size) : gone_since(static_cast<size_t>(size)), has_left(static_cast<size_t>(size)) {}

  std::atomic<uint64_t> collectives{0};          // that this rank has called NCCL for
  std::vector<std::atomic<int64_t>> gone_since;  // by rank; 0: the process lives
  std::vector<std::atomic<bool>> has_left;       // by rank: its program has destroyed it
  std::atomic<bool> missing{false};              // a rank is gone or has left; written after the two
  std::atomic<int32_t> late{-1};                 // of the answer; written before `why`
  std::atomic<int32_t> why{kNoAnswer};           // a bootstrap::Why
  static constexpr int32_t kNoAnswer = -1;

  void ended(int32_t rank) {
    if (rank < 0 || rank >= static_cast<int32_t>(gone_since.size())) return;
    gone_since[static_cast<size_t>(rank)].store(nowNanoseconds(), std::memory_order_release);
    missing.store(true, std::memory_order_release);
  }
  void left(int32_t rank) {
    if (rank < 0 || rank >= static_cast<int32_t>(has_left.size())) return;
    has_left[static_cast<size_t>(rank)].store(true, std::memory_order_release);
    missing.store(true, std::memory_order_release);
  }
  // A rank that has left, of those that the operation waits for; -1: none.
  int32_t leftFor(const Operation& of) const {
    for (size_t rank = 0; rank < has_left.size(); ++rank) {
      const bool waited_for = isCollective(of.kind) || of.root == static_cast<int32_t>(rank);
      if (waited_for && has_left[rank].load(std::memory_order_acquire)) return static_cast<int32_t>(rank);
    }
    return -1;
  }
  // The rank whose process has ended, of those that the operation waits for, at least `nanoseconds` ago; -1: none.
  int32_t goneFor(const Operation& of, int64_t nanoseconds) const {
    const int64_t now = nowNanoseconds();
    for (size_t rank = 0; rank < gone_since.size(); ++rank) {
      const int64_t since = gone_since[rank].load(std::memory_order_acquire);
      const bool waited_for = isCollective(of.kind) || of.root == static_cast<int32_t>(rank);
      if (since != 0 && waited_for && now - since >= nanoseconds) return static_cast<int32_t>(rank);
    }
    return -1;
  }
};

}  // namespace manyrt::comm::nccl
