// One rank of a communicator of NCCL, on a CUDA device. Its native functions call NCCL with the driver's stream, so that an
// operation has its place in the stream like any other work. Captured, they are called while the exec is made, and NCCL's work
// is a part of the native graph.
//
// Where all ranks are in this process they meet in a team before each call: a rank that is late, or means something else, is
// found there, on the host, and named. Among processes NCCL itself is all that the ranks share.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "comm/communicator.h"
#include "comm/in_process/team.h"
#include "comm/nccl/library.h"
#include "comm/nccl/watch.h"

namespace manyrt::comm::nccl {

// What the ranks of one process share: operations that have run, after which NCCL has connected what they need.
class Known {
 public:
  using Key = std::tuple<Kind, int32_t, int32_t, uint64_t>;  // type, reduction, count
  void add(const Operation& operation) {
    const std::lock_guard lock(mutex_);
    keys_.insert(keyOf(operation));
  }
  bool has(const Operation& operation) {
    const std::lock_guard lock(mutex_);
    return keys_.count(keyOf(operation)) != 0;
  }

 private:
  static Key keyOf(const Operation& of) { return {of.kind, of.type, reduces(of.kind) ? of.reduction : 0, of.count}; }
  std::mutex mutex_;
  std::set<Key> keys_;
};

class Rank final : public Communicator, public std::enable_shared_from_this<Rank> {
 public:
  // `team` is null where ranks are in other processes.
  Rank(const Library& library, const Place& place, const Settings& settings, int32_t rank, int32_t size,
       std::shared_ptr<Monitor> monitor, std::shared_ptr<Team> team, std::shared_ptr<Known> known)
      : Communicator(place, settings, rank, size, std::move(monitor)),
        library_(library),
        team_(std::move(team)),
        known_(std::move(known)) {}
  ~Rank() override;

  // Begins NCCL's start; awaitStart() returns when all ranks have come.
  Status beginStart(const UniqueId& id);
  Status awaitStart(const Deadline& deadline);
  Status adopt(NativeComm* native);  // instead of both: one that a split made

  Status check(const Operation& operation, bool captured) override;
  Status run(const std::vector<Operation>& operations, const Submission& at) override;
  bool submitsToStream() const override { return true; }
  Status before(const Operation& first, rtStream_t stream) override;
  void behind(bool submitted) override;
  Status announceSplit(int32_t color, int32_t key, uint64_t* ticket) override;
  Status takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) override;

  // For the watch.
  const Library& library() const { return library_; }
  NativeComm* native() const { return comm_.load(std::memory_order_acquire); }
  void abortNative();
  void giveBack(rtEvent_t begin, rtEvent_t end);

 protected:
  void announceFailure() override;

 private:
  // A call of NCCL that waits for other ranks, on a thread of the library with the device's context current.
  struct Waiting {
    bool done = false;  // under the monitor's lock, as the next
    Status status;
    NativeComm* made = nullptr;
  };
  using Blocking = std::function<Status(NativeComm** made)>;
  Status beginOnThread(std::shared_ptr<Waiting>* waiting, Blocking call);
  Status await(Waiting& waiting, const Deadline& deadline, const char* what);

  Status meetAndCall(const std::vector<Operation>& operations, Stream stream, Progress& progress);
  Status call(const Operation& operation, Stream stream, bool captured);
  Status callPoints(const std::vector<Operation>& operations, Stream stream);
  Status allToAll(const Operation& operation, Stream stream, bool captured);
  Status exchange(const Operation& operation, void* receive, Stream stream);
  Status result(const char* call, Result result) const;
  rtEvent_t takeEvent();

  const Library& library_;
  const std::shared_ptr<Team> team_;
  const std::shared_ptr<Known> known_;
  std::atomic<NativeComm*> comm_{nullptr};
  rtStream_t stream_ = nullptr;  // of NCCL's start and of splits
  std::shared_ptr<Waiting> starting_;
  std::mutex splitting_;
  void* barrier_ = nullptr;  // one element, for barriers
  std::vector<void*> kept_;  // memory that captured operations name

  std::mutex events_mutex_;
  std::vector<rtEvent_t> spare_;
  Flight next_;                                    // between before() and behind(), under turns.submitting
  std::mutex progress_mutex_;                      // of the next
  std::deque<std::shared_ptr<Progress>> to_call_;  // of flights whose function has not been called, in their order
};

// A rank for each place, of contexts on CUDA devices that all differ.
Status create(std::vector<std::shared_ptr<Communicator>>* members, std::vector<Place> places, const Settings& settings);
// One rank among processes. Waits for the others.
Status createAmongProcesses(std::shared_ptr<Communicator>* made, const UniqueId& id, const Place& place,
                            const Settings& settings, int32_t rank, int32_t size);

}  // namespace manyrt::comm::nccl
