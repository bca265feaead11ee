// Submitting to a stream of the CPU and waiting for it. The commands are run in execute.cpp.
#include "backends/cpu/stream.h"

#include <sched.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <new>

#include "backends/cpu/kernel.h"
#include "backends/cpu/point.h"
#include "backends/cpu/replay_array.h"
#include "backends/cpu/transfer.h"
#include "base/lock_order.h"
#include "base/os/barrier.h"
#include "base/os/futex.h"

namespace manyrt::cpu {
namespace {

constexpr int64_t kWaitSpin = 20'000;    // before a waiting thread sleeps
constexpr int64_t kShortDrain = 20'000;  // a drain that a worker need not have begun earlier
constexpr uint32_t kTimedDrains = 16;    // one drain of so many is timed
constexpr uint64_t kFew = 16;            // commands: a look at the clock is little beside more of them
constexpr uint32_t kCameFirst = 4;       // long drains in a row for which a worker was woken in vain
constexpr uint32_t kMostCameFirst = 16;  // of which a worker that comes first takes half

}  // namespace

Stream::Stream(Engine& engine) : engine_(&engine), gate_(*this), host_(*this) {}

Status Stream::create(Ref<backend::Stream>* out, Engine& engine, const backend::StreamOptions& options) {
  Ref<Stream> stream = Ref<Stream>::adopt(new Stream(engine));
  // The first block of the ring is made here, so that a stream which exists can take commands.
  if (!stream->ring_.prepare()) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for the stream \"%s\".", options.label);
  }
  stream->renew(options);
  engine.enter(stream.get());
  *out = std::move(stream);
  return Status();
}

Stream::~Stream() {
  engine_->forget(this);
  if (kernel_ != nullptr) kernel_->drop();
}

void Stream::renew(const backend::StreamOptions& options) {
  lockProducer();
  HostKernel* old = std::exchange(kernel_, nullptr);
  // Under the producer's lock, as launch() exchanges kernel_ under it.
  priority_ = options.priority > 0 ? 0 : options.priority <= -kPriorities ? 1 - kPriorities : options.priority;
  unlockProducer();
  // Outside the spin lock: the last reference ends a kernel, and with it perhaps a module.
  if (old != nullptr) old->drop();
  (void)latch.take();
  trace::renew(&track, "cpu", options.label);
}

void Stream::native(uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(this);
  out[1] = 0;
}

inline void Stream::lockProducer() {
  lock_order::taking(LockRank::kCpuProducer);
  // A spin lock, and the producer's first step of the protocol in stream.h; so the exchange is sequentially consistent. It also
  // acquires what the last producer wrote. The inner loop only waits for a chance to try again: relaxed.
  while (producing_.exchange(true, std::memory_order_seq_cst)) [[unlikely]] {
      for (int spins = 0; producing_.load(std::memory_order_relaxed); ++spins) {
        if (spins < 200) {
          relaxCpu();
        } else {
          sched_yield();
        }
      }
    }
  lock_order::took(LockRank::kCpuProducer);
}

inline void Stream::unlockProducer() {
  lock_order::gave(LockRank::kCpuProducer);
  producing_.store(false, std::memory_order_release);
}

Status Stream::outOfMemory() {
  unlockProducer();
  return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no memory for another command of a stream.");
}

