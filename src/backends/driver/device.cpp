// The lists of contexts and streams, and the death of a device.
#include "backends/driver/device.h"

#include <new>
#include <string>

#include "backends/driver/context.h"
#include "base/trace.h"

namespace manyrt::driver {

// ---- Contexts ----

Context::~Context() { device_.remove(*this); }

void Context::add(Stream& stream, const char* label) {
  streams_.add(stream);
  trace::renew(&stream.track, device_.facts().id, label);
  if (trace::timesWork()) stream.spans().listen();
}

void Context::renewStream(backend::Stream& stream, const backend::StreamOptions& options) {
  (void)stream.latch.take();
  // Spans that are still pending belong to the last user.
  static_cast<Stream&>(stream).spans().collect();  // under the name of its last use
  trace::renew(&stream.track, device_.facts().id, options.label);
}

void Context::nameRunning(std::string* names) {
  streams_.each([&](const Stream& stream) {
    const char* kernel = stream.runningKernel();
    if (kernel == nullptr || names->find("\"" + std::string(kernel) + "\"") != std::string::npos) return;
    *names += (names->empty() ? "the kernel \"" : " or \"") + std::string(kernel) + "\"";
  });
}

// ---- Devices ----

std::vector<Ref<Context>> Device::contexts() {
  try {
    return contexts_.alive();
  } catch (const std::bad_alloc&) {  // a lost device is recorded all the same; its contexts are then not told
    return {};
  }
}

Status Device::failed(Status failure, bool dead) {
  if (!dead) return failure;
  // References, and without the lock of the list: telling a context takes the locks of its streams.
  const std::vector<Ref<Context>> affected = contexts();
  if (!isLost()) {
    std::string running;
    try {
      for (const Ref<Context>& context : affected) context->nameRunning(&running);
    } catch (const std::bad_alloc&) {  // then the sentence names fewer
    }
    lose(Status::error(RT_ERROR_DEVICE_LOST, "The device %s is lost%s%s: %s", properties_.id,
                       running.empty() ? "" : " while it ran ", running.c_str(), failure.message()));
  }
  for (const Ref<Context>& context : affected) context->deviceLost();
  return lost();
}

}  // namespace manyrt::driver
