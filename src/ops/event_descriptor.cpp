// An eventfd with two descriptors: one is the program's, one is written to and closed when the event's point is passed.
#include "ops/event_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "backends/point.h"
#include "base/fault.h"
#include "base/host_threads.h"
#include "base/os/descriptor.h"
#include "base/os/signal_descriptor.h"
#include "ops/wait.h"

namespace manyrt::ops {
namespace {

// Only a full counter could refuse the 1, and nothing else is written to it.
void announce(const Descriptor& descriptor) {
  const uint64_t one = 1;
  while (write(descriptor.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
}

// Deletes itself when it is told. Its reference keeps the point from being recorded again in place.
class Announcer final : public backend::Waiter {
 public:
  Announcer(Descriptor descriptor, Ref<backend::Point> point) : descriptor_(std::move(descriptor)), point_(std::move(point)) {}
  void passed(backend::Point&) override {
    announce(descriptor_);
    delete this;
  }

 private:
  const Descriptor descriptor_;
  const Ref<backend::Point> point_;
};

Status noDescriptor() {
  return Status::error(RT_ERROR_OUT_OF_MEMORY, "No descriptor could be opened for the event: %s.", strerror(errno));
}

}  // namespace

Status openDescriptor(int32_t* descriptor, manager::Event& event) {
  if (event.captured.load(std::memory_order_acquire)) [[unlikely]]
    return captureUnsafe("The event was last recorded in a capture: there is no work to be told of.");
  RT_TRY(host_threads::reserve());  // where a driver does not tell, a thread of the library waits
  if (fault::fails("eventfd")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Descriptor given(openSignalDescriptor());
  if (!given.valid()) return noDescriptor();
  Ref<backend::Point> point = event.point();
  if (!point || point->poll()) {
    announce(given);
  } else {
    Descriptor own(fcntl(given.get(), F_DUPFD_CLOEXEC, 0));
    if (!own.valid()) return noDescriptor();
    auto announcer = std::make_unique<Announcer>(std::move(own), point);
    if (point->subscribe(announcer.get())) {
      (void)announcer.release();
    } else {
      announce(given);
    }
  }
  *descriptor = given.release();
  return Status();
}

}  // namespace manyrt::ops
