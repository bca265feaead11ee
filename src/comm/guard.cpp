// The last sentence of each thread, the mark that fork leaves, and texts as results.
#include "comm/guard.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "base/text.h"

namespace manyrt::comm {
namespace {

// Relaxed: the child has one thread when it is set.
std::atomic<bool> in_child{false};
const int registered = pthread_atfork(nullptr, nullptr, [] { in_child.store(true, std::memory_order_relaxed); });

thread_local char last_message[2048];

}  // namespace

bool forked() { return in_child.load(std::memory_order_relaxed) || registered != 0; }

rtStatus_t fail(const char* function, const Status& status) {
  const char* text = *status.message() != '\0' ? status.message() : rtGetErrorString(status.code());
  char message[sizeof last_message];
  snprintf(message, sizeof message, "%s: %s", function, text);
  copyLetters(last_message, sizeof last_message, message);
  return status.code();
}

const char* lastErrorMessage() { return last_message; }

Status copyText(char* buffer, size_t size, size_t* needed, const char* text) {
  RT_CHECK_ARG(buffer != nullptr || size == 0, "The output \"buffer\" is NULL, and size is %zu.", size);
  if (needed != nullptr) *needed = strlen(text) + 1;
  if (size != 0) copyLetters(buffer, size, text);
  return Status();
}

}  // namespace manyrt::comm
