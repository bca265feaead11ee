// Submitting to native streams, holding back what has to wait for the host, and finding out how far the device has come.
#include "backends/cuda/stream_manager.h"

#include <sched.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <new>
#include <optional>
#include <typeinfo>

#include "backends/cuda/buffer_manager.h"
#include "backends/cuda/context_manager.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device_manager.h"
#include "backends/cuda/error.h"
#include "backends/cuda/fill.h"
#include "base/futex.h"

namespace manyrt::cuda {
namespace {

// The point's place in a native stream of CUDA; null: it has none, or none yet.
NativeEvent recordedEvent(const backend::Point& point) {
  return typeid(point) == typeid(Point) ? static_cast<const Point&>(point).recordedEvent() : nullptr;
}

}  // namespace

// ---- What a held stream keeps ----

struct Stream::Command {
  enum class Kind { kLaunch, kCopy, kFill, kPrefetch, kRecord, kWait, kInternal, kNative, kUser };

  explicit Command(Kind what) : kind(what) {}
  ~Command() { delete task; }
  bool waitsForHost() const { return kind == Kind::kWait || kind == Kind::kUser || kind == Kind::kNative; }

  const Kind kind;
  backend::Copy copy{};
  backend::Fill fill{};
  const void* address = nullptr;  // of a prefetch
  uint64_t size = 0;
  bool to_host = false;
  Ref<backend::Kernel> kernel;
  backend::Launch launch{};
  std::vector<unsigned char> values;
  std::vector<const void*> arguments;
  Ref<backend::Point> point;
  Task* task = nullptr;
  uint64_t serial = 0;
  Command* next = nullptr;
};

// ---- Callbacks ----

class Stream::Arrival final : public Callback {
 public:
  explicit Arrival(Stream& stream) : stream_(stream) {}
  void reached() override { host_threads::submit(&stream_); }
  void lost(const Status&) override { host_threads::submit(&stream_); }

 private:
  Stream& stream_;  // held: it keeps itself
};

class Stream::InternalCall final : public Callback {
 public:
  InternalCall(Stream& stream, std::unique_ptr<Task> task) : stream_(&stream), task_(std::move(task)) {}
  std::unique_ptr<Task> takeBack() { return std::move(task_); }
  void reached() override { stream_->latch.set(task_->run(stream_->latch.get())); }
  void lost(const Status& status) override { (void)task_->run(status); }

