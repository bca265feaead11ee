// rt.h, chapter "Contexts": creating, destroying and resetting them, the current one, and what hangs on them.
// Handles and structs are checked here; managers and ops do the rest.
#include "manager/context.h"

#include <new>

#include "api/guard.h"
#include "api/structs.h"
#include "base/fault.h"
#include "manager/device.h"
#include "manager/pool.h"
#include "manager/stream.h"
#include "ops/memory.h"
#include "ops/user_data.h"
#include "ops/wait.h"

using namespace manyrt;

namespace {

constexpr uint32_t kMaxCpuThreads = 4096;

}  // namespace

rtStatus_t rtContextCreate(rtContext_t* context, const rtContextOptions_t* options, rtDevice_t device) {
  if (context != nullptr) *context = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(context);
    rtContextOptions_t chosen;
    RT_TRY(api::readOptions(&chosen, options, RT_CONTEXT_OPTIONS_INIT, "options"));
    RT_TRY(api::checkLabel(chosen.label));
    RT_CHECK_ARG(chosen.wait_policy >= RT_WAIT_DEFAULT && chosen.wait_policy <= RT_WAIT_BLOCK,
                 "%d is no wait policy: RT_WAIT_* goes to %d.", chosen.wait_policy, RT_WAIT_BLOCK);
    RT_CHECK_ARG(chosen.cpu_threads <= kMaxCpuThreads, "%u CPU threads are too many: at most %u.", chosen.cpu_threads,
                 kMaxCpuThreads);
    RT_CHECK_ARG((chosen.flags & ~uint32_t{RT_CONTEXT_STRICT}) == 0, "The flags 0x%x of a context are unknown.", chosen.flags);
    RT_RESOLVE(Device, owner, devices, device, RT_HANDLE_DEVICE);
    RT_TRY(owner->native.lost());
    manager::Context* object = nullptr;
    RT_TRY(manager::createContext(&object, *owner, chosen, false, nullptr));
    allocator::ContextResources* started = nullptr;
    Status status;
    try {
      status = object->ensureResources(&started);  // reports at once that the native context cannot start
    } catch (const std::bad_alloc&) {              // the handle has to be closed
      status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
    if (!status.ok()) {
      manager::closeHandle(object->bits);
      return status;
    }
    *context = reinterpret_cast<rtContext_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtContextDestroy(rtContext_t context) {
  if (context == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Context, object, contexts, context, RT_HANDLE_CONTEXT);
    RT_CHECK_ARG(!object->primary, "A primary context lives until rtShutdown; rtContextReset gives back what it holds.");
    epoch::collectAfterCall();
    if (!manager::closeHandle(toBits(context))) return manager::invalidHandle(toBits(context), RT_HANDLE_CONTEXT, "context");
    ops::setUserData(*object, nullptr);
    return Status();
  });
}

rtStatus_t rtContextGetPrimary(rtContext_t* context, rtDevice_t device) {
  if (context != nullptr) *context = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(context);
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    manager::Context* primary = nullptr;
    RT_TRY(object->primary(&primary));
    *context = reinterpret_cast<rtContext_t>(primary->bits);
    return Status();
  });
}

rtStatus_t rtContextSetCurrent(rtContext_t context) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    if (context != nullptr) {
      RT_RESOLVE(Context, object, contexts, context, RT_HANDLE_CONTEXT);
      (void)object;
    }
    manager::setCurrentContext(toBits(context));
    return Status();
  });
}

rtStatus_t rtContextGetCurrent(rtContext_t* context) {
  if (context != nullptr) *context = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(context);
    *context = reinterpret_cast<rtContext_t>(manager::currentContext());
    return Status();
  });
}

rtStatus_t rtContextGetDevice(rtDevice_t* device, rtContext_t context) {
  if (device != nullptr) *device = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(device);
    RT_RESOLVE_CONTEXT(object, context);
    *device = reinterpret_cast<rtDevice_t>(object->device->bits);
    return Status();
  });
}

rtStatus_t rtContextGetDefaultStream(rtStream_t* stream, rtContext_t context) {
  if (stream != nullptr) *stream = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(stream);
    RT_RESOLVE_CONTEXT(object, context);
    manager::Stream* found = nullptr;
    RT_TRY(object->defaultStream(&found));
    *stream = reinterpret_cast<rtStream_t>(found->bits);
    return Status();
  });
}

rtStatus_t rtContextGetDefaultPool(rtMemPool_t* pool, rtContext_t context) {
  if (pool != nullptr) *pool = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(pool);
    RT_RESOLVE_CONTEXT(object, context);
    manager::Pool* found = nullptr;
    RT_TRY(object->defaultPool(&found));
    *pool = reinterpret_cast<rtMemPool_t>(found->bits);
    return Status();
  });
}

rtStatus_t rtContextGetStats(rtContextStats_t* stats, rtContext_t context) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(stats, "stats"));
    RT_RESOLVE_CONTEXT(object, context);
    rtContextStats_t result = RT_CONTEXT_STATS_INIT;
    object->statistics(&result);
    api::writeResult(stats, result);
    return Status();
  });
}

rtStatus_t rtContextSetDefaultPool(rtMemPool_t pool, rtContext_t context) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Pool, found, pools, pool, RT_HANDLE_MEM_POOL);
    RT_RESOLVE_CONTEXT(object, context);
    if (found->context.get() != object) {
      return Status::error(RT_ERROR_WRONG_CONTEXT, "The pool belongs to the %s, not to the %s.", found->context->name().c_str(),
                           object->name().c_str());
    }
    RT_CHECK_ARG(found->pool->kind() == RT_MEMORY_DEVICE, "The default pool is one of device memory; this one is of kind %d.",
                 found->pool->kind());
    object->setDefaultPool(toBits(pool));
    return Status();
  });
}

rtStatus_t rtContextSynchronize(rtContext_t context) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE_CONTEXT(object, context);
    return ops::synchronize(*object, guard);
  });
}

rtStatus_t rtContextReset(rtContext_t context) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE_CONTEXT(object, context);
    return ops::reset(*object, guard);
  });
}

rtStatus_t rtContextEnablePeerAccess(rtContext_t peer, rtContext_t context) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_CONTEXT(other, peer);
    RT_RESOLVE_CONTEXT(object, context);
    if (other->device == object->device) return Status();
    if (!object->device->native.canAccess(other->device->native)) {
      return Status::error(RT_ERROR_NOT_SUPPORTED, "The device of the %s cannot reach the memory of the %s.",
                           object->name().c_str(), other->name().c_str());
    }
    allocator::ContextResources *resources, *peer_resources;
    RT_TRY(object->ensureResources(&resources));
    RT_TRY(other->ensureResources(&peer_resources));
    return resources->enablePeer(*peer_resources);
  });
}

rtStatus_t rtContextSetUserData(void* user, rtReleaseFunction_t release, rtContext_t context) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_CONTEXT(object, context);
    if (fault::fails("user data")) throw std::bad_alloc();
    const bool empty = user == nullptr && release == nullptr;
    ops::setUserData(*object, empty ? nullptr : new callbacks::Release(user, release));
    return Status();
  });
}

rtStatus_t rtContextGetUserData(void** user, rtContext_t context) {
  if (user != nullptr) *user = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(user);
    RT_RESOLVE_CONTEXT(object, context);
    std::lock_guard lock(object->user_mutex);
    *user = object->user != nullptr ? object->user->user() : nullptr;
    return Status();
  });
}
