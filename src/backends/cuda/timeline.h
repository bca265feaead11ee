// The times of a CUDA device's work for the trace. They are CUPTI's records of it or timed events around it, placed on the
// host's clock. CUDA tells only how long two events are apart. So a base event of known host time is recorded now and then on a
// stream of its own. Every other event is measured from it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cuda/activities.h"
#include "backends/cuda/declarations.h"
#include "backends/driver/spans.h"
#include "base/lock_order.h"

namespace manyrt::driver {
class Stream;
}

namespace manyrt::cuda {

class Device;

// One for each device; used while a trace is on, and where the program asks for the time of an event. Every function is called
// with the context current.
class Timeline {
 public:
  explicit Timeline(const Device& device) : device_(device) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Timed events. False: there is none to be had. They are never destroyed: the context lives as long as the process.
  bool take(NativeEvent* event);
  void give(NativeEvent event);
  // Before work is measured: begins CUPTI's records, where there are any, and finds the place of their clock where that was
  // long ago. Takes the lock of the trace's sources.
  void look();
  // The same of the clock of events, before they are recorded.
  void lookAtEvents();
  // The records, once a look has seen some of this device; else null: work is timed by events.
  Activities* activities() const { return activities_.load(std::memory_order_acquire); }
  int64_t hostTimeOf(int64_t cupti_time) const { return cupti_time + host_minus_cupti_.load(std::memory_order_relaxed); }
  // The time of an event that the device has reached. False: the driver does not tell.
  bool hostTime(int64_t* nanoseconds, NativeEvent event);
  // The same for the program, which looks first where that was long ago: backend::Point::hostTime.
  Status hostTime(int64_t* nanoseconds, int64_t* error, NativeEvent event);

 private:
  bool makeStream();
  bool calibrate();
  void calibrateActivities(Activities& activities);

  const Device& device_;  // that this is a part of
  Ranked<std::mutex, LockRank::kDriverClock> mutex_;
  std::vector<NativeEvent> free_;
  NativeStream stream_ = nullptr;  // idle
  NativeEvent base_ = nullptr;
  NativeEvent trial_ = nullptr;
  int64_t base_time_ = 0;          // of the host; 0: the clock has no place yet
  int64_t base_error_ = 0;         // of that
  int64_t looked_ = 0;             // when
  bool refused_ = false;           // the driver gives no times
  DriverAddress word_ = 0;         // of the device: filled where CUPTI's clock is looked at
  int64_t activities_looked_ = 0;  // when
  std::atomic<Activities*> activities_{nullptr};
  std::atomic<int64_t> host_minus_cupti_{0};  // relaxed: it changes by what clocks drift
};

// The event pairs of one submission: a piece of work, or the nodes of a graph. A graph is reported as a whole, too.
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

// The same by CUPTI: one submission, whose records are there some time after the device has done it. A graph names the nodes
// that it expects, in the order in which they were added.
class RecordedWork final : public driver::PendingSpan {
 public:
  struct Node {
    trace::Work work;
    const char* symbol = "";  // of a kernel, kept
    bool described = true;    // false: but for its kernel it is as its record says
  };
  // `stream`: the span is one of its spans. `number`: that Activities expects, 0: the span is lost.
  RecordedWork(Timeline& timeline, Activities& activities, const driver::Stream& stream, uint64_t number, uint64_t serial)
      : timeline_(timeline), activities_(activities), stream_(&stream), number_(number), serial_(serial) {}
  ~RecordedWork() override { activities_.forget(number_); }
  // Its only piece. `records`: as many CUPTI has of it, 0: not known.
  void set(const trace::Work& work, size_t records);
  // A graph; `has_more`: it has nodes that are not named.
  void setGraph(std::vector<Node> nodes, bool has_more);
  Answer tell(const trace::Track& track) override;
  bool outlives(std::unique_ptr<driver::PendingSpan>* self, const trace::Track& track) override;

 private:
  void tellNodes(const trace::Track& track, std::vector<Activities::Record>& records) const;
  void tellOne(const trace::Track& track, const trace::Work& work, const Activities::Record& record) const;

  Timeline& timeline_;
  Activities& activities_;
  const driver::Stream* stream_;  // null: it has ended
  const uint64_t number_, serial_;
  trace::Work work_;
  size_t count_ = 0;
  bool is_graph_ = false, has_more_ = false;
  std::vector<Node> nodes_;
};

}  // namespace manyrt::cuda
