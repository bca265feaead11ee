// Recording, waiting and asking. A wait takes the record that the event has at the time of the call.
#include "event.h"

#include <chrono>
#include <utility>

#include "call.h"
#include "graph.h"
#include "settings.h"
#include "stream.h"

namespace manyrt::simulated {
namespace {

Error eventOf(NativeEvent handle, std::shared_ptr<Event>* event, bool current = true) {
  *event = events().find(handle);
  if (*event == nullptr) return kInvalidHandle;
  return current && refusesCurrent((*event)->context) ? Error{kInvalidContext} : (*event)->context.state();
}

// For the defect wrong_event: the record made before `made`, of whichever event.
std::shared_ptr<Record> exchangePrevious(std::shared_ptr<Record> made) {
  static std::mutex mutex;
  static auto* records = new std::shared_ptr<Record>[2];
  std::lock_guard lock(mutex);
  if (made != nullptr) records[0] = std::exchange(records[1], std::move(made));
  return records[0];
}

}  // namespace

void Record::pass() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  std::lock_guard lock(mutex_);
  passed_ = true;
  nanoseconds_ = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  changed_.notify_all();
}

void Record::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return passed_; });
}

bool Record::passed() {
  std::lock_guard lock(mutex_);
  return passed_;
}

int64_t Record::nanoseconds() {
  std::lock_guard lock(mutex_);
  return nanoseconds_;
}

std::shared_ptr<Record> Event::latest() {
  std::lock_guard lock(mutex_);
  return latest_;
}

void Event::set(std::shared_ptr<Record> made) {
  std::lock_guard lock(mutex_);
  latest_ = std::move(made);
}

Table<Event, NativeEvent>& events() {
  static auto* table = new Table<Event, NativeEvent>("the event", 2);
  return *table;
}

namespace driver {

Error EventRecord(NativeEvent handle, NativeStream stream_handle) {
  return DRIVER_CALL(EventRecord, {
    std::shared_ptr<Event> event;
    std::shared_ptr<Stream> stream;
    SIMULATED_TRY(eventOf(handle, &event));
    SIMULATED_TRY(streamForDriver(stream_handle, &stream));
    if (&event->context != &stream->context) return kInvalidHandle;
    SIMULATED_TRY(refuseCapturing(*stream));
    if (event->latest() != nullptr && defectAtTimes(Defect::event_reused_early)) return kSuccess;
    Command command;
    command.record = std::make_shared<Record>();
    if (defect(Defect::wrong_event)) exchangePrevious(command.record);
    std::shared_ptr<Record> record = command.record;
    stream->submit(std::move(command));
    event->set(std::move(record));
    return kSuccess;
  });
}

Error EventQuery(NativeEvent handle) {
  return DRIVER_CALL(EventQuery, {
    std::shared_ptr<Event> event;
    SIMULATED_TRY(eventOf(handle, &event));
    std::shared_ptr<Record> record = event->latest();
    return record == nullptr || record->passed() ? kSuccess : kNotReady;
  });
}

Error StreamWaitEvent(NativeStream stream_handle, NativeEvent handle, unsigned flags) {
  return DRIVER_CALL(StreamWaitEvent, {
    std::shared_ptr<Event> event;
    std::shared_ptr<Stream> stream;
    SIMULATED_TRY(streamForDriver(stream_handle, &stream));
    SIMULATED_TRY(eventOf(handle, &event, false));  // of any context
    if (flags > 1) return kInvalidValue;
    SIMULATED_TRY(refuseCapturing(*stream));
    if (defect(Defect::missing_wait)) return kSuccess;
    Command command;
    command.awaits = event->latest();
    if (command.awaits == nullptr) return kSuccess;
    if (defect(Defect::wrong_event)) command.awaits = exchangePrevious(nullptr);
    stream->submit(std::move(command));
    return kSuccess;
  });
}

}  // namespace driver

extern "C" {

Error cudaEventCreateWithFlags(NativeEvent* event, unsigned flags) {
  return RUNTIME_CALL(EventCreateWithFlags, {
    Context* context;
    SIMULATED_TRY(currentForRuntime(&context));
    if (event == nullptr || flags > 7 || ((flags & 4) != 0 && (flags & kEventDisableTiming) == 0)) return kInvalidValue;
    *event = events().add(std::make_shared<Event>(*context, flags));
    return kSuccess;
  });
}

Error cudaEventDestroy(NativeEvent handle) {
  return RUNTIME_CALL(EventDestroy, {
    if (defectAtTimes(Defect::leak)) return kSuccess;
    return events().remove(handle) == nullptr ? kInvalidHandle : kSuccess;
  });
}

Error cudaEventSynchronize(NativeEvent handle) {
  return RUNTIME_CALL(EventSynchronize, {
    std::shared_ptr<Event> event;
    SIMULATED_TRY(eventOf(handle, &event));
    std::shared_ptr<Record> record = event->latest();
    if (record != nullptr && !defect(Defect::host_read_early)) record->wait();
    return event->context.state();
  });
}

Error cudaEventElapsedTime(float* milliseconds, NativeEvent start, NativeEvent end) {
  return RUNTIME_CALL(EventElapsedTime, {
    std::shared_ptr<Event> from, to;
    SIMULATED_TRY(eventOf(start, &from));
    SIMULATED_TRY(eventOf(end, &to));
    if (milliseconds == nullptr) return kInvalidValue;
    std::shared_ptr<Record> first = from->latest(), last = to->latest();
    if (first == nullptr || last == nullptr || &from->context != &to->context) return kInvalidHandle;
    if (((from->flags | to->flags) & kEventDisableTiming) != 0) return kInvalidHandle;
    if (!first->passed() || !last->passed()) return kNotReady;
    *milliseconds = static_cast<float>(last->nanoseconds() - first->nanoseconds()) * 1e-6f;
    return kSuccess;
  });
}

}  // extern "C"

}  // namespace manyrt::simulated
