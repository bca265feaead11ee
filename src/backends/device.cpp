// Questions that ops ask of any device, the same for every backend.
#include "backends/backend.h"

namespace manyrt::backend {

Status interopOf(Interop** out, Device& device) {
  *out = device.interop();
  if (*out != nullptr) return Status();
  const rtDeviceProperties_t* facts = nullptr;
  RT_TRY(device.properties(&facts));
  return Status::error(RT_ERROR_NOT_SUPPORTED, "The device %s has no native objects to import.", facts->id);
}

}  // namespace manyrt::backend
