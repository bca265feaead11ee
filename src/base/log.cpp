// The log: one callback at a time, called under a lock of its own that nothing else is taken under.
#include "base/log.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <mutex>

#include "base/config.h"

namespace manyrt::log {
namespace {

constexpr int32_t kUnread = -1;  // RT_LOG not looked at yet
std::atomic<int32_t> level_wanted{kUnread};

struct Sink {
  std::recursive_mutex mutex;
  rtLogCallback_t callback = nullptr;
  void* user = nullptr;
};
Sink& sink() {
  static Sink* instance = new Sink;  // never destroyed: threads may log until the process ends
  return *instance;
}

int32_t levelNow() {
  int32_t level = level_wanted.load(std::memory_order_relaxed);
  if (level != kUnread) return level;
  level = config::logLevel();
  int32_t expected = kUnread;
  level_wanted.compare_exchange_strong(expected, level, std::memory_order_relaxed);
  return level_wanted.load(std::memory_order_relaxed);
}

}  // namespace

bool wanted(int32_t level) { return level <= levelNow(); }

void write(int32_t level, const char* format, ...) {
  if (!wanted(level)) return;
  char text[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  Sink& out = sink();
  std::lock_guard lock(out.mutex);
  if (out.callback != nullptr) {
    out.callback(level, text, out.user);
  } else {
    static constexpr const char* kNames[] = {"", "error", "warning", "info", "debug"};
    fprintf(stderr, "manyrt: %s: %s\n", kNames[level], text);
  }
}

void setCallback(rtLogCallback_t callback, void* user, int32_t level) {
  Sink& out = sink();
  std::lock_guard lock(out.mutex);
  out.callback = callback;
  out.user = user;
  level_wanted.store(level, std::memory_order_relaxed);
}

}  // namespace manyrt::log
