// Placing the device's clock, and asking the events of work that is over. Failures here cost spans and no call: none of these
// calls is a fault point, and none records the loss of a device.
#include "backends/cuda/timeline.h"

#include <sched.h>

#include <algorithm>
#include <new>
#include <utility>

#include "backends/cuda/current.h"
#include "backends/cuda/table.h"
#include "backends/traced.h"
#include "base/clock.h"

namespace manyrt::cuda {
namespace {

constexpr int kTrials = 5;
constexpr int64_t kLookAgain = 500'000'000;  // ns: a float of milliseconds is good to 30 ns by then, and clocks drift
// For events on an idle stream, ns, since the caller submits work meanwhile. Without any place of the clock all spans are lost.
constexpr int64_t kPatience = 10'000'000, kPatienceAtFirst = 200'000'000;
constexpr int64_t kResolution = 500;  // ns, of an event, as CUDA documents it

// A query by any thread would end a capture that the program has begun in CUDA's strictest mode.
class OutsideCaptures {
 public:
  OutsideCaptures() { (void)table().cuThreadExchangeStreamCaptureMode(&mode_); }
  OutsideCaptures(const OutsideCaptures&) = delete;
  OutsideCaptures& operator=(const OutsideCaptures&) = delete;
  ~OutsideCaptures() { (void)table().cuThreadExchangeStreamCaptureMode(&mode_); }

 private:
  int mode_ = kCaptureRelaxed;
};

}  // namespace

bool Timeline::take(NativeEvent* event) {
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      *event = free_.back();
      free_.pop_back();
      return true;
    }
  }
  return table().cudaEventCreateWithFlags(event, kEventDefault) == kSuccess;
}

void Timeline::give(NativeEvent event) try {
  std::lock_guard lock(mutex_);
  free_.push_back(event);
} catch (const std::bad_alloc&) {  // the event is left to the context's end
}

void Timeline::look() {
  std::lock_guard lock(mutex_);
  if (refused_ || (looked_ != 0 && nowNanoseconds() - looked_ < kLookAgain)) return;
  const OutsideCaptures outside;
  refused_ = !makeStream() || !calibrate();
}

// Under the mutex.
bool Timeline::makeStream() {
  if (stream_ != nullptr) return true;
  return table().cudaEventCreateWithFlags(&base_, kEventDefault) == kSuccess &&
         table().cudaEventCreateWithFlags(&trial_, kEventDefault) == kSuccess &&
         table().cudaStreamCreateWithPriority(&stream_, kStreamNonBlocking, 0) == kSuccess;
}

// Under the mutex. An event on the idle stream is reached between two looks at the host's clock. The closest two of some trials
// count; half of the time between them is the error. Where the device is too busy for that, the last place stays.
bool Timeline::calibrate() {
  int64_t narrowest = INT64_MAX;
  const int64_t began = nowNanoseconds();
  const int64_t patience = base_time_ == 0 ? kPatienceAtFirst : kPatience;
  looked_ = began;
  for (int i = 0; i < kTrials; ++i) {
    const int64_t before = nowNanoseconds();
    if (table().cuEventRecord(trial_, stream_) != kSuccess) return false;
    Error error = kNotReady;
    while ((error = table().cuEventQuery(trial_)) == kNotReady && nowNanoseconds() - began < patience) sched_yield();
    if (error == kNotReady) break;
    if (error != kSuccess) return false;
    const int64_t width = nowNanoseconds() - before;
    if (width >= narrowest) continue;
    narrowest = width;
    base_time_ = before + width / 2;
    std::swap(base_, trial_);
  }
  if (narrowest != INT64_MAX) trace::clock(device_, narrowest / 2 + kResolution);
  return true;
}

bool Timeline::hostTime(int64_t* nanoseconds, NativeEvent event) {
  std::lock_guard lock(mutex_);
  float milliseconds = 0;
  if (base_time_ == 0 || table().cudaEventElapsedTime(&milliseconds, base_, event) != kSuccess) return false;
  *nanoseconds = base_time_ + static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  return true;
}

TimedWork::~TimedWork() {
  for (const Piece& piece : pieces_) {
    if (piece.begin != nullptr) timeline_.give(piece.begin);
    if (piece.end != nullptr) timeline_.give(piece.end);
  }
}

TimedWork::Piece* TimedWork::add(const trace::Work& work) try {
  Piece& piece = pieces_.emplace_back();
  piece.work = work;
  return timeline_.take(&piece.begin) && timeline_.take(&piece.end) ? &piece : nullptr;
} catch (const std::bad_alloc&) {  // a trace fails no call
  return nullptr;
}

// The pieces of a graph may end in any order: all of them are over before one is told.
driver::PendingSpan::Answer TimedWork::tell(const trace::Track& track) {
  Current current(context_);
  const OutsideCaptures outside;
  for (const Piece& piece : pieces_) {
    const Error error = table().cuEventQuery(piece.end);
    if (error == kNotReady) return Answer::kNotYet;
    if (error != kSuccess) return Answer::kNever;
  }
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Piece& piece : pieces_) {
    int64_t begin = 0, end = 0;
    if (!timeline_.hostTime(&begin, piece.begin) || !timeline_.hostTime(&end, piece.end)) return Answer::kNever;
    if (!piece.tells) continue;
    trace::work(track, serial_, piece.work, begin, end);
    first = std::min(first, begin);
    last = std::max(last, end);
  }
  if (is_graph_ && first <= last) trace::work(track, serial_, backend::describe(trace::Kind::kGraph), first, last);
  return Answer::kTold;
}

}  // namespace manyrt::cuda
