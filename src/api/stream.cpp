// rt.h, chapter "Streams": the manager creates and destroys streams, ops/wait orders and waits, ops/launch submits host
// functions.
#include "manager/stream.h"

#include "api/guard.h"
#include "api/structs.h"
#include "manager/context.h"
#include "ops/launch.h"
#include "ops/wait.h"

using namespace manyrt;

rtStatus_t rtStreamCreate(rtStream_t* stream, const rtStreamOptions_t* options, rtContext_t context) {
  if (stream != nullptr) *stream = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(stream);
    rtStreamOptions_t chosen;
    RT_TRY(api::readOptions(&chosen, options, RT_STREAM_OPTIONS_INIT, "options"));
    RT_TRY(api::checkLabel(chosen.label));
    RT_CHECK_ARG(chosen.flags == 0 && chosen.reserved == 0, "The flags 0x%x of a stream are unknown.",
                 chosen.flags | chosen.reserved);
    api::Creation in;
    RT_TRY(in.open(context));
    manager::Stream* object = nullptr;
    RT_TRY(manager::createStream(&object, in.context(), in.resources(), chosen, false));
    *stream = reinterpret_cast<rtStream_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtStreamDestroy(rtStream_t stream) {
  if (stream == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    epoch::collectAfterCall();  // its native stream goes back for the next one
    RT_RESOLVE(Stream, object, streams, stream, RT_HANDLE_STREAM);
    RT_CHECK_ARG(!object->is_default, "A context's default stream lives as long as the context.");
    if (!manager::closeHandle(toBits(stream))) return manager::invalidHandle(toBits(stream), RT_HANDLE_STREAM, "stream");
    return Status();
  });
}

[[gnu::hot]] rtStatus_t rtStreamSynchronize(rtStream_t stream) {
  return api::guarded<api::WhileEnding::kTaken, trace::HotCall::kStreamSynchronize>(
      __func__, [&](epoch::Guard& guard) -> Status {
        RT_RESOLVE_STREAM(object, stream);
        return ops::synchronize(*object, Deadline::never(), true, guard);
      });
}

rtStatus_t rtStreamQuery(rtStream_t stream) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::query(*object);
  });
}

rtStatus_t rtStreamSynchronizeFor(uint64_t timeout_ns, rtStream_t stream) {
  return api::guarded<api::WhileEnding::kTaken>(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    Deadline deadline = timeout_ns == RT_TIMEOUT_INFINITE ? Deadline::never() : Deadline::after(timeout_ns);
    return ops::synchronize(*object, deadline, false, guard);
  });
}

[[gnu::hot]] rtStatus_t rtStreamWaitEvent(rtEvent_t event, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_HOT(Event, awaited, events, event, RT_HANDLE_EVENT);
    RT_RESOLVE_STREAM(object, stream);
    return ops::waitEvent(*awaited, *object);
  });
}

rtStatus_t rtStreamWaitStream(rtStream_t other, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(awaited, other);
    RT_RESOLVE_STREAM(object, stream);
    return ops::waitStream(*awaited, *object);
  });
}

rtStatus_t rtStreamWaitContext(rtContext_t other, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_CONTEXT(awaited, other);
    RT_RESOLVE_STREAM(object, stream);
    return ops::waitContext(*awaited, *object);
  });
}

rtStatus_t rtStreamGetContext(rtContext_t* context, rtStream_t stream) {
  if (context != nullptr) *context = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(context);
    RT_RESOLVE_STREAM(object, stream);
    *context = reinterpret_cast<rtContext_t>(object->context->bits);
    return Status();
  });
}

rtStatus_t rtStreamGetPriority(int32_t* priority, rtStream_t stream) {
  if (priority != nullptr) *priority = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(priority);
    RT_RESOLVE_STREAM(object, stream);
    *priority = object->priority;
    return Status();
  });
}

rtStatus_t rtStreamWaitPointer(const void* pointer, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::waitPointer(pointer, *object);
  });
}

rtStatus_t rtLaunchHostFunction(rtHostFunction_t function, void* user, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::launchHostFunction(function, {user, nullptr}, *object);
  });
}

rtStatus_t rtLaunchHostFunctionWithRelease(rtHostFunction_t function, void* user, rtReleaseFunction_t release,
                                           rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::launchHostFunction(function, {user, release}, *object);
  });
}
