// Running the commands of a stream, by a worker or by a thread that waits. The executor stops where the stream has to wait for
// a point, for a user's function or for its turn to launch cooperatively. The thread that ends this wait lists the stream
// again.
#include <algorithm>

#include "backends/cpu/launch.h"
#include "backends/cpu/point.h"
#include "backends/cpu/replay_array.h"
#include "backends/cpu/stream.h"
#include "backends/cpu/transfer.h"
#include "backends/traced.h"
#include "base/crash.h"
#include "base/os/barrier.h"
#include "base/trace/words.h"

namespace manyrt::cpu {
namespace {

constexpr int64_t kSlice = 500'000;     // of a worker, where other streams wait
constexpr int64_t kLinger = 50'000;     // with a stream that has just become empty
constexpr int64_t kShortWork = 20'000;  // of a worker, that it need not have been woken for
constexpr int kMaxDepth = 8;
constexpr int kRest = 48;  // pauses before the first look at a stream that has just become empty

thread_local const Stream* task_stream = nullptr;  // whose user's function this thread runs

// Times one command while a trace is on, unless the profile only counts it. `describe` is called at the end, so that nothing is
// made where the trace is off. A worker has what it runs in its own track, too.
template <class Describe>
class Traced {
 public:
  Traced(const Stream& stream, uint64_t serial, const Executor* executor, Describe describe, bool times = trace::timesWork())
      : stream_(stream), serial_(serial), executor_(executor), describe_(describe), begin_(times ? nowNanoseconds() : 0) {}
  ~Traced() {
    if (begin_ != 0) [[unlikely]]
      tell();
  }
  Traced(const Traced&) = delete;
  Traced& operator=(const Traced&) = delete;

 private:
  [[gnu::noinline, gnu::cold]] void tell() const {
    const int64_t end = nowNanoseconds();
    const trace::Work work = describe_();
    trace::work(stream_.track, serial_, work, begin_, end);
    trace::ranHere(end - begin_);
    if (executor_ != nullptr && executor_->worker != nullptr) trace::part(trace::nameOf(work), begin_, end);
  }

  const Stream& stream_;
  const uint64_t serial_;
  const Executor* const executor_;  // null: no executor of the stream
  const Describe describe_;
  const int64_t begin_;
};

// A worker may leave a graph in the middle, and another thread goes on with it: the array tells of the whole.
class PartOfGraph {
 public:
  explicit PartOfGraph(const Executor& executor)
      : begin_(executor.worker != nullptr && trace::tellsParts() ? nowNanoseconds() : 0) {}
  PartOfGraph(const PartOfGraph&) = delete;
  PartOfGraph& operator=(const PartOfGraph&) = delete;
  ~PartOfGraph() {
    if (begin_ != 0) [[unlikely]]
      trace::part(trace::wordOf(trace::Kind::kGraph), begin_, nowNanoseconds());
  }

