// Points of CUDA: a native event, made once with the point and recorded again with each use.
#pragma once

#include "backends/cuda/declarations.h"
#include "backends/driver/point.h"
#include "base/ref.h"

namespace manyrt::cuda {

class EventPool;

// The record that was a stream's last submission, so far as it is known. The native event tells of the stream what it has told
// others of the record. Written under the stream's mutex, before and after the driver's call, and cleared by a point that takes
// its event to another stream. A reader asks the driver between two equal looks: what it was told then is of that record.
//
// A first look may pair an old event with a new number, since set() may run between its two loads. The second one then fails:
// it has acquired the number, so it sees at least the null that set() stored before it.
class LastRecord final : public RefCounted {
 public:
  void set(NativeEvent event, uint64_t serial) {
    if (event_.load(std::memory_order_relaxed) != event) {  // never this event with another one's number
      event_.store(nullptr, std::memory_order_release);
      serial_.store(serial, std::memory_order_release);
      event_.store(event, std::memory_order_release);
    } else {
      serial_.store(serial, std::memory_order_release);
    }
  }
  void clear(NativeEvent event) { (void)event_.compare_exchange_strong(event, nullptr, std::memory_order_acq_rel); }
  NativeEvent of(uint64_t serial) const {
    NativeEvent event = event_.load(std::memory_order_acquire);
    return serial_.load(std::memory_order_acquire) == serial ? event : nullptr;
  }

 private:
  std::atomic<NativeEvent> event_{nullptr};
  std::atomic<uint64_t> serial_{0};
};

class Point final : public driver::Point {
 public:
  int64_t nanosecondsSince(const backend::Point& start) const override;
  Status hostTime(int64_t* nanoseconds, int64_t* error) const override;

  NativeEvent event() const { return event_; }
  // Null until it is recorded. A stream of CUDA waits for it on the device.
  NativeEvent recordedEvent() const { return isRecorded() ? event_ : nullptr; }
  // Its native event was given out: an import may find it by that, so it is never recorded in place again.
  // Relaxed: mayRenew() is asked by a caller that holds the only reference, which it got after the export.
  void noteExported() { exported_.store(true, std::memory_order_relaxed); }
  // For recording it anew in place, while only its event holds it. Not of borrowed ones, nor before a first record.
  bool mayRenew(const EventPool& pool) const {
    return pool_ == &pool && !borrowed_ && !exported_.load(std::memory_order_relaxed) && isRecorded();
  }
  using driver::Point::renewInPlace;
  using driver::Point::setRecordedStatus;
  // Around the driver's record: the stream that the event told of before is told, and the new one is.
  void leaveRecord(const Ref<LastRecord>& record) {
    if (last_record_ && last_record_.get() != record.get()) last_record_->clear(event_);
  }
  void enterRecord(const Ref<LastRecord>& record, uint64_t serial) {
    if (last_record_.get() != record.get()) last_record_ = record;
    record->set(event_, serial);
  }

 private:
  friend class EventPool;
  class Notification;
  bool ask(Status* status, int64_t* nanoseconds) override;
  bool sleep(int64_t* nanoseconds) override;
  bool tellWhenReached() override;
  void recycle() override;

  Ref<EventPool> pool_;  // while in use
  NativeEvent event_ = nullptr;
  Ref<LastRecord> last_record_;  // of the stream that recorded it last; kept while it is free
  bool timed_ = false;
  bool borrowed_ = false;
  std::atomic<bool> exported_{false};
};

// The point's place in a native stream of CUDA; null: it has none, or none yet.
NativeEvent recordedEvent(const backend::Point& point);

}  // namespace manyrt::cuda
