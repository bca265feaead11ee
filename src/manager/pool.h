// The handles of the allocator's pools. A pool without its handle keeps no unused memory.
#pragma once

#include "allocator/pool.h"
#include "manager/child.h"
#include "manager/library.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Pool : Child {
  Pool(Context& owner_context, Ref<allocator::ContextResources> context_resources, Ref<allocator::Pool> allocator_pool,
       bool own)
      : Child(owner_context, std::move(context_resources), !own), pool(std::move(allocator_pool)), is_own(own) {}
  ~Pool() {
    if (trims) library::trimming_pools.fetch_sub(1, std::memory_order_relaxed);
    pool->close();
  }
  void setTrims(bool now);  // whether it gives memory back at a synchronise

  const Ref<allocator::Pool> pool;
  const bool is_own;  // the context's own default pool
  // Relaxed: the exchange lets one of several callers count the change, and orders nothing.
  std::atomic<bool> trims{false};
};

inline Pool* Context::knownPool() const {
  const HandleBits chosen = default_pool_.load(std::memory_order_acquire);
  Pool* pool = chosen == 0 ? nullptr : pools.find(chosen);
  return pool != nullptr ? pool : pools.find(own_pool_.load(std::memory_order_acquire));
}

Status createPool(Pool** pool, Context& context, allocator::ContextResources& resources, const allocator::PoolOptions& options,
                  bool own);

}  // namespace manyrt::manager
