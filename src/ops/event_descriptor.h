// A descriptor of the operating system that can be read once an event is reached, for the event loops of programs.
#pragma once

#include "base/status.h"
#include "manager/event.h"

namespace manyrt::ops {

// The caller closes the descriptor. Under a guard.
Status openDescriptor(int32_t* descriptor, manager::Event& event);

}  // namespace manyrt::ops
