// What stays of a context for as long as anything of it is used: the native context, all its native streams, and the count
// of its live allocations. The manager's context holds one reference, each region, stream and event another. With the
// last one the native context is torn down on a thread of the library, since that may wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "allocator/host_writes.h"
#include "allocator/region.h"
#include "backends/backend.h"
#include "base/epoch.h"
#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/mutex.h"
#include "base/ref.h"

namespace manyrt::allocator {

class Pool;

// What the streams of all contexts of a device have been given so far, also of contexts that were destroyed and have work in
// flight: each stream with its last submission. Throws bad_alloc.
std::vector<Stamp> submissionsOf(const backend::Device& device);
// What the program has allocated, of all owners. Added up when somebody asks: a word that every allocation of the process
// changes would be the dearest part of one.
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

  // Added to the claims of a graph's stream: a failure there is told by the stream of the launch, and by it alone.
  static constexpr uint32_t kOfGraph = uint32_t{1} << 31;

  // A native stream for one owner: one that was given back and is idle, else a new one.
  Status takeStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options);
  void giveBackStream(Ref<backend::Stream> stream);  // work in flight goes on
  // A stream that works for `borrower`, a stream of another owner, whose order all of its work is in: the same one each time,
  // so that there are never more than borrowers at work. Nobody else gets it until it is returned, which is when the work is
  // submitted: two threads that took places in the borrower's order and submitted here in another one would wait for ever.
  Status lendStream(Ref<backend::Stream>* stream, const backend::Stream* borrower, const backend::StreamOptions& options);
  void returnStream(const backend::Stream& stream);
  void forgetFailures();  // of idle streams without a claim: nobody can be told of them any more
  // Of any stream that the program can be told of, or of the device.
  Status firstFailure();
  // A stream of another library: counted among the streams, never handed out again.
  void adoptStream(const Ref<backend::Stream>& stream);
  // All streams, also those that were given back and are not idle yet. Throws bad_alloc.
  std::vector<Ref<backend::Stream>> streams();
  // All streams with what each has been given so far. "So far" is one moment: who waits takes these first, since a stream that
  // is given work meanwhile may wait for the caller. Throws bad_alloc.
  std::vector<Stamp> submissions();
  // Appends a stamp for each stream that has work in flight. Throws bad_alloc.
  void pendingStreams(std::vector<Stamp>* stamps);
  bool allIdle();

  // Kernels of this owner may use the peer's memory once it was enabled. Of another owner of the peer's device, such as the
  // one after a reset, that says nothing.
  Status enablePeer(const ContextResources& peer);
  bool reachesPeer(const ContextResources& peer);

  // Pinned memory of kStagingBytes for copies that go through the host. What is given back is kept for the next ones.
  Status takeStaging(backend::Memory* memory);
  void giveBackStaging(const backend::Memory& memory);
  void releaseStaging();  // what is kept; drivers may wait for work here
  static constexpr uint64_t kStagingBytes = uint64_t{4} << 20;
  static constexpr uint32_t kStagingPieces = 4;  // of one copy at a time, and kept

  HostWrites& hostWrites() { return host_writes_; }

  // The native stream behind the context's default stream, for synchronous copies; null: never created.
  std::atomic<backend::Stream*> default_stream{nullptr};

  // Pools count what they hand out themselves; each is known here for as long as it exists.
  void addPool(Pool& pool);
  void removePool(Pool& pool);
  // Memory that no pool made: registered and imported ranges.
  void countAdopted(int change) { adopted_.fetch_add(static_cast<uint64_t>(change), std::memory_order_relaxed); }
  uint64_t liveAllocations();

  // Drops the manager's reference once no call can hold the plain pointer.
  void reclaim() override { drop(); }

 private:
  void recycle() override;  // the last reference is gone
  void run() override;      // the teardown, on a thread of the library

  std::atomic<uint64_t> adopted_{0};
  friend std::vector<Stamp> submissionsOf(const backend::Device& device);
  friend std::vector<Stamp> hostWritesTo(uintptr_t begin, uintptr_t end);
  void addSubmissions(std::vector<Stamp>* stamps);  // under the lock
  friend uint64_t allocator::liveBytes();
  friend uint64_t allocator::liveAllocations();

  ContextResources* previous_ = nullptr;  // among all owners
  ContextResources* next_ = nullptr;
  Ref<backend::Context> native_;
  backend::Device& device_;
  const rtContext_t context_;
  const rtDevice_t device_handle_;
  static constexpr size_t kKeptStreams = 64;  // idle ones that wait for a next use

  const uint64_t number_;  // of all owners there ever were: an address comes again

  Ranked<Mutex, LockRank::kContextResources> lock_;
  Pool* pools_ = nullptr;
  size_t kept_ = kKeptStreams;
  std::vector<Ref<backend::Stream>> streams_;  // every one that the native context has made
  std::vector<Ref<backend::Stream>> free_;     // given back
  struct Loan {
    const backend::Stream* borrower;  // compared, not followed
    Ref<backend::Stream> stream;
    bool busy;  // being submitted to
  };
  std::vector<Loan> loans_;
  backend::Memory staging_[kStagingPieces];  // kept
  uint32_t staging_count_ = 0;
  std::vector<uint64_t> peers_;  // numbers of those whose memory kernels may use
  HostWrites host_writes_;
};

}  // namespace manyrt::allocator
