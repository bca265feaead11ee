// Past RLIMIT_FSIZE the kernel sends SIGXFSZ to the writing thread, which ends the program by default. The library holds a
// FileSizeSignal while it writes files, so that the write fails with EFBIG and the program sees no signal.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <cerrno>

namespace manyrt {

// While one lives, the signal stays pending on this thread. The destructor consumes it if `exceeded` is set. Three system
// calls.
class FileSizeSignal {
 public:
  FileSizeSignal() {
    sigset_t pending;
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  FileSizeSignal(const FileSizeSignal&) = delete;
  FileSizeSignal& operator=(const FileSizeSignal&) = delete;
  ~FileSizeSignal() {
    const int error = errno;
    if (exceeded && !was_pending_) {
      const timespec now{};
      while (sigtimedwait(&only_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  bool exceeded = false;  // a write failed with EFBIG

 private:
  sigset_t only_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace manyrt
