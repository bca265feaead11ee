// rt.h, chapter "Memory": allocation, addresses, copies and fills. Converts arguments to the form of ops, which checks them.
#include "ops/memory.h"

#include "api/guard.h"
#include "api/structs.h"
#include "manager/context.h"
#include "manager/device.h"
#include "manager/stream.h"
#include "ops/copy.h"
#include "ops/memory_fast.h"

using namespace manyrt;

namespace {

rtStatus_t allocate(const char* function, void** pointer, size_t size, int32_t kind, rtContext_t context) {
  if (pointer != nullptr) *pointer = nullptr;
  return api::guarded(function, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(pointer);
    RT_RESOLVE_CONTEXT(owner, context);
    return ops::allocate(pointer, {size}, kind, *owner, guard);
  });
}

// The way where the stream's cache does not serve, or the library is in another than the common state.
[[gnu::noinline]] rtStatus_t mallocAsync(void** pointer, size_t size, rtStream_t stream) {
  if (pointer != nullptr) *pointer = nullptr;
  return api::guarded("rtMallocAsync", [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(pointer);
    RT_RESOLVE_STREAM(object, stream);
    ops::AllocationRequest request{size};
    request.stream = object;
    return ops::allocate(pointer, request, RT_MEMORY_DEVICE, *object->context, guard);
  });
}

[[gnu::noinline]] rtStatus_t freeAsync(void* pointer, rtStream_t stream) {
  if (pointer == nullptr) return RT_SUCCESS;
  return api::guardedRelease("rtFreeAsync", [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::free(pointer, object);
  });
}

}  // namespace

rtStatus_t rtMalloc(void** pointer, size_t size, rtContext_t context) {
  return allocate(__func__, pointer, size, RT_MEMORY_DEVICE, context);
}

rtStatus_t rtMallocHost(void** pointer, size_t size, rtContext_t context) {
  return allocate(__func__, pointer, size, RT_MEMORY_HOST, context);
}

rtStatus_t rtMallocShared(void** pointer, size_t size, rtContext_t context) {
  return allocate(__func__, pointer, size, RT_MEMORY_SHARED, context);
}

rtStatus_t rtMallocAsync(void** pointer, size_t size, rtStream_t stream) {
  const bool done = pointer != nullptr && api::shortCall([&] {
                      const manager::Stream* object = manager::streams.find(toBits(stream));
                      *pointer = object == nullptr ? nullptr : ops::allocateFromCache(size, *object);
                      return *pointer != nullptr;
                    });
  return done ? RT_SUCCESS : api::inFrame(mallocAsync(pointer, size, stream));
}

rtStatus_t rtMallocWithOptions(void** pointer, size_t size, const rtMallocOptions_t* options, rtContext_t context) {
  if (pointer != nullptr) *pointer = nullptr;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(pointer);
    rtMallocOptions_t chosen;
    RT_TRY(api::readOptions(&chosen, options, RT_MALLOC_OPTIONS_INIT, "options"));
    RT_TRY(api::checkLabel(chosen.label));
    RT_CHECK_ARG(chosen.flags == 0 && chosen.reserved == 0, "The flags 0x%x of an allocation are unknown.",
                 chosen.flags | chosen.reserved);
    RT_RESOLVE_CONTEXT(owner, context);
    RT_TRY(ops::allocate(pointer, {size, chosen.alignment, chosen.label}, chosen.kind, *owner, guard));
    ops::noteLabel(*pointer, chosen.label);
    return Status();
  });
}

rtStatus_t rtFree(void* pointer) {
  if (pointer == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) { return ops::free(pointer, nullptr); });
}

rtStatus_t rtFreeAsync(void* pointer, rtStream_t stream) {
  const bool done = api::shortCall([&] {
    const manager::Stream* object = manager::streams.find(toBits(stream));
    return object != nullptr && ops::freeIntoCache(pointer, *object);
  });
  return done ? RT_SUCCESS : api::inFrame(freeAsync(pointer, stream));
}

rtStatus_t rtHostRegister(void* pointer, size_t size, rtContext_t context) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_CONTEXT(owner, context);
    api::Pin pin;
    RT_TRY(pin.take(*owner));
    return ops::registerHost(pointer, size, *owner);
  });
}

