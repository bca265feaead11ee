// Enqueueing the work of streams, the host's part of it, and waiting for it.
#include "backends/opencl/stream/stream.h"

#include <sched.h>

#include <algorithm>
#include <new>
#include <utility>

#include "backends/opencl/context.h"
#include "backends/opencl/device.h"
#include "backends/opencl/error.h"
#include "backends/opencl/memory/transfer.h"
#include "backends/opencl/program/pipeline.h"
#include "backends/opencl/replay/replay.h"
#include "backends/opencl/stream/timeline.h"
#include "backends/traced.h"
#include "base/os/futex.h"

namespace manyrt::opencl {

class Stream::Resumption final : public Trigger {
 public:
  explicit Resumption(Stream& stream) : stream_(stream) {}
  void fired() override { stream_.resume(); }

 private:
  Stream& stream_;  // held: it keeps itself
};

// ---- Life ----

Stream::Stream(Context& context, cl_command_queue queue, bool timed, bool borrowed)
    : FastStream(context, {.hold_fault = "opencl.hold", .fails_by_command = true, .spin_before_sleep_ns = 20'000}),
      points_(context.points()),
      borrowed_(borrowed),
      queue_(queue),
      timed_(timed) {}

Status Stream::make(Ref<backend::Stream>* out, Context& context, cl_command_queue queue, bool timed, bool borrowed,
                    const char* label) {
  auto* stream = new (std::nothrow) Stream(context, queue, timed, borrowed);
  if (stream == nullptr) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Ref<backend::Stream> made = Ref<backend::Stream>::adopt(stream);  // from here on its end gives the queue back
  context.add(*stream, label);
  *out = std::move(made);
  return Status();
}

Status Stream::create(Ref<backend::Stream>* out, Context& context, const backend::StreamOptions& options) {
  cl_command_queue queue = nullptr;
  bool timed = trace::timesWork();
  RT_TRY(context.device().queues().lease(&queue, &timed));
  Status status = make(out, context, queue, timed, false, options.label);
  if (!status.ok()) context.device().queues().giveBack(queue);
  return status;
}

Status Stream::import(Ref<backend::Stream>* out, Context& context, cl_command_queue queue) {
  // The program may release its queue while the stream has work in it.
  RT_CL_TRY(clRetainCommandQueue, queue);
  // A borrowed queue counts as one with times: it cannot be exchanged, as the program has it. A time that such a queue does not
  // have is 0.
  Status status = make(out, context, queue, true, true, "imported stream");
  if (!status.ok()) {
    (void)RT_CL_PLAIN(clReleaseCommandQueue, queue);
    return status;
  }
  auto& stream = static_cast<Stream&>(**out);
  std::lock_guard lock(stream.mutex_);
  stream.noteProgram();
  return status;
}

// Its work is done, or belongs to a device that died.
Stream::~Stream() {
  if (noted_ != nullptr) device().dropQueueOfTheProgram(noted_);
  // A borrowed queue is the program's, and never goes into the pool.
  if (borrowed_) {
    (void)RT_CL_PLAIN(clReleaseCommandQueue, queue_);
  } else {
    endUntimedQueue();
    device().queues().giveBack(queue_);
  }
}

bool Stream::isOn(cl_command_queue queue) {
  std::lock_guard lock(mutex_);
  return queue_ == queue;
}

// For good: a program that has the queue would not hear of another one.
void Stream::native(uint64_t out[2]) {
  std::lock_guard lock(mutex_);
  (void)takeTimedQueue();
  noteProgram();
  out[0] = reinterpret_cast<uintptr_t>(queue_);
  out[1] = 0;
}

// Without memory the device is not told, and launches wait for those in the queue.
void Stream::noteProgram() {
  // Only that quirk asks whose a queue is.
  if (noted_ == queue_ || !device().quirks().has(Quirk::kCountsByWidth)) return;
  try {
    device().addQueueOfTheProgram(queue_);
    if (noted_ != nullptr) device().dropQueueOfTheProgram(noted_);
    noted_ = queue_;
  } catch (const std::bad_alloc&) {  // native() cannot fail
  }
}

Context& Stream::context() const { return static_cast<Context&>(FastStream::context()); }
Device& Stream::device() const { return static_cast<Device&>(FastStream::device()); }

// ---- Submitting ----

void Stream::flush() {
  // Where the driver starts work by itself, a flush costs a call for each submission.
  if (!device().quirks().has(Quirk::kStartsWithoutFlush)) (void)RT_CL_PLAIN(clFlush, queue_);
}

// A failure is reported as without a trace, and has no span. A queue without times, where there is no other one, costs the
// span.
template <class Enqueue>
Status Stream::timed(const trace::Work& work, Enqueue enqueue) {
  (void)takeTimedQueue();
  device().timeline().look();
  std::unique_ptr<TimedCommands> pending(new (std::nothrow) TimedCommands(device(), serialOfWork(), false));
  CommandEvents* const events = pending != nullptr ? pending->add(work) : nullptr;
  RT_TRY(enqueue(events));
  spans().add(events != nullptr ? std::move(pending) : nullptr);
  return Status();
}

[[gnu::hot]] Status Stream::enqueueLaunch(backend::Kernel& kernel, const backend::Launch& launch) {
  auto& pipeline = static_cast<Pipeline&>(kernel);
  if (trace::timesWork()) [[unlikely]] {
    return timed(backend::describe(kernel, launch),
                 [&](CommandEvents* events) { return pipeline.enqueue(queue_, launch, events); });
  }
  return pipeline.enqueue(queue_, launch, nullptr);
}

Status Stream::copy(const backend::Copy& copy) {
  // Such a copy may hold the stream: the thread that continues it must be there before the copy is accepted.
  if (belongsToHost(device(), copy) || device().quirks().has(Quirk::kReadsHostEarly)) RT_TRY(host_threads::reserve());
  return FastStream::copy(copy);
}

Status Stream::fill(const backend::Fill& fill) {
  if (belongsToHost(device(), fill)) RT_TRY(host_threads::reserve());
  return FastStream::fill(fill);
}

// Whatever still writes the source comes first: it is in this stream, or in one that this stream has waited for.
bool Stream::comesTooEarly(const backend::Copy& copy) const {
  return device().quirks().has(Quirk::kReadsHostEarly) && isOfHost(device(), copy.src) && !isOfHost(device(), copy.dst) &&
         device().hostReads().writeSourceOf(copy);
}

Stream::HostPart Stream::hostPart(const backend::Copy& copy) const {
  if (belongsToHost(device(), copy)) return HostPart::kAll;
  return comesTooEarly(copy) ? HostPart::kWaits : HostPart::kNone;
}

Stream::HostPart Stream::hostPart(const backend::Fill& fill) const {
  return belongsToHost(device(), fill) ? HostPart::kAll : HostPart::kNone;
}

void Stream::copyOnHost(const backend::Copy& copy) { opencl::copyOnHost(copy); }
void Stream::fillOnHost(const backend::Fill& fill) { opencl::fillOnHost(fill); }

// Where drivers read the host early, the event of a copy to the host tells when its bytes are there; it is a marker, too.
Status Stream::enqueueCopy(const backend::Copy& copy, bool blocks) {
  if (trace::timesWork()) [[unlikely]]
    return timed(backend::describe(copy), [&](CommandEvents* events) { return giveCopy(copy, blocks, events); });
  return giveCopy(copy, blocks, nullptr);
}

Status Stream::giveCopy(const backend::Copy& copy, bool blocks, CommandEvents* events) {
  const bool noted = device().quirks().has(Quirk::kReadsHostEarly) && isOfHost(device(), copy.dst);
  const char* call = "";
  cl_event event = nullptr;
  const Error error = opencl::enqueueCopy(device(), queue_, copy, blocks, noted ? &event : nullptr, events, &call);
  if (event != nullptr) {
    device().hostReads().add(copy, event);
    // The event tells how far the queue has come, and saves a marker of its own.
    Ref<backend::Point> marker;
    if (!blocks && points_->createPoint(&marker, false).ok()) {
      static_cast<Point&>(*marker).recorded(event, Status());
      markThis(std::move(marker));
    } else {
      (void)RT_CL_PLAIN(clReleaseEvent, event);
    }
  }
  return error == CL_SUCCESS ? Status() : device().failed(call, error);
}

// A queue that is idle has nothing to wait for but the copy itself. Shared virtual memory then has the bytes. A buffer may get
// them later: OpenCL 1.2 says of a blocking write that its source has been copied, and Intel's runtime returns that early.
bool Stream::copyAndRead(const backend::Copy& copy, Status* status) {
  // Idle is certain only with the mutex held. `done` may be late, which costs a staged copy and nothing else.
  const uint64_t done = completed();  // before the mutex, which asking takes
  std::lock_guard lock(mutex_);
  if (isHeld() || done < submitted() || latch.failed() || comesTooEarly(copy)) return false;
  *status = device().lost();
  if (!status->ok()) return true;
  if (belongsToHost(device(), copy)) {
    if (trace::timesWork()) return false;  // a trace shows the copy as a submission
    opencl::copyOnHost(copy);
    return true;
  }
  *status = enqueueCopy(copy, true);
  count();
  // The count is raised for the copy itself, which is over.
  if (status->ok() && locationOf(copy.dst).root == nullptr) advance(submitted());
  return true;
}

Status Stream::enqueueFill(const backend::Fill& fill) {
  const auto now = [&](CommandEvents* events) {
    const char* call = "";
    const Error error = opencl::enqueueFill(device(), queue_, fill, events, &call);
    return error == CL_SUCCESS ? Status() : device().failed(call, error);
  };
  if (trace::timesWork()) [[unlikely]]
    return timed(backend::describe(fill), now);
  return now(nullptr);
}

Status Stream::enqueuePrefetch(const backend::PrefetchStep& prefetch) {
  const Error error = opencl::enqueuePrefetch(device(), queue_, prefetch.address, prefetch.size, prefetch.to_host, nullptr);
  return error == CL_SUCCESS ? Status() : device().failed("clEnqueueMigrateMemObjects", error);
}

// A launch that is held back keeps the list of its time: changes make another one.
Ref<RefCounted> Stream::versionOf(backend::Replay& replay) { return static_cast<Replay&>(replay).list(); }

[[gnu::hot]] Status Stream::enqueueReplay(backend::Replay& given, RefCounted* version) {
  auto& replay = static_cast<Replay&>(given);
  Replay::List& list = version != nullptr ? static_cast<Replay::List&>(*version) : *replay.list();
  if (trace::timesWork()) [[unlikely]]
    return replayTimed(replay, list);
  return replay.enqueue(queue_, list, nullptr);
}

Status Stream::replayTimed(Replay& replay, RefCounted& list) {
  (void)takeTimedQueue();
  device().timeline().look();
  std::unique_ptr<TimedCommands> pending(new (std::nothrow) TimedCommands(device(), serialOfWork(), true));
  RT_TRY(replay.enqueue(queue_, static_cast<Replay::List&>(list), pending.get()));
  spans().add(std::move(pending));
  return Status();
}

// ---- Records and waits ----

// Times are a property of a queue, and make each of its commands slower. So a stream gets such a queue with the first event
// that wants one. It goes on there after the work of its old queue, and gives that one back when it is over.
Status Stream::takeTimedQueue() {
  if (timed_) return Status();
  cl_command_queue timed = nullptr;
  RT_TRY(device().queues().exchange(&timed, queue_));
  // Work that the device has already passed needs no barrier.
  const uint64_t ahead = withDevice();
  if (known() < ahead) {
    cl_event event = nullptr;
    Error error = RT_CL_CALL(clEnqueueMarkerWithWaitList, queue_, 0, nullptr, &event);
    if (error == CL_SUCCESS) {
      (void)RT_CL_PLAIN(clFlush, queue_);
      error = RT_CL_CALL(clEnqueueBarrierWithWaitList, timed, 1, &event, nullptr);
      (void)RT_CL_PLAIN(clReleaseEvent, event);
    }
    if (error != CL_SUCCESS) {
      device().queues().takeBack(timed, queue_);
      return device().failed("clEnqueueBarrierWithWaitList", error);
    }
  }
  // The queue is released last, and completed() acquires it first: a thread that sees the queue sees where it ends.
  untimed_end_.store(ahead, std::memory_order_relaxed);
  untimed_queue_.store(std::exchange(queue_, timed), std::memory_order_release);
  timed_ = true;
  // Else the look that finds the old queue passed ends it: completed().
  if (known() >= ahead) endUntimedQueue();
  return Status();
}

// Several threads may come here: the exchange lets one end the queue.
void Stream::endUntimedQueue() {
  if (cl_command_queue queue = untimed_queue_.exchange(nullptr, std::memory_order_acq_rel)) device().queues().endOld(queue);
}

Status Stream::markNow(cl_event* event) {
  const Error error = RT_CL_CALL(clEnqueueMarkerWithWaitList, queue_, 0, nullptr, event);
  if (error != CL_SUCCESS) return device().failed("clEnqueueMarkerWithWaitList", error);
  (void)RT_CL_PLAIN(clFlush, queue_);  // others may wait for it
  return Status();
}

// The point is kept before others can be told of it, so that the stream's queries know what was told.
Status Stream::enqueueRecord(backend::Point& given, Status carried, uint64_t serial) {
  auto& point = static_cast<Point&>(given);
  if (point.timed()) RT_TRY(takeTimedQueue());
  cl_event event = nullptr;
  RT_TRY(markNow(&event));
  Ref<backend::Point> record(&point);
  {
    std::lock_guard lock(record_lock_);
    // The old one goes with `record`, outside the lock: its last reference releases an event.
    std::swap(record_, record);
    record_serial_ = serial;
  }
  // Last: from here on other streams wait for the event.
  point.recorded(event, std::move(carried));
  return Status();
}

Status Stream::enqueueMark(backend::Point& point) {
  cl_event event = nullptr;
  RT_TRY(markNow(&event));
  static_cast<Point&>(point).recorded(event, Status());
  return Status();
}

// Null: the host waits for it. After what the library does not know, a driver that reads the host early might read too early.
cl_event Stream::eventOnDevice(const Point& point) const {
  if (point.imported() && device().quirks().has(Quirk::kReadsHostEarly)) return nullptr;
  return point.recordedEvent();
}

// The point is this device's, and recorded, so that its marker is ahead of the barrier in time.
Status Stream::enqueueWait(backend::Point& point, bool* taken) {
  const Point* own = Point::of(point, device());
  cl_event event = own != nullptr ? eventOnDevice(*own) : nullptr;
  *taken = event != nullptr;
  // The caller holds the stream, and goes on when the host has seen the point.
  if (!*taken) return Status();
  // The order of the program's event is unknown here, as with the program's own queue.
  if (own->imported()) noteProgram();
  const Error error = RT_CL_CALL(clEnqueueBarrierWithWaitList, queue_, 1, &event, nullptr);
  if (error != CL_SUCCESS) return device().failed("clEnqueueBarrierWithWaitList", error);
  // The barrier is enqueued all the same. Work after it is skipped by the latch, and this wait keeps its place.
  if (!own->recordedStatus().ok()) latch.set(own->recordedStatus());
  return Status();
}

Status Stream::wait(Ref<backend::Point> point, backend::Skip skip) {
  (void)point->poll();  // a look costs less than a barrier
  return FastStream::wait(std::move(point), skip);
}

// ---- How far the device has come ----

uint64_t Stream::completed() {
  const uint64_t done = FastStream::completed();
  // A queue that is exchanged at this moment goes with the next look, or with the stream.
  const bool exchanged = untimed_queue_.load(std::memory_order_acquire) != nullptr;
  if (exchanged && done >= untimed_end_.load(std::memory_order_relaxed)) [[unlikely]]
    endUntimedQueue();
  return done;
}

// A record that was the last submission: its own event is asked, which has told others. Held back, it may not be recorded yet.
bool Stream::askRecord(uint64_t serial) {
  Ref<backend::Point> record;
  {
    std::lock_guard lock(record_lock_);
    if (record_serial_ == serial) record = record_;
  }
  if (!record || !record->poll()) return false;
  advance(serial);
  // The point was asked directly: advance() alone does not look at the old queue.
  (void)completed();  // may end a queue that was exchanged
  return true;
}

bool Stream::tellWhenReached() {
  Ref<Trigger> trigger = Ref<Trigger>::adopt(new (std::nothrow) Resumption(*this));
  cl_event event = nullptr;
  // The marker is after all that the stream has given to its queue, and its event is this function's own.
  if (!trigger || !markNow(&event).ok()) return false;
  const bool told = whenOver(device(), event, std::move(trigger)).ok();
  (void)RT_CL_PLAIN(clReleaseEvent, event);
  return told;
}

Stream::Slept Stream::sleep(uint64_t serial, Deadline deadline, int64_t waited) {
  constexpr int64_t kYieldNanoseconds = 200'000;  // where the driver does not call back; then naps that grow
  constexpr int64_t kShortNapNanoseconds = 50'000, kLongNapNanoseconds = 1'000'000;
  constexpr int64_t kLookNanoseconds = 100'000'000;  // whatever is told, a sleeper looks again after this time
  const auto nap = [&](std::atomic<uint32_t>* word, int64_t nanoseconds) {
    const Deadline end = Deadline::after(static_cast<uint64_t>(nanoseconds));
    (void)futexWait(word, 0, end.remaining() < deadline.remaining() ? end : deadline);
  };
  if (device().quirks().has(Quirk::kNoCallbacks)) {
    std::atomic<uint32_t> never{0};
    if (policy() == backend::WaitPolicy::kDefault && waited < kYieldNanoseconds) {
      sched_yield();
    } else {
      nap(&never, std::clamp(waited / 8, kShortNapNanoseconds, kLongNapNanoseconds));
    }
    return Slept::kYes;
  }
  Ref<WakeTrigger> trigger = Ref<WakeTrigger>::adopt(new (std::nothrow) WakeTrigger);
  // The trigger comes first, so that no marker is left in the queue for nothing.
  const Ref<backend::Point> marker = trigger ? markAfter(serial) : nullptr;
  if (!marker) return Slept::kNotNow;
  const bool told = whenOver(device(), static_cast<Point&>(*marker).recordedEvent(), trigger).ok();
  // A trigger that has fired already has set the word, and the nap ends at once.
  nap(trigger->word(), told ? kLookNanoseconds : kShortNapNanoseconds);
  return Slept::kYes;
}

void Stream::settle(Deadline deadline, Settle how) {
  constexpr uint64_t kLookNanoseconds = 200'000;
  std::atomic<uint32_t> never{0};
  std::unique_lock lock(mutex_, std::try_to_lock);
  while (!lock.owns_lock()) {  // another thread enqueues, and some drivers do the work in that call
    if (deadline.passed()) return;
    (void)futexWait(&never, 0, Deadline::after(kLookNanoseconds));
    (void)lock.try_lock();
  }
  cl_event event = nullptr;
  if (RT_CL_PLAIN(clEnqueueMarkerWithWaitList, queue_, 0, nullptr, &event) != CL_SUCCESS) return;
  (void)RT_CL_PLAIN(clFlush, queue_);
  // kAndClose keeps the mutex until the marker is over, so that no thread enqueues meanwhile.
  if (how == Settle::kOnce) lock.unlock();
  Error status = CL_SUCCESS;
  while (!isOver(event, &status) && !deadline.passed()) (void)futexWait(&never, 0, Deadline::after(kLookNanoseconds));
  (void)RT_CL_PLAIN(clReleaseEvent, event);
  spans().collect();  // while the driver still answers
}

}  // namespace manyrt::opencl
