// A stream that is held: its first command waits for the host, on a callback of CUDA, a point of another backend or a thread
// of the library; then that thread submits what follows.
#include <climits>
#include <new>
#include <optional>

#include "backends/cuda/context_manager.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device_manager.h"
#include "backends/cuda/error.h"
#include "backends/cuda/fill.h"
#include "backends/cuda/stream_command.h"
#include "base/os/futex.h"

namespace manyrt::cuda {

class Stream::Arrival final : public Callback {
 public:
  explicit Arrival(Stream& stream) : stream_(stream) {}
  void reached() override { host_threads::submit(&stream_); }
  void lost(const Status&) override { host_threads::submit(&stream_); }

 private:
  Stream& stream_;  // held: it keeps itself
};

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
      if (unannounced && !(imported_ && awaitAsleep())) waitForDevice();
      if (command.task->tells()) announce(command.serial);
      task_stream_ = this;
      Status status = context_->device().lost();
      latch.set(command.task->run(status.ok() ? latch.get() : status));
      task_stream_ = nullptr;
      delete std::exchange(command.task, nullptr);
      if (command.kind != Command::Kind::kNative) advance(command.serial);  // the device was through with what is ahead
      current.reset();                                                      // the function may have left another one
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

void Stream::recordHeld(Point& point, uint64_t serial) {
  Status status = recordNow(point, latch.failed() ? latch.get() : Status(), serial);
  if (status.ok()) return;
  point.fail(status);
  latch.set(std::move(status));
}

// Under the mutex. Failed commands latch; what follows a failure is skipped, but for points and tasks, which carry it.
bool Stream::execute(Command& command) {
  if (context_->device().isLost()) latch.set(context_->device().lost());
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
    case Command::Kind::kReplay:
      if (!skip) latch.set(replayNow(*command.replay));
      recordHeld(static_cast<Point&>(*command.point), command.serial);
      command.replay->noteSubmitted();
      return true;
    case Command::Kind::kRecord:
      recordHeld(static_cast<Point&>(*command.point), command.serial);
      return true;
    case Command::Kind::kInternal: {
      std::unique_ptr<Task> task(std::exchange(command.task, nullptr));
      if (callInternalNow(&task, command.serial).ok()) return true;
      command.task = task.release();
      unannounced_ = true;
      return false;
    }
    case Command::Kind::kWait: {
      if (skip && (command.skip == backend::Skip::kOnFailure || context_->device().isLost())) return true;
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

}  // namespace manyrt::cuda
