// Opening CUPTI, beginning and ending its records, reading its buffers. Failures here cost spans and no call.
#include "backends/cuda/activities.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/config.h"
#include "base/log.h"
#include "base/os/dynamic_library.h"
#include "rt.h"

namespace manyrt::cuda {
namespace {

constexpr size_t kBufferBytes = 1 << 20;
constexpr size_t kBufferAlignment = 8;  // CUPTI's
// Records of calls that are not ours, such as those of another library, have no number and go after this many buffers.
constexpr uint64_t kOrphanBuffers = 4;

constexpr cupti::ActivityKind kKinds[] = {cupti::kConcurrentKernel, cupti::kCopy, cupti::kCopyPeer, cupti::kFill,
                                          cupti::kExternalCorrelation};

// The one that callbacks of CUPTI belong to; never destroyed.
std::atomic<Activities*> the_activities{nullptr};

// All or nothing: with a part of the functions, records could be switched on and never read.
bool fillTable(cupti::Table* table, void* library, const char** missing) {
#define X(id, symbol, parameters)                                             \
  table->id = reinterpret_cast<decltype(table->id)>(dlsym(library, #symbol)); \
  if (table->id == nullptr) *missing = #symbol;
  RT_CUPTI_TABLE(X)
#undef X
  return *missing == nullptr;
}

// A driver runs the CUPTI of its own release and of older ones.
void* openLibraryFor(int driver_version, std::string* name) {
  for (int major = driver_version / 1000; major >= 12; --major) {
    const std::string file = "libcupti.so." + std::to_string(major);
    for (const char* folder : {"", "/usr/local/cuda/extras/CUPTI/lib64/", "/usr/local/cuda/lib64/"}) {
      *name = folder + file;
      std::string why;
      if (void* library = openLibrary(name->c_str(), &why)) return library;
    }
  }
  return nullptr;
}

void ignore(void*, int, uint32_t, const void*) {}

int32_t kindOfCopy(uint8_t kind) {  // CUpti_ActivityMemcpyKind
  switch (kind) {
    case 1:
      return RT_MEMCPY_HOST_TO_DEVICE;
    case 2:
      return RT_MEMCPY_DEVICE_TO_HOST;
    case 8:
    case 10:  // between two devices
      return RT_MEMCPY_DEVICE_TO_DEVICE;
    case 9:
      return RT_MEMCPY_HOST_TO_HOST;
    default:
      return 0;
  }
}

}  // namespace

// ---- Beginning and end ----

Activities* Activities::get(int driver_version) {
  // Opened once: CUPTI is never closed, since it may call back at any time.
  static Activities* const found = open(driver_version);
  return found;
}

Activities* Activities::open(int driver_version) {
  if (config::listed(config::Variable::kDisable, "cupti")) return nullptr;
  // Each way out says why. Times by events differ from CUPTI's, so a user has to be able to tell which of them a trace has.
  const auto without = [](const std::string& why) {
    log::write(RT_LOG_INFO, "%s Work of CUDA is timed by events, and graphs by events between their nodes.", why.c_str());
    return nullptr;
  };
  std::string name;
  void* const library = openLibraryFor(driver_version, &name);
  if (library == nullptr) return without("CUPTI (libcupti.so) is not found.");
  cupti::Table table;
  const char* missing = nullptr;
  if (!fillTable(&table, library, &missing)) return without(name + " has no " + missing + ": it is older than CUDA 12.9.");
  uint32_t version = 0;
  (void)table.getVersion(&version);
  if (version < cupti::kOldestVersion || version >= cupti::kFirstUnknownVersion)
    return without(name + " has version " + std::to_string(version) + ", whose records this library does not know.");
  // Never deleted: CUPTI may call back on any thread until the process ends.
  auto* const made = new (std::nothrow) Activities(table);
  if (made == nullptr) return nullptr;
  the_activities.store(made, std::memory_order_release);
  log::write(RT_LOG_INFO, "Work of CUDA is timed by %s, version %u.", name.c_str(), version);
  return made;
}

const char* Activities::textOf(cupti::Result result) const {
  const char* text = nullptr;
  return table_.getResultString(result, &text) == cupti::kSuccess && text != nullptr ? text : "an unknown error";
}

void Activities::refuse(const char* why) {
  // For good, and told once: a later trace would meet the same.
  if (refused_.exchange(true, std::memory_order_relaxed)) return;
  log::write(RT_LOG_WARNING, "CUPTI cannot be used: %s. Work of CUDA is timed by events.", why);
}

void Activities::setCalls(uint8_t enable) {
  for (const uint32_t function : cupti::kDriverCalls) (void)table_.enableDriverApi(function, enable);
  for (const uint32_t function : cupti::kRuntimeCalls) (void)table_.enableRuntimeApi(function, enable);
}

// A subscription takes part in no callback. It is what other profilers ask for first, so that two do not take each other's
// buffers.
bool Activities::begin() {
  if (on_.load(std::memory_order_acquire)) [[likely]]
    return true;
  if (refused_.load(std::memory_order_relaxed)) return false;
  if (!start()) return false;
  // Both once. CUPTI ends its own part in functions for the exit that are registered by now, and run after this one.
  static const bool listens = [this] {
    trace::addAhead(*this);
    return atexit(flushAtExit) == 0;
  }();
  return listens;
}

bool Activities::start() {
  // Two threads may submit the first traced work at once. The other one waits here and finds records on.
  std::lock_guard lock(start_mutex_);
  if (on_.load(std::memory_order_relaxed)) return true;
  cupti::Result result = table_.subscribe(&subscriber_, ignore, nullptr);
  if (result == cupti::kSuccess) {
    result = table_.registerCallbacks(requested, completed);
    for (const cupti::ActivityKind kind : kKinds) {
      if (result == cupti::kSuccess) result = table_.enable(kind);
    }
  } else {
    subscriber_ = nullptr;
  }
  if (result != cupti::kSuccess) {
    // Records that were switched on before the failure go off again. end() does nothing without a subscription.
    end();
    refuse(result == cupti::kMultipleSubscribers ? "another profiler has it" : textOf(result));
    return false;
  }
  // Only calls that give work to a device: a record for every query would cost more than the work.
  setCalls(1);
  // The end of an earlier trace has left it set.
  ends_.store(false, std::memory_order_relaxed);
  // Last: a thread that sees it finds everything switched on.
  on_.store(true, std::memory_order_release);
  return true;
}

void Activities::end() {
  if (subscriber_ == nullptr) return;
  for (const cupti::ActivityKind kind : kKinds) (void)table_.disable(kind);
  setCalls(0);
  (void)table_.unsubscribe(subscriber_);
  subscriber_ = nullptr;
}

// Ahead of all streams, which then ask for their records.
uint64_t Activities::settle(bool last) {
  if (!on_.load(std::memory_order_acquire)) return 0;
  // Forced only at the end: CUPTI then also hands over buffers that are not full, with records of work that is not over.
  (void)table_.flushAll(last ? cupti::kFlushForced : 0);
  // From here on take() gives what there is: no more records will come.
  if (last) ends_.store(true, std::memory_order_relaxed);
  tellAdopted(last);
  if (!last) return 0;
  std::lock_guard lock(start_mutex_);
  // First. A submission that comes meanwhile begins anew, and waits in start() for the lock that is held here.
  on_.store(false, std::memory_order_release);
  end();
  std::lock_guard records_lock(mutex_);
  orphans_.clear();
  newest_.clear();
  return 0;
}

void Activities::flushAtExit() {
  // After this, CUPTI may be gone: refused_ keeps any later call of the program from starting it again.
  Activities* const all = the_activities.load(std::memory_order_acquire);
  if (trace::timesWork()) (void)all->settle(true);
  all->refused_.store(true, std::memory_order_relaxed);
}

void Activities::flush(int64_t interval) {
  if (!on_.load(std::memory_order_acquire)) return;
  const int64_t now = nowNanoseconds();
  // A flush takes locks of CUPTI that every call of CUDA takes, so there is one in an interval at most.
  int64_t before = flushed_.load(std::memory_order_relaxed);
  // Relaxed: it only lets one thread of several flush.
  if (now - before < interval || !flushed_.compare_exchange_strong(before, now, std::memory_order_relaxed)) return;
  (void)table_.flushAll(0);
  tellAdopted(false);
}

// Telling takes locks of the sinks, and the mutex.
void Activities::tellAdopted(bool last) {
  using Answer = driver::PendingSpan::Answer;
  // Taken out of the list: other threads may adopt more while these are told.
  std::list<Adopted> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(adopted_);
  }
  all.remove_if([&](Adopted& each) {
    const Answer answer = each.span->tell(each.track);
    if (answer == Answer::kNever || (last && answer == Answer::kNotYet)) trace::lost();
    return last || answer != Answer::kNotYet;
  });
  std::lock_guard lock(mutex_);
  adopted_.splice(adopted_.end(), all);
}

bool Activities::adopt(std::unique_ptr<driver::PendingSpan>* span, const trace::Track& track) try {
  std::lock_guard lock(mutex_);
  // First the place, which may throw, and then the span: on failure the caller still has it.
  adopted_.push_back({nullptr, track});
  adopted_.back().span = std::move(*span);
  return true;
} catch (const std::bad_alloc&) {  // a trace fails no call
  return false;
}

bool Activities::clock(int64_t* host_minus_cupti, int64_t* width) const {
  // CUPTI's answer lies somewhere between two looks at the host's clock. The closest pair of five bounds it best.
  *width = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    uint64_t theirs = 0;
    const int64_t before = nowNanoseconds();
    if (table_.getTimestamp(&theirs) != cupti::kSuccess) return false;
    const int64_t after = nowNanoseconds();
    if (after - before >= *width) continue;
    *width = after - before;
    *host_minus_cupti = before + *width / 2 - static_cast<int64_t>(theirs);
  }
  return true;
}

// ---- Submissions ----

uint64_t Activities::expect(uint64_t track) try {
  std::lock_guard lock(mutex_);
  // Before the driver is called: the records may come on another thread before its call returns.
  submissions_[++last_number_].track = track;
  return last_number_;
} catch (const std::bad_alloc&) {  // a trace fails no call
  return 0;
}

Activities::Region::Region(const Activities& activities, uint64_t number) : activities_(activities) {
  pushed_ = activities_.table_.pushCorrelation(cupti::kCustom2, number) == cupti::kSuccess;
}

Activities::Region::~Region() {
  uint64_t number = 0;
  if (pushed_) (void)activities_.table_.popCorrelation(cupti::kCustom2, &number);
}

// A stream is in order. Once a later submission has a record, this one has all of its own, unless another thread gave it to the
// driver: CUPTI has buffers for each thread. So a number of records that is known is waited for, unless CUPTI has lost some.
bool Activities::take(uint64_t number, size_t count, bool over, std::vector<Record>* records) {
  std::lock_guard lock(mutex_);
  const auto found = submissions_.find(number);
  if (found == submissions_.end()) return true;
  Submission& submission = found->second;
  const auto newest = newest_.find(submission.track);
  const bool passed = newest != newest_.end() && newest->second > number && (!submission.records.empty() || loses_);
  const bool all_told = ends_.load(std::memory_order_relaxed) ||
                        (over && !submission.records.empty() && outstanding_.load(std::memory_order_relaxed) == 0);
  const bool complete = count != 0 && submission.records.size() >= count;
  if (!complete && !(passed && (count == 0 || loses_)) && !all_told) return false;
  *records = std::move(submission.records);
  for (const uint32_t correlation : submission.correlations) numbers_.erase(correlation);
  submissions_.erase(found);
  std::sort(records->begin(), records->end(), [](const Record& one, const Record& other) { return one.begin < other.begin; });
  return true;
}

void Activities::forget(uint64_t number) {
  std::lock_guard lock(mutex_);
  const auto found = submissions_.find(number);
  if (found == submissions_.end()) return;
  // Later records become orphans so, which go by themselves.
  for (const uint32_t correlation : found->second.correlations) numbers_.erase(correlation);
  submissions_.erase(found);
}

// ---- Buffers ----

// On the thread of any call of CUDA.
void Activities::requested(uint8_t** buffer, size_t* size, size_t* most_records) {
  // Without a buffer CUPTI drops records, which completed() counts.
  *buffer = static_cast<uint8_t*>(aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  // 0: as many as fit.
  *most_records = 0;
  if (*buffer == nullptr) return;
  the_activities.load(std::memory_order_acquire)->outstanding_.fetch_add(1, std::memory_order_relaxed);
}

void Activities::completed(void*, uint32_t, uint8_t* buffer, size_t, size_t valid_size) {
  Activities& all = *the_activities.load(std::memory_order_acquire);
  all.read(buffer, valid_size);
  size_t dropped = 0;
  if (all.table_.droppedRecords(nullptr, 0, &dropped) == cupti::kSuccess && dropped != 0) {
    all.loses_.store(true, std::memory_order_relaxed);
    log::write(RT_LOG_WARNING, "CUPTI has lost %zu record%s of work on CUDA.", dropped, dropped == 1 ? "" : "s");
  }
  all.outstanding_.fetch_sub(1, std::memory_order_relaxed);
  // After the count: take() believes that all is told once no buffer is outstanding.
  free(buffer);
}

void Activities::read(uint8_t* buffer, size_t valid_size) {
  std::lock_guard lock(mutex_);
  ++buffers_;
  std::erase_if(orphans_, [&](const auto& each) { return each.second.buffer + kOrphanBuffers < buffers_; });
  cupti::Activity* activity = nullptr;
  while (table_.nextRecord(buffer, valid_size, &activity) == cupti::kSuccess) {
    try {
      readOne(*activity);
    } catch (const std::bad_alloc&) {  // a trace fails no call: the span is lost
    }
  }
}

void Activities::readOne(const cupti::Activity& activity) {
  Record record;
  switch (activity.kind) {
    case cupti::kExternalCorrelation: {
      const auto& call = reinterpret_cast<const cupti::ExternalCorrelationActivity&>(activity);
      const auto found = submissions_.find(call.external);
      if (call.external_kind != cupti::kCustom2 || found == submissions_.end()) return;
      found->second.correlations.push_back(call.correlation);
      // CUPTI writes the correlation of a call and the record of its work in either order. Records that came first wait as
      // orphans.
      numbers_[call.correlation] = call.external;
      if (const auto early = orphans_.find(call.correlation); early != orphans_.end()) {
        for (const Record& each : std::exchange(early->second.records, {})) add(call.correlation, each);
        orphans_.erase(call.correlation);
      }
      return;
    }
    case cupti::kConcurrentKernel: {
      const auto& kernel = reinterpret_cast<const cupti::KernelActivity&>(activity);
      record.begin = static_cast<int64_t>(kernel.start);
      record.end = static_cast<int64_t>(kernel.end);
      record.node = kernel.graph_node;
      // A single launch has its name from the submission.
      if (kernel.graph_node != 0 && kernel.name != nullptr) record.name = trace::keep(kernel.name);
      for (int d = 0; d < 3; ++d) {
        record.grid[d] = static_cast<uint32_t>(kernel.grid[d]);
        record.group[d] = static_cast<uint32_t>(kernel.block[d]);
      }
      return add(kernel.correlation, record);
    }
    case cupti::kCopy:
    case cupti::kCopyPeer: {
      const auto& copy = reinterpret_cast<const cupti::CopyActivity&>(activity);
      record.kind = trace::Kind::kCopy;
      record.begin = static_cast<int64_t>(copy.start);
      record.end = static_cast<int64_t>(copy.end);
      record.copy = kindOfCopy(copy.copy_kind);
      record.bytes = copy.bytes;
      // A copy between peers names three devices, and has its later fields elsewhere.
      if (activity.kind == cupti::kCopyPeer) {
        const auto& peer = reinterpret_cast<const cupti::PeerCopyActivity&>(activity);
        record.node = peer.graph_node;
        return add(peer.correlation, record);
      }
      record.node = copy.graph_node;
      return add(copy.correlation, record);
    }
    case cupti::kFill: {
      const auto& fill = reinterpret_cast<const cupti::FillActivity&>(activity);
      record.kind = trace::Kind::kFill;
      record.begin = static_cast<int64_t>(fill.start);
      record.end = static_cast<int64_t>(fill.end);
      record.bytes = fill.bytes;
      record.node = fill.graph_node;
      return add(fill.correlation, record);
    }
    default:  // the calls themselves
      return;
  }
}

// Work that the device had no memory to time has zeros.
void Activities::add(uint32_t correlation, const Record& record) {
  if (record.begin == 0 || record.end < record.begin) return;
  const auto number = numbers_.find(correlation);
  if (number == numbers_.end()) {
    Orphan& orphan = orphans_[correlation];
    orphan.buffer = buffers_;
    orphan.records.push_back(record);
    return;
  }
  // Also makes one that was taken already: a late record must not get lost in the lookup, and forget() removes it.
  Submission& submission = submissions_[number->second];
  submission.records.push_back(record);
  uint64_t& newest = newest_[submission.track];
  newest = std::max(newest, number->second);
}

}  // namespace manyrt::cuda
