// Placing the device's clock, and asking the events of commands that are over. Failures here cost spans and no call.
#include "backends/opencl/stream/timeline.h"

#include <sched.h>

#include <algorithm>
#include <new>

#include "backends/driver/host_clock.h"
#include "backends/opencl/device.h"
#include "backends/opencl/error.h"
#include "backends/opencl/stream/callbacks.h"
#include "backends/traced.h"
#include "base/clock.h"

namespace manyrt::opencl {
namespace {

constexpr int kTrials = 5;
constexpr int64_t kLookAgain = 500'000'000;  // ns: clocks drift by up to 500 ns in a millisecond
// For a marker in an idle queue, ns. Without any place of the clock all spans are lost.
constexpr int64_t kPatience = 10'000'000, kPatienceAtFirst = 200'000'000;

}  // namespace

int64_t Timeline::timeOf(bool* told, cl_event event, cl_profiling_info what) const {
  cl_ulong nanoseconds = 0;
  const Error error = RT_CL_PLAIN(clGetEventProfilingInfo, event, what, sizeof nanoseconds, &nanoseconds, nullptr);
  *told = *told && error == CL_SUCCESS && nanoseconds != 0;
  return static_cast<int64_t>(device_.quirks().has(Quirk::kTimesAreTicks) ? nanoseconds * 125 / 3 : nanoseconds);
}

// Under the mutex.
bool Timeline::makeQueue() {
  if (queue_ != nullptr) return true;
  cl_context context;
  if (!device_.context(&context).ok()) return false;
  Error error = CL_SUCCESS;
  // Its own: in a queue of a stream the marker would wait for the program's work.
  queue_ = RT_CL_PLAIN(clCreateCommandQueue, context, device_.id(), CL_QUEUE_PROFILING_ENABLE, &error);
  return error == CL_SUCCESS;
}

// Under the mutex. A marker is queued between the first two looks at the host's clock, and over before the third. Where both
// bounds hold, their common part is the place. Where a driver takes the time of queueing elsewhere, the end alone counts.
bool Timeline::tryOnce(Place* place) {
  const int64_t patience = place_.error == INT64_MAX ? kPatienceAtFirst : kPatience;
  cl_event event = nullptr;
  const int64_t before = nowNanoseconds();
  if (RT_CL_PLAIN(clEnqueueMarkerWithWaitList, queue_, 0, nullptr, &event) != CL_SUCCESS) return false;
  const int64_t queued = nowNanoseconds();
  (void)RT_CL_PLAIN(clFlush, queue_);
  Error status = CL_SUCCESS;
  bool is_over = false;
  int64_t after = 0;
  while (!is_over && after - before < patience) {
    is_over = isOver(event, &status);
    after = nowNanoseconds();
    if (!is_over) sched_yield();
  }
  bool told = is_over && status == CL_COMPLETE;
  const int64_t begin = told ? timeOf(&told, event, CL_PROFILING_COMMAND_QUEUED) : 0;
  const int64_t end = told ? timeOf(&told, event, CL_PROFILING_COMMAND_END) : 0;
  (void)RT_CL_PLAIN(clReleaseEvent, event);
  if (!told) return false;
  // Host minus device: each look bounds it from one side.
  int64_t least = before - begin, most = std::min(queued - begin, after - end);
  if (least > most) {
    least = before - end;
    most = after - end;
  }
  const int64_t error = (most - least + 1) / 2;
  // The best of the trials counts: other ones met an interruption.
  if (error < place->error) *place = {least + error, error, after};
  return true;
}

void Timeline::look() {
  std::lock_guard lock(mutex_);
  lookAfter(kLookAgain);
}

// Under the mutex.
void Timeline::lookAfter(int64_t interval) {
  if (refused_ || (looked_ != 0 && nowNanoseconds() - looked_ < interval)) return;
  refused_ = !makeQueue();
  Place place;
  for (int i = 0; i < kTrials && !refused_; ++i) {
    if (!tryOnce(&place)) break;  // of a device that is so busy no other trial tells more
  }
  looked_ = nowNanoseconds();
  if (place.error == INT64_MAX) return;  // the last place stays, if there is one
  place_ = place;
  trace::clock(device_.facts().id, place.error);
}

bool Timeline::hostTimes(int64_t* begin, int64_t* end, cl_event first, cl_event last) {
  bool told = true;
  *begin = timeOf(&told, first, CL_PROFILING_COMMAND_START);
  *end = timeOf(&told, last, CL_PROFILING_COMMAND_END);
  std::lock_guard lock(mutex_);
  *begin += place_.offset;
  *end += place_.offset;
  return told && place_.error != INT64_MAX;
}

Status Timeline::hostTime(int64_t* nanoseconds, int64_t* error, int64_t device_time) {
  std::lock_guard lock(mutex_);
  lookAfter(driver::kPlaceAgain);
  if (device_time == 0 || refused_) return driver::noTimes(device_.facts().id);
  if (place_.error == INT64_MAX) return driver::noPlace(device_.facts().id);
  *nanoseconds = device_time + place_.offset;
  *error = place_.error + driver::driftIn(*nanoseconds - place_.when);
  return Status();
}

CommandEvents::~CommandEvents() {
  for (cl_event event : {first_, last_}) {
    if (event != nullptr) (void)RT_CL_PLAIN(clReleaseEvent, event);
  }
}

cl_event* CommandEvents::next() {
  if (first_ == nullptr) return &first_;
  // Only the first and the last command of a piece matter: a queue is in order. The one before is not the last any more.
  if (last_ != nullptr) (void)RT_CL_PLAIN(clReleaseEvent, std::exchange(last_, nullptr));
  return &last_;
}

void CommandEvents::note(cl_event event) {
  if (RT_CL_PLAIN(clRetainEvent, event) == CL_SUCCESS) *next() = event;
}

CommandEvents* TimedCommands::add(const trace::Work& work) try {
  Piece& piece = pieces_.emplace_back();
  piece.work = work;
  return &piece.events;
} catch (const std::bad_alloc&) {  // a trace fails no call
  return nullptr;
}

// All pieces of a graph are over before one is told, because its branches end in any order.
driver::PendingSpan::Answer TimedCommands::tell(const trace::Track& track) {
  if (device_.isLost()) return Answer::kNever;
  for (const Piece& piece : pieces_) {
    Error status = CL_SUCCESS;
    if (piece.events.last() == nullptr) continue;  // it needed no command
    if (!isOver(piece.events.last(), &status)) return Answer::kNotYet;
    if (status != CL_COMPLETE) return Answer::kNever;
  }
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Piece& piece : pieces_) {
    int64_t begin = 0, end = 0;
    if (piece.events.last() == nullptr) continue;
    if (!device_.timeline().hostTimes(&begin, &end, piece.events.first(), piece.events.last())) return Answer::kNever;
    trace::work(track, serial_, piece.work, begin, end);
    first = std::min(first, begin);
    last = std::max(last, end);
  }
  if (is_graph_ && first <= last) trace::work(track, serial_, backend::describe(trace::Kind::kGraph), first, last);
  return Answer::kTold;
}

}  // namespace manyrt::opencl
