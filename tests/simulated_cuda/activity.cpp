// Places in buffers, what fills them, and the functions of CUPTI.
#include "activity.h"

#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backends/cuda/cupti_api.h"
#include "settings.h"

namespace manyrt::simulated::activity {

namespace cupti = cuda::cupti;

// A record in a buffer. The buffer is there until all of its places have their times, or the client has forced a flush.
struct Place {
  std::shared_ptr<struct Buffer> buffer;
  size_t offset = 0;
};

struct Buffer {
  uint8_t* bytes = nullptr;
  size_t size = 0, used = 0;
  int running = 0;           // records without times
  bool handed_over = false;  // it is the client's again
  bool was_complete = false;
};

namespace {

constexpr cupti::Result kInvalidParameter = 1, kMaxLimitReached = 12, kNotInitialized = 15, kInsufficientPrivileges = 35;

struct Profiler {
  std::mutex mutex;
  bool taken = false, disabled = false, foreign = false, late = false, loses = false, shuffled = false;
  uint32_t version = 28;
  int subscriber = 0;  // 1: there is one
  cupti::BufferRequested requested = nullptr;
  cupti::BufferCompleted completed = nullptr;
  std::set<uint32_t> kinds;
  std::set<std::pair<bool, uint32_t>> functions;  // of the runtime; the number
  std::deque<std::shared_ptr<Buffer>> buffers;    // the last one is filled
  uint32_t last_correlation = 0;
  uint64_t kernels = 0;
  size_t dropped = 0;
};

Profiler& profiler() {
  static Profiler* const made = [] {
    auto* fresh = new Profiler;  // kept to the end of the process, as the settings
    std::string words = getenv("SIMULATED_CUPTI") != nullptr ? getenv("SIMULATED_CUPTI") : "";
    words = "," + words + ",";
    const auto has = [&](const char* word) { return words.find("," + std::string(word) + ",") != words.npos; };
    fresh->taken = has("taken");
    fresh->disabled = has("disabled");
    fresh->foreign = has("foreign");
    fresh->late = has("late");
    fresh->loses = has("loses");
    fresh->shuffled = has("shuffled");
    fresh->version = static_cast<uint32_t>(numberOf("SIMULATED_CUPTI_VERSION", 28));
    return fresh;
  }();
  return *made;
}

thread_local std::vector<std::pair<uint32_t, uint64_t>> numbers;  // pushed by this thread: kind and number

// CUPTI's clock is none of the host's.
uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1'700'000'000'000'000'000u + static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

size_t sizeOf(uint32_t kind, uint32_t version) {
  const int release = version >= 130500 ? 2 : version >= 130000 ? 1 : 0;
  static constexpr size_t kKernel[] = {208, 216, 248}, kCopy[] = {96, 96, 112}, kFill[] = {88, 88, 104};
  switch (kind) {
    case cupti::kConcurrentKernel:
      return kKernel[release];
    case cupti::kCopy:
      return kCopy[release];
    case cupti::kFill:
      return kFill[release];
    default:
      return sizeof(cupti::ExternalCorrelationActivity);
  }
}

// Under the mutex, which it gives up meanwhile, as the client's functions may call CUPTI.
void handOver(std::unique_lock<std::mutex>& lock, bool forced) {
  Profiler& all = profiler();
  std::vector<std::shared_ptr<Buffer>> ready;
  for (const auto& buffer : all.buffers) {
    const bool complete = buffer->running == 0;
    const bool whole = forced || (complete && (!all.late || buffer->was_complete));
    buffer->was_complete = complete;
    if (!whole) break;
    ready.push_back(buffer);
  }
  all.buffers.erase(all.buffers.begin(), all.buffers.begin() + static_cast<std::ptrdiff_t>(ready.size()));
  for (const auto& buffer : ready) buffer->handed_over = true;
  const cupti::BufferCompleted completed = all.completed;
  lock.unlock();
  for (const auto& buffer : ready) completed(nullptr, 0, buffer->bytes, buffer->size, buffer->used);
  lock.lock();
}

// A place for a record; under the mutex. Empty: the client gives no buffer, and the record is dropped.
std::shared_ptr<Place> add(const void* record, size_t size) {
  Profiler& all = profiler();
  if (all.buffers.empty() || all.buffers.back()->used + size > all.buffers.back()->size) {
    auto fresh = std::make_shared<Buffer>();
    size_t most = 0;
    all.requested(&fresh->bytes, &fresh->size, &most);
    if (fresh->bytes == nullptr || fresh->size < size) {
      ++all.dropped;
      return nullptr;
    }
    all.buffers.push_back(std::move(fresh));
  }
  auto place = std::make_shared<Place>();
  place->buffer = all.buffers.back();
  place->offset = place->buffer->used;
  memcpy(place->buffer->bytes + place->offset, record, size);
  place->buffer->used += size;
  return place;
}

// With zeros after the fields that are known here.
template <class Record>
std::shared_ptr<Place> addRunning(const Record& record) {
  Profiler& all = profiler();
  std::lock_guard lock(all.mutex);
  if (all.kinds.count(record.kind) == 0) return nullptr;
  if (record.kind == cupti::kConcurrentKernel && all.loses && ++all.kernels % 5 == 0) {
    ++all.dropped;
    return nullptr;
  }
  std::vector<unsigned char> bytes(std::max(sizeof record, sizeOf(record.kind, all.version)), 0);
  memcpy(bytes.data(), &record, sizeof record);
  auto place = add(bytes.data(), sizeOf(record.kind, all.version));
  if (place != nullptr) ++place->buffer->running;
  return place;
}

// All three kinds have their times at the same place.
static_assert(offsetof(cupti::KernelActivity, start) == offsetof(cupti::CopyActivity, start) &&
              offsetof(cupti::CopyActivity, start) == offsetof(cupti::FillActivity, start));

}  // namespace

Call::Call(uint32_t function, bool of_runtime) {
  Profiler& all = profiler();
  std::lock_guard lock(all.mutex);
  if (all.kinds.empty()) return;
  correlation_ = ++all.last_correlation;
  const bool told = all.functions.count({of_runtime, function}) != 0 && all.kinds.count(cupti::kExternalCorrelation) != 0;
  if (!told || all.foreign) return;
  for (const auto& [kind, number] : numbers) {
    cupti::ExternalCorrelationActivity record{cupti::kExternalCorrelation, kind, number, correlation_, 0};
    (void)add(&record, sizeof record);
  }
}

Call::Work Call::timed(std::shared_ptr<Place> place, Work work) const {
  if (place == nullptr) return work;
  return [place, work](Runner& runner) {
    const uint64_t begin = now();
    work(runner);
    const uint64_t times[2] = {begin, std::max(now(), begin + 1)};
    std::lock_guard lock(profiler().mutex);
    Buffer& buffer = *place->buffer;
    if (buffer.handed_over) return;
    memcpy(buffer.bytes + place->offset + offsetof(cupti::CopyActivity, start), times, sizeof times);
    --buffer.running;
  };
}

Call::Work Call::kernel(const Launch& launch, Work work, uint64_t node) const {
  if (correlation_ == 0) return work;
  cupti::KernelActivity record{};
  record.kind = cupti::kConcurrentKernel;
  const uint32_t grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const uint32_t block[] = {launch.block.x, launch.block.y, launch.block.z};
  for (int d = 0; d < 3; ++d) {
    record.grid[d] = static_cast<int32_t>(grid[d]);
    record.block[d] = static_cast<int32_t>(block[d]);
  }
  record.correlation = correlation_;
  record.name = launch.kernel->name.c_str();
  record.graph_node = node;
  return timed(addRunning(record), std::move(work));
}

Call::Work Call::copy(int kind, size_t bytes, Work work, uint64_t node) const {
  if (correlation_ == 0) return work;
  static constexpr uint8_t kKinds[] = {9, 1, 2, 8, 8};  // CUpti_ActivityMemcpyKind by cudaMemcpyKind
  cupti::CopyActivity record{};
  record.kind = cupti::kCopy;
  record.copy_kind = kind >= 0 && kind < 5 ? kKinds[kind] : 0;
  record.bytes = bytes;
  record.correlation = correlation_;
  record.graph_node = node;
  return timed(addRunning(record), std::move(work));
}

Call::Work Call::fill(size_t bytes, Work work, uint64_t node) const {
  if (correlation_ == 0) return work;
  cupti::FillActivity record{};
  record.kind = cupti::kFill;
  record.bytes = bytes;
  record.correlation = correlation_;
  record.graph_node = node;
  return timed(addRunning(record), std::move(work));
}

uint64_t nodeNumber(uint64_t exec, size_t index) {
  const uint64_t number = profiler().shuffled ? (index * 7919 + 13) % 65521 : index + 1;
  return exec << 32 | number;
}

}  // namespace manyrt::simulated::activity

