// A batch in a stream. On the CPU it is one native function. The stream calls it on a thread of the library when all ahead is
// complete. It goes on at the return, and latches the status. On a driver's stream a native function is called as soon as the
// work ahead is submitted. So a host function stands before it, which the stream calls when that work is complete. Captured,
// the host function stands there on the CPU too: it alone is called when the stream has failed, and tells the other ranks. Work
// that an engine gives to the driver's stream needs no host function: the stream keeps its order.
// A batch that only the program's thread may run is in no stream: that thread waits for what is ahead, and runs it.
// The short way: operations that wait for no other rank run within the call, where the stream holds nothing back. They are no
// batch and take no turn, as none is ahead, and `submitting` keeps others from coming between.
#include "comm/batch.h"

#include <atomic>
#include <set>
#include <utility>

#include "comm/core_call.h"
#include "comm/guard.h"

namespace manyrt::comm {
namespace {

class Batch {
 public:
  Batch(std::shared_ptr<Communicator> communicator, Operations operations, bool captured)
      : communicator_(std::move(communicator)), operations_(operations.begin(), operations.end()), captured_(captured) {}

  // A batch that was submitted and never called was dropped by the stream.
  ~Batch() {
    // The graph's last launch has ended, or it was never instantiated.
    if (in_graph_) communicator_->endGraph();
    // The other ranks must be told, since they wait for this batch. A captured one is part of a graph that may never be
    // launched.
    if (captured_ || !submitted_.load(std::memory_order_acquire) || ran_.load(std::memory_order_acquire)) return;
    streamFailed(RT_ERROR_LAUNCH_FAILED);
    endTurn();
  }

  const std::vector<Operation>& operations() const { return operations_; }
  const Operation& first() const { return operations_.front(); }
  void takeTurn() {  // under `submitting`
    // The node is made first, as it may throw: the number is only taken with it.
    turn_.insert(communicator_->turns.next);
    ++communicator_->turns.next;
  }
  void enterGraph(rtStream_t stream) {
    communicator_->beginGraph(first(), stream);
    in_graph_ = true;
  }
  void markSubmitted(bool submitted) { submitted_.store(submitted, std::memory_order_release); }

  void streamFailed(rtStatus_t code) {
    communicator_->fail(withoutThrowing([&] {
      return Status::error(RT_ERROR_LAUNCH_FAILED, "The stream of rank %d failed before its %s: %s.", communicator_->rank(),
                           describe(operations_.front()).c_str(), rtGetErrorName(code));
    }));
  }

  Status run(uint64_t native) {
    // Before the wait: from here on the batch ends its turn itself.
    ran_.store(true, std::memory_order_release);
    Status status = waitForTurn();
    if (status.ok()) {
      bool ended = false;  // by itself, and then it has failed the communicator where it had to
      status = withoutThrowing([&] {
        const Status own = communicator_->run(operations_, {native, captured_});
        ended = true;
        return own;
      });
      // An exception left the engine before it could tell the other ranks.
      if (!ended && !captured_) communicator_->fail(status);
    }
    endTurn();
    return status;
  }

 private:
  Status waitForTurn() {
    if (captured_) return Status();
    Monitor& monitor = communicator_->monitor();
    Monitor::Lock lock = monitor.lock();
    // Without a limit: what is ahead has limits of its own.
    Communicator::Turns& turns = communicator_->turns;
    const auto turn = [&] { return turns.serving == *turn_.begin(); };
    ++turns.waiting;
    // `waiting` spares endTurn() a wake that would reach each thread of the communicator.
    const Monitor::Wait waited = monitor.wait(lock, Deadline::never(), turn);
    --turns.waiting;
    return waited == Monitor::Wait::kReady ? Status() : monitor.failureLocked();
  }

  void endTurn() {
    if (captured_) return;
    Monitor& monitor = communicator_->monitor();
    Communicator::Turns& turns = communicator_->turns;
    const Monitor::Lock lock = monitor.lock();
    // Turns may end out of order, when a stream drops a batch. Only those up to the first open one are served.
    turns.over.merge(turn_);
    // Released: a thread that finds no batch ahead goes on from what this one has done.
    while (turns.over.erase(turns.serving) != 0) turns.serving.fetch_add(1, std::memory_order_release);
    if (turns.waiting != 0) monitor.notifyLocked();  // a wake of all that wait for other ranks, too
  }

