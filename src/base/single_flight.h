// One build for all callers that ask for it while it runs. The first caller builds; the others wait and get the same result,
// good or bad. The caller decides what is kept beyond the build, under the same lock.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/lock_order.h"
#include "base/status.h"

namespace manyrt {

template <typename Result, typename Key>
class SingleFlight {
 public:
  struct Flight {
    ConditionVariable landed;
    bool done = false;  // under the lock, as the status
    Status status;
    Result result;  // the builder's until it has landed, and constant from then on
  };
  using Ticket = std::shared_ptr<Flight>;

  // `kept(Result*)` runs under the lock and returns true if a kept result serves. `build(Result*)` runs without the lock and
  // returns a Status. `keep(Result&)` runs under the lock after a successful build; if it throws bad_alloc, the result is not
  // kept. `result` is empty at the call, so that nothing is released under the lock. It becomes a copy of the shared result.
  template <typename Kept, typename Build, typename Keep>
  Status run(Result* result, const Key& key, Kept kept, Build build, Keep keep) {
    Ticket flight;
    const Start start = begin(&flight, result, key, kept);
    if (start == Start::kKept) return Status();
    if (start == Start::kOthers) return await(result, *flight);
    Status status = Status::bare(RT_ERROR_OUT_OF_MEMORY);  // for the waiting threads, if the build throws
    std::exception_ptr thrown;
    try {
      status = build(&flight->result);
    } catch (...) {  // the waiting threads have to go on after any exception
      thrown = std::current_exception();
    }
    land(*flight, key, status, keep);
    if (thrown) std::rethrow_exception(thrown);
    *result = flight->result;
    return status;
  }

  // The parts of run(), for a caller that builds several at once. It lands each flight of its own before it awaits one of
  // another thread: otherwise two such callers could wait for each other.
  enum class Start : uint8_t {
    kKept,   // `result` is there
    kOwn,    // the caller builds into the flight's result, and lands it in any case
    kOthers  // another thread builds, or the same one does, and await() gives the result
  };
  template <typename Kept>
  Start begin(Ticket* flight, Result* result, const Key& key, Kept kept) {
    std::lock_guard lock(mutex_);
    if (kept(result)) return Start::kKept;
    if (const auto at = flights_.find(key); at != flights_.end()) {
      *flight = at->second;
      return Start::kOthers;
    }
    Ticket own = std::make_shared<Flight>();
    flights_.emplace(key, own);
    *flight = std::move(own);
    return Start::kOwn;
  }

  template <typename Keep>
  void land(Flight& flight, const Key& key, const Status& status, Keep keep) {
    std::lock_guard lock(mutex_);
    if (status.ok()) {
      try {
        keep(flight.result);
      } catch (const std::bad_alloc&) {  // the next caller builds again
      }
    }
    flights_.erase(key);
    flight.status = status;
    flight.done = true;
    flight.landed.notify_all();
  }

  Status await(Result* result, Flight& flight) {
    {
      std::unique_lock lock(mutex_);
      lock_order::mayWait("a wait for a build");
      flight.landed.wait(lock, [&] { return flight.done; });
    }
    *result = flight.result;
    return flight.status;
  }

  Ranked<std::mutex, LockRank::kBuilds>& mutex() { return mutex_; }

 private:
  Ranked<std::mutex, LockRank::kBuilds> mutex_;
  std::map<Key, Ticket> flights_;
};

}  // namespace manyrt
