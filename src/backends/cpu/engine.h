// The engine of one context: its worker threads, the lists of streams that have something to run, and the team that shares
// large jobs. Streams enlist themselves, and workers take them. A worker without work watches: it spins for a moment after its
// last command, then naps, then parks. A napping worker wakes by its timer, so most submissions wake no thread.
// Where the process has one processor none spins, and naps are longer: the program does not have the time that a look takes.
//
// A launch that one thread runs alone is watched, too (solo.h). While there are such launches, the last worker that stops
// watching wakes another one, and none parks.
//
// A thread lists a stream first and looks for a watching worker then. A worker first announces that it stops watching and looks
// at the lists then. All four steps are sequentially consistent, so at least one of the two threads sees the other.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/backend.h"
#include "backends/cpu/solo.h"
#include "backends/cpu/team.h"
#include "base/lock_order.h"
#include "base/ref.h"
#include "base/spin_lock.h"
#include "base/status.h"

namespace manyrt::cpu {

class Stream;
class Engine;

constexpr int32_t kPriorities = 3;  // 0, -1, -2

// A worker thread's place. It runs streams of its engine alone.
struct alignas(64) Worker {
  Engine* engine = nullptr;
  TeamMember member;
  std::atomic<uint32_t> sleep{0};  // kAwake, kNapping, kParked; also the word it sleeps on
};

// Memory for the local arguments and the scratch of one executing thread.
struct Arena {
  static constexpr uint64_t kMaxKept = 16 << 20;  // bytes: larger ones go back when the launch has ended
  Arena* next;
  uint64_t size;
  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(this) + 64; }
};

class Engine final : public RefCounted {
 public:
  Engine(uint32_t threads, backend::WaitPolicy policy);
  ~Engine() override;

  uint32_t threads() const { return threads_; }
  backend::WaitPolicy policy() const { return policy_; }
  // False where the process has one processor: a thread that spins would keep the one that it waits for from it.
  bool spins() const { return spins_; }
  Team& team() { return team_; }

  // Called before work is accepted: one worker exists, or with `all` as many as the engine may have.
  Status ready(bool all) {
    // Acquire pairs with the store in start(): the worker that it counts has been set up.
    if (started_.load(std::memory_order_acquire) >= (all ? threads_ : 1)) [[likely]]
      return Status();
    return start(all ? threads_ : 1);
  }
  // Ends the workers and waits for them; the streams are idle.
  void stop();

  // Puts the stream on the list, urgently or for a worker that looks around; listed already: may become urgent.
  void enlist(Stream* stream, bool urgent);
  bool urgentWaits() const { return urgent_.load(std::memory_order_seq_cst) != 0; }
  // Asked again and again by a worker that is busy with a stream. Relaxed: a stale answer makes it stay for one more command.
  bool interrupted() const { return team_.cooperativeWaits() || stopping_.load(std::memory_order_relaxed); }
  // A worker that holds a stream may still be the one that looks around. Sequentially consistent, as the head of this file
  // says.
  void beginWatching() {
    watching_.fetch_add(1, std::memory_order_seq_cst);
    searching_.fetch_add(1, std::memory_order_seq_cst);
  }
  void endWatching() {
    searching_.fetch_sub(1, std::memory_order_seq_cst);
    watching_.fetch_sub(1, std::memory_order_seq_cst);
  }
  void relay();  // the last watcher has gone to work: if something is listed, another one wakes

  // Runs body over [0, total) with help where that is worth it. `nanoseconds`: what is thought to lie ahead.
  void share(JobBody job, void* user, uint64_t total, Pieces pieces, int64_t nanoseconds, bool foreign);
  // A record for a launch that the caller runs alone, beside a worker that watches it. Null: every record is taken.
  Solo* beginSolo(JobBody job, void* user, uint64_t total, bool foreign);
  bool endSolo(Solo& solo) { return solo.end(team_); }  // true: the rest of it has been run by several threads
  void wantWatcher() {                                  // called by an owner of groups that more threads may have to run
    if (watching_.load(std::memory_order_seq_cst) == 0 || cooperative_.load(std::memory_order_relaxed)) wakeWatcher();
  }
  // The right to launch cooperatively. False: the stream was kept (its state is Blocked by now) and is unblocked later.
  bool claimCooperative(Stream* stream);
  void together(JobBody job, void* user, uint32_t total, bool foreign);  // gives the right back
  // Instead of a claim, by a stream that leaves its launch out. It may be the one that was told of its turn. The streams
  // after it are told only when a turn ends, so this passes the turn on.
  void passCooperative() {
    if (cooperative_waiting_.load(std::memory_order_seq_cst) != 0 && !cooperative_.load(std::memory_order_seq_cst)) {
      releaseCooperative();
    }
  }

