// The null backend: two devices that keep order and count but compute nothing. Copies and fills happen on the host, kernels
// never run. It shows a newcomer what a backend is, and tests what lies above backends; fault points stand for its driver.
#pragma once

#include "backends/backend.h"

namespace manyrt::null {

backend::Backend* backend();  // made at the first call, never destroyed

}  // namespace manyrt::null
