// The work of a driver's stream whose times the device has yet to tell, while a trace is on. A submission adds what it gave to
// the driver; queries, waits and later submissions collect what is over and tell the trace. So no thread waits for a time.
#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "base/lock_order.h"
#include "base/trace.h"

namespace manyrt::driver {

// One submission. The driver's class has its events, and asks them.
class PendingSpan {
 public:
  virtual ~PendingSpan() = default;
  enum class Answer { kNotYet, kTold, kNever };
  // Tells trace::work() once it is over. Takes locks of the driver's events and clock alone.
  virtual Answer tell(const trace::Track& track) = 0;
  // The stream ends, and what is asked is not known yet. True: `self`, which is this, was taken and will be told later.
  virtual bool outlives(std::unique_ptr<PendingSpan>*, const trace::Track&) { return false; }
};

class Spans final : private trace::Source {
 public:
  explicit Spans(const trace::Track& track) : track_(track) {}
  Spans(const Spans&) = delete;
  Spans& operator=(const Spans&) = delete;
  ~Spans() override;

  void listen();  // from here on the end of the trace settles this; by the maker of the stream, or under its mutex
  // Null, without memory for it: the span is lost. Under the stream's mutex.
  void add(std::unique_ptr<PendingSpan> span);
  void collect();  // what is over by now
  void end();      // of the stream: what is not over is lost, unless it outlives the stream
  uint64_t settle(bool last) override;

 private:
  // Beyond this many a submission looks whether some are over.
  static constexpr size_t kMany = 64;
  void collectLocked();

  const trace::Track& track_;
  bool listens_ = false;
  Ranked<std::mutex, LockRank::kDriverSpans> mutex_;
  std::list<std::unique_ptr<PendingSpan>> pending_;  // in the order of the stream; empty it has no memory, which a deque has
};

}  // namespace manyrt::driver
