// The times of an OpenCL device's work for the trace. They come from the events of its commands, on queues with times, and are
// placed on the host's clock. Such queues cost each command something, so that streams take them only while a trace is on.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "backends/driver/spans.h"
#include "backends/opencl/declarations.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class Device;

// One for each device; used while a trace is on, and where the program asks for the time of an event.
class Timeline {
 public:
  explicit Timeline(Device& device) : device_(device) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Before work is measured: finds the clock's place where that was long ago.
  void look();
  // The times of a command that is over, on the host's clock. False: the driver does not tell.
  bool hostTimes(int64_t* begin, int64_t* end, cl_event first, cl_event last);
  // The same for the program, of a time of the device; looks first where that was long ago: backend::Point::hostTime.
  Status hostTime(int64_t* nanoseconds, int64_t* error, int64_t device_time);

 private:
  struct Place {
    int64_t offset = 0;  // of the host's clock, ahead of the device's
    int64_t error = INT64_MAX;
    int64_t when = 0;  // of the host
  };
  void lookAfter(int64_t interval);
  bool makeQueue();
  bool tryOnce(Place* place);
  int64_t timeOf(bool* told, cl_event event, cl_profiling_info what) const;

  Device& device_;
  Ranked<std::mutex, LockRank::kDriverClock> mutex_;
  cl_command_queue queue_ = nullptr;  // with times, idle
  Place place_;
  int64_t looked_ = 0;  // when
  bool refused_ = false;
};

// The events of the commands that one piece of work becomes. Where it is null nothing is asked for.
class CommandEvents {
 public:
  CommandEvents() = default;
  CommandEvents(CommandEvents&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}
  CommandEvents& operator=(CommandEvents&&) = delete;
  ~CommandEvents();
  cl_event* next();           // for the command that follows
  void note(cl_event event);  // of a command that had its event asked for otherwise
  cl_event first() const { return first_; }
  cl_event last() const { return last_ != nullptr ? last_ : first_; }

 private:
  cl_event first_ = nullptr, last_ = nullptr;  // owned
};

// One submission: a piece of work, or the nodes of a graph, whose whole is told, too.
class TimedCommands final : public driver::PendingSpan {
 public:
  TimedCommands(Device& device, uint64_t serial, bool is_graph) : device_(device), serial_(serial), is_graph_(is_graph) {}
  CommandEvents* add(const trace::Work& work);  // stays until the next one; null: no memory
  Answer tell(const trace::Track& track) override;

 private:
  struct Piece {
    trace::Work work;
    CommandEvents events;
  };
  Device& device_;
  const uint64_t serial_;
  const bool is_graph_;
  std::vector<Piece> pieces_;
};

}  // namespace manyrt::opencl