 private:
  const Ref<Stream> stream_;
  std::unique_ptr<Task> task_;
};

// ---- Life ----

Stream::Stream(Context& context, NativeStream native, bool borrowed, int32_t priority)
    : context_(&context),
      events_(context.events()),
      native_(native),
      native_context_(context.native()),
      borrowed_(borrowed),
      priority_(priority) {}

Status Stream::create(Ref<backend::Stream>* out, Context& context, const backend::StreamOptions& options) {
  NativeStream native = nullptr;
  Current current(context.native());
  const Error error = RT_CUDA_CALL(cudaStreamCreateWithPriority, &native, kStreamNonBlocking, options.priority);
  if (error != kSuccess) return context.device().failed("cudaStreamCreateWithPriority", error);
  Stream* stream = new (std::nothrow) Stream(context, native, false, options.priority);
  if (stream == nullptr) {
    (void)table().cudaStreamDestroy(native);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  Ref<backend::Stream> made = Ref<backend::Stream>::adopt(stream);
  context.add(*stream);
  stream->lane = trace::newLane(options.label);
  *out = std::move(made);
  return Status();
}

Status Stream::import(Ref<backend::Stream>* out, Context& context, NativeStream native) {
  auto* stream = new Stream(context, native, true, 0);
  Ref<backend::Stream> made = Ref<backend::Stream>::adopt(stream);
  context.add(*stream);
  stream->lane = trace::newLane("imported stream");
  *out = std::move(made);
  return Status();
}

Stream::~Stream() {
  context_->remove(*this);
  Current current(native_context_);
  for (size_t i = 0; i < marker_count_; ++i) events_->giveEvent(markers_[i].event);
  if (!borrowed_) (void)table().cudaStreamDestroy(native_);
}

void Stream::renew(const backend::StreamOptions& options) {
  (void)latch.take();
  lane = trace::newLane(options.label);
}

void Stream::native(uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(native_);
  out[1] = 0;
}

Status Stream::device(const char* call, Error error) { return context_->device().failed(call, error); }

void Stream::noteFailure(const char* call, Error error) {
  Status status = device(call, error);
  if (!context_->device().isLost()) latch.set(std::move(status));
}

// ---- Submitting ----

// `now` submits to the device; `command` makes what a held stream keeps instead.
template <class Submit, class Make>
Status Stream::submit(Submit now, Make command) {
  std::lock_guard lock(mutex_);
  if (!held_.load(std::memory_order_relaxed)) [[likely]] {
    Current current(native_context_);
    Status status = now();
    // One that failed counts, too: the device may have got a part of it.
    const uint64_t serial = submitted_.load(std::memory_order_relaxed) + 1;
    native_serial_.store(serial, std::memory_order_release);
    submitted_.store(serial, std::memory_order_release);
    return status;
  }
  if (fault::fails("cuda.hold")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Command* queued = command();
  if (queued == nullptr) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for another command of a stream.");
  return hold(queued);
}

Status Stream::hold(Command* command) {
  command->serial = submitted_.load(std::memory_order_relaxed) + 1;
  *last_ = command;
  last_ = &command->next;
  submitted_.store(command->serial, std::memory_order_release);
  if (held_.exchange(true, std::memory_order_acq_rel)) return Status();
  retain();  // until it is not held any more
  begin();
  return Status();
}

[[gnu::hot]] Status Stream::launch(backend::Kernel& kernel, const backend::Launch& launch) {
  return submit([&] { return launchNow(kernel, launch); },
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

Status Stream::copy(const backend::Copy& copy) {
  return submit([&] { return copyNowOnDevice(copy); },
                [&]() -> Command* {
                  auto* command = new Command(Command::Kind::kCopy);
                  command->copy = copy;
                  return command;
                });
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
        const char* call = "";
        const Error error = fillOnDevice(fill, native_, &call);
        return error == kSuccess ? Status() : device(call, error);
      },
      [&]() -> Command* {
        auto* command = new Command(Command::Kind::kFill);
        command->fill = fill;
        return command;
      });
}

Status Stream::prefetch(const void* address, uint64_t size, bool to_host) {
  return submit([&] { return prefetchNow(address, size, to_host); },
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

Status Stream::record(Ref<backend::Point> point) {
  return submit([&] { return recordNow(static_cast<Point&>(*point)); },
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
  std::unique_lock lock(mutex_, std::try_to_lock);  // the caller holds a spin lock: no waiting for a long copy here
  if (!lock.owns_lock() || held_.load(std::memory_order_relaxed)) return false;
  Current current(native_context_);
  const Error error = RT_CUDA_CALL(cuEventRecord, point.event(), native_);
  if (error != kSuccess) {
    *status = device("cuEventRecord", error);
    return true;
  }
  point.renew();
  if (latch.failed()) [[unlikely]]
    point.setRecordedStatus(latch.get());
  const uint64_t serial = submitted_.load(std::memory_order_relaxed) + 1;
  native_serial_.store(serial, std::memory_order_release);
  submitted_.store(serial, std::memory_order_release);
  return true;
}

Status Stream::recordNow(Point& point) {
  const Error error = RT_CUDA_CALL(cuEventRecord, point.event(), native_);
  if (error != kSuccess) return device("cuEventRecord", error);
  point.recorded(latch.failed() ? latch.get() : Status());
  return Status();
}

Status Stream::wait(Ref<backend::Point> point) {
  RT_TRY(host_threads::reserve());
  std::lock_guard lock(mutex_);
  if (!held_.load(std::memory_order_relaxed)) {
    if (NativeEvent event = recordedEvent(*point)) {
      Current current(native_context_);
      const Error error = point->done() ? kSuccess : RT_CUDA_CALL(cuStreamWaitEvent, native_, event, 0);
      // The event's device may be another one, which has died: asking the point blames that one.
      if (error != kSuccess && !point->poll()) return device("cuStreamWaitEvent", error);
      const Status& status = point->done() ? point->status() : static_cast<const Point&>(*point).recordedStatus();
      if (!status.ok()) latch.set(status);
      const uint64_t serial = submitted_.load(std::memory_order_relaxed) + 1;
      native_serial_.store(serial, std::memory_order_release);
      submitted_.store(serial, std::memory_order_release);
      return Status();
    }
  }
  if (fault::fails("cuda.hold")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  auto* command = new Command(Command::Kind::kWait);
  command->point = std::move(point);
  return hold(command);
}

Status Stream::callInternalNow(std::unique_ptr<Task>* task) {
  auto* call = new (std::nothrow) InternalCall(*this, std::move(*task));
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
    return submit([&] { return callInternalNow(&task); },
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

// ---- Held ----

// Under the mutex. In the end go() runs on a thread of the library.
void Stream::begin() {
  Command& command = *first_;
  Current current(native_context_);
  switch (command.kind) {
    case Command::Kind::kWait:
      if (!command.point->subscribe(this)) host_threads::submit(this);
      return;
    case Command::Kind::kUser: {
      std::unique_ptr<Callback> arrival(new (std::nothrow) Arrival(*this));
      if (arrival != nullptr && events_->callbacks().launch(native_, &arrival).ok()) return;
      unannounced_ = true;
      host_threads::submit(this);
      return;
    }
    default:
      host_threads::submit(this);
      return;
  }
}

void Stream::go() {
  const Ref<Stream> self(this);
  std::optional<Current> current(std::in_place, native_context_);
  std::unique_lock lock(mutex_);
  for (;;) {
    Command& command = *first_;
    if (command.kind == Command::Kind::kWait) {
      latch.set(command.point->status());
    } else if (command.task != nullptr) {
      // Only this thread touches the first command. What the function submits to this stream queues up behind it.
      const bool unannounced = std::exchange(unannounced_, false);
      lock.unlock();
      if (unannounced) waitForDevice();
      task_stream_ = this;
      Status status = context_->device().lost();
      latch.set(command.task->run(status.ok() ? latch.get() : status));
      task_stream_ = nullptr;
      delete std::exchange(command.task, nullptr);
      current.reset();  // the function may have left another one
      current.emplace(native_context_);
      lock.lock();
    }
    finishFirst();
    while (first_ != nullptr && execute(*first_)) finishFirst();
    if (first_ == nullptr) break;
    if (first_->kind == Command::Kind::kNative) continue;
    begin();
    return;
  }
  held_.store(false, std::memory_order_release);
  lock.unlock();
  drop();  // what hold() took
}

void Stream::waitForDevice() {
  const Error error = table().cudaStreamSynchronize(native_);
  if (error != kSuccess) noteFailure("cudaStreamSynchronize", error);
}

void Stream::finishFirst() {
  Command* command = first_;
  native_serial_.store(command->serial, std::memory_order_release);
  first_ = command->next;
  if (first_ == nullptr) last_ = &first_;
  delete command;
  wake();
}

void Stream::wake() {
  progress_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) futexWake(&progress_, INT_MAX);
}

// Under the mutex. Failed commands latch; what follows a failure is skipped, but for points and tasks, which carry it.
bool Stream::execute(Command& command) {
  const bool skip = latch.failed();
  switch (command.kind) {
    case Command::Kind::kLaunch:
      if (!skip) latch.set(launchNow(*command.kernel, command.launch));
      return true;
    case Command::Kind::kCopy:
      if (!skip) latch.set(copyNowOnDevice(command.copy));
      return true;
    case Command::Kind::kFill: {
      const char* call = "";
      const Error error = skip ? kSuccess : fillOnDevice(command.fill, native_, &call);
      if (error != kSuccess) latch.set(device(call, error));
      return true;
    }
    case Command::Kind::kPrefetch:
      if (!skip) latch.set(prefetchNow(command.address, command.size, command.to_host));
      return true;
    case Command::Kind::kRecord: {
      auto& point = static_cast<Point&>(*command.point);
      if (Status status = recordNow(point); !status.ok()) {
        point.fail(status);
        latch.set(std::move(status));
      }
      return true;
    }
    case Command::Kind::kInternal: {
      std::unique_ptr<Task> task(std::exchange(command.task, nullptr));
      if (callInternalNow(&task).ok()) return true;
      command.task = task.release();
      unannounced_ = true;
      return false;
    }
    case Command::Kind::kWait: {
      if (skip) return true;
      if (command.point->done()) {
        latch.set(command.point->status());
        return true;
      }
      const NativeEvent event = recordedEvent(*command.point);
      if (event == nullptr) return false;
      if (const Error error = RT_CUDA_CALL(cuStreamWaitEvent, native_, event, 0); error != kSuccess) {
        if (!command.point->poll()) (void)device("cuStreamWaitEvent", error);
        return false;  // the host can wait for it, too
      }
      latch.set(static_cast<const Point&>(*command.point).recordedStatus());
      return true;
    }
    default:
      return false;
  }
}

void Stream::deviceLost() {
  // What waits for a point of another backend goes on when that one is passed; the rest is told by callbacks.
  wake();
}

const char* Stream::runningKernel() const {
  return completed_.load(std::memory_order_acquire) < native_serial_.load(std::memory_order_acquire)
             ? kernel_.load(std::memory_order_relaxed)
             : nullptr;
}

// ---- How far it has come ----

void Stream::advance(uint64_t serial) {
  uint64_t known = completed_.load(std::memory_order_relaxed);
  while (known < serial && !completed_.compare_exchange_weak(known, serial, std::memory_order_acq_rel)) {
  }
}

uint64_t Stream::completed() {
  if (completed_.load(std::memory_order_acquire) < native_serial_.load(std::memory_order_acquire)) (void)poll();
  return completed_.load(std::memory_order_acquire);
}

// True where all that is with the device is over.
bool Stream::poll() {
  const uint64_t serial = native_serial_.load(std::memory_order_acquire);
  if (completed_.load(std::memory_order_acquire) >= serial) return true;
  Device& device = context_->device();
  if (!device.isLost()) {
    Current current(native_context_);
    const Error error = table().cuStreamQuery(native_);
    if (error == kNotReady) {
      mark();
      return false;
    }
    if (saysNothing(error)) return false;
    if (error != kSuccess) noteFailure("cuStreamQuery", error);
  }
  advance(serial);  // nothing of a dead device runs any more
  return true;
}

// While the stream is never idle, events tell of its progress: recorded when somebody asks, a few at a time.
void Stream::mark() {
  std::unique_lock markers(markers_mutex_, std::try_to_lock);
  if (!markers.owns_lock()) return;
  size_t reached = 0;
  while (reached < marker_count_ && table().cuEventQuery(markers_[reached].event) == kSuccess) {
    advance(markers_[reached].serial);
    events_->giveEvent(markers_[reached].event);
    ++reached;
  }
  std::copy(markers_ + reached, markers_ + marker_count_, markers_);
  marker_count_ -= reached;
  const uint64_t newest = marker_count_ == 0 ? completed_.load(std::memory_order_relaxed) : markers_[marker_count_ - 1].serial;
  if (newest >= native_serial_.load(std::memory_order_acquire) || marker_count_ == kMostMarkers) return;
  std::unique_lock submission(mutex_, std::try_to_lock);
  if (!submission.owns_lock()) return;
  NativeEvent event = nullptr;
  if (!events_->takeEvent(&event).ok()) return;
  if (table().cuEventRecord(event, native_) != kSuccess) {
    events_->giveEvent(event);
    return;
  }
  markers_[marker_count_++] = {event, native_serial_.load(std::memory_order_relaxed)};
}

bool Stream::wait(uint64_t serial, Deadline deadline) {
  constexpr int64_t kSpinNanoseconds = 20'000;
  constexpr uint64_t kNapNanoseconds = 50'000;
  const backend::WaitPolicy policy = context_->policy();
  const int64_t began = nowNanoseconds();
  while (completed() < serial) {
    if (deadline.isPoll()) return false;
    if (native_serial_.load(std::memory_order_acquire) < serial) {  // held: a thread of the library makes progress
      const uint32_t progress = progress_.load(std::memory_order_seq_cst);
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      const bool held = native_serial_.load(std::memory_order_acquire) < serial;
      if (held) (void)futexWait(&progress_, progress, deadline);
      sleepers_.fetch_sub(1, std::memory_order_seq_cst);
      if (held && deadline.passed() && completed() < serial) return false;
      continue;
    }
    if (deadline.isNever() && policy == backend::WaitPolicy::kDefault) {
      const uint64_t reached = native_serial_.load(std::memory_order_acquire);
      Current current(native_context_);
      const Error error = RT_CUDA_CALL(cudaStreamSynchronize, native_);
      if (error != kSuccess) (void)device("cudaStreamSynchronize", error);
      if (error == kSuccess || context_->device().isLost()) advance(reached);
      continue;
    }
    if (deadline.isNever() && policy == backend::WaitPolicy::kBlock) {
      NativeEvent event = nullptr;
      uint64_t reached = 0;
      Error error = kSuccess;
      Current current(native_context_);
      if (events_->takeEvent(&event).ok()) {
        {
          std::lock_guard lock(mutex_);
          reached = native_serial_.load(std::memory_order_relaxed);
          error = RT_CUDA_CALL(cuEventRecord, event, native_);
        }
        if (error == kSuccess) error = RT_CUDA_CALL(cudaEventSynchronize, event);
        events_->giveEvent(event);
        if (error == kSuccess) advance(reached);
        if (error != kSuccess) (void)device("cudaEventSynchronize", error);
        continue;
      }
    }
    if (deadline.passed()) return completed() >= serial;
    if (policy == backend::WaitPolicy::kYield) {
      sched_yield();
    } else if (policy == backend::WaitPolicy::kSpin || nowNanoseconds() - began < kSpinNanoseconds) {
      relaxCpu();
    } else {
      const Deadline nap = Deadline::after(kNapNanoseconds);
      std::atomic<uint32_t> never{0};
      (void)futexWait(&never, 0, nap.remaining() < deadline.remaining() ? nap : deadline);
    }
  }
  return true;
}

}  // namespace manyrt::cuda
