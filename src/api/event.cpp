// rt.h, chapter "Events and fences": resolves the handles and hands the verbs to ops/wait;
// objects come from their managers.
#include "manager/event.h"

#include "api/guard.h"
#include "api/structs.h"
#include "manager/context.h"
#include "manager/fence.h"
#include "manager/stream.h"
#include "ops/event_descriptor.h"
#include "ops/wait.h"

using namespace manyrt;

namespace {

Deadline deadlineOf(uint64_t timeout_ns) {
  return timeout_ns == RT_TIMEOUT_INFINITE ? Deadline::never() : Deadline::after(timeout_ns);
}

}  // namespace

rtStatus_t rtEventCreate(rtEvent_t* event, const rtEventOptions_t* options, rtContext_t context) {
  if (event != nullptr) *event = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(event);
    rtEventOptions_t chosen;
    RT_TRY(api::readOptions(&chosen, options, RT_EVENT_OPTIONS_INIT, "options"));
    RT_CHECK_ARG((chosen.flags & ~uint32_t{RT_EVENT_DISABLE_TIMING}) == 0, "The flags 0x%x of an event are unknown.",
                 chosen.flags);
    api::Creation in;
    RT_TRY(in.open(context));
    manager::Event* object = nullptr;
    RT_TRY(manager::createEvent(&object, in.context(), in.resources(), (chosen.flags & RT_EVENT_DISABLE_TIMING) == 0));
    *event = reinterpret_cast<rtEvent_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtEventDestroy(rtEvent_t event) {
  if (event == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    if (manager::events.find(toBits(event)) != nullptr && manager::closeHandle(toBits(event))) return Status();
    return manager::invalidHandle(toBits(event), RT_HANDLE_EVENT, "event");
  });
}

rtStatus_t rtEventQuery(rtEvent_t event) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Event, object, events, event, RT_HANDLE_EVENT);
    return ops::query(*object);
  });
}

rtStatus_t rtEventGetDescriptor(int32_t* descriptor, rtEvent_t event) {
  if (descriptor != nullptr) *descriptor = -1;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(descriptor);
    RT_RESOLVE(Event, object, events, event, RT_HANDLE_EVENT);
    return ops::openDescriptor(descriptor, *object);
  });
}

rtStatus_t rtEventSynchronize(rtEvent_t event) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE(Event, object, events, event, RT_HANDLE_EVENT);
    return ops::synchronize(*object, Deadline::never(), guard);
  });
}

rtStatus_t rtEventSynchronizeFor(uint64_t timeout_ns, rtEvent_t event) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE(Event, object, events, event, RT_HANDLE_EVENT);
    return ops::synchronize(*object, deadlineOf(timeout_ns), guard);
  });
}

[[gnu::hot]] rtStatus_t rtEventRecord(rtEvent_t event, rtStream_t stream) {
  return api::guardedHot<trace::HotCall::kEventRecord>(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_HOT(Event, object, events, event, RT_HANDLE_EVENT);
    RT_RESOLVE_STREAM(recorded, stream);
    return ops::record(*object, *recorded);
  });
}

rtStatus_t rtEventElapsedTime(float* milliseconds, rtEvent_t start, rtEvent_t end) {
  if (milliseconds != nullptr) *milliseconds = 0;
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(milliseconds);
    RT_RESOLVE(Event, first, events, start, RT_HANDLE_EVENT);
    RT_RESOLVE(Event, last, events, end, RT_HANDLE_EVENT);
    int64_t nanoseconds = 0;
    RT_TRY(ops::elapsed(&nanoseconds, *first, *last));
    *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) / 1e6);
    return Status();
  });
}

rtStatus_t rtEventElapsedNanoseconds(int64_t* nanoseconds, rtEvent_t start, rtEvent_t end) {
  if (nanoseconds != nullptr) *nanoseconds = 0;
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(nanoseconds);
    RT_RESOLVE(Event, first, events, start, RT_HANDLE_EVENT);
    RT_RESOLVE(Event, last, events, end, RT_HANDLE_EVENT);
    return ops::elapsed(nanoseconds, *first, *last);
  });
}

rtStatus_t rtEventGetTimestamp(uint64_t* host_ns, uint64_t* error_ns, rtEvent_t event) {
  if (host_ns != nullptr) *host_ns = 0;
  if (error_ns != nullptr) *error_ns = 0;
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(host_ns);
    RT_RESOLVE(Event, object, events, event, RT_HANDLE_EVENT);
    uint64_t error = 0;
    RT_TRY(ops::timestamp(host_ns, &error, *object, guard));
    if (error_ns != nullptr) *error_ns = error;
    return Status();
  });
}

rtStatus_t rtFenceCreate(rtFence_t* fence, uint64_t value, rtContext_t context) {
  if (fence != nullptr) *fence = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(fence);
    RT_RESOLVE_CONTEXT(owner_context, context);
    api::Pin pin;
    RT_TRY(pin.take(*owner_context));
    manager::Fence* object = nullptr;
    RT_TRY(manager::createFence(&object, *owner_context, value));
    *fence = reinterpret_cast<rtFence_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtFenceDestroy(rtFence_t fence) {
  if (fence == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    if (manager::fences.find(toBits(fence)) != nullptr && manager::closeHandle(toBits(fence))) return Status();
    return manager::invalidHandle(toBits(fence), RT_HANDLE_FENCE, "fence");
  });
}

rtStatus_t rtFenceGetValue(uint64_t* value, rtFence_t fence) {
  if (value != nullptr) *value = 0;
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(value);
    RT_RESOLVE(Fence, object, fences, fence, RT_HANDLE_FENCE);
    *value = object->value.load(std::memory_order_acquire);
    return Status();
  });
}

rtStatus_t rtFenceSignal(uint64_t value, rtFence_t fence) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Fence, object, fences, fence, RT_HANDLE_FENCE);
    return ops::signal(*object, value);
  });
}

rtStatus_t rtFenceWait(uint64_t value, rtFence_t fence) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE(Fence, object, fences, fence, RT_HANDLE_FENCE);
    return ops::waitFence(*object, value, Deadline::never(), guard);
  });
}

rtStatus_t rtFenceWaitFor(uint64_t timeout_ns, uint64_t value, rtFence_t fence) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE(Fence, object, fences, fence, RT_HANDLE_FENCE);
    return ops::waitFence(*object, value, deadlineOf(timeout_ns), guard);
  });
}

rtStatus_t rtStreamSignalFence(rtFence_t fence, uint64_t value, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Fence, object, fences, fence, RT_HANDLE_FENCE);
    RT_RESOLVE_STREAM(signalling, stream);
    return ops::signalFence(*object, value, *signalling);
  });
}

rtStatus_t rtStreamWaitFence(rtFence_t fence, uint64_t value, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Fence, object, fences, fence, RT_HANDLE_FENCE);
    RT_RESOLVE_STREAM(waiting, stream);
    return ops::waitFence(*object, value, *waiting);
  });
}
