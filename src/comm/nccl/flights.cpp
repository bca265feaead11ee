// One thread at a time submits for a rank; the watch looks from a thread of its own. The lock is held for records and
// questions, both of which only submit or read, and call nothing of this library.
#include "comm/nccl/flights.h"

#include "comm/core_call.h"

namespace manyrt::comm::nccl {
namespace {

// A question costs more than two records, and one to a stream still more. So the thread that submits asks nothing, and the
// watch takes back what is over. Only where that comes to many in a tick they are asked.
constexpr size_t kMany = 1024;

bool isOver(const Flight& flight) { return rtEventQuery(flight.end) != RT_NOT_READY; }

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
  Flight& flight = free_.front();
  to_call_.push_back(&flight);
  if (const rtStatus_t recorded = rtEventRecord(flight.begin, stream); recorded != RT_SUCCESS) {
    to_call_.pop_back();
    return fromCore(recorded);
  }
  flight.stream = stream;
  flight.first = first;
  flight.begun = 0;
  flight.told = false;
  flight.called.store(0, std::memory_order_relaxed);  // the submission publishes both
  flight.returned.store(false, std::memory_order_relaxed);
  next_.splice(next_.end(), free_, free_.begin());
  return Status();
}

bool Flights::commitLocked(bool submitted) {
  if (next_.empty()) return false;  // it was not prepared
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

// Each question may go to the driver. What is ahead of an operation that is over, in its stream, is over as well, so the newest
// are asked first. If the newest is not over, and not all are to be asked, only the oldest are. What was taken back last is
// used first: its memory is near.
void Flights::takeBack(bool all) {
  if (in_flight_.empty()) return;
  if (!all && !isOver(in_flight_.back())) {
    while (!in_flight_.empty() && isOver(in_flight_.front())) free_.splice(free_.begin(), in_flight_, in_flight_.begin());
    return;
  }
  rtStream_t over = nullptr;
  for (auto flight = in_flight_.end(); flight != in_flight_.begin();) {
    const auto at = --flight;
    if (at->stream != over && !isOver(*at)) continue;
    over = at->stream;
    ++flight;
    free_.splice(free_.begin(), in_flight_, at);
  }
}

}  // namespace manyrt::comm::nccl
