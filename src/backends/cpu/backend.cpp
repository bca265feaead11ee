// The backend object of the CPU, which is always there, with its one device and the version of the library.
#include <cstdio>

#include "backends/cpu/cpu.h"
#include "backends/cpu/device.h"

namespace manyrt::cpu {
namespace {

class Backend final : public backend::Backend {
 public:
  int32_t id() const override { return RT_BACKEND_CPU; }
  const char* name() const override { return "cpu"; }
  int32_t deviceCount() override { return 1; }
  backend::Device* device(int32_t ordinal) override { return ordinal == 0 ? &device_ : nullptr; }
  void info(rtBackendInfo_t* info) override {
    info->backend = RT_BACKEND_CPU;
    info->available = 1;
    info->device_count = 1;
    snprintf(info->name, sizeof info->name, "cpu");
    snprintf(info->driver_name, sizeof info->driver_name, "manyrt host threads");
    snprintf(info->driver_version, sizeof info->driver_version, "%d.%d.%d", MANYRT_VERSION_MAJOR, MANYRT_VERSION_MINOR,
             MANYRT_VERSION_PATCH);
    info->reason[0] = '\0';
  }

 private:
  Device device_;
};

}  // namespace

backend::Backend* backend() {
  // Never destroyed: contexts may end while the process exits.
  static Backend* instance = new Backend;
  return instance;
}

}  // namespace manyrt::cpu
