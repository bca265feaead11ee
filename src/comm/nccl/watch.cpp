// The list of flights and the look at each. The stream of a flight gets the failure before NCCL's kernel is ended. So a thread
// that waits for the stream does not take the end for success.
//
// CUDA frees memory when the device has come to rest, also after a kernel of NCCL that waits for a rank. So the watch, which
// alone can end such a kernel, destroys nothing: a second thread drops the ranks, whose ends may free memory.
#include "comm/nccl/watch.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "comm/guard.h"
#include "comm/nccl/rank.h"
#include "comm/sentences.h"

namespace manyrt::comm::nccl {
namespace {

constexpr auto kTick = std::chrono::milliseconds(5);
constexpr auto kGraphTick = std::chrono::milliseconds(100);
constexpr int64_t kPatience = 1'000'000'000;  // nanoseconds for a stream to take a failure; one that is held takes it later

struct Watched {
  std::mutex mutex;
  std::condition_variable changed;
  Seats arriving;
  Seats present;  // what the watch looks at; other threads take nothing out of it
  Seats resting;  // nothing is in flight: dropped after the look, when no lock of the rank is held
  std::condition_variable leaves;
  Seats leaving;  // with its place the rank may end
  std::vector<Rank*> with_graphs;
  std::vector<std::shared_ptr<Rank>> looked_at;  // of those: one list of the watch, and one that a second thread empties
  std::vector<std::shared_ptr<Rank>> let_go;
  bool prepared = false;
  bool hurry = false;
  bool idle = false;    // the watch has nothing, and looks at nothing until it is told
  bool ending = false;  // the process ends: NCCL and the driver take no calls soon, and no rank ends any more
  int running = 0;      // threads
};
Watched* const watched = new Watched;  // never destroyed: the threads go on until the process ends

void moveLocked(Seats* to, Seats::iterator seat) {
  to->splice(to->end(), *seat->in, seat);
  // Lists are moved, never copied: a rank's seat is made with the rank, so that no step here needs memory.
  seat->in = to;
}

void moveAllLocked(Seats* to, Seats* from) {
  while (!from->empty()) moveLocked(to, from->begin());
}

struct Failing {
  rtStatus_t code;
  std::atomic<bool> is_told{false};
};

rtStatus_t failStream(const uint64_t*, void* user) { return (*static_cast<std::shared_ptr<Failing>*>(user))->code; }

// Submits a native function that fails: it runs as soon as what is ahead is submitted, while NCCL's kernel still waits.
void tellStream(rtStream_t stream, rtStatus_t code) {
  // Shared with the stream: this wait may give up before the stream has come to the function.
  const auto failing = std::make_shared<Failing>();
  failing->code = code;
  auto user = std::make_unique<std::shared_ptr<Failing>>(failing);
  // The stream has the failure by then. Until it has, what waits for NCCL's kernel may not go on: it would find no failure.
  const auto release = [](void* given) {
    const std::unique_ptr<std::shared_ptr<Failing>> own(static_cast<std::shared_ptr<Failing>*>(given));
    (*own)->is_told.store(true, std::memory_order_release);
  };
  if (rtStreamLaunchNativeWithRelease(failStream, user.get(), release, stream) != RT_SUCCESS) return;  // failed, or gone
  (void)user.release();
  const Deadline patience = Deadline::after(kPatience);
  while (!failing->is_told.load(std::memory_order_acquire) && !patience.passed()) {
    const timespec nap = {0, 200'000};
    (void)nanosleep(&nap, nullptr);
  }
}

void failAll(Rank& rank, const Status& failure, int32_t about) {
  rank.monitor().fail(failure, about);
  rank.announce();
}

void expire(Rank& rank, const Operation& late, bool in_graph) {
  Status named;
  int32_t about = -1;
  if (in_graph) return rank.nameLeft(&named, &about, late) ? failAll(rank, named, about) : void();
  if (!rank.nameLate(&named, &about, late)) return;  // at a later look
  if (!named.ok()) return failAll(rank, named, about);
  const std::string within = sentences::within(rank.settings().timeout_ns);
  const bool point = !isCollective(late.kind);
  const std::string name = sentences::labelOf(rank.settings().label);
  failAll(rank,
          point ? Status::error(RT_ERROR_TIMEOUT, "Rank %d%s did not come %s to what rank %d waits for: %s.", late.root,
                                name.c_str(), within.c_str(), rank.rank(), describe(late).c_str())
                : Status::error(RT_ERROR_TIMEOUT,
                                "The %s of rank %d%s did not end %s: another rank has not come, which NCCL does not name.",
                                describe(late).c_str(), rank.rank(), name.c_str(), within.c_str()),
          point ? late.root : -1);
}

bool hasExpired(const Flight& flight, uint64_t limit) {
  const int64_t called = flight.called.load(std::memory_order_acquire);
  // Not called yet: the ranks meet first, and that wait has a clock of its own.
  if (called == 0 || flight.begun == 0 || limit > INT64_MAX) return false;
  // The clock begins when the device has come to the operation: work ahead of it in the stream may take any time.
  const int64_t waited = nowNanoseconds() - std::max(called, flight.begun);
  return waited > 0 && static_cast<uint64_t>(waited) > limit;
}

void lookForFailure(Rank& rank) {
  std::optional<Operation> late;
  bool in_graph = false;
  Status gone;
  int32_t about = -1;
  rtStream_t busy = nullptr;  // it has not come to a flight, nor to those that follow there
  rank.flights().forEach([&](Flight& flight) {
    if (flight.begun == 0 && flight.stream != busy) {
      // One question for each stream: flights after it have not begun either.
      if (rtEventQuery(flight.begin) == RT_NOT_READY)
        busy = flight.stream;
      else
        flight.begun = nowNanoseconds();
    }
    if (!late && hasExpired(flight, rank.settings().timeout_ns)) {
      late = flight.first;
      in_graph = flight.graphs;
    }
    const int64_t called = flight.called.load(std::memory_order_acquire);
    if (gone.ok() && called != 0) (void)rank.nameGone(&gone, &about, flight.first, called);
  });
  if (!gone.ok()) return failAll(rank, gone, about);
  if (const Result error = rank.clique().asyncError(rank.rank()); error != kSuccess && rank.errorCounts()) {
    const Status said = failure(rank.clique().library(), "An operation of NCCL", error);
    failAll(rank, Status::error(RT_ERROR_DRIVER, "Rank %d: %s", rank.rank(), said.message()), -1);
  }
  if (late) expire(rank, *late, in_graph);
}

// Its flights are over, or they are looked at.
void look(Seats::iterator seat) {
  Rank& rank = *seat->rank;
  const auto rest = [&] {
    const std::lock_guard lock(watched->mutex);
    moveLocked(&watched->resting, seat);
  };
  rank.lookAtGraphs();
  if (rank.flights().restIfOver(rest)) return;
  lookForFailure(rank);
  rank.flights().recordEnds(rank.ownStream());
}

// Each stream is told that has not been, once the call of NCCL has returned.
void tellStreams(Rank& rank, rtStatus_t code) {
  std::vector<rtStream_t> streams;
  rank.flights().forEach([&](Flight& flight) {
    if (flight.told || !flight.returned.load(std::memory_order_seq_cst)) return;
    streams.push_back(flight.stream);
    // Once, whatever becomes of the function: a stream keeps its first failure.
    flight.told = true;
  });
  for (rtStream_t stream : streams) tellStream(stream, code);
}

// First every stream is told, then NCCL ends: of what fails meanwhile at the next look.
void endFailed(Seats& seats) {
  std::vector<Rank*> failed;
  for (Seat& seat : seats) {
    const Status failure = seat.rank->monitor().failure();
    if (failure.ok()) continue;
    failed.push_back(seat.rank.get());
    tellStreams(*seat.rank, failure.code());
  }
  // After all streams: one abort ends the kernels of all ranks in the process.
  for (Rank* rank : failed) rank->clique().abort();
}

void stop() {
  const std::lock_guard lock(watched->mutex);
  --watched->running;
  watched->changed.notify_all();
}

// Those whose launches of graphs may wait for a rank that is missing. References of the watch are let go by the second thread,
// since the last one may be among them. True: there are some, to be looked at again.
bool takeGraphsLocked() {
  const auto lacks = [](Rank* rank) { return rank->lacksRanks() && !rank->monitor().hasFailed(); };
  const bool any = std::any_of(watched->with_graphs.begin(), watched->with_graphs.end(), lacks);
  if (!any || !watched->let_go.empty() || !watched->looked_at.empty()) return any;
  (void)withoutThrowing([&] {  // without memory: at the next look
    for (Rank* const rank : watched->with_graphs) {
      if (lacks(rank)) watched->looked_at.push_back(rank->shared_from_this());
    }
    return Status();
  });
  return any;
}

void watchForEver() {
  Seats& present = watched->present;
  bool lacks_ranks = false;
  for (;;) {
    {
      std::unique_lock lock(watched->mutex);
      moveAllLocked(&watched->leaving, &watched->resting);
      if (!watched->leaving.empty()) watched->leaves.notify_one();
      // A submission wakes the thread at most once per tick. After the wake it waits as always, and looks at what comes
      // meanwhile as well.
      watched->idle = present.empty();
      const auto isCalled = [] { return !watched->arriving.empty() || watched->hurry || watched->ending; };
      if (watched->idle && lacks_ranks) (void)watched->changed.wait_for(lock, kGraphTick, isCalled);
      if (watched->idle && !lacks_ranks) watched->changed.wait(lock, isCalled);
      watched->idle = false;
      (void)watched->changed.wait_for(lock, kTick, [] { return watched->hurry || watched->ending; });
      if (watched->ending) break;
      watched->hurry = false;
      lacks_ranks = takeGraphsLocked();
      moveAllLocked(&present, &watched->arriving);
    }
    for (const std::shared_ptr<Rank>& rank : watched->looked_at) rank->lookAtGraphs();
    if (!watched->looked_at.empty()) {
      const std::lock_guard lock(watched->mutex);
      watched->let_go.swap(watched->looked_at);
      watched->leaves.notify_one();
    }
    for (auto seat = present.begin(); seat != present.end();) {
      const auto at = seat++;
      look(at);
    }
    (void)withoutThrowing([&] {  // without memory: again at the next look
      endFailed(present);
      return Status();
    });
  }
  stop();
}

void dropForEver() {
  for (;;) {
    std::shared_ptr<Rank> rank;  // ends without the lock, as those of the list
    std::vector<std::shared_ptr<Rank>> ranks;
    std::unique_lock lock(watched->mutex);
    watched->leaves.wait(lock, [] { return !watched->leaving.empty() || !watched->let_go.empty() || watched->ending; });
    if (watched->ending) break;
    ranks.swap(watched->let_go);
    if (watched->leaving.empty()) continue;
    // One at a time: the end of a rank may take long, and the lock is needed meanwhile.
    const auto seat = watched->leaving.begin();
    rank = std::move(seat->rank);
    moveLocked(&rank->ownSeat(), seat);
    lock.unlock();
  }
  stop();
}

// At the exit of the process, before NCCL's own end, as NCCL was loaded before. A thread that hangs in NCCL is not waited for.
void stopWatch() {
  std::unique_lock lock(watched->mutex);
  watched->ending = true;
  watched->changed.notify_all();
  watched->leaves.notify_all();
  (void)watched->changed.wait_for(lock, std::chrono::seconds(1), [] { return watched->running == 0; });
}

}  // namespace

void prepareWatch() {
  const std::lock_guard lock(watched->mutex);
  // Registered once NCCL has been loaded, so that it runs before NCCL's own end.
  if (!watched->prepared) (void)std::atexit(stopWatch);
  watched->prepared = true;
  // A thread that could not be started is tried again by the next communicator.
  while (watched->running < 2) {
    std::thread(watched->running == 0 ? watchForEver : dropForEver).detach();
    ++watched->running;
  }
}

bool processEnds() {
  const std::lock_guard lock(watched->mutex);
  return watched->ending;
}

void watch(std::shared_ptr<Rank> rank, Seats& own, Seats::iterator seat) {
  const std::lock_guard lock(watched->mutex);
  // The seat keeps the rank for as long as it has anything in flight. Else the seat is with the watch already, and has its
  // reference.
  if (seat->in == &own) seat->rank = std::move(rank);
  moveLocked(&watched->arriving, seat);
  // A watch at work comes by within a tick: a wake for each submission would cost more than it.
  if (watched->idle) watched->changed.notify_one();
}

void wakeWatch() {
  const std::lock_guard lock(watched->mutex);
  watched->hurry = true;
  watched->changed.notify_one();
}

void addGraphs(Rank& rank) {
  const std::lock_guard lock(watched->mutex);
  watched->with_graphs.push_back(&rank);
  watched->hurry = true;  // a rank may be missing already
  watched->changed.notify_one();
}

void removeGraphs(Rank& rank) {
  const std::lock_guard lock(watched->mutex);
  std::erase(watched->with_graphs, &rank);
}

}  // namespace manyrt::comm::nccl
