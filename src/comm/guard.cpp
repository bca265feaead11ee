// The last sentence of each thread, the mark that fork leaves, and texts as results.
#include "comm/guard.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "base/text.h"

namespace manyrt::comm {
namespace {

enum State : int { kNew, kStarted, kForked };
std::atomic<int> state{kNew};
static_assert(std::atomic<int>::is_always_lock_free);

// Registered when the library is loaded, and taken back by the C library when it is unloaded. Relaxed: the child has one
// thread.
const int unregistered = pthread_atfork(nullptr, nullptr, [] {
  // A parent that had not started the library leaves it whole in the child.
  if (state.load(std::memory_order_relaxed) == kStarted) state.store(kForked, std::memory_order_relaxed);
});

thread_local char last_message[2048];

}  // namespace

bool forked() { return state.load(std::memory_order_relaxed) == kForked; }

bool started() { return state.load(std::memory_order_relaxed) == kStarted; }

Status refuseForked() {
  if (!forked()) [[likely]]
    return Status();
  return Status::error(RT_ERROR_FORKED,
                       "The communicators' library was in use when this process was forked; only a child that starts another "
                       "program can use it.");
}

Status start() {
  // Relaxed: only fork() changes what a call finds here, and it copies the memory of a moment.
  if (started()) [[likely]]
    return Status();
  RT_TRY(refuseForked());
  // Without the handler a forked child would wait for threads that it does not have.
  if (unregistered != 0) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There is no host memory to watch for fork.");
  state.store(kStarted, std::memory_order_relaxed);
  // A child of a fork by another thread sees this mark wherever it sees a later write of the call.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Status();
}

rtStatus_t fail(const char* function, const Status& status) {
  const char* text = *status.message() != '\0' ? status.message() : rtGetErrorString(status.code());
  // Formed aside: `text` may be in last_message itself.
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
