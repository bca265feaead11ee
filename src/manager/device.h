// Devices: one object and one handle for each device of each backend, made at the first question about the backend. A missing
// driver is zero devices and a reason.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "backends/backend.h"
#include "base/handles/slot_table.h"
#include "base/lock_order.h"
#include "base/status.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Device {
  Device(backend::Device& device, int32_t backend_id, int32_t index) : native(device), backend(backend_id), ordinal(index) {}

  std::string name() const;           // as rtDeviceGetByName takes it: "cpu", "cuda:1"
  Status primary(Context** context);  // created at the first use
  Context* primaryIfCreated();        // under a guard

  backend::Device& native;
  const int32_t backend;
  const int32_t ordinal;
  HandleBits bits = 0;

 private:
  Ranked<std::mutex, LockRank::kDevice> mutex_;
  // Stored with release, so that an acquire load finds the context that the handle names. Written under mutex_.
  std::atomic<HandleBits> primary_{0};
};

int32_t deviceCount(int32_t backend);  // RT_BACKEND_*; ALL leaves the null backend out; unknown: -1
Status getDevice(Device** device, int32_t backend, int32_t ordinal);
Status getDeviceByName(Device** device, const char* name);
Status defaultDevice(Device** device);  // RT_DEVICE, else the best; fixed at the first use
Status backendInfo(rtBackendInfo_t* info, int32_t backend);

}  // namespace manyrt::manager
