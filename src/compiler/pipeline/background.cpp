// The queue, its thread, and the end of the process. A forked child has the state and no thread: it never touches either.
#include "compiler/pipeline/background.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <new>

#include "base/fault.h"
#include "base/handles/epoch.h"
#include "base/lock_order.h"
#include "base/log.h"
#include "base/os/thread.h"
#include "base/trace.h"

namespace manyrt::compiler::background {
namespace {

constexpr int64_t kStopMilliseconds = 2000;  // for killing compilers and removing their files

struct State {
  Ranked<std::mutex, LockRank::kBackground> mutex;
  ConditionVariable idle;  // also told after each piece of work
  std::deque<Work> waiting;
  bool running = false;  // there is a thread
  bool ending = false;   // nothing is accepted any more
  int cancel = -1;
  pid_t owner = 0;  // of the process; 0: nothing was ever submitted
};
State& state() {
  static State* instance = new State;  // never destroyed: the thread may outlast statics
  return *instance;
}

void run(void*) {
  State& all = state();
  std::unique_lock lock(all.mutex);
  while (!all.waiting.empty()) {
    Work work = std::move(all.waiting.front());
    all.waiting.pop_front();
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
  all.running = false;
  all.idle.notify_all();
}

bool awaitIdleLocked(State& all, std::unique_lock<decltype(State::mutex)>& lock, int64_t milliseconds) {
  lock_order::mayWait("a wait for builds in the background");
  return all.idle.wait_for(lock, std::chrono::milliseconds(milliseconds), [&] { return !all.running; });
}

void atEnd() {
  State& all = state();
  if (all.owner != getpid()) return;  // a forked child: the thread, its compilers and their files are the parent's
  std::unique_lock lock(all.mutex);
  all.ending = true;
  all.idle.notify_all();
  if (!all.running) return;
  std::deque<Work> dropped;
  dropped.swap(all.waiting);
  lock.unlock();
  dropped.clear();
  eventfd_write(all.cancel, 1);
  lock.lock();
  awaitIdleLocked(all, lock, kStopMilliseconds);
}

Status prepare(State& all) {
  if (all.owner != 0) return Status();
  if (all.cancel < 0) all.cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (all.cancel < 0 || atexit(atEnd) != 0) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  all.owner = getpid();
  return Status();
}

}  // namespace

Status submit(Work work) {
  State& all = state();
  std::lock_guard lock(all.mutex);
  if (all.ending) return Status::bare(RT_ERROR_SHUT_DOWN);
  if (fault::fails("kernels.background")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  RT_TRY(prepare(all));
  all.waiting.push_back(std::move(work));
  if (all.running) return Status();
  all.running = true;
  Status status = startThread("manyrt-improve", run, nullptr);
  if (!status.ok()) {
    all.running = false;
    all.waiting.pop_back();
  }
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
