// Submissions that may have to wait for the host, and the queue of a held stream. The first command of the queue waits for a
// point, for the device or for a thread of the library. Then that thread submits what follows.
#include "backends/driver/stream.h"

#include <climits>
#include <new>

#include "backends/driver/context.h"
#include "backends/driver/device.h"
#include "backends/driver/point.h"
#include "backends/traced.h"
#include "base/fault.h"
#include "base/os/futex.h"

namespace manyrt::driver {

Stream::Stream(Context& context, const Traits& traits) : context_(&context), device_(context.device()), traits_(traits) {}

Stream::~Stream() {
  spans_.end();  // with the context still there
  context_->remove(*this);
}

backend::WaitPolicy Stream::policy() const { return context_->policy(); }

Status Stream::enqueueReplay(backend::Replay&, RefCounted*) {
  return Status::error(RT_ERROR_INTERNAL, "A replay was launched on a stream of a driver that runs none.");
}

namespace {

// The host's part of a stream's work in the trace.
class HostSpan {
 public:
  template <class Describe>
  HostSpan(const backend::Stream& stream, uint64_t serial, Describe describe)
      : stream_(stream), serial_(serial), begin_(trace::timesWork() ? nowNanoseconds() : 0) {
    if (begin_ != 0) work_ = describe();
  }
  HostSpan(const HostSpan&) = delete;
  HostSpan& operator=(const HostSpan&) = delete;
  ~HostSpan() {
    if (begin_ != 0) trace::work(stream_.track, serial_, work_, begin_, nowNanoseconds());
  }

