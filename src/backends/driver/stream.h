// A stream of a driver: CUDA's, OpenCL's, the null one. A submission goes to the driver at once, unless something ahead of it
// has to happen on the host. That is a host function, a point of another backend, or a point that is not recorded yet. Then the
// stream is held: commands queue up, and a thread of the library submits them when that is over.
//
// Here is everything that is the same for all drivers: numbers, the queue of a held stream, how far the device has come, waits.
// A driver's stream derives from FastStream (fast_stream.h) and writes the functions under "What a driver writes".
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "backends/backend.h"
#include "backends/driver/command.h"
#include "backends/driver/spans.h"
#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/mutex.h"

namespace manyrt::driver {

class Context;
class Device;

class Stream : public backend::Stream, private backend::Waiter, private host_threads::Job {
 public:
  ~Stream() override;

  Status wait(Ref<backend::Point> point, backend::Skip skip) override;
  Status call(Task* task, backend::TaskKind kind) final;
  bool callAtOnce(std::unique_ptr<Task>* task, Status* status) final;
  uint64_t submitted() const final { return submitted_.load(std::memory_order_acquire); }
  uint64_t completed() override;
  bool wait(uint64_t serial, Deadline deadline) final;
  bool isInsideTask() const final { return task_stream_ == this; }

  // Leaves a point after what is with the device, ahead of what the stream holds back. It carries no failure. Null: all up to
  // `serial` is over. No submission.
  Status recordAhead(Ref<backend::Point>* point, uint64_t serial);
  // The kernel that was launched last, while work is unfinished, where the driver's stream says so; else null. Kept for good.
  const char* runningKernel() const { return known() < withDevice() ? kernel_.load(std::memory_order_relaxed) : nullptr; }
  void deviceLost() { wake(); }  // threads that sleep for a held stream look again
  Spans& spans() { return spans_; }
  uint64_t known() const { return completed_.load(std::memory_order_acquire); }  // completed, without asking

 protected:
  // Differences of drivers beyond their functions.
  struct Traits {
    const char* hold_fault;            // the fault point of queueing a command
    bool ends_at_once = false;         // work is over when the driver's call returns
    bool gathers = false;              // what is enqueued need not begin before a flush, and may be gathered until then
    bool fails_by_command = false;     // a command may fail without the loss of the device; markers tell
    int64_t spin_before_sleep_ns = 0;  // of waits with the default policy
  };
  Stream(Context& context, const Traits& traits);  // its maker adds the stream to the context once it is whole

  Context& context() const { return *context_; }
  Device& device() const { return device_; }
  backend::WaitPolicy policy() const;

  // ---- What a driver writes ----
  // Those called enqueue* give work to the native stream. They run under the mutex, on any thread, on a stream that has not
  // failed (enqueueRecord, enqueueMark and enqueueTask in any case).
  virtual Status enqueueLaunch(backend::Kernel& kernel, const backend::Launch& launch) = 0;
  virtual Status enqueueCopy(const backend::Copy& copy) = 0;
  virtual Status enqueueFill(const backend::Fill& fill) = 0;
  virtual Status enqueuePrefetch(const backend::PrefetchStep& prefetch) = 0;
  // `version` is what versionOf() gave when the launch was held back, else null.
  virtual Status enqueueReplay(backend::Replay&, RefCounted* version);
  virtual Ref<RefCounted> versionOf(backend::Replay&) { return nullptr; }
  // Records the submission `serial`, and has all up to there begin, as others may wait for it; the point carries `carried`.
  virtual Status enqueueRecord(backend::Point& point, Status carried, uint64_t serial) = 0;
  // The same for a point of the library's own, which is no submission.
  virtual Status enqueueMark(backend::Point& point) { return enqueueRecord(point, Status(), 0); }
  // Waits on the device for a point of this driver that is recorded. `taken` false: it is none, the host has to wait.
  virtual Status enqueueWait(backend::Point&, bool* taken) { return *taken = false, Status(); }
  // Has the driver run a task of the library, as the submission `serial`. `taken` false: a thread of the library does; the task
  // is still there.
  virtual Status enqueueTask(std::unique_ptr<Task>*, uint64_t, bool* taken) { return *taken = false, Status(); }

  // The host's part of a copy or a fill; under the mutex.
  enum class HostPart { kNone, kWaits, kAll };  // kWaits: until the device has come there, then the driver copies
  virtual HostPart hostPart(const backend::Copy&) const { return HostPart::kNone; }
  virtual HostPart hostPart(const backend::Fill&) const { return HostPart::kNone; }
  virtual void copyOnHost(const backend::Copy&) {}
  virtual void fillOnHost(const backend::Fill&) {}

