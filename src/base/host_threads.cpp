// The pool of host threads: a list of jobs, a count of idle threads, one mutex. A thread without a job for ten seconds ends,
// unless only two are left.
#include "base/host_threads.h"

#include <atomic>
#include <chrono>
#include <mutex>

#include "base/handles/epoch.h"
#include "base/lock_order.h"
#include "base/os/this_thread.h"
#include "base/os/thread.h"

namespace manyrt::host_threads {
namespace {

constexpr size_t kKept = 2;  // for a job that waits, and for the job that it waits for

struct Threads {
  Ranked<std::mutex, LockRank::kHostThreads> mutex;
  ConditionVariable ready;
  Job* first = nullptr;
  Job** last = &first;
  size_t queued = 0;
  size_t idle = 0;
  size_t threads = 0;
  size_t running = 0;               // threads with a job
  ConditionVariable settled;        // no job is queued or running
  bool starved = false;             // a job found no thread, and none could be started
  std::atomic<bool> enough{false};  // there are at least kKept threads, which stay
};
Threads* const instance = new Threads;  // never destroyed: its threads run until the process ends

void body(void* user);

// Called with the lock held.
Status grow(Threads& pool) {
  RT_TRY(startThread("manyrt-host", body, &pool));
  ++pool.threads;
  // Release under the lock; reserve() acquires it without.
  if (pool.threads >= kKept) pool.enough.store(true, std::memory_order_release);
  return Status();
}

void body(void* user) {
  Threads& pool = *static_cast<Threads*>(user);
  this_thread::napPunctually();  // for short sleeps between two looks at a device
  std::unique_lock lock(pool.mutex);
  for (;;) {
    while (pool.first == nullptr) {
      ++pool.idle;
      bool woken = pool.ready.wait_for(lock, std::chrono::seconds(10), [&] { return pool.first != nullptr; });
      --pool.idle;
      if (!woken && pool.threads > kKept) {
        --pool.threads;
        return;
      }
    }
    Job* job = pool.first;
    pool.first = job->next;
    if (pool.first == nullptr) pool.last = &pool.first;
    --pool.queued;
    ++pool.running;
    if (pool.starved) {  // the system may grant a thread by now
      if (pool.queued > pool.idle) (void)grow(pool);
      pool.starved = pool.queued > pool.idle;
    }
    lock.unlock();
    prepareThread();
    {
      epoch::Scope scope;  // at its end the thread is at rest: it reclaims what the job has released, and calls the program
      job->run();
    }
    epoch::park();  // with membarrier refused, the record of a sleeping thread would count as in a call for ever
    lock.lock();
    if (--pool.running == 0 && pool.first == nullptr) pool.settled.notify_all();
  }
}

}  // namespace

Status reserve() {
  Threads& pool = *instance;
  if (pool.enough.load(std::memory_order_acquire)) [[likely]]  // set once, by grow(); kept threads never end
    return Status();
  std::lock_guard lock(pool.mutex);
  while (pool.threads < kKept) RT_TRY(grow(pool));
  return Status();
}

void submit(Job* job) {
  Threads& pool = *instance;
  std::lock_guard lock(pool.mutex);
  job->next = nullptr;
  *pool.last = job;
  pool.last = &job->next;
  ++pool.queued;
  // Without a further thread the job waits for one of the present ones.
  if (pool.queued > pool.idle && !grow(pool).ok()) pool.starved = true;
  pool.ready.notify_one();
}

size_t trySubmit(Job* const* jobs, size_t count) {
  Threads& pool = *instance;
  size_t taken = 0;
  {
    std::lock_guard lock(pool.mutex);
    for (; taken < count && (pool.queued < pool.idle || grow(pool).ok()); ++taken) {
      // Ahead of starved jobs: one of these may wait for the thread that waits for this job.
      Job* const job = jobs[taken];
      job->next = pool.first;
      pool.first = job;
      if (job->next == nullptr) pool.last = &job->next;
      ++pool.queued;
    }
  }
  for (size_t i = 0; i < taken; ++i) pool.ready.notify_one();  // without the lock, for which the threads would wait in turn
  return taken;
}

void settle() {
  lock_order::mayWait("a wait for the threads of the library");
  Threads& pool = *instance;
  std::unique_lock lock(pool.mutex);
  (void)pool.settled.wait_for(lock, std::chrono::seconds(1), [&] { return pool.running == 0 && pool.first == nullptr; });
}

}  // namespace manyrt::host_threads
