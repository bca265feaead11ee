// Runs a program and collects what it printed and how it ended. For tests about the life of a process: exit, fork, shutdown,
// environment variables.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
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

// The environment of this process with `changes`, as NAME=value.
inline std::vector<std::string> environmentWith(Environment changes) {
#if defined(MANYRT_SANITIZE_THREAD)
  const char* const options = getenv("TSAN_OPTIONS");  // it sleeps for a second in each exit unless told otherwise
  changes.emplace_back("TSAN_OPTIONS", (options != nullptr ? options : "") + std::string(":atexit_sleep_ms=0"));
#endif
  std::vector<std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string entry = *each;
    const std::string name = entry.substr(0, entry.find('='));
    bool changed = false;
    for (const auto& change : changes) changed |= change.first == name;
    if (!changed) all.push_back(entry);
  }
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    bool again = false;  // the last one holds
    for (auto later = change + 1; later != changes.end(); ++later) again |= later->first == change->first;
    if (!again) all.push_back(change->first + "=" + change->second);
  }
  return all;
}

inline std::vector<char*> pointersTo(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Nothing but the system's calls runs in the child before the program. When a fork copied it, another thread may have held any
// lock, that of the heap or of the environment. A program of another processor, which the kernel refuses, is started by the
// words of TEST_EMULATOR. 0: none was started.
inline pid_t spawn(const std::vector<std::string>& command, const Environment& environment, int out, int err) {
  const std::vector<std::string> variables = environmentWith(environment);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return 0;
  (void)posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  (void)posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = 0;
  int failure =
      posix_spawn(&pid, command[0].c_str(), &actions, nullptr, pointersTo(command).data(), pointersTo(variables).data());
  if (failure == ENOEXEC) {
    std::istringstream emulator(getenv("TEST_EMULATOR") != nullptr ? getenv("TEST_EMULATOR") : "");
    std::vector<std::string> words;
    for (std::string word; emulator >> word;) words.push_back(word);
    words.insert(words.end(), command.begin(), command.end());
    failure = posix_spawn(&pid, words[0].c_str(), &actions, nullptr, pointersTo(words).data(), pointersTo(variables).data());
  }
  (void)posix_spawn_file_actions_destroy(&actions);
  return failure == 0 ? pid : 0;
}

// The child is ended by SIGALRM after `seconds`: a test that hangs fails by name. 127: it could not be started.
inline Outcome run(const std::vector<std::string>& command, const Environment& environment = {}, unsigned seconds = 120) {
  using Clock = std::chrono::steady_clock;
  Outcome outcome;
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return outcome;
  const pid_t pid = spawn(command, environment, out[1], err[1]);
  if (pid == 0) outcome.exit_code = 127;
  close(out[1]);
  close(err[1]);
  pollfd ends[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  std::string* texts[2] = {&outcome.out, &outcome.err};
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  bool ended = false;  // by SIGALRM
  for (int open = 2; open > 0 && pid > 0;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 && !ended) ended = kill(pid, SIGALRM) == 0;
    if (poll(ends, 2, ended ? -1 : static_cast<int>(std::max<long>(left, 1))) < 0) continue;
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
  for (siginfo_t information = {}; pid > 0 && !ended;) {
    if (waitid(P_PID, static_cast<id_t>(pid), &information, WEXITED | WNOHANG | WNOWAIT) != 0 || information.si_pid == pid)
      break;
    if (Clock::now() >= end) ended = kill(pid, SIGALRM) == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // its output is closed: it is about to end
  }
  if (pid > 0 && waitpid(pid, &status, 0) == pid) {
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  }
  return outcome;
}

}  // namespace rttest
