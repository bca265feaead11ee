// One build for all who ask for it while it runs. Whoever is first builds, the others wait and get the same result, good or
// bad. What is kept beyond the build is up to the caller, under the same lock.
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
  // `kept(Result*)`, under the lock: true if what is kept serves. `build(Result*)`, without it, gives a Status.
  // `keep(Result&)`, under the lock, after a build that succeeded; what it throws for want of memory costs no more than the
  // keeping. `result` is empty: nothing that it held is released under the lock. Others may still read it: it is a copy.
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
    Status status = Status::bare(RT_ERROR_OUT_OF_MEMORY);  // if an exception ends it
    std::exception_ptr thrown;
    try {
      status = build(&own->result);
    } catch (...) {  // whatever it is, those who wait go on
      thrown = std::current_exception();
    }
    lock.lock();
    if (status.ok()) {
      try {
        keep(own->result);
      } catch (const std::bad_alloc&) {  // the next one builds again
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