// ---- What the client calls ----

namespace {
using namespace manyrt::simulated::activity;
namespace client = manyrt::cuda::cupti;
}  // namespace

#define CUPTI_EXPORT extern "C" __attribute__((visibility("default"))) client::Result

CUPTI_EXPORT cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) return kInvalidParameter;
  *version = profiler().version;
  return client::kSuccess;
}

CUPTI_EXPORT cuptiGetResultString(client::Result result, const char** text) {
  if (text == nullptr) return kInvalidParameter;
  *text = result == client::kSuccess               ? "CUPTI_SUCCESS"
          : result == client::kMultipleSubscribers ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
          : result == kInsufficientPrivileges      ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
                                                   : "CUPTI_ERROR_UNKNOWN";
  return client::kSuccess;
}

CUPTI_EXPORT cuptiGetTimestamp(uint64_t* timestamp) {
  if (timestamp == nullptr) return kInvalidParameter;
  *timestamp = now();
  return client::kSuccess;
}

CUPTI_EXPORT cuptiSubscribe(client::Subscriber* subscriber, client::Callback callback, void*) {
  Profiler& all = profiler();
  std::lock_guard lock(all.mutex);
  if (subscriber == nullptr || callback == nullptr) return kInvalidParameter;
  if (all.taken || all.subscriber != 0) return client::kMultipleSubscribers;
  all.subscriber = 1;
  *subscriber = &all.subscriber;
  return client::kSuccess;
}

