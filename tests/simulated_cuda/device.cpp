// Devices, their attributes, and the thread's stack of current contexts.
#include "device.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

#include "call.h"
#include "event.h"
#include "memory.h"
#include "module.h"
#include "objects.h"
#include "report.h"
#include "settings.h"
#include "stream.h"

namespace manyrt::simulated {
namespace {

std::vector<Context*>& contexts() {
  static auto* made = [] {
    auto* all = new std::vector<Context*>;
    for (int i = 0; i < settings().devices; ++i) {
      all->push_back(new Context);
      all->back()->device = i;
    }
    return all;
  }();
  return *made;
}

// Plain data: usable in destructors of the thread's other variables.
constexpr int kMaxPushed = 64;
thread_local Context* pushed[kMaxPushed];
thread_local int pushed_count = 0;

void activate(Context& context) {
  if (!context.active) context.broken = kSuccess;
  context.active = true;
}

// The last reference is gone: work is waited for, then everything made in the context ends.
void reset(Context& context) {
  waitForContext(context);
  context.active = false;
  for (auto& stream : streams().removeIf([&](const Stream& one) { return &one.context == &context; })) stream->close();
  events().removeIf([&](const Event& event) { return &event.context == &context; });
  removeModulesOf(context);
  freeAllOf(context);
  std::lock_guard lock(context.mutex);
  if (context.legacy) context.legacy->close();
  context.legacy = nullptr;
  context.peers.clear();
  context.streams.clear();
}

Error attributeOf(int* value, int attribute, int device) {
  switch (attribute) {
    case kMaxThreadsPerBlock:
    case kMaxBlockDimX:
    case kMaxBlockDimY:
      *value = kMaxBlockThreads;
      break;
    case kMaxBlockDimZ:
      *value = kMaxBlockDepth;
      break;
    case kMaxGridDimX:
      *value = INT_MAX;
      break;
    case kMaxGridDimY:
    case kMaxGridDimZ:
      *value = kMaxGridYZ;
      break;
    case kMaxSharedMemoryPerBlock:
      *value = static_cast<int>(kSharedBytes);
      break;
    case 9:
      *value = 64 << 10;
      break;  // constant memory
    case kWarpSize:
      *value = kWarpThreads;
      break;
    case 11:
      *value = INT_MAX;
      break;  // pitch
    case 12:
      *value = 65536;
      break;  // registers of a block
    case kClockRate:
      *value = 1980000;
      break;
    case kMultiProcessorCount:
      *value = kMultiprocessors;
      break;
    case kPciBusId:
      *value = 0x10 + device;
      break;
    case kPciDeviceId:
    case kPciDomainId:
    case kIntegrated:
      *value = 0;
      break;
    case 31:
    case 40:
    case 41:
    case 32:
      *value = attribute == 32 ? 0 : attribute == 40 ? 3 : 1;
      break;  // kernels at once, ECC, engines, UVA
    case kMemoryClockRate:
      *value = 3201000;
      break;
    case kGlobalMemoryBusWidth:
      *value = 6144;
      break;
    case kL2CacheSize:
      *value = 4 << 20;
      break;
    case kMaxThreadsPerMultiProcessor:
      *value = kMaxResidentThreads;
      break;
    case kComputeCapabilityMajor:
      *value = kArchitecture / 10;
      break;
    case kComputeCapabilityMinor:
      *value = kArchitecture % 10;
      break;
    case 78:
    case 79:
    case 80:
      *value = 1;
      break;  // stream priorities, caching in L1
    case kVirtualMemory:
    case kRdmaOfVirtualMemory:
      *value = settings().virtual_memory ? 1 : 0;
      break;
    case kMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(kSharedMultiprocessorBytes);
      break;
    case 82:
      *value = 65536;
      break;
    case kManagedMemory:
    case kConcurrentManagedAccess:
    case kCooperativeLaunch:
      *value = 1;
      break;
    case kPageableMemoryAccess:
      *value = 0;
      break;
    case kMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(kSharedOptinBytes);
      break;
    case 106:
      *value = kMaxResidentBlocks;
      break;
    case 111:
      *value = static_cast<int>(kSharedReservedBytes);
      break;
    default:
      *value = 0;
      return attribute > 0 && attribute < 140 ? kSuccess : kInvalidValue;
  }
  return kSuccess;
}

Error deviceAt(int device, Context** context) {
  *context = contextOfDevice(device);
  if (*context != nullptr) return kSuccess;
  return settings().devices == 0 ? kNoDevice : kInvalidDevice;
}

struct ErrorText {
  Error code;
  const char* runtime;
  const char* driver;
  const char* text;
};

const ErrorText* textOf(Error code) {
  static constexpr ErrorText kTexts[] = {
#define SIMULATED_TEXT(constant, number, runtime_name, driver_name, sentence) {number, runtime_name, driver_name, sentence},
      SIMULATED_CUDA_ERRORS(SIMULATED_TEXT)
#undef SIMULATED_TEXT
  };
  for (const ErrorText& text : kTexts) {
    if (text.code == code) return &text;
  }
  return nullptr;
}

}  // namespace

void Context::breakWith(Error code) {
  Error whole = kSuccess;
  broken.compare_exchange_strong(whole, code);
}

Context* contextOfDevice(int device) {
  auto& all = contexts();
  return device < 0 || static_cast<size_t>(device) >= all.size() ? nullptr : all[static_cast<size_t>(device)];
}

Context* contextOfHandle(NativeContext handle) {
  for (Context* context : contexts()) {
    if (context->handle() == handle) return context;
  }
  return nullptr;
}

Error currentForDriver(Context** context) {
  if (settings().devices == 0) return kNoDevice;
  if (pushed_count == 0) return kInvalidContext;
  *context = pushed[pushed_count - 1];
  return (*context)->state();
}

bool refusesCurrent(const Context& wanted) {
  if (!settings().insist_on_current.load(std::memory_order_relaxed)) return false;
  return pushed_count == 0 || pushed[pushed_count - 1] != &wanted;
}

Error currentForRuntime(Context** context) {
  if (settings().devices == 0) return kNoDevice;
  if (pushed_count == 0) pushed[pushed_count++] = contextOfDevice(0);
  *context = pushed[pushed_count - 1];
  {
    std::lock_guard lock((*context)->mutex);
    if (!(*context)->active) {  // the runtime holds what it has made until the process ends
      (*context)->retained_by_runtime = true;
      ++(*context)->retained;
      activate(**context);
    }
  }
  return (*context)->state();
}

bool mayAccessPeer(Context& context, int device) {
  std::lock_guard lock(context.mutex);
  return context.peers.count(device) != 0;
}

int liveContexts() {
  return static_cast<int>(
      std::count_if(contexts().begin(), contexts().end(), [](Context* context) { return context->active.load(); }));
}

namespace {

// A question about a device: `answer` writes to `out`.
template <typename Answer>
Error ask(DeviceNumber device, const void* out, Answer answer) {
  Context* context;
  SIMULATED_TRY(deviceAt(device, &context));
  if (out == nullptr) return kInvalidValue;
  answer();
  return kSuccess;
}

}  // namespace

namespace driver {

Error GetErrorName(Error code, const char** name) {
  const ErrorText* text = textOf(code);
  if (name != nullptr) *name = text == nullptr || *text->driver == 0 ? nullptr : text->driver;
  return text == nullptr || *text->driver == 0 ? kInvalidValue : kSuccess;
}

Error GetErrorString(Error code, const char** sentence) {
  const ErrorText* text = textOf(code);
  if (sentence != nullptr) *sentence = text == nullptr ? nullptr : text->text;
  return text == nullptr ? kInvalidValue : kSuccess;
}

Error DeviceGetAttribute(int* value, int attribute, DeviceNumber device) {
  return DRIVER_CALL(DeviceGetAttribute, {
    Context* context;
    SIMULATED_TRY(deviceAt(device, &context));
    if (value == nullptr) return kInvalidValue;
    return attributeOf(value, attribute, device);
  });
}

Error DeviceGet(DeviceNumber* device, int ordinal) {
  return DRIVER_CALL(DeviceGet, { return ask(ordinal, device, [=] { *device = ordinal; }); });
}

Error DeviceGetName(char* name, int length, DeviceNumber device) {
  return DRIVER_CALL(DeviceGetName, {
    return ask(device, length > 0 ? name : nullptr,
               [=] { snprintf(name, static_cast<size_t>(length), "Simulated CUDA %d", device); });
  });
}

Error DeviceGetUuid(Uuid* uuid, DeviceNumber device) {
  return DRIVER_CALL(DeviceGetUuid, {
    return ask(device, uuid, [=] {
      memcpy(uuid->bytes, "simulated cuda ", 15);
      uuid->bytes[15] = static_cast<unsigned char>(device);
    });
  });
}

Error DeviceTotalMem(size_t* bytes, DeviceNumber device) {
  return DRIVER_CALL(DeviceTotalMem, { return ask(device, bytes, [=] { *bytes = settings().memory; }); });
}

Error DevicePrimaryCtxRetain(NativeContext* handle, DeviceNumber device) {
  return DRIVER_CALL(DevicePrimaryCtxRetain, {
    Context* context;
    SIMULATED_TRY(deviceAt(device, &context));
    if (handle == nullptr) return kInvalidValue;
    std::lock_guard lock(context->mutex);
    if (context->active && context->broken != kSuccess) return context->broken;
    ++context->retained;
    activate(*context);
    *handle = context->handle();
    return kSuccess;
  });
}

Error DevicePrimaryCtxRelease(DeviceNumber device) {
  return DRIVER_CALL(DevicePrimaryCtxRelease, {
    Context* context;
    SIMULATED_TRY(deviceAt(device, &context));
    {
      std::lock_guard lock(context->mutex);
      if (context->retained == 0) return kInvalidContext;
      if (--context->retained > 0) return kSuccess;
    }
    reset(*context);
    return kSuccess;
  });
}

Error CtxGetCurrent(NativeContext* context) {
  return DRIVER_CALL(CtxGetCurrent, {
    if (context == nullptr) return kInvalidValue;
    *context = pushed_count == 0 ? nullptr : pushed[pushed_count - 1]->handle();
    return kSuccess;
  });
}

Error CtxPushCurrent(NativeContext handle) {
  return DRIVER_CALL(CtxPushCurrent, {
    Context* context = contextOfHandle(handle);
    if (context == nullptr) return kInvalidContext;
    if (!context->active) {
      violation("a push of the context of device %d, which has ended", context->device);
      return kContextDestroyed;
    }
    if (pushed_count == kMaxPushed) {
      violation("%d contexts are pushed on one thread: pops are missing", kMaxPushed);
      return kInvalidContext;
    }
    if (defect(Defect::stale_device) && pushed_count > 0) context = pushed[pushed_count - 1];
    pushed[pushed_count++] = context;
    return kSuccess;
  });
}

Error CtxPopCurrent(NativeContext* context) {
  return DRIVER_CALL(CtxPopCurrent, {
    if (pushed_count == 0) return kInvalidContext;
    --pushed_count;
    if (context != nullptr) *context = pushed[pushed_count]->handle();
    return kSuccess;
  });
}

}  // namespace driver

extern "C" {

const char* cudaGetErrorName(Error code) {
  const ErrorText* text = textOf(code);
  return text == nullptr ? "unrecognized error code" : text->runtime;
}

const char* cudaGetErrorString(Error code) {
  const ErrorText* text = textOf(code);
  return text == nullptr ? "unrecognized error code" : text->text;
}

Error cudaDriverGetVersion(int* version) {
  return RUNTIME_CALL(DriverGetVersion, {
    if (version == nullptr) return kInvalidValue;
    *version = settings().version;
    return kSuccess;
  });
}

Error cudaRuntimeGetVersion(int* version) {
  return RUNTIME_CALL(RuntimeGetVersion, {
    if (version == nullptr) return kInvalidValue;
    *version = settings().version;
    return kSuccess;
  });
}

Error cudaGetDeviceCount(int* count) {
  return RUNTIME_CALL(GetDeviceCount, {
    if (count == nullptr) return kInvalidValue;
    *count = settings().devices;
    return *count == 0 ? kNoDevice : kSuccess;
  });
}

Error cudaGetLastError() {
  static auto& function = *new Function("cudaGetLastError", true);
  Error code = kSuccess;
  if (refused(function, &code)) return code;
  return takeLastError();
}

Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  return RUNTIME_CALL(DeviceGetAttribute, {
    Context* context;
    SIMULATED_TRY(deviceAt(device, &context));
    if (value == nullptr) return kInvalidValue;
    return attributeOf(value, attribute, device);
  });
}

Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return RUNTIME_CALL(DeviceGetStreamPriorityRange, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return kSuccess;
  });
}

Error cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return RUNTIME_CALL(DeviceCanAccessPeer, {
    Context* context;
    SIMULATED_TRY(deviceAt(device, &context));
    SIMULATED_TRY(deviceAt(peer, &context));
    if (can == nullptr) return kInvalidValue;
    *can = device == peer ? 0 : 1;
    return kSuccess;
  });
}

Error cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return RUNTIME_CALL(DeviceEnablePeerAccess, {
    Context *context, *other;
    SIMULATED_TRY(currentForRuntime(&context));
    SIMULATED_TRY(deviceAt(peer, &other));
    if (flags != 0) return kInvalidValue;
    if (other == context) return kInvalidDevice;
    std::lock_guard lock(context->mutex);
    return context->peers.insert(peer).second ? kSuccess : kPeerEnabled;
  });
}

SIMULATED_CUDA_API void simulatedCudaLoseDevice(int device, int code) {
  if (Context* context = contextOfDevice(device)) context->breakWith(code);
}

SIMULATED_CUDA_API void simulatedCudaMendDevice(int device) {
  if (Context* context = contextOfDevice(device)) context->broken = kSuccess;
}

}  // extern "C"

}  // namespace manyrt::simulated
