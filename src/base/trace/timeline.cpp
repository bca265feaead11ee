// Writing the timeline. Events are formatted by the thread that has them, and written under one lock through a buffer. Chrome's
// JSON array format allows a missing end, so that a killed process leaves a usable file. Tracks are named with their first
// event, since a stream may be older than the trace.
#include "base/trace/timeline.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_set>
#include <vector>

#include "base/config.h"
#include "base/lock_order.h"
#include "base/log.h"
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
  char* path = nullptr;
  bool first = true;
  size_t used = 0;
  std::unordered_set<uint64_t> named;  // tracks
  std::vector<const char*> devices;    // in the order of their numbers
  char buffer[4096];

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
Writer& writer() {
  static Writer* instance = new Writer;  // never destroyed: threads may trace until the process ends
  return *instance;
}

// Changes with each trace, so that threads name themselves in each. Relaxed: a stale number costs a second name.
std::atomic<uint32_t> session{0};

// A string as JSON wants it; control characters become spaces.
template <size_t kSize>
struct Escaped {
  explicit Escaped(const char* from) {
    size_t at = 0;
    for (; *from != '\0' && at + 3 < kSize; ++from) {
      if (*from == '"' || *from == '\\') text[at++] = '\\';
      text[at++] = static_cast<unsigned char>(*from) < 0x20 ? ' ' : *from;
    }
    text[wholeLetters(text, at)] = '\0';
  }
  char text[kSize];
};

// A number with three decimals, whatever a program's locale has for a decimal point: nanoseconds as microseconds.
struct Thousandths {
  explicit Thousandths(int64_t value) {
    const bool negative = value < 0;
    const Number size = static_cast<Number>(negative ? -value : value);
    snprintf(text, sizeof text, "%s%llu.%03llu", negative ? "-" : "", size / 1000, size % 1000);
  }
  char text[32];
};

void emit(const char* format, ...) __attribute__((format(printf, 1, 2)));
void emit(const char* format, ...) {
  char text[1536];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (length < 0 || static_cast<size_t>(length) >= sizeof text) return;
  Writer& out = writer();
  std::lock_guard lock(out.mutex);
  if (out.file < 0) return;
  int error = out.put(out.first ? "[\n" : ",\n", 2);
  if (error == 0) error = out.put(text, static_cast<size_t>(length));
  out.first = false;
  if (error != 0) {
    log::write(RT_LOG_WARNING, "The trace %s ends here: %s.", out.path, strerror(error));
    internal::on.fetch_and(~uint32_t{internal::kTimeline}, std::memory_order_relaxed);
    out.close();
  }
}

// The calling thread, which has a name in the file by then.
long thisThread() {
  thread_local uint32_t named_in = 0;
  thread_local const long number = syscall(SYS_gettid);
  const uint32_t now = session.load(std::memory_order_relaxed);
  if (named_in != now) {
    named_in = now;
    char name[32] = "";
    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    emit("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%ld,\"args\":{\"name\":\"%s\"}}", kThreads, number,
         Escaped<64>(name).text);
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
  if (fresh) {
    emit("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"streams of %s\"}}", number,
         Escaped<64>(device).text);
  }
  return number;
}

void nameTrack(int pid, Number tid, const Track& track, unsigned lane) {
  char suffix[32] = "";
  if (lane != 0) snprintf(suffix, sizeof suffix, ", side by side %u", lane);
  emit("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%llu,\"args\":{\"name\":\"%s%s\"}}", pid, tid,
       Escaped<128>(track.label).text, suffix);
}

// What only some kinds of work have, as members behind others.
void describe(char* out, size_t size, const Work& work, int64_t duration) {
  out[0] = '\0';
  if (work.kind == Kind::kKernel) {
    const uint32_t *grid = work.grid, *group = work.group;
    snprintf(out, size, ",\"module\":\"%s\",\"tier\":\"%s\",\"grid\":[%u,%u,%u],\"group\":[%u,%u,%u]",
             Escaped<160>(work.module).text, work.tier, grid[0], grid[1], grid[2], group[0], group[1], group[2]);
  } else if (work.kind == Kind::kCopy || work.kind == Kind::kFill) {
    // Bytes in a nanosecond are GB/s. Beyond 2^53 bytes the thousandths would not fit; no device has that.
    const auto bytes = static_cast<int64_t>(std::min<uint64_t>(work.bytes, uint64_t{1} << 53));
    snprintf(out, size, ",\"bytes\":%llu,\"GB/s\":%s", static_cast<Number>(work.bytes),
             Thousandths(duration > 0 ? bytes * 1000 / duration : 0).text);
  }
}

}  // namespace

bool start() {
  const char* path = config::get(config::Variable::kTrace);
  if (path == nullptr) return false;
  {
    Writer& out = writer();
    std::lock_guard lock(out.mutex);
    out.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out.file < 0) {
      log::write(RT_LOG_WARNING, "The trace %s cannot be written: %s.", path, strerror(errno));
      return false;
    }
    free(out.path);
    out.path = strdup(path);
    out.first = true;
    out.named.clear();
    out.devices.clear();
  }
  session.fetch_add(1, std::memory_order_relaxed);
  emit("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"threads\"}}", kThreads);
  return true;
}

