// Addresses that are reserved by the driver's virtual memory calls. Mappings of memory to them are allocations (memory.h).
#pragma once

#include <cstdint>

namespace manyrt::simulated {

bool isReserved(uintptr_t address);  // mapped or not
int liveReservations();

}  // namespace manyrt::simulated
