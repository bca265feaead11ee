// Making streams, and submitting to the native ones. What is held back is in held_stream.cpp, how far the device has come in
// stream_progress.cpp.
#include "backends/cuda/stream_manager.h"

#include <cstring>
#include <new>
#include <typeinfo>

#include "backends/cuda/buffer_manager.h"
#include "backends/cuda/context_manager.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device_manager.h"
#include "backends/cuda/error.h"
#include "backends/cuda/fill.h"
#include "backends/cuda/graph_manager.h"
#include "backends/cuda/stream_command.h"

namespace manyrt::cuda {

class Stream::InternalCall final : public Callback {
 public:
  InternalCall(Stream& stream, std::unique_ptr<Task> task, uint64_t serial)
      : stream_(&stream), task_(std::move(task)), serial_(serial) {}
  std::unique_ptr<Task> takeBack() { return std::move(task_); }
  void reached() override {
    if (task_->tells()) stream_->announce(serial_);
    stream_->latch.set(task_->run(stream_->latch.get()));
    stream_->advance(serial_);  // the driver counts the callback when it has returned: later than those who were told
  }
  void lost(const Status& status) override { (void)task_->run(status); }

 private:
  const Ref<Stream> stream_;
  std::unique_ptr<Task> task_;
  const uint64_t serial_;
};

// ---- Life ----

Stream::Stream(Context& context, Ref<LastRecord> last_record, NativeStream native, bool borrowed, int32_t priority)
    : context_(&context),
      events_(context.events()),
      last_record_(std::move(last_record)),
      native_(native),
      native_context_(context.native()),
      imported_(borrowed),
      borrowed_(borrowed),
      imports_(borrowed ? 1 : 0),
      of_current_(native == reinterpret_cast<NativeStream>(kLegacyStream) ||
                  native == reinterpret_cast<NativeStream>(kPerThreadStream)),
      priority_(priority) {}

Status Stream::create(Ref<backend::Stream>* out, Context& context, const backend::StreamOptions& options) {
  auto last_record = Ref<LastRecord>::adopt(new LastRecord);
  NativeStream native = nullptr;
  Current current(context.native());
  const Error error = RT_CUDA_CALL(cudaStreamCreateWithPriority, &native, kStreamNonBlocking, options.priority);
  if (error != kSuccess) return context.device().failed("cudaStreamCreateWithPriority", error);
  Stream* stream = new (std::nothrow) Stream(context, std::move(last_record), native, false, options.priority);
  if (stream == nullptr) {
    (void)table().cudaStreamDestroy(native);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  Ref<backend::Stream> made = Ref<backend::Stream>::adopt(stream);
  context.add(*stream);
  stream->track = trace::newTrack(options.label);
  *out = std::move(made);
  return Status();
}

Status Stream::import(Ref<backend::Stream>* out, Context& context, NativeStream native) {
  auto* stream = new Stream(context, Ref<LastRecord>::adopt(new LastRecord), native, true, 0);
  Ref<backend::Stream> made = Ref<backend::Stream>::adopt(stream);
  context.add(*stream);
  stream->track = trace::newTrack("imported stream");
  *out = std::move(made);
  return Status();
}

Stream::~Stream() {
  context_->remove(*this);
  Current current(native_context_);
  for (size_t i = 0; i < marker_count_; ++i) events_->giveEvent(markers_[i].event);
  if (!borrowed_) (void)table().cudaStreamDestroy(native_);
}

bool Stream::importAgain(NativeStream native) {
  std::lock_guard lock(mutex_);
  if (native_ != native) return false;
  ++imports_;
  return true;
}

// A stream of our own goes on behind what the native one has: what is held back, every question and every point are its. Where
// nothing is left, there is nothing to ask. Without memory for it the native stream has to last, as its owner may have seen to.
void Stream::endImport() {
  if (!imported_ || of_current_) return;  // one of ours, or one that nobody destroys
  (void)completed();
  std::lock_guard lock(mutex_);
  if (--imports_ != 0) return;
  Current current(native_context_);
  NativeEvent event = nullptr;
  NativeStream own = nullptr;
  const bool idle = completed_.load(std::memory_order_acquire) >= submitted_.load(std::memory_order_relaxed);
  if (!idle) {
    // Not of a stream that its owner captures: its last point would be a node.
    const Error now = table().cuStreamQuery(native_);
    if ((now != kNotReady && now != kSuccess) || !events_->takeEvent(&event).ok()) return;
    Error error = table().cudaStreamCreateWithPriority(&own, kStreamNonBlocking, priority_);
    if (error == kSuccess) error = table().cuEventRecord(event, native_);
    if (error == kSuccess) error = table().cuStreamWaitEvent(own, event, 0);
    events_->giveEvent(event);
    if (error != kSuccess) {
      if (own != nullptr) (void)table().cudaStreamDestroy(own);
      return;
    }
  }
  std::lock_guard asking(asking_);
  native_ = own;
  borrowed_ = idle;
}

void Stream::renew(const backend::StreamOptions& options) {
  (void)latch.take();
  track = trace::newTrack(options.label);
}

void Stream::native(uint64_t out[2]) {
  std::lock_guard lock(mutex_);
  out[0] = reinterpret_cast<uintptr_t>(native_);
  out[1] = 0;
}

Status Stream::device(const char* call, Error error) { return context_->device().failed(call, error); }

void Stream::noteFailure(const char* call, Error error) {
  Status status = device(call, error);
  if (!context_->device().isLost()) latch.set(std::move(status));
}

// ---- Submitting ----

// Under the mutex: another submission is with the device.
void Stream::countNative() {
  const uint64_t serial = submitted_.load(std::memory_order_relaxed) + 1;
  native_serial_.store(serial, std::memory_order_release);
  submitted_.store(serial, std::memory_order_release);
}

// `now` submits to the device; `command` makes what a held stream keeps instead.
template <class Submit, class Make>
Status Stream::submit(Submit now, Make command) {
  std::lock_guard lock(mutex_);
  if (!held_.load(std::memory_order_relaxed)) [[likely]] {
    Current current(native_context_);
    Status status = now();
    // One that failed counts, too: the device may have got a part of it.
    countNative();
    return status;
  }
  return keep(command);
}

// Under the mutex. The stream may have failed since the caller looked: in the middle of a graph, say, at a native function that
// a thread of the library has called meanwhile. What is behind a failure is skipped; points, which carry it, are not.
template <class Submit>
Status Stream::unlessFailed(Submit now) {
  return latch.failed() ? Status() : now();
}

// Under the mutex, of a held stream.
template <class Make>
Status Stream::keep(Make command) {
  if (fault::fails("cuda.hold")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Command* queued = command();
  if (queued == nullptr) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for another command of a stream.");
  return hold(queued);
}

// A call that names the native stream, and with it the context, unless the handle is one of those that do not.
template <class Call>
Error Stream::callOnNative(Call call) const {
  if (!of_current_) [[likely]]
    return whateverIsCurrent(native_context_, call);
  Current current(native_context_);
  return call();
}

[[gnu::hot]] Status Stream::launch(backend::Kernel& kernel, const backend::Launch& launch) {
  return submit([&] { return unlessFailed([&] { return launchNow(kernel, launch); }); },
                [&]() -> Command* {
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
}

Status Stream::launchNow(backend::Kernel& given, const backend::Launch& launch) {
  auto& kernel = static_cast<Kernel&>(given);
  const uint32_t* grid = launch.grid;
  const uint32_t* group = launch.group;
  void** parameters = const_cast<void**>(launch.arguments);
  uint32_t dynamic_bytes = launch.local_bytes;
  uint32_t offsets[backend::kMostArguments];
  void* placed[backend::kMostArguments];
  if (kernel.hasLocals()) {
    dynamic_bytes = kernel.placeLocals(launch.arguments, launch.local_bytes, offsets, placed);
    parameters = placed;
  }
  const Error error = launch.cooperative ? RT_CUDA_CALL(cuLaunchCooperativeKernel, kernel.function(), grid[0], grid[1], grid[2],
                                                        group[0], group[1], group[2], dynamic_bytes, native_, parameters)
                                         : RT_CUDA_CALL(cuLaunchKernel, kernel.function(), grid[0], grid[1], grid[2], group[0],
                                                        group[1], group[2], dynamic_bytes, native_, parameters, nullptr);
  kernel_.store(kernel.keptName(), std::memory_order_relaxed);
  if (error == kSuccess) [[likely]]
    return Status();
  return device(launch.cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel", error);
}

Status Stream::keepCopy(const backend::Copy& copy) {
  return keep([&]() -> Command* {
    auto* command = new Command(Command::Kind::kCopy);
    command->copy = copy;
    return command;
  });
}

Status Stream::copy(const backend::Copy& copy) {
  std::lock_guard lock(mutex_);
  if (held_.load(std::memory_order_relaxed)) return keepCopy(copy);
  Current current(native_context_);
  Status status = unlessFailed([&] { return copyNowOnDevice(copy); });
  countNative();  // as in submit()
  return status;
}

// The runtime reads pageable memory during the call, through staging memory of its own. A device that reads such memory by
// itself may do so later: there the copy has to be over, or to have another source.
bool Stream::copyAndRead(const backend::Copy& copy, Status* status) {
  const bool by_itself = context_->device().readsPageable();
  const uint64_t done = by_itself ? completed() : 0;  // before the mutex, which asking takes
  std::lock_guard lock(mutex_);
  Current current(native_context_);
  const bool held = held_.load(std::memory_order_relaxed);
  const bool of_program = (held || by_itself) && isPageable(copy.src);
  if (of_program && (held || done < submitted())) return false;
  if (held) {
    *status = keepCopy(copy);
    return true;
  }
  *status = unlessFailed([&] { return copyNowOnDevice(copy); });
  countNative();
  if (of_program && status->ok()) waitForDevice();
  return true;
}

Status Stream::copyNowOnDevice(const backend::Copy& copy) {
  if (copy.height == 1) {
    if (copy.width >= Staging::kLeastBytes && !context_->device().readsPageable()) {
      const bool from = isPageable(copy.src), to = isPageable(copy.dst);
      if (from != to) return context_->staging().copy(copy.dst, copy.src, copy.width, from, native_);
    }
    const Error error = RT_CUDA_CALL(cudaMemcpyAsync, copy.dst, copy.src, copy.width, kCopyDefault, native_);
    return error == kSuccess ? Status() : device("cudaMemcpyAsync", error);
  }
  const Error error = RT_CUDA_CALL(cudaMemcpy2DAsync, copy.dst, copy.dst_pitch, copy.src, copy.src_pitch, copy.width,
                                   copy.height, kCopyDefault, native_);
  return error == kSuccess ? Status() : device("cudaMemcpy2DAsync", error);
}

Status Stream::fill(const backend::Fill& fill) {
  return submit(
      [&] {
        return unlessFailed([&] {
          const char* call = "";
          const Error error = fillOnDevice(fill, native_, &call);
          return error == kSuccess ? Status() : device(call, error);
        });
      },
      [&]() -> Command* {
        auto* command = new Command(Command::Kind::kFill);
        command->fill = fill;
        return command;
      });
}

Status Stream::prefetch(const void* address, uint64_t size, bool to_host) {
  return submit([&] { return unlessFailed([&] { return prefetchNow(address, size, to_host); }); },
                [&]() -> Command* {
                  auto* command = new Command(Command::Kind::kPrefetch);
                  command->address = address;
                  command->size = size;
                  command->to_host = to_host;
                  return command;
                });
}

// A hint: only managed memory of a device that shares it at any time can be moved ahead.
Status Stream::prefetchNow(const void* address, uint64_t size, bool to_host) {
  if (!context_->device().managedIsConcurrent()) return Status();
  PointerAttributes facts = {};
  if (table().cudaPointerGetAttributes(&facts, address) != kSuccess || facts.type != kMemoryManaged) {
    (void)table().cudaGetLastError();
    return Status();
  }
  const Error error = RT_CUDA_CALL(cuMemPrefetchAsync, reinterpret_cast<DriverAddress>(address), size,
                                   to_host ? kHostDeviceNumber : context_->device().number(), native_);
  return error == kSuccess ? Status() : device("cuMemPrefetchAsync", error);
}

[[gnu::hot]] Status Stream::replay(Replay& replay, Ref<backend::Point>* end, bool* held) {
  std::lock_guard lock(mutex_);
  if (!held_.load(std::memory_order_relaxed)) [[likely]] {
    Status status = unlessFailed([&] { return replayNow(replay); });
    countNative();  // as in submit()
    return status;
  }
  if (held != nullptr) {
    *held = true;
    return Status();
  }
  return keep([&]() -> Command* {
    Ref<backend::Point> point;
    if (!events_->createPoint(&point, false).ok()) return nullptr;
    auto* command = new Command(Command::Kind::kReplay);
    command->replay = Ref<Replay>(&replay);
    command->point = point;
    replay.noteHeld();
    *end = std::move(point);
    return command;
  });
}

Status Stream::replayNow(Replay& replay) {
  const Error error = callOnNative([&] { return RT_CUDA_CALL(cuGraphLaunch, replay.native(), native_); });
  kernel_.store(replay.keptName(), std::memory_order_relaxed);
  if (error == kSuccess) [[likely]]
    return Status();
  return device("cuGraphLaunch", error);
}

Status Stream::recordSubmitted(backend::Point& given) {
  std::lock_guard lock(mutex_);
  Current current(native_context_);
  return recordNow(static_cast<Point&>(given), Status(), native_serial_.load(std::memory_order_relaxed));
}

Status Stream::record(Ref<backend::Point> point) {
  const auto carried = [&] { return latch.failed() ? latch.get() : Status(); };
  return submit(
      [&] { return recordNow(static_cast<Point&>(*point), carried(), submitted_.load(std::memory_order_relaxed) + 1); },
      [&]() -> Command* {
        auto* command = new Command(Command::Kind::kRecord);
        command->point = std::move(point);
        return command;
      });
}

[[gnu::hot]] bool Stream::recordAgain(backend::Point& given, Status* status) {
  if (typeid(given) != typeid(Point)) return false;
  auto& point = static_cast<Point&>(given);
  if (!point.mayRenew(*events_)) return false;
  std::unique_lock lock(mutex_, std::try_to_lock);  // the caller holds its event: no waiting for a long copy here
  if (!lock.owns_lock() || held_.load(std::memory_order_relaxed)) return false;
  point.leaveRecord(last_record_);
  const Error error = callOnNative([&] { return RT_CUDA_CALL(cuEventRecord, point.event(), native_); });
  if (error != kSuccess) {
    *status = device("cuEventRecord", error);
    return true;
  }
  point.renew();
  point.enterRecord(last_record_, submitted_.load(std::memory_order_relaxed) + 1);
  if (latch.failed()) [[unlikely]]
    point.setRecordedStatus(latch.get());
  countNative();
  return true;
}

Status Stream::recordNow(Point& point, Status carried, uint64_t serial) {
  point.leaveRecord(last_record_);
  const Error error = RT_CUDA_CALL(cuEventRecord, point.event(), native_);
  if (error != kSuccess) return device("cuEventRecord", error);
  point.enterRecord(last_record_, serial);
  point.recorded(std::move(carried));
  return Status();
}

// A point that is recorded: under the mutex, of a stream that is not held.
Status Stream::waitNow(backend::Point& point, NativeEvent event) {
  const auto waitForIt = [&] { return RT_CUDA_CALL(cuStreamWaitEvent, native_, event, 0); };
  const Error error = point.done() ? kSuccess : callOnNative(waitForIt);
  // The event's device may be another one, which has died: asking the point blames that one.
  if (error != kSuccess && !point.poll()) [[unlikely]]
    return device("cuStreamWaitEvent", error);
  const Status& status = point.done() ? point.status() : static_cast<const Point&>(point).recordedStatus();
  if (!status.ok()) [[unlikely]]
    latch.set(status);
  countNative();
  return Status();
}

[[gnu::hot]] bool Stream::waitAtOnce(backend::Point& point, Status* status) {
  const NativeEvent event = recordedEvent(point);
  if (event == nullptr) return false;
  std::unique_lock lock(mutex_, std::try_to_lock);  // as in recordAgain()
  if (!lock.owns_lock() || held_.load(std::memory_order_relaxed)) return false;
  *status = waitNow(point, event);
  return true;
}

Status Stream::wait(Ref<backend::Point> point, backend::Skip skip) {
  RT_TRY(host_threads::reserve());
  std::lock_guard lock(mutex_);
  if (!held_.load(std::memory_order_relaxed)) {
    if (NativeEvent event = recordedEvent(*point)) return waitNow(*point, event);
  }
  if (fault::fails("cuda.hold")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  auto* command = new Command(Command::Kind::kWait);
  command->point = std::move(point);
  command->skip = skip;
  return hold(command);
}

Status Stream::callInternalNow(std::unique_ptr<Task>* task, uint64_t serial) {
  auto* call = new (std::nothrow) InternalCall(*this, std::move(*task), serial);
  if (call == nullptr) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  std::unique_ptr<Callback> callback(call);
  Status status = events_->callbacks().launch(native_, &callback);
  if (!status.ok()) *task = call->takeBack();
  return status;
}

Status Stream::call(Task* given, backend::TaskKind kind) {
  std::unique_ptr<Task> task(given);
  RT_TRY(host_threads::reserve());
  if (kind == backend::TaskKind::kInternal) {
    return submit([&] { return callInternalNow(&task, submitted_.load(std::memory_order_relaxed) + 1); },
                  [&]() -> Command* {
                    auto* command = new Command(Command::Kind::kInternal);
                    command->task = task.release();
                    return command;
                  });
  }
  std::lock_guard lock(mutex_);
  if (fault::fails("cuda.hold")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  auto* command = new Command(kind == backend::TaskKind::kNative ? Command::Kind::kNative : Command::Kind::kUser);
  command->task = task.release();
  return hold(command);
}

}  // namespace manyrt::cuda
