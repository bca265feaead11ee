// Rules that all devices share where the program asks when an event was reached, on the host's clock.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/status.h"

namespace manyrt::driver {

// A device's clock is placed anew on the host's after this many nanoseconds. Traces, which ask for each piece of work, leave
// more time between two looks.
inline constexpr int64_t kPlaceAgain = 20'000'000;

// By how much two clocks may part in a time: by 500 ns in a millisecond, since the host's may be slewed by that.
constexpr int64_t driftIn(int64_t nanoseconds) { return (nanoseconds < 0 ? -nanoseconds : nanoseconds) / 2000; }

inline Status noTimes(const char* device) {
  return Status::error(RT_ERROR_NOT_SUPPORTED, "The driver of %s gives no time of this event.", device);
}
inline Status noPlace(const char* device) {
  return Status::error(RT_ERROR_BUSY, "The device %s has so much to do that its clock could not be looked at: ask again later.",
                       device);
}

}  // namespace manyrt::driver