 private:
  const int64_t begin_;
};

trace::Work describeLaunch(const LaunchCommand& command) {
  backend::Launch launch{};
  std::copy_n(command.grid, 3, launch.grid);
  std::copy_n(command.group, 3, launch.group);
  return backend::describe(*command.kernel, launch);
}

}  // namespace

bool Stream::isInsideTask() const { return task_stream == this; }

inline bool Stream::shouldYield(const Executor& executor) const {
  if (executor.worker == nullptr) return false;
  // drainers_ is a step of the protocol in stream.h; let_go_ is a hint.
  if (drainers_.load(std::memory_order_seq_cst) != 0 || let_go_.load(std::memory_order_relaxed)) return true;
  if (engine_->interrupted()) return true;
  return engine_->urgentWaits() && nowNanoseconds() - executor.since > kSlice;
}

// The stream is acquired. On kBlocked it no longer is, and may be gone.
[[gnu::hot]] Stop Stream::run(Executor& executor, uint64_t target) {
  // Relaxed: only the executor writes completed_, and state_ has handed it over. submitted_ is read when what was seen of it is
  // done, since each load takes the cache line from the producer. Its acquire pairs with the release in publish(), so that the
  // slots up to `limit` are visible. A command that blocks the stream stays at the head of the ring and is visited again.
  crash::prepareThread();
  trace::LaunchCounter counter;
  uint64_t done = completed_.load(std::memory_order_relaxed);
  uint64_t limit = done;
  const bool foreign = executor.worker == nullptr;
  for (;;) {
    if (done == limit) {
      limit = submitted_.load(std::memory_order_acquire);
      if (done == limit) return Stop::kEmpty;
    }
    if (done >= target) return Stop::kTarget;
    if (shouldYield(executor)) return Stop::kYield;
    Header* header = ring_.front();
    const uint32_t slots = header->slots;
    switch (header->kind) {
      case Kind::kLaunch: {
        LaunchCommand& command = *reinterpret_cast<LaunchCommand*>(header);
        // First, also if the stream has failed: the reference is the command's. A command that blocks is visited again, hence
        // exchange.
        if (HostKernel* dropped = std::exchange(command.dropped, nullptr); dropped != nullptr) dropped->drop();
        if (latch.failed()) {
          // This stream may have been given its turn while it was blocked. The turn goes on to the next one.
          if (command.header.cooperative) engine_->passCooperative();
          break;
        }
        if (command.header.cooperative && !engine_->claimCooperative(this)) return Stop::kBlocked;
        const Traced traced(
            *this, done + 1, &executor, [&] { return describeLaunch(command); },
            trace::timesWork() && !trace::counts(counter, *command.kernel));
        runLaunch(command, executor);
        break;
      }
      case Kind::kCopy: {
        if (latch.failed()) break;
        const backend::Copy& copy = reinterpret_cast<CopyCommand*>(header)->copy;
        const Traced traced(*this, done + 1, &executor, [&] { return backend::describe(copy); });
        runCopy(copy, foreign);
        break;
      }
      case Kind::kFill: {
        if (latch.failed()) break;
        const backend::Fill& fill = reinterpret_cast<FillCommand*>(header)->fill;
        const Traced traced(*this, done + 1, &executor, [&] { return backend::describe(fill); });
        runFill(fill, foreign);
        break;
      }
      case Kind::kReplay: {
        ReplayCommand& command = *reinterpret_cast<ReplayCommand*>(header);
        const PartOfGraph part(executor);
        const ReplayArray::Told told{track, done + 1};
        if (command.values != nullptr) command.array->use(*command.values);
        // A worker comes back after a part of the graph. The array knows its position, so any thread may go on with it.
        while (!command.array->advance(*engine_, latch, foreign, trace::timesWork() ? &told : nullptr)) {
          if (shouldYield(executor)) return Stop::kYield;
        }
        command.array->drop();
        if (command.values != nullptr) command.values->drop();
        passPoint(command.end);
        break;
      }
      case Kind::kRecord:
        passPoint(reinterpret_cast<PointCommand*>(header)->point);
        break;
      case Kind::kWait: {
        const PointCommand& command = *reinterpret_cast<PointCommand*>(header);
        backend::Point* point = command.point;
        if (!latch.failed() || command.skip == backend::Skip::kNever) {
          if (!awaitPoint(*point, executor)) return Stop::kBlocked;
          if (!point->status().ok()) latch.set(point->status());
        }
        point->drop();
        break;
      }
      case Kind::kInternal: {
        const Traced traced(*this, done + 1, &executor, [] { return backend::describe(trace::Kind::kTask); });
        callInternal(reinterpret_cast<TaskCommand*>(header)->task);
        break;
      }
      case Kind::kUser:
        if (!callUser(*reinterpret_cast<TaskCommand*>(header), executor)) return Stop::kBlocked;
        break;
      case Kind::kHint:
      case Kind::kJump:
        break;
    }
    ring_.pop(slots);
    // The release publishes what the command wrote to a thread that reads completed_. The light barrier pairs with the heavy
    // one in sleep(): the store comes before the look for sleepers.
    completed_.store(++done, std::memory_order_release);
    barrier::light();
    if (sleepers_.load(std::memory_order_seq_cst) != 0) [[unlikely]]
      tellSleepers(done);
  }
}

// The stream is acquired. Passes the records and hints at its head.
void Stream::passRecords() {
  Executor executor;
  for (;;) {
    // As in run(): this thread is the executor, and the acquire shows the slot at the head.
    const uint64_t done = completed_.load(std::memory_order_relaxed);
    if (done == submitted_.load(std::memory_order_acquire)) return;
    const Kind kind = ring_.front()->kind;
    if (kind != Kind::kRecord && kind != Kind::kHint) return;
    (void)run(executor, done + 1);
  }
}

[[gnu::hot]] void Stream::runLaunch(LaunchCommand& command, const Executor& executor) {
  HostKernel& kernel = *command.kernel;
  void* args[kMaxArguments];
  kernel.point(command.values(), args);
  const Header& header = command.header;
  cpu::runLaunch(
      *engine_, latch,
      {&kernel, command.grid, command.group, command.offset, header.local_bytes, header.cooperative, command.values(), args},
      executor.worker == nullptr);
}

void Stream::runCopy(const backend::Copy& copy, bool foreign) { copyRows(*engine_, copy, foreign); }

void Stream::runFill(const backend::Fill& fill, bool foreign) { fillRows(*engine_, fill, foreign); }

void Stream::passPoint(backend::Point* point) {
  // Announced first: a thread that sees the point passed may ask the stream, whose completed_ follows only after this command.
  announce(completed_.load(std::memory_order_relaxed) + 1);
  static_cast<Point*>(point)->pass(latch.get());
  point->drop();
}

// True once the point is passed. False: the stream is blocked, and the thread that passes the point unblocks it.
bool Stream::awaitPoint(backend::Point& point, const Executor& executor) {
  if (point.done()) return true;
  if (Point* ours = dynamic_cast<Point*>(&point); ours != nullptr) {
    uint64_t serial;
    if (Ref<Stream> source = ours->source(&serial); source && source.get() != this) {
      if (executor.worker == nullptr && executor.depth < kMaxDepth) {
        // A chain of streams is run by one thread without a switch. The depth is limited, as each step is a frame of the stack.
        source->help(serial, executor.depth + 1);
      } else {
        source->hurry();
      }
      if (point.done()) return true;
      source->hurry();
    }
  }
  // Blocked before it subscribes: the point may be passed, and unblock() called, before subscribe() returns. If it returns
  // true, the stream belongs to another thread and is not touched. The point's lock publishes this executor's state to that
  // thread. The state needs no more than that; sequential consistency keeps all stores to state_ in the one order of the
  // protocol.
  retain();  // until unblock()
  state_.store(kBlocked, std::memory_order_seq_cst);
  if (point.subscribe(&gate_)) return false;
  state_.store(kRunning, std::memory_order_seq_cst);
  drop();
  return true;
}

void Stream::unblock() {
  // As leave(): free first, then the look for drainers. There is always work, at least the command that blocked.
  state_.exchange(kFree, std::memory_order_seq_cst);
  if (drainers_.load(std::memory_order_seq_cst) == 0) engine_->enlist(this, true);
  drop();
}

void Stream::callInternal(Task* task) {
  if (task->tells()) announce(completed_.load(std::memory_order_relaxed) + 1);
  Status result = task->run(latch.get());
  latch.set(std::move(result));
  // Before the command counts as completed: a thread that waits may rely on what the task held being gone.
  delete task;
}

// The first visit hands the function to a thread of the library, the second finds that it has run. A thread that waits for the
// stream without a limit calls a native function itself. It has nothing else to do, and saves the way there and back.
bool Stream::callUser(const TaskCommand& command, const Executor& executor) {
  if (task_done_) {
    task_done_ = false;
    return true;
  }
  if (command.may_run_here && executor.worker == nullptr && executor.depth == 0) {
    runTask(command.task);
    return true;
  }
  // The queue of host threads hands task_ and the ring's position over to runUser(). That sets task_done_ before unblock()
  // frees the stream, which publishes it to the next executor. Nothing is touched after submit(): the stream may run again by
  // then.
  task_ = command.task;
  retain();  // until unblock()
  state_.store(kBlocked, std::memory_order_seq_cst);
  host_threads::submit(&host_);
  return false;
}

void Stream::runTask(Task* task) {
  const Stream* outer = std::exchange(task_stream, this);
  {
    const Traced traced(*this, completed_.load(std::memory_order_relaxed) + 1, nullptr,
                        [] { return backend::describe(trace::Kind::kHostFunction); });
    latch.set(task->run(latch.get()));
    delete task;
  }
  task_stream = outer;
}

void Stream::runUser() {
  runTask(std::exchange(task_, nullptr));
  // Plain: unblock() publishes it with the state, and only the next executor reads it.
  task_done_ = true;
  unblock();
}

int64_t Stream::work(Worker& worker) {
  int64_t last = nowNanoseconds();
  if (drainers_.load(std::memory_order_seq_cst) != 0 || !acquire()) return last;  // they run it, and list what they leave
  // Both are hints, and a stale value costs a wake-up or a longer wait at most: relaxed.
  patient_.store(false, std::memory_order_relaxed);
  let_go_.store(false, std::memory_order_relaxed);
  came_first_ /= 2;
  Executor executor{.worker = &worker, .depth = 0, .since = last};
  int64_t longest = 0;
  for (;;) {
    const int64_t began = nowNanoseconds();
    Stop stop = run(executor, UINT64_MAX);
    longest = std::max(longest, nowNanoseconds() - began);
    if (stop == Stop::kBlocked) return nowNanoseconds();
    if (stop == Stop::kEmpty && linger(worker, &last)) continue;
    if (stop == Stop::kYield) last = nowNanoseconds();
    // The next work is expected to be like the last. Short work is not worth waking a worker for: a napping one, or the
    // thread that waits, comes by soon enough.
    const bool is_short = let_go_.load(std::memory_order_relaxed) ? short_drain_ : longest < kShortWork;
    patient_.store(is_short || waitersComeFirst(), std::memory_order_relaxed);
    leave(true);
    return last;
  }
}

// Stays with an empty stream, so that a burst does not queue it again and again. True when there is something to run.
bool Stream::linger(Worker&, int64_t* last) {
  // This worker is still the executor, and a producer that sees state_ as running relies on it. Each return without more work
  // leads to leave(), which looks once more. The acquire of submitted_ is repeated by run().
  const uint64_t done = completed_.load(std::memory_order_relaxed);
  auto more = [&] { return submitted_.load(std::memory_order_acquire) != done; };
  auto asked = [&] {
    return let_go_.load(std::memory_order_relaxed) || drainers_.load(std::memory_order_seq_cst) != 0 ||
           engine_->urgentWaits() || engine_->team().wanted() || engine_->interrupted();
  };
  if (!engine_->spins()) return more();
  // In a burst each look takes a cache line away from the producer: a short rest lets a batch gather.
  for (int rest = 0; rest < kRest; ++rest) relaxCpu();
  for (int spins = 0; spins < 256; ++spins) {
    if (more()) return true;
    if ((spins & 15) == 15) {
      if (asked()) break;
      relaxCpu();
    }
  }
  // From here on the worker counts as watching, so that other streams need not wake one. It gives that up before relay() looks
  // at the lists again.
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