  Arena* takeArena(uint64_t size);  // null without memory
  void giveArena(Arena* arena);

  // Streams that exist, so that an imported address is looked up, not followed.
  void enter(Stream* stream);
  void forget(Stream* stream);
  Ref<Stream> find(uint64_t address);

 private:
  enum : uint32_t { kAwake, kNapping, kParked };
  struct List {
    Stream* first = nullptr;
    Stream* last = nullptr;
  };

  Status start(uint32_t count);
  void startAnother(uint32_t started);
  static void body(void* worker);
  void work(Worker& worker);
  bool step(Worker& worker, int64_t* active);
  void doze(Worker& worker, int64_t active);
  bool somethingFor(Worker& worker);
  bool lookAround(bool keep_idle, bool* lively, Stream** found);
  void run(Worker& worker, Stream* stream, int64_t* active);
  Stream* takeUrgent();
  void append(int list, Stream* stream);  // under lock_, as remove
  void remove(Stream* stream);
  bool anySolo() const;
  void watchSolos();
  void wakeWatcher();
  bool wake(Worker& worker);
  void wakeOne();
  void wakeHelpers(uint32_t count);
  void wakeSleepers(uint32_t count);
  void releaseCooperative();
  void sleepUntil(Worker& worker, uint32_t how, Deadline deadline);

  const uint32_t threads_;
  const backend::WaitPolicy policy_;
  const bool spins_;
  std::unique_ptr<Worker[]> workers_;
  Team team_;

  // These two, searching_ and watching_ below, and the `sleep` of each worker are the four steps of the head of this file. All
  // accesses are sequentially consistent. The lists themselves are under lock_.
  alignas(64) std::atomic<uint32_t> urgent_{0};  // streams on the urgent lists
  std::atomic<uint32_t> lazy_{0};                // and on the one that is looked at in passing
  // Written under start_mutex_. After a relaxed load that finds too few, start() looks again under the mutex.
  std::atomic<uint32_t> started_{0};
  // stop() says how it meets the sleepers. A worker that reads it late runs one more turn.
  std::atomic<bool> stopping_{false};

  alignas(64) std::atomic<uint32_t> searching_{0};  // workers that spin and look at the urgent lists
  std::atomic<uint32_t> watching_{0};               // those, and the ones that nap

  static constexpr uint32_t kSolos = 16;
  Solo solos_[kSolos];
  alignas(64) std::atomic<int64_t> next_watch_{0};  // of the solo launches, by one worker at a time
  std::atomic<bool> watches_{false};
  uint64_t seen_solos_[kSolos] = {};  // of that worker

  // Exchanged and counted in one order, as claimCooperative() says.
  alignas(64) std::atomic<bool> cooperative_{false};  // a thread has the right to launch cooperatively
  std::atomic<uint32_t> cooperative_waiting_{0};

  alignas(64) Ranked<SpinLock, LockRank::kCpuEngine> lock_;
  List lists_[kPriorities + 1];  // by urgency; the last one is the lazy one
  List waiting_;                 // for a cooperative launch
  Ranked<SpinLock, LockRank::kCpuArenas> arena_lock_;
  Arena* arenas_ = nullptr;
  std::atomic<uint32_t> running_{0};  // threads alive; stop() sleeps on it
  Ranked<std::mutex, LockRank::kCpuStart> start_mutex_;
  Ranked<std::mutex, LockRank::kCpuStreams> streams_mutex_;
  std::vector<Stream*> streams_;
};

// The engine whose worker the calling thread is.
const Engine* currentEngine();

}  // namespace manyrt::cpu
