// Writing the timeline. Events are formatted by the thread that has them, and written under one lock through a buffer. Chrome's
// JSON array format allows a missing end, so that a killed process leaves a usable file. Tracks are named with their first
// event, since a stream may be older than the trace.
#include "base/trace/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/lock_order.h"
#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/os/file_size_signal.h"
#include "base/text.h"
#include "base/trace/words.h"

namespace manyrt::trace::timeline {
namespace {

using Number = unsigned long long;

constexpr int kThreads = 1;          // the process of the picture that has the threads; each device is another one
constexpr int kDevices = 2;          // the first of these
constexpr Number kLane = 1'000'000;  // between the tracks of one stream

// Not stdio, which writes its buffer at any time: around each write a FileSizeSignal has to stand.
struct Writer {
  Ranked<std::mutex, LockRank::kTrace> mutex;
  int file = -1;
  int ended_by = 0;  // why it ended early, until the program is told: errno
  char* path = nullptr;
  bool first = true;
  size_t used = 0;
  std::unordered_set<uint64_t> named;  // tracks
  std::vector<const char*> devices;    // in the order of their numbers
  char buffer[1 << 15];                // a killed process loses what is in it

  // errno of the write that failed, or 0; what is left in the buffer then is dropped.
  int flush() {
    FileSizeSignal signal;
    const char* at = buffer;
    while (used > 0) {
      const ssize_t written = write(file, at, used);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        const int error = written < 0 ? errno : EIO;
        signal.exceeded = error == EFBIG;
        used = 0;
        return error;
      }
      at += written;
      used -= static_cast<size_t>(written);
    }
    return 0;
  }
  int put(const char* text, size_t length) {  // at most a buffer full
    if (used + length > sizeof buffer) {
      if (const int error = flush(); error != 0) return error;
    }
    memcpy(buffer + used, text, length);
    used += length;
    return 0;
  }
  void close() {
    ::close(file);
    file = -1;
    used = 0;
  }
};
Writer& writer() { return neverDestroyed<Writer>(); }

// Changes with each trace, so that threads name themselves in each. Relaxed: a stale number costs a second name.
std::atomic<uint32_t> session{0};

// One or two lines of the file, put together on the stack of the thread that has the event. Made by hand: a formatted print
// takes several times as long, and a locale may have a say in it. What does not fit makes the whole invalid.
class Line {
 public:
  Line& text(std::string_view words) {
    if (used_ + words.size() > sizeof text_) {
      overflows_ = true;
    } else {
      memcpy(text_ + used_, words.data(), words.size());
      used_ += words.size();
    }
    return *this;
  }
  template <class Value>
  Line& number(Value value) {
    const std::to_chars_result result = std::to_chars(text_ + used_, text_ + sizeof text_, value);
    overflows_ = overflows_ || result.ec != std::errc();
    if (!overflows_) used_ = static_cast<size_t>(result.ptr - text_);
    return *this;
  }
  // With three decimals: nanoseconds as microseconds.
  Line& thousandths(int64_t value) {
    if (value < 0) text("-");
    const Number size = static_cast<Number>(value < 0 ? -value : value), rest = size % 1000;
    const char digits[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
    return number(size / 1000).text({digits, sizeof digits});
  }
  // A string as JSON wants it, at most so many bytes of it; control characters become spaces.
  Line& quoted(const char* words, size_t most = 256) {
    const size_t begin = used_ + 1;
    text("\"");
    for (; *words != '\0' && used_ - begin < most && used_ + 3 < sizeof text_; ++words) {
      if (*words == '"' || *words == '\\') text_[used_++] = '\\';
      text_[used_++] = static_cast<unsigned char>(*words) < 0x20 ? ' ' : *words;
    }
    used_ = begin + wholeLetters(text_ + begin, used_ - begin);
    return text("\"");
  }
  // Members that begin with a comma.
  template <class Value>
  Line& member(std::string_view name, Value value) {
    return text(",\"").text(name).text("\":").number(value);
  }
  Line& member(std::string_view name, const char* words) { return text(",\"").text(name).text("\":").quoted(words); }
  Line& time(std::string_view name, int64_t nanoseconds) { return text(",\"").text(name).text("\":").thousandths(nanoseconds); }
  // The process and the thread of the picture.
  Line& place(int pid, Number tid) { return member("pid", pid).member("tid", tid); }

  bool isValid() const { return !overflows_; }
  const char* data() const { return text_; }
  size_t size() const { return used_; }

 private:
  size_t used_ = 0;
  bool overflows_ = false;
  char text_[2048];
};

void emit(const Line& line) {
  if (!line.isValid()) return;
  Writer& out = writer();
  std::lock_guard lock(out.mutex);
  if (out.file < 0) return;
  int error = out.put(out.first ? "[\n" : ",\n", 2);
  if (error == 0) error = out.put(line.data(), line.size());
  out.first = false;
  if (error != 0) {
    log::write(RT_LOG_WARNING, "The trace %s ends here: %s.", out.path, strerror(error));
    internal::on.fetch_and(~uint32_t{internal::kTimeline}, std::memory_order_relaxed);
    out.close();
    out.ended_by = error;
  }
}

void nameOf(const char* what, int pid, Number tid, const char* name) {
  Line line;
  line.text("{\"ph\":\"M\"").member("name", what).place(pid, tid).text(",\"args\":{\"name\":").quoted(name).text("}}");
  emit(line);
}

// The calling thread, which has a name in the file by then.
Number thisThread() {
  thread_local uint32_t named_in = 0;
  const Number number = threadNumber();
  const uint32_t now = session.load(std::memory_order_relaxed);
  if (named_in != now) {
    named_in = now;
    char name[32] = "";
    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    nameOf("thread_name", kThreads, number, name);
  }
  return number;
}

// A device, as a process of the picture. `fresh`: it has no name there yet. Without memory all are one.
int processOf(const char* device, bool* fresh) try {
  Writer& out = writer();
  std::lock_guard lock(out.mutex);
  const auto found =
      std::find_if(out.devices.begin(), out.devices.end(), [&](const char* each) { return strcmp(each, device) == 0; });
  *fresh = found == out.devices.end();
  const auto index = found - out.devices.begin();
  if (*fresh) out.devices.push_back(device);
  return kDevices + static_cast<int>(index);
} catch (const std::bad_alloc&) {  // a trace fails no call
  *fresh = false;
  return kDevices;
}

bool isUnnamed(Number track) try {
  Writer& out = writer();
  std::lock_guard lock(out.mutex);
  return out.named.insert(track).second;
} catch (const std::bad_alloc&) {  // as above
  return false;
}

int process(const char* device) {
  bool fresh = false;
  const int number = processOf(device, &fresh);
  if (!fresh) return number;
  char name[80];
  snprintf(name, sizeof name, "streams of %s", device);
  nameOf("process_name", number, 0, name);
  return number;
}

// The process of a track, which has a name in the file by then. A thread that goes on with a track knows both.
int processOf(const Track& track, Number tid, unsigned lane) {
  struct Last {
    uint32_t session = 0;
    Number tid = 0;
    int pid = 0;
  };
  thread_local Last last;
  const uint32_t now = session.load(std::memory_order_relaxed);
  if (last.session == now && last.tid == tid) return last.pid;
  const int pid = process(track.device);
  if (isUnnamed(tid)) {
    char name[sizeof track.label + sizeof track.context + 48];
    const int used =
        snprintf(name, sizeof name, track.context[0] == '\0' ? "%s" : "%s, context %s", track.label, track.context);
    if (lane != 0) snprintf(name + used, sizeof name - static_cast<size_t>(used), ", side by side %u", lane);
    nameOf("thread_name", pid, tid, name);
  }
  last = {now, tid, pid};
  return pid;
}

void addThree(Line* line, std::string_view name, const uint32_t values[3]) {
  line->text(",\"").text(name).text("\":[").number(values[0]).text(",").number(values[1]).text(",").number(values[2]).text("]");
}

// What only some kinds of work have.
void describe(Line* line, const Work& work, int64_t duration) {
  if (work.in_graph) line->text(",\"in_graph\":true");
  if (work.kind == Kind::kKernel) {
    line->member("module", work.module).member("tier", work.tier);
    addThree(line, "grid", work.grid);
    addThree(line, "group", work.group);
  } else if (work.kind == Kind::kCopy || work.kind == Kind::kFill) {
    // Bytes in a nanosecond are GB/s. Beyond 2^53 bytes the thousandths would not fit; no device has that.
    const auto bytes = static_cast<int64_t>(std::min<uint64_t>(work.bytes, uint64_t{1} << 53));
    line->member("bytes", work.bytes).time("GB/s", duration > 0 ? bytes * 1000 / duration : 0);
  }
}

// Texts that a thread's events have in common, made once: a launch in a loop formats its numbers alone. They hold in one
// session, since processes and threads get their names with the first event of each. Keys have literals and kept texts, so that
// addresses stand for words.
template <class Key, size_t kBytes>
class Kept {
 public:
  bool has(uint32_t now, const Key& key) const { return size_ != 0 && session_ == now && key_ == key; }
  void set(uint32_t now, const Key& key, const Line& line) {
    size_ = line.isValid() && line.size() <= kBytes ? line.size() : 0;
    if (size_ == 0) return;
    session_ = now;
    key_ = key;
    memcpy(text_, line.data(), size_);
  }
  std::string_view text() const { return {text_, size_}; }

