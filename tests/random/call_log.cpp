// Keeps a log for each thread that calls the library and prints them all when something is wrong.
#include "random/call_log.h"

#include <signal.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <vector>

#include "random/settings.h"

namespace rtrandom {
namespace {

std::mutex logs_mutex;
std::vector<std::unique_ptr<CallLog>>& logs() {
  static auto* all = new std::vector<std::unique_ptr<CallLog>>();  // threads of the library log until the process is gone
  return *all;
}
std::atomic<uint64_t> call_count{0};
thread_local CallLog* log_of_thread = nullptr;

}  // namespace

int64_t nowNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

void CallLog::begin(const char* text) {
  Entry& entry = entries_[count_.load(std::memory_order_relaxed) % kKept];
  entry.step = step_.load(std::memory_order_relaxed);
  entry.step_name = step_name_;
  snprintf(entry.text, sizeof entry.text, "%s", text);
  entry.status.store(kRunning, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_release);
  moved_.store(nowNanoseconds(), std::memory_order_relaxed);
}

void CallLog::end(rtStatus_t status) {
  entries_[(count_.load(std::memory_order_relaxed) - 1) % kKept].status.store(status, std::memory_order_relaxed);
  moved_.store(nowNanoseconds(), std::memory_order_relaxed);
  call_count.fetch_add(1, std::memory_order_relaxed);
}

void CallLog::setStep(uint64_t step, const char* name) {
  step_.store(step, std::memory_order_relaxed);
  step_name_ = name;
  moved_.store(nowNanoseconds(), std::memory_order_relaxed);
}

void CallLog::setActive(bool active) {
  moved_.store(nowNanoseconds());
  active_.store(active);
}

uint64_t CallLog::callCount() { return call_count.load(std::memory_order_relaxed); }

void CallLog::print() const {
  const uint64_t count = count_.load(std::memory_order_acquire);
  if (count == 0) return;
  fprintf(stderr, "\n%s, at step %llu, %s:\n", name_.c_str(), static_cast<unsigned long long>(step_.load()),
          active_.load() ? "at work" : "at rest");
  for (uint64_t index = count > kKept ? count - kKept : 0; index < count; ++index) {
    const Entry& entry = entries_[index % kKept];
    const int32_t status = entry.status.load();
    fprintf(stderr, "  %8llu %-20s %s = %s\n", static_cast<unsigned long long>(entry.step), entry.step_name, entry.text,
            status == kRunning ? "(has not returned)" : rtGetErrorName(status));
  }
}

void nameThread(const std::string& name) {
  const std::lock_guard<std::mutex> lock(logs_mutex);
  logs().push_back(std::make_unique<CallLog>(name));
  log_of_thread = logs().back().get();
  // A handler needs a stack of its own where the thread's is full; it is kept for as long as the log. Sanitizers give each
  // thread one, which they take back themselves.
  stack_t alternate = {};
  if (sigaltstack(nullptr, &alternate) == 0 && (alternate.ss_flags & SS_DISABLE) != 0) {
    alternate = {};
    alternate.ss_size = size_t{64} << 10;
    alternate.ss_sp = std::malloc(alternate.ss_size);
    if (alternate.ss_sp != nullptr) sigaltstack(&alternate, nullptr);
  }
  sigset_t crashes;  // threads of the library block all signals
  sigemptyset(&crashes);
  sigaddset(&crashes, SIGSEGV);
  pthread_sigmask(SIG_UNBLOCK, &crashes, nullptr);
}

CallLog& logOfThread() {
  if (log_of_thread == nullptr) nameThread("thread " + std::to_string(gettid()) + " of the library");
  return *log_of_thread;
}

void printLogs() {
  const std::lock_guard<std::mutex> lock(logs_mutex);
  for (const auto& log : logs()) log->print();
}

const CallLog* findStuck(int64_t nanoseconds) {
  const int64_t now = nowNanoseconds();
  const std::lock_guard<std::mutex> lock(logs_mutex);
  for (const auto& log : logs()) {
    const int64_t since = log->stuckSince();
    if (since != 0 && now - since > nanoseconds) return log.get();
  }
  return nullptr;
}

std::string lastMessage() {
  char text[512] = "";
  (void)rtGetLastErrorMessage(text, sizeof text, nullptr);
  return text;
}

void fail(const char* format, ...) {
  static std::atomic<bool> failed{false};
  while (failed.exchange(true)) pause();  // the first failure tells of all threads
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\nFAILED: %s\n", text);
  printLogs();
  fprintf(stderr, "\nFAILED in %s, step %llu: %s\nrepeat: %s\n", logOfThread().name().c_str(),
          static_cast<unsigned long long>(logOfThread().step()), text, settings().repeat().c_str());
  fflush(stderr);
  abort();
}

namespace detail {

void checkStatus(const char* name, rtStatus_t status) {
  switch (status) {
    case RT_ERROR_INTERNAL:
    case RT_ERROR_DRIVER:
    case RT_ERROR_DEVICE_LOST:
    case RT_ERROR_FORKED:
    case RT_ERROR_SHUT_DOWN:
    case RT_ERROR_IO:
    case RT_ERROR_BACKEND_UNAVAILABLE:
      fail("%s returned %s: %s", name, rtGetErrorName(status), lastMessage().c_str());
    default:
      return;
  }
}

void checkExpected(const char* name, rtStatus_t status, rtStatus_t expected) {
  if (status == expected) return;
  fail("%s returned %s, not %s: %s", name, rtGetErrorName(status), rtGetErrorName(expected),
       status < 0 ? lastMessage().c_str() : "");
}

}  // namespace detail
}  // namespace rtrandom
