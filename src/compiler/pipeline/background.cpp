// The queue, its thread, and the end of the process. A forked child has the state and no thread: it never touches either.
#include "compiler/pipeline/background.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/fault.h"
#include "base/handles/epoch.h"
#include "base/lock_order.h"
#include "base/log.h"
#include "base/os/signal_descriptor.h"
#include "base/os/thread.h"
#include "base/trace.h"

namespace manyrt::compiler::background {
namespace {

constexpr int64_t kStopMilliseconds = 2000;  // for killing compilers and removing their files

// Work that is not needed yet waits this long for a need: a first launch says for which groups code is wanted.
constexpr int64_t kUnneeded = 300'000'000;            // nanoseconds
constexpr auto kLook = std::chrono::milliseconds(5);  // at work that is not needed yet

struct Waiting {
  Work work;
  Urgency urgency;
  int64_t since;
};

struct State {
  Ranked<std::mutex, LockRank::kBackground> mutex;
  ConditionVariable idle;  // also told after each piece of work
  std::deque<Waiting> waiting;
  uint32_t threads = 0;  // that there are
  bool ending = false;   // nothing is accepted any more
  int cancel = -1;
  pid_t owner = 0;  // of the process; 0: nothing was ever submitted
};
State& state() {
  static State* instance = new State;  // never destroyed: the thread may outlast statics
  return *instance;
}

// A few hundred builds wait at most, and a build takes a second: a search is no time beside it. Null: none is needed yet.
Work takeMostUrgent(std::deque<Waiting>* waiting) {
  auto most = waiting->end();
  uint64_t highest = 0;
  const int64_t now = nowNanoseconds();
  for (auto each = waiting->begin(); each != waiting->end(); ++each) {
    const uint64_t urgency = each->urgency ? each->urgency() : 0;
    const bool due = urgency != 0 || !each->urgency || now - each->since >= kUnneeded;
    if (due && (most == waiting->end() || urgency > highest)) most = each, highest = urgency;
  }
  if (most == waiting->end()) return nullptr;
  Work work = std::move(most->work);
  waiting->erase(most);
  return work;
}

void run(void*) {
  State& all = state();
  std::unique_lock lock(all.mutex);
  while (!all.waiting.empty()) {
    Work work = takeMostUrgent(&all.waiting);
    if (!work) {
      all.idle.wait_for(lock, kLook, [&] { return all.ending; });
      continue;
    }
    lock.unlock();
    {
      epoch::Scope scope;
      try {
        work(all.cancel);
      } catch (const std::bad_alloc&) {  // on a thread of the library
        log::write(RT_LOG_WARNING, "There was no memory for a build in the background; the code that runs stays.");
      }
      work = nullptr;  // what it held goes here, where no lock is held
    }
    lock.lock();
    all.idle.notify_all();
  }
  --all.threads;
  all.idle.notify_all();
}

bool awaitIdleLocked(State& all, std::unique_lock<decltype(State::mutex)>& lock, int64_t milliseconds) {
  lock_order::mayWait("a wait for builds in the background");
  return all.idle.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return all.threads == 0; });
}

void atEnd() {
  State& all = state();
  if (all.owner != getpid()) return;  // a forked child: the thread, its compilers and their files are the parent's
  std::unique_lock lock(all.mutex);
  all.ending = true;
  all.idle.notify_all();
  if (all.threads == 0) return;
  std::deque<Waiting> dropped;
  dropped.swap(all.waiting);
  lock.unlock();
  dropped.clear();
  signalDescriptor(all.cancel);
  lock.lock();
  awaitIdleLocked(all, lock, kStopMilliseconds);
}

Status prepare(State& all) {
  if (all.owner != 0) return Status();
  if (all.cancel < 0) all.cancel = openSignalDescriptor();
  if (all.cancel < 0 || atexit(atEnd) != 0) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  all.owner = getpid();
  return Status();
}

}  // namespace

uint32_t mostThreads() { return std::clamp(std::thread::hardware_concurrency() / 4, 1u, 4u); }

Status submit(Work work, Urgency urgency) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  if (all.ending) return Status::bare(RT_ERROR_SHUT_DOWN);
  if (fault::fails("kernels.background")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  RT_TRY(prepare(all));
  all.waiting.push_back({std::move(work), std::move(urgency), nowNanoseconds()});
  if (all.threads >= mostThreads()) return Status();
  ++all.threads;
  Status status = startThread("manyrt-improve", run, nullptr);
  if (status.ok()) return status;
  if (--all.threads != 0) return Status();  // the others will do it
  all.waiting.pop_back();
  return status;
}

bool await(const std::function<bool()>& done, Deadline deadline) {
  constexpr int64_t kMostNanoseconds = int64_t{3600} * 1000 * 1000 * 1000;  // what a clock can add to its time
  State& all = state();
  std::unique_lock lock(all.mutex);
  lock_order::mayWait("a wait for a build in the background");
  const trace::Wait waiting;
  while (!done()) {
    if (deadline.passed() || all.ending) return false;
    const std::chrono::nanoseconds time(std::min(deadline.remaining(), kMostNanoseconds));
    all.idle.wait_for(lock, time, [&] { return done() || all.ending; });
  }
  return true;
}

bool awaitIdle(int64_t milliseconds) {
  State& all = state();
  std::unique_lock lock(all.mutex);
  return awaitIdleLocked(all, lock, milliseconds);
}

}  // namespace manyrt::compiler::background
