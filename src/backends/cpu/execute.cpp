// Running the commands of a stream, by a worker or by a thread that waits. An executor stops where the stream has to wait
// for a point, for a user's function or for its turn to launch cooperatively; whoever ends that wait lists the stream again.
#include <algorithm>
#include <cstring>

#include "backends/cpu/kernel.h"
#include "backends/cpu/point.h"
#include "backends/cpu/stream.h"
#include "backends/cpu/transfer.h"
#include "base/barrier.h"
#include "base/checked.h"

namespace manyrt::cpu {
namespace {

constexpr int64_t kSlice = 500'000;     // of a worker, where other streams wait
constexpr int64_t kLinger = 50'000;     // with a stream that has just become empty
constexpr int64_t kShare = 2'000;       // of running, before a launch is shared
constexpr int64_t kShareKnown = 4'000;  // a launch known to take longer is shared at once
constexpr int64_t kPiece = 10'000;      // of work between two looks at the counter of a shared launch
constexpr int64_t kShortWork = 20'000;  // of a worker, that it need not have been woken for
constexpr int kMostDepth = 8;
constexpr int kRest = 48;  // pauses before the first look at a stream that has just become empty

thread_local const Stream* task_stream = nullptr;  // whose user's function this thread runs

class Traced {  // times one command where a trace is written
 public:
  Traced(const Stream& stream, uint64_t serial, const char* name)
      : stream_(stream), serial_(serial), name_(name), begin_(trace::enabled() ? nowNanoseconds() : 0) {}
  ~Traced() {
    if (begin_ != 0) [[unlikely]]
      trace::work(stream_.lane, serial_, name_, begin_, nowNanoseconds());
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

 private:
  const Stream& stream_;
  const uint64_t serial_;
  const char* const name_;
  const int64_t begin_;
};

}  // namespace

bool Stream::isInsideTask() const { return task_stream == this; }

inline bool Stream::shouldYield(const Executor& who) const {
  if (who.worker == nullptr) return false;
  if (drainers_.load(std::memory_order_seq_cst) != 0 || let_go_.load(std::memory_order_relaxed)) return true;
  if (engine_->interrupted()) return true;
  return engine_->urgentWaits() && nowNanoseconds() - who.since > kSlice;
}

// The stream is acquired. On kBlocked it no longer is, and may be gone.
[[gnu::hot]] Stop Stream::run(Executor& who, uint64_t target) {
  uint64_t done = completed_.load(std::memory_order_relaxed);
  uint64_t limit = done;
  const bool foreign = who.worker == nullptr;
  for (;;) {
    if (done == limit) {
      limit = submitted_.load(std::memory_order_acquire);
      if (done == limit) return Stop::kEmpty;
    }
    if (done >= target) return Stop::kTarget;
    if (shouldYield(who)) return Stop::kYield;
    Header* header = ring_.front();
    const uint32_t slots = header->slots;
    switch (header->kind) {
      case Kind::kLaunch: {
        LaunchCommand& command = *reinterpret_cast<LaunchCommand*>(header);
        if (HostKernel* dropped = std::exchange(command.dropped, nullptr); dropped != nullptr) dropped->drop();
        if (latch.failed()) break;
        if (command.header.cooperative && !engine_->claimCooperative(this)) return Stop::kBlocked;
        Traced traced(*this, done + 1, command.kernel->name());
        runLaunch(command, who);
        break;
      }
      case Kind::kCopy: {
        if (latch.failed()) break;
        Traced traced(*this, done + 1, "copy");
        runCopy(reinterpret_cast<CopyCommand*>(header)->copy, foreign);
        break;
      }
      case Kind::kFill: {
        if (latch.failed()) break;
        Traced traced(*this, done + 1, "fill");
        runFill(reinterpret_cast<FillCommand*>(header)->fill, foreign);
        break;
      }
      case Kind::kRecord:
        passPoint(reinterpret_cast<PointCommand*>(header)->point);
        break;
      case Kind::kWait: {
        backend::Point* point = reinterpret_cast<PointCommand*>(header)->point;
        if (!latch.failed()) {  // a failed stream skips its waits too: what it waits for may never come
          if (!awaitPoint(*point, who)) return Stop::kBlocked;
          if (!point->status().ok()) latch.set(point->status());
        }
        point->drop();
        break;
      }
      case Kind::kInternal: {
        Traced traced(*this, done + 1, "task");
        callInternal(reinterpret_cast<TaskCommand*>(header)->task);
        break;
      }
      case Kind::kUser:
        if (!callUser(reinterpret_cast<TaskCommand*>(header)->task)) return Stop::kBlocked;
        break;
      case Kind::kHint:
      case Kind::kJump:
        break;
    }
    ring_.pop(slots);
    completed_.store(++done, std::memory_order_release);
    barrier::light();
    if (sleepers_.load(std::memory_order_seq_cst) != 0) [[unlikely]]
      tellSleepers(done);
  }
}

[[gnu::hot]] void Stream::runLaunch(LaunchCommand& command, const Executor& who) {
  HostKernel& kernel = *command.kernel;
  const bool foreign = who.worker == nullptr;
  void* args[kMaxArguments];
  kernel.point(command.values(), args);
  GroupRun run;
  run.args = args;
  memcpy(run.grid, command.grid, sizeof run.grid);
  memcpy(run.group, command.group, sizeof run.group);
  run.local_bytes = command.header.local_bytes;
  run.first = run.local = 0;
  run.kernel = &kernel;
  run.engine = engine_.get();
  run.latch = &latch;
  if (kernel.needsArena() || command.header.local_bytes != 0) {
    (void)kernel.localBytes(command.values(), command.header.local_bytes, &run.local);
    if (addOverflows(run.local, kernel.scratchBytes(run.group), &run.local)) run.local = UINT64_MAX;
  }
  uint64_t total;
  if (__builtin_mul_overflow(uint64_t{command.grid[0]} * command.grid[1], uint64_t{command.grid[2]}, &total)) {
    total = UINT64_MAX;  // would not end in any case
  }
  if (command.header.cooperative) return engine_->together(runGroups, &run, static_cast<uint32_t>(total), foreign);
  if (total == 1 || engine_->threads() == 1) return runGroups(&run, 0, total, 0);

  // Runs alone in growing batches, each followed by a look at the clock, until sharing the rest seems worth it.
  const uint64_t cost = kernel.cost.load(std::memory_order_relaxed);
  const int64_t began = nowNanoseconds();
  double each = static_cast<double>(cost) / 16;  // nanoseconds
  uint64_t done = 0;
  if (cost == 0 || each * static_cast<double>(total) < kShareKnown) {
    uint64_t batch = cost == 0 ? 1 : static_cast<uint64_t>(kShare / each) + 1;
    while (done < total && !latch.failed()) {
      uint64_t count = batch < total - done ? batch : total - done;
      runGroups(&run, done, done + count, 0);
      done += count;
      batch *= 2;
      int64_t spent = nowNanoseconds() - began;
      each = static_cast<double>(spent) / static_cast<double>(done);
      if (spent > kShare && each * static_cast<double>(total - done) > kShare) break;
    }
  }
  if (done < total && !latch.failed()) {
    double left = each * static_cast<double>(total - done);
    uint64_t chunk = each < 1 ? kPiece : static_cast<uint64_t>(kPiece / each);
    uint64_t most = (total - done) / (uint64_t{4} * engine_->threads());
    if (chunk > most) chunk = most;
    run.first = done;
    engine_->share(runGroups, &run, total - done, chunk == 0 ? 1 : chunk, left < 1e18 ? static_cast<int64_t>(left) : INT64_MAX,
                   foreign);
    if (done == 0) {  // by as many threads as there are, more or less
      each = static_cast<double>(nowNanoseconds() - began) / static_cast<double>(total) * engine_->threads();
    }
  }
  double measured = each * 16;
  uint32_t next = measured < 1 ? 1 : measured > 4e9 ? 4'000'000'000u : static_cast<uint32_t>(measured);
  if (cost != 0) next = static_cast<uint32_t>((cost * 3 + next) / 4);
  if (next != cost) kernel.cost.store(next == 0 ? 1 : next, std::memory_order_relaxed);
}

void Stream::runCopy(const backend::Copy& copy, bool foreign) { copyRows(*engine_, copy, foreign); }

void Stream::runFill(const backend::Fill& fill, bool foreign) { fillRows(*engine_, fill, foreign); }

void Stream::passPoint(backend::Point* point) {
  static_cast<Point*>(point)->pass(latch.get());
  point->drop();
}

// True once the point is passed. False: the stream is blocked and belongs to whoever passes it.
bool Stream::awaitPoint(backend::Point& point, const Executor& who) {
  if (point.done()) return true;
  if (Point* ours = dynamic_cast<Point*>(&point); ours != nullptr) {
    uint64_t serial;
    if (Ref<Stream> source = ours->source(&serial); source && source.get() != this) {
      if (who.worker == nullptr && who.depth < kMostDepth) {
        source->help(serial, who.depth + 1);
      } else {
        source->hurry();
      }
      if (point.done()) return true;
      source->hurry();
    }
  }
  retain();  // until unblock()
  state_.store(kBlocked, std::memory_order_seq_cst);
  if (point.subscribe(&gate_)) return false;
  state_.store(kRunning, std::memory_order_seq_cst);
  drop();
  return true;
}

void Stream::unblock() {
  state_.exchange(kFree, std::memory_order_seq_cst);
  if (drainers_.load(std::memory_order_seq_cst) == 0) engine_->enlist(this, true);
  drop();
}

void Stream::callInternal(Task* task) {
  Status result = task->run(latch.get());
  latch.set(std::move(result));
  delete task;
}

// The first visit hands the function to a thread of the library, the second finds that it has run.
bool Stream::callUser(Task* task) {
  if (task_done_) {
    task_done_ = false;
    return true;
  }
  task_ = task;
  retain();  // until unblock()
  state_.store(kBlocked, std::memory_order_seq_cst);
  host_threads::submit(&host_);
  return false;
}

void Stream::runUser() {
  const Stream* outer = std::exchange(task_stream, this);
  {
    Traced traced(*this, completed_.load(std::memory_order_relaxed) + 1, "host function");
    Task* task = std::exchange(task_, nullptr);
    latch.set(task->run(latch.get()));
    delete task;
  }
  task_stream = outer;
  task_done_ = true;
  unblock();
}

int64_t Stream::work(Worker& worker) {
  int64_t last = nowNanoseconds();
  if (drainers_.load(std::memory_order_seq_cst) != 0 || !acquire()) return last;  // they run it, and list what they leave
  patient_.store(false, std::memory_order_relaxed);
  let_go_.store(false, std::memory_order_relaxed);
  Executor who{.worker = &worker, .depth = 0, .since = last};
  int64_t longest = 0;
  for (;;) {
    const int64_t began = nowNanoseconds();
    Stop stop = run(who, UINT64_MAX);
    longest = std::max(longest, nowNanoseconds() - began);
    if (stop == Stop::kBlocked) return nowNanoseconds();
    if (stop == Stop::kEmpty && linger(worker, &last)) continue;
    if (stop == Stop::kYield) last = nowNanoseconds();
    // What comes is expected to be like what was: short work is not worth waking a worker for, a napping one or the
    // thread that waits comes by soon enough.
    const bool is_short = let_go_.load(std::memory_order_relaxed) ? short_drain_ : longest < kShortWork;
    patient_.store(is_short, std::memory_order_relaxed);
    leave(true);
    return last;
  }
}

// Stays with an empty stream, so that a burst does not queue it again and again. True when there is something to run.
bool Stream::linger(Worker&, int64_t* last) {
  const uint64_t done = completed_.load(std::memory_order_relaxed);
  auto more = [&] { return submitted_.load(std::memory_order_acquire) != done; };
  auto asked = [&] {
    return let_go_.load(std::memory_order_relaxed) || drainers_.load(std::memory_order_seq_cst) != 0 ||
           engine_->urgentWaits() || engine_->team().wanted() || engine_->interrupted();
  };
  // In a burst each look takes a cache line away from the producer: a short rest lets a batch gather.
  for (int rest = 0; rest < kRest; ++rest) relaxCpu();
  for (int spins = 0; spins < 256; ++spins) {
    if (more()) return true;
    if ((spins & 15) == 15) {
      if (asked()) break;
      relaxCpu();
    }
  }
  *last = nowNanoseconds();
  engine_->beginWatching();
  bool found = false;
  while (!found && !asked() && nowNanoseconds() - *last < kLinger) {
    for (int spins = 0; spins < 64 && !found; ++spins) {
      found = more();
      if ((spins & 15) == 15) relaxCpu();
    }
  }
  engine_->endWatching();
  engine_->relay();
  return found;
}

}  // namespace manyrt::cpu
