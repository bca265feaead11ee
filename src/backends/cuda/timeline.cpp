// Placing the device's clock, and asking the events of work that is over. Failures here cost spans and no call: none of these
// calls is a fault point, and none records the loss of a device.
#include "backends/cuda/timeline.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/table.h"
#include "backends/driver/host_clock.h"
#include "backends/driver/stream.h"
#include "backends/traced.h"
#include "base/clock.h"

namespace manyrt::cuda {
namespace {

constexpr int kTrials = 5;
constexpr int64_t kLookAgain = 500'000'000;  // ns: a float of milliseconds is good to 30 ns by then, and clocks drift
// For events on an idle stream, ns, since the caller submits work meanwhile. Without any place of the clock all spans are lost.
constexpr int64_t kPatience = 10'000'000, kPatienceAtFirst = 200'000'000;
constexpr int64_t kPatienceAtFirstRecord = 1'000'000'000;  // CUPTI makes what it needs meanwhile
constexpr int64_t kResolution = 500;                       // ns, of an event, as CUDA documents it

// A query by any thread would end a capture that the program has begun in CUDA's strictest mode.
class OutsideCaptures {
 public:
  OutsideCaptures() { (void)table().cuThreadExchangeStreamCaptureMode(&mode_); }
  OutsideCaptures(const OutsideCaptures&) = delete;
  OutsideCaptures& operator=(const OutsideCaptures&) = delete;
  ~OutsideCaptures() { (void)table().cuThreadExchangeStreamCaptureMode(&mode_); }

