// Submitting: to the native queue, or to the commands that a held stream keeps.
#include "backends/opencl/stream_manager.h"

#include <cstring>
#include <new>
#include <utility>

#include "backends/opencl/context_manager.h"
#include "backends/opencl/device_manager.h"
#include "backends/opencl/error.h"
#include "backends/opencl/pipeline.h"
#include "backends/opencl/replay_manager.h"
#include "backends/opencl/stream_command.h"
#include "backends/opencl/transfer.h"

namespace manyrt::opencl {

// ---- Life ----

Stream::Stream(Context& context, cl_command_queue queue, bool timed, bool borrowed)
    : context_(&context), events_(context.events()), borrowed_(borrowed), queue_(queue), timed_(timed) {}

Status Stream::make(Ref<backend::Stream>* out, Context& context, cl_command_queue queue, bool timed, bool borrowed,
                    const char* label) {
  auto* stream = new (std::nothrow) Stream(context, queue, timed, borrowed);
  if (stream == nullptr) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Ref<backend::Stream> made = Ref<backend::Stream>::adopt(stream);  // from here on its end gives the queue back
  context.add(*stream);
  stream->track = trace::newTrack(label);
  *out = std::move(made);
  return Status();
}

Status Stream::create(Ref<backend::Stream>* out, Context& context, const backend::StreamOptions& options) {
  cl_command_queue queue = nullptr;
  bool timed = false;
  RT_TRY(context.device().queues().lease(&queue, &timed));
  Status status = make(out, context, queue, timed, false, options.label);
  if (!status.ok()) context.device().queues().giveBack(queue);
  return status;
}

Status Stream::import(Ref<backend::Stream>* out, Context& context, cl_command_queue queue) {
  RT_CL_TRY(clRetainCommandQueue, queue);
  Status status = make(out, context, queue, true, true, "imported stream");
  if (!status.ok()) (void)RT_CL_PLAIN(clReleaseCommandQueue, queue);
  return status;
}

// Its work is done, or belongs to a device that died.
Stream::~Stream() {
  context_->remove(*this);
  for (size_t i = 0; i < marker_count_; ++i) (void)RT_CL_PLAIN(clReleaseEvent, markers_[i].event);
  if (borrowed_) {
    (void)RT_CL_PLAIN(clReleaseCommandQueue, queue_);
  } else {
    endUntimedQueue();
    device().queues().giveBack(queue_);
  }
}

void Stream::renew(const backend::StreamOptions& options) {
  (void)latch.take();
  track = trace::newTrack(options.label);
}

bool Stream::isOn(cl_command_queue queue) {
  std::lock_guard lock(mutex_);
  return queue_ == queue;
}

// For good: a program that has the queue would not hear of another one.
void Stream::native(uint64_t out[2]) {
  std::lock_guard lock(mutex_);
  (void)takeTimedQueue();
  out[0] = reinterpret_cast<uintptr_t>(queue_);
  out[1] = 0;
}

Device& Stream::device() const { return context_->device(); }

// ---- Submitting ----

void Stream::count() {
  const uint64_t serial = submitted_.load(std::memory_order_relaxed) + 1;
  native_serial_.store(serial, std::memory_order_release);
  submitted_.store(serial, std::memory_order_release);
}

// What nobody flushes may never begin: there is no flush in rt.h.
void Stream::flush() { (void)RT_CL_PLAIN(clFlush, queue_); }

// `now` enqueues; `command` makes what a held stream keeps instead. `on_host`: the host has a part in it, so that it holds the
// stream; `too_early` says the same under the mutex.
template <class Submit, class Make, class Early>
Status Stream::submit(bool on_host, Submit now, Make command, Early too_early) {
  if (on_host) RT_TRY(host_threads::reserve());
  std::lock_guard lock(mutex_);
  if (!on_host && !held_.load(std::memory_order_relaxed) && !too_early()) [[likely]] {
    Status status = device().isLost() ? device().lost() : now();
    count();  // one that failed counts, too: the device may have got a part of it
    if (cl_event event = std::exchange(own_event_, nullptr)) [[unlikely]]
      markWith(event);
    if (!device().quirks().has(Quirk::kGoesOnByItself)) flush();
    return status;
  }
  if (fault::fails("opencl.hold")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Command* made = command();
  return made == nullptr ? Status::bare(RT_ERROR_OUT_OF_MEMORY) : hold(made);
}

// Under the mutex. The stream may have failed since the caller looked: in the middle of a graph, say, at a native function that
// a thread of the library has called meanwhile. What is behind a failure is skipped; points, which carry it, are not.
template <class Enqueue>
Status Stream::unlessFailed(Enqueue enqueue) {
  return latch.failed() ? Status() : enqueue();
}

[[gnu::hot]] Status Stream::launch(backend::Kernel& kernel, const backend::Launch& launch) {
  Status refused;  // of a launch that is held back, which binds its arguments later
  Status status = submit(
      false, [&] { return unlessFailed([&] { return static_cast<Pipeline&>(kernel).enqueue(queue_, launch); }); },
      [&]() -> Command* {
        refused = kernel.checkArguments(launch.arguments);
        if (!refused.ok()) return nullptr;
        auto command = std::make_unique<Command>(Command::Kind::kLaunch);
        command->kernel = Ref<backend::Kernel>(&kernel);
        command->launch = launch;
        command->values.resize(kernel.argumentBytes());
        for (size_t i = 0; i < kernel.arguments().size(); ++i) {
          const backend::Argument& argument = kernel.arguments()[i];
          memcpy(command->values.data() + argument.offset, launch.arguments[i], argument.size);
          command->arguments.push_back(command->values.data() + argument.offset);
        }
        command->launch.arguments = command->arguments.data();
        return command.release();
      });
  return refused.ok() ? status : refused;
}

// Whatever still writes the source comes first: it is in this stream, or in one that this stream has waited for.
bool Stream::comesTooEarly(const backend::Copy& copy) const {
  return device().quirks().has(Quirk::kReadsHostEarly) && isOfHost(device(), copy.src) && !isOfHost(device(), copy.dst) &&
         device().hostReads().writeSourceOf(copy);
}

Status Stream::copyOnDevice(const backend::Copy& copy, bool may_mark, bool blocks) {
  const bool noted = device().quirks().has(Quirk::kReadsHostEarly) && isOfHost(device(), copy.dst);
  const char* call = "";
  cl_event event = nullptr;
  const Error error = enqueueCopy(device(), queue_, copy, blocks, noted ? &event : nullptr, &call);
  if (event != nullptr) {
    device().hostReads().add(copy, event);
    if (may_mark) {
      own_event_ = event;
    } else {
      (void)RT_CL_PLAIN(clReleaseEvent, event);
    }
  }
  return error == CL_SUCCESS ? Status() : device().failed(call, error);
}

Status Stream::copy(const backend::Copy& copy) {
  const bool on_host = belongsToHost(device(), copy);
  if (!on_host && device().quirks().has(Quirk::kReadsHostEarly)) RT_TRY(host_threads::reserve());
  return submit(
      on_host, [&] { return unlessFailed([&] { return copyOnDevice(copy, true); }); },
      [&] {
        auto* command = new Command(on_host ? Command::Kind::kHostCopy : Command::Kind::kCopy);
        command->copy = copy;
        return command;
      },
      [&] { return comesTooEarly(copy); });
}

// A queue that is idle has nothing to wait for but the copy itself.
bool Stream::copyAndRead(const backend::Copy& copy, Status* status) {
  const uint64_t done = completed();  // before the mutex, which asking takes
  std::lock_guard lock(mutex_);
  if (held_.load(std::memory_order_relaxed) || done < submitted() || latch.failed() || comesTooEarly(copy)) return false;
  *status = device().isLost() ? device().lost() : Status();
  if (!status->ok()) return true;
  if (belongsToHost(device(), copy)) {
    if (trace::enabled()) return false;  // a trace shows the copy as a submission
    copyOnHost(copy);
    return true;
  }
  *status = copyOnDevice(copy, false, true);
  count();
  if (status->ok()) advance(submitted_.load(std::memory_order_relaxed));
  return true;
}

Status Stream::fillOnDevice(const backend::Fill& fill) {
  const char* call = "";
  const Error error = enqueueFill(device(), queue_, fill, &call);
  return error == CL_SUCCESS ? Status() : device().failed(call, error);
}

Status Stream::fill(const backend::Fill& fill) {
  const bool on_host = belongsToHost(device(), fill);
  return submit(
      on_host, [&] { return unlessFailed([&] { return fillOnDevice(fill); }); },
      [&] {
        auto* command = new Command(on_host ? Command::Kind::kHostFill : Command::Kind::kFill);
        command->fill = fill;
        return command;
      });
}

Status Stream::prefetch(const void* address, uint64_t size, bool to_host) {
  return submit(
      false,
      [&] {
        return unlessFailed([&] {
          const Error error = enqueuePrefetch(device(), queue_, address, size, to_host);
          return error == CL_SUCCESS ? Status() : device().failed("clEnqueueMigrateMemObjects", error);
        });
      },
      [&] {
        auto* command = new Command(Command::Kind::kPrefetch);
        command->address = address;
        command->size = size;
        command->to_host = to_host;
        return command;
      });
}

[[gnu::hot]] Status Stream::replay(Replay& replay, uint64_t* serial, Ref<backend::Point>* end) {
  const auto number = [&] { *serial = submitted_.load(std::memory_order_relaxed) + 1; };
  return submit(
      false,
      [&] {
        number();
        return unlessFailed([&] { return replay.enqueue(queue_, *replay.list()); });
      },
      [&]() -> Command* {
        Ref<backend::Point> point;
        if (!events_->createPoint(&point, false).ok()) return nullptr;
        auto* command = new Command(Command::Kind::kReplay);
        command->replay = Ref<Replay>(&replay);
        command->replayed = replay.list();
        command->point = point;
        number();
        *end = std::move(point);
        return command;
      });
}

// Times are a property of a queue, and make each of its commands slower: a stream gets such a queue with the first event that
// wants one. It goes on there behind what the other one has, and gives that one back when it is over.
Status Stream::takeTimedQueue() {
  if (timed_) return Status();
  cl_command_queue timed = nullptr;
  RT_TRY(device().queues().exchange(&timed, queue_));
  const uint64_t ahead = native_serial_.load(std::memory_order_relaxed);
  if (completed_.load(std::memory_order_acquire) < ahead) {
    cl_event event = nullptr;
    Error error = RT_CL_CALL(clEnqueueMarkerWithWaitList, queue_, 0, nullptr, &event);
    if (error == CL_SUCCESS) {
      flush();
      error = RT_CL_CALL(clEnqueueBarrierWithWaitList, timed, 1, &event, nullptr);
      (void)RT_CL_PLAIN(clReleaseEvent, event);
    }
    if (error != CL_SUCCESS) {
      device().queues().takeBack(timed, queue_);
      return device().failed("clEnqueueBarrierWithWaitList", error);
    }
  }
  untimed_end_.store(ahead, std::memory_order_relaxed);
  untimed_queue_.store(std::exchange(queue_, timed), std::memory_order_release);
  timed_ = true;
  if (completed_.load(std::memory_order_acquire) >= ahead) endUntimedQueue();
  return Status();
}

void Stream::endUntimedQueue() {
  if (cl_command_queue queue = untimed_queue_.exchange(nullptr, std::memory_order_acq_rel)) device().queues().endOld(queue);
}

Status Stream::markNow(cl_event* event) {
  const Error error = RT_CL_CALL(clEnqueueMarkerWithWaitList, queue_, 0, nullptr, event);
  if (error != CL_SUCCESS) return device().failed("clEnqueueMarkerWithWaitList", error);
  flush();  // others may wait for it
  return Status();
}

Status Stream::recordNow(Point& point, uint64_t serial) {
  RT_TRY(device().lost());
  if (point.timed()) RT_TRY(takeTimedQueue());
  cl_event event = nullptr;
  RT_TRY(markNow(&event));
  // Kept before anybody can be told of it, so that the stream's queries know what was told.
  Ref<backend::Point> record(&point);
  {
    std::lock_guard lock(record_lock_);
    std::swap(record_, record);
    record_serial_ = serial;
  }
  point.recorded(event, latch.failed() ? latch.get() : Status());
  return Status();
}

void Stream::recordHeld(Point& point, uint64_t serial) {
  Status status = recordNow(point, serial);
  if (status.ok()) return;
  point.fail(status);
  latch.set(std::move(status));
}

Status Stream::recordAhead(Ref<backend::Point>* out, uint64_t serial) {
  if (completed_.load(std::memory_order_acquire) >= serial) return Status();
  Ref<backend::Point> point;
  RT_TRY(events_->createPoint(&point, false));
  std::lock_guard lock(mutex_);
  RT_TRY(device().lost());
  cl_event event = nullptr;
  RT_TRY(markNow(&event));
  static_cast<Point&>(*point).recorded(event, Status());
  *out = std::move(point);
  return Status();
}

Status Stream::record(Ref<backend::Point> point) {
  return submit(
      false, [&] { return recordNow(static_cast<Point&>(*point), submitted_.load(std::memory_order_relaxed) + 1); },
      [&] {
        auto* command = new Command(Command::Kind::kRecord);
        command->point = std::move(point);
        return command;
      });
}

// Null: the host waits for it. Behind what the library does not know, a driver that reads the host early might read too early.
cl_event Stream::eventOnDevice(const Point& point) const {
  if (point.imported() && device().quirks().has(Quirk::kReadsHostEarly)) return nullptr;
  return point.recordedEvent();
}

// On the device: the point is this device's, and recorded, so that its marker is ahead of the barrier in time.
Status Stream::waitOnDevice(const Point& point, cl_event event) {
  RT_TRY(device().lost());
  const Error error = RT_CL_CALL(clEnqueueBarrierWithWaitList, queue_, 1, &event, nullptr);
  if (error != CL_SUCCESS) return device().failed("clEnqueueBarrierWithWaitList", error);
  if (!point.recordedStatus().ok()) latch.set(point.recordedStatus());
  return Status();
}

Status Stream::wait(Ref<backend::Point> point, backend::Skip skip) {
  RT_TRY(host_threads::reserve());
  (void)point->poll();  // without the lock: whoever is told runs here
  std::lock_guard lock(mutex_);
  if (!held_.load(std::memory_order_relaxed)) {
    if (point->done()) {
      latch.set(point->status());
      count();
      return Status();
    }
    if (const Point* own = Point::of(*point, device())) {
      if (cl_event event = eventOnDevice(*own)) {
        RT_TRY(waitOnDevice(*own, event));
        count();
        if (!device().quirks().has(Quirk::kGoesOnByItself)) flush();
        return Status();
      }
    }
  }
  if (fault::fails("opencl.hold")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  auto* command = new Command(Command::Kind::kWait);
  command->point = std::move(point);
  command->skip = skip;
  return hold(command);
}

Status Stream::call(Task* given, backend::TaskKind kind) {
  std::unique_ptr<Task> task(given);
  RT_TRY(host_threads::reserve());
  std::lock_guard lock(mutex_);
  if (fault::fails("opencl.hold")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  auto* command = new Command(kind == backend::TaskKind::kNative ? Command::Kind::kNative : Command::Kind::kTask);
  command->task = task.release();
  return hold(command);
}

}  // namespace manyrt::opencl