inline void Stream::publish(uint32_t slots, bool urgent) {
  ring_.commit(slots);
  // submitted_ is written under producing_ alone, so it is read relaxed. The release publishes the slots to the executor's
  // acquire load in run(). producing_ was set before state_ and listed_ are read here. leave() frees state_ before it reads
  // producing_, and lookAround() clears listed_ before that. So this thread sees the stream free and unlisted, or they see the
  // submission. If they read producing_ as false again, unlockProducer() has published submitted_ to them.
  submitted_.store(submitted_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  bool unlisted = state_.load(std::memory_order_seq_cst) == kFree && listed_.load(std::memory_order_seq_cst) == kNotListed;
  unlockProducer();
  if (unlisted) [[unlikely]] {
    engine_->enlist(this, urgent || !patient_.load(std::memory_order_relaxed));
  } else if (urgent) {
    hurry();
  }
}

[[gnu::hot]] Status Stream::launch(backend::Kernel& base, const backend::Launch& launch) {
  HostKernel& kernel = static_cast<HostKernel&>(base);
  RT_TRY(engine_->ready(launch.cooperative));
  // Values are written to the ring in place. A refusal after reserve() leaves nothing: the next command takes the same slots.
  uint32_t slots = 1 + (kernel.argumentBytes() + kSlotBytes - 1) / kSlotBytes;
  lockProducer();
  void* slot = ring_.reserve(slots);
  if (slot == nullptr) [[unlikely]]
    return outOfMemory();
  LaunchCommand* command = new (slot) LaunchCommand;
  command->header = {Kind::kLaunch, launch.cooperative, static_cast<uint16_t>(slots), launch.local_bytes};
  command->kernel = &kernel;
  memcpy(command->grid, launch.grid, sizeof command->grid);
  memcpy(command->group, launch.group, sizeof command->group);
  for (int d = 0; d < 3; ++d) command->offset[d] = static_cast<uint32_t>(launch.offset[d]);  // below kMaxItems: checked
  unsigned char* values = command->values();
  const backend::Argument* argument = kernel.arguments().data();
  for (size_t i = 0, count = kernel.arguments().size(); i < count; ++i) {
    if (argument[i].size == 8) [[likely]] {
      memcpy(values + argument[i].offset, launch.arguments[i], 8);
    } else {
      memcpy(values + argument[i].offset, launch.arguments[i], argument[i].size);
    }
  }
  if (kernel.hasLocals() || launch.local_bytes != 0) [[unlikely]] {
    uint64_t bytes;
    if (!kernel.localBytes(values, launch.local_bytes, &bytes)) {
      unlockProducer();
      return Status::error(RT_ERROR_INVALID_VALUE, "The kernel \"%s\" asks for more than %llu bytes of local memory.",
                           kernel.name(), static_cast<unsigned long long>(kMaxLocalBytes));
    }
  }
  // One reference serves all launches of a kernel in a row; the launch that brings another kernel carries it away.
  command->dropped = nullptr;
  if (kernel_ != &kernel) [[unlikely]] {
    kernel.retain();
    command->dropped = std::exchange(kernel_, &kernel);
  }
  publish(slots, false);
  return Status();
}

Status Stream::copy(const backend::Copy& copy) {
  RT_TRY(engine_->ready(false));
  lockProducer();
  void* slot = ring_.reserve(1);
  if (slot == nullptr) return outOfMemory();
  // The copy is a value: what the caller's struct becomes does not matter.
  new (slot) CopyCommand{{.kind = Kind::kCopy}, copy};
  publish(1, false);
  return Status();
}

Status Stream::fill(const backend::Fill& fill) {
  RT_TRY(engine_->ready(false));
  lockProducer();
  void* slot = ring_.reserve(1);
  if (slot == nullptr) return outOfMemory();
  new (slot) FillCommand{{.kind = Kind::kFill}, fill};
  publish(1, false);
  return Status();
}

Status Stream::prefetch(const void*, uint64_t, bool) {
  RT_TRY(engine_->ready(false));
  lockProducer();
  void* slot = ring_.reserve(1);
  if (slot == nullptr) return outOfMemory();
  new (slot) Header{.kind = Kind::kHint};
  publish(1, false);
  return Status();
}

Status Stream::replay(Ref<ReplayArray> array, Ref<SlotValues> values, Ref<backend::Point> end) {
  RT_TRY(engine_->ready(false));
  lockProducer();
  void* slot = ring_.reserve(1);
  if (slot == nullptr) return outOfMemory();
  // Before the command is published: a thread that waits for the point has to find the stream that passes it.
  static_cast<Point*>(end.get())->expect(Ref<Stream>(this), submitted_.load(std::memory_order_relaxed) + 1);
  new (slot) ReplayCommand{{.kind = Kind::kReplay}, array.detach(), values.detach(), end.detach()};
  publish(1, false);
  return Status();
}

Status Stream::record(Ref<backend::Point> point) {
  RT_TRY(engine_->ready(false));
  lockProducer();
  void* slot = ring_.reserve(1);
  if (slot == nullptr) return outOfMemory();
  static_cast<Point*>(point.get())->expect(Ref<Stream>(this), submitted_.load(std::memory_order_relaxed) + 1);
  new (slot) PointCommand{{.kind = Kind::kRecord}, point.detach()};
  publish(1, false);
  return Status();
}

Status Stream::wait(Ref<backend::Point> point, backend::Skip skip) {
  RT_TRY(engine_->ready(false));
  lockProducer();
  void* slot = ring_.reserve(1);
  if (slot == nullptr) return outOfMemory();
  new (slot) PointCommand{{.kind = Kind::kWait}, point.detach(), skip};
  publish(1, false);
  return Status();
}

Status Stream::call(Task* task, backend::TaskKind kind) {
  std::unique_ptr<Task> owner(task);
  RT_TRY(engine_->ready(false));
  const bool of_program = kind != backend::TaskKind::kInternal, native = kind == backend::TaskKind::kNative;
  // Before the command is there: a function of the program needs a thread, and a submission is the last chance to refuse it.
  if (of_program) RT_TRY(host_threads::reserve());
  lockProducer();
  // The task goes into the slot only after it is reserved. Until then it ends with this call.
  void* slot = ring_.reserve(1);
  if (slot == nullptr) return outOfMemory();
  new (slot) TaskCommand{{.kind = of_program ? Kind::kUser : Kind::kInternal}, owner.release(), native};
  publish(1, of_program && !native);  // a host function goes to another thread in any case: not a moment late
  return Status();
}

bool Stream::copyNow(const backend::Copy& copy) {
  // A failed stream skips copies, which the ordinary way does.
  if (latch.failed() || hasWork()) return false;
  if (copyIsShort(copy)) {  // nothing before it is left, and what comes after it comes after this call
    memcpy(copy.dst, copy.src, copy.width);
    return true;
  }
  // A long copy takes the stream, as a submission of another thread would otherwise run beside it. Relaxed: acquire() makes
  // this thread the executor, and only executors write completed_.
  if (!acquire()) return false;
  if (completed_.load(std::memory_order_relaxed) != submitted_.load(std::memory_order_acquire)) {
    leave(false);
    return false;
  }
  runCopy(copy, true);
  leave(false);
  return true;
}

// Event records alone ahead of the copy do not make the stream busy: passing them here is cheaper than a second copy.
bool Stream::copyAndRead(const backend::Copy& copy, Status*) {
  if (trace::timesWork()) return false;  // a trace shows the copy as a submission
  if (hasWork() && acquire()) {
    passRecords();
    leave(false);
  }
  return copyNow(copy);
}

// The stream is taken first: else a worker might run the function. While this thread has it and producers are kept out, nothing
// comes ahead of the function.
bool Stream::callAtOnce(std::unique_ptr<Task>* task, Status* status) {
  if (hasWork() || !acquireIdle()) return false;
  *status = engine_->ready(false);
  if (!status->ok()) {
    leave(false);
    return true;
  }
  lockProducer();
  // Relaxed: the executor alone writes completed_, and submitted_ is written under producing_.
  const uint64_t serial = submitted_.load(std::memory_order_relaxed) + 1;
  if (completed_.load(std::memory_order_relaxed) + 1 != serial) {
    unlockProducer();
    leave(false);
    return false;
  }
  void* slot = ring_.reserve(1);
  if (slot == nullptr) {
    *status = outOfMemory();
  } else {
    new (slot) TaskCommand{{.kind = Kind::kUser}, task->release(), true};
    publish(1, false);
    Executor executor;
    (void)run(executor, serial);  // a native function does not block the thread that calls it itself
  }
  leave(false);
  return true;
}

// Takes the stream unless it has work. A worker that stays with the empty stream for a while is asked to let go, as by a thread
// that waits: see waitLong().
bool Stream::acquireIdle() {
  // Free, as most idle streams are.
  if (acquire()) return true;
  drainers_.fetch_add(1, std::memory_order_seq_cst);
  let_go_.store(true, std::memory_order_relaxed);
  bool acquired = false;
  for (uint32_t looks = 1; !hasWork() && !(acquired = acquire()); ++looks) {
    if (looks % 64 == 0) {
      sched_yield();
    } else {
      relaxCpu();
    }
  }
  drainers_.fetch_sub(1, std::memory_order_seq_cst);
  if (!acquired) hurry();
  return acquired;
}

// Gives the stream up; what has been submitted meanwhile is listed, unless a thread that waits is there to run it.
[[gnu::hot]] void Stream::leave(bool urgent) {
  // The executor's half of the protocol: state_ is free before producing_, drainers_ and sleepers_ are read. A drainer raises
  // drainers_ before it reads state_, and calls hurry() after lowering it. So work is listed here, run by it, or listed there.
  // The exchange also releases the ring's read position and what the commands did to the next executor.
  state_.exchange(kFree, std::memory_order_seq_cst);
  if (hasWork() && drainers_.load(std::memory_order_seq_cst) == 0) [[unlikely]] {
    engine_->enlist(this,
                    urgent || !patient_.load(std::memory_order_relaxed) || sleepers_.load(std::memory_order_seq_cst) != 0);
  }
}

void Stream::hurry() {
  // Not free: the executor lists what it leaves. Sequentially consistent, since a caller has raised sleepers_ or lowered
  // drainers_ before, and leave() and unblock() read those after their store to state_.
  if (listed_.load(std::memory_order_seq_cst) == kUrgent || !isFree() || !hasWork()) return;
  engine_->enlist(this, true);
}

// A program that waits after each submission runs its work itself, however long that is. A worker that is woken for it takes a
// core from it, and where other processes need the cores too, from all of them.
bool Stream::waitersComeFirst() const { return came_first_ >= kCameFirst; }

// The stream is acquired. Runs it up to the serial on this thread, which may have come before any worker did.
inline void Stream::drain(uint64_t serial, bool came_first) {
  Executor executor;
  bool timed = (drains_++ & (kTimedDrains - 1)) == 0;
  int64_t began = timed ? nowNanoseconds() : 0;
  if (run(executor, serial) == Stop::kBlocked) return;  // no longer ours
  // Only one drain of kTimedDrains looks at the clock, which costs as much as a short command.
  if (timed) short_drain_ = nowNanoseconds() - began < kShortDrain;
  bool patient = short_drain_;
  if (!patient) {
    if (came_first && came_first_ < kMostCameFirst) ++came_first_;
    patient = waitersComeFirst();
  }
  if (patient_.load(std::memory_order_relaxed) != patient) patient_.store(patient, std::memory_order_relaxed);
  leave(false);
}

[[gnu::hot]] bool Stream::wait(uint64_t serial, Deadline deadline) {
  lock_order::mayWait("a wait for a stream");
  const uint64_t done = completed_.load(std::memory_order_acquire);
  if (done >= serial) return true;
  if (deadline.isNever() && acquire()) {
    const trace::Wait waiting(serial - done <= kFew);
    drain(serial, true);
    if (completed_.load(std::memory_order_acquire) >= serial) return true;
  }
  const trace::Wait waiting;
  return waitLong(serial, deadline);
}

void Stream::help(uint64_t serial, int depth) {
  if (completed_.load(std::memory_order_acquire) >= serial || !acquire()) return;
  Executor executor{.worker = nullptr, .depth = depth};
  if (run(executor, serial) != Stop::kBlocked) leave(true);
}

// Spins beside the executor, then sleeps. With an infinite deadline the thread is a drainer: it asks the executor to let go,
// and runs the stream itself once it is free. With a finite one it runs nothing, and makes sure that a worker does.
bool Stream::waitLong(uint64_t serial, Deadline deadline) {
  auto done = [&] { return completed_.load(std::memory_order_acquire) >= serial; };
  const bool drains = deadline.isNever();
  const backend::WaitPolicy policy = engine_->policy();
  int64_t began = nowNanoseconds();
  while (!done()) {
    if (!drains) hurry();
    if (deadline.passed()) return done();
    if (drains) {
      // Raised before state_ is read below; leave() and unblock() free state_ before they read drainers_. let_go_ is a hint to
      // the worker that has the stream: relaxed, since drainers_ says the same.
      drainers_.fetch_add(1, std::memory_order_seq_cst);
      let_go_.store(true, std::memory_order_relaxed);
    }
    bool tired = policy == backend::WaitPolicy::kBlock || (policy == backend::WaitPolicy::kDefault && !engine_->spins());
    for (;;) {
      if (done()) break;
      if (drains && acquire()) {
        drain(serial, false);
        began = nowNanoseconds();
        continue;
      }
      if (tired) break;
      for (int spins = 0; spins < 64 && !done() && !(drains && isFree()); ++spins) {
        if ((spins & 3) == 3) relaxCpu();
      }
      if (policy == backend::WaitPolicy::kYield) sched_yield();
      if (policy == backend::WaitPolicy::kDefault && nowNanoseconds() - began > kWaitSpin) tired = true;
      if (deadline.passed()) break;
    }
    if (drains) {
      // An executor that saw this drainer has listed nothing. Its store to state_ came before the decrement, so hurry() sees
      // it.
      drainers_.fetch_sub(1, std::memory_order_seq_cst);
      hurry();
    }
    if (done()) return true;
    if (!tired) continue;
    if (!sleep(serial, deadline)) return done();
    began = nowNanoseconds();
  }
  return true;
}

// Sleeps until progress is told or the deadline has passed (false).
bool Stream::sleep(uint64_t serial, Deadline deadline) {
  // The sleeper publishes sleepers_ and wake_at_, passes the heavy barrier, and reads completed_. The executor stores
  // completed_, passes the light one, and reads sleepers_ and wake_at_. So the sleeper sees the number or the executor sees the
  // sleeper. progress_ is read first: tellSleepers() changes it after resetting wake_at_, and then the futex does not sleep.
  // So a reset that discards this thread's wake_at_ costs one more look. Acquire: a thread that reads the new progress_ sees
  // the reset, too.
  uint32_t progress = progress_.load(std::memory_order_acquire);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  uint64_t least = wake_at_.load(std::memory_order_seq_cst);
  while (serial < least && !wake_at_.compare_exchange_weak(least, serial, std::memory_order_seq_cst)) {
  }
  // False where the system has no such barrier: then the sleep is bounded.
  const bool ordered = barrier::heavy();
  bool in_time = true;
  if (completed_.load(std::memory_order_acquire) < serial) {
    hurry();
    if (ordered) [[likely]] {
      in_time = futexWait(&progress_, progress, deadline);
    } else {  // the executing thread may miss the sleeper: the caller looks again
      const uint64_t nap = std::min<uint64_t>(barrier::kNapNanoseconds, static_cast<uint64_t>(deadline.remaining()));
      (void)futexWait(&progress_, progress, Deadline::after(nap));
      in_time = !deadline.passed();
    }
  }
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  return in_time;
}

void Stream::tellSleepers(uint64_t done) {
  // All sleepers wake and register again, so that one number is enough: the least that a sleeper waits for. The reset comes
  // before progress_ changes, as sleep() needs it.
  if (done < wake_at_.load(std::memory_order_seq_cst)) return;
  wake_at_.store(UINT64_MAX, std::memory_order_seq_cst);
  progress_.fetch_add(1, std::memory_order_seq_cst);
  futexWake(&progress_, INT_MAX);
}

}  // namespace manyrt::cpu
