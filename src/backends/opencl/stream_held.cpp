// A held stream: waiting on the host for what is ahead, doing the host's part, and enqueueing what follows.
#include <new>
#include <utility>

#include "backends/opencl/context_manager.h"
#include "backends/opencl/device_manager.h"
#include "backends/opencl/error.h"
#include "backends/opencl/pipeline.h"
#include "backends/opencl/stream_command.h"
#include "backends/opencl/transfer.h"
#include "base/os/futex.h"

namespace manyrt::opencl {

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

// Under the mutex. In the end go() runs on a thread of the library: when the point is passed, when the device has come to where
// the host's work stands, or at once.
void Stream::begin() {
  Command& command = *first_;
  if (command.kind == Command::Kind::kWait) {
    if (!command.point->subscribe(this)) host_threads::submit(this);
    return;
  }
  if (command.kind != Command::Kind::kNative && !device().isLost()) {
    cl_event event = nullptr;
    Ref<Trigger> trigger = Ref<Trigger>::adopt(new (std::nothrow) JobTrigger(this));
    const Error error = !trigger ? CL_OUT_OF_HOST_MEMORY : RT_CL_CALL(clEnqueueMarkerWithWaitList, queue_, 0, nullptr, &event);
    bool told = false;
    if (error == CL_SUCCESS) {
      flush();
      told = whenOver(device(), event, std::move(trigger)).ok();
      (void)RT_CL_PLAIN(clReleaseEvent, event);
      if (told) return;
    }
    unannounced_ = true;
  }
  host_threads::submit(this);
}

// The host's part of the first command, which only this thread touches: what is submitted meanwhile queues up behind it.
void Stream::doOnHost(Command& command, std::unique_lock<SubmissionMutex>& lock) {
  const bool unannounced = std::exchange(unannounced_, false);
  lock.unlock();
  if (unannounced) waitForDevice();
  poll();  // what the device failed at comes before what follows
  const Status lost = device().lost();
  if (!lost.ok()) latch.set(lost);
  switch (command.kind) {
    case Command::Kind::kHostCopy:
      if (!latch.failed()) copyOnHost(command.copy);
      break;
    case Command::Kind::kHostFill:
      if (!latch.failed()) fillOnHost(command.fill);
      break;
    case Command::Kind::kCopy:  // that came too early; enqueued below
      break;
    default:
      if (command.task->tells()) announce(command.serial);
      task_stream_ = this;
      latch.set(command.task->run(lost.ok() ? latch.get() : lost));
      task_stream_ = nullptr;
      delete std::exchange(command.task, nullptr);
      if (command.kind == Command::Kind::kTask) advance(command.serial);  // the device was through with what is ahead
      break;
  }
  lock.lock();
  if (command.kind == Command::Kind::kCopy && !latch.failed()) latch.set(copyOnDevice(command.copy, false));
}

void Stream::go() {
  const Ref<Stream> self(this);
  std::unique_lock lock(mutex_);
  for (;;) {
    Command& command = *first_;
    if (command.kind == Command::Kind::kWait) {
      latch.set(command.point->status());
    } else {
      doOnHost(command, lock);
    }
    finishFirst();
    while (first_ != nullptr && execute(*first_)) finishFirst();
    if (first_ == nullptr) break;
    if (first_->kind == Command::Kind::kNative) continue;
    begin();
    return;
  }
  if (!device().isLost()) flush();
  held_.store(false, std::memory_order_release);
  lock.unlock();
  drop();  // what hold() took
}

void Stream::waitForDevice() {
  constexpr uint64_t kNapNanoseconds = 50'000;
  const uint64_t serial = native_serial_.load(std::memory_order_acquire);
  std::atomic<uint32_t> never{0};
  while (completed() < serial) (void)futexWait(&never, 0, Deadline::after(kNapNanoseconds));
}

void Stream::finishFirst() {
  Command* command = first_;
  native_serial_.store(command->serial, std::memory_order_release);
  first_ = command->next;
  if (first_ == nullptr) last_ = &first_;
  delete command;
  wake();
}

// Under the mutex. Failed commands latch; what follows a failure is skipped, but for points and tasks, which carry it.
bool Stream::execute(Command& command) {
  if (device().isLost()) latch.set(device().lost());
  const bool skip = latch.failed();
  switch (command.kind) {
    case Command::Kind::kLaunch:
      if (!skip) latch.set(static_cast<Pipeline&>(*command.kernel).enqueue(queue_, command.launch));
      return true;
    case Command::Kind::kCopy:
      if (!skip && comesTooEarly(command.copy)) return false;
      if (!skip) latch.set(copyOnDevice(command.copy, false));
      return true;
    case Command::Kind::kFill:
      if (!skip) latch.set(fillOnDevice(command.fill));
      return true;
    case Command::Kind::kPrefetch:
      if (!skip) (void)enqueuePrefetch(device(), queue_, command.address, command.size, command.to_host);  // a hint
      return true;
    case Command::Kind::kReplay:
      if (!skip) latch.set(command.replay->enqueue(queue_, *command.replayed));
      recordHeld(static_cast<Point&>(*command.point), command.serial);
      return true;
    case Command::Kind::kRecord:
      recordHeld(static_cast<Point&>(*command.point), command.serial);
      return true;
    case Command::Kind::kWait: {
      if (skip && (command.skip == backend::Skip::kOnFailure || device().isLost())) return true;
      if (command.point->done()) {
        latch.set(command.point->status());
        return true;
      }
      const Point* own = Point::of(*command.point, device());
      cl_event event = own != nullptr ? eventOnDevice(*own) : nullptr;
      return event != nullptr && waitOnDevice(*own, event).ok();  // else the host can wait for it, too
    }
    default:
      return false;
  }
}

}  // namespace manyrt::opencl