 private:
  uint32_t session_ = 0;
  Key key_{};
  size_t size_ = 0;  // 0: nothing is kept
  char text_[kBytes];
};

// A launch as its spans have it, but for its number and times.
struct Shape {
  uint64_t track = 0;
  const char *name = "", *module = "", *tier = "";
  uint32_t grid[3] = {}, group[3] = {};
  uint16_t lane = 0;
  bool in_graph = false;
  bool operator==(const Shape&) const = default;
};

Shape shapeOf(const Track& track, const Work& work) {
  Shape shape{track.number, work.name, work.module, work.tier, {}, {}, work.lane, work.in_graph};
  std::copy_n(work.grid, 3, shape.grid);
  std::copy_n(work.group, 3, shape.group);
  return shape;
}

// All of a thread. It lies on the heap: the thread-local memory of a library that a running program loads is scarce.
struct Common {
  static constexpr size_t kCalls = 8;  // by the addresses of names: calls of a loop mostly differ in these
  Kept<const char*, 160> calls[kCalls];
  Kept<char, 64> place;
  Kept<Shape, 400> heads[2], tails[2];  // two kernels in turn have one each
  Kept<Shape, 64> arrows[2];
};
constinit thread_local Common* common = nullptr;
constinit thread_local bool common_is_over = false;
struct EndOfCommon {
  ~EndOfCommon() {
    delete common;
    common = nullptr;
    common_is_over = true;
  }
};
thread_local EndOfCommon end_of_common;

// Null: there is no memory, or the thread ends.
Common* commonOfThread() {
  if (common == nullptr && !common_is_over) {
    common = new (std::nothrow) Common;
    (void)&end_of_common;
  }
  return common;
}

// "7.12": an arrow.
Line& identity(Line& line, uint64_t track, uint64_t serial) {
  return line.text(",\"id\":\"").number(track).text(".").number(serial).text("\"");
}

}  // namespace

// Without O_NONBLOCK a pipe that nothing reads would keep the program waiting here.
Status start(const char* path, bool from_start) {
  Writer& out = writer();
  {
    std::lock_guard lock(out.mutex);
    if (out.file >= 0) return Status::error(RT_ERROR_BUSY, "A timeline is being written to %s: rtTraceStop ends it.", out.path);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file < 0) return Status::error(RT_ERROR_IO, "The trace %s cannot be written: %s.", path, strerror(errno));
    (void)fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
    free(std::exchange(out.path, strdup(path)));
    if (out.path == nullptr) {
      ::close(file);
      return Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
    out.file = file;
    out.ended_by = 0;
    out.first = true;
    out.named.clear();
    out.devices.clear();
  }
  session.fetch_add(1, std::memory_order_relaxed);
  nameOf("process_name", kThreads, 0, "threads");
  if (from_start) return Status();
  const Number thread = thisThread();
  Line line;
  line.text("{\"ph\":\"i\",\"s\":\"g\",\"name\":\"begins in the middle\",\"cat\":\"trace\"").place(kThreads, thread);
  emit(line.time("ts", nowNanoseconds()).text(",\"args\":{}}"));
  return Status();
}

Status finish() {
  Writer& out = writer();
  std::lock_guard lock(out.mutex);
  const int earlier = std::exchange(out.ended_by, 0);
  if (earlier != 0) return Status::error(RT_ERROR_IO, "The trace %s ended early: %s.", out.path, strerror(earlier));
  if (out.file < 0) return Status::error(RT_ERROR_INVALID_VALUE, "No timeline is being written.");
  int error = out.put("\n]\n", 3);
  if (error == 0) error = out.flush();
  out.close();
  return error == 0 ? Status() : Status::error(RT_ERROR_IO, "The trace %s is incomplete: %s.", out.path, strerror(error));
}

void beforeFork() {
  Writer& out = writer();
  out.mutex.lock();
  if (out.file >= 0) (void)out.flush();  // the child gets an empty buffer; a write that fails is told at the next one
}

void afterForkInParent() { writer().mutex.unlock(); }

void afterForkInChild() {
  Writer& out = writer();
  if (out.file >= 0) out.close();  // its own descriptor; the file is the parent's
  out.mutex.unlock();
}

void span(const char* category, const char* name, const char* detail, int64_t begin, int64_t end) {
  const Number thread = thisThread();
  Line line;
  line.text("{\"ph\":\"X\"").member("name", name).member("cat", category).place(kThreads, thread);
  line.time("ts", begin).time("dur", end - begin).text(",\"args\":{");
  if (detail[0] != '\0') line.text("\"of\":").quoted(detail);
  emit(line.text("}}"));
}

void call(const char* name, int64_t begin, int64_t end) {
  Common* const kept = commonOfThread();
  if (kept == nullptr) return span("call", name, "", begin, end);
  Kept<const char*, 160>& head = kept->calls[reinterpret_cast<uintptr_t>(name) / 16 % Common::kCalls];
  const uint32_t now = session.load(std::memory_order_relaxed);
  if (!head.has(now, name)) {
    const Number thread = thisThread();
    Line text;
    text.text("{\"ph\":\"X\"").member("name", name).member("cat", "call").place(kThreads, thread);
    head.set(now, name, text);
    if (!head.has(now, name)) return span("call", name, "", begin, end);
  }
  Line line;
  emit(line.text(head.text()).time("ts", begin).time("dur", end - begin).text(",\"args\":{}}"));
}

void mark(const char* category, const char* name, const char* detail) {
  const Number thread = thisThread();
  Line line;
  line.text("{\"ph\":\"i\",\"s\":\"t\"").member("name", name).member("cat", category).place(kThreads, thread);
  line.time("ts", nowNanoseconds()).text(",\"args\":{");
  if (detail[0] != '\0') line.text("\"of\":").quoted(detail);
  emit(line.text("}}"));
}

void submitted(uint64_t track, uint64_t serial, int64_t now) {
  Common* const kept = commonOfThread();
  Line line;
  line.text("{\"ph\":\"s\",\"name\":\"submit\",\"cat\":\"submit\"");
  identity(line, track, serial);
  const uint32_t in = session.load(std::memory_order_relaxed);
  if (kept != nullptr && !kept->place.has(in, '\0')) {
    Line text;
    kept->place.set(in, '\0', text.place(kThreads, thisThread()));
  }
  if (kept != nullptr && kept->place.has(in, '\0')) {
    line.text(kept->place.text());
  } else {
    line.place(kThreads, thisThread());
  }
  emit(line.time("ts", now).text("}"));
}

namespace {

// Kernels are what comes in great numbers. False: something does not fit.
bool launch(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end) {
  Common* const kept = commonOfThread();
  if (kept == nullptr) return false;
  const size_t which = reinterpret_cast<uintptr_t>(work.name) / 16 % 2;
  Kept<Shape, 400>&head = kept->heads[which], &tail = kept->tails[which];
  Kept<Shape, 64>& arrow = kept->arrows[which];
  const Shape shape = shapeOf(track, work);
  const uint32_t now = session.load(std::memory_order_relaxed);
  if (!arrow.has(now, shape)) {
    const Number tid = track.number + work.lane * kLane;
    const int pid = processOf(track, tid, work.lane);
    Line first, second, third;
    first.text("{\"ph\":\"X\"").member("name", work.name).member("cat", wordOf(work.kind)).place(pid, tid);
    head.set(now, shape, first);
    second.member("device", track.device).member("stream", track.label);
    describe(&second, work, 0);
    tail.set(now, shape, second.text("}}"));
    arrow.set(now, shape, third.place(pid, tid));
    if (!head.has(now, shape) || !tail.has(now, shape) || !arrow.has(now, shape)) return false;
  }
  Line line;
  line.text(head.text())
      .time("ts", begin)
      .time("dur", end - begin)
      .text(",\"args\":{\"serial\":")
      .number(serial)
      .text(tail.text());
  if (!work.in_graph) {  // as below
    line.text(",\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"submit\",\"cat\":\"submit\"");
    identity(line, track.number, serial).text(arrow.text()).time("ts", begin).text("}");
  }
  emit(line);
  return true;
}

}  // namespace

void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end) {
  if (work.kind == Kind::kKernel && launch(track, serial, work, begin, end)) return;
  const Number tid = track.number + work.lane * kLane;
  const int pid = processOf(track, tid, work.lane);
  Line line;
  line.text("{\"ph\":\"X\"").member("name", trace::nameOf(work)).member("cat", wordOf(work.kind)).place(pid, tid);
  line.time("ts", begin).time("dur", end - begin).text(",\"args\":{\"serial\":").number(serial);
  line.member("device", track.device).member("stream", track.label);
  describe(&line, work, end - begin);
  line.text("}}");
  if (!work.in_graph) {  // the arrow leads to the whole graph
    line.text(",\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"submit\",\"cat\":\"submit\"");
    identity(line, track.number, serial).place(pid, tid).time("ts", begin).text("}");
  }
  emit(line);
}