 private:
  const backend::Stream& stream_;
  const uint64_t serial_;
  const int64_t begin_;
  trace::Work work_;
};

}  // namespace

// ---- Submitting ----

Status Stream::keep(Work work) {
  if (fault::fails(traits_.hold_fault)) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  if (hold(std::make_unique<Command>(std::move(work)))) begin();
  return Status();
}

// Appends. True: the stream is held from now on, and the command is its first.
bool Stream::hold(std::unique_ptr<Command> command) {
  // Under the mutex. submitted_ is released for readers without it. A reader that meets the number before native_serial_
  // follows finds the stream held, and sleeps in awaitSubmission() until finishFirst() tells it.
  command->serial = nextSerial();
  submitted_.store(command->serial, std::memory_order_release);
  *last_ = command.get();
  last_ = &command.release()->next;
  const bool begins = !held_.exchange(true, std::memory_order_acq_rel);
  if (begins) retain();  // until the stream is not held any more
  return begins;
}

Status Stream::wait(Ref<backend::Point> point, backend::Skip skip) {
  RT_TRY(host_threads::reserve());  // for going on after a point that the host waits for
  std::lock_guard lock(mutex_);
  // A point that is passed needs no wait: its failure latches at once. One of this driver is waited for on the device. Any
  // other one holds the stream, so that the host can wait for it.
  if (!isHeld()) {
    bool taken = true;
    if (point->done()) {
      latch.set(point->status());
    } else {
      RT_TRY(device_.lost());
      RT_TRY(enqueueWait(*point, &taken));
    }
    if (taken) {
      count();
      flush();
      return Status();
    }
  }
  return keep(WaitCommand{std::move(point), skip});
}

Status Stream::call(Task* given, backend::TaskKind kind) {
  std::unique_ptr<Task> task(given);
  RT_TRY(host_threads::reserve());
  std::unique_lock lock(mutex_);
  // A program's function always holds the stream: a failure has to reach it, and skip what is after it. A task of the library
  // may be run by the driver, or on this thread where the driver's work is over when its call returns.
  const bool at_once = kind == backend::TaskKind::kInternal && !isHeld();
  if (at_once) {
    bool taken = true;
    Status status = enqueueTask(&task, nextSerial(), &taken);
    if (taken) {
      count();
      return status;
    }
  }
  if (fault::fails(traits_.hold_fault)) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  const bool begins = hold(std::make_unique<Command>(TaskCommand{std::move(task), kind}));
  if (at_once && traits_.ends_at_once) {  // everything ahead is over: this thread runs it
    lock.unlock();
    go();
  } else if (begins) {
    begin();
  }
  return Status();
}

// Work that other threads submit meanwhile is held, and follows on this thread.
bool Stream::callAtOnce(std::unique_ptr<Task>* task, Status* status) {
  *status = host_threads::reserve();
  if (!status->ok()) return true;
  {
    const std::lock_guard lock(mutex_);
    if (isHeld()) return false;
    if (fault::fails(traits_.hold_fault)) {
      *status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
      return true;
    }
    (void)hold(std::make_unique<Command>(TaskCommand{std::move(*task), backend::TaskKind::kNative}));
  }
  run();
  return true;
}

Status Stream::recordAhead(Ref<backend::Point>* out, uint64_t serial) {
  if (known() >= serial) return Status();
  Ref<backend::Point> point;
  RT_TRY(context_->createPoint(&point, false));
  std::lock_guard lock(mutex_);
  RT_TRY(device_.lost());
  RT_TRY(enqueueMark(*point));
  *out = std::move(point);
  return Status();
}

// ---- A held stream ----

// Under the mutex: starts the wait of the first command. When that is over, go() runs on a thread of the library: the point
// is passed, or the device has come to the host's work. Where there is nothing to wait for, it runs at once.
void Stream::begin() {
  Command& command = *first_;
  if (const auto* wait = std::get_if<WaitCommand>(&command.work)) {
    if (!wait->point->subscribe(this)) resume();
    return;
  }
  if (!isNativeCall(command) && !device_.isLost()) {
    if (tellWhenReached()) return;
    untold_ = true;
  }
  resume();
}

// The host's part of the first command, which this thread alone touches. Work that is submitted meanwhile queues up after it.
// So the mutex is free while the program's function runs.
void Stream::doOnHost(Command& command, std::unique_lock<decltype(mutex_)>& lock) {
  // The device is waited for, and its failures are latched, before the function runs: it may be given the status. A device lost
  // meanwhile does not skip tasks, which carry the cause.
  const bool untold = std::exchange(untold_, false);
  lock.unlock();
  if (untold) waitForDevice();
  if (traits_.fails_by_command) poll();  // what the device failed at comes before what follows
  const Status lost = device_.lost();
  if (!lost.ok()) latch.set(lost);
  if (auto* call = std::get_if<TaskCommand>(&command.work)) {
    if (call->task->tells()) announce(command.serial);
    // A task may be run inside a function of another stream, on its thread: that function is still inside afterwards.
    const Stream* const outer = std::exchange(task_stream_, this);
    {
      const auto kind = call->kind == backend::TaskKind::kInternal ? trace::Kind::kTask : trace::Kind::kHostFunction;
      const HostSpan span(*this, command.serial, [&] { return backend::describe(kind); });
      latch.set(runTask(*call->task, lost.ok() ? latch.get() : lost));
    }
    task_stream_ = outer;
    call->task.reset();
    if (call->kind != backend::TaskKind::kNative) advance(command.serial);  // the device was through with what is ahead
    lock.lock();
    return;
  }
  if (auto* fill = std::get_if<backend::Fill>(&command.work)) {
    const HostSpan span(*this, command.serial, [&] { return backend::describe(*fill); });
    if (!latch.failed()) fillOnHost(*fill);
    lock.lock();
    return;
  }
  const auto& copy = std::get<backend::Copy>(command.work);
  const bool all = hostPart(copy) == HostPart::kAll;
  if (all && !latch.failed()) {
    const HostSpan span(*this, command.serial, [&] { return backend::describe(copy); });
    copyOnHost(copy);
  }
  lock.lock();
  if (!all && !latch.failed()) latch.set(enqueueCopy(copy));
}

// Continues a held stream: the wait of its first command is over. Runs as a job, one at a time: each begin() queues it once.
void Stream::go() {
  // Commands are executed until the host has to wait again or the queue is empty. begin() may queue go() on another thread
  // before this call returns; that one waits for the mutex. held_ is cleared under the mutex, so a submission sees either the
  // queue or its end. Declared before the lock, `self` outlives it.
  const Ref<Stream> self(this);
  std::unique_lock lock(mutex_);
  for (;;) {
    Command& command = *first_;
    if (const auto* wait = std::get_if<WaitCommand>(&command.work)) {
      latch.set(wait->point->status());
    } else {
      doOnHost(command, lock);
    }
    finishFirst();
    while (first_ != nullptr && execute(*first_)) finishFirst();
    if (first_ == nullptr) break;
    if (isNativeCall(*first_)) continue;
    begin();
    return;
  }
  if (!device_.isLost()) flush();
  held_.store(false, std::memory_order_release);
  lock.unlock();
  drop();  // what hold() took
}

// Where the driver does not tell: polls, or waits in the driver.
void Stream::waitForDevice() {
  const uint64_t serial = withDevice();
  std::atomic<uint32_t> never{0};
  while (completed() < serial) {
    if (sleep(serial, Deadline::never(), 0) == Slept::kYes) continue;
    (void)futexWait(&never, 0, Deadline::after(kNapNanoseconds));
  }
}

// Under the mutex.
void Stream::finishFirst() {
  // The release pairs with withDevice(): what the command gave to the driver, or did on the host, happened before. Then wake()
  // tells the threads that sleep for the number.
  std::unique_ptr<Command> command(first_);
  native_serial_.store(command->serial, std::memory_order_release);
  first_ = command->next;
  if (first_ == nullptr) last_ = &first_;
  wake();
}

// A sleeper reads progress_, counts itself in sleepers_, reads native_serial_, and sleeps only while progress_ is unchanged.
// This changes progress_ first and reads sleepers_ then. Both counters are sequentially consistent: this sees the sleeper, or
// the futex sees the changed word and does not sleep.
void Stream::wake() {
  progress_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) futexWake(&progress_, INT_MAX);
}

