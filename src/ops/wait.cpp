// Waits that block take leases and leave the guard. All other functions here only submit.
#include "ops/wait.h"

#include <mutex>
#include <new>

#include "allocator/address_map.h"
#include "base/fault.h"
#include "manager/device.h"
#include "manager/library.h"
#include "manager/pool.h"

namespace manyrt::ops {
namespace {

Status insideOwnTask(const char* what) {
  return Status::error(RT_ERROR_BUSY, "A host function cannot wait for its own %s: it would never end.", what);
}

// Pools with a release threshold give memory back at a synchronise. Under a guard.
void trimPools(manager::Context& context) {
  // Relaxed: a thread sees the thresholds that it has set itself, or that the program has ordered before this call.
  if (manager::library::trimming_pools.load(std::memory_order_relaxed) == 0) return;
  try {
    for (const Ref<allocator::Pool>& pool : context.allPools()) pool->trimToThreshold();
  } catch (const std::bad_alloc&) {  // the wait has succeeded; pools give back at the next synchronise
  }
}

Status checkNotInside(allocator::ContextResources& resources, const char* what) {
  for (const Ref<backend::Stream>& stream : resources.streams()) {
    if (stream->isInsideTask()) return insideOwnTask(what);
  }
  return Status();
}

// Records the event's last point again if the event has the only reference: no point is created or released. The lock covers
// the driver's call, so that a thread which asks for the point waits for it, and no second reference appears. False: nothing
// was done.
bool recordInPlace(manager::Event& event, backend::Stream& stream, Status* status) {
  std::lock_guard guard(event.lock);
  return event.last && event.last->references() == 1 && stream.recordAgain(*event.last, status);
}

class SignalTask final : public Task {
 public:
  SignalTask(manager::Fence& fence, uint64_t value) : fence_(&fence), value_(value) {}
  Status run(const Status& status) override {
    if (status.ok()) return fence_->signal(value_);
    fence_->fail(value_, status);
    return Status();
  }
  bool tells() const override { return true; }

 private:
  Lease<manager::Fence> fence_;
  const uint64_t value_;
};

// Passes a point, also if the stream has failed.
class PassTask final : public Task {
 public:
  explicit PassTask(Ref<backend::Point> point) : point_(std::move(point)) {}
  Status run(const Status&) override {
    point_->complete(Status(), 0);
    return Status();
  }
  bool tells() const override { return true; }

