// Opening, joining and closing of jobs. A gate is one word: a worker joins with one compare-and-swap, and may read the rest of
// the job only after it. The owner closes the gate and waits until no worker is inside.
#include "backends/cpu/team.h"

#include <sched.h>

#include <algorithm>

#include "base/clock.h"
#include "base/spin_lock.h"

namespace manyrt::cpu {
namespace {

// A thread that is no worker takes the place of the last one.
constexpr uint32_t kNoWorker = UINT32_MAX;
thread_local uint32_t own_index = kNoWorker;

// The last worker leaves jobs of a waiting thread, which has its place, to the others unless they do not come.
constexpr int64_t kPatience = 5'000;

template <class Done>
void spinUntil(Done done) {
  for (uint32_t spins = 0; !done(); ++spins) {
    if ((spins & 31) != 31) continue;  // a pause is as long as the whole wait may be
    if (spins < 60'000) {
      relaxCpu();
    } else {
      sched_yield();
    }
  }
}

}  // namespace

void Team::setIndex(uint32_t index) { own_index = index; }

Team::Job* Team::claim() {
  // Acquire pairs with the release in close(): the owner before is through with the job.
  uint32_t taken = claimed_.load(std::memory_order_relaxed);
  for (uint32_t i = 1; i < kJobs; ++i) {
    while ((taken & (1u << i)) == 0) {
      if (claimed_.compare_exchange_weak(taken, taken | (1u << i), std::memory_order_acquire)) return &jobs_[i];
    }
  }
  return nullptr;
}

void Team::open(Job& job, JobBody body, void* user, uint64_t first, uint64_t total, Pieces pieces, uint32_t helpers,
                bool foreign) {
  // The gate is closed and no worker is inside, so plain stores are enough. The store to the gate publishes them to enrol(),
  // whose compare-and-swap acquires. The new generation makes a worker fail that has read the gate of an earlier job. Both last
  // stores are sequentially consistent: they come before wake() reads `sleep`, and a worker sets `sleep` before it reads them.
  job.body = body;
  job.user.store(user, std::memory_order_relaxed);
  job.pieces = pieces;
  // Parts spread the counters over cache lines. With few members one counter is not contended, and balances better.
  job.helpers = helpers;
  const uint64_t count = total - first, members = uint64_t{helpers} + 1, units = (count + pieces.unit - 1) / pieces.unit;
  const uint64_t parts = members <= kFewMembers || units == 0 ? 1 : std::min({members, uint64_t{kMostParts}, units});
  job.parts = static_cast<uint32_t>(parts);
  uint64_t begin = first;
  for (uint64_t i = 0; i < parts; ++i) {  // the first ones have a unit more
    job.part[i].next.store(begin, std::memory_order_relaxed);
    begin += (units / parts + (i < units % parts ? 1 : 0)) * pieces.unit;
    job.part[i].end = std::min(total, begin);
  }
  uint64_t generation = (job.gate.load(std::memory_order_relaxed) & ~(kGeneration - 1)) + kGeneration;
  open_.fetch_add(1, std::memory_order_seq_cst);
  job.gate.store(generation | kOpen | (foreign ? kForeign : 0) | helpers * kTicket, std::memory_order_seq_cst);
}

void Team::close(Job& job) {
  // No worker joins once kOpen is off: enrol() swaps the whole word. The acquire load pairs with the decrement in join(), so
  // what the helpers wrote is visible after it. The release then hands the slot to the next claim().
  job.gate.fetch_and(~kOpen, std::memory_order_acq_rel);
  open_.fetch_sub(1, std::memory_order_seq_cst);
  // Short: a helper inside is at its last piece. The body and `user` are on the owner's stack, so it cannot leave earlier.
  spinUntil([&] { return (job.gate.load(std::memory_order_acquire) & kActiveMask) == 0; });
  claimed_.fetch_and(~(1u << (&job - jobs_)), std::memory_order_release);
}

// From here to the last member's report, every transfer of a cache line counts. So the gate is written without being read, and
// is not closed: without tickets no worker joins. Members that are done report on another line.
void Team::openCooperative(JobBody body, void* user, uint32_t helpers, bool foreign) {
  Job& job = jobs_[0];
  // All members of the job before have reported, so none reads these any more. A ticket is taken by compare-and-swap of the
  // whole gate, with its generation: a late worker cannot mistake this job for the one before. The last store is sequentially
  // consistent as in open().
  job.body = body;
  job.user.store(user, std::memory_order_relaxed);
  job.helpers = helpers;
  members_ += helpers;
  generation_ += kGeneration;
  job.gate.store(generation_ | kOpen | (foreign ? kForeign : 0) | helpers * kTicket, std::memory_order_seq_cst);
}

void Team::awaitCooperative() {
  // The counter is never reset, so it is compared with the members of all jobs so far. Acquire pairs with the increments of the
  // members, which form one release sequence: what all of them wrote is visible.
  spinUntil([this] { return jobs_[0].part[0].next.load(std::memory_order_acquire) == members_; });
}

void Team::work(Job& job, uint32_t participant) {
  // Relaxed: a counter only deals out pieces. The gate has published the job, and publishes its results.
  const Pieces pieces = job.pieces;
  const uint32_t parts = job.parts;
  const uint64_t shares = uint64_t{2} * ((job.helpers + parts) / parts);  // for each member that begins in the part
  uint32_t at = own_index == kNoWorker ? parts - 1 : own_index % parts;
  for (uint32_t i = 0; i < parts; ++i, at = at + 1 == parts ? 0 : at + 1) {
    Part& part = job.part[at];
    const uint64_t last = part.end;
    uint64_t begin = part.next.load(std::memory_order_relaxed);
    while (begin < last) {
      const uint64_t left = last - begin;
      // Large pieces first and small ones at the end, so that all members are done at about the same time.
      const uint64_t wanted = std::max(std::clamp(left / shares, pieces.least, pieces.most), pieces.unit);
      const uint64_t end = begin + std::min(left, pieces.unit == 1 ? wanted : wanted - wanted % pieces.unit);
      if (!part.next.compare_exchange_weak(begin, end, std::memory_order_relaxed)) continue;
      job.body(job.user.load(std::memory_order_relaxed), begin, end, participant);
      begin = part.next.load(std::memory_order_relaxed);
    }
  }
}

// Takes a ticket. `inside`: what joining adds to the gate beside.
bool Team::enrol(Job& job, TeamMember& member, uint64_t inside, uint32_t* participant, uint64_t* generation) {
  uint64_t gate = job.gate.load(std::memory_order_seq_cst);
  for (;;) {
    if ((gate & kOpen) == 0 || (gate & kTicketMask) == 0) return false;
    if ((gate & kForeign) != 0 && member.last) {
      // The first look at this job starts the clock. A look later decides, unless others have taken the tickets.
      if (member.seen_gate != gate / kGeneration) {
        member.seen_gate = gate / kGeneration;
        member.seen_at = nowNanoseconds();
        return false;
      }
      if (nowNanoseconds() - member.seen_at < kPatience) return false;
    }
    // Acquire pairs with the store in open(): after this the job may be read. All changes of an open gate are
    // read-modify-writes, so they form one release sequence, and close() synchronises with the decrement of each helper.
    if (job.gate.compare_exchange_weak(gate, gate + inside - kTicket, std::memory_order_acq_rel)) break;
  }
  *generation = gate / kGeneration;
  // From 1 on: 0 is the owner.
  *participant = job.helpers + 1 - static_cast<uint32_t>((gate & kTicketMask) / kTicket);
  return true;
}

bool Team::joinCooperative(TeamMember& member) {
  Job& job = jobs_[0];
  // Only a look: enrol() reads the gate again, and takes the ticket.
  uint64_t gate = job.gate.load(std::memory_order_acquire);
  if ((gate & kOpen) == 0 || (gate & kTicketMask) == 0 || gate / kGeneration == member.cooperative) return false;
  // Only a prefetch, so `user` may be that of another job: relaxed. It is read again after the ticket.
  const char* data = static_cast<const char*>(job.user.load(std::memory_order_relaxed));
  __builtin_prefetch(data);
  __builtin_prefetch(data + 64);
  uint32_t participant;
  if (!enrol(job, member, 0, &participant, &member.cooperative)) return false;
  job.body(job.user.load(std::memory_order_relaxed), participant, participant + 1, participant);
  job.part[0].next.fetch_add(1, std::memory_order_acq_rel);  // publishes what the member wrote to awaitCooperative()
  return true;
}

}  // namespace manyrt::cpu
