// The part that the contexts of all drivers share: their device, the way their threads wait, and the list of their streams.
#pragma once

#include <string>

#include "backends/backend.h"
#include "backends/driver/registry.h"
#include "backends/driver/stream.h"

namespace manyrt::driver {

class Device;

class Context : public backend::Context {
 public:
  ~Context() override;
  void renewStream(backend::Stream& stream, const backend::StreamOptions& options) final;

  Device& device() const { return device_; }
  backend::WaitPolicy policy() const { return policy_; }

  // A stream that is whole: from here on it is found here. Throws bad_alloc.
  void add(Stream& stream, const char* label);
  void remove(Stream& stream) { streams_.remove(stream); }
  std::vector<Ref<Stream>> streams() { return streams_.alive(); }  // throws bad_alloc

  // The device has died: all that waits here looks again.
  virtual void deviceLost() { wakeStreams(); }
  // Adds the kernels that may be running to a list: "the kernel "add" or "scale"". Throws bad_alloc.
  void nameRunning(std::string* names);

 protected:
  Context(Device& device, backend::WaitPolicy policy) : device_(device), policy_(policy) {}
  void wakeStreams() {
    streams_.each([](Stream& stream) { stream.deviceLost(); });
  }

 private:
  Device& device_;
  const backend::WaitPolicy policy_;
  Registry<Stream, LockRank::kDriverContext> streams_;
};

}  // namespace manyrt::driver
