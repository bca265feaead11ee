// The communicators of NCCL behind the ranks of one team. NCCL ends them together: the end or the abort of one waits for those
// of the others in the process, so that one thread has to make both within a group of NCCL.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "comm/monitor.h"
#include "comm/nccl/library.h"
#include "comm/operation.h"

namespace manyrt::comm::nccl {

class Clique {
 public:
  // Takes communicators of NCCL by rank; null for ranks of other processes.
  Clique(const Library& library, std::shared_ptr<Monitor> monitor, std::vector<NativeComm*> comms);
  ~Clique();  // the last rank is gone
  Clique(const Clique&) = delete;
  Clique& operator=(const Clique&) = delete;

  const Library& library() const { return library_; }

  // A rank's communicator for a call of NCCL, which takes one at a time of each. Null behind an abort.
  class Use {
   public:
    Use(Clique& clique, int32_t rank);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    explicit operator bool() const { return comm_ != nullptr; }
    NativeComm* comm() const { return comm_; }

   private:
    Clique& clique_;
    const size_t rank_;
    NativeComm* comm_ = nullptr;
  };

  // For the watch, on its thread alone. An abort may leave NCCL as it is: it is asked for again as long as there is work.
  Result asyncError(int32_t rank);
  void abort();

  // Operations that have run, after which NCCL has connected what they need.
  void learn(const Operation& operation);
  bool knows(const Operation& operation);

 private:
  using Key = std::tuple<Kind, int32_t, int32_t, uint64_t>;  // type, reduction, count
  static Key keyOf(const Operation& of) { return {of.kind, of.type, reduces(of.kind) ? of.reduction : 0, of.count}; }
  bool mayEndLocked();
  void end(Result (*function)(NativeComm*));

  const Library& library_;
  const std::shared_ptr<Monitor> monitor_;
  const std::vector<NativeComm*> comms_;
  std::atomic<bool> ended_{false};  // no call begins any more
  std::mutex mutex_;                // of the next; not a timed mutex for each rank, which ThreadSanitizer does not follow
  std::condition_variable returned_;
  std::vector<bool> calling_;  // by rank
  int64_t ending_since_ = 0;   // the first abort that met a call; 0: none has
  bool over_ = false;          // NCCL has been told
  std::set<Key> known_;
};

}  // namespace manyrt::comm::nccl
