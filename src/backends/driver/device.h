// The part that the devices of all drivers share: the list of their contexts, and their death. A backend owns its devices;
// contexts refer to theirs.
#pragma once

#include <vector>

#include "backends/backend.h"
#include "backends/driver/context.h"
#include "backends/driver/registry.h"

namespace manyrt::driver {

class Device : public backend::Device {
 public:
  Status properties(const rtDeviceProperties_t** properties) override {
    *properties = &properties_;
    return Status();
  }
  const backend::Limits& limits() const final { return limits_; }
  const rtDeviceProperties_t& facts() const { return properties_; }
  int32_t ordinal() const { return properties_.ordinal; }

  void add(Context& context) { contexts_.add(context); }  // throws bad_alloc
  void remove(Context& context) { contexts_.remove(context); }
  std::vector<Ref<Context>> contexts();  // fewer without memory

  // The failure of a call that work on the device may have caused, as the caller passes it on. `dead`: nothing will work on the
  // device any more. Then its loss is recorded, with the kernels that may be its cause, and everything that waits is told.
  Status failed(Status failure, bool dead);

 protected:
  Device() = default;

  // Filled before the device is published, so that reading needs no lock.
  backend::Limits limits_{};
  rtDeviceProperties_t properties_ = {};

 private:
  Registry<Context, LockRank::kDriverDevice> contexts_;
};

}  // namespace manyrt::driver
