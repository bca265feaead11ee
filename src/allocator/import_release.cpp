// A list of regions that wait, and one job on a thread of the library that looks at them in turn. Work may be held back for
// ever, so no region waits for the one before it.
#include "allocator/import_release.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>

#include "allocator/address_map.h"
#include "allocator/context_resources.h"
#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/os/futex.h"

namespace manyrt::allocator {
namespace {

bool isOver(Region& region) {
  Block& block = region.block(0);
  if (block.every_stream) return region.resources().allIdle() && !region.usesPending();
  if (block.stamps == nullptr) return true;
  // Passed ones go, so that each look asks only the streams that still have work.
  std::erase_if(*block.stamps, [](const Stamp& stamp) { return stamp.passed(); });
  return block.stamps->empty();
}

class Releases final : public host_threads::Job {
 public:
  void add(Region& region) {
    const std::lock_guard lock(mutex_);
    region.next = std::exchange(added_, &region);
    waiting_.fetch_add(1, std::memory_order_relaxed);
    // Under the mutex, as hasWork() clears it: a region that is added when the job ends starts the next job.
    if (!std::exchange(queued_, true)) host_threads::submit(this);
  }
  bool empty() const { return waiting_.load(std::memory_order_acquire) == 0; }

  // Looks until something is over. Their owners are told when the thread is at rest, after this function. So the job ends then,
  // and is queued again for the rest.
  void run() override {
    uint64_t nap = kFirstNap;
    while (hasWork()) {
      if (Region* over = takeOver()) return finish(over);
      std::atomic<uint32_t> never{0};
      (void)futexWait(&never, 0, Deadline::after(nap));
      nap = std::min(2 * nap, kMaxNap);
    }
  }

 private:
  static constexpr uint64_t kFirstNap = 50'000, kMaxNap = 2'000'000;  // nanoseconds

  // Takes over what was added. False: there is nothing, and the next add() queues the job.
  bool hasWork() {
    const std::lock_guard lock(mutex_);
    while (added_ != nullptr) {
      Region* region = added_;
      added_ = region->next;
      region->next = pending_;
      // The job's own list, so that isOver(), which may call a driver, runs without the mutex.
      pending_ = region;
    }
    queued_ = pending_ != nullptr;
    return queued_;
  }

  Region* takeOver() {
    Region* over = nullptr;
    for (Region** at = &pending_; *at != nullptr;) {
      Region* region = *at;
      if (!isOver(*region)) {
        at = &region->next;
        continue;
      }
      *at = region->next;
      region->next = over;
      over = region;
    }
    return over;
  }

  void finish(Region* over) {
    // Calls that found a region before it left the address map may still read it.
    const bool unread = epoch::synchronize();
    while (over != nullptr) {
      Region* region = over;
      over = region->next;
      // False: some call has not ended within the patience of synchronize(). The region is then retired, and reclaimed after
      // it.
      if (unread) {
        region->reclaim();
      } else {
        epoch::retire(region);
      }
      waiting_.fetch_sub(1, std::memory_order_release);
    }
    host_threads::submit(this);
  }

  Ranked<std::mutex, LockRank::kImportReleases> mutex_;
  Region* added_ = nullptr;
  bool queued_ = false;
  Region* pending_ = nullptr;  // of the job alone
  // Raised relaxed, since a caller that waits has added its regions itself. The release of finish() pairs with empty(): the
  // owners have been told by then.
  std::atomic<uint64_t> waiting_{0};
};

Releases* const releases = new Releases;  // never destroyed: programs may free memory until the process ends

}  // namespace

void releaseImported(Region& region) {
  // First, so that no new call finds the memory: uses that are found below are all that there are.
  address_map::remove(&region);
  // No owner has to be told, so nothing has to be waited for.
  if (!region.tellsOwner()) return epoch::retire(&region);
  Block& block = region.block(0);
  try {
    std::vector<Stamp>& stamps = block.writableStamps();
    region.resources().pendingStreams(&stamps);
    region.pendingUses(&stamps);
  } catch (const std::bad_alloc&) {  // a free must not fail: it waits for more work than it has to
    block.stamps = nullptr;
    block.every_stream = true;
  }
  releases->add(region);
}

void finishImportReleases() {
  // A release function may take any lock of the program, so none of the library's may be held here.
  lock_order::mayWait("a wait for the owners of imported memory");
  // A bound: work that is held back for ever must not hold up the end of the library.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (!releases->empty() && std::chrono::steady_clock::now() < end) {
    std::atomic<uint32_t> never{0};
    (void)futexWait(&never, 0, Deadline::after(100'000));
  }
}

}  // namespace manyrt::allocator
