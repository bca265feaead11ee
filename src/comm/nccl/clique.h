// The communicators of NCCL behind the ranks of one team. NCCL ends them together: the end or the abort of one waits for those
// of the others in the process. So one thread has to make both within a group of NCCL.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/monitor.h"
#include "comm/nccl/library.h"

namespace manyrt::comm::nccl {

class Clique {
 public:
  // Takes communicators of NCCL by rank; null for ranks of other processes.
  Clique(const Library& library, std::shared_ptr<Monitor> monitor, std::vector<NativeComm*> comms);
  ~Clique();  // the last rank is gone
  Clique(const Clique&) = delete;
  Clique& operator=(const Clique&) = delete;

  const Library& library() const { return library_; }
  int32_t localCount() const;  // ranks of this process

  // A rank's communicator for a call of NCCL, which takes one at a time of each. Null after an abort. Takes no lock.
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

 private:
  bool mayEndLocked();
  void end(Result (*function)(NativeComm*));

  const Library& library_;
  const std::shared_ptr<Monitor> monitor_;
  const std::vector<NativeComm*> comms_;
  std::atomic<bool> ended_{false};          // no call begins any more
  std::vector<std::atomic<bool>> calling_;  // by rank
  std::mutex mutex_;                        // of the next
  int64_t ending_since_ = 0;                // the first abort that met a call; 0: none has
  bool over_ = false;                       // NCCL has been told
};

}  // namespace manyrt::comm::nccl
