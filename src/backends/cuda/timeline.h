// The times of a CUDA device's work for the trace: timed events around it, and the place of the device's clock on the host's.
// CUDA tells only how long two events are apart. So a base event of known host time is recorded now and then on a stream of
// its own, and every other event is measured from it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backends/cuda/declarations.h"
#include "backends/driver/spans.h"
#include "base/lock_order.h"

namespace manyrt::cuda {

// Of one device; used only while a trace is on. Every function is called with the context current.
class Timeline {
 public:
  explicit Timeline(const char* device) : device_(device) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Timed events. False: there is none to be had. They are never destroyed: the context lives as long as the process.
  bool take(NativeEvent* event);
  void give(NativeEvent event);
  // Before work is measured: finds the clock's place where that was long ago.
  void look();
  // Of an event that the device has reached. False: the driver does not tell.
  bool hostTime(int64_t* nanoseconds, NativeEvent event);

 private:
  bool makeStream();
  bool calibrate();

  const char* const device_;  // borrowed; written after this is made
  Ranked<std::mutex, LockRank::kDriverClock> mutex_;
  std::vector<NativeEvent> free_;
  NativeStream stream_ = nullptr;  // idle
  NativeEvent base_ = nullptr;
  NativeEvent trial_ = nullptr;
  int64_t base_time_ = 0;  // of the host; 0: the clock has no place yet
  int64_t looked_ = 0;     // when
  bool refused_ = false;   // the driver gives no times
};

// The event pairs of one submission: a piece of work, or the nodes of a graph. Of a graph its whole is told, too.
class TimedWork final : public driver::PendingSpan {
 public:
  struct Piece {
    trace::Work work;
    NativeEvent begin = nullptr, end = nullptr;  // owned
    bool tells = true;                           // false: the node did nothing in this launch
  };
  TimedWork(Timeline& timeline, NativeContext context, uint64_t serial, bool is_graph)
      : timeline_(timeline), context_(context), serial_(serial), is_graph_(is_graph) {}
  ~TimedWork() override;
  // A piece with its two events, which are the caller's to record. Null: there are none. It stays until the next one is added.
  Piece* add(const trace::Work& work);
  void abandon() { pieces_.clear(); }  // leaves the events to a graph that goes on to record them
  Answer tell(const trace::Track& track) override;

 private:
  Timeline& timeline_;
  const NativeContext context_;
  const uint64_t serial_;
  const bool is_graph_;
  std::vector<Piece> pieces_;
};

}  // namespace manyrt::cuda
