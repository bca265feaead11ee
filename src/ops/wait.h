// Waiting, querying, and order between streams: every verb that looks at completion.
#pragma once

#include "base/clock.h"
#include "base/epoch.h"
#include "base/status.h"
#include "manager/context.h"
#include "manager/event.h"
#include "manager/fence.h"
#include "manager/stream.h"

namespace manyrt::ops {

// What every submission asks first: the device is there and the stream has not failed.
inline Status submittable(manager::Stream& stream) {
  if (stream.native->latch.failed()) [[unlikely]]
    return stream.native->latch.get();
  if (stream.device.isLost()) [[unlikely]]
    return stream.device.lost();
  return Status();
}

// What a capture refuses: the call waits for work, or asks about work, that has not begun.
Status captureUnsafe(const char* what);

// Waits for each stream's part of what was submitted so far, outside guards and locks. May run work on the calling thread.
void waitFor(const std::vector<allocator::Stamp>& so_far);
// Waits until all streams of the device are idle: where nothing new is accepted any more, outside guards. Throws bad_alloc.
void finishWork(manager::Device& device);

// These leave the guard while they block. `clear`: rtStreamSynchronize takes the failure, nobody else does.
Status synchronize(manager::Stream& stream, Deadline deadline, bool clear, epoch::Guard& guard);
Status synchronize(manager::Context& context, epoch::Guard& guard);
Status synchronize(manager::Device& device, epoch::Guard& guard);
Status synchronize(manager::Event& event, Deadline deadline, epoch::Guard& guard);
Status waitFence(manager::Fence& fence, uint64_t value, Deadline deadline, epoch::Guard& guard);

Status query(manager::Stream& stream);
Status query(manager::Event& event);
Status elapsed(int64_t* nanoseconds, manager::Event& start, manager::Event& end);

Status record(manager::Event& event, manager::Stream& stream);
Status waitEvent(manager::Event& event, manager::Stream& stream);
Status waitStream(manager::Stream& other, manager::Stream& stream);
Status waitContext(manager::Context& other, manager::Stream& stream);
Status signal(manager::Fence& fence, uint64_t value);  // from the host
Status signalFence(manager::Fence& fence, uint64_t value, manager::Stream& stream);
Status waitFence(manager::Fence& fence, uint64_t value, manager::Stream& stream);

// A submission inside a traced call: the arrow to the work starts here.
inline void traceSubmission(manager::Stream& stream) {
  if (trace::enabled()) [[unlikely]] {
    trace::submitted(stream.native->track, stream.native->submitted(), nowNanoseconds());
  }
}

}  // namespace manyrt::ops
