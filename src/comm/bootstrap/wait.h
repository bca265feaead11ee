// One wait for sockets: poll() up to a deadline. A signal ends it early, as does the hour after which it looks again; the
// callers look at what they wait for, and come back.
#pragma once

#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"

namespace manyrt::comm::bootstrap {

inline void waitForSockets(pollfd* sockets, size_t count, const Deadline& deadline) {
  const int64_t left = std::min<int64_t>(deadline.remaining(), 3'600'000'000'000);
  for (size_t i = 0; i < count; ++i) sockets[i].revents = 0;
  if (poll(sockets, count, static_cast<int>((left + 999'999) / 1'000'000)) > 0) return;
  for (size_t i = 0; i < count; ++i) sockets[i].revents = 0;  // none is ready
}

}  // namespace manyrt::comm::bootstrap
