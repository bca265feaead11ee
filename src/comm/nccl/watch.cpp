// The list of flights and the look at each. The stream of a flight gets the failure before NCCL's kernel is ended, so that a
// thread that waits for the stream does not take the end for success.
//
// CUDA frees memory when the device has come to rest, also behind a kernel of NCCL that waits for a rank. So the watch, which
// alone can end such a kernel, destroys nothing: a second thread drops the ranks, whose ends may free memory.
#include "comm/nccl/watch.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "comm/guard.h"
#include "comm/nccl/rank.h"

namespace manyrt::comm::nccl {
namespace {

constexpr auto kTick = std::chrono::milliseconds(5);
constexpr int64_t kPatience = 100'000'000;  // nanoseconds for a stream to take a failure; one that is held takes it later

struct Watched {
  std::mutex mutex;
  std::condition_variable changed;
  Flights arriving;
  std::condition_variable leaves;
  Flights leaving;  // over: with the last one its rank ends
  bool prepared = false;
  bool hurry = false;
  bool idle = false;    // the watch has nothing, and looks at nothing until it is told
  bool ending = false;  // the process ends: NCCL and the driver take no calls soon
  int running = 0;      // threads
  Flights kept;         // what the threads had when they stopped
};
Watched* const watched = new Watched;  // never destroyed: the threads go on until the process ends

struct Failing {
  rtStatus_t code;
  std::atomic<bool> ran{false};
};

rtStatus_t failStream(const uint64_t*, void* user) {
  Failing& failing = **static_cast<std::shared_ptr<Failing>*>(user);
  failing.ran.store(true, std::memory_order_release);
  return failing.code;
}

// Submits a native function that fails: it runs as soon as what is ahead is submitted, while NCCL's kernel still waits.
void tellStream(const Flight& flight, rtStatus_t code) {
  const auto failing = std::make_shared<Failing>();
  failing->code = code;
  auto user = std::make_unique<std::shared_ptr<Failing>>(failing);
  const auto release = [](void* given) { delete static_cast<std::shared_ptr<Failing>*>(given); };
  if (rtStreamLaunchNativeWithRelease(failStream, user.get(), release, flight.stream) != RT_SUCCESS) return;  // failed, or gone
  (void)user.release();
  const Deadline patience = Deadline::after(kPatience);
  while (!failing->ran.load(std::memory_order_acquire) && !patience.passed()) {
    const timespec nap = {0, 200'000};
    (void)nanosleep(&nap, nullptr);
  }
}

void expire(const Flight& flight) {
  Rank& rank = *flight.rank;
  char within[48];
  snprintf(within, sizeof within, "within %.3g s", static_cast<double>(rank.settings().timeout_ns) * 1e-9);
  const bool point = !isCollective(flight.first.kind);
  const std::string name = rank.settings().label.empty() ? "" : " of \"" + rank.settings().label + "\"";
  rank.monitor().fail(
      point ? Status::error(RT_ERROR_TIMEOUT, "Rank %d%s did not come %s to what rank %d waits for: %s.", flight.first.root,
                            name.c_str(), within, rank.rank(), describe(flight.first).c_str())
            : Status::error(RT_ERROR_TIMEOUT,
                            "The %s of rank %d%s did not end %s: another rank has not come, which NCCL does not name.",
                            describe(flight.first).c_str(), rank.rank(), name.c_str(), within),
      point ? flight.first.root : -1);
}

void lookForFailure(Flight& flight) {
  Rank& rank = *flight.rank;
  if (flight.begun == 0 && rtEventQuery(flight.begin) != RT_NOT_READY) flight.begun = nowNanoseconds();
  if (const Result error = rank.clique().asyncError(rank.rank()); error != kSuccess) {
    const Status said = failure(rank.clique().library(), "An operation of NCCL", error);
    rank.monitor().fail(Status::error(RT_ERROR_DRIVER, "Rank %d: %s", rank.rank(), said.message()), -1);
  }
  const int64_t called = flight.progress->called.load(std::memory_order_acquire);
  const uint64_t limit = rank.settings().timeout_ns;
  if (called == 0 || flight.begun == 0 || limit > INT64_MAX) return;
  const int64_t waited = nowNanoseconds() - std::max(called, flight.begun);
  if (waited > 0 && static_cast<uint64_t>(waited) > limit) expire(flight);
}

// Returns whether the flight is over.
bool look(Flight& flight) {
  if (rtEventQuery(flight.end) != RT_NOT_READY) return true;
  lookForFailure(flight);
  return false;
}

// First every stream is told, then NCCL ends.
void endFailed(Flights& flights) {
  std::vector<std::shared_ptr<Rank>> failed;
  for (Flight& flight : flights) {
    const Status failure = flight.rank->monitor().failure();
    if (failure.ok()) continue;
    failed.push_back(flight.rank);
    if (flight.told || !flight.progress->returned.load(std::memory_order_acquire)) continue;
    flight.told = true;
    tellStream(flight, failure.code());
  }
  for (const std::shared_ptr<Rank>& rank : failed) rank->clique().abort();
}

// No rank ends any more: its end would call NCCL.
void stopLocked(Flights kept) {
  watched->kept.splice(watched->kept.end(), kept);
  --watched->running;
  watched->changed.notify_all();
}

void watchForEver() {
  Flights flights;
  for (;;) {
    {
      std::unique_lock lock(watched->mutex);
      // Each submission would wake the thread. What comes while it has flights is looked at with them.
      watched->idle = flights.empty();
      if (watched->idle) {
        watched->changed.wait(lock, [] { return !watched->arriving.empty() || watched->ending; });
      } else {
        (void)watched->changed.wait_for(lock, kTick, [] { return watched->hurry || watched->ending; });
      }
      watched->idle = false;
      if (watched->ending) return stopLocked(std::move(flights));
      watched->hurry = false;
      flights.splice(flights.end(), watched->arriving);
    }
    Flights over;
    for (auto flight = flights.begin(); flight != flights.end();) {
      const auto at = flight++;
      if (!look(*at)) continue;
      at->rank->giveBack(at->begin, at->end);
      over.splice(over.end(), flights, at);
    }
    if (!over.empty()) {
      const std::lock_guard lock(watched->mutex);
      watched->leaving.splice(watched->leaving.end(), over);
      watched->leaves.notify_one();
    }
    (void)withoutThrowing([&] {  // without memory: again at the next look
      endFailed(flights);
      return Status();
    });
  }
}

void dropForEver() {
  for (;;) {
    Flights leaving;
    std::unique_lock lock(watched->mutex);
    watched->leaves.wait(lock, [] { return !watched->leaving.empty() || watched->ending; });
    leaving.swap(watched->leaving);
    if (watched->ending) return stopLocked(std::move(leaving));
    lock.unlock();
    leaving.clear();
  }
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
  if (!watched->prepared) (void)std::atexit(stopWatch);
  watched->prepared = true;
  while (watched->running < 2) {
    std::thread(watched->running == 0 ? watchForEver : dropForEver).detach();
    ++watched->running;
  }
}

bool processEnds() {
  const std::lock_guard lock(watched->mutex);
  return watched->ending;
}

void watch(Flights one) {
  const std::lock_guard lock(watched->mutex);
  watched->arriving.splice(watched->arriving.end(), one);
  if (watched->idle) watched->changed.notify_one();
}

void wakeWatch() {
  const std::lock_guard lock(watched->mutex);
  watched->hurry = true;
  watched->changed.notify_one();
}

}  // namespace manyrt::comm::nccl
