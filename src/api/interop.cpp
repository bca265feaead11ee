// rt.h, chapter "Interop": returns native objects, and imports those of other libraries, always borrowed.
#include "api/guard.h"
#include "manager/context.h"
#include "manager/create.h"
#include "manager/device.h"
#include "manager/event.h"
#include "manager/module.h"
#include "manager/stream.h"
#include "ops/launch.h"
#include "ops/memory.h"

using namespace manyrt;

namespace {

void clear(uint64_t native[2]) {
  if (native != nullptr) native[0] = native[1] = 0;
}

Status checkValues(const uint64_t* native) {
  RT_CHECK_ARG(native != nullptr, "The native values are NULL.");
  return Status();
}

Status checkNative(const uint64_t* native) {
  RT_TRY(checkValues(native));
  RT_CHECK_ARG(native[0] != 0, "The native object is 0.");
  return Status();
}

}  // namespace

rtStatus_t rtDeviceGetNative(uint64_t native[2], rtDevice_t device) {
  clear(native);
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(native);
    RT_RESOLVE(Device, object, devices, device, RT_HANDLE_DEVICE);
    object->native.native(native);
    return Status();
  });
}

rtStatus_t rtContextGetNative(uint64_t native[2], rtContext_t context) {
  clear(native);
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(native);
    RT_RESOLVE_CONTEXT(object, context);
    allocator::ContextResources* resources = nullptr;
    RT_TRY(object->ensureResources(&resources));
    resources->native().native(native);
    return Status();
  });
}

rtStatus_t rtStreamGetNative(uint64_t native[2], rtStream_t stream) {
  clear(native);
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(native);
    RT_RESOLVE_STREAM(object, stream);
    object->native->native(native);
    return Status();
  });
}

rtStatus_t rtEventGetNative(uint64_t native[2], rtEvent_t event) {
  clear(native);
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(native);
    RT_RESOLVE(Event, object, events, event, RT_HANDLE_EVENT);
    Ref<backend::Point> point = object->point();
    RT_CHECK_ARG(point, "The event was never recorded: there is no native event yet.");
    object->resources->native().nativePoint(*point, native);
    return Status();
  });
}

rtStatus_t rtModuleGetNative(uint64_t native[2], rtModule_t module) {
  clear(native);
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(native);
    RT_RESOLVE(Module, object, modules, module, RT_HANDLE_MODULE);
    object->native->native(native);
    return Status();
  });
}

rtStatus_t rtPointerGetNative(uint64_t native[2], const void* pointer) {
  clear(native);
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(native);
    return ops::nativeOf(native, pointer);
  });
}

rtStatus_t rtContextImport(rtContext_t* context, const uint64_t native[2], rtDevice_t device) {
  if (context != nullptr) *context = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(context);
    RT_TRY(checkNative(native));
    RT_RESOLVE(Device, owner, devices, device, RT_HANDLE_DEVICE);
    Ref<backend::Context> borrowed;
    backend::Interop* interop;
    RT_TRY(backend::interopOf(&interop, owner->native));
    RT_TRY(interop->importContext(&borrowed, native));
    rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
    manager::Context* object = nullptr;
    RT_TRY(manager::createContext(&object, *owner, options, false, std::move(borrowed)));
    *context = reinterpret_cast<rtContext_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtStreamImport(rtStream_t* stream, const uint64_t native[2], rtContext_t context) {
  if (stream != nullptr) *stream = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(stream);
    RT_TRY(checkValues(native));  // the value 0 is a stream of CUDA: the backend decides whether it takes it
    api::Creation in;
    RT_TRY(in.open(context));
    manager::Stream* object = nullptr;
    RT_TRY(manager::importStream(&object, in.context(), in.resources(), native));
    *stream = reinterpret_cast<rtStream_t>(object->bits);
    return Status();
  });
}

rtStatus_t rtEventImport(rtEvent_t* event, const uint64_t native[2], rtContext_t context) {
  if (event != nullptr) *event = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(event);
    RT_TRY(checkNative(native));
    api::Creation in;
    RT_TRY(in.open(context));
    Ref<backend::Point> point;
    backend::Interop* interop;
    RT_TRY(backend::interopOf(&interop, in.resources().device()));
    RT_TRY(interop->importPoint(&point, in.resources().native(), native));
    manager::Event* object = nullptr;
    RT_TRY(manager::createEvent(&object, in.context(), in.resources(), true));
    object->setPoint(std::move(point));
    *event = reinterpret_cast<rtEvent_t>(object->bits);
    return Status();
  });
}

namespace {

rtStatus_t import(const char* function, void** pointer, const uint64_t native[2], uint64_t size, void* user,
                  rtReleaseFunction_t release, rtContext_t context) {
  if (pointer != nullptr) *pointer = nullptr;
  return api::guarded(function, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(pointer);
    RT_TRY(checkNative(native));
    RT_RESOLVE_CONTEXT(owner_context, context);
    api::Pin pin;
    RT_TRY(pin.take(*owner_context));
    return ops::importMemory(pointer, native, size, {user, release}, *owner_context);
  });
}

}  // namespace

rtStatus_t rtMemImport(void** pointer, const uint64_t native[2], uint64_t size, rtContext_t context) {
  return import(__func__, pointer, native, size, nullptr, nullptr, context);
}

rtStatus_t rtMemImportWithRelease(void** pointer, const uint64_t native[2], uint64_t size, void* user,
                                  rtReleaseFunction_t release, rtContext_t context) {
  return import(__func__, pointer, native, size, user, release, context);
}

rtStatus_t rtStreamLaunchNative(rtNativeFunction_t function, void* user, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::launchNative(function, {user, nullptr}, *object);
  });
}

rtStatus_t rtStreamCallNative(rtNativeFunction_t function, void* user, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::callNativeAtOnce(function, user, *object, guard);
  });
}

rtStatus_t rtStreamLaunchNativeWithRelease(rtNativeFunction_t function, void* user, rtReleaseFunction_t release,
                                           rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::launchNative(function, {user, release}, *object);
  });
}
