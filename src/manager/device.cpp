// Enumerating devices, choosing the default one, and primary contexts. Handles of devices live until the process ends.
#include "manager/device.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/fault.h"
#include "base/lock_order.h"
#include "manager/backends.h"
#include "manager/context.h"

namespace manyrt::manager {
namespace {

constexpr int kBackends = 5;

// Devices of one backend, complete once `known`.
struct Enumerated {
  Ranked<std::mutex, LockRank::kDeviceList> mutex;
  std::atomic<bool> known{false};
  int32_t count = 0;
  std::unique_ptr<HandleBits[]> handles;
};
Enumerated* const enumerated = new Enumerated[kBackends];  // never destroyed

Status enumerate(int32_t backend) {
  Enumerated& list = enumerated[backend];
  // Acquire pairs with the release at the end: the list is complete and never changes again.
  if (list.known.load(std::memory_order_acquire)) return Status();
  std::lock_guard lock(list.mutex);
  if (list.known.load(std::memory_order_relaxed)) return Status();  // the lock orders this load
  backend::Backend* driver = backendOf(backend);
  int32_t count = driver == nullptr ? 0 : driver->deviceCount();
  if (fault::fails("device list")) throw std::bad_alloc();
  std::unique_ptr<HandleBits[]> handles(new HandleBits[static_cast<size_t>(count)]());
  for (int32_t i = 0; i < count; ++i) {
    HandleBits bits = 0;
    Device* device = devices.create(&bits, *driver->device(i), backend, i);
    if (device == nullptr) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
    device->bits = bits;
    handles[static_cast<size_t>(i)] = bits;
  }
  list.handles = std::move(handles);
  list.count = count;
  list.known.store(true, std::memory_order_release);  // pairs with the acquire above: the list is complete
  return Status();
}

// The names of devices that exist, of one backend or of all: "cpu, cuda:0, cuda:1 and opencl:0". "none" without one.
std::string existing(int32_t backend) {
  constexpr int32_t kMostTold = 8;  // of a backend
  std::vector<std::string> names;
  for (int32_t each : kBackendOrder) {
    if (each == RT_BACKEND_NULL ? backend != each : backend != RT_BACKEND_ALL && backend != each) continue;
    const int32_t count = deviceCount(each);
    const std::string word = backendWord(each);
    if (each == RT_BACKEND_CPU && count == 1) {
      names.push_back(word);
      continue;
    }
    for (int32_t i = 0; i < std::min(count, kMostTold); ++i) names.push_back(word + ":" + std::to_string(i));
    if (count > kMostTold) names.push_back("more up to " + word + ":" + std::to_string(count - 1));
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text.empty() ? "none" : text;
}

// A handle, which is set once; the table that resolves it orders the device itself.
std::atomic<HandleBits> default_device{0};

}  // namespace

int32_t deviceCount(int32_t backend) {
  if (backend == RT_BACKEND_ALL) {
    int32_t count = 0;
    for (int32_t each : kBackendOrder) {
      if (each != RT_BACKEND_NULL) count += deviceCount(each);
    }
    return count;
  }
  if (backendWord(backend) == nullptr) return -1;
  return enumerate(backend).ok() ? enumerated[backend].count : 0;
}

Status getDevice(Device** device, int32_t backend, int32_t ordinal) {
  if (backend == RT_BACKEND_ALL) {  // the ordinal counts over all backends in their order; the null backend is last
    int32_t index = ordinal;
    for (int32_t each : kBackendOrder) {
      if (each == RT_BACKEND_NULL || index < 0) break;
      int32_t count = deviceCount(each);
      if (index < count) return getDevice(device, each, index);
      index -= count;
    }
    return Status::error(RT_ERROR_INVALID_DEVICE, "There is no device %d: the backends have %d in all, %s.", ordinal,
                         deviceCount(RT_BACKEND_ALL), existing(RT_BACKEND_ALL).c_str());
  }
  const char* word = backendWord(backend);
  RT_CHECK_ARG(word != nullptr, "%d is not a backend: RT_BACKEND_* goes from %d to %d.", backend, RT_BACKEND_ALL,
               RT_BACKEND_NULL);
  if (backendOf(backend) == nullptr) {
    return Status::error(RT_ERROR_BACKEND_UNAVAILABLE, "The backend \"%s\" cannot be used: %s", word,
                         unavailableReason(backend));
  }
  RT_TRY(enumerate(backend));
  Enumerated& list = enumerated[backend];
  if (list.count == 0) {
    rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
    backendOf(backend)->info(&info);
    return Status::error(RT_ERROR_BACKEND_UNAVAILABLE, "The backend \"%s\" cannot be used: %s", word, info.reason);
  }
  if (ordinal < 0 || ordinal >= list.count) {
    return Status::error(RT_ERROR_INVALID_DEVICE, "There is no device \"%s:%d\": the backend has %d, %s.", word, ordinal,
                         list.count, existing(backend).c_str());
  }
  *device = devices.find(list.handles[static_cast<size_t>(ordinal)]);
  return *device != nullptr ? Status() : Status::bare(RT_ERROR_SHUT_DOWN);
}

Status getDeviceByName(Device** device, const char* name) {
  if (name == nullptr) return defaultDevice(device);
  size_t length = strcspn(name, ":");
  for (int32_t backend : kBackendOrder) {
    const char* word = backendWord(backend);
    if (strlen(word) != length || strncmp(word, name, length) != 0) continue;
    int32_t ordinal = 0;
    if (name[length] == ':') {
      char* end = nullptr;
      const char* digits = name + length + 1;
      long number = strtol(digits, &end, 10);
      if (digits[0] < '0' || digits[0] > '9' || *end != '\0' || number > INT32_MAX) break;
      ordinal = static_cast<int32_t>(number);
    }
    Status status = getDevice(device, backend, ordinal);
    if (status.code() == RT_ERROR_INVALID_DEVICE || status.code() == RT_ERROR_BACKEND_UNAVAILABLE) {
      return Status::error(RT_ERROR_NOT_FOUND, "%s", status.message());  // it names the backend, or the device
    }
    return status;
  }
  return Status::error(RT_ERROR_NOT_FOUND, "\"%.64s\" names no device: there are %s, and \"null:0\" for tests.", name,
                       existing(RT_BACKEND_ALL).c_str());
}

namespace {

// The first device in the order of the backends. A processor behind a driver comes after the CPU backend, which has the same.
Status bestDevice(Device** device) {
  for (int32_t backend : kBackendOrder) {
    if (backend == RT_BACKEND_NULL) continue;
    for (int32_t ordinal = 0, count = deviceCount(backend); ordinal < count; ++ordinal) {
      Device* found = nullptr;
      const rtDeviceProperties_t* properties = nullptr;
      RT_TRY(getDevice(&found, backend, ordinal));
      if (backend != RT_BACKEND_CPU) RT_TRY(found->native.properties(&properties));
      if (*device == nullptr) *device = found;  // if there is nothing better
      if (properties != nullptr && properties->kind == RT_DEVICE_KIND_CPU) continue;
      *device = found;
      return Status();
    }
  }
  return Status();
}

}  // namespace

Status defaultDevice(Device** device) {
  *device = devices.find(default_device.load(std::memory_order_acquire));
  if (*device != nullptr) return Status();
  if (const char* name = config::get(config::Variable::kDevice)) {
    Status status = getDeviceByName(device, name);
    if (!status.ok()) {
      return Status::error(RT_ERROR_NOT_FOUND, "RT_DEVICE=%.64s cannot be used: %s", name, status.message());
    }
  } else {
    RT_TRY(bestDevice(device));
    if (*device == nullptr) {
      return Status::error(RT_ERROR_NOT_FOUND, "There is no device at all: RT_DISABLE leaves no backend.");
    }
  }
  HandleBits none = 0;
  default_device.compare_exchange_strong(none, (*device)->bits, std::memory_order_acq_rel);  // one of many threads sets it
  *device = devices.find(default_device.load(std::memory_order_acquire));
  return *device != nullptr ? Status() : Status::bare(RT_ERROR_SHUT_DOWN);
}

Status backendInfo(rtBackendInfo_t* info, int32_t backend) {
  const char* word = backendWord(backend);
  RT_CHECK_ARG(word != nullptr, "%d is not one backend: RT_BACKEND_* goes from %d to %d.", backend, RT_BACKEND_CPU,
               RT_BACKEND_NULL);
  backend::Backend* driver = backendOf(backend);
  info->backend = backend;
  snprintf(info->name, sizeof info->name, "%s", word);
  if (driver == nullptr) {
    snprintf(info->reason, sizeof info->reason, "%s", unavailableReason(backend));
    return Status();
  }
  driver->info(info);
  return Status();
}

// The same word as the property `id`, also for a device that is lost or fails to describe itself.
std::string Device::name() const {
  const std::string word = backendWord(backend);
  return backend == RT_BACKEND_CPU ? word : word + ":" + std::to_string(ordinal);
}

Context* Device::primaryIfCreated() { return contexts.find(primary_.load(std::memory_order_acquire)); }

Status Device::primary(Context** context) {
  *context = primaryIfCreated();
  if (*context != nullptr) return Status();
  std::lock_guard lock(mutex_);
  *context = primaryIfCreated();
  if (*context != nullptr) return Status();
  rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
  RT_TRY(createContext(context, *this, options, true, nullptr));
  primary_.store((*context)->bits, std::memory_order_release);
  return Status();
}

}  // namespace manyrt::manager