  const std::shared_ptr<Communicator> communicator_;
  const std::vector<Operation> operations_;
  const bool captured_;
  std::set<uint64_t> turn_;  // one, in a node for Turns::over: the end of a turn must not need memory
  bool in_graph_ = false;
  std::atomic<bool> submitted_{false};
  std::atomic<bool> ran_{false};
};

// References of one batch, as the streams' user pointers hold them: the host function's and the native function's.
using Reference = std::shared_ptr<Batch>;

void release(void* user) { delete static_cast<Reference*>(user); }

void arrive(void* user, rtStatus_t status) {
  if (status != RT_SUCCESS) (*static_cast<Reference*>(user))->streamFailed(status);
}

rtStatus_t runBatch(const uint64_t* native, void* user) { return (*static_cast<Reference*>(user))->run(native[0]).code(); }

Status launch(const Reference& batch, bool host_function_ahead, rtStream_t stream) {
  if (host_function_ahead) {
    auto ahead = std::make_unique<Reference>(batch);
    RT_TRY_CORE(rtLaunchHostFunctionWithRelease(arrive, ahead.get(), release, stream));
    // The stream has it now, and calls release() in any case, also when it drops the function.
    (void)ahead.release();
  }
  // One reference for each function: either may be released first, and the last one ends the batch.
  auto reference = std::make_unique<Reference>(batch);
  batch->markSubmitted(true);  // before the call: the stream may call the function at once
  const rtStatus_t code = rtStreamLaunchNativeWithRelease(runBatch, reference.get(), release, stream);
  // Refused: neither function will come, and the destructor must not take this for a batch that the stream dropped.
  if (code != RT_SUCCESS) {
    batch->markSubmitted(false);
    return fromCore(code);
  }
  (void)reference.release();
  return Status();
}

struct Visit {
  Batch& batch;
  bool ran = false;
};

rtStatus_t runVisit(const uint64_t* native, void* user) {
  Visit& visit = *static_cast<Visit*>(user);
  visit.ran = true;
  return visit.batch.run(native[0]).code();
}

// The stream is held while the batch runs, and latches what fails in it, as it does with a batch that it calls itself. So that
// is no failure of this call. Another thread may give the stream new work between the two calls: then it is waited for again.
// A wait may be refused, too, which is the caller's mistake and says nothing of the stream: it keeps its failure till asked.
Status runHere(Batch& batch, rtStream_t stream) {
  Visit visit{batch};
  for (;;) {
    if (const rtStatus_t ahead = rtStreamSynchronizeFor(RT_TIMEOUT_INFINITE, stream); ahead != RT_SUCCESS) {
      const Status failure = fromCore(ahead);
      if (const rtStatus_t latched = rtStreamQuery(stream); latched < 0) {
        batch.streamFailed(latched);
        (void)rtStreamSynchronize(stream);  // this call has told it, and no later one does
      }
      return failure;
    }
    const rtStatus_t code = rtStreamCallNative(runVisit, &visit, stream);
    // RT_NOT_READY means that new work came ahead of the function, which was not called.
    if (visit.ran) return Status();
    if (code != RT_NOT_READY) return fromCore(code);
  }
}

struct AtOnce {
  Communicator& communicator;
  Operations operations;
  bool ran = false;
};

rtStatus_t runNow(const uint64_t* native, void* user) {
  AtOnce& call = *static_cast<AtOnce*>(user);
  call.ran = true;
  return call.communicator.runAtOnce(call.operations, native[0]).code();
}

// Under `submitting`. False: nothing was submitted. A failure within the call is the stream's, as in a batch.
bool submitAtOnce(Communicator& communicator, Operations operations, rtStream_t stream, int64_t came) {
  if (!communicator.turns.idle() || communicator.monitor().hasFailed() || !communicator.runsAtOnce(operations)) return false;
  // From here on the other ranks count on this one, so leave() is called in any case.
  if (!withoutThrowing([&] { return communicator.enter(operations, stream, came); }).ok()) return false;
  AtOnce call{communicator, operations};
  // Its status says no more than `ran` and the stream's latch do.
  (void)rtStreamCallNative(runNow, &call, stream);
  communicator.leave(call.ran);
  return call.ran;
}

}  // namespace

Status submit(const std::shared_ptr<Communicator>& communicator, Operations operations, rtStream_t stream, int64_t came) {
  int32_t state = RT_CAPTURE_NONE;
  RT_TRY_CORE(rtStreamIsCapturing(&state, stream));
  const bool captured = state != RT_CAPTURE_NONE;
  // Checks may build kernels, which takes long: before the lock, and before other ranks count on this one.
  for (const Operation& operation : operations) RT_TRY(communicator->check(operation, captured));
  if (communicator->runsOnCallingThread()) {
    // A function of the stream cannot wait for it. Refused before the lock, which a call that waits for the stream may hold.
    if (const rtStatus_t inside = rtStreamSynchronizeFor(0, stream); inside == RT_ERROR_BUSY) return fromCore(inside);
  }
  // One order of submission on all threads: the turn and the place in the stream must not be taken in different orders.
  const std::lock_guard order(communicator->turns.submitting);
  // The parts are submitted by calls of this function, so that the lock is recursive.
  if (communicator->hasParts(operations)) return communicator->submitInParts(operations, stream);
  if (!captured && submitAtOnce(*communicator, operations, stream, came)) return Status();
  const auto batch = std::make_shared<Batch>(communicator, operations, captured);
  const bool on_stream = communicator->submitsToStream(batch->operations());
  // No turn: a launch of the graph is an operation at its own time.
  if (captured) {
    batch->enterGraph(stream);
    return launch(batch, !on_stream, stream);
  }
  batch->takeTurn();
  Status status = withoutThrowing([&] { return communicator->beforeSubmit(batch->first(), stream); });
  if (status.ok()) {
    status = withoutThrowing([&] {
      return communicator->runsOnCallingThread() ? runHere(*batch, stream)
                                                 : launch(batch, !on_stream && !communicator->onHost(), stream);
    });
    communicator->afterSubmit(status.ok());
  }
  if (!status.ok()) {
    --communicator->turns.next;  // nothing was submitted: the turn is the next one's
    if (const rtStatus_t code = rtStreamQuery(stream); code < 0) batch->streamFailed(code);  // the other ranks need not wait
  }
  return status;
}

}  // namespace manyrt::comm