 private:
  // The call exchanges: the destructor puts back what the thread had.
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
  // Not a fault point, as the head says: a trace must not change which calls of the program fail.
  return table().cudaEventCreateWithFlags(event, kEventDefault) == kSuccess;
}

void Timeline::give(NativeEvent event) try {
  std::lock_guard lock(mutex_);
  free_.push_back(event);
} catch (const std::bad_alloc&) {  // the event is left to the context's end
}

void Timeline::look() {
  Activities* const found = Activities::get(device_.driverVersion());
  Activities* const records = found != nullptr && found->begin() ? found : nullptr;
  // From here on submissions get events. Spans that wait for records keep their way.
  if (records == nullptr) activities_.store(nullptr, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  if (records != nullptr && !refused_ && (activities_looked_ == 0 || nowNanoseconds() - activities_looked_ >= kLookAgain)) {
    const OutsideCaptures outside;
    // A stream of its own: on a stream of the program, the trial would wait for the program's work.
    refused_ = !makeStream();
    if (!refused_) calibrateActivities(*records);
  }
}

void Timeline::lookAtEvents() {
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
    // The stream is idle: the event of the trial before was reached, or this loop has ended.
    if (table().cuEventRecord(trial_, stream_) != kSuccess) return false;
    Error error = kNotReady;
    while ((error = table().cuEventQuery(trial_)) == kNotReady && nowNanoseconds() - began < patience) sched_yield();
    if (error == kNotReady) break;
    if (error != kSuccess) return false;
    const int64_t width = nowNanoseconds() - before;
    if (width >= narrowest) continue;
    narrowest = width;
    base_time_ = before + width / 2;
    base_error_ = width / 2 + kResolution;
    // The event of the best trial is the base from now on. The other one serves the next trials.
    std::swap(base_, trial_);
  }
  if (narrowest != INT64_MAX) trace::clock(device_.id(), base_error_);
  return true;
}

// A word is filled on the idle stream between two looks at the host's clock: the record of that lies between them, too. So it
// bounds where CUPTI's clock may be on the host's; within the bounds, CUPTI's own answer counts. The error is the further
// bound. A first look without a record says that CUPTI's records cannot be used.
void Timeline::calibrateActivities(Activities& records) {
  struct Trial {
    uint64_t number;
    int64_t before, after;
  };
  Trial trials[kTrials];
  const int64_t began = nowNanoseconds();
  const bool first = activities_looked_ == 0;
  const int64_t deadline = began + (first ? kPatienceAtFirstRecord : kPatience);
  activities_looked_ = began;
  if (word_ == 0) {
    void* memory = nullptr;
    if (table().cudaMalloc(&memory, sizeof(uint32_t)) != kSuccess) return;
    word_ = reinterpret_cast<DriverAddress>(memory);
  }
  int done = 0;
  Error error = kSuccess;
  for (; done < kTrials && error == kSuccess; ++done) {
    Trial& trial = trials[done];
    trial.number = records.expect(0);
    trial.before = nowNanoseconds();
    {
      const Activities::Region region(records, trial.number);
      error = table().cuMemsetD32Async(word_, 0, 1, stream_);
    }
    if (error == kSuccess) error = table().cuEventRecord(trial_, stream_);
    while (error == kSuccess && (error = table().cuEventQuery(trial_)) == kNotReady && nowNanoseconds() < deadline) {
      error = kSuccess;
      sched_yield();
    }
    trial.after = nowNanoseconds();
  }
  int64_t lowest = INT64_MIN, highest = INT64_MAX;  // host minus CUPTI
  bool seen = false;
  while (done > 0 && error == kSuccess && !seen) {
    // Without a limit on how often: the records of the trials are missing, and nothing else waits.
    records.flush(0);
    for (int i = 0; i < done; ++i) {
      std::vector<Activities::Record> found;
      if (!records.take(trials[i].number, 1, true, &found) || found.empty()) continue;
      seen = true;
      lowest = std::max(lowest, trials[i].before - found.front().begin);
      highest = std::min(highest, trials[i].after - found.front().end);
    }
    if (nowNanoseconds() >= deadline) break;
  }
  for (int i = 0; i < done; ++i) records.forget(trials[i].number);
  if (error != kSuccess) return;  // the device is busy: the last place stays
  if (!seen || lowest > highest) {
    if (!first && activities() != nullptr) return;
    records.refuse(seen ? "its times are not those of the work" : "it has no records of the work");
    activities_.store(nullptr, std::memory_order_relaxed);
    return;
  }
  int64_t offset = 0, width = 0;
  if (!records.clock(&offset, &width)) offset = lowest + (highest - lowest) / 2;
  offset = std::clamp(offset, lowest, highest);
  host_minus_cupti_.store(offset, std::memory_order_relaxed);
  activities_.store(&records, std::memory_order_release);
  trace::clock(device_.id(), std::max(offset - lowest, highest - offset));
}

bool Timeline::hostTime(int64_t* nanoseconds, NativeEvent event) {
  std::lock_guard lock(mutex_);
  float milliseconds = 0;
  // A float of milliseconds: the further the base is away, the coarser the answer. So lookAtEvents() renews it.
  if (base_time_ == 0 || table().cudaEventElapsedTime(&milliseconds, base_, event) != kSuccess) return false;
  *nanoseconds = base_time_ + static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  return true;
}

Status Timeline::hostTime(int64_t* nanoseconds, int64_t* error, NativeEvent event) {
  std::lock_guard lock(mutex_);
  const OutsideCaptures outside;
  if (!refused_ && (base_time_ == 0 || nowNanoseconds() - base_time_ >= driver::kPlaceAgain))
    refused_ = !makeStream() || !calibrate();
  if (refused_) return driver::noTimes(device_.id());
  if (base_time_ == 0) return driver::noPlace(device_.id());
  float milliseconds = 0;
  if (table().cudaEventElapsedTime(&milliseconds, base_, event) != kSuccess) return driver::noTimes(device_.id());
  const auto distance = static_cast<int64_t>(static_cast<double>(milliseconds) * 1e6);
  // A float has 24 bits: the last one of a distance is this much.
  const int64_t rounded = std::abs(distance) >> 23;
  *nanoseconds = base_time_ + distance;
  *error = base_error_ + kResolution + rounded + driver::driftIn(distance);
  return Status();
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
    // Its node is switched off in this launch, but the events around it are recorded all the same.
    if (!piece.tells) continue;
    trace::work(track, serial_, piece.work, begin, end);
    first = std::min(first, begin);
    last = std::max(last, end);
  }
  if (is_graph_ && first <= last) trace::work(track, serial_, backend::describe(trace::Kind::kGraph), first, last);
  return Answer::kTold;
}

// ---- By CUPTI ----

namespace {

constexpr int64_t kFlushInterval = 5'000'000;  // ns, while work is over and its records are not there

// Whether a record may be that of the node. A node without a description matches any record of its kind.
bool isOf(const RecordedWork::Node& node, const Activities::Record& record) {
  if (node.work.kind != record.kind) return false;
  if (record.kind != trace::Kind::kKernel) return !node.described || node.work.bytes == record.bytes;
  if (strcmp(node.symbol, record.name) != 0) return false;
  return !node.described || (std::equal(record.grid, record.grid + 3, node.work.grid) &&
                             std::equal(record.group, record.group + 3, node.work.group));
}

}  // namespace

void RecordedWork::set(const trace::Work& work, size_t records) {
  work_ = work;
  count_ = records;
}

void RecordedWork::setGraph(std::vector<Node> nodes, bool has_more) {
  is_graph_ = true;
  work_ = backend::describe(trace::Kind::kGraph);
  has_more_ = has_more;
  count_ = has_more ? 0 : nodes.size();
  nodes_ = std::move(nodes);
}

driver::PendingSpan::Answer RecordedWork::tell(const trace::Track& track) {
  if (number_ == 0) return Answer::kNever;
  if (is_graph_ && nodes_.empty() && !has_more_) return Answer::kTold;  // no node did anything
  std::vector<Activities::Record> records;
  // known() asks no driver: completed() would come back to the spans.
  const bool over = stream_ != nullptr && stream_->known() >= serial_;
  if (!activities_.take(number_, count_, over, &records)) {
    if (!over) return Answer::kNotYet;
    // Only for work that is over: records of running work come with a later flush.
    activities_.flush(kFlushInterval);
    if (!activities_.take(number_, count_, over, &records)) return Answer::kNotYet;
  }
  if (records.empty()) return Answer::kNever;
  Activities::Record whole = records.front();
  // Records are in the order of their begins, and may end in any.
  for (const Activities::Record& each : records) whole.end = std::max(whole.end, each.end);
  for (size_t missing = records.size(); is_graph_ && missing < count_; ++missing) trace::lost();
  if (is_graph_) tellNodes(track, records);
  tellOne(track, work_, whole);
  return Answer::kTold;
}

bool RecordedWork::outlives(std::unique_ptr<driver::PendingSpan>* self, const trace::Track& track) {
  // The stream ends with this call. From now on records alone tell that the work is over.
  stream_ = nullptr;
  return number_ != 0 && activities_.adopt(self, track);
}

void RecordedWork::tellOne(const trace::Track& track, const trace::Work& work, const Activities::Record& record) const {
  trace::work(track, serial_, work, timeline_.hostTimeOf(record.begin), timeline_.hostTimeOf(record.end));
}

// CUPTI numbers the nodes of an executable graph in the order of the nodes that it was made of, and has another number for
// each. Where that does not fit, the first node that is alike counts: nodes that are alike begin mostly in their order.
void RecordedWork::tellNodes(const trace::Track& track, std::vector<Activities::Record>& records) const {
  const auto by_node = [](const Activities::Record& one, const Activities::Record& other) { return one.node < other.node; };
  std::vector<Activities::Record> in_order = records;
  std::stable_sort(in_order.begin(), in_order.end(), by_node);
  const bool fits = in_order.size() == nodes_.size() && std::equal(nodes_.begin(), nodes_.end(), in_order.begin(), isOf);
  std::vector<bool> taken(nodes_.size(), false);
  for (size_t i = 0; i < records.size(); ++i) {
    const Activities::Record& record = fits ? in_order[i] : records[i];
    size_t node = i;
    for (node = fits ? i : 0; !fits && node < nodes_.size() && (taken[node] || !isOf(nodes_[node], record));) ++node;
    trace::Work work = backend::describe(trace::Kind::kTask);  // of a native function
    if (node < nodes_.size()) {
      taken[node] = true;
      work = nodes_[node].work;
    }
    if (node >= nodes_.size() || !nodes_[node].described) {
      work.copy = record.copy;
      work.bytes = record.bytes;
      std::copy_n(record.grid, 3, work.grid);
      std::copy_n(record.group, 3, work.group);
    }
    work.in_graph = true;
    tellOne(track, work, record);
  }
}

}  // namespace manyrt::cuda