CUPTI_EXPORT cuptiUnsubscribe(client::Subscriber subscriber) {
  Profiler& all = profiler();
  std::lock_guard lock(all.mutex);
  if (subscriber != &all.subscriber || all.subscriber == 0) return kInvalidParameter;
  all.subscriber = 0;
  return client::kSuccess;
}

CUPTI_EXPORT cuptiActivityRegisterCallbacks(client::BufferRequested requested, client::BufferCompleted completed) {
  Profiler& all = profiler();
  std::lock_guard lock(all.mutex);
  if (requested == nullptr || completed == nullptr) return kInvalidParameter;
  all.requested = requested;
  all.completed = completed;
  return client::kSuccess;
}

CUPTI_EXPORT cuptiActivityEnable(client::ActivityKind kind) {
  Profiler& all = profiler();
  std::lock_guard lock(all.mutex);
  if (all.requested == nullptr) return kNotInitialized;
  if (all.disabled) return kInsufficientPrivileges;
  all.kinds.insert(kind);
  return client::kSuccess;
}

CUPTI_EXPORT cuptiActivityDisable(client::ActivityKind kind) {
  Profiler& all = profiler();
  std::lock_guard lock(all.mutex);
  all.kinds.erase(kind);
  return client::kSuccess;
}

static client::Result choose(bool of_runtime, uint32_t function, uint8_t enable) {
  Profiler& all = profiler();
  std::lock_guard lock(all.mutex);
  if (enable != 0) {
    all.functions.insert({of_runtime, function});
  } else {
    all.functions.erase({of_runtime, function});
  }
  return client::kSuccess;
}

CUPTI_EXPORT cuptiActivityEnableDriverApi(uint32_t function, uint8_t enable) { return choose(false, function, enable); }
CUPTI_EXPORT cuptiActivityEnableRuntimeApi(uint32_t function, uint8_t enable) { return choose(true, function, enable); }

CUPTI_EXPORT cuptiActivityFlushAll(uint32_t flags) {
  Profiler& all = profiler();
  std::unique_lock lock(all.mutex);
  if (all.completed == nullptr) return kNotInitialized;
  handOver(lock, (flags & client::kFlushForced) != 0);
  return client::kSuccess;
}

CUPTI_EXPORT cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_size, client::Activity** record) {
  if (buffer == nullptr || record == nullptr) return kInvalidParameter;
  auto* at = reinterpret_cast<uint8_t*>(*record);
  at = at == nullptr ? buffer : at + sizeOf((*record)->kind, profiler().version);
  if (at >= buffer + valid_size) return kMaxLimitReached;
  *record = reinterpret_cast<client::Activity*>(at);
  return client::kSuccess;
}

CUPTI_EXPORT cuptiActivityGetNumDroppedRecords(void*, uint32_t, size_t* dropped) {
  Profiler& all = profiler();
  std::lock_guard lock(all.mutex);
  if (dropped == nullptr) return kInvalidParameter;
  *dropped = std::exchange(all.dropped, 0);
  return client::kSuccess;
}

CUPTI_EXPORT cuptiActivityPushExternalCorrelationId(uint32_t kind, uint64_t number) {
  numbers.emplace_back(kind, number);
  return client::kSuccess;
}

CUPTI_EXPORT cuptiActivityPopExternalCorrelationId(uint32_t kind, uint64_t* last) {
  const auto found = std::find_if(numbers.rbegin(), numbers.rend(), [&](const auto& each) { return each.first == kind; });
  if (found == numbers.rend()) return kMaxLimitReached;
  if (last != nullptr) *last = found->second;
  numbers.erase(std::next(found).base());
  return client::kSuccess;
}
