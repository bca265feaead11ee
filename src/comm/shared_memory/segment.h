// The memory that ranks of several processes of one host share, as one process has it. It is a file in /dev/shm, whose name
// follows from the communicator's id. The first process makes it, and the one with the last rank takes its name away, so that
// nothing is left when they end. Locks on the file say which processes live: the kernel drops them with the process.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/os/descriptor.h"
#include "base/status.h"
#include "comm/shared_memory/layout.h"

namespace manyrt::comm::shared_memory {

// Equal in two processes that can share memory by its name: the running system and its /dev/shm. Zeros: there is none.
using Host = std::array<uint64_t, 3>;
Host thisHost();

// Numbers that differ where the communicators do.
std::string nameOf(const uint8_t token[16], uint64_t number, uint64_t part);

class Segment {
 public:
  // Null: it is not there, and `create` is false. INVALID_VALUE: its ranks have met, or are of another number.
  static Status open(std::shared_ptr<Segment>* segment, const std::string& name, int32_t size, bool create);
  explicit Segment(std::string name, int32_t size) : name_(std::move(name)), size_(size), layout_(size), local_(size) {}
  ~Segment();  // ranks of this process that wait for others withdraw
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  int32_t size() const { return size_; }
  const Layout& layout() const { return layout_; }
  Header& header() const { return *at<Header>(0); }
  Post& post(int32_t rank) const { return *at<Post>(layout_.post(rank)); }
  Slot& slot(int32_t rank, uint64_t number) const { return *at<Slot>(layout_.slot(rank, number)); }
  Channel& channel(int32_t from, int32_t to) const { return *at<Channel>(layout_.channel(from, to)); }
  Piece& piece(int32_t from, int32_t to, uint64_t number) const { return *at<Piece>(layout_.piece(from, to, number)); }
  char* window(int32_t rank, LaneIndex lane, uint64_t round) const { return at<char>(layout_.window(rank, lane, round)); }

  // ---- Until all have come ----
  Status come(int32_t rank);  // a rank of this process
  void withdraw(int32_t rank);
  // Fails where a process ended, or where the ranks will not meet any more.
  Status look(bool* complete);
  // Tells all that they will not meet. False: they have met.
  bool giveUp(const Status& failure, int32_t rank);
  std::vector<bool> present() const;
  bool isLocal(int32_t rank) const { return local_[static_cast<size_t>(rank)]; }
  int32_t localCount() const { return static_cast<int32_t>(std::count(local_.begin(), local_.end(), char{1})); }

  // ---- From then on ----
  // Whether the process of a rank lives; a system call.
  bool lives(int32_t rank) const;
  // Keeps the first failure of the communicator, as `by` tells it, and wakes all.
  void fail(const Status& failure, int32_t rank, int32_t by);
  bool failed() const { return header().failed.load(std::memory_order_acquire) != 0; }
  Status failure(int32_t* rank) const;  // where failed()
  void ring(int32_t rank) {
    if (header().sleepers.load(std::memory_order_seq_cst) != 0) wake(rank);
  }
  void ringAll() {
    if (header().sleepers.load(std::memory_order_seq_cst) != 0) wakeAll();
  }

 private:
  class Gate;
  template <class T>
  T* at(uint64_t offset) const {
    return reinterpret_cast<T*>(base_ + offset);
  }
  Status attach(bool create, bool* again, bool* absent);
  Status checkFile() const;
  Status allocate();
  Status map();
  void begin();  // the first process alone
  void report(const Status& failure, int32_t rank, int32_t by);
  void endLocked(State state);  // the name goes
  void wake(int32_t rank);
  void wakeAll();

  const std::string name_;  // with the slash
  const int32_t size_;
  const Layout layout_;
  Descriptor file_;
  char* base_ = nullptr;
  bool listed_ = false;              // among the names that this process has open
  std::mutex mutex_;                 // of the threads that pass the gate
  std::atomic<uint32_t> looked_{0};  // ranks that looks have asked for, in turn
  std::vector<char> local_;          // ranks of this process; under mutex_ until all have come
};

}  // namespace manyrt::comm::shared_memory
