// The copies, fills and records of a null stream: each is done by the calling thread, and over when it returns.
#include "backends/null/stream.h"

#include <algorithm>
#include <cstring>

namespace manyrt::null {

// The host's address of a byte. A distant address faults when it is touched, so that a copy which forgets this step is found.
char* Stream::bytes(const void* address) const {
  uint64_t offset = 0;
  void* backing = distant_ != nullptr ? distant_->find(address, &offset) : nullptr;
  if (backing == nullptr) return static_cast<char*>(const_cast<void*>(address));
  return static_cast<char*>(backing) + offset;
}

Status Stream::enqueueCopy(const backend::Copy& copy) {
  // Before the first byte: a failed copy has copied nothing, so that tests can compare.
  RT_TRY(driverCall("null.copy"));
  for (uint64_t row = 0; row < copy.height; ++row) {
    memcpy(bytes(copy.dst) + row * copy.dst_pitch, bytes(copy.src) + row * copy.src_pitch, copy.width);
  }
  return Status();
}

bool Stream::copyAndRead(const backend::Copy& copy, Status* status) {
  // Under the mutex of submission, as a stream that is held must run what is ahead of the copy first.
  std::lock_guard lock(mutex_);
  if (isHeld()) return false;
  *status = submitNow([&] { return enqueueCopy(copy); });
  return true;
}

Status Stream::enqueueFill(const backend::Fill& fill) {
  RT_TRY(driverCall("null.fill"));
  // The pattern once, then what is there is doubled: any pattern and any width need no other loop.
  const uint64_t first = std::min<uint64_t>(fill.width, fill.pattern_size);
  for (uint64_t row = 0; row < fill.height; ++row) {
    char* at = bytes(fill.dst) + row * fill.pitch;
    memcpy(at, fill.pattern, first);
    for (uint64_t done = first; done < fill.width; done *= 2) memcpy(at + done, at, std::min(done, fill.width - done));
  }
  return Status();
}

// A thread that sees the point passed sees the number, too.
Status Stream::enqueueRecord(backend::Point& point, Status carried, uint64_t serial) {
  RT_TRY(driverCall("null.record"));
  announce(serial);
  (void)static_cast<Point&>(point).passOnce(std::move(carried), nowNanoseconds());
  return Status();
}

}  // namespace manyrt::null