void Stream::recordHeld(backend::Point& point, uint64_t serial) {
  Status status = device_.lost();
  if (status.ok()) status = enqueueRecord(point, latch.failed() ? latch.get() : Status(), serial);
  if (status.ok()) return;
  static_cast<Point&>(point).fail(status);
  latch.set(std::move(status));
}

// Under the mutex. False: the host comes first. Failed commands latch; what follows a failure is skipped, but for points and
// tasks, which carry it.
bool Stream::execute(Command& command) {
  // One branch for each alternative of Work. `skip` is read once, so that one command is either skipped or executed as a whole.
  if (device_.isLost()) latch.set(device_.lost());
  const bool skip = latch.failed();
  const auto unless = [&](auto enqueue) {
    if (!skip) latch.set(enqueue());
    return true;
  };
  if (auto* launch = std::get_if<LaunchCommand>(&command.work)) {
    return unless([&] { return enqueueLaunch(*launch->kernel, launch->launch); });
  }
  if (auto* copy = std::get_if<backend::Copy>(&command.work)) {
    if (!skip && hostPart(*copy) != HostPart::kNone) return false;
    return unless([&] { return enqueueCopy(*copy); });
  }
  if (auto* fill = std::get_if<backend::Fill>(&command.work)) {
    if (!skip && hostPart(*fill) != HostPart::kNone) return false;
    return unless([&] { return enqueueFill(*fill); });
  }
  if (auto* prefetch = std::get_if<backend::PrefetchStep>(&command.work)) {
    return unless([&] { return enqueuePrefetch(*prefetch); });
  }
  if (auto* replay = std::get_if<ReplayCommand>(&command.work)) {
    if (!skip) latch.set(enqueueReplay(*replay->replay, replay->version.get()));
    recordHeld(*replay->end, command.serial);
    return true;
  }
  if (auto* record = std::get_if<RecordCommand>(&command.work)) {
    recordHeld(*record->point, command.serial);
    return true;
  }
  if (auto* wait = std::get_if<WaitCommand>(&command.work)) {
    if (skip && (wait->skip == backend::Skip::kOnFailure || device_.isLost())) return true;
    if (wait->point->done()) {
      latch.set(wait->point->status());
      return true;
    }
    bool taken = true;
    const Status status = enqueueWait(*wait->point, &taken);
    return taken && status.ok();  // else the host can wait for it, too
  }
  auto& call = std::get<TaskCommand>(command.work);
  if (call.kind != backend::TaskKind::kInternal) return false;
  bool taken = true;
  const Status status = enqueueTask(&call.task, command.serial, &taken);
  return taken && status.ok();
}

}  // namespace manyrt::driver
