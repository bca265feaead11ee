// A thread may leave the table of file descriptors that it shares with its process (close_range, or unshare, which sandboxes
// refuse more often). From then on it closes and opens descriptors for itself alone, and the kernel drops them with the thread.
#include "base/os/private_stderr.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"

namespace manyrt {
namespace {

constexpr unsigned kCloseRangeUnshare = 2;  // CLOSE_RANGE_UNSHARE; glibc has it from 2.34
constexpr long kCloseRange = 436;           // the same number on every architecture

struct Call {
  void (*body)(void*);
  void* user;
  std::string written;
};

// True: this thread has a table of its own, without the program's files. An open copy of one would, for example, delay the end
// of a pipe that the program closes.
bool leaveTable() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;  // reports of the sanitizer would be lost, and it keeps one account of descriptors for all threads
#else
  if (fault::fails("stderr.table")) return false;
  if (syscall(kCloseRange, 3u, ~0u, kCloseRangeUnshare) == 0) return true;
  return unshare(CLONE_FILES) == 0;
#endif
}

void readBack(std::string* written) try {
  const off_t size = lseek(STDERR_FILENO, 0, SEEK_END);
  if (size <= 0) return;
  written->resize(std::min<size_t>(static_cast<size_t>(size), 4096));
  const ssize_t got = pread(STDERR_FILENO, written->data(), written->size(), 0);
  written->resize(got > 0 ? static_cast<size_t>(got) : 0);
} catch (...) {  // no memory: the remarks are lost
  written->clear();
}

void* runCall(void* argument) {
  Call& call = *static_cast<Call*>(argument);
  // Only after leaveTable(): before it the program would see the descriptor.
  const int memory = leaveTable() ? memfd_create("manyrt-remarks", MFD_CLOEXEC) : -1;
  const bool redirected = memory >= 0 && dup2(memory, STDERR_FILENO) == STDERR_FILENO;
  call.body(call.user);
  if (redirected) readBack(&call.written);
  return nullptr;
}

}  // namespace

std::string withPrivateStderr(void (*body)(void*), void* user) {
  Call call{body, user, {}};
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a program's handlers run on its own threads, with its own files
  pthread_t thread;
  const bool started = !fault::fails("thread") && pthread_create(&thread, nullptr, runCall, &call) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) {
    pthread_join(thread, nullptr);
  } else {
    body(user);
  }
  return std::move(call.written);
}

}  // namespace manyrt
