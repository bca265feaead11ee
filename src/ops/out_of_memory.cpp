// The steps of an allocation that finds no memory, and the sentence with what there is when none of them helps.
#include "ops/out_of_memory.h"

#include <algorithm>
#include <new>
#include <vector>

#include "base/callbacks.h"
#include "base/clock.h"
#include "manager/device.h"

namespace manyrt::ops {
namespace {

using Number = unsigned long long;

constexpr uint64_t kLook = 10'000'000;         // nanoseconds between two looks at all streams
constexpr uint64_t kPatience = 2'000'000'000;  // nanoseconds without a submission that ends

// Gives unused memory of the context's pools back to the driver. Outside the guard, because regions are freed a grace period
// after they leave the map.
void trimAll(manager::Context& context, epoch::Guard& guard) {
  {
    std::vector<Ref<allocator::Pool>> pools = context.allPools();
    guard.leave();
    for (const Ref<allocator::Pool>& pool : pools) pool->emptyQuarantine();
    guard.enter();
    for (const Ref<allocator::Pool>& pool : pools) pool->trim(0);
  }
  const Ref<allocator::ContextResources> resources(context.resourcesIfStarted());
  guard.leave();
  if (resources) resources->releaseStaging();
  epoch::drain();  // also waits for memory that other contexts give back
  guard.enter();
}

// The work that holds freed memory. Throws bad_alloc.
struct Pending {
  std::vector<allocator::Stamp> of_pool, of_context;

  Pending(manager::Context& context, allocator::Pool& from) {
    if (callbacks::inside()) return;  // work may wait for this very function
    from.pendingStamps(&of_pool);
    for (const Ref<allocator::Pool>& pool : context.allPools()) pool->pendingStamps(&of_context);
    const auto is_inside = [](const allocator::Stamp& stamp) { return stamp.stream->isInsideTask(); };
    std::erase_if(of_pool, is_inside);
    std::erase_if(of_context, is_inside);
  }
  std::vector<allocator::Stamp> that(Holders holders) {
    return holders == Holders::kNone     ? std::vector<allocator::Stamp>()
           : holders == Holders::kOfPool ? std::move(of_pool)
                                         : std::move(of_context);
  }
};

// After a try that trimmed everything.
Holders holdersNow(allocator::Pool& pool, manager::Context& context, uint64_t size) {
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  pool.statistics(&stats);
  uint64_t free_bytes = 0, device_bytes = 0;
  (void)context.device->native.memInfo(&free_bytes, &device_bytes);  // a device that cannot say has 0
  return holdersThatMatter(stats, pool.limit(), size, device_bytes);
}

// Waits as long as some of it ends now and then. Work that is held back, as by a fence which this thread is to signal, must not
// keep the caller for ever. Outside guards and locks.
void waitWhileTheyProgress(std::vector<allocator::Stamp> stamps) {
  std::erase_if(stamps, [](const allocator::Stamp& stamp) { return stamp.passed(); });
  uint64_t completed = 0;
  Deadline patience = Deadline::after(kPatience);
  while (!stamps.empty() && !patience.passed()) {
    (void)stamps.front().stream->wait(stamps.front().serial, Deadline::after(kLook));
    uint64_t now = 0;
    for (const allocator::Stamp& stamp : stamps) now += stamp.stream->completed();
    if (now != completed) patience = Deadline::after(kPatience);
    completed = now;
    const size_t before = stamps.size();
    std::erase_if(stamps, [](const allocator::Stamp& stamp) { return stamp.passed(); });
    if (stamps.size() != before) completed = 0;  // a sum over others
    if (!stamps.empty()) std::rotate(stamps.begin(), stamps.begin() + 1, stamps.end());
  }
}

Status explain(const Status& status, const AllocationRequest& request, allocator::Pool& pool, manager::Context& context) {
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  pool.statistics(&stats);
  uint64_t free_bytes = 0, total_bytes = 0;
  (void)context.device->native.memInfo(&free_bytes, &total_bytes);  // a device that cannot say has 0
  const uint64_t held = std::min(stats.reserved_bytes, stats.live_bytes + stats.pending_bytes);
  const bool labelled = request.label[0] != '\0';
  return Status::error(
      RT_ERROR_OUT_OF_MEMORY,
      "%s%s%s%s Asked for: %llu bytes. The pool has %llu live, %llu freed and still in use, %llu cached; the device has %llu "
      "free of %llu.",
      labelled ? "The allocation \"" : "", request.label, labelled ? "\" failed: " : "", status.message(),
      static_cast<Number>(request.size), static_cast<Number>(stats.live_bytes), static_cast<Number>(stats.pending_bytes),
      static_cast<Number>(stats.reserved_bytes - held), static_cast<Number>(free_bytes), static_cast<Number>(total_bytes));
}

}  // namespace

Holders holdersThatMatter(const rtMemPoolStats_t& stats, uint64_t limit, uint64_t size, uint64_t device_bytes) {
  if (device_bytes != 0 && size > device_bytes) return Holders::kNone;
  if (limit == 0) return Holders::kOfContext;
  const auto room = [&](uint64_t bytes) { return limit - std::min(limit, bytes); };
  if (size > room(stats.live_bytes)) return Holders::kNone;  // even when nothing is in flight
  return size > room(stats.reserved_bytes) ? Holders::kOfPool : Holders::kOfContext;
}

[[gnu::cold]] Status findMemory(void** pointer, const AllocationRequest& request, uint64_t alignment, allocator::Pool& from,
                                manager::Context& context, epoch::Guard& guard) {
  RT_TRY(context.pin());  // the guard is left below
  struct Pinned {
    Lease<manager::Context> context;
    ~Pinned() { context->unpin(); }
  } lease{Lease<manager::Context>(&context)};
  const Ref<allocator::Pool> pool(&from);
  const Ref<backend::Stream> stream = request.stream == nullptr ? nullptr : request.stream->native;
  const auto again = [&] {
    trimAll(context, guard);
    return pool->allocate(pointer, request.size, alignment, stream.get());
  };
  // It is of the time before the first try: work that ends between that try and a later look would be missed.
  Pending pending(context, *pool);
  Status status = again();
  if (status.code() == RT_ERROR_OUT_OF_MEMORY) {
    std::vector<allocator::Stamp> held_by = pending.that(holdersNow(*pool, context, request.size));
    if (!held_by.empty()) {
      guard.leave();
      waitWhileTheyProgress(std::move(held_by));
      guard.enter();
      status = again();
    }
  }
  void* user;
  while (status.code() == RT_ERROR_OUT_OF_MEMORY) {
    rtOutOfMemoryCallback_t callback = pool->outOfMemoryCallback(&user);
    if (callback == nullptr) break;
    guard.leave();
    int32_t wanted;
    {
      callbacks::Running running("out-of-memory callback");
      wanted = callback(request.size, user);
    }
    guard.enter();
    if (wanted == 0) break;
    status = again();
  }
  return status.code() == RT_ERROR_OUT_OF_MEMORY ? explain(status, request, *pool, context) : status;
}

}  // namespace manyrt::ops
