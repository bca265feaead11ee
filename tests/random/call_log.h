// The calls that each thread has made last, what they returned, and the end of the program when one was wrong. Threads of the
// library that run host functions have logs as the driver's own threads do. The watchdog reads when a thread last moved on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <type_traits>

#include "rt.h"

namespace rtrandom {

class CallLog {
 public:
  static constexpr size_t kKept = 50;

  explicit CallLog(std::string name) : name_(std::move(name)) {}

  // Each entry is written before its call, so that a call that never returns is the last one shown.
  void begin(const char* text);
  void end(rtStatus_t status);
  void setStep(uint64_t step, const char* name);
  void setActive(bool active);
  void print() const;

  int64_t stuckSince() const { return active_.load() ? moved_.load() : 0; }
  const std::string& name() const { return name_; }
  uint64_t step() const { return step_.load(); }
  static uint64_t callCount();

 private:
  struct Entry {
    uint64_t step = 0;
    const char* step_name = "";
    char text[160] = "";
    std::atomic<int32_t> status{kRunning};
  };
  static constexpr int32_t kRunning = 1000;

  std::string name_;
  Entry entries_[kKept];
  std::atomic<uint64_t> count_{0};
  std::atomic<uint64_t> step_{0};
  const char* step_name_ = "";
  std::atomic<int64_t> moved_{0};
  std::atomic<bool> active_{false};
};

// The log of the calling thread, made at its first use and kept until the program ends.
CallLog& logOfThread();
// Names the log of the calling thread before its first use.
void nameThread(const std::string& name);
int64_t nowNanoseconds();

// Prints what was wrong, the seed and all logs, and aborts. tests/support/crash_trace.cpp adds the stacks of all threads.
[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
void printLogs();
// A thread with a call or step that has gone on for longer than `nanoseconds`, else nullptr.
const CallLog* findStuck(int64_t nanoseconds);

std::string lastMessage();

namespace detail {

template <typename Value>
int print(char* text, size_t size, const Value& value) {
  if constexpr (std::is_null_pointer_v<Value>) {
    return snprintf(text, size, "NULL");
  } else if constexpr (std::is_pointer_v<Value>) {
    return snprintf(text, size, "%p", reinterpret_cast<const void*>(value));
  } else if constexpr (std::is_unsigned_v<Value>) {
    return snprintf(text, size, "%llu", static_cast<unsigned long long>(value));
  } else {
    return snprintf(text, size, "%lld", static_cast<long long>(value));
  }
}

void checkStatus(const char* name, rtStatus_t status);
void checkExpected(const char* name, rtStatus_t status, rtStatus_t expected);

}  // namespace detail

// Logs, calls, and refuses the statuses that are no answer to anything this driver does: INTERNAL, DRIVER, DEVICE_LOST...
template <typename... Parameters, typename... Arguments>
rtStatus_t call(const char* name, rtStatus_t (*function)(Parameters...), Arguments... arguments) {
  char text[160];
  size_t length = static_cast<size_t>(snprintf(text, sizeof text, "%s(", name));
  const char* separator = "";
  [[maybe_unused]] const auto append = [&](auto value) {
    length += static_cast<size_t>(snprintf(text + length, sizeof text - length, "%s", separator));
    if (length < sizeof text) length += static_cast<size_t>(detail::print(text + length, sizeof text - length, value));
    length = std::min(length, sizeof text - 2);
    separator = ", ";
  };
  (append(arguments), ...);
  snprintf(text + length, sizeof text - length, ")");
  CallLog& log = logOfThread();
  log.begin(text);
  const rtStatus_t status = function(arguments...);
  log.end(status);
  detail::checkStatus(name, status);
  return status;
}

template <typename... Parameters, typename... Arguments>
void expect(rtStatus_t expected, const char* name, rtStatus_t (*function)(Parameters...), Arguments... arguments) {
  detail::checkExpected(name, call(name, function, arguments...), expected);
}

}  // namespace rtrandom

// CALL returns the status; OK and EXPECT end the program on another one than the expected.
#define CALL(function, ...) ::rtrandom::call(#function, function __VA_OPT__(, ) __VA_ARGS__)
#define OK(function, ...) ::rtrandom::expect(RT_SUCCESS, #function, function __VA_OPT__(, ) __VA_ARGS__)
#define EXPECT(status, function, ...) ::rtrandom::expect(status, #function, function __VA_OPT__(, ) __VA_ARGS__)