  // Has what was enqueued begin. Asked by waits and queries, and after each submission unless the driver gathers. Under the
  // mutex.
  virtual void flush() {}
  // Whether all that is with the device is over, without waiting. kUnknown: the driver does not say at this moment.
  enum class Progress { kOver, kRunning, kUnknown };
  virtual Progress ask() = 0;
  // Has resume() called once the device has come to here. False: no way to; a thread of the library waits. Under the mutex.
  virtual bool tellWhenReached() { return false; }
  // Waits in the driver until all up to `serial`, which is with the device, may be over. The number says for how many
  // nanoseconds the thread has waited. kNotNow: the caller naps. kNever: the driver refuses, as it will again.
  enum class Slept { kYes, kNotNow, kNever };
  virtual Slept sleep(uint64_t, Deadline, int64_t) { return Slept::kNotNow; }
  // Runs a function of the program or of the library with what the driver needs to be current on the thread.
  virtual Status runTask(Task& task, const Status& status) { return task.run(status); }

  // Goes on with a held stream, on a thread of the library; around it a driver may set what its calls like to find.
  void run() override { go(); }

  // ---- For the drivers ----
  // Continues a held stream, on a thread of the library.
  void resume() { host_threads::submit(this); }
  // Under the mutex, which orders them: relaxed.
  bool isHeld() const { return held_.load(std::memory_order_relaxed); }
  uint64_t nextSerial() const { return submitted_.load(std::memory_order_relaxed) + 1; }
  // The number of the submission that is being given to the driver: of a held stream, that of its command.
  uint64_t serialOfWork() const { return isHeld() && first_ != nullptr ? first_->serial : nextSerial(); }
  // One more submission is with the device. One that failed counts, too: the driver may have got a part of it. The number is
  // published last: a thread that sees it in submitted() sees that it is with the device.
  void count() {
    // Relaxed: written under the mutex alone. The releases pair with withDevice() and submitted(), which take no lock.
    const uint64_t serial = submitted_.load(std::memory_order_relaxed) + 1;
    native_serial_.store(serial, std::memory_order_release);
    submitted_.store(serial, std::memory_order_release);
  }
  Status keep(Work work);
  template <class Enqueue>
  Status unlessFailed(Enqueue enqueue) {
    // The stream may have failed since the caller looked: at a native function in the middle of a graph, say. Work after a
    // failure is skipped; points, which carry it, are not.
    return latch.failed() ? Status() : enqueue();
  }
  // A point after the submission that is being given to the driver, which the driver has at hand. Under the mutex.
  void markThis(Ref<backend::Point> point);

  // Without the mutex.
  void advance(uint64_t serial);
  uint64_t withDevice() const { return native_serial_.load(std::memory_order_acquire); }  // up to here, or over
  // A point that is passed when the device has come to `serial`, or some way towards it; null: none is to be had now.
  Ref<backend::Point> markAfter(uint64_t serial);
  // A look at what the device has come to, which may leave a marker.
  void poll();

  void noteKernel(const char* kept_name) { kernel_.store(kept_name, std::memory_order_relaxed); }

  Ranked<Mutex, LockRank::kDriverStream> mutex_;  // of submission, and of the held commands

 private:
  template <class>
  friend class FastStream;
  static constexpr size_t kMaxMarkers = 4;
  static constexpr uint64_t kNapNanoseconds = 50'000;
  struct Marker {
    Ref<backend::Point> point;
    uint64_t serial;
  };

  bool hold(std::unique_ptr<Command> command);
  void begin();
  void go();
  void doOnHost(Command& command, std::unique_lock<decltype(mutex_)>& lock);
  bool execute(Command& command);
  void recordHeld(backend::Point& point, uint64_t serial);
  void finishFirst();
  void waitForDevice();
  void wake();
  void passed(backend::Point&) override { resume(); }

  bool awaitSubmission(uint64_t serial, Deadline deadline);
  void lookAtMarkers();
  bool mark(bool patiently);

  static inline thread_local const Stream* task_stream_ = nullptr;  // whose function this thread runs

  const Ref<Context> context_;
  Device& device_;
  const Traits traits_;

  // The first two are written under mutex_, in the order of count(). completed_ only rises, by advance(). kernel_ is relaxed:
  // the names that it points to are kept for good.
  std::atomic<uint64_t> submitted_{0};
  std::atomic<uint64_t> native_serial_{0};
  std::atomic<uint64_t> completed_{0};
  std::atomic<const char*> kernel_{nullptr};
  Command* first_ = nullptr;  // held; the first one is being waited for, or executed
  Command** last_ = &first_;
  // Read and written under mutex_, which orders it.
  std::atomic<bool> held_{false};
  bool untold_ = false;  // the driver does not tell when the device has come to the first command: a thread waits

  Ranked<std::mutex, LockRank::kDriverMarkers> markers_mutex_;
  Marker markers_[kMaxMarkers];  // oldest first
  size_t marker_count_ = 0;
  Spans spans_{track};
  std::atomic<uint32_t> progress_{0};  // of a held stream; a futex
  std::atomic<uint32_t> sleepers_{0};
};

}  // namespace manyrt::driver
