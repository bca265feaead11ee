// Contexts, which own the streams, events, memory and modules of a device. The native context starts at the first use; a reset
// gives it back. The context keeps lists and defaults, and gives no orders to a driver.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "allocator/context_resources.h"
#include "allocator/pool.h"
#include "base/callbacks.h"
#include "base/handles/slot_table.h"
#include "base/lock_order.h"
#include "base/spin_lock.h"
#include "base/status.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Child;

struct Context {
  Context(Device& owner_device, const rtContextOptions_t& context_options, bool primary_context);
  ~Context();

  // Starts the native context if there is none. The plain pointer is valid under the caller's guard. Throws bad_alloc.
  Status ensureResources(allocator::ContextResources** resources);
  allocator::ContextResources* resourcesIfStarted() const { return resources_.load(std::memory_order_acquire); }

  Status defaultStream(Stream** stream);  // created at the first use
  Status defaultPool(Pool** pool);        // the pool that was set, else the context's own
  Pool* knownPool() const;                // the same pool if it exists, else null
  Status ownPool(Pool** pool);
  Status hostPool(int32_t kind, Ref<allocator::Pool>* pool);  // of pinned or shared memory
  void setDefaultPool(HandleBits pool) { default_pool_.store(pool, std::memory_order_release); }
  std::vector<Ref<allocator::Pool>> allPools();  // under a guard; throws bad_alloc

  // Names the context in messages: its label, else its device and index.
  std::string name() const;

  // A call that creates an object pins the context against a reset. Success must be paired with unpin().
  Status pin();
  void unpin() { pins_.fetch_sub(1, std::memory_order_release); }  // release: beginReset() sees what was created
  // Instead of a pin, for calls that create an object within one guard: a reset waits for all guards, and then looks again.
  bool isOpen() const { return pins_.load(std::memory_order_acquire) >= 0; }
  Status resetting() const;  // the refusal
  // Closes the context for creating calls until endReset(). BUSY: an object is alive. Calls that asked isOpen() before may
  // still create one, so the caller waits for all guards, and asks checkUnused() again.
  Status beginReset();
  Status checkUnused();
  allocator::ContextResources* detachResources();                              // closes the defaults too
  void endReset() { pins_.fetch_sub(kResetting, std::memory_order_release); }  // no store: refused pins count up and down

  void statistics(rtContextStats_t* stats);  // all but struct_size; under a guard

  void addChild(Child& child);
  void removeChild(Child& child);
  void closeChildren();  // under a guard
  bool hasChildren();    // that the program made

  Device* const device;
  const rtContextOptions_t options;
  const bool primary;
  const bool strict;  // its kernels take addresses of live memory alone, even if the device reaches more
  bool counted = true;
  HandleBits bits = 0;
  Ref<backend::Context> imported;  // borrowed from another library; null for our own

  // The user pointer of the program, with its release function.
  Ranked<std::mutex, LockRank::kContextUser> user_mutex;
  callbacks::Release* user = nullptr;

 private:
  static constexpr int kResetting = -(1 << 30);

  Status inUse(uint64_t allocations) const;
  void unlink(Child& child);  // under the lock of the children

  Ranked<std::mutex, LockRank::kContextStart> start_mutex_;
  // Published by ensureResources() and taken away by detachResources(); acquire loads pair with the former. The defaults behind
  // it are handles, so that a stale one is found closed; defaultStream() says why some steps are sequentially consistent.
  std::atomic<allocator::ContextResources*> resources_{nullptr};
  // The acquire of pin() and isOpen() pairs with the release of endReset(): the context is as the reset has left it.
  std::atomic<int> pins_{0};
  std::atomic<HandleBits> default_stream_{0};
  std::atomic<HandleBits> own_pool_{0};
  std::atomic<HandleBits> default_pool_{0};
  Ref<allocator::Pool> host_pool_;    // under start_mutex_
  Ref<allocator::Pool> shared_pool_;  // under start_mutex_
  Ranked<SpinLock, LockRank::kContextChildren> children_lock_;
  Child* children_ = nullptr;
  uint64_t events_created_ = 0, events_recycled_ = 0, events_live_ = 0;  // under the same lock
};

// "the context 3 of opencl:0", for messages; also where the handle is stale. Under a guard.
std::string contextText(HandleBits context);

// Creates a context and its handle. `imported` may be null.
Status createContext(Context** context, Device& device, const rtContextOptions_t& options, bool primary,
                     Ref<backend::Context> imported);

}  // namespace manyrt::manager