 private:
  const Ref<backend::Point> point_;
};

}  // namespace

void waitFor(const std::vector<allocator::Stamp>& so_far) {
  // Drivers note the present end of a stream when it is asked. Later work does not delay the waits then.
  for (const allocator::Stamp& stamp : so_far) (void)stamp.stream->completed();
  for (const allocator::Stamp& stamp : so_far) (void)stamp.stream->wait(stamp.serial, Deadline::never());
}

void finishWork(manager::Device& device) {
  for (;;) {
    std::vector<allocator::Stamp> pending = allocator::submissionsOf(device.native);
    std::erase_if(pending, [](const allocator::Stamp& stamp) { return stamp.passed(); });
    if (pending.empty()) return;
    waitFor(pending);
  }
}

Status captureUnsafe(const char* what) { return Status::error(RT_ERROR_CAPTURE_UNSAFE, "%s", what); }

namespace {

Status streamCaptures() {
  return captureUnsafe("The stream is capturing: its work has not begun, and nothing can be said of it or waited for.");
}
Status eventCaptured() {
  return captureUnsafe("The event was last recorded in a capture: it is passed when a launch of the graph passes it.");
}
Status fenceCaptured() {
  return captureUnsafe("A capture in progress names the fence: the host can neither signal it nor wait for it meanwhile.");
}

}  // namespace

[[gnu::hot]] Status synchronize(manager::Stream& stream, Deadline deadline, bool clear, epoch::Guard& guard) {
  if (stream.recorder.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    return streamCaptures();
  backend::Stream& native = *stream.native;
  if (native.isInsideTask()) return insideOwnTask("stream");
  uint64_t serial = native.submitted();
  if (!native.reached(serial)) {
    Lease<manager::Stream> lease(&stream);
    guard.leave();
    bool done = native.wait(serial, deadline);
    guard.enter();
    if (!done) return Status::bare(RT_ERROR_TIMEOUT);
    trimPools(*stream.context);
    Status status = clear ? native.latch.take() : native.latch.get();
    if (status.ok()) status = stream.device.lost();
    if (lease) {
      guard.leave();  // the last lease may release much: it is dropped outside the guard
      lease = Lease<manager::Stream>();
      guard.enter();
    }
    return status;
  }
  trimPools(*stream.context);
  Status status = clear ? native.latch.take() : native.latch.get();
  return status.ok() ? stream.device.lost() : status;
}

Status synchronize(manager::Context& context, epoch::Guard& guard) {
  allocator::ContextResources* started = context.resourcesIfStarted();
  if (started == nullptr) return context.device->native.lost();
  RT_TRY(checkNotInside(*started, "context"));
  Ref<allocator::ContextResources> resources(started);
  Lease<manager::Context> lease(&context);
  std::vector<allocator::Stamp> so_far = resources->submissions();
  guard.leave();
  waitFor(so_far);
  so_far.clear();  // the last reference may end a stream, outside the guard
  Status status = resources->firstFailure();
  guard.enter();
  trimPools(context);
  return status;
}

Status synchronize(manager::Device& device, epoch::Guard& guard) {
  std::vector<Lease<manager::Context>> contexts;
  manager::contexts.forEach([&](manager::Context& context, HandleBits) {
    if (context.device == &device) contexts.emplace_back(&context);
  });
  std::vector<Ref<allocator::ContextResources>> all;
  for (Lease<manager::Context>& context : contexts) {
    allocator::ContextResources* resources = context->resourcesIfStarted();
    if (resources == nullptr) continue;
    RT_TRY(checkNotInside(*resources, "device"));
    all.emplace_back(resources);
  }
  // Includes destroyed contexts with work in flight, whose failures the program cannot ask for.
  std::vector<allocator::Stamp> so_far = allocator::submissionsOf(device.native);
  for (const allocator::Stamp& stamp : so_far) {
    if (stamp.stream->isInsideTask()) return insideOwnTask("device");
  }
  guard.leave();
  waitFor(so_far);
  so_far.clear();
  Status first;
  for (const Ref<allocator::ContextResources>& resources : all) {
    Status status = resources->firstFailure();
    if (first.ok()) first = std::move(status);
  }
  guard.enter();
  return first.ok() ? device.native.lost() : first;
}

Status synchronize(manager::Event& event, Deadline deadline, epoch::Guard& guard) {
  if (event.captured.load(std::memory_order_acquire)) [[unlikely]]
    return eventCaptured();
  Ref<backend::Point> point = event.point();
  if (!point) return Status();
  if (!point->poll()) {
    for (const Ref<backend::Stream>& stream : event.resources->streams()) {
      bool own = stream.get() == event.recorded_on.load(std::memory_order_relaxed);
      if (own && stream->isInsideTask()) return insideOwnTask("stream's event");
    }
    Lease<manager::Event> lease(&event);
    guard.leave();
    bool done = point->wait(deadline, static_cast<backend::WaitPolicy>(event.context->options.wait_policy));
    guard.enter();
    if (!done) return Status::bare(RT_ERROR_TIMEOUT);
  }
  return point->status();
}

Status waitFence(manager::Fence& fence, uint64_t value, Deadline deadline, epoch::Guard& guard) {
  if (fence.recorder.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return fenceCaptured();
  Ref<backend::Point> point;
  RT_TRY(fence.waitPoint(&point, value));
  if (!point) return Status();
  Lease<manager::Fence> lease(&fence);
  guard.leave();
  bool done = point->wait(deadline, static_cast<backend::WaitPolicy>(fence.context->options.wait_policy));
  guard.enter();
  if (done) return point->status();
  fence.forget(*point);
  return Status::bare(RT_ERROR_TIMEOUT);
}

Status query(manager::Stream& stream) {
  if (stream.recorder.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
    return streamCaptures();
  Status status = stream.native->latch.get();
  if (status.ok()) status = stream.device.lost();
  if (!status.ok()) return status;
  if (!stream.native->reached(stream.native->submitted())) return Status::bare(RT_NOT_READY);
  return stream.native->latch.get();  // the last work may have failed since the first look
}

Status query(manager::Event& event) {
  if (event.captured.load(std::memory_order_acquire)) [[unlikely]]
    return eventCaptured();
  Ref<backend::Point> point = event.point();
  if (!point) return Status();
  return point->poll() ? point->status() : Status::bare(RT_NOT_READY);
}

Status elapsed(int64_t* nanoseconds, manager::Event& start, manager::Event& end) {
  if (start.captured.load(std::memory_order_acquire) || end.captured.load(std::memory_order_acquire)) [[unlikely]]
    return eventCaptured();
  RT_CHECK_ARG(start.timed && end.timed, "The %s event was created with RT_EVENT_DISABLE_TIMING.",
               start.timed ? "end" : "start");
  RT_CHECK_ARG(start.context->device == end.context->device,
               "The start event belongs to %s and the end event to %s: two devices have two clocks.",
               start.context->device->name().c_str(), end.context->device->name().c_str());
  Ref<backend::Point> first = start.point(), last = end.point();
  RT_CHECK_ARG(first && last, "The %s event was never recorded.", first ? "end" : "start");
  if (!first->poll() || !last->poll()) return Status::bare(RT_NOT_READY);
  RT_TRY(first->status());
  RT_TRY(last->status());
  *nanoseconds = last->nanosecondsSince(*first);
  return Status();
}

Status timestamp(uint64_t* host_ns, uint64_t* error_ns, manager::Event& event, epoch::Guard& guard) {
  if (event.captured.load(std::memory_order_acquire)) [[unlikely]]
    return eventCaptured();
  RT_CHECK_ARG(event.timed, "The event was created with RT_EVENT_DISABLE_TIMING.");
  const Ref<backend::Point> point = event.point();
  RT_CHECK_ARG(point, "The event was never recorded.");
  if (!point->poll()) return Status::bare(RT_NOT_READY);
  RT_TRY(point->status());
  // The record may be replaced meanwhile: the point is this call's.
  Lease<manager::Event> lease(&event);
  int64_t nanoseconds = 0, error = 0;
  guard.leave();
  Status status = point->hostTime(&nanoseconds, &error);
  guard.enter();
  RT_TRY(status);
  *host_ns = static_cast<uint64_t>(nanoseconds);
  *error_ns = static_cast<uint64_t>(error);
  return Status();
}

// An event of a capture becomes one of the stream again: the release stores pair with the acquire loads of waits and queries.
// The fast path records the last point again in place; else a new point replaces it after its record.
Status record(manager::Event& event, manager::Stream& stream) {
  if (event.context.get() != stream.context.get()) [[unlikely]] {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "The event belongs to the %s and the stream to the %s.",
                         event.context->name().c_str(), stream.context->name().c_str());
  }
  RT_TRY(submittable(stream));
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->record(stream, event);
  // Relaxed: it only says whether the two stores are needed. `captured` goes last, so that a wait which finds it true may still
  // find no recorder, and refuses.
  if (event.captured.load(std::memory_order_relaxed)) [[unlikely]] {
    event.recorder.store(nullptr, std::memory_order_release);
    event.captured.store(false, std::memory_order_release);
  }
  if (Status status; recordInPlace(event, *stream.native, &status)) {
    RT_TRY(status);
    traceSubmission(stream);
    event.recorded_on.store(stream.native.get(), std::memory_order_relaxed);
    return Status();
  }
  Ref<backend::Point> point;
  RT_TRY(stream.resources->native().createPoint(&point, event.timed));
  RT_TRY(stream.native->record(point));
  traceSubmission(stream);
  event.recorded_on.store(stream.native.get(), std::memory_order_relaxed);
  event.setPoint(std::move(point));
  return Status();
}

namespace {

// The stream captures, or the event was captured, or both.
Status waitCaptured(manager::Event& event, manager::Stream& stream) {
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) {
    const bool never = !event.captured.load(std::memory_order_acquire) && !event.point();
    return never ? Status() : recorder->waitEvent(stream, event);
  }
  manager::Recorder* recorder = event.recorder.load(std::memory_order_acquire);
  if (recorder != nullptr) return recorder->waitEvent(stream, event);
  return captureUnsafe(
      "The event was recorded in a capture that has ended: there is nothing to wait for until a launch records it.");
}

}  // namespace

Status waitEvent(manager::Event& event, manager::Stream& stream) {
  RT_TRY(submittable(stream));
  // Relaxed for the recorder: waitCaptured() loads it again with acquire.
  if (stream.recorder.load(std::memory_order_relaxed) != nullptr || event.captured.load(std::memory_order_acquire)) [[unlikely]]
    return waitCaptured(event, stream);
  Ref<backend::Point> point;
  {
    // Under the event's lock its point stays, and needs no further reference. A record on another thread waits meanwhile.
    std::lock_guard guard(event.lock);
    if (!event.last || (event.last->done() && event.last->status().ok())) return Status();
    if (Status status; stream.native->waitAtOnce(*event.last, &status)) {
      traceSubmission(stream);
      return status;
    }
    point = event.last;
  }
  RT_TRY(stream.native->wait(std::move(point)));
  traceSubmission(stream);
  return Status();
}

Status waitStream(manager::Stream& other, manager::Stream& stream) {
  if (&other == &stream || other.native.get() == stream.native.get()) return Status();
  RT_TRY(submittable(stream));
  if (manager::Recorder* recorder = other.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->waitStream(stream, other);
  if (stream.recorder.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return captureUnsafe("The stream is capturing and the other one is not: a capture cannot wait for work outside.");
  if (other.native->idle() && !other.native->latch.failed()) return Status();
  Ref<backend::Point> point;
  RT_TRY(other.resources->native().createPoint(&point, false));
  RT_TRY(other.native->record(point));
  RT_TRY(stream.native->wait(std::move(point)));
  traceSubmission(stream);
  return Status();
}

namespace {

// After what the stream has now, and without its failure.
Status passAfter(backend::Stream& stream, std::vector<Ref<backend::Point>>* points) {
  const Ref<backend::Point> point = Ref<backend::Point>::adopt(new backend::Point);
  points->push_back(point);
  return stream.call(new PassTask(point), backend::TaskKind::kInternal);
}

// A point in every stream of the context that is not idle. The stream that is to wait for them is left out.
Status pointsOf(allocator::ContextResources& resources, const manager::Stream& stream,
                std::vector<Ref<backend::Point>>* points) {
  resources.forgetFailures();
  for (const Ref<backend::Stream>& each : resources.streams()) {
    if (each.get() == stream.native.get() || (each->idle() && !each->latch.failed())) continue;
    // Acquire: see Stream::claims.
    const uint32_t claims = each->claims.load(std::memory_order_acquire);
    // The failure of a destroyed stream ended with it, and that of a graph's own stream belongs to the launch. Their points
    // pass without it.
    if (claims == 0 || claims >= allocator::ContextResources::kOfGraph) {
      RT_TRY(passAfter(*each, points));
      continue;
    }
    Ref<backend::Point> point;
    RT_TRY(resources.native().createPoint(&point, false));
    points->push_back(point);
    RT_TRY(each->record(std::move(point)));
  }
  return Status();
}

Status waitForPoints(std::vector<Ref<backend::Point>>& points, manager::Stream& stream) {
  for (Ref<backend::Point>& point : points) RT_TRY(stream.native->wait(std::move(point)));
  traceSubmission(stream);
  return Status();
}

}  // namespace

// A point in every stream first, then the waits: work that a stream gets from then on is after its point.
Status waitContext(manager::Context& other, manager::Stream& stream) {
  RT_TRY(submittable(stream));
  if (stream.recorder.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return captureUnsafe("The stream is capturing: a capture cannot wait for work outside, such as that of a context.");
  allocator::ContextResources* resources = other.resourcesIfStarted();
  if (resources == nullptr) return Status();
  std::vector<Ref<backend::Point>> points;
  RT_TRY(pointsOf(*resources, stream, &points));
  return waitForPoints(points, stream);
}

Status waitPointer(const void* pointer, manager::Stream& stream) {
  RT_TRY(submittable(stream));
  if (stream.recorder.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return captureUnsafe("The stream is capturing: a capture cannot wait for work outside, such as that with memory.");
  const allocator::address_map::Allocation allocation = allocator::address_map::locate(pointer);
  RT_CHECK_ARG(allocation, "The address %p is inside no memory of the library.", pointer);
  allocator::ContextResources& resources = allocation.region->resources();
  std::vector<Ref<backend::Point>> points;
  RT_TRY(pointsOf(resources, stream, &points));
  std::vector<allocator::Stamp> uses;
  allocation.region->pendingUses(&uses);
  for (const allocator::Stamp& use : uses) {
    if (use.stream.get() != stream.native.get()) RT_TRY(passAfter(*use.stream, &points));
  }
  return waitForPoints(points, stream);
}

Status signal(manager::Fence& fence, uint64_t value) {
  if (fence.recorder.load(std::memory_order_acquire) != nullptr) [[unlikely]]
    return fenceCaptured();
  return fence.signal(value);
}

Status signalFence(manager::Fence& fence, uint64_t value, manager::Stream& stream) {
  RT_TRY(submittable(stream));
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->signalFence(stream, fence, value);
  if (fault::fails("signal task")) throw std::bad_alloc();
  RT_TRY(stream.native->call(new SignalTask(fence, value), backend::TaskKind::kInternal));
  traceSubmission(stream);
  return Status();
}

Status waitFence(manager::Fence& fence, uint64_t value, manager::Stream& stream) {
  RT_TRY(submittable(stream));
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->waitFence(stream, fence, value);
  Ref<backend::Point> point;
  RT_TRY(fence.waitPoint(&point, value));
  if (!point) return Status();
  RT_TRY(stream.native->wait(std::move(point)));
  traceSubmission(stream);
  return Status();
}

}  // namespace manyrt::ops
