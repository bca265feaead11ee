// One rank of a communicator, as everything above the engines sees it. An engine is a class below this one: it checks what it
// alone knows, and runs the operations of one submission. Handles, batches in flight and graphs hold references; when the last
// is gone, the rank leaves.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "comm/guard.h"
#include "comm/monitor.h"
#include "comm/operation.h"

namespace manyrt::comm {

// The largest rank count that every engine has numbers for; docs/design/comm.md has what grows with the ranks.
inline constexpr int32_t kMostRanks = 65536;

// The parts that a rank is made from; checked.
struct Place {
  rtContext_t context = nullptr;
  int32_t backend = RT_BACKEND_INVALID;
  rtDevice_t device = nullptr;
};

struct Settings {
  uint64_t timeout_ns = 0;
  std::string label;
  std::string token;   // of the launcher; empty: there is none
  std::string reason;  // where the ranks here are on CUDA: why NCCL does not run them; else empty
};

// The runner of a rank's operations, for rtCommGetInfo.
struct Carrier {
  int32_t engine;         // RT_COMM_ENGINE_*
  int32_t transport;      // RT_COMM_TRANSPORT_*
  int32_t local_size;     // ranks in this process
  std::string version{};  // empty: that of this library
};

using Operations = std::span<const Operation>;

// Where a batch runs.
struct Submission {
  uint64_t native = 0;    // the driver's stream
  bool captured = false;  // it is a part of a graph
};

class Communicator {
 public:
  Communicator(const Place& place, const Settings& settings, int32_t rank, int32_t size, std::shared_ptr<Monitor> monitor)
      : place_(place), settings_(settings), rank_(rank), size_(size), monitor_(std::move(monitor)) {}
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const Place& place() const { return place_; }
  const Settings& settings() const { return settings_; }
  int32_t rank() const { return rank_; }
  int32_t size() const { return size_; }
  Monitor& monitor() { return *monitor_; }
  const std::shared_ptr<Monitor>& sharedMonitor() const { return monitor_; }
  bool onHost() const { return place_.backend == RT_BACKEND_CPU; }

  // The communicator fails for a reason that this rank alone knows: the others are told.
  void fail(const Status& status) {
    monitor_->fail(status, rank_);
    (void)withoutThrowing([&] { return announceFailure(), Status(); });  // one that is not told waits until its time has passed
  }

  virtual Carrier carrier() const = 0;
  // Tells whether this engine can do an operation whose numbers and memory are valid. May build kernels. `captured`: it becomes
  // a part of a graph.
  virtual Status check(const Operation& operation, bool captured) = 0;
  // Whether the engine submits these by other ones, with work of its own around them: submitInParts(), under turns.submitting.
  virtual bool hasParts(Operations) const { return false; }
  virtual Status submitInParts(Operations, rtStream_t) { return Status::bare(RT_ERROR_INTERNAL); }
  // On a thread of the library (but see below), when the stream has come to the operations. Returns when this rank's part of
  // all is done.
  virtual Status run(const std::vector<Operation>& operations, const Submission& at) = 0;
  // The program has destroyed the rank. Batches and graphs may still have it.
  virtual void retire() {}
  // Takes over what ranks of other processes have told.
  virtual void hear() {}
  // Whether run() may be called on the program's thread alone, within the call that submits.
  virtual bool runsOnCallingThread() const { return false; }
  // Whether run() gives its work to the driver's stream and returns. Then it is called as soon as what is ahead is submitted.
  virtual bool submitsToStream(const std::vector<Operation>&) const { return false; }
  // Whether runAtOnce() can run them, on the program's thread within its call: it waits for no other rank. Under
  // turns.submitting, as the next functions.
  virtual bool runsAtOnce(Operations) { return false; }
  virtual Status runAtOnce(Operations, uint64_t native) { return (void)native, Status::bare(RT_ERROR_INTERNAL); }
  // Whether runAll() can run such a batch of each rank, on a thread that has them all. It waits for no other thread.
  virtual bool runsAll(Operations) { return false; }
  // Between enter() and leave() of each rank; in their order.
  struct Share {
    Communicator* communicator;
    Operations operations;
    uint64_t native;  // the driver's stream
  };
  virtual Status runAll(const std::vector<Share>&) { return Status::bare(RT_ERROR_INTERNAL); }
  // Around the submission of a batch that is no part of a graph, under turns.submitting.
  virtual Status beforeSubmit(const Operation&, rtStream_t) { return Status(); }
  virtual void afterSubmit(bool submitted) { (void)submitted; }
  // The same around runAtOnce() and runAll(). `came`: when the program's thread came with the operations, or 0.
  virtual Status enter(Operations, rtStream_t, int64_t came) { return (void)came, Status(); }
  virtual void leave(bool ran) { (void)ran; }
  // Around the life of a captured batch, which graphs may launch until its end, in streams that the engine is not told of.
  virtual void beginGraph(const Operation&, rtStream_t) {}
  virtual void endGraph() {}
  // rtCommSplit in two steps, so that one thread can announce several ranks before it waits.
  virtual Status announceSplit(int32_t color, int32_t key, uint64_t* ticket) = 0;
  virtual Status takeSplit(uint64_t ticket, std::shared_ptr<Communicator>* made) = 0;

  // The order of submission. A batch that is no part of a graph has a turn.
  struct Turns {
    std::recursive_mutex submitting;   // from taking a turn to the end of the submission; a log line may call back
    uint64_t next = 0;                 // under `submitting`
    std::atomic<uint64_t> serving{0};  // written under the monitor's lock
    std::set<uint64_t> over;           // later ones that were dropped; under the monitor's lock
    uint32_t waiting = 0;              // batches that wait for their turn; under the monitor's lock
    // Under `submitting`: no batch is ahead that has not run. The effects of earlier batches are seen.
    bool idle() const { return next == serving.load(std::memory_order_acquire); }
  };
  Turns turns;

 protected:
  virtual void announceFailure() {}  // to ranks that do not share the monitor

 private:
  const Place place_;
  const Settings settings_;
  const int32_t rank_;
  const int32_t size_;
  const std::shared_ptr<Monitor> monitor_;
};

}  // namespace manyrt::comm
