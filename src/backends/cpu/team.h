// Fork and join. A thread that executes a stream opens a job, and workers that look for work join it. The owner takes part,
// and returns when all of it is done. One slot is for cooperative launches, whose groups each get a thread. Used by the
// execution of launches, copies and fills; knows nothing of streams.
#pragma once

#include <atomic>
#include <cstdint>

#include "backends/cpu/cache.h"

namespace manyrt::cpu {

// Does [begin, end) of a job; `participant` is 0 for the owner and unique among those that take part. Does not throw.
using JobBody = void (*)(void* user, uint64_t begin, uint64_t end, uint32_t participant);

// How a job is cut. A piece is half of what is left for each member, within these limits: small pieces at the end let all
// members end together. Many members that take pieces of one counter wait for each other (0.9 us a piece with 16 threads). So
// each of them has a part of the job, with a counter of its own, where it begins; when that is done it goes on to the others'.
// A worker has the same part in each job of as many members. So it finds in its caches what it had there in the last one.
struct Pieces {
  uint64_t least = 1;
  uint64_t most = UINT64_MAX;
  uint64_t unit = 1;  // parts and pieces are of whole units, such as rows of groups
};

// State that a worker keeps between looks at the team.
struct TeamMember {
  uint32_t index = 0;
  bool last = false;       // the worker that a waiting thread stands in for
  uint64_t seen_gate = 0;  // an open job seen, and since when
  int64_t seen_at = 0;
  uint64_t cooperative = ~uint64_t{0};  // generation of the cooperative job joined last
};

class Team {
 public:
  struct alignas(64) Part {
    std::atomic<uint64_t> next{0};  // the next piece; the first part of a cooperative job: members done so far
    uint64_t end = 0;
  };
  static constexpr uint32_t kMostParts = 32, kFewMembers = 3;  // up to so many members share one counter
  struct alignas(64) Job {
    std::atomic<uint64_t> gate{0};
    JobBody body = nullptr;
    std::atomic<void*> user{nullptr};  // read ahead of joining, to fetch its line
    Pieces pieces;
    uint32_t helpers = 0;
    uint32_t parts = 1;
    Part part[kMostParts];
  };

  // Gives the calling thread the number of a worker, which tells where it begins.
  static void setIndex(uint32_t index);

  // Runs the job with at most `helpers` others. False: every slot is taken, nothing was done.
  // `announce` is called once workers can see the job, to wake some.
  template <class Announce>
  bool share(JobBody body, void* user, uint64_t total, Pieces pieces, uint32_t helpers, bool foreign, Announce announce) {
    Job* job = claim();
    if (job == nullptr) return false;
    open(*job, body, user, 0, total, pieces, helpers, foreign);
    announce();
    work(*job, 0);
    close(*job);
    return true;
  }

  // The same in two steps, for an owner that is still busy with what is before `first`. Another thread opens the job; the
  // owner takes part when it can, and ends it. Null: every slot is taken.
  Job* openLate(JobBody body, void* user, uint64_t first, uint64_t total, uint32_t helpers, bool foreign) {
    Job* job = claim();
    if (job != nullptr) open(*job, body, user, first, total, Pieces(), helpers, foreign);
    return job;
  }
  void finishLate(Job& job) {
    work(job, 0);
    close(job);
  }

  // Every index of [0, total) at the same time, each on its own thread. The caller has claimed the cooperative slot.
  template <class Announce>
  void together(JobBody body, void* user, uint32_t total, bool foreign, Announce announce) {
    if (total > 1) {
      openCooperative(body, user, total - 1, foreign);
      announce();
    }
    body(user, 0, 1, 0);
    if (total > 1) awaitCooperative();
  }

  // Whether a job would take another thread.
  bool wanted() const {
    if (wants(jobs_[0])) return true;
    // seq_cst here and in wants(): a worker sets `sleep` before it asks, as open() says.
    if (open_.load(std::memory_order_seq_cst) == 0) return false;
    for (uint32_t i = 1; i < kJobs; ++i) {
      if (wants(jobs_[i])) return true;
    }
    return false;
  }
  // The same for a worker that looks again and again. One of them asks for the line as it will need it, to take a ticket.
  bool wanted(const TeamMember& member) const {
    if (member.index == 0) fetchForWriting(&jobs_[0].gate);
    return wanted();
  }
  bool cooperativeWaits() const { return wants(jobs_[0]); }
  // Whether a waiting thread and its helpers are as many as that: one more would only take a core from them.
  bool occupies(uint32_t threads) const {
    // An estimate that sets the length of a nap: relaxed.
    if (open_.load(std::memory_order_relaxed) == 0) return false;
    uint64_t busy = 0;
    for (uint32_t i = 1; i < kJobs; ++i) {
      const uint64_t gate = jobs_[i].gate.load(std::memory_order_relaxed);
      if ((gate & kOpen) != 0) busy += (gate & kActiveMask) / kActive + ((gate & kForeign) != 0 ? 1 : 0);
    }
    return busy >= threads;
  }
  // Takes part in an open job; false where there is none for this worker. `enter`, which gets the job, and `leave` surround
  // ordinary jobs.
  template <class Enter, class Leave>
  bool join(TeamMember& member, Enter enter, Leave leave) {
    if (joinCooperative(member)) return true;
    if (open_.load(std::memory_order_seq_cst) == 0) return false;
    for (uint32_t i = 1; i < kJobs; ++i) {
      uint32_t participant;
      uint64_t generation;
      if (!enrol(jobs_[i], member, kActive, &participant, &generation)) continue;
      enter(jobs_[i]);
      work(jobs_[i], participant);
      jobs_[i].gate.fetch_sub(kActive, std::memory_order_acq_rel);  // publishes what was done to close()
      leave();
      return true;
    }
    return false;
  }

 private:
  // The gate: open, owned by a waiting thread, those inside, tickets left, generation.
  static constexpr uint64_t kOpen = 1, kForeign = 2, kActive = 4, kTicket = uint64_t{1} << 14, kGeneration = uint64_t{1} << 26;
  static constexpr uint64_t kActiveMask = kTicket - kActive, kTicketMask = kGeneration - kTicket;
  static constexpr uint32_t kJobs = 5;

  static bool wants(const Job& job) {
    uint64_t gate = job.gate.load(std::memory_order_seq_cst);
    return (gate & kOpen) != 0 && (gate & kTicketMask) != 0;
  }
  Job* claim();
  void open(Job& job, JobBody body, void* user, uint64_t first, uint64_t total, Pieces pieces, uint32_t helpers, bool foreign);
  void close(Job& job);
  void openCooperative(JobBody body, void* user, uint32_t helpers, bool foreign);
  void awaitCooperative();
  static void work(Job& job, uint32_t participant);
  static bool enrol(Job& job, TeamMember& member, uint64_t inside, uint32_t* participant, uint64_t* generation);
  bool joinCooperative(TeamMember& member);

  Job jobs_[kJobs];                            // 0: cooperative
  alignas(64) std::atomic<uint32_t> open_{0};  // ordinary jobs that are open
  std::atomic<uint32_t> claimed_{0};           // bits of jobs_
  // Used by the thread that has the right to launch cooperatively. Not in the job, whose cache lines its members hold.
  alignas(64) uint64_t generation_ = 0;
  uint64_t members_ = 0;  // of all cooperative jobs so far
};

}  // namespace manyrt::cpu
