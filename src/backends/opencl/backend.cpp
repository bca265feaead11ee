// Enumerating platforms and their devices. A platform or device that cannot be used is left out. The log has the reason, and so
// has the backend if nothing else is there.
#include "backends/opencl/backend.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "backends/opencl/error.h"
#include "backends/opencl/opencl.h"
#include "base/log.h"
#include "base/os/this_thread.h"
#include "base/os/thread.h"
#include "base/text.h"

namespace manyrt::opencl {
namespace {

std::string text(cl_platform_id platform, cl_platform_info what) {
  size_t size = 0;
  if (RT_CL_CALL(clGetPlatformInfo, platform, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string read(size, '\0');
  if (RT_CL_CALL(clGetPlatformInfo, platform, what, size, read.data(), nullptr) != CL_SUCCESS) return "";
  read.resize(size - 1);
  return read;
}

Backend* instance() {
  static auto* made = new Backend;  // never destroyed
  return made;
}

// Drivers are C++ programs with state of their own, and threads that use it until it is gone. Registered once they are loaded,
// so that it runs before they take themselves down; not in a forked child, which has none of these threads. On another thread
// than the exiting one, which has lost its thread variables by now, those of drivers too (Oclgrind's stack of calls).
pid_t process = 0;
void closeAtExit() {
  if (getpid() == process) (void)runOnLargeStack([](void*) { instance()->close(); }, nullptr);
}

// A driver may compile a kernel at its first launch (PoCL). The state of its compiler that is made then ends before closeAtExit
// runs, as it is registered later. Thread variables end before all of that, so the main thread waits here, too. It may end
// without the process: nothing is closed yet.
struct WaitAtExit {
  ~WaitAtExit() {
    if (armed && getpid() == process) (void)runOnLargeStack([](void*) { instance()->settle(); }, nullptr);
  }
  bool armed = false;
};
thread_local WaitAtExit wait_at_exit;

}  // namespace

void waitAtExitOfMainThread() {
  // The first use makes the thread variable, whose destructor then runs at the thread's end.
  if (!wait_at_exit.armed) wait_at_exit.armed = this_thread::isMain();
}

void Backend::skip(const std::string& what, const std::string& why) {
  log::write(RT_LOG_WARNING, "%s is not used: %s", what.c_str(), why.c_str());
  // Kept as well as logged: rtBackendGetInfo tells it where no device is left.
  reason_ += (reason_.empty() ? "" : " ") + what + " is not used: " + why;
}

void Backend::addPlatform(cl_platform_id platform) {
  const std::string name = text(platform, CL_PLATFORM_NAME);
  const std::string shown = "The OpenCL platform \"" + name + "\"";
  cl_uint count = 0;
  Error error = RT_CL_CALL(clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> ids(error == CL_SUCCESS ? count : 0);
  if (!ids.empty()) error = RT_CL_CALL(clGetDeviceIDs, platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
  // A platform without devices may say so by a failure. The others go on.
  if (error != CL_SUCCESS) return skip(shown, failure("clGetDeviceIDs", error).message());
  // Ordinals go on over platforms: a device that is left out takes none.
  const size_t before = devices_.size();
  for (cl_device_id id : ids) {
    auto device = std::make_unique<Device>(static_cast<int32_t>(devices_.size()), platform, id);
    if (const Status status = device->describe(); !status.ok()) {
      skip("A device of the OpenCL platform \"" + name + "\"", status.message());
      continue;
    }
    devices_.push_back(std::move(device));
  }
  // A platform without a device that can be used has no part in the backend's description.
  if (devices_.size() == before) return;
  names_ += (names_.empty() ? "" : ", ") + name;
  versions_ += (versions_.empty() ? "" : ", ") + text(platform, CL_PLATFORM_VERSION);
}

void Backend::open() {
  if (!openTable(&reason_)) return;
  cl_uint count = 0;
  Error error = RT_CL_CALL(clGetPlatformIDs, 0, nullptr, &count);
  std::vector<cl_platform_id> platforms(error == CL_SUCCESS ? count : 0);
  if (!platforms.empty()) error = RT_CL_CALL(clGetPlatformIDs, count, platforms.data(), nullptr);
  // The loader without a driver is no failure: it is told in words below.
  if (error != CL_SUCCESS && error != kPlatformNotFound) {
    reason_ = failure("clGetPlatformIDs", error).message();
    return;
  }
  for (cl_platform_id platform : platforms) addPlatform(platform);
  // Before the handler is registered, which compares it: a forked child runs the handlers of its parent.
  process = getpid();
  if (!devices_.empty()) (void)atexit(closeAtExit);
  if (devices_.empty() && reason_.empty()) {
    reason_ = platforms.empty() ? "OpenCL's loader finds no driver (/etc/OpenCL/vendors)." : "No OpenCL driver has a device.";
  }
}

void Backend::settle() {
  for (const std::unique_ptr<Device>& device : devices_) device->settle();
}

void Backend::close() {
  for (const std::unique_ptr<Device>& device : devices_) device->close();
}

int32_t Backend::deviceCount() {
  std::call_once(once_, [this] { open(); });
  return static_cast<int32_t>(devices_.size());
}

backend::Device* Backend::device(int32_t ordinal) {
  return ordinal >= 0 && ordinal < deviceCount() ? devices_[static_cast<size_t>(ordinal)].get() : nullptr;
}

void Backend::info(rtBackendInfo_t* info) {
  info->backend = RT_BACKEND_OPENCL;
  info->device_count = deviceCount();
  info->available = info->device_count != 0;
  snprintf(info->name, sizeof info->name, "%s", name());
  copyLetters(info->reason, sizeof info->reason, info->available != 0 ? "" : reason_.c_str());
  copyLetters(info->driver_name, sizeof info->driver_name, names_.c_str());
  copyLetters(info->driver_version, sizeof info->driver_version, versions_.c_str());
}

backend::Backend* backend() { return instance(); }

}  // namespace manyrt::opencl
