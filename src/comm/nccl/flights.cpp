// One thread at a time submits for a rank; the watch looks from a thread of its own. The lock is held for records and
// questions, both of which only submit or read, and call nothing of this library.
#include "comm/nccl/flights.h"

#include <algorithm>

#include "base/clock.h"
#include "comm/core_call.h"
#include "comm/guard.h"

namespace manyrt::comm::nccl {
namespace {

// A question costs more than two records, and one to a stream still more. So the thread that submits asks nothing, and the
// watch takes back what is over. Only where that comes to many in a tick they are asked.
constexpr size_t kMany = 1024;

// A thread that comes back sooner has given nothing else to the stream meanwhile: a launch or a wait takes the driver longer.
// So the device comes to the next operation at once, and one clock serves both. A flight takes milliseconds at most.
constexpr int64_t kAtOnce = 250;  // nanoseconds
constexpr uint32_t kMostSubmissions = 128;
constexpr uint64_t kMostBytes = 8 << 20;

bool isPassed(rtEvent_t event) { return rtEventQuery(event) != RT_NOT_READY; }

// `next` is the next flight, or null. Without an end of its own a flight is over when its stream has come to the next one.
bool isOver(const Flight& flight, const Flight* next) {
  if (!flight.open) return isPassed(flight.end);
  // A stream is in order, so that the begin of the next one comes after all of this one.
  return next != nullptr && next->stream == flight.stream && isPassed(next->begin);
}

}  // namespace

Flights::~Flights() {
  for (List* list : {&free_, &next_, &in_flight_, &lost_}) {
    for (const Flight& flight : *list) {
      (void)rtEventDestroy(flight.begin);
      (void)rtEventDestroy(flight.end);
    }
  }
}

// Whatever may fail comes before anything has changed.
Status Flights::prepare(const Operation& first, rtStream_t stream) {
  const std::lock_guard lock(mutex_);
  if (free_.empty() && in_flight_.size() >= kMany) takeBack(false);
  if (free_.empty()) RT_TRY(make());
  // Already here: the stream may call the batch before commit() is reached.
  to_call_.push_back(&free_.front());
  if (const Status begun = begin(first, stream); !begun.ok()) {
    to_call_.pop_back();
    return begun;
  }
  next_.splice(next_.end(), free_, free_.begin());
  return Status();
}

// Begins the first free flight.
Status Flights::begin(const Operation& first, rtStream_t stream) {
  Flight& flight = free_.front();
  RT_TRY_CORE(rtEventRecord(flight.begin, stream));
  flight.stream = stream;
  flight.first = first;
  flight.begun = 0;
  flight.told = flight.open = flight.graphs = false;
  flight.called.store(0, std::memory_order_relaxed);  // the submission publishes both
  flight.returned.store(false, std::memory_order_relaxed);
  return Status();
}

bool Flights::joins(const Flight& flight, const Operation& first, uint64_t bytes, rtStream_t stream, int64_t came) const {
  return flight.open && flight.stream == stream && came - left_ <= kAtOnce && flight.first.kind == first.kind &&
         flight.first.root == first.root && flight.first.count == first.count && bytes <= kMostBytes &&
         flight.submissions < kMostSubmissions && bytes <= kMostBytes - flight.bytes &&
         flight.returned.load(std::memory_order_relaxed);
}

Status Flights::enterLocked(const Operation& first, uint64_t bytes, rtStream_t stream, int64_t came) {
  // Only the newest: one that has others after it in its stream has an end by now.
  joined_ = !in_flight_.empty() && joins(in_flight_.back(), first, bytes, stream, came);
  if (joined_) {
    current_ = &in_flight_.back();
    ++current_->submissions;
    current_->bytes += bytes;
    current_->returned.store(false, std::memory_order_relaxed);
    return Status();
  }
  if (free_.empty() && in_flight_.size() >= kMany) takeBack(false);
  if (free_.empty()) RT_TRY(make());
  RT_TRY(begin(first, stream));
  current_ = &free_.front();
  current_->open = true;
  current_->submissions = 1;
  current_->bytes = std::min(bytes, kMostBytes);
  in_flight_.splice(in_flight_.end(), free_, free_.begin());
  return Status();
}

// A flight that has not been called, and into which no other was joined, is none.
void Flights::leave(bool called) {
  if (!called) {
    const std::lock_guard lock(mutex_);
    current_->returned.store(true, std::memory_order_relaxed);
    // A joined flight stays: it holds earlier submissions.
    if (!joined_) {
      const auto is = [this](const Flight& flight) { return &flight == current_; };
      free_.splice(free_.begin(), in_flight_, std::find_if(in_flight_.begin(), in_flight_.end(), is));
    }
  }
  current_ = nullptr;
  left_ = called ? nowNanoseconds() : 0;
}

// Not in a capture, which the program may have begun since: the event would be a part of it.
void Flights::recordEnds(rtStream_t own) {
  const std::lock_guard lock(mutex_);
  for (auto at = in_flight_.begin(); at != in_flight_.end();) {
    const auto flight = at++;
    if (!flight->open || !flight->returned.load(std::memory_order_acquire)) continue;
    if (at != in_flight_.end() && at->stream == flight->stream) continue;  // its begin serves
    int32_t state = RT_CAPTURE_NONE;
    const rtStatus_t asked = rtStreamIsCapturing(&state, flight->stream);
    if (asked == RT_SUCCESS && state != RT_CAPTURE_NONE) continue;
    // Before the record: from here on its own end counts, and no other submission joins it.
    flight->open = false;
    if (rtEventRecord(flight->end, flight->stream) == RT_SUCCESS) continue;
    if (rtStreamWaitContext(context_, own) == RT_SUCCESS && rtEventRecord(flight->end, own) == RT_SUCCESS) continue;
    // Nothing tells when it is over, so its events are not used again before the rank ends.
    lost_.splice(lost_.end(), in_flight_, flight);
  }
}

// Not while the program captures in that stream: a wait for all streams of the context would be a part of it.
bool Flights::probeLocked(const Operation& first, rtStream_t stream, rtStream_t own) {
  int32_t state = RT_CAPTURE_NONE;
  if (!in_flight_.empty() || (rtStreamIsCapturing(&state, stream) == RT_SUCCESS && state != RT_CAPTURE_NONE)) return false;
  if (free_.empty() && !withoutThrowing([this] { return make(); }).ok()) return false;
  Flight& flight = free_.front();
  if (rtStreamWaitContext(context_, own) != RT_SUCCESS || rtEventRecord(flight.end, own) != RT_SUCCESS) return false;
  flight.stream = stream;
  flight.first = first;
  flight.begun = nowNanoseconds();
  flight.told = flight.open = false;
  flight.graphs = true;
  flight.called.store(flight.begun, std::memory_order_relaxed);
  flight.returned.store(true, std::memory_order_relaxed);
  in_flight_.splice(in_flight_.end(), free_, free_.begin());
  return true;
}

bool Flights::commitLocked(bool submitted) {
  if (next_.empty()) return false;  // it was not prepared
  // The begin was recorded, which does no harm: the next use records it anew.
  if (!submitted) {
    to_call_.pop_back();
    free_.splice(free_.begin(), next_);
    return false;
  }
  const bool flies = rtEventRecord(next_.front().end, next_.front().stream) == RT_SUCCESS;
  List& to = flies ? in_flight_ : lost_;
  to.splice(to.end(), next_);
  return flies;
}

Flight& Flights::takeCalled() {
  const std::lock_guard lock(mutex_);
  Flight* const first = to_call_.front();
  to_call_.pop_front();
  return *first;
}

Status Flights::make() {
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  options.flags = RT_EVENT_DISABLE_TIMING;  // a record takes a ninth of the time
  List one(1);
  RT_TRY_CORE(rtEventCreate(&one.front().begin, &options, context_));
  if (const rtStatus_t code = rtEventCreate(&one.front().end, &options, context_); code != RT_SUCCESS) {
    const Status failed = fromCore(code);
    (void)rtEventDestroy(one.front().begin);
    return failed;
  }
  free_.splice(free_.begin(), one);
  return Status();
}

// Each question may go to the driver. If an operation is over, all before it in its stream is over as well. So the newest is
// asked first. If it is not over, the oldest are asked, up to the first of their stream that is not. The flight that was taken
// back last is used first: its memory is near.
void Flights::takeBack(bool all) {
  if (in_flight_.empty()) return;
  const rtStream_t newest = in_flight_.back().stream;
  const bool over = isOver(in_flight_.back(), nullptr);
  rtStream_t busy = nullptr;
  for (auto flight = in_flight_.begin(); flight != in_flight_.end();) {
    const auto at = flight++;
    if (at->stream == busy) continue;
    const bool known = over && at->stream == newest;
    if (known || isOver(*at, flight == in_flight_.end() ? nullptr : &*flight)) {
      free_.splice(free_.begin(), in_flight_, at);
    } else if (all) {
      busy = at->stream;
    } else {
      return;
    }
  }
}

}  // namespace manyrt::comm::nccl