void clock(const char* device, int64_t error) {
  const int pid = process(device);
  Line line;
  line.text("{\"ph\":\"i\",\"s\":\"p\",\"name\":\"clock\",\"cat\":\"clock\"").place(pid, 0);
  line.time("ts", nowNanoseconds()).text(",\"args\":{\"device\":").quoted(device).time("error_us", error).text("}}");
  emit(line);
}

void lost(uint64_t count) {
  const Number thread = thisThread();
  Line line;
  line.text("{\"ph\":\"i\",\"s\":\"g\",\"name\":\"lost\",\"cat\":\"lost\"").place(kThreads, thread);
  emit(line.time("ts", nowNanoseconds()).text(",\"args\":{\"spans\":").number(count).text("}}"));
}

void liveBytes(uint64_t bytes) {
  Line line;
  line.text("{\"ph\":\"C\",\"name\":\"live bytes\"").member("pid", kThreads).time("ts", nowNanoseconds());
  emit(line.text(",\"args\":{\"bytes\":").number(bytes).text("}}"));
}

void memory(Memory what, uint64_t pool, uint64_t address, uint64_t bytes, uint64_t track, const char* device,
            const char* kind) {
  static constexpr const char* kNames[] = {"allocate", "free", "reserve", "release"};
  const Number thread = thisThread();
  Line line;
  line.text("{\"ph\":\"i\",\"s\":\"t\"").member("name", kNames[static_cast<int>(what)]).member("cat", "memory");
  line.place(kThreads, thread).time("ts", nowNanoseconds()).text(",\"args\":{\"pool\":").number(pool);
  line.member("address", address).member("bytes", bytes).member("stream", track);
  if (what == Memory::kReserve) line.member("device", device).member("kind", kind);
  emit(line.text("}}"));
}

// Of a category of its own, since `manyrt memory` knows all events of "memory".
void label(uint64_t address, const char* label) {
  const Number thread = thisThread();
  Line line;
  line.text("{\"ph\":\"i\",\"s\":\"t\",\"name\":\"label\",\"cat\":\"label\"")
      .place(kThreads, thread)
      .time("ts", nowNanoseconds());
  emit(line.text(",\"args\":{\"address\":").number(address).member("label", label).text("}}"));
}

}  // namespace manyrt::trace::timeline
