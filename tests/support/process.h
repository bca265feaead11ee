// Runs a program and collects what it printed and how it ended. For tests about the life of a process: exit, fork, shutdown,
// environment variables.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rttest {

struct Outcome {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string out;
  std::string err;

  std::string text() const {
    return "exit code " + std::to_string(exit_code) + ", signal " + std::to_string(signal) + "\nstdout: " + out +
           "\nstderr: " + err;
  }
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// Programs of another processor, which the kernel refuses: the words of TEST_EMULATOR stand before them.
inline void execEmulated(const std::vector<std::string>& command) {
  std::istringstream emulator(getenv("TEST_EMULATOR") != nullptr ? getenv("TEST_EMULATOR") : "");
  std::vector<std::string> words;
  for (std::string word; emulator >> word;) words.push_back(word);
  if (words.empty()) return;
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
}

// The child is ended by SIGALRM after `seconds`: a test that hangs fails by name.
inline Outcome run(const std::vector<std::string>& command, const Environment& environment = {}, unsigned seconds = 120) {
  Outcome outcome;
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return outcome;
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
#if defined(MANYRT_SANITIZE_THREAD)
    const char* options = getenv("TSAN_OPTIONS");  // it sleeps for a second in each exit unless told otherwise
    setenv("TSAN_OPTIONS", ((options != nullptr ? options : "") + std::string(":atexit_sleep_ms=0")).c_str(), 1);
#endif
    alarm(seconds);
    execv(arguments[0], arguments.data());
    if (errno == ENOEXEC) execEmulated(command);
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  pollfd ends[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  std::string* texts[2] = {&outcome.out, &outcome.err};
  for (int open = 2; open > 0 && pid > 0;) {
    if (poll(ends, 2, -1) < 0) continue;
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = read(ends[i].fd, buffer, sizeof buffer);
      if (got > 0) {
        texts[i]->append(buffer, static_cast<size_t>(got));
      } else {
        ends[i].fd = -1;
        --open;
      }
    }
  }
  close(out[0]);
  close(err[0]);
  int status = 0;
  if (pid > 0 && waitpid(pid, &status, 0) == pid) {
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  }
  return outcome;
}

}  // namespace rttest
