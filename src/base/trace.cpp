// The writer behind RT_TRACE. Events are formatted by the thread that has them, and written under one lock through a buffer.
// Chrome's JSON array format allows a missing end, so a killed process leaves a usable file.
#include "base/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "base/clock.h"
#include "base/config.h"
#include "base/lock_order.h"
#include "base/log.h"
#include "base/os/file_size_signal.h"
#include "base/text.h"

namespace manyrt::trace {

namespace internal {
std::atomic<bool> on{false};
}

namespace {

constexpr int kThreads = 1;  // the two process groups of the picture
constexpr int kStreams = 2;

// Not stdio, which writes its buffer at any time: around each write a FileSizeSignal has to stand.
struct Writer {
  Ranked<std::mutex, LockRank::kTrace> mutex;
  int file = -1;
  char* path = nullptr;
  bool first = true;
  size_t used = 0;
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
std::atomic<uint64_t> next_track{1};

// A string as JSON wants it; control characters become spaces.
void escape(char* out, size_t size, const char* text) {
  size_t at = 0;
  for (; *text != '\0' && at + 3 < size; ++text) {
    if (*text == '"' || *text == '\\') out[at++] = '\\';
    out[at++] = static_cast<unsigned char>(*text) < 0x20 ? ' ' : *text;
  }
  out[wholeLetters(out, at)] = '\0';
}

void emit(const char* format, ...) __attribute__((format(printf, 1, 2)));
void emit(const char* format, ...) {
  char text[768];
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
    internal::on.store(false, std::memory_order_relaxed);
    out.close();
  }
}

// Microseconds with three decimals, whatever a program's locale has for a decimal point.
struct Time {
  explicit Time(int64_t nanoseconds) {
    const bool negative = nanoseconds < 0;
    const unsigned long long value = static_cast<unsigned long long>(negative ? -nanoseconds : nanoseconds);
    snprintf(text, sizeof text, "%s%llu.%03llu", negative ? "-" : "", value / 1000, value % 1000);
  }
  char text[32];
};

}  // namespace

void start() {
  const char* path = config::get(config::Variable::kTrace);
  if (path == nullptr || enabled()) return;
  {
    Writer& out = writer();
    std::lock_guard lock(out.mutex);
    out.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out.file < 0) {
      log::write(RT_LOG_WARNING, "The trace %s cannot be written: %s.", path, strerror(errno));
      return;
    }
    free(out.path);
    out.path = strdup(path);
    out.first = true;
  }
  internal::on.store(true, std::memory_order_relaxed);
  emit("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"threads\"}}", kThreads);
  emit("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"streams\"}}", kStreams);
}

void finish() {
  internal::on.store(false, std::memory_order_relaxed);
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
  internal::on.store(false, std::memory_order_relaxed);
  Writer& out = writer();
  if (out.file >= 0) out.close();  // its own descriptor; the file is the parent's
  out.mutex.unlock();
}

uint64_t newTrack(const char* label) {
  // Relaxed: tracks only have to differ.
  uint64_t track = next_track.fetch_add(1, std::memory_order_relaxed);
  if (enabled()) {
    char name[96];
    escape(name, sizeof name, label);
    emit("{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%llu,\"args\":{\"name\":\"%s\"}}", kStreams,
         static_cast<unsigned long long>(track), name);
  }
  return track;
}

void call(const char* name, int64_t begin, int64_t end) {
  emit("{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%ld,\"ts\":%s,\"dur\":%s}", name, kThreads, syscall(SYS_gettid),
       Time(begin).text, Time(end - begin).text);
}

void submitted(uint64_t track, uint64_t serial, int64_t now) {
  emit("{\"ph\":\"s\",\"name\":\"submit\",\"cat\":\"submit\",\"id\":\"%llu.%llu\",\"pid\":%d,\"tid\":%ld,\"ts\":%s}",
       static_cast<unsigned long long>(track), static_cast<unsigned long long>(serial), kThreads, syscall(SYS_gettid),
       Time(now).text);
}

void work(uint64_t track, uint64_t serial, const char* name, int64_t begin, int64_t end) {
  char text[320];
  escape(text, sizeof text, name);
  emit("{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%llu,\"ts\":%s,\"dur\":%s,\"args\":{\"serial\":%llu}}", text, kStreams,
       static_cast<unsigned long long>(track), Time(begin).text, Time(end - begin).text,
       static_cast<unsigned long long>(serial));
  emit(
      "{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"submit\",\"cat\":\"submit\",\"id\":\"%llu.%llu\",\"pid\":%d,\"tid\":%llu,"
      "\"ts\":%s}",
      static_cast<unsigned long long>(track), static_cast<unsigned long long>(serial), kStreams,
      static_cast<unsigned long long>(track), Time(begin).text);
}

void liveBytes(uint64_t bytes) {
  emit("{\"ph\":\"C\",\"name\":\"live bytes\",\"pid\":%d,\"ts\":%s,\"args\":{\"bytes\":%llu}}", kThreads,
       Time(nowNanoseconds()).text, static_cast<unsigned long long>(bytes));
}

void memory(Memory what, uint64_t pool, uint64_t address, uint64_t bytes, uint64_t track, const char* device,
            const char* kind) {
  static constexpr const char* kNames[] = {"allocate", "free", "reserve", "release"};
  char origin[128] = "";
  if (what == Memory::kReserve) snprintf(origin, sizeof origin, ",\"device\":\"%s\",\"kind\":\"%s\"", device, kind);
  emit(
      "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"%s\",\"cat\":\"memory\",\"pid\":%d,\"tid\":%ld,\"ts\":%s,\"args\":{\"pool\":%llu,"
      "\"address\":%llu,\"bytes\":%llu,\"stream\":%llu%s}}",
      kNames[static_cast<int>(what)], kThreads, syscall(SYS_gettid), Time(nowNanoseconds()).text,
      static_cast<unsigned long long>(pool), static_cast<unsigned long long>(address), static_cast<unsigned long long>(bytes),
      static_cast<unsigned long long>(track), origin);
}

}  // namespace manyrt::trace
