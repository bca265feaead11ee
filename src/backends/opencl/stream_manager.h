// A stream of OpenCL: a native queue, leased to it alone. What is submitted is enqueued at once, unless something ahead of it
// has to happen on the host: a host function, a point of another backend, a point that is not recorded yet, a copy that only
// the host can do. Then the stream is held: commands queue up, and a thread of the library enqueues them when that is over.
// Nothing here waits inside the driver.
#pragma once

#include <memory>
#include <mutex>

#include "backends/backend.h"
#include "backends/opencl/event_manager.h"
#include "base/host_threads.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class Context;
class Replay;

class Stream final : public backend::Stream, private backend::Waiter, private host_threads::Job {
 public:
  static Status create(Ref<backend::Stream>* stream, Context& context, const backend::StreamOptions& options);
  static Status import(Ref<backend::Stream>* stream, Context& context, cl_command_queue queue);
  ~Stream() override;
  void renew(const backend::StreamOptions& options);

  Status launch(backend::Kernel& kernel, const backend::Launch& launch) override;
  Status copy(const backend::Copy& copy) override;
  Status fill(const backend::Fill& fill) override;
  Status prefetch(const void* address, uint64_t size, bool to_host) override;
  Status record(Ref<backend::Point> point) override;
  Status wait(Ref<backend::Point> point, backend::Skip skip) override;
  Status call(Task* task, backend::TaskKind kind) override;
  bool copyNow(const backend::Copy&) override { return false; }
  bool copyAndRead(const backend::Copy& copy, Status* status) override;
  uint64_t submitted() const override { return submitted_.load(std::memory_order_acquire); }
  uint64_t completed() override;
  bool wait(uint64_t serial, Deadline deadline) override;
  bool isInsideTask() const override { return task_stream_ == this; }
  void native(uint64_t out[2]) override;

  // A graph as one submission; `serial`: its number, where there is one. Where it is held back, a point behind it is left in
  // `end`.
  Status replay(Replay& replay, uint64_t* serial, Ref<backend::Point>* end);
  // A point behind what is with the device, ahead of what is held back; it carries no failure of what came later. Null:
  // everything up to `serial` is over.
  Status recordAhead(Ref<backend::Point>* point, uint64_t serial);

  bool isOn(cl_command_queue queue);
  void deviceLost();               // whoever sleeps looks again
  void settle(Deadline deadline);  // at exit: what is enqueued ends, and nothing is enqueued meanwhile

 private:
  struct Command;
  static constexpr size_t kMostMarkers = 4;
  struct Marker {
    cl_event event;  // owned
    uint64_t serial;
  };

  Stream(Context& context, cl_command_queue queue, bool timed, bool borrowed);
  Device& device() const;
  static Status make(Ref<backend::Stream>* stream, Context& context, cl_command_queue queue, bool timed, bool borrowed,
                     const char* label);

  // Each enqueues; under the mutex.
  Status copyOnDevice(const backend::Copy& copy, bool may_mark, bool blocks = false);
  bool comesTooEarly(const backend::Copy& copy) const;  // the driver would take bytes that are not there yet
  Status fillOnDevice(const backend::Fill& fill);
  Status markNow(cl_event* event);  // a marker that is flushed
  Status recordNow(Point& point, uint64_t serial);
  void recordHeld(Point& point, uint64_t serial);  // a failure is the point's, and latches
  cl_event eventOnDevice(const Point& point) const;
  Status waitOnDevice(const Point& point, cl_event event);
  Status takeTimedQueue();
  void endUntimedQueue();  // once
  void flush();

  template <class Submit, class Make, class Early = bool (*)()>
  Status submit(
      bool on_host, Submit now, Make command, Early too_early = [] { return false; });
  template <class Enqueue>
  Status unlessFailed(Enqueue enqueue);
  void count();                   // one more submission that is with the device
  Status hold(Command* command);  // under the mutex: appended, and begun where nothing else is
  void begin();                   // the first command, which has to wait for the host: starts its wait
  void go();                      // on a thread of the library: ends the wait, enqueues what follows
  using SubmissionMutex = Ranked<std::mutex, LockRank::kClStream>;
  void doOnHost(Command& command, std::unique_lock<SubmissionMutex>& lock);
  bool execute(Command& command);  // false: it has to wait for the host first
  void finishFirst();
  void waitForDevice();  // where nobody tells
  void wake();
  void passed(backend::Point&) override { host_threads::submit(this); }
  void run() override { go(); }

  void advance(uint64_t serial);
  void lookAtMarkers();                    // under their mutex
  void markWith(cl_event event);           // under mutex_: the newest submission's own event; takes it
  bool mark(bool patiently);               // under their mutex; true: the newest marker is behind all that is with the device
  cl_event markerBehind(uint64_t serial);  // retained; null: none is to be had now
  void poll();
  bool askRecord(uint64_t serial) override;

  static inline thread_local const Stream* task_stream_ = nullptr;  // whose function this thread runs

  const Ref<Context> context_;
  const Ref<EventManager> events_;
  const bool borrowed_;

  SubmissionMutex mutex_;   // of submission, and of the held commands
  cl_command_queue queue_;  // leased, or borrowed and retained
  bool timed_;              // the queue's commands take their times, or nothing can be done about it
  // That the stream had before, until its commands, which are ahead of those of queue_ and go to this number, are over.
  std::atomic<cl_command_queue> untimed_queue_{nullptr};
  std::atomic<uint64_t> untimed_end_{0};
  std::atomic<uint64_t> submitted_{0};
  std::atomic<uint64_t> native_serial_{0};  // everything up to here is with the device, or over
  std::atomic<uint64_t> completed_{0};
  cl_event own_event_ = nullptr;  // of what is being submitted, where it has one that may mark it
  Command* first_ = nullptr;      // held; the first one is being waited for, or executed
  Command** last_ = &first_;
  std::atomic<bool> held_{false};
  bool unannounced_ = false;  // nobody tells when the device has come to the first command: a thread looks

  Ranked<SpinLock, LockRank::kClStreamRecord> record_lock_;
  Ref<backend::Point> record_;  // the last one that the stream has recorded, and the number of that submission
  uint64_t record_serial_ = 0;

  Ranked<std::mutex, LockRank::kClMarkers> markers_mutex_;
  Marker markers_[kMostMarkers];
  size_t marker_count_ = 0;
  std::atomic<uint32_t> progress_{0};  // of a held stream; a futex
  std::atomic<uint32_t> sleepers_{0};
};

}  // namespace manyrt::opencl
