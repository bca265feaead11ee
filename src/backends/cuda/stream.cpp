// Making streams, giving their work to the native ones, and waiting for it.
#include "backends/cuda/stream.h"

#include <algorithm>
#include <new>
#include <typeinfo>

#include "backends/cuda/context.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "backends/cuda/fill.h"
#include "backends/cuda/kernel.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/module.h"
#include "backends/cuda/replay.h"
#include "backends/traced.h"
#include "base/clock.h"

namespace manyrt::cuda {

class Stream::Arrival final : public Callback {
 public:
  explicit Arrival(Stream& stream) : stream_(stream) {}
  void reached() override { stream_.resume(); }
  // The stream goes on to fail what it holds, since the device will not.
  void lost(const Status&) override { stream_.resume(); }

 private:
  Stream& stream_;  // held: it keeps itself
};

class Stream::InternalCall final : public Callback {
 public:
  InternalCall(Stream& stream, std::unique_ptr<Task> task, uint64_t serial)
      : stream_(&stream), task_(std::move(task)), serial_(serial) {}
  std::unique_ptr<Task> takeBack() { return std::move(task_); }
  void reached() override {
    if (task_->tells()) stream_->announce(serial_);
    // On CUDA's thread, which may make no call of CUDA. Functions of the program never come here.
    stream_->latch.set(task_->run(stream_->latch.get()));
    stream_->advance(serial_);  // the driver counts the callback when it has returned: later than the task has told others
  }
  void lost(const Status& status) override { (void)task_->run(status); }

