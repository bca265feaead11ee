// The log. A line may be written inside a guard or under a lock. So a line for the program's callback waits until its thread is
// at rest (base/callbacks.h). Callbacks may run on several threads at once. Changing the callback waits for the calls of the
// earlier one.
#include "base/log.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>

#include "base/callbacks.h"
#include "base/config.h"
#include "base/lock_order.h"

namespace manyrt::log {
namespace {

constexpr int32_t kUnread = -1;  // RT_LOG not looked at yet
std::atomic<int32_t> level_wanted{kUnread};

struct Sink {
  Ranked<std::mutex, LockRank::kLog> mutex;
  ConditionVariable left;
  rtLogCallback_t callback = nullptr;
  void* user = nullptr;
  uint64_t turn = 0;        // counts setCallback; a call of the callback belongs to the turn in which it began
  uint64_t inside[2] = {};  // running calls, by the parity of their turn
};
// Never destroyed: threads may log until the process ends. Not on the heap: the first line may be that memory is missing.
Sink& sink() {
  alignas(Sink) static unsigned char memory[sizeof(Sink)];
  static Sink* instance = new (memory) Sink;
  return *instance;
}

// Relaxed throughout: the level is a number by itself, and threads that read the configuration at once read the same.
int32_t levelNow() {
  int32_t level = level_wanted.load(std::memory_order_relaxed);
  if (level != kUnread) return level;
  level = config::logLevel();
  int32_t expected = kUnread;
  level_wanted.compare_exchange_strong(expected, level, std::memory_order_relaxed);
  return level_wanted.load(std::memory_order_relaxed);
}

constexpr size_t kMaxLine = 1024;
thread_local bool delivering = false;  // the callback runs on this thread

void print(int32_t level, const char* text) {
  static constexpr const char* kNames[] = {"", "error", "warning", "info", "debug"};
  fprintf(stderr, "manyrt: %s: %s\n", kNames[level], text);
}

void deliver(int32_t level, const char* text) {
  Sink& out = sink();
  std::unique_lock lock(out.mutex);
  const rtLogCallback_t callback = out.callback;
  if (callback == nullptr) {
    lock.unlock();
    return print(level, text);
  }
  void* const user = out.user;
  const uint64_t parity = out.turn & 1;
  ++out.inside[parity];
  lock.unlock();  // a callback may wait for a thread that logs
  {
    callbacks::Running running("log callback");
    delivering = true;
    try {
      callback(level, text, user);
    } catch (...) {  // no call is left that could report it
    }
    delivering = false;
  }
  lock.lock();
  if (--out.inside[parity] == 0) out.left.notify_all();
}

class Line final : public host_threads::Job {
 public:
  Line(int32_t level, const char* text) : level_(level) { memcpy(text_, text, strlen(text) + 1); }
  void run() override {
    deliver(level_, text_);
    delete this;
  }

 private:
  const int32_t level_;
  char text_[kMaxLine];
};

}  // namespace

bool wanted(int32_t level) { return level <= levelNow(); }

void write(int32_t level, const char* format, ...) {
  if (!wanted(level)) return;
  char text[kMaxLine];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  bool program;
  {
    Sink& out = sink();
    std::lock_guard lock(out.mutex);
    program = out.callback != nullptr;
  }
  // The lines of the callback's own rt calls would come back to it for ever. Without memory the line is not lost.
  Line* line = program && !delivering ? new (std::nothrow) Line(level, text) : nullptr;
  if (line == nullptr) return print(level, text);
  callbacks::later(line);
}

Status setCallback(rtLogCallback_t callback, void* user, int32_t level) {
  if (delivering) {
    return Status::error(RT_ERROR_BUSY, "A log callback cannot be changed by itself: the change waits for its end.");
  }
  Sink& out = sink();
  std::unique_lock lock(out.mutex);
  // Another thread may be changing it too: the parity that comes next must be empty before it is used again.
  lock_order::mayWait("a wait for log callbacks");
  out.left.wait(lock, [&] { return out.inside[(out.turn + 1) & 1] == 0; });
  const uint64_t before = out.turn & 1;
  ++out.turn;
  out.callback = callback;
  out.user = user;
  // Relaxed, as in levelNow().
  level_wanted.store(level, std::memory_order_relaxed);
  out.left.wait(lock, [&] { return out.inside[before] == 0; });
  return Status();
}

}  // namespace manyrt::log
