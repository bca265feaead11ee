// Enumerating the devices of CUDA, and saying why there are none.
#include "backends/cuda/backend.h"

#include <cstdio>

#include "backends/cuda/cuda.h"
#include "backends/cuda/error.h"

namespace manyrt::cuda {

void Backend::open() {
  if (!openTable(&reason_)) return;
  int count = 0;
  if (const Error error = table().cudaGetDeviceCount(&count); error != kSuccess) {
    // The runtime's own sentence: it knows whether the driver is missing or too old.
    reason_ = failure("cudaGetDeviceCount", error).message();
    return;
  }
  for (int32_t ordinal = 0; ordinal < count; ++ordinal) {
    auto device = std::make_unique<Device>(ordinal);
    // All devices or none: ordinals are CUDA's own, and a gap would shift the others.
    if (Status status = device->describe(); !status.ok()) {
      reason_ = status.message();
      devices_.clear();
      return;
    }
    devices_.push_back(std::move(device));
  }
}

int32_t Backend::deviceCount() {
  // At the first question, since opening the runtime takes long. Once, also where it fails: a driver that was not there is not
  // looked for again.
  std::call_once(once_, [this] { open(); });
  return static_cast<int32_t>(devices_.size());
}

backend::Device* Backend::device(int32_t ordinal) {
  return ordinal >= 0 && ordinal < deviceCount() ? devices_[static_cast<size_t>(ordinal)].get() : nullptr;
}

void Backend::info(rtBackendInfo_t* info) {
  info->backend = RT_BACKEND_CUDA;
  info->device_count = deviceCount();
  // A runtime without a device is as good as none.
  info->available = info->device_count != 0;
  snprintf(info->name, sizeof info->name, "%s", name());
  snprintf(info->reason, sizeof info->reason, "%s", reason_.c_str());
  info->driver_name[0] = info->driver_version[0] = '\0';
  if (info->available == 0) return;
  int driver = 0, runtime = 0;
  (void)table().cudaDriverGetVersion(&driver);
  (void)table().cudaRuntimeGetVersion(&runtime);
  snprintf(info->driver_name, sizeof info->driver_name, "NVIDIA CUDA");
  snprintf(info->driver_version, sizeof info->driver_version, "%d.%d, runtime %d.%d", driver / 1000, driver % 1000 / 10,
           runtime / 1000, runtime % 1000 / 10);
}

backend::Backend* backend() {
  static auto* instance = new Backend;  // never destroyed
  return instance;
}

}  // namespace manyrt::cuda