 private:
  const Ref<Stream> stream_;
  std::unique_ptr<Task> task_;
  const uint64_t serial_;
};

// ---- Life ----

// The two handles of the runtime's default streams name no context. They mean the context that is current, which of_current_
// notes. Others may submit to a borrowed stream, so that no count here tells that it is idle.
Stream::Stream(Context& context, Ref<LastRecord> last_record, NativeStream native, bool borrowed, int32_t priority)
    : FastStream(context, {.hold_fault = "cuda.hold"}),
      events_(context.events()),
      last_record_(std::move(last_record)),
      native_(native),
      native_context_(context.native()),
      imported_(borrowed),
      borrowed_(borrowed),
      imports_(borrowed ? 1 : 0),
      of_current_(native == reinterpret_cast<NativeStream>(kLegacyStream) ||
                  native == reinterpret_cast<NativeStream>(kPerThreadStream)),
      priority_(priority),
      others_submit_(borrowed),
      launches_by_graph_(!borrowed) {}

Status Stream::create(Ref<backend::Stream>* out, Context& context, const backend::StreamOptions& options) {
  // Made first: if there is no memory for it, no native stream has to be destroyed.
  auto last_record = Ref<LastRecord>::adopt(new LastRecord);
  NativeStream native = nullptr;
  Current current(context.native());
  // Non-blocking: the legacy default stream of the program must not wait for this one, nor this one for it.
  const Error error = RT_CUDA_CALL(cudaStreamCreateWithPriority, &native, kStreamNonBlocking, options.priority);
  if (error != kSuccess) return context.device().failed("cudaStreamCreateWithPriority", error);
  Stream* stream = new (std::nothrow) Stream(context, std::move(last_record), native, false, options.priority);
  if (stream == nullptr) {
    (void)table().cudaStreamDestroy(native);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  Ref<backend::Stream> made = Ref<backend::Stream>::adopt(stream);
  context.add(*stream, options.label);
  *out = std::move(made);
  return Status();
}

Status Stream::import(Ref<backend::Stream>* out, Context& context, NativeStream native) {
  // May throw: nothing native has been made yet.
  auto* stream = new Stream(context, Ref<LastRecord>::adopt(new LastRecord), native, true, 0);
  Ref<backend::Stream> made = Ref<backend::Stream>::adopt(stream);
  context.add(*stream, "imported stream");
  *out = std::move(made);
  return Status();
}

Stream::~Stream() {
  Current current(native_context_);
  // The graphs have launches of this stream only. A native stream that still has work goes when that is complete, as CUDA has
  // it.
  launch_graphs_.clear();
  if (!borrowed_) (void)table().cudaStreamDestroy(native_);
}

// A thread that is at work with the mutex may keep it for a long copy. The graphs go at the next launch then, which comes
// before any that could use them.
void Stream::forgetLaunches(const NativeModuleOwner& module) {
  // Relaxed: a stream that has stopped using graphs never begins again.
  if (!launches_by_graph_.load(std::memory_order_relaxed)) return;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    forgets_all_.store(true, std::memory_order_relaxed);
    return;
  }
  if (launch_graphs_.empty()) return;
  Current current(native_context_);
  launch_graphs_.forget(module);
}

bool Stream::importAgain(NativeStream native) {
  std::lock_guard lock(mutex_);
  // endImport() changes it under the same mutex.
  if (native_ != native) return false;
  ++imports_;
  return true;
}

// A stream of our own goes on after what the native one has: what is held back, every question and every point are its. Where
// nothing is left, there is nothing to ask. Without memory for it the native stream has to last, as its owner may have seen to.
void Stream::endImport() {
  if (!imported_ || of_current_) return;  // one of ours, or one that is never destroyed
  (void)completed();
  std::lock_guard lock(mutex_);
  // Counted under the mutex: an import of the same handle at this moment keeps the native stream.
  if (--imports_ != 0) return;
  Current current(native_context_);
  NativeEvent event = nullptr;
  NativeStream own = nullptr;
  const bool idle = known() >= submitted();
  if (!idle) {
    // Not of a stream that its owner captures: its last point would be a node.
    const Error now = table().cuStreamQuery(native_);
    if ((now != kNotReady && now != kSuccess) || !events_->takeEvent(&event).ok()) return;
    Error error = table().cudaStreamCreateWithPriority(&own, kStreamNonBlocking, priority_);
    if (error == kSuccess) error = table().cuEventRecord(event, native_);
    if (error == kSuccess) error = table().cuStreamWaitEvent(own, event, 0);
    // At once, although both streams still have it: a wait that was submitted has taken its place.
    events_->giveEvent(event);
    if (error != kSuccess) {
      if (own != nullptr) (void)table().cudaStreamDestroy(own);
      return;
    }
  }
  // No query may be under way now: the owner may destroy its stream as soon as this returns.
  std::lock_guard asking(asking_);
  native_ = own;
  // Idle: native_ is null now, and the destructor has nothing to destroy.
  borrowed_ = idle;
}

void Stream::native(uint64_t out[2]) {
  std::lock_guard lock(mutex_);
  others_submit_ = true;
  if (launches_by_graph_.exchange(false, std::memory_order_relaxed)) {  // the program may capture the native stream from now on
    Current current(native_context_);
    launch_graphs_.clear();
  }
  out[0] = reinterpret_cast<uintptr_t>(native_);
  out[1] = 0;
}

Context& Stream::context() const { return static_cast<Context&>(FastStream::context()); }
Device& Stream::device() const { return static_cast<Device&>(FastStream::device()); }

Status Stream::failed(const char* call, Error error) { return device().failed(call, error); }

void Stream::noteFailure(const char* call, Error error) {
  Status status = failed(call, error);
  if (!device().isLost()) latch.set(std::move(status));
}

// ---- Submitting ----

// A call that names the native stream, and with it the context, unless the handle is one of those that do not.
template <class Call>
Error Stream::callOnNative(Call call) const {
  if (!of_current_) [[likely]]
    return whateverIsCurrent(native_context_, call);
  Current current(native_context_);
  return call();
}

bool Stream::launchByGraph(Kernel& kernel, const backend::Launch& launch, uint32_t dynamic_bytes, void** parameters) {
  LaunchSpeed& speed = device().launchSpeed();
  if (forgets_all_.load(std::memory_order_relaxed) || !speed.usesGraphs()) [[unlikely]] {
    forgets_all_.store(false, std::memory_order_relaxed);
    launch_graphs_.clear();
    if (!speed.usesGraphs()) {
      launches_by_graph_.store(false, std::memory_order_relaxed);
      return false;
    }
  }
  const bool measures = speed.measures();
  const int64_t begin = measures ? nowNanoseconds() : 0;
  // Only launches of graphs that were there are measured: the first one makes the graph.
  const LaunchGraphs::Launched launched =
      launch_graphs_.launch(kernel, launch, dynamic_bytes, parameters, native_, speed.plainAtFirst());
  if (measures && launched == LaunchGraphs::Launched::kYes) speed.graphTook(static_cast<uint64_t>(nowNanoseconds() - begin));
  return launched != LaunchGraphs::Launched::kNo;
}

[[gnu::always_inline]] inline Status Stream::giveLaunch(Kernel& kernel, const backend::Launch& launch) {
  const uint32_t* grid = launch.grid;
  const uint32_t* group = launch.group;
  Parameters given_parameters(kernel, launch);
  void** const parameters = given_parameters.native();
  const uint32_t dynamic_bytes = given_parameters.dynamicBytes();
  Current current(native_context_);
  const bool by_graph = !launch.cooperative && launches_by_graph_.load(std::memory_order_relaxed);
  if (by_graph && launchByGraph(kernel, launch, dynamic_bytes, parameters)) {
    noteKernel(kernel.keptName());
    return Status();
  }
  const int64_t begin = by_graph && device().launchSpeed().measures() ? nowNanoseconds() : 0;
  const Error error = launch.cooperative ? RT_CUDA_CALL(cuLaunchCooperativeKernel, kernel.function(), grid[0], grid[1], grid[2],
                                                        group[0], group[1], group[2], dynamic_bytes, native_, parameters)
                                         : RT_CUDA_CALL(cuLaunchKernel, kernel.function(), grid[0], grid[1], grid[2], group[0],
                                                        group[1], group[2], dynamic_bytes, native_, parameters, nullptr);
  if (begin != 0) [[unlikely]]
    device().launchSpeed().plainTook(static_cast<uint64_t>(nowNanoseconds() - begin));
  // Noted before the error is looked at: the sentence of a lost device names the kernels that its streams had last.
  noteKernel(kernel.keptName());
  if (error == kSuccess) [[likely]]
    return Status();
  return failed(launch.cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel", error);
}

Status Stream::enqueueLaunch(backend::Kernel& given, const backend::Launch& launch) {
  auto& kernel = static_cast<Kernel&>(given);
  if (trace::timesWork()) [[unlikely]] {
    const trace::Row* const row = trace::profiles() ? kernel.lateRow(launch) : nullptr;
    bool is_sample = false;
    if (trace::countsLate(&is_sample, row)) return giveLaunch(kernel, launch);
    trace::Work work = backend::describe(kernel, launch);
    work.row = row;
    work.is_sample = is_sample;
    return timed(work, [&] { return giveLaunch(kernel, launch); });
  }
  return giveLaunch(kernel, launch);
}

Status Stream::enqueueCopy(const backend::Copy& copy) {
  if (trace::timesWork()) [[unlikely]] {
    bool from_host = false;
    // Workers copy a staged one on threads of their own, and CUPTI's numbers belong to the thread.
    const bool staged = goesThroughStaging(copy, &from_host);
    return timed(
        backend::describe(copy), [&] { return giveCopy(copy); }, !staged);
  }
  return giveCopy(copy);
}

bool Stream::goesThroughStaging(const backend::Copy& copy, bool* from_host) const {
  if (copy.height != 1 || copy.width < std::min(Staging::kMinToDevice, Staging::kMinToHost) || device().readsPageable())
    return false;
  *from_host = isPageable(copy.src);
  return *from_host != isPageable(copy.dst) && Staging::takes(copy.width, *from_host);
}

Status Stream::giveCopy(const backend::Copy& copy) {
  Current current(native_context_);
  if (copy.height == 1) {
    if (bool from_host; goesThroughStaging(copy, &from_host)) {
      // With a native stream that others submit to, no count here says that it is idle.
      const bool idle = !others_submit_ && known() == withDevice();
      return context().staging().copy(copy.dst, copy.src, copy.width, from_host, native_, idle);
    }
    const Error error = RT_CUDA_CALL(cudaMemcpyAsync, copy.dst, copy.src, copy.width, kCopyDefault, native_);
    return error == kSuccess ? Status() : failed("cudaMemcpyAsync", error);
  }
  const Error error = RT_CUDA_CALL(cudaMemcpy2DAsync, copy.dst, copy.dst_pitch, copy.src, copy.src_pitch, copy.width,
                                   copy.height, kCopyDefault, native_);
  return error == kSuccess ? Status() : failed("cudaMemcpy2DAsync", error);
}

Status Stream::enqueueFill(const backend::Fill& fill) {
  const auto now = [&] {
    Current current(native_context_);
    const char* call = "";
    const Error error = fillOnDevice(fill, native_, &call);
    return error == kSuccess ? Status() : failed(call, error);
  };
  if (trace::timesWork()) [[unlikely]]
    return timed(backend::describe(fill), now);
  return now();
}

// A hint: only managed memory of a device that shares it at any time can be moved ahead.
Status Stream::enqueuePrefetch(const backend::PrefetchStep& prefetch) {
  if (!device().managedIsConcurrent()) return Status();
  Current current(native_context_);
  PointerAttributes facts = {};
  // A hint fails no call: what cannot be found out is not moved.
  if (table().cudaPointerGetAttributes(&facts, prefetch.address) != kSuccess || facts.type != kMemoryManaged) {
    (void)table().cudaGetLastError();
    return Status();
  }
  const Error error = RT_CUDA_CALL(cuMemPrefetchAsync, reinterpret_cast<DriverAddress>(prefetch.address), prefetch.size,
                                   prefetch.to_host ? kHostDeviceNumber : device().number(), native_);
  return error == kSuccess ? Status() : failed("cuMemPrefetchAsync", error);
}

Status Stream::enqueueReplay(backend::Replay& given, RefCounted*) {
  auto& replay = static_cast<Replay&>(given);
  if (trace::timesWork()) [[unlikely]]
    return replayTimed(replay);
  return launchReplay(replay);
}

Status Stream::launchReplay(Replay& replay) {
  const Error error = callOnNative([&] { return RT_CUDA_CALL(cuGraphLaunch, replay.native(), native_); });
  noteKernel(replay.keptName());
  if (error == kSuccess) [[likely]]
    return Status();
  return failed("cuGraphLaunch", error);
}

// ---- With times, while a trace is on ----

// Events that are recorded in a capture have no times, and asking them is refused.
bool Stream::isCaptured() const {
  int status = 0;
  return others_submit_ && table().cuStreamIsCapturing != nullptr &&
         (table().cuStreamIsCapturing(native_, &status) != kSuccess || status != 0);
}

// CUPTI's, where all work is told with its times; null: events time it. CUPTI's records make each launch longer, also of work
// that a profile only counts.
Activities* Stream::records() {
  if (!trace::timesAllWork()) return nullptr;
  device().timeline().look();
  return device().timeline().activities();
}

// A failure is reported as without a trace, and has no span.
template <class Enqueue>
Status Stream::timed(const trace::Work& work, Enqueue enqueue, bool by_records) {
  Current current(native_context_);
  if (isCaptured()) return enqueue();
  Activities* const activities = records();
  // A kernel is one record, as is a graph of one kernel; a copy or a fill may be several, and is none without bytes.
  const size_t count = work.kind == trace::Kind::kKernel ? 1 : 0;
  if (activities != nullptr && by_records && (count != 0 || work.bytes != 0)) {
    return recorded(
        *activities, [&](RecordedWork& span) { span.set(work, count); }, enqueue);
  }
  device().timeline().lookAtEvents();
  std::unique_ptr<TimedWork> pending(new (std::nothrow) TimedWork(device().timeline(), native_context_, serialOfWork(), false));
  const TimedWork::Piece* const piece = pending != nullptr ? pending->add(work) : nullptr;
  const bool begun = piece != nullptr && table().cuEventRecord(piece->begin, native_) == kSuccess;
  RT_TRY(enqueue());
  if (!begun || table().cuEventRecord(piece->end, native_) != kSuccess) pending = nullptr;
  spans().add(std::move(pending));
  return Status();
}

// Whether anything is told of the submission depends on what CUPTI has recorded.
template <class Describe, class Enqueue>
Status Stream::recorded(Activities& activities, Describe describe, Enqueue enqueue) {
  const uint64_t number = activities.expect(track.number);
  std::unique_ptr<RecordedWork> span(new (std::nothrow)
                                         RecordedWork(device().timeline(), activities, *this, number, serialOfWork()));
  {
    // The number is on this thread until the brace: only calls of this submission carry it.
    const Activities::Region region(activities, number);
    RT_TRY(enqueue());
  }
  try {
    if (span != nullptr) describe(*span);
  } catch (const std::bad_alloc&) {  // a trace fails no call
    span = nullptr;
  }
  spans().add(std::move(span));
  return Status();
}

// CUPTI tells of each node. Without it, a graph that was made while a trace was on has events around each of its nodes, and
// another one is one span.
Status Stream::replayTimed(Replay& replay) {
  Current current(native_context_);
  if (isCaptured()) return launchReplay(replay);
  if (Activities* const activities = records(); activities != nullptr)
    return recorded(
        *activities, [&](RecordedWork& span) { replay.describeNodes(&span); }, [&] { return launchReplay(replay); });
  if (!replay.hasTimes()) return timed(backend::describe(trace::Kind::kGraph), [&] { return launchReplay(replay); });
  device().timeline().lookAtEvents();
  // Before the launch: the executable graph records the events that its nodes have then.
  std::unique_ptr<TimedWork> pending = replay.giveEvents(serialOfWork());
  RT_TRY(launchReplay(replay));
  spans().add(std::move(pending));
  return Status();
}

// The runtime reads pageable memory during the call, through staging memory of its own. A device that reads such memory by
// itself may do so later: there the copy has to be over, or to have another source.
bool Stream::copyAndRead(const backend::Copy& copy, Status* status) {
  const bool by_itself = device().readsPageable();
  const uint64_t done = by_itself ? completed() : 0;  // before the mutex, which asking takes
  std::lock_guard lock(mutex_);
  const bool of_program = (isHeld() || by_itself) && isPageable(copy.src);
  if (of_program && (isHeld() || done < submitted())) return false;
  if (isHeld()) {
    *status = keep(copy);
    return true;
  }
  *status = submitNow([&] { return enqueueCopy(copy); });
  if (!of_program || !status->ok()) return true;
  // The device reads the program's memory itself, and the call may return before it has.
  const Error error = table().cudaStreamSynchronize(native_);
  if (error != kSuccess) noteFailure("cudaStreamSynchronize", error);
  return true;
}

// ---- Records and waits ----

Status Stream::enqueueRecord(backend::Point& given, Status carried, uint64_t serial) {
  auto& point = static_cast<Point&>(given);
  // Before the event is recorded anew: askRecord() must not take its old place for the new one.
  point.leaveRecord(last_record_);
  const Error error = callOnNative([&] { return RT_CUDA_CALL(cuEventRecord, point.event(), native_); });
  if (error != kSuccess) return failed("cuEventRecord", error);
  point.enterRecord(last_record_, serial);
  point.recorded(std::move(carried));
  return Status();
}

// Not the stream's last record: that was told to others, this comes later.
Status Stream::enqueueMark(backend::Point& given) {
  auto& point = static_cast<Point&>(given);
  point.leaveRecord(nullptr);
  const Error error = callOnNative([&] { return RT_CUDA_CALL(cuEventRecord, point.event(), native_); });
  if (error != kSuccess) return failed("cuEventRecord", error);
  point.recorded(Status());
  return Status();
}

[[gnu::hot]] bool Stream::recordAgain(backend::Point& given, Status* status) {
  if (typeid(given) != typeid(Point)) return false;
  auto& point = static_cast<Point&>(given);
  if (!point.mayRenew(*events_)) return false;
  std::unique_lock lock(mutex_, std::try_to_lock);  // the caller holds its event: no waiting for a long copy here
  // The caller then takes another point and waits for the mutex.
  if (!lock.owns_lock() || isHeld()) return false;
  point.leaveRecord(last_record_);
  const Error error = callOnNative([&] { return RT_CUDA_CALL(cuEventRecord, point.event(), native_); });
  if (error != kSuccess) {
    *status = failed("cuEventRecord", error);
    return true;
  }
  point.renewInPlace();
  point.enterRecord(last_record_, nextSerial());
  if (latch.failed()) [[unlikely]]
    point.setRecordedStatus(latch.get());
  count();
  return true;
}

// A recorded point. The event's device may be another one, which has died: asking the point blames that one.
Status Stream::waitFor(backend::Point& point, NativeEvent event) {
  const Error error =
      point.done() ? kSuccess : callOnNative([&] { return RT_CUDA_CALL(cuStreamWaitEvent, native_, event, 0); });
  // An event whose device has died cannot be waited for. Then the point itself has the failure, which is latched below.
  if (error != kSuccess && !point.poll()) [[unlikely]]
    return failed("cuStreamWaitEvent", error);
  const Status& status = point.done() ? point.status() : static_cast<const Point&>(point).recordedStatus();
  if (!status.ok()) [[unlikely]]
    latch.set(status);
  return Status();
}

Status Stream::enqueueWait(backend::Point& point, bool* taken) {
  const NativeEvent event = recordedEvent(point);
  *taken = event != nullptr;
  return *taken ? waitFor(point, event) : Status();
}

[[gnu::hot]] bool Stream::waitAtOnce(backend::Point& point, Status* status) {
  const NativeEvent event = recordedEvent(point);
  if (event == nullptr) return false;
  std::unique_lock lock(mutex_, std::try_to_lock);  // as in recordAgain()
  if (!lock.owns_lock() || isHeld()) return false;
  *status = waitFor(point, event);
  if (status->ok()) count();
  return true;
}

// ---- The host ----

Status Stream::enqueueTask(std::unique_ptr<Task>* task, uint64_t serial, bool* taken) {
  *taken = true;
  auto* call = new (std::nothrow) InternalCall(*this, std::move(*task), serial);
  if (call == nullptr) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  std::unique_ptr<Callback> callback(call);
  Current current(native_context_);
  Status status = events_->callbacks().launch(native_, &callback);
  // The task is the caller's again, which may hold the stream for it. Only after a failure is it this thread's: else CUDA's
  // thread may be at it already.
  if (!status.ok()) *task = call->takeBack();
  return status;
}

bool Stream::tellWhenReached() {
  std::unique_ptr<Callback> arrival(new (std::nothrow) Arrival(*this));
  Current current(native_context_);
  return arrival != nullptr && events_->callbacks().launch(native_, &arrival).ok();
}

Status Stream::runTask(Task& task, const Status& status) {
  Current current(native_context_);
  return task.run(status);
}

// With the context current, every call of what was held finds it so. The stream may end inside.
void Stream::run() {
  Current current(native_context_);
  FastStream::run();
}

// ---- How far the device has come ----

Stream::Progress Stream::ask() {
  Current current(native_context_);
  std::unique_lock asking(asking_, std::defer_lock);
  if (imported_) {
    // endImport() may replace the native stream on another thread, and its owner may then destroy it at once.
    asking.lock();
    if (known() >= withDevice()) return Progress::kOver;  // its import has ended meanwhile
  }
  const Error error = table().cuStreamQuery(native_);
  if (imported_) asking.unlock();
  if (error == kNotReady) return Progress::kRunning;
  if (saysNothing(error)) return Progress::kUnknown;
  // Over, though it failed: the latch has the failure, and nothing more will come of the work.
  if (error != kSuccess) noteFailure("cuStreamQuery", error);
  return Progress::kOver;
}

// The event of the last record, which may have told others while the driver still counts the stream as busy.
bool Stream::askRecord(uint64_t serial) {
  const NativeEvent event = last_record_->of(serial);
  if (event == nullptr) return false;
  if (whateverIsCurrent(native_context_, [&] { return table().cuEventQuery(event); }) != kSuccess) return false;
  // The second look may not be reordered before the driver's answer: the fence keeps the loads after it.
  std::atomic_thread_fence(std::memory_order_acquire);
  if (last_record_->of(serial) != event) return false;  // recorded anew meanwhile: the answer may be of that
  advance(serial);
  return true;
}

// The driver waits, for as long as it takes.
bool Stream::awaitInDriver() {
  // Read before the wait. The driver waits for what it has by then, and nothing is said of later submissions.
  const uint64_t reached = withDevice();
  Current current(native_context_);
  const Error error = RT_CUDA_CALL(cudaStreamSynchronize, native_);
  if (error != kSuccess) (void)failed("cudaStreamSynchronize", error);
  if (error == kSuccess || device().isLost()) advance(reached);
  return error == kSuccess;
}

// Where the stream has more after `serial`, that is not waited for: it may wait for the caller. With the thread asleep, or on
// a native stream that may end before the event does, a marker is waited for.
Stream::Slept Stream::sleep(uint64_t serial, Deadline deadline, int64_t) {
  if (!deadline.isNever() || withDevice() != serial) return Slept::kNotNow;
  if (policy() != backend::WaitPolicy::kBlock && !imported_) return awaitInDriver() ? Slept::kYes : Slept::kNever;
  const Ref<backend::Point> marker = markAfter(serial);
  if (!marker) return Slept::kNever;
  (void)marker->wait(deadline, backend::WaitPolicy::kBlock);
  return Slept::kYes;
}

}  // namespace manyrt::cuda
