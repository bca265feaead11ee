// The null backend: devices that keep order and count but compute nothing. Copies and fills happen on the host, kernels never
// run. It shows a newcomer what a backend is, and tests what lies above backends; fault points stand for its driver. The
// memory of null:0 is the host's. That of the others is distant, as a card's: null:1 is alone, null:2 and null:3 are peers.
#pragma once

#include "backends/backend.h"

namespace manyrt::null {

backend::Backend* backend();  // made at the first call, never destroyed

}  // namespace manyrt::null