rtStatus_t rtHostUnregister(void* pointer, rtContext_t context) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE_CONTEXT(owner, context);
    return ops::unregisterHost(pointer, *owner, guard);
  });
}

rtStatus_t rtHostGetDevicePointer(void** device_pointer, void* host, rtContext_t context) {
  if (device_pointer != nullptr) *device_pointer = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(device_pointer);
    RT_RESOLVE_CONTEXT(owner, context);
    return ops::hostDevicePointer(device_pointer, host, *owner);
  });
}

rtStatus_t rtPointerGetAttributes(rtPointerAttributes_t* attributes, const void* pointer) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(attributes, "attributes"));
    rtPointerAttributes_t result = RT_POINTER_ATTRIBUTES_INIT;
    RT_TRY(ops::attributes(&result, pointer));
    api::writeResult(attributes, result);
    return Status();
  });
}

rtStatus_t rtMemGetInfo(uint64_t* free_bytes, uint64_t* total_bytes, rtContext_t context) {
  if (free_bytes != nullptr) *free_bytes = 0;
  if (total_bytes != nullptr) *total_bytes = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_CONTEXT(owner, context);
    return ops::memInfo(free_bytes, total_bytes, *owner);
  });
}

rtStatus_t rtMemcpy(void* dst, const void* src, size_t size, int32_t kind) {
  return api::guarded(__func__, [&](epoch::Guard& guard) { return ops::copy({dst, src, size, 1, size, size, kind}, guard); });
}

rtStatus_t rtMemcpy2D(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                      int32_t kind) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    ops::CopyArguments copy{dst, src, width, height, dst_pitch, src_pitch, kind};
    RT_TRY(ops::normalise(&copy));
    return ops::copy(copy, guard);
  });
}

rtStatus_t rtMemcpyAsync(void* dst, const void* src, size_t size, int32_t kind, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::copyAsync({dst, src, size, 1, size, size, kind}, *object, guard);
  });
}

rtStatus_t rtMemcpy2DAsync(void* dst, size_t dst_pitch, const void* src, size_t src_pitch, size_t width, size_t height,
                           int32_t kind, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    ops::CopyArguments copy{dst, src, width, height, dst_pitch, src_pitch, kind};
    RT_TRY(ops::normalise(&copy));
    return ops::copyAsync(copy, *object, guard);
  });
}

rtStatus_t rtMemset(void* dst, int32_t value, size_t size) {
  return api::guarded(__func__, [&](epoch::Guard& guard) {
    unsigned char byte = static_cast<unsigned char>(value);
    return ops::fill({dst, &byte, 1, size, 1, size}, guard);
  });
}

rtStatus_t rtMemsetAsync(void* dst, int32_t value, size_t size, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    unsigned char byte = static_cast<unsigned char>(value);
    return ops::fillAsync({dst, &byte, 1, size, 1, size}, *object);
  });
}

rtStatus_t rtMemset2DAsync(void* dst, size_t pitch, int32_t value, size_t width, size_t height, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    RT_CHECK_ARG(height == 0 || pitch >= width, "A row of %zu bytes does not fit between rows %zu bytes apart.", width, pitch);
    unsigned char byte = static_cast<unsigned char>(value);
    return ops::fillAsync({dst, &byte, 1, width, height, pitch}, *object);
  });
}

rtStatus_t rtMemFillAsync(void* dst, const void* pattern, size_t pattern_size, size_t count, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_STREAM(object, stream);
    return ops::fillAsync({dst, pattern, pattern_size, count, 1, 0}, *object);
  });
}

rtStatus_t rtMemPrefetchAsync(const void* pointer, size_t size, rtDevice_t destination, rtStream_t stream) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    manager::Device* device = nullptr;
    if (destination != nullptr) {
      RT_TRY(api::resolve(&device, manager::devices, destination, RT_HANDLE_DEVICE, "destination"));
    }
    RT_RESOLVE_STREAM(object, stream);
    return ops::prefetchAsync(pointer, size, device, *object);
  });
}
