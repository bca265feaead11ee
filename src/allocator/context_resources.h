// The resources of a context: the native context, its native streams, its pools and its pinned memory. They live as long as any
// object uses them, also beyond the context and its reset. The manager's context holds one reference; each region, stream and
// event holds another, and calls them its `resources`. The last reference ends the native context on a thread of the library,
// since that may wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "allocator/host_writes.h"
#include "allocator/region.h"
#include "backends/backend.h"
#include "base/handles/epoch.h"
#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/mutex.h"
#include "base/ref.h"

namespace manyrt::allocator {

class PinScope;
class Pool;

// The streams of all contexts of a device, each with its last submission. Includes contexts that were destroyed and still have
// work in flight. Throws bad_alloc.
std::vector<Stamp> submissionsOf(const backend::Device& device);
// Bytes that the program has allocated in all contexts, added up at the call. A shared counter would be the most expensive part
// of an allocation.
uint64_t liveBytes();  // of pools
uint64_t liveAllocations();

class ContextResources final : public RefCounted, public epoch::Retired, private host_threads::Job {
 public:
  ContextResources(Ref<backend::Context> native, backend::Device& device, rtContext_t context, rtDevice_t device_handle);
  ~ContextResources() override;

  backend::Context& native() const { return *native_; }
  const Ref<backend::Context>& nativeRef() const { return native_; }
  backend::Device& device() const { return device_; }
  rtContext_t contextHandle() const { return context_; }  // stale once the context is destroyed
  rtDevice_t deviceHandle() const { return device_handle_; }

  // A flag in the claims of a graph's own stream: only the stream of the launch reports a failure of such a stream.
  static constexpr uint32_t kOfGraph = uint32_t{1} << 31;

  // Takes a native stream: an idle one that was given back, else a new one.
  Status takeStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options);
  void giveBackStream(Ref<backend::Stream> stream);  // work in flight goes on
  // Lends a stream that works for `borrower`, a stream of another context, in the borrower's order. The borrower gets the same
  // one each time, so that there are never more such streams than borrowers at work. Until its return, when the work is
  // submitted, no other call gets it. Else two threads could submit here in another order than that of their points on the
  // borrower, and both would wait for ever.
  Status lendStream(Ref<backend::Stream>* stream, const backend::Stream* borrower, const backend::StreamOptions& options);
  void returnStream(const backend::Stream& stream);
  void forgetFailures();  // of idle streams without a claim, about which the program cannot ask any more
  // The failure of a stream about which the program can ask, or of the device.
  Status firstFailure();
  backend::Counts streamCounts();
  // Adds a stream of another library, which is never handed out again.
  void adoptStream(const Ref<backend::Stream>& stream);
  // All streams, also those that were given back and are not idle yet. Throws bad_alloc.
  std::vector<Ref<backend::Stream>> streams();
  // All streams, each with its last submission at one moment. A wait for the context takes these before it waits: a stream that
  // gets work later may itself wait for the caller. Throws bad_alloc.
  std::vector<Stamp> submissions();
  // Appends a stamp for each stream that has work in flight. Throws bad_alloc.
  void pendingStreams(std::vector<Stamp>* stamps);
  bool allIdle();

  // Lets kernels of this context use the peer's memory. Not that of another context of the peer's device, such as the one after
  // a reset.
  Status enablePeer(const ContextResources& peer);
  bool reachesPeer(const ContextResources& peer);

  // Pinned memory of kStagingBytes for copies through the host. Memory that is given back is kept for the next copy.
  Status takeStaging(backend::Memory* memory);
  void giveBackStaging(const backend::Memory& memory);
  void releaseStaging();  // releases what is kept; a driver may wait for work meanwhile
  static constexpr uint64_t kStagingBytes = uint64_t{4} << 20;
  static constexpr uint32_t kStagingPieces = 4;  // that one copy uses, and that are kept

  HostWrites& hostWrites() { return host_writes_; }

  // The native stream behind the context's default stream, for synchronous copies; null: never created.
  // Stored seq_cst against a capture that begins meanwhile (Stream::offerToCopies). A copy loads it with acquire.
  std::atomic<backend::Stream*> default_stream{nullptr};

  // Each pool is listed here for as long as it exists, and counts what it hands out.
  void addPool(Pool& pool);
  void removePool(Pool& pool);
  std::vector<Ref<Pool>> pools();  // throws bad_alloc
  // Stretches of pin mode that end while a capture is at work stay until no capture is.
  void captureBegins();
  void captureEnds();
  void keepForCaptures(Ref<PinScope> scope);
  std::vector<Ref<PinScope>> endedPins();  // throws bad_alloc

  // Memory that no pool made: registered and imported ranges.
  void countAdopted(int change) { adopted_.fetch_add(static_cast<uint64_t>(change), std::memory_order_relaxed); }
  uint64_t liveAllocations();

  // Drops the reference of the manager's context when no call can hold the plain pointer any more.
  void reclaim() override { drop(); }

 private:
  void recycle() override;  // after the last reference
  void run() override;      // the teardown, on a thread of the library

  // Changed relaxed: a reset waits for all guards before it relies on the sum.
  std::atomic<uint64_t> adopted_{0};
  friend std::vector<Stamp> submissionsOf(const backend::Device& device);
  friend std::vector<Stamp> hostWritesTo(uintptr_t begin, uintptr_t end);
  void addSubmissions(std::vector<Stamp>* stamps);  // under the lock
  void list(const Ref<backend::Stream>& stream);    // under the lock; throws bad_alloc
  friend uint64_t allocator::liveBytes();
  friend uint64_t allocator::liveAllocations();

  ContextResources* previous_ = nullptr;  // in the list of all
  ContextResources* next_ = nullptr;
  Ref<backend::Context> native_;
  backend::Device& device_;
  const rtContext_t context_;
  const rtDevice_t device_handle_;
  static constexpr size_t kKeptStreams = 64;  // idle ones that wait for a next use

  const uint64_t number_;  // unique for the process, unlike an address

  Ranked<Mutex, LockRank::kContextResources> lock_;
  Pool* pools_ = nullptr;
  uint32_t captures_ = 0;
  std::vector<Ref<PinScope>> ended_pins_;
  size_t kept_ = kKeptStreams;
  uint64_t streams_taken_ = 0, streams_recycled_ = 0;  // so far
  std::vector<Ref<backend::Stream>> streams_;          // all that the native context has made
  std::vector<Ref<backend::Stream>> free_;             // given back
  std::vector<uint32_t> free_numbers_;                 // below numbers_, of streams that have ended
  uint32_t numbers_ = 0;
  struct Loan {
    const backend::Stream* borrower;  // compared, never dereferenced
    Ref<backend::Stream> stream;
    bool busy;  // lent at this moment
  };
  std::vector<Loan> loans_;
  backend::Memory staging_[kStagingPieces];  // kept
  uint32_t staging_count_ = 0;
  std::vector<uint64_t> peers_;  // numbers of the peers whose memory kernels may use
  HostWrites host_writes_;
};

}  // namespace manyrt::allocator
