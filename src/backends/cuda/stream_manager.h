// A stream of CUDA. What is submitted goes to the native stream at once, unless something ahead of it has to happen on the
// host: a host function, a point of another backend, a point that is not recorded yet. Then the stream is held: commands
// queue up and a thread of the library submits them when that is over. Nothing here waits for the device except the waits.
#pragma once

#include <memory>
#include <mutex>

#include "backends/backend.h"
#include "backends/cuda/event_manager.h"
#include "backends/cuda/kernel.h"
#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/mutex.h"

namespace manyrt::cuda {

class Context;
class Replay;
class Staging;

class Stream final : public backend::Stream, private backend::Waiter, private host_threads::Job {
 public:
  static Status create(Ref<backend::Stream>* stream, Context& context, const backend::StreamOptions& options);
  static Status import(Ref<backend::Stream>* stream, Context& context, NativeStream native);
  ~Stream() override;
  void renew(const backend::StreamOptions& options);

  Status launch(backend::Kernel& kernel, const backend::Launch& launch) override;
  Status copy(const backend::Copy& copy) override;
  Status fill(const backend::Fill& fill) override;
  Status prefetch(const void* address, uint64_t size, bool to_host) override;
  Status record(Ref<backend::Point> point) override;
  bool recordAgain(backend::Point& point, Status* status) override;
  Status wait(Ref<backend::Point> point, backend::Skip skip) override;
  bool waitAtOnce(backend::Point& point, Status* status) override;
  Status call(Task* task, backend::TaskKind kind) override;
  bool copyNow(const backend::Copy&) override { return false; }
  bool copyAndRead(const backend::Copy& copy, Status* status) override;
  uint64_t submitted() const override { return submitted_.load(std::memory_order_acquire); }
  uint64_t completed() override;
  bool wait(uint64_t serial, Deadline deadline) override;
  bool isInsideTask() const override { return task_stream_ == this; }
  void native(uint64_t out[2]) override;
  void endImport() override;
  bool importAgain(NativeStream native);  // false: this stream is on another one

  // A graph as one submission. Where it is held back, a point behind it is left in `end`; with `held` nothing is done there,
  // and that is said.
  Status replay(Replay& replay, Ref<backend::Point>* end, bool* held);
  // Behind what is with the device, ahead of what is held back. No submission.
  Status recordSubmitted(backend::Point& point);

  int32_t priority() const { return priority_; }
  // The name of the kernel that was launched last, while work is unfinished; else null.
  const char* runningKernel() const;
  void deviceLost();  // what is held goes on, and fails

 private:
  struct Command;
  class Arrival;       // tells a held stream that the device has come to its host function
  class InternalCall;  // runs an internal task when the device has come to it
  static constexpr size_t kMostMarkers = 4;
  struct Marker {
    NativeEvent event;
    uint64_t serial;
  };

  Stream(Context& context, Ref<LastRecord> last_record, NativeStream native, bool borrowed, int32_t priority);
  Status device(const char* call, Error error);     // the failure of a call; of a device that died, its loss
  void noteFailure(const char* call, Error error);  // of work; a loss is the device's

  // Each submits to the native stream; under the mutex, with the context current, which only replayNow does without.
  Status launchNow(backend::Kernel& kernel, const backend::Launch& launch);
  Status copyNowOnDevice(const backend::Copy& copy);
  Status prefetchNow(const void* address, uint64_t size, bool to_host);
  Status recordNow(Point& point, Status carried, uint64_t serial);
  Status waitNow(backend::Point& point, NativeEvent event);
  void recordHeld(Point& point, uint64_t serial);  // a failure is the point's, and latches
  Status replayNow(Replay& replay);
  Status callInternalNow(std::unique_ptr<Task>* task, uint64_t serial);  // takes it, unless it fails

  template <class Submit, class Make>
  Status submit(Submit now, Make command);
  template <class Submit>
  Status unlessFailed(Submit now);
  template <class Make>
  Status keep(Make command);
  Status keepCopy(const backend::Copy& copy);
  template <class Call>
  Error callOnNative(Call call) const;
  Status hold(Command* command);  // under the mutex: appended, and begun where nothing else is
  void countNative();
  void waitForDevice();            // where no callback is to be had
  void begin();                    // the first command, which has to wait for the host: starts its wait
  void go();                       // on a thread of the library: ends the wait, submits what follows
  bool execute(Command& command);  // false: it has to wait for the host first
  void finishFirst();
  void wake();
  void passed(backend::Point&) override { host_threads::submit(this); }
  void run() override { go(); }

  bool awaitSubmission(uint64_t serial, Deadline deadline);
  bool awaitInDriver();
  bool awaitAsleep();
  void advance(uint64_t serial);
  bool poll();
  bool askRecord(uint64_t serial) override;
  void mark();

  static inline thread_local const Stream* task_stream_ = nullptr;  // whose function this thread runs

  const Ref<Context> context_;
  const Ref<EventManager> events_;
  const Ref<LastRecord> last_record_;
  NativeStream native_;  // of an import until that ends, then one of our own behind it; read under the mutex or asking_
  const NativeContext native_context_;
  const bool imported_;
  bool borrowed_;          // the native stream is not ours to destroy
  uint32_t imports_ = 0;   // handles that have imported it; under the mutex
  const bool of_current_;  // one of the handles that name a stream of whichever context is current
  const int32_t priority_;

  Ranked<Mutex, LockRank::kCudaStream> mutex_;  // of submission, and of the queue
  std::atomic<uint64_t> submitted_{0};
  std::atomic<uint64_t> native_serial_{0};  // everything up to here is with the device, or over
  std::atomic<uint64_t> completed_{0};
  std::atomic<const char*> kernel_{nullptr};  // launched last; names are kept for good
  Command* first_ = nullptr;                  // held; the first one is being waited for, or executed
  Command** last_ = &first_;
  std::atomic<bool> held_{false};
  bool unannounced_ = false;  // no callback tells when the device has come to the first command: a thread waits

  Ranked<std::mutex, LockRank::kCudaImport> asking_;  // of an import: a question to the native stream, or its end
  Ranked<std::mutex, LockRank::kCudaMarkers> markers_mutex_;
  Marker markers_[kMostMarkers];
  size_t marker_count_ = 0;
  std::atomic<uint32_t> progress_{0};  // of a held stream; a futex
  std::atomic<uint32_t> sleepers_{0};
};

}  // namespace manyrt::cuda
