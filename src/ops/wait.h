// Waits, queries, and order between streams: all operations that ask about completion.
#pragma once

#include "base/clock.h"
#include "base/handles/epoch.h"
#include "base/status.h"
#include "manager/context.h"
#include "manager/event.h"
#include "manager/fence.h"
#include "manager/stream.h"

namespace manyrt::ops {

// The first check of every submission: the device is not lost, and the stream has not failed.
inline Status submittable(manager::Stream& stream) {
  if (stream.native->latch.failed()) [[unlikely]]
    return stream.native->latch.get();
  if (stream.device.isLost()) [[unlikely]]
    return stream.device.lost();
  return Status();
}

// The refusal of a call that waits for, or asks about, captured work, which has not begun.
Status captureUnsafe(const char* what);

// Waits for the submissions of all stamps, outside guards and locks. May run work on the calling thread.
void waitFor(const std::vector<allocator::Stamp>& so_far);
// Waits until all streams of the device are idle. For the shutdown, when no new work is accepted; outside guards. Throws
// bad_alloc.
void finishWork(manager::Device& device);

// These leave the guard while they block. `clear`: takes the failure of the stream, as rtStreamSynchronize alone does.
Status synchronize(manager::Stream& stream, Deadline deadline, bool clear, epoch::Guard& guard);
Status synchronize(manager::Context& context, epoch::Guard& guard);
Status synchronize(manager::Device& device, epoch::Guard& guard);
Status synchronize(manager::Event& event, Deadline deadline, epoch::Guard& guard);
Status waitFence(manager::Fence& fence, uint64_t value, Deadline deadline, epoch::Guard& guard);

Status query(manager::Stream& stream);
Status query(manager::Event& event);
Status elapsed(int64_t* nanoseconds, manager::Event& start, manager::Event& end);
// When the last record was passed, on the host's clock. Leaves the guard while a device's clock is looked at.
Status timestamp(uint64_t* host_ns, uint64_t* error_ns, manager::Event& event, epoch::Guard& guard);

Status record(manager::Event& event, manager::Stream& stream);
Status waitEvent(manager::Event& event, manager::Stream& stream);
Status waitStream(manager::Stream& other, manager::Stream& stream);
Status waitContext(manager::Context& other, manager::Stream& stream);
Status waitPointer(const void* pointer, manager::Stream& stream);
Status signal(manager::Fence& fence, uint64_t value);  // from the host
Status signalFence(manager::Fence& fence, uint64_t value, manager::Stream& stream);
Status waitFence(manager::Fence& fence, uint64_t value, manager::Stream& stream);

// Starts the trace's arrow from a call to its submission.
inline void traceSubmission(manager::Stream& stream) {
  if (trace::tellsSubmissions()) [[unlikely]] {
    trace::submitted(stream.native->track, stream.native->submitted());
  }
}

}  // namespace manyrt::ops
