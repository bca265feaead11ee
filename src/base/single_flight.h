// One build for all callers that ask for it while it runs. The first caller builds; the others wait and get the same result,
// good or bad. The caller decides what is kept beyond the build, under the same lock.
#pragma once

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
  // `kept(Result*)` runs under the lock and returns true if a kept result serves. `build(Result*)` runs without the lock and
  // returns a Status. `keep(Result&)` runs under the lock after a successful build; if it throws bad_alloc, the result is not
  // kept. `result` is empty at the call, so that nothing is released under the lock. It becomes a copy of the shared result.
  template <typename Kept, typename Build, typename Keep>
  Status run(Result* result, const Key& key, Kept kept, Build build, Keep keep) {
    std::unique_lock lock(mutex_);
    if (kept(result)) return Status();
    if (const auto at = flights_.find(key); at != flights_.end()) {
      const std::shared_ptr<Flight> other = at->second;
      lock_order::mayWait("a wait for a build");
      other->landed.wait(lock, [&] { return other->done; });
      lock.unlock();
      *result = other->result;
      return other->status;
    }
    const std::shared_ptr<Flight> own = std::make_shared<Flight>();
    flights_.emplace(key, own);
    lock.unlock();
    Status status = Status::bare(RT_ERROR_OUT_OF_MEMORY);  // for the waiting threads, if the build throws
    std::exception_ptr thrown;
    try {
      status = build(&own->result);
    } catch (...) {  // the waiting threads have to go on after any exception
      thrown = std::current_exception();
    }
    lock.lock();
    if (status.ok()) {
      try {
        keep(own->result);
      } catch (const std::bad_alloc&) {  // the next caller builds again
      }
    }
    flights_.erase(key);
    own->status = status;
    own->done = true;
    own->landed.notify_all();
    lock.unlock();
    if (thrown) std::rethrow_exception(thrown);
    *result = own->result;
    return status;
  }

  Ranked<std::mutex, LockRank::kBuilds>& mutex() { return mutex_; }

 private:
  struct Flight {
    ConditionVariable landed;
    bool done = false;
    Status status;
    Result result;
  };

  Ranked<std::mutex, LockRank::kBuilds> mutex_;
  std::map<Key, std::shared_ptr<Flight>> flights_;
};

}  // namespace manyrt
