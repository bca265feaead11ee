// A stream of the null backend. The thread that submits work does it at once, so it is over when the call returns. Copies and
// fills happen on the host, kernels never run.
#pragma once

#include "backends/driver/fast_stream.h"
#include "backends/driver/point.h"
#include "backends/reserved_addresses.h"
#include "base/fault.h"

namespace manyrt::null {

// The driver's call that a test told to fail.
inline Status driverCall(const char* name) {
  return fault::fails(name) ? Status::error(RT_ERROR_DRIVER, "The simulated driver failed in %s.", name) : Status();
}

inline void setNative(uint64_t out[2], const void* object) {
  out[0] = reinterpret_cast<uintptr_t>(object);
  out[1] = 0;
}

// Passed by the stream that records it; there is no driver to ask.
class Point final : public driver::Point {
 public:
  using driver::Point::passOnce;

 private:
  bool ask(Status*, int64_t*) override { return false; }
};

class Stream final : public driver::FastStream<Stream> {
 public:
  Stream(driver::Context& context, backend::ReservedAddresses* distant)
      : FastStream(context, {.hold_fault = "null.hold", .ends_at_once = true}), distant_(distant) {}
  bool copyAndRead(const backend::Copy& copy, Status* status) override;
  void native(uint64_t out[2]) override { setNative(out, this); }

 private:
  friend class driver::FastStream<Stream>;
  Status enqueueLaunch(backend::Kernel&, const backend::Launch&) override { return driverCall("null.launch"); }
  Status enqueueCopy(const backend::Copy& copy) override;
  Status enqueueFill(const backend::Fill& fill) override;
  Status enqueuePrefetch(const backend::PrefetchStep&) override { return driverCall("null.prefetch"); }
  Status enqueueRecord(backend::Point& point, Status carried, uint64_t serial) override;
  Progress ask() override { return Progress::kOver; }
  char* bytes(const void* address) const;

  backend::ReservedAddresses* const distant_;  // of its device; null: memory is the host's
};

}  // namespace manyrt::null
