// Runs other programs to their end, without a shell, each in a process group of its own and with limits. The calling program
// notices nothing, with any SIGCHLD handler or none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace manyrt::compiler {

struct ProcessJob {
  std::vector<std::string> arguments;    // the first is the program's absolute path
  std::vector<std::string> environment;  // "NAME=value"; nothing else is handed on
  std::string folder;                    // where it runs
  uint64_t milliseconds = 0;             // then the whole group is killed
  uint64_t file_bytes = 0;               // largest file that it may write
  uint64_t output_bytes = 0;             // of its output that are kept; the rest is read and dropped
  int niceness = 0;                      // added to this process's own
};

struct ProcessResult {
  enum class End : uint8_t {
    kNotStarted,  // code: an errno value
    kExited,      // code: the exit status
    kSignalled,   // code: the signal
    kTimedOut,
    kCancelled,
    kUnknown  // ended, but other code of this process took the status (wait() in a handler, or SIGCHLD ignored)
  };
  End end = End::kNotStarted;
  int code = 0;
  std::string output;         // standard output and error, in one
  uint64_t output_total = 0;  // bytes that it wrote

  bool succeeded() const { return (end == End::kExited && code == 0) || end == End::kUnknown; }
};

// Runs all at the same time and waits for all. Once `cancel`, a descriptor (-1: none), can be read, all groups are killed.
std::vector<ProcessResult> runProcesses(const std::vector<ProcessJob>& jobs, int cancel);
ProcessResult runProcess(const ProcessJob& job);

}  // namespace manyrt::compiler
