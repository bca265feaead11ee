// How a launch is run: the order of its work-groups never depends on the threads that run them.
#include "backends/cpu/launch.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "backends/cpu/engine.h"
#include "base/checked.h"

namespace manyrt::cpu {
namespace {

constexpr int64_t kShare = 2'000;        // of running, before a launch is shared
constexpr int64_t kShareKnown = 4'000;   // a launch known to take longer is shared at once
constexpr int64_t kPiece = 10'000;       // of work between two looks at the counter of a shared launch, at least
constexpr int64_t kLongPiece = 100'000;  // at most: groups may take longer than the average says
constexpr uint64_t kPieces = 64;         // for each thread: more make the counter busier than they spread the work better
constexpr int64_t kStolen = 20'000;      // of running, at least, before groups are taken away from a thread
constexpr int64_t kTrial = 20'000;       // of running, at least, before a launch tries what one thread and what all can do
constexpr uint64_t kTrialPart = 16;      // of its groups, for each of the two
constexpr int kTrialParts = 3;           // by all threads, at most

// `each`: nanoseconds of a group in a launch that has just been run.
void learn(HostKernel& kernel, uint64_t cost, double each) {
  const double measured = each * 16;
  uint32_t next = measured < 1 ? 1 : measured > 4e9 ? 4'000'000'000u : static_cast<uint32_t>(measured);
  // Three parts old: one launch that was interrupted must not turn the next ones round.
  if (cost != 0) next = static_cast<uint32_t>((cost * 3 + next) / 4);
  // An average that only guides how work is shared: a lost update does no harm, so relaxed order is enough.
  if (next != cost) kernel.cost.store(next == 0 ? 1 : next, std::memory_order_relaxed);
}

double costOf(const HostKernel& kernel) { return static_cast<double>(kernel.cost.load(std::memory_order_relaxed)) / 16; }

// Nanoseconds of each of the first `count` groups that are left. Advances `run`.
template <class How>
double timeGroups(GroupRun& run, uint64_t count, How how) {
  const int64_t began = nowNanoseconds();
  how(count);
  run.first += count;
  return static_cast<double>(nowNanoseconds() - began) / static_cast<double>(count);
}

// Runs alone in growing batches, each followed by a look at the clock, until sharing the rest seems worth it. Not inline:
// launches of one group are the shorter for it.
[[gnu::hot, gnu::noinline]] void runSeveral(GroupRun& run, uint64_t total, bool foreign) {
  HostKernel& kernel = *run.kernel;
  Engine& engine = *run.engine;
  StatusLatch& latch = *run.latch;
  // Relaxed: an estimate, as learn() says.
  const uint64_t cost = kernel.cost.load(std::memory_order_relaxed);
  double each = static_cast<double>(cost) / 16;  // nanoseconds
  const bool alone = cost == 0 || each * static_cast<double>(total) < kShareKnown;
  Solo* const solo = alone ? engine.beginSolo(runGroups, &run, total, foreign) : nullptr;
  uint64_t batch = cost == 0 ? 1 : static_cast<uint64_t>(kShare / each) + 1;
  if (solo != nullptr && cost != 0 && batch >= total && !solo->timed()) {  // the clock may cost more than the launch
    runGroupsAlone(run, 0, total, solo);
    if (engine.endSolo(*solo)) [[unlikely]]
      learn(kernel, cost, static_cast<double>(kStolen) / static_cast<double>(total));
    return;
  }
  const int64_t began = nowNanoseconds();
  uint64_t done = 0;
  if (alone) {
    while (done < total && !latch.failed()) {
      uint64_t count = batch < total - done ? batch : total - done;
      runGroupsAlone(run, done, done + count, solo);
      // The rest belongs to a job by now, and endSolo() waits for it.
      if (solo != nullptr && solo->stolen()) [[unlikely]]
        break;
      done += count;
      // Doubled, so that looks at the clock become rare as the launch goes on.
      batch *= 2;
      int64_t spent = nowNanoseconds() - began;
      each = static_cast<double>(spent) / static_cast<double>(done);
      if (spent > kShare && each * static_cast<double>(total - done) > kShare) break;
    }
    if (solo != nullptr && engine.endSolo(*solo)) [[unlikely]] {
      each = static_cast<double>(nowNanoseconds() - began) / static_cast<double>(total);
      done = total;
    }
  }
  if (done < total && !latch.failed()) {
    double left = each * static_cast<double>(total - done);
    const auto within = [&](int64_t time) {
      return each < 1 ? static_cast<uint64_t>(time) : static_cast<uint64_t>(time / each);
    };
    const uint64_t rest = total - done, threads = engine.threads();
    const uint64_t least = std::max(within(kPiece), rest / (kPieces * threads));
    Pieces pieces{std::max<uint64_t>(1, std::min(least, rest / (4 * threads))), 0};
    pieces.most = std::max(pieces.least, within(kLongPiece));
    // Joined groups are best in whole rows.
    const uint64_t row = joins(run) ? run.grid[joinsAlong(run)] : 1;
    if (done % row == 0 && row <= rest / (4 * threads)) pieces.unit = row;
    run.first = done;
    engine.share(runGroups, &run, rest, pieces, left < 1e18 ? static_cast<int64_t>(left) : INT64_MAX, foreign);
    if (done == 0) {  // by as many threads as there are, more or less
      each = static_cast<double>(nowNanoseconds() - began) / static_cast<double>(total) * engine.threads();
    }
  }
  learn(kernel, cost, each);
}

struct CountedRun {
  GroupRun* run;
  std::atomic<uint64_t> by_helpers{0};  // relaxed: the end of the job publishes it
};

void runCounted(void* user, uint64_t begin, uint64_t end, uint32_t participant) {
  auto& counted = *static_cast<CountedRun*>(user);
  runGroups(counted.run, begin, end, participant);
  if (participant != 0) counted.by_helpers.fetch_add(end - begin, std::memory_order_relaxed);
}

// A launch of a kernel whose threads may hinder each other. True: it is done; false: it is to be shared as any.
[[gnu::noinline]] bool runWithTrial(GroupRun& run, SharingTrial& trial, uint64_t total, bool foreign) {
  using Run = SharingTrial::Run;
  HostKernel& kernel = *run.kernel;
  Engine& engine = *run.engine;
  const double each = costOf(kernel);
  const uint64_t threads = engine.threads();
  if (each == 0) return false;
  // Few long groups are shared: no trial could take back what was found of other launches.
  const bool is_short = each * static_cast<double>(total) < kTrial;
  if (!is_short && total < kTrialPart * threads) return false;
  const Run how = is_short ? trial.lastBest() : trial.next();
  if (how == Run::kShared) return false;
  uint64_t left = total;
  const auto alone = [&](uint64_t count) { runGroups(&run, 0, count, 0); };
  if (how == Run::kTry) {
    const uint64_t part = total / kTrialPart, few = std::max<uint64_t>(1, part / threads);
    const double by_one = timeGroups(run, few, alone);
    left -= few;
    // Until helpers have come: what this thread does meanwhile says nothing. A pause of one of the threads makes a part slow,
    // and nothing makes one too fast. So the fastest of a few counts before the launch does without helpers.
    double fastest = HUGE_VAL;
    int parts = 0;
    for (bool is_told = false; left != 0;) {
      CountedRun counted{&run};
      const uint64_t count = is_told ? left : std::min(left, part);
      const auto share = [&](uint64_t groups) {
        const Pieces pieces{std::max<uint64_t>(1, groups / (kPieces * threads)), UINT64_MAX};
        engine.share(runCounted, &counted, groups, pieces, static_cast<int64_t>(each * static_cast<double>(left)), foreign);
      };
      const double shared = timeGroups(run, count, share);
      left -= count;
      if (is_told || counted.by_helpers.load(std::memory_order_relaxed) < count / 4) continue;
      fastest = std::min(fastest, shared);
      if (++parts < kTrialParts && SharingTrial::isAloneFaster(by_one, fastest)) continue;
      if (trial.tried(by_one, fastest) == Run::kAlone) break;
      is_told = true;
    }
  }
  if (left != 0) learn(kernel, kernel.cost.load(std::memory_order_relaxed), timeGroups(run, left, alone));
  return true;
}

}  // namespace

[[gnu::hot]] void runLaunch(Engine& engine, StatusLatch& latch, const HostLaunch& launch, bool foreign) {
  HostKernel& kernel = *launch.kernel;
  GroupRun run;
  run.args = launch.args;
  memcpy(run.grid, launch.grid, sizeof run.grid);
  memcpy(run.group, launch.group, sizeof run.group);
  memcpy(run.offset, launch.offset, sizeof run.offset);
  run.local_bytes = launch.local_bytes;
  run.first = run.local = 0;
  run.kernel = &kernel;
  run.engine = &engine;
  run.latch = &latch;
  run.code = &kernel.code();
  if (kernel.needsArena(*run.code) || launch.local_bytes != 0) {
    const uint64_t arguments = kernel.argumentLocalBytes(launch.values, launch.local_bytes);
    const auto arenaFor = [&](const compiler::KernelCode& code) {
      uint64_t bytes;
      return addOverflows(arguments, HostKernel::ownBytes(code, run.group), &bytes) ? UINT64_MAX : bytes;
    };
    run.local = arenaFor(*run.code);
    if (run.local > kMaxArenaBytes) [[unlikely]]  // the first code may need less
      run.local = arenaFor(*(run.code = &kernel.firstCode()));
  }
  uint64_t total;
  if (__builtin_mul_overflow(uint64_t{launch.grid[0]} * launch.grid[1], uint64_t{launch.grid[2]}, &total)) {
    total = UINT64_MAX;  // would not end in any case
  }
  // All groups at once, one to a thread: groups of such a launch may wait for each other.
  if (launch.cooperative) return engine.together(runGroups, &run, static_cast<uint32_t>(total), foreign);
  if (total == 1 || engine.threads() == 1) return runGroups(&run, 0, total, 0);
  // In a library for ThreadSanitizer neighbouring groups run as threads of it, so that races between them are found.
  if (kGroupsApart && kernel.isCompiled()) {
    if (total <= kApartGroups) return runGroups(&run, 0, total, 0);
    return engine.share(runGroups, &run, total, {kApartGroups, kApartGroups, kApartGroups}, INT64_MAX, foreign);
  }
  SharingTrial* const trial = kernel.sharingTrial();
  if (trial != nullptr && runWithTrial(run, *trial, total, foreign)) return;
  runSeveral(run, total, foreign);
}

}  // namespace manyrt::cpu