void finish() {
  Writer& out = writer();
  std::lock_guard lock(out.mutex);
  if (out.file < 0) return;
  int error = out.put("\n]\n", 3);
  if (error == 0) error = out.flush();
  if (error != 0) log::write(RT_LOG_WARNING, "The trace %s is incomplete: %s.", out.path, strerror(error));
  out.close();
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
  const long thread = thisThread();
  emit("{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%ld,\"ts\":%s,\"dur\":%s,\"args\":{%s%s%s}}",
       Escaped<320>(name).text, category, kThreads, thread, Thousandths(begin).text, Thousandths(end - begin).text,
       detail[0] != '\0' ? "\"of\":\"" : "", Escaped<320>(detail).text, detail[0] != '\0' ? "\"" : "");
}

void mark(const char* category, const char* name, const char* detail) {
  const long thread = thisThread();
  emit("{\"ph\":\"i\",\"s\":\"t\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%ld,\"ts\":%s,\"args\":{\"of\":\"%s\"}}",
       Escaped<320>(name).text, category, kThreads, thread, Thousandths(nowNanoseconds()).text, Escaped<320>(detail).text);
}

void submitted(uint64_t track, uint64_t serial, int64_t now) {
  const long thread = thisThread();
  emit("{\"ph\":\"s\",\"name\":\"submit\",\"cat\":\"submit\",\"id\":\"%llu.%llu\",\"pid\":%d,\"tid\":%ld,\"ts\":%s}",
       static_cast<Number>(track), static_cast<Number>(serial), kThreads, thread, Thousandths(now).text);
}

void work(const Track& track, uint64_t serial, const Work& work, int64_t begin, int64_t end) {
  const int pid = process(track.device);
  const Number tid = track.number + work.lane * kLane;
  if (isUnnamed(tid)) nameTrack(pid, tid, track, work.lane);
  char more[384];
  describe(more, sizeof more, work, end - begin);
  emit(
      "{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%llu,\"ts\":%s,\"dur\":%s,\"args\":{\"serial\":%llu,"
      "\"device\":\"%s\",\"stream\":\"%s\"%s%s}}",
      Escaped<320>(nameOf(work)).text, wordOf(work.kind), pid, tid, Thousandths(begin).text, Thousandths(end - begin).text,
      static_cast<Number>(serial), Escaped<64>(track.device).text, Escaped<128>(track.label).text,
      work.in_graph ? ",\"in_graph\":true" : "", more);
  if (work.in_graph) return;  // the arrow leads to the whole graph
  emit(
      "{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"submit\",\"cat\":\"submit\",\"id\":\"%llu.%llu\",\"pid\":%d,\"tid\":%llu,"
      "\"ts\":%s}",
      static_cast<Number>(track.number), static_cast<Number>(serial), pid, tid, Thousandths(begin).text);
}

void clock(const char* device, int64_t error) {
  const int pid = process(device);
  emit(
      "{\"ph\":\"i\",\"s\":\"p\",\"name\":\"clock\",\"cat\":\"clock\",\"pid\":%d,\"tid\":0,\"ts\":%s,\"args\":{\"device\":\"%"
      "s\","
      "\"error_us\":%s}}",
      pid, Thousandths(nowNanoseconds()).text, Escaped<64>(device).text, Thousandths(error).text);
}

void lost(uint64_t count) {
  const long thread = thisThread();
  emit(
      "{\"ph\":\"i\",\"s\":\"g\",\"name\":\"lost\",\"cat\":\"lost\",\"pid\":%d,\"tid\":%ld,\"ts\":%s,\"args\":{\"spans\":%llu}"
      "}",
      kThreads, thread, Thousandths(nowNanoseconds()).text, static_cast<Number>(count));
}

void liveBytes(uint64_t bytes) {
  emit("{\"ph\":\"C\",\"name\":\"live bytes\",\"pid\":%d,\"ts\":%s,\"args\":{\"bytes\":%llu}}", kThreads,
       Thousandths(nowNanoseconds()).text, static_cast<Number>(bytes));
}

void memory(Memory what, uint64_t pool, uint64_t address, uint64_t bytes, uint64_t track, const char* device,
            const char* kind) {
  static constexpr const char* kNames[] = {"allocate", "free", "reserve", "release"};
  const long thread = thisThread();
  char origin[128] = "";
  if (what == Memory::kReserve) snprintf(origin, sizeof origin, ",\"device\":\"%s\",\"kind\":\"%s\"", device, kind);
  emit(
      "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"%s\",\"cat\":\"memory\",\"pid\":%d,\"tid\":%ld,\"ts\":%s,\"args\":{\"pool\":%llu,"
      "\"address\":%llu,\"bytes\":%llu,\"stream\":%llu%s}}",
      kNames[static_cast<int>(what)], kThreads, thread, Thousandths(nowNanoseconds()).text, static_cast<Number>(pool),
      static_cast<Number>(address), static_cast<Number>(bytes), static_cast<Number>(track), origin);
}

}  // namespace manyrt::trace::timeline
