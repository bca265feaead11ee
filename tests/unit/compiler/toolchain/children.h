// A program's ways to deal with the ends of its children, while the library starts some of its own.
#pragma once

#include <sys/wait.h>

#include <cerrno>

namespace manyrt::compiler {

// A handler of SIGCHLD that takes the exit status of every child, the library's too.
inline void waitForEveryChild(int) {
  const int error = errno;
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  errno = error;
}

}  // namespace manyrt::compiler
