// The reuse of native streams, the list of all contexts' resources, and the teardown of native contexts.
#include "allocator/context_resources.h"

#include <algorithm>
#include <mutex>
#include <new>

#include "allocator/crash_memory.h"
#include "allocator/pin_scope.h"
#include "allocator/pool.h"
#include "base/fault.h"
#include "base/lock_order.h"

namespace manyrt::allocator {
namespace {

// All contexts of the process. Its lock comes before the lock of one context's resources.
struct ResourcesList {
  Ranked<std::mutex, LockRank::kContextResourcesList> mutex;
  ContextResources* first = nullptr;
};
ResourcesList& resourcesList() {
  static ResourcesList* all = new ResourcesList;  // never destroyed: teardown may run until the process ends
  return *all;
}

// Relaxed: the numbers only have to differ.
std::atomic<uint64_t> last_number{0};

constexpr uint64_t kStagingAlignment = 4096;  // a page

}  // namespace

ContextResources::ContextResources(Ref<backend::Context> native, backend::Device& device, rtContext_t context,
                                   rtDevice_t device_handle)
    : native_(std::move(native)),
      device_(device),
      context_(context),
      device_handle_(device_handle),
      number_(last_number.fetch_add(1, std::memory_order_relaxed) + 1) {
  // Here, since memory to tell of exists from the first context on.
  crash_memory::offer();
  ResourcesList& all = resourcesList();
  std::lock_guard lock(all.mutex);
  next_ = all.first;
  if (next_ != nullptr) next_->previous_ = this;
  all.first = this;
}

// Runs after recycle(), when no reference is left, so that no other thread can find it but through the list.
ContextResources::~ContextResources() {
  ResourcesList& all = resourcesList();
  std::lock_guard lock(all.mutex);
  (previous_ != nullptr ? previous_->next_ : all.first) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

std::vector<Stamp> submissionsOf(const backend::Device& device) {
  std::vector<Stamp> found;
  ResourcesList& all = resourcesList();
  std::lock_guard lock(all.mutex);
  for (ContextResources* resources = all.first; resources != nullptr; resources = resources->next_) {
    // The list's lock keeps the resources: their destructor takes it before anything of them goes.
    if (&resources->device_ != &device) continue;
    std::lock_guard resources_lock(resources->lock_);
    // The references are taken under the lock that keeps the streams listed, and dropped by the caller without it.
    resources->addSubmissions(&found);
  }
  return found;
}

std::vector<Stamp> hostWritesTo(uintptr_t begin, uintptr_t end) {
  std::vector<Stamp> found;
  ResourcesList& all = resourcesList();
  std::lock_guard lock(all.mutex);
  for (ContextResources* resources = all.first; resources != nullptr; resources = resources->next_)
    resources->host_writes_.find(begin, end, &found);
  return found;
}

uint64_t liveBytes() {
  uint64_t bytes = 0;
  ResourcesList& all = resourcesList();
  std::lock_guard lock(all.mutex);
  for (ContextResources* resources = all.first; resources != nullptr; resources = resources->next_) {
    std::lock_guard resources_lock(resources->lock_);
    // A pool in the list is whole: before anything of it goes, its destructor takes it out under this lock.
    for (const Pool* pool = resources->pools_; pool != nullptr; pool = pool->next_of_resources_) bytes += pool->liveBytes();
  }
  return bytes;
}

uint64_t liveAllocations() {
  uint64_t count = 0;
  ResourcesList& all = resourcesList();
  std::lock_guard lock(all.mutex);
  for (ContextResources* resources = all.first; resources != nullptr; resources = resources->next_)
    count += resources->liveAllocations();
  return count;
}

uint64_t ContextResources::liveAllocations() {
  uint64_t count = adopted_.load(std::memory_order_acquire);
  std::lock_guard lock(lock_);
  for (const Pool* pool = pools_; pool != nullptr; pool = pool->next_of_resources_) count += pool->liveCount();
  return count;
}

void ContextResources::addPool(Pool& pool) {
  std::lock_guard lock(lock_);
  pool.next_of_resources_ = pools_;
  if (pools_ != nullptr) pools_->previous_of_resources_ = &pool;
  pools_ = &pool;
}

void ContextResources::removePool(Pool& pool) {
  std::lock_guard lock(lock_);
  (pool.previous_of_resources_ != nullptr ? pool.previous_of_resources_->next_of_resources_ : pools_) = pool.next_of_resources_;
  if (pool.next_of_resources_ != nullptr) pool.next_of_resources_->previous_of_resources_ = pool.previous_of_resources_;
}

std::vector<Ref<Pool>> ContextResources::pools() {
  std::vector<Ref<Pool>> found;
  std::lock_guard lock(lock_);
  for (Pool* pool = pools_; pool != nullptr; pool = pool->next_of_resources_) {
    // Reserved first: a reference that is dropped here could be the last one, and end the pool under the lock.
    found.reserve(found.size() + 1);
    // A pool whose last reference is gone waits for this lock in its destructor: it must not come to life again.
    if (pool->tryRetain()) found.push_back(Ref<Pool>::adopt(pool));
  }
  return found;
}

void ContextResources::captureBegins() {
  std::lock_guard lock(lock_);
  ++captures_;
}

void ContextResources::captureEnds() {
  std::vector<Ref<PinScope>> over;  // ends after the lock
  std::lock_guard lock(lock_);
  if (--captures_ == 0) over.swap(ended_pins_);
}

void ContextResources::keepForCaptures(Ref<PinScope> scope) {
  const Ref<PinScope> kept(scope);  // the last reference may not go under the lock
  std::lock_guard lock(lock_);
  if (captures_ == 0) return;
  try {
    if (fault::fails("ended pins")) throw std::bad_alloc();
    ended_pins_.reserve(ended_pins_.size() + 1);
    ended_pins_.push_back(std::move(scope));
  } catch (const std::bad_alloc&) {  // the end of a pool must not fail: the stretch ends with it
  }
}

std::vector<Ref<PinScope>> ContextResources::endedPins() {
  std::lock_guard lock(lock_);
  return ended_pins_;
}

Status ContextResources::takeStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) {
  Ref<backend::Stream> found;
  {
    std::lock_guard lock(lock_);
    for (size_t i = free_.size(); i-- > 0;) {
      // A stream with work of its last user would delay the next one.
      if (!free_[i]->idle()) continue;
      found = std::move(free_[i]);
      (void)found->latch.take();  // before the claim: the failure belongs to the stream's earlier use
      // Release: firstFailure() reads the claim with acquire, and then sees the latch empty.
      found->claims.store(1, std::memory_order_release);
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
      ++streams_taken_;
      ++streams_recycled_;
      break;
    }
  }
  if (found) {
    // Without the lock: a backend may ask its driver. The claim says by now that the stream is taken.
    native_->renewStream(*found, options);
    *stream = std::move(found);
    return Status();
  }
  RT_TRY(native_->createStream(&found, options));
  // No other thread knows the stream yet; the lock below publishes it with its claim. firstFailure() reports only streams with
  // a claim.
  found->claims.store(1, std::memory_order_release);
  {
    std::lock_guard lock(lock_);
    free_.reserve(streams_.size() + 1);  // giveBackStream must not fail
    list(found);
    ++streams_taken_;
  }
  *stream = std::move(found);
  return Status();
}

void ContextResources::giveBackStream(Ref<backend::Stream> stream) {
  stream->claims.fetch_and(~kOfGraph, std::memory_order_acq_rel);  // pairs with the acquire of firstFailure()
  std::vector<Ref<backend::Stream>> surplus;                       // destroyed after the lock
  std::lock_guard lock(lock_);
  free_.push_back(std::move(stream));
  if (free_.size() < 2 * kept_) return;
  // If many streams are free at one time, only kKeptStreams stay. The default stream stays too: memory may outlive its context,
  // and short copies of it use that stream.
  try {
    for (size_t i = free_.size(); i-- > 0 && free_.size() > kKeptStreams;) {
      if (!free_[i]->idle() || free_[i]->latch.failed()) continue;
      // Relaxed: compared and never followed.
      if (free_[i].get() == default_stream.load(std::memory_order_relaxed)) continue;
      surplus.reserve(surplus.size() + 1);
      auto known = std::find_if(streams_.begin(), streams_.end(),
                                [&](const Ref<backend::Stream>& each) { return each.get() == free_[i].get(); });
      // Before the number is free: a new stream with it must not find blocks stamped with serials of this one.
      for (Pool* pool = pools_; pool != nullptr; pool = pool->next_of_resources_) pool->forgetStream(free_[i]->list_number);
      free_numbers_.push_back(free_[i]->list_number);
      surplus.push_back(std::move(free_[i]));
      free_[i] = std::move(free_.back());
      free_.pop_back();
      // The order of streams_ has no meaning, so the last takes the free place.
      *known = std::move(streams_.back());
      streams_.pop_back();
    }
  } catch (const std::bad_alloc&) {  // this must not fail: the surplus goes the next time
  }
  kept_ = std::max(free_.size(), kKeptStreams);
}

Status ContextResources::lendStream(Ref<backend::Stream>* stream, const backend::Stream* borrower,
                                    const backend::StreamOptions& options) {
  {
    std::lock_guard lock(lock_);
    // The borrower's own loan first. A failed one is idle soon and is then reused for any borrower, without its failure.
    Loan* unused = nullptr;
    for (Loan& loan : loans_) {
      if (loan.busy) continue;
      if (loan.borrower == borrower && !loan.stream->latch.failed()) {
        loan.busy = true;
        // As in takeStream(): the claim follows the state of the latch that belongs to it.
        loan.stream->claims.store(1, std::memory_order_release);
        *stream = loan.stream;
        return Status();
      }
      if (loan.stream->idle()) unused = &loan;
    }
    if (unused != nullptr) {
      (void)unused->stream->latch.take();
      unused->borrower = borrower;
      unused->busy = true;
      unused->stream->claims.store(1, std::memory_order_release);
      *stream = unused->stream;
      return Status();
    }
  }
  RT_TRY(takeStream(stream, options));
  try {
    std::lock_guard lock(lock_);
    // Another thread may have lent the same borrower a stream meanwhile. Two loans of one borrower do no harm.
    loans_.push_back({borrower, *stream, true});
  } catch (const std::bad_alloc&) {  // the stream has to go back
    giveBackStream(std::move(*stream));
    throw;
  }
  return Status();
}

void ContextResources::returnStream(const backend::Stream& stream) {
  std::lock_guard lock(lock_);
  for (Loan& loan : loans_) {
    // Loans keep their streams: the same borrower gets the same one again, so that its later work needs no wait for its
    // earlier.
    if (loan.stream.get() != &stream) continue;
    loan.busy = false;
    // Release: a failure of this use is in the latch before the claim is gone.
    loan.stream->claims.store(0, std::memory_order_release);
  }
}

backend::Counts ContextResources::streamCounts() {
  std::lock_guard lock(lock_);
  return {streams_taken_, streams_recycled_, streams_.size() - free_.size(), streams_.size()};
}

void ContextResources::forgetFailures() {
  std::lock_guard lock(lock_);
  for (const Ref<backend::Stream>& stream : streams_) {
    // A failure of a stream that no user has belongs to no call any more.
    if (stream->claims.load(std::memory_order_acquire) == 0 && stream->idle()) (void)stream->latch.take();
  }
}

Status ContextResources::firstFailure() {
  forgetFailures();
  {
    std::lock_guard lock(lock_);
    for (const Ref<backend::Stream>& stream : streams_) {
      const uint32_t claims = stream->claims.load(std::memory_order_acquire);
      // Claims of graphs are left out: their failures belong to the launch.
      if (claims != 0 && claims < kOfGraph && stream->latch.failed()) return stream->latch.get();
    }
  }
  return device_.lost();
}

void ContextResources::adoptStream(const Ref<backend::Stream>& stream) {
  std::lock_guard lock(lock_);
  for (const Ref<backend::Stream>& known : streams_) {
    if (known.get() == stream.get()) return;
  }
  free_.reserve(streams_.size() + 1);
  list(stream);
}

// A stream of another context's pool may be known there already; then pools here take it as a foreign one.
void ContextResources::list(const Ref<backend::Stream>& stream) {
  free_numbers_.reserve(streams_.size() + 1);  // giveBackStream must not fail
  streams_.push_back(stream);
  if (stream->listed_by != nullptr) return;
  stream->list_number = static_cast<uint32_t>(free_numbers_.empty() ? numbers_++ : free_numbers_.back());
  if (!free_numbers_.empty()) free_numbers_.pop_back();
  stream->listed_by = this;
}

std::vector<Ref<backend::Stream>> ContextResources::streams() {
  std::lock_guard lock(lock_);
  return streams_;
}

void ContextResources::addSubmissions(std::vector<Stamp>* stamps) {
  stamps->reserve(stamps->size() + streams_.size());
  for (const Ref<backend::Stream>& stream : streams_) stamps->push_back({stream, stream->submitted()});
}

std::vector<Stamp> ContextResources::submissions() {
  std::vector<Stamp> stamps;
  std::lock_guard lock(lock_);
  addSubmissions(&stamps);
  return stamps;
}

void ContextResources::pendingStreams(std::vector<Stamp>* stamps) {
  std::lock_guard lock(lock_);
  for (const Ref<backend::Stream>& stream : streams_) {
    uint64_t submitted = stream->submitted();
    // Submissions that come after this look are not the caller's matter: it has freed the memory before.
    if (stream->completed() < submitted) stamps->push_back({stream, submitted});
  }
}

bool ContextResources::allIdle() {
  std::lock_guard lock(lock_);
  return std::all_of(streams_.begin(), streams_.end(), [](const Ref<backend::Stream>& stream) { return stream->idle(); });
}

Status ContextResources::enablePeer(const ContextResources& peer) {
  if (reachesPeer(peer)) return Status();
  if (fault::fails("peer")) throw std::bad_alloc();
  {
    std::lock_guard lock(lock_);
    peers_.reserve(peers_.size() + 1);  // may throw here, but not after the driver's call
  }
  RT_TRY(native_->enablePeer(*peer.native_));
  std::lock_guard lock(lock_);
  // By number: the peer's resources may end, and another context may get their address.
  peers_.push_back(peer.number_);
  return Status();
}

bool ContextResources::reachesPeer(const ContextResources& peer) {
  std::lock_guard lock(lock_);
  return std::find(peers_.begin(), peers_.end(), peer.number_) != peers_.end();
}

Status ContextResources::takeStaging(backend::Memory* memory) {
  {
    std::lock_guard lock(lock_);
    // A copy that is done has given its piece back, so that the newest is warm in the caches.
    if (staging_count_ > 0) {
      *memory = staging_[--staging_count_];
      return Status();
    }
  }
  // Without the lock: pinning memory takes a driver long.
  return native_->allocate(memory, RT_MEMORY_HOST, kStagingBytes, kStagingAlignment);
}

void ContextResources::giveBackStaging(const backend::Memory& memory) {
  {
    std::lock_guard lock(lock_);
    // Staging memory is pinned where a driver can, so that only a few pieces are kept.
    if (staging_count_ < kStagingPieces) {
      staging_[staging_count_++] = memory;
      return;
    }
  }
  native_->release(memory);
}

void ContextResources::releaseStaging() {
  for (;;) {
    backend::Memory memory;
    {
      std::lock_guard lock(lock_);
      if (staging_count_ == 0) return;
      memory = staging_[--staging_count_];
    }
    native_->release(memory);
  }
}

void ContextResources::recycle() {
  if (allIdle() && streams_.empty() && staging_count_ == 0) {  // never used: there is nothing to wait for
    delete this;
    return;
  }
  host_threads::submit(this);
}

void ContextResources::run() {
  // Nothing refers to the resources, so that nothing is submitted any more.
  for (const Ref<backend::Stream>& stream : streams_) (void)stream->wait(stream->submitted(), Deadline::never());
  releaseStaging();
  // On a thread of the library: ending a native context joins its threads, and the last reference may go on one of them.
  delete this;  // drops the streams, then the native context, which ends its threads
}

}  // namespace manyrt::allocator
