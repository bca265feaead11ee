// The operations that NCCL has connected a rank for. NCCL may hold the first call of a kind until all ranks have called, and
// chooses how to connect by the size. A later call of the same only submits, so that the program's thread can make it.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <set>
#include <tuple>

#include "comm/communicator.h"

namespace manyrt::comm::nccl {

class Known {
 public:
  // Adds operations that have run. From any thread.
  void add(Operations operations) {
    const std::lock_guard lock(mutex_);
    for (const Operation& operation : operations) all_.insert(keyOf(operation));
  }
  bool has(const Operation& operation) {
    const std::lock_guard lock(mutex_);
    return all_.count(keyOf(operation)) != 0;
  }
  // The same for the thread that submits, under turns.submitting: without the lock for what it asked lately.
  bool hasForCall(const Operation& operation) {
    const Key key = keyOf(operation);
    Key& recent = recent_[(static_cast<size_t>(operation.kind) * 5 + operation.count) % recent_.size()];
    if (recent == key) return true;
    if (!has(operation)) return false;
    recent = key;
    return true;
  }

 private:
  using Key = std::tuple<Kind, int32_t, int32_t, int32_t, uint64_t>;  // type, reduction, peer, count
  static Key keyOf(const Operation& of) {
    const bool to_one =
        of.kind == Kind::kSend || of.kind == Kind::kReceive || of.kind == Kind::kGather || of.kind == Kind::kScatter;
    return {of.kind, of.type, reduces(of.kind) ? of.reduction : 0, to_one ? of.root : 0, of.count};
  }

  std::mutex mutex_;
  std::set<Key> all_;
  std::array<Key, 16> recent_ = [] {
    std::array<Key, 16> none;
    none.fill({Kind::kAllReduce, -1, 0, 0, 0});  // no type
    return none;
  }();
};

}  // namespace manyrt::comm::nccl
