// Creates pools, and counts those that give memory back at each synchronise.
#include "manager/pool.h"

#include <new>

#include "base/fault.h"
#include "manager/create.h"

namespace manyrt::manager {

void Pool::setTrims(bool now) {
  if (trims.exchange(now, std::memory_order_relaxed) == now) return;
  library::trimming_pools.fetch_add(now ? 1u : ~0u, std::memory_order_relaxed);
}

Status createPool(Pool** pool, Context& context, allocator::ContextResources& resources, const allocator::PoolOptions& options,
                  bool own) {
  if (fault::fails("pool")) throw std::bad_alloc();
  Ref<allocator::Pool> made =
      Ref<allocator::Pool>::adopt(new allocator::Pool(Ref<allocator::ContextResources>(&resources), options));
  RT_TRY(createChild(pool, pools, context, Ref<allocator::ContextResources>(&resources), std::move(made), own));
  (*pool)->setTrims(options.release_threshold != UINT64_MAX);
  return Status();
}

}  // namespace manyrt::manager
