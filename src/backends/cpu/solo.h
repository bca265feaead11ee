// A launch that one thread, the runner, runs alone because it is expected to be short. Where it is not, the groups that have
// not begun can be taken away. The runner publishes how far it is. A worker that watches and finds the same launch twice
// opens what is left as a job of the team. Used by the engine and by the execution of launches.
//
// The runner pays a compiler fence for each group: it publishes `next_`, then reads `request_`. The watcher writes
// `request_`, pays for a heavy barrier, then reads `next_`. Either the watcher sees that the group is taken, or the runner
// sees the question and waits for the answer before it goes on.
#pragma once

#include <atomic>
#include <cstdint>

#include "backends/cpu/team.h"
#include "base/os/barrier.h"

namespace manyrt::cpu {

class alignas(64) Solo {
 public:
  // ---- The runner's side ----

  // False: another launch has this record. The claim is sequentially consistent, so that the runner may look afterwards
  // whether a worker watches.
  bool begin(JobBody body, void* user, uint64_t total, bool foreign) {
    uint64_t free = generation_.load(std::memory_order_relaxed);
    if ((free & 1) != 0 || !generation_.compare_exchange_strong(free, free + 1, std::memory_order_seq_cst)) return false;
    body_ = body;
    user_ = user;
    total_ = total;
    foreign_ = foreign;
    // Release: steal() acquires next_, and reads the fields above after it.
    next_.store(0, std::memory_order_release);
    return true;
  }
  // Before each group, in ascending order. False: this one and all after it belong to the job.
  bool take(uint64_t group) {
    // The three steps of the head of this file. The acquire pairs with steal(), which has stored job_ and first_ before.
    next_.store(group + 1, std::memory_order_release);
    barrier::light();
    return request_.load(std::memory_order_acquire) == kNone || takeSlowly(group);
  }
  // One launch of so many is timed where its cost is known to be low.
  bool timed() const { return (generation_.load(std::memory_order_relaxed) & (2 * kTimed - 1)) == 1; }
  bool stolen() const { return request_.load(std::memory_order_acquire) == kGranted; }
  // The launch is over, or what is left of it is run otherwise. Takes part in the job where there is one: true then.
  bool end(Team& team);

  // ---- The watching side: one thread at a time ----

  uint64_t running() const {  // 0: no launch; else a number of its own
    // seq_cst: a worker looks here after lowering the count of watchers, and begin() claims before its runner reads that
    // count.
    const uint64_t generation = generation_.load(std::memory_order_seq_cst);
    return (generation & 1) != 0 ? generation : 0;
  }
  // Opens what is left of the launch for `threads` threads. Returns how many may join; 0: nothing was taken.
  uint32_t steal(uint64_t running, uint32_t threads, Team& team);

 private:
  enum Request : uint32_t { kNone, kAsked, kGranted };
  static constexpr uint64_t kNowhere = UINT64_MAX;
  static constexpr uint64_t kTimed = 4;

  bool takeSlowly(uint64_t group) const;
  Request answer() const;

  std::atomic<uint64_t> generation_{0};   // odd: a launch has the record
  std::atomic<uint64_t> next_{kNowhere};  // groups below have been taken by the runner
  std::atomic<uint32_t> request_{kNone};
  bool foreign_ = false;
  JobBody body_ = nullptr;
  void* user_ = nullptr;
  uint64_t total_ = 0;
  Team::Job* job_ = nullptr;  // once granted
  uint64_t first_ = 0;        // and where it begins
};

}  // namespace manyrt::cpu
