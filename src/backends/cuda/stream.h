// A stream of CUDA: the part that calls the native stream, and its fast paths (driver/stream.h has the rest). Native streams
// may be borrowed from the program.
#pragma once

#include <memory>
#include <mutex>

#include "backends/cuda/event_pool.h"
#include "backends/cuda/launch_graphs.h"
#include "backends/driver/fast_stream.h"
#include "base/lock_order.h"

namespace manyrt::cuda {

class Activities;
class Context;
class Device;
class Kernel;
class NativeModuleOwner;
class RecordedWork;
class Replay;

class Stream final : public driver::FastStream<Stream> {
 public:
  static Status create(Ref<backend::Stream>* stream, Context& context, const backend::StreamOptions& options);
  static Status import(Ref<backend::Stream>* stream, Context& context, NativeStream native);
  ~Stream() override;

  bool recordAgain(backend::Point& point, Status* status) override;
  bool waitAtOnce(backend::Point& point, Status* status) override;
  bool copyAndRead(const backend::Copy& copy, Status* status) override;
  void native(uint64_t out[2]) override;
  void endImport() override;
  bool importAgain(NativeStream native);  // false: this stream is on another one
  void forgetLaunches(const NativeModuleOwner& module);

 private:
  friend class driver::FastStream<Stream>;
  class Arrival;       // continues a held stream when the device has come to its host function
  class InternalCall;  // runs an internal task when the device has come to it

  Stream(Context& context, Ref<LastRecord> last_record, NativeStream native, bool borrowed, int32_t priority);
  Context& context() const;
  Device& device() const;
  Status failed(const char* call, Error error);     // the failure of a call; of a device that died, its loss
  void noteFailure(const char* call, Error error);  // of work; a loss is the device's

  Status enqueueLaunch(backend::Kernel& kernel, const backend::Launch& launch) override;
  Status enqueueCopy(const backend::Copy& copy) override;
  Status enqueueFill(const backend::Fill& fill) override;
  Status enqueuePrefetch(const backend::PrefetchStep& prefetch) override;
  Status enqueueReplay(backend::Replay& replay, RefCounted* version) override;
  Status enqueueRecord(backend::Point& point, Status carried, uint64_t serial) override;
  Status enqueueMark(backend::Point& point) override;
  Status enqueueWait(backend::Point& point, bool* taken) override;
  Status enqueueTask(std::unique_ptr<Task>* task, uint64_t serial, bool* taken) override;
  Progress ask() override;
  bool askRecord(uint64_t serial) override;
  bool tellWhenReached() override;
  Slept sleep(uint64_t serial, Deadline deadline, int64_t waited) override;
  Status runTask(Task& task, const Status& status) override;
  void run() override;

  template <class Call>
  Error callOnNative(Call call) const;
  Status giveLaunch(Kernel& kernel, const backend::Launch& launch);
  Status giveCopy(const backend::Copy& copy);
  bool goesThroughStaging(const backend::Copy& copy, bool* from_host) const;
  // Gives the driver what `enqueue` does, with CUPTI's records of it or an event before and one after it. Under the mutex.
  // `by_records` false: other threads give parts of it to the driver, which no record of this one has.
  template <class Enqueue>
  Status timed(const trace::Work& work, Enqueue enqueue, bool by_records = true);
  // The same with what CUPTI tells; `describe` gets the span that is to be filled in.
  template <class Describe, class Enqueue>
  Status recorded(Activities& activities, Describe describe, Enqueue enqueue);
  Activities* records();
  bool isCaptured() const;  // by the program, which has the native stream
  Status launchReplay(Replay& replay);
  Status replayTimed(Replay& replay);
  bool launchByGraph(Kernel& kernel, const backend::Launch& launch, uint32_t dynamic_bytes, void** parameters);
  Status waitFor(backend::Point& point, NativeEvent event);
  bool awaitInDriver();

  const Ref<EventPool> events_;
  const Ref<LastRecord> last_record_;
  NativeStream native_;  // of an import until that ends, then one of our own after it; read under the mutex or asking_
  const NativeContext native_context_;
  const bool imported_;
  bool borrowed_;          // the native stream is not ours to destroy
  uint32_t imports_ = 0;   // handles that have imported it; under the mutex
  const bool of_current_;  // one of the handles that name a stream of whichever context is current
  const int32_t priority_;
  bool others_submit_;                   // under the mutex: the program has the native stream, and may submit work to it
  LaunchGraphs launch_graphs_;           // under the mutex
  std::atomic<bool> launches_by_graph_;  // may: relaxed, under the mutex or as a hint
  // A module has ended while another thread had the mutex. Relaxed: see forgetLaunches().
  std::atomic<bool> forgets_all_{false};
  Ranked<std::mutex, LockRank::kCudaImport> asking_;  // of an import: a question to the native stream, or its end
};

}  // namespace manyrt::cuda
