// A stream of the CPU: a ring of commands and one word of state that says which thread may run them. Threads that submit write
// commands; an executor (a worker, or the thread that waits) runs them in order. See engine.h for how workers find it.
//
// A submission and an executor that leaves meet in two sequentially consistent operations each. A producer sets `producing_`,
// publishes, then reads `state_`. An executor writes `state_`, then reads `producing_`. Either the producer sees a free
// stream and lists it, or the executor sees that something is coming.
#pragma once

#include <atomic>

#include "backends/backend.h"
#include "backends/cpu/engine.h"
#include "backends/cpu/ring.h"
#include "base/host_threads.h"

namespace manyrt::cpu {

class Point;

// The thread that runs commands.
struct Executor {
  Worker* worker = nullptr;  // null: a thread that waits
  int depth = 0;             // of streams run on behalf of streams
  int64_t since = 0;         // when it took the stream
};

enum class Stop { kEmpty, kTarget, kYield, kBlocked };

class Stream final : public backend::Stream {
 public:
  static Status create(Ref<backend::Stream>* stream, Engine& engine, const backend::StreamOptions& options);
  ~Stream() override;
  void renew(const backend::StreamOptions& options);

  Status launch(backend::Kernel& kernel, const backend::Launch& launch) override;
  Status copy(const backend::Copy& copy) override;
  Status fill(const backend::Fill& fill) override;
  Status prefetch(const void* address, uint64_t size, bool to_host) override;
  Status record(Ref<backend::Point> point) override;
  Status wait(Ref<backend::Point> point, backend::Skip skip) override;
  Status call(Task* task, backend::TaskKind kind) override;
  bool copyNow(const backend::Copy& copy) override;
  bool copyAndRead(const backend::Copy& copy, Status* status) override;
  bool callAtOnce(std::unique_ptr<Task>* task, Status* status) override;
  uint64_t submitted() const override { return submitted_.load(std::memory_order_acquire); }
  uint64_t completed() override { return completed_.load(std::memory_order_acquire); }
  bool wait(uint64_t serial, Deadline deadline) override;
  bool isInsideTask() const override;
  void native(uint64_t out[2]) override;
  // A graph as one submission; `end` is passed after it.
  Status replay(Ref<ReplayArray> array, Ref<SlotValues> values, Ref<backend::Point> end);

  // For the engine. Runs the stream on a worker; returns when its last command ended.
  int64_t work(Worker& worker);
  void unblock();                         // of a blocked stream; takes the reference that blocking left
  void hurry();                           // a thread waits for it without running it
  void help(uint64_t serial, int depth);  // runs it up to the serial if no other thread does
  bool hasWork() const {
    return producing_.load(std::memory_order_seq_cst) ||
           completed_.load(std::memory_order_acquire) != submitted_.load(std::memory_order_acquire);
  }
  bool isFree() const { return state_.load(std::memory_order_seq_cst) == kFree; }

 private:
  friend class Engine;
  enum State : uint32_t { kFree, kRunning, kBlocked };
  enum Listed : uint32_t { kNotListed, kLazy, kUrgent };

  class Gate final : public backend::Waiter {  // what the stream leaves with a point that it waits for
   public:
    explicit Gate(Stream& stream) : stream_(stream) {}
    void passed(backend::Point&) override { stream_.unblock(); }

   private:
    Stream& stream_;
  };
  class Host final : public host_threads::Job {  // a user's function on a thread of the library
   public:
    explicit Host(Stream& stream) : stream_(stream) {}
    void run() override { stream_.runUser(); }

   private:
    Stream& stream_;
  };

  explicit Stream(Engine& engine);

  void lockProducer();
  void unlockProducer();
  Status outOfMemory();  // unlocks
  void publish(uint32_t slots, bool urgent);

  // The load first: it leaves the cache line shared where another thread has the stream. The exchange is a step of the
  // protocol, and acquires what the executor before released in leave().
  bool acquire() {
    uint32_t expected = kFree;
    return state_.load(std::memory_order_relaxed) == kFree &&
           state_.compare_exchange_strong(expected, kRunning, std::memory_order_seq_cst);
  }
  bool acquireIdle();
  void leave(bool urgent);
  void drain(uint64_t serial, bool came_first);
  bool waitersComeFirst() const;
  bool waitLong(uint64_t serial, Deadline deadline);
  bool sleep(uint64_t serial, Deadline deadline);
  void tellSleepers(uint64_t done);
  bool linger(Worker& worker, int64_t* last);

  Stop run(Executor& executor, uint64_t target);
  void passRecords();
  bool shouldYield(const Executor& executor) const;
  void runLaunch(LaunchCommand& command, const Executor& executor);
  void runCopy(const backend::Copy& copy, bool foreign);
  void runFill(const backend::Fill& fill, bool foreign);
  bool awaitPoint(backend::Point& point, const Executor& executor);
  bool callUser(const TaskCommand& command, const Executor& executor);
  void runTask(Task* task);
  void callInternal(Task* task);
  void runUser();
  void passPoint(backend::Point* point);

  const Ref<Engine> engine_;
  Gate gate_;
  Host host_;
  Task* task_ = nullptr;          // of the user, while it runs
  bool task_done_ = false;        // the head of the ring has been run by a host thread
  HostKernel* kernel_ = nullptr;  // producer's: the kernel launched last, owned
  std::atomic<int32_t> priority_{0};

  Ring ring_;

  // Producers' line.
  // submitted_ is written under producing_: relaxed there. Its release in publish() pairs with the acquire of the executor,
  // which then reads the slots.
  alignas(64) std::atomic<bool> producing_{false};
  std::atomic<uint64_t> submitted_{0};
  // Executors' line.
  // Written by the executor, which reads its own store relaxed. Its release pairs with the acquire of waits and queries: what
  // the commands up to there wrote is visible.
  alignas(64) std::atomic<uint64_t> completed_{0};
  uint32_t drains_ = 0;      // executor's: counts drains by waiting threads, some of which are timed
  bool short_drain_ = true;  // executor's: the last timed one was short
  uint32_t came_first_ = 0;  // executor's: how often of late a waiting thread began long work before a worker did
  // Read by both sides, seldom written while a worker has the stream.
  alignas(64) std::atomic<uint32_t> state_{kFree};
  std::atomic<uint32_t> listed_{kNotListed};
  std::atomic<uint32_t> drainers_{0};  // threads that wait, awake, and would run the stream
  std::atomic<uint32_t> sleepers_{0};
  // let_go_ and patient_ are hints: relaxed, since a stale value costs a wake-up or a longer wait at most.
  std::atomic<bool> let_go_{false};    // a thread that waits has met a worker here and would rather run the stream itself
  std::atomic<bool> patient_{false};   // drained by its waiters: a submission need not wake a worker
  std::atomic<uint32_t> progress_{0};  // sleepers sleep on it
  std::atomic<uint64_t> wake_at_{UINT64_MAX};

  // Under the engine's lock; on lines of their own, since napping workers read them.
  alignas(64) Stream* next_ = nullptr;
  Stream* previous_ = nullptr;
  Stream* next_waiting_ = nullptr;  // of those that wait for a cooperative launch
  int list_ = 0;
  uint64_t seen_ = 0;              // completed_ when a worker last looked
  uint64_t idle_at_ = UINT64_MAX;  // submitted_ when a worker found it idle
};

}  // namespace manyrt::cpu
