// A stream of OpenCL: a native queue, leased to it alone, and what a driver's stream gives to it (driver/stream.h has the
// rest). A queue cannot be asked how far it has come, so that markers tell; nothing here waits inside the driver but a copy
// that blocks.
#pragma once

#include "backends/driver/fast_stream.h"
#include "backends/opencl/declarations.h"
#include "backends/opencl/stream/point.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

enum class Settle : bool { kOnce, kAndClose };  // the second keeps other threads from enqueueing meanwhile

class Context;
class CommandEvents;
class Replay;

class Stream final : public driver::FastStream<Stream> {
 public:
  static Status create(Ref<backend::Stream>* stream, Context& context, const backend::StreamOptions& options);
  static Status import(Ref<backend::Stream>* stream, Context& context, cl_command_queue queue);
  ~Stream() override;

  Status copy(const backend::Copy& copy) override;
  Status fill(const backend::Fill& fill) override;
  Status wait(Ref<backend::Point> point, backend::Skip skip) override;
  using FastStream::wait;
  bool copyAndRead(const backend::Copy& copy, Status* status) override;
  uint64_t completed() override;
  void native(uint64_t out[2]) override;

  bool isOn(cl_command_queue queue);
  void settle(Deadline deadline, Settle how);  // at exit: what is enqueued ends

 private:
  friend class driver::FastStream<Stream>;
  class Resumption;  // continues a held stream when an event is over

  Stream(Context& context, cl_command_queue queue, bool timed, bool borrowed);
  Context& context() const;
  Device& device() const;
  static Status make(Ref<backend::Stream>* stream, Context& context, cl_command_queue queue, bool timed, bool borrowed,
                     const char* label);

  Status enqueueLaunch(backend::Kernel& kernel, const backend::Launch& launch) override;
  Status enqueueCopy(const backend::Copy& copy) override { return enqueueCopy(copy, false); }
  Status enqueueFill(const backend::Fill& fill) override;
  Status enqueuePrefetch(const backend::PrefetchStep& prefetch) override;
  Status enqueueReplay(backend::Replay& replay, RefCounted* version) override;
  Ref<RefCounted> versionOf(backend::Replay& replay) override;
  Status enqueueRecord(backend::Point& point, Status carried, uint64_t serial) override;
  Status enqueueMark(backend::Point& point) override;
  Status enqueueWait(backend::Point& point, bool* taken) override;
  HostPart hostPart(const backend::Copy& copy) const override;
  HostPart hostPart(const backend::Fill& fill) const override;
  void copyOnHost(const backend::Copy& copy) override;
  void fillOnHost(const backend::Fill& fill) override;
  void flush() override;
  Progress ask() override { return Progress::kRunning; }
  bool askRecord(uint64_t serial) override;
  bool tellWhenReached() override;
  Slept sleep(uint64_t serial, Deadline deadline, int64_t waited) override;

  Status enqueueCopy(const backend::Copy& copy, bool blocks);
  Status giveCopy(const backend::Copy& copy, bool blocks, CommandEvents* events);
  // Gives the driver what `enqueue` does with events of its commands, on a queue with times. Under the mutex.
  template <class Enqueue>
  Status timed(const trace::Work& work, Enqueue enqueue);
  Status replayTimed(Replay& replay, RefCounted& list);
  bool comesTooEarly(const backend::Copy& copy) const;  // the driver would take bytes that are not there yet
  Status markNow(cl_event* event);                      // a marker that is flushed
  cl_event eventOnDevice(const Point& point) const;
  Status takeTimedQueue();
  void noteProgram();      // commands of the program may come to the queue, or hold it up; under the mutex
  void endUntimedQueue();  // once

  const Ref<PointPool> points_;
  const bool borrowed_;
  cl_command_queue queue_;            // leased, or borrowed and retained; under the mutex
  cl_command_queue noted_ = nullptr;  // the queue of which the device was told that the program has it; under the mutex
  bool timed_;                        // the queue's commands take their times, or nothing can be done about it
  // That the stream had before, until its commands, which are ahead of those of queue_ and go to this number, are over.
  std::atomic<cl_command_queue> untimed_queue_{nullptr};
  std::atomic<uint64_t> untimed_end_{0};

  Ranked<SpinLock, LockRank::kClStreamRecord> record_lock_;
  Ref<backend::Point> record_;  // the last one that the stream has recorded, and the number of that submission
  uint64_t record_serial_ = 0;
};

}  // namespace manyrt::opencl
