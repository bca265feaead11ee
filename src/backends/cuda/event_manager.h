// Events of CUDA: pooled native events behind points, taken at a record. A point that is recorded has its place in a native
// stream; before that, behind a host function say, whoever waits for it waits on the host.
#pragma once

#include <mutex>
#include <unordered_map>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/callbacks.h"
#include "base/lock_order.h"

namespace manyrt::cuda {

class EventManager;
class Device;

// The record that was a stream's last submission, so far as it is known: the native event tells of the stream what it has told
// others of the record. Written under the stream's mutex, before and after the driver's call, and cleared by a point that takes
// its event to another stream. A reader asks the driver between two equal looks: what it was told then is of that record.
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

class Point final : public backend::Point, private host_threads::Job {
 public:
  bool poll() override;
  bool wait(Deadline deadline, backend::WaitPolicy policy) override;
  bool subscribe(backend::Waiter* waiter) override;
  int64_t nanosecondsSince(const backend::Point& start) const override;

  // By the stream that carries it, once: the native event is recorded; `status` is what the stream had come to.
  void recorded(Status status);
  // Its native event was given out: an import may find it by that, so it is never recorded in place again.
  void noteExported() { exported_.store(true, std::memory_order_relaxed); }
  // For recording it anew in place, while only its event holds it. Not of borrowed ones, nor before a first record.
  bool mayRenew(const EventManager& manager) const {
    return manager_ == &manager && !borrowed_ && !exported_.load(std::memory_order_relaxed) &&
           recorded_.load(std::memory_order_relaxed);
  }
  void renew() {
    reset();
    passed_.store(false, std::memory_order_relaxed);
    notified_.store(false, std::memory_order_relaxed);
    waited_.store(false, std::memory_order_relaxed);
    if (!recorded_status_.ok()) [[unlikely]]
      recorded_status_ = Status();
  }
  // Around the driver's record: the stream that the event told of before is told, and the new one is.
  void leaveRecord(const Ref<LastRecord>& record) {
    if (last_record_ && last_record_.get() != record.get()) last_record_->clear(event_);
  }
  void enterRecord(const Ref<LastRecord>& record, uint64_t serial) {
    if (last_record_.get() != record.get()) last_record_ = record;
    record->set(event_, serial);
  }
  void setRecordedStatus(Status status) { recorded_status_ = std::move(status); }
  // Instead: it could not be recorded.
  void fail(Status status) { (void)passOnce(std::move(status)); }
  // Null until it is recorded. What a stream of CUDA waits for on the device.
  NativeEvent recordedEvent() const { return recorded_.load(std::memory_order_acquire) ? event_ : nullptr; }
  const Status& recordedStatus() const { return recorded_status_; }  // once recorded
  NativeEvent event() const { return event_; }

 private:
  friend class EventManager;
  class Notification;
  void recycle() override;
  bool passOnce(Status status);  // completes; false: somebody did
  void notify();
  void run() override;  // where no notification is to be had, a thread of the library waits

  Ref<EventManager> manager_;  // while in use
  NativeEvent event_ = nullptr;
  Ref<LastRecord> last_record_;  // of the stream that recorded it last; kept while it is free
  bool timed_ = false;
  bool borrowed_ = false;
  std::atomic<bool> exported_{false};
  std::atomic<bool> recorded_{false};
  std::atomic<bool> passed_{false};
  std::atomic<bool> notified_{false};  // a notification is on its way
  std::atomic<bool> waited_{false};    // a thread of the library waits
  Status recorded_status_;
  Point* next_ = nullptr;  // among the free ones
};

// Outlives its context where an event is kept.
class EventManager final : public RefCounted {
 public:
  static Status create(Ref<EventManager>* manager, Device& device, NativeContext context, backend::WaitPolicy policy);
  ~EventManager() override;

  Status createPoint(Ref<backend::Point>* point, bool timed);
  Status importPoint(Ref<backend::Point>* point, NativeEvent event);

  // A native event for the library's own use, untimed.
  Status takeEvent(NativeEvent* event);
  void giveEvent(NativeEvent event);

  Device& device() const { return device_; }
  NativeContext context() const { return context_; }
  backend::WaitPolicy policy() const { return policy_; }
  Callbacks& callbacks() { return callbacks_; }

 private:
  friend class Point;
  EventManager(Device& device, NativeContext context, backend::WaitPolicy policy)
      : device_(device), context_(context), policy_(policy), callbacks_(device) {}
  Status newEvent(NativeEvent* event, bool timed);
  void give(Point* point);
  Status notify(Point& point);  // completes the point from a callback, when its event is reached; it has not: no callback
  void destroyEvent(NativeEvent event);
  Status takeStream(NativeStream* stream);
  void giveStream(NativeStream stream);
  void destroyStream(NativeStream stream);

  static constexpr uint32_t kMostFree = 1024;
  Device& device_;
  const NativeContext context_;
  const backend::WaitPolicy policy_;
  Ranked<SpinLock, LockRank::kCudaFreeEvents> lock_;  // of the free lists
  Point* free_[2] = {nullptr, nullptr};               // untimed, timed
  uint32_t free_count_[2] = {0, 0};
  Ranked<std::mutex, LockRank::kCudaEvents> mutex_;
  std::unordered_map<NativeEvent, Point*> points_;  // of all our points, in use or free
  std::vector<NativeEvent> events_;                 // free
  std::vector<NativeStream> streams_;               // free: each carries one notification at a time
  size_t stream_count_ = 0;                         // these, and those that carry one
  Callbacks callbacks_;
};

}  // namespace manyrt::cuda
