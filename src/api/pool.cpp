// rt.h, chapter "Pools": checks handles and options. src/allocator has the pools themselves.
#include "manager/pool.h"

#include "api/guard.h"
#include "api/structs.h"
#include "manager/context.h"
#include "manager/device.h"
#include "manager/stream.h"
#include "ops/memory.h"

using namespace manyrt;

rtStatus_t rtMemPoolCreate(rtMemPool_t* pool, const rtMemPoolOptions_t* options, rtContext_t context) {
  if (pool != nullptr) *pool = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(pool);
    rtMemPoolOptions_t chosen;
    RT_TRY(api::readOptions(&chosen, options, RT_MEM_POOL_OPTIONS_INIT, "options"));
    RT_TRY(api::checkLabel(chosen.label));
    RT_CHECK_ARG(chosen.kind >= RT_MEMORY_DEVICE && chosen.kind <= RT_MEMORY_SHARED,
                 "%d is no kind of memory: RT_MEMORY_* goes to %d.", chosen.kind, RT_MEMORY_SHARED);
    RT_CHECK_ARG(chosen.maximum_bytes == 0 || chosen.initial_bytes <= chosen.maximum_bytes,
                 "A pool of at most %llu bytes cannot begin with %llu.", static_cast<unsigned long long>(chosen.maximum_bytes),
                 static_cast<unsigned long long>(chosen.initial_bytes));
    api::Creation in;
    RT_TRY(in.open(context));
    if (chosen.kind == RT_MEMORY_SHARED && !in.resources().device().has(RT_CAPABILITY_SHARED_MEMORY)) {
      return Status::error(RT_ERROR_NOT_SUPPORTED, "The device %s has no shared memory.", in.context().device->name().c_str());
    }
    manager::Pool* object = nullptr;
    RT_TRY(manager::createPool(&object, in.context(), in.resources(),
                               {chosen.kind, chosen.maximum_bytes, chosen.release_threshold}, false));
    Status reserved = object->pool->reserve(chosen.initial_bytes);
    if (!reserved.ok()) {
      manager::closeHandle(object->bits);
      return reserved;
    }
    *pool = reinterpret_cast<rtMemPool_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtMemPoolDestroy(rtMemPool_t pool) {
  if (pool == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    epoch::collectAfterCall();  // its memory goes back
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    RT_CHECK_ARG(!object->is_own, "A context's own pool lives as long as the context.");
    if (manager::closeHandle(toBits(pool))) return Status();
    return manager::invalidHandle(toBits(pool), RT_HANDLE_MEM_POOL, "pool");
  });
}

rtStatus_t rtMemPoolTrim(uint64_t keep_bytes, rtMemPool_t pool) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    epoch::collectAfterCall();
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    const Ref<allocator::Pool> trimmed(object->pool);
    if (trimmed->debugs()) [[unlikely]] {
      guard.leave();
      trimmed->emptyQuarantine();
      guard.enter();
    }
    trimmed->trim(keep_bytes);
    return Status();
  });
}

rtStatus_t rtMemPoolSetLimit(uint64_t bytes, rtMemPool_t pool) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    object->pool->setLimit(bytes);
    return Status();
  });
}

rtStatus_t rtMemPoolSetReleaseThreshold(uint64_t bytes, rtMemPool_t pool) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    object->pool->setReleaseThreshold(bytes);
    object->setTrims(bytes != UINT64_MAX);
    return Status();
  });
}

rtStatus_t rtMallocFromPool(void** pointer, size_t size, size_t alignment, rtStream_t stream, rtMemPool_t pool) {
  if (pointer != nullptr) *pointer = nullptr;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(pointer);
    RT_RESOLVE_STREAM(order, stream);
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    if (order->context.get() != object->context.get()) {
      return Status::error(RT_ERROR_WRONG_CONTEXT, "The pool belongs to the %s and the stream to the %s.",
                           object->context->name().c_str(), order->context->name().c_str());
    }
    return ops::allocate(pointer, {size, alignment, "", order}, *object->pool, *object->context, guard);
  });
}

rtStatus_t rtMemPoolSetPinMode(int32_t on, rtMemPool_t pool) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    RT_CHECK_ARG(on == 0 || on == 1, "Pin mode is 1 or 0, not %d.", on);
    object->pool->setPinMode(on == 1);
    return Status();
  });
}

rtStatus_t rtMemPoolGetStats(rtMemPoolStats_t* stats, rtMemPool_t pool) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(stats, "stats"));
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    rtMemPoolStats_t result = RT_MEM_POOL_STATS_INIT;
    object->pool->statistics(&result);
    api::writeResult(stats, result);
    return Status();
  });
}

rtStatus_t rtMemPoolResetPeak(rtMemPool_t pool) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    object->pool->resetPeak();
    return Status();
  });
}

rtStatus_t rtMemPoolDumpJson(char* buffer, size_t size, size_t* needed, rtMemPool_t pool) {
  if (needed != nullptr) *needed = 0;
  if (buffer != nullptr && size != 0) buffer[0] = '\0';
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    rtContextStats_t context = RT_CONTEXT_STATS_INIT;
    object->context->statistics(&context);
    return api::copyText(buffer, size, needed, object->pool->json(context).c_str());
  });
}

rtStatus_t rtMemPoolSetOutOfMemoryCallback(rtOutOfMemoryCallback_t callback, void* user, rtMemPool_t pool) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Pool, object, pools, pool, RT_HANDLE_MEM_POOL);
    object->pool->setOutOfMemoryCallback(callback, user);
    return Status();
  });
}
