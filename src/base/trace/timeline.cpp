// Telling the timeline. Events that come in great numbers are records, which a thread of the library makes text later; the
// others are text at once. Tracks are named with their first event, since a stream may be older than the trace.
#include "base/trace/timeline.h"

#include <pthread.h>

#include <atomic>
#include <new>

#include "base/trace/line.h"
#include "base/trace/record_queue.h"
#include "base/trace/words.h"

namespace manyrt::trace::timeline {
namespace {

using record::kThreads;

// Changes with each trace, so that threads name themselves in each. Relaxed: a stale number costs a second name.
std::atomic<uint32_t> session{0};

void emit(const Line& line) {
  if (line.isValid()) queue::putText(line.data(), line.size());
}

void nameOf(const char* what, uint64_t tid, const char* name) {
  LocalLine line;
  line.text("{\"ph\":\"M\"").member("name", what).place(kThreads, tid).text(",\"args\":{\"name\":").quoted(name).text("}}");
  emit(line);
}

// The calling thread, which has a name in the file by then.
uint64_t thisThread() {
  thread_local uint32_t named_in = 0;
  const uint64_t number = threadNumber();
  const uint32_t now = session.load(std::memory_order_relaxed);
  if (named_in != now) [[unlikely]] {
    named_in = now;
    char name[32] = "";
    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    nameOf("thread_name", number, name);
  }
  return number;
}

// Kept texts of the tracks that a thread tells of in turn. They lie on the heap: the thread-local memory of a library that a
// running program loads is scarce.
struct Labels {
  uint64_t track = 0;  // 0: none
  const char *label = "", *context = "";
};
struct Tracks {
  static constexpr size_t kCount = 8;
  Labels labels[kCount];
};
constinit thread_local Tracks* tracks = nullptr;
constinit thread_local bool tracks_are_over = false;
struct EndOfTracks {
  ~EndOfTracks() {
    delete tracks;
    tracks = nullptr;
    tracks_are_over = true;
  }
};
thread_local EndOfTracks end_of_tracks;

Labels labelsOf(const Track& track) {
  if (tracks == nullptr && !tracks_are_over) {
    tracks = new (std::nothrow) Tracks;
    (void)&end_of_tracks;
  }
  if (tracks == nullptr) return {track.number, keep(track.label), keep(track.context)};  // no memory, or the thread ends
  Labels& kept = tracks->labels[track.number % Tracks::kCount];
  if (kept.track != track.number) kept = {track.number, keep(track.label), keep(track.context)};
  return kept;
}

}  // namespace

Status start(const char* path, bool from_start) {
  RT_TRY(queue::begin(path));
  session.fetch_add(1, std::memory_order_relaxed);
  nameOf("process_name", 0, "threads");
  if (from_start) return Status();
  const uint64_t thread = thisThread();
  LocalLine line;
  line.text("{\"ph\":\"i\",\"s\":\"g\",\"name\":\"begins in the middle\",\"cat\":\"trace\"").place(kThreads, thread);
  emit(line.time("ts", nowNanoseconds()).text(",\"args\":{}}"));
  return Status();
}

Status finish() { return queue::end(); }
void beforeFork() { queue::beforeFork(); }
void afterForkInParent() { queue::afterForkInParent(); }
void afterForkInChild() { queue::afterForkInChild(); }

void span(const char* category, const char* name, const char* detail, int64_t begin, int64_t end) {
  const uint64_t thread = thisThread();
  LocalLine line;
  line.text("{\"ph\":\"X\"").member("name", name).member("cat", category).place(kThreads, thread);
  line.time("ts", begin).time("dur", end - begin).text(",\"args\":{");
  if (detail[0] != '\0') line.text("\"of\":").quoted(detail);
  emit(line.text("}}"));
}

void call(const char* name, int64_t begin, int64_t end, uint64_t track, uint64_t serial) {
  record::Call call{{}, thisThread(), name, begin, end, track, serial};
  queue::put(record::Type::kCall, call, end);
}

void part(const char* name, int64_t begin, int64_t end) {
  record::Part part{{}, thisThread(), begin, end};
  queue::put(part, name);
}

void mark(const char* category, const char* name, const char* detail) {
  const uint64_t thread = thisThread();
  LocalLine line;
  line.text("{\"ph\":\"i\",\"s\":\"t\"").member("name", name).member("cat", category).place(kThreads, thread);
  line.time("ts", nowNanoseconds()).text(",\"args\":{");
  if (detail[0] != '\0') line.text("\"of\":").quoted(detail);
  emit(line.text("}}"));
}

void submitted(uint64_t track, uint64_t serial, int64_t now) {
  record::Submitted submitted{{}, thisThread(), track, serial, now};
  queue::put(record::Type::kSubmitted, submitted, now);
}

void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end) {
  const Labels labels = labelsOf(track);
  record::Work told{{}, track.number, serial, track.device, labels.label, labels.context, begin, end, work};
  queue::put(record::Type::kWork, told, end);
}

void clock(const char* device, int64_t error) {
  record::Clock clock{{}, device, nowNanoseconds(), error};
  queue::put(record::Type::kClock, clock, clock.time);
}

void lost(uint64_t count) {
  const uint64_t thread = thisThread();
  LocalLine line;
  line.text("{\"ph\":\"i\",\"s\":\"g\",\"name\":\"lost\",\"cat\":\"lost\"").place(kThreads, thread);
  emit(line.time("ts", nowNanoseconds()).text(",\"args\":{\"spans\":").number(count).text("}}"));
}

void liveBytes(uint64_t bytes) {
  LocalLine line;
  line.text("{\"ph\":\"C\",\"name\":\"live bytes\"").member("pid", kThreads).time("ts", nowNanoseconds());
  emit(line.text(",\"args\":{\"bytes\":").number(bytes).text("}}"));
}

void memory(Memory what, uint64_t pool, uint64_t address, uint64_t bytes, uint64_t track, const char* device,
            const char* kind) {
  static constexpr const char* kNames[] = {"allocate", "free", "reserve", "release"};
  const uint64_t thread = thisThread();
  LocalLine line;
  line.text("{\"ph\":\"i\",\"s\":\"t\"").member("name", kNames[static_cast<int>(what)]).member("cat", "memory");
  line.place(kThreads, thread).time("ts", nowNanoseconds()).text(",\"args\":{\"pool\":").number(pool);
  line.member("address", address).member("bytes", bytes).member("stream", track);
  if (what == Memory::kReserve) line.member("device", device).member("kind", kind);
  emit(line.text("}}"));
}

// It has a category of its own, since `manyrt memory` knows all events of "memory".
void label(uint64_t address, const char* label) {
  const uint64_t thread = thisThread();
  LocalLine line;
  line.text("{\"ph\":\"i\",\"s\":\"t\",\"name\":\"label\",\"cat\":\"label\"")
      .place(kThreads, thread)
      .time("ts", nowNanoseconds());
  emit(line.text(",\"args\":{\"address\":").number(address).member("label", label).text("}}"));
}

}  // namespace manyrt::trace::timeline
