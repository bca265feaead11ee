// The interface that ops call for a capturing stream instead of its queue. Declared here, below ops; src/graph implements it. A
// stream that does not capture pays one load and one predictable branch.
#pragma once

#include "backends/backend.h"
#include "base/status.h"

namespace manyrt::manager {

struct Event;
struct Fence;
struct Kernel;
struct Stream;

// The caller has checked all arguments, as for work that runs at once. It reads the recorder under a guard: a recorder is freed
// a grace period after its capture, and refuses calls that come in between.
class Recorder {
 public:
  virtual Status launch(Stream& stream, Kernel& kernel, const backend::Launch& launch) = 0;
  virtual Status copy(Stream& stream, const backend::Copy& copy, int32_t kind) = 0;
  virtual Status fill(Stream& stream, const backend::Fill& fill) = 0;
  virtual Status prefetch(Stream& stream, const void* pointer, uint64_t size, bool to_host) = 0;
  // The graph takes `user` over where the call succeeds; `release` may be null.
  virtual Status hostFunction(Stream& stream, rtHostFunction_t function, void* user, rtReleaseFunction_t release) = 0;
  virtual Status nativeFunction(Stream& stream, rtNativeFunction_t function, void* user, rtReleaseFunction_t release) = 0;
  virtual Status allocated(Stream& stream, void* pointer, uint64_t size) = 0;  // on success the graph owns the memory
  virtual Status free(Stream& stream, void* pointer) = 0;
  virtual Status record(Stream& stream, Event& event) = 0;
  virtual Status signalFence(Stream& stream, Fence& fence, uint64_t value) = 0;
  virtual Status waitFence(Stream& stream, Fence& fence, uint64_t value) = 0;
  // A stream that does not capture joins the capture if it waits for work of the capture.
  virtual Status waitEvent(Stream& stream, Event& event) = 0;
  virtual Status waitStream(Stream& stream, Stream& other) = 0;

  virtual void streamClosed(Stream& stream) = 0;  // the handle was closed during the capture; under a guard

 protected:
  ~Recorder() = default;
};

}  // namespace manyrt::manager
