// Starting and watching children. Each child starts as with vfork: the parent's thread stops until the exec. The child sets
// limits and signals in between, and copying a large process would be slow. A pidfd names the child. Even where another thread
// reaps it, or its number is used again, no wrong process is waited for or killed.
#include "compiler/toolchain/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <deque>
#include <new>

#include "base/fault.h"
#include "compiler/toolchain/file.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

namespace manyrt::compiler {
namespace {

using End = ProcessResult::End;

constexpr size_t kStackBytes = 64 << 10;
#if defined(__SANITIZE_THREAD__)
constexpr int kMemoryOfChild = 0;  // ThreadSanitizer's clone takes every child for a fork: it gets a copy, but for its stack
#else
constexpr int kMemoryOfChild = CLONE_VM;
#endif
constexpr int kPidfd = 3;             // P_PIDFD, which older headers lack
constexpr int kSignals = 64;          // of Linux
constexpr size_t kSignalSetSize = 8;  // the kernel's

int64_t nowMilliseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

struct Start {
  char* const* arguments;
  char* const* environment;
  const char* folder;
  int input;
  int output;
  uint64_t file_bytes;
  int niceness;
  long most_descriptors;
  int error;  // of the child, where it could not start the program
};

// Runs in the child, on a stack of its own but in the parent's memory. It makes system calls alone: no library function with
// state, no instrumentation. Signals are blocked; handlers of the program must never run here.
__attribute__((no_sanitize_address, no_sanitize_thread, no_sanitize_undefined)) int startChild(void* user) {
  Start* start = static_cast<Start*>(user);
  const uint64_t nothing[16] = {};  // SIG_DFL without flags, on every architecture
  for (int signal = 1; signal <= kSignals; ++signal) syscall(SYS_rt_sigaction, signal, nothing, nullptr, kSignalSetSize);
  syscall(SYS_setpgid, 0, 0);
  syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (start->niceness != 0) {  // the system call's answer is 20 less what nice() means
    const long own = 20 - syscall(SYS_getpriority, PRIO_PROCESS, 0);
    syscall(SYS_setpriority, PRIO_PROCESS, 0, own + start->niceness);
  }
  const uint64_t file_limit[2] = {start->file_bytes, start->file_bytes};
  const uint64_t core_limit[2] = {0, 0};
  bool good = syscall(SYS_prlimit64, 0, RLIMIT_CORE, core_limit, nullptr) == 0;
  good = good && syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, file_limit, nullptr) == 0;
  good = good && syscall(SYS_dup3, start->input, 0, 0) >= 0 && syscall(SYS_dup3, start->output, 1, 0) >= 0 &&
         syscall(SYS_dup3, start->output, 2, 0) >= 0 && syscall(SYS_chdir, start->folder) == 0;
  if (good) {
    // Descriptors that the program opened without O_CLOEXEC are none of the compiler's business.
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0) {
      for (long number = 3; number < start->most_descriptors; ++number) syscall(SYS_close, number);
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, nothing, nullptr, kSignalSetSize);
    syscall(SYS_execve, start->arguments[0], start->arguments, start->environment);
  }
  start->error = errno;
  syscall(SYS_exit_group, 127);
  return 127;
}

class Child {
 public:
  int start(const ProcessJob& job, int input, int output);  // 0 or an errno value
  bool ended(ProcessResult* result);                        // reaps, and ends what is left of the group
  void kill();
  int descriptor() const { return pidfd_.get(); }

 private:
  void endGroup() const { ::kill(-pid_, SIGKILL); }

  pid_t pid_ = -1;
  Descriptor pidfd_;  // invalid on kernels before 5.3: then the number has to do
};

// Some emulators lack what clone() needs here (qemu-user has no pidfd: EINVAL). posix_spawn asks for less. The limits come from
// outside, a moment after the start; that the child ends with this process is lost.
int spawn(pid_t* pid, const Start& start) {
  // The steps and their order are those of the child made by clone(): descriptors, folder, signals, group. `error` keeps the
  // first failure, and the later steps are skipped.
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (int error = posix_spawn_file_actions_init(&actions); error != 0) return error;
  if (int error = posix_spawnattr_init(&attributes); error != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return error;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int error = posix_spawn_file_actions_adddup2(&actions, start.input, 0);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, start.output, 1);
  if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, start.output, 2);
  if (error == 0) error = posix_spawn_file_actions_addchdir_np(&actions, start.folder);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
  if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (error == 0) error = posix_spawnattr_setpgroup(&attributes, 0);
  constexpr short kFlags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
  if (error == 0) error = posix_spawnattr_setflags(&attributes, kFlags);
  if (error == 0) error = posix_spawn(pid, start.arguments[0], &actions, &attributes, start.arguments, start.environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return error;
  const rlimit file_limit{start.file_bytes, start.file_bytes}, core_limit{0, 0};
  (void)prlimit(*pid, RLIMIT_FSIZE, &file_limit, nullptr);
  (void)prlimit(*pid, RLIMIT_CORE, &core_limit, nullptr);
  if (start.niceness != 0) {
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(*pid), getpriority(PRIO_PROCESS, 0) + start.niceness);
  }
  return 0;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

int Child::start(const ProcessJob& job, int input, int output) {
  const std::vector<char*> arguments = pointers(job.arguments);
  const std::vector<char*> environment = pointers(job.environment);
  const long most = std::min(sysconf(_SC_OPEN_MAX), 1L << 20);
  rlimit files{};
  getrlimit(RLIMIT_FSIZE, &files);
  const uint64_t file_bytes = std::min<uint64_t>(job.file_bytes, files.rlim_cur);  // a lower limit of the program's stays
  if (fault::fails("kernels.process")) return EAGAIN;
  // The child's stack, with what it is to do, and how it went, at the far end.
  void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED) return errno;
  Start* start = new (stack)
      Start{arguments.data(), environment.data(), job.folder.c_str(), input, output, file_bytes, job.niceness, most, 0};
  uint64_t before = 0;
  const uint64_t all = ~uint64_t{0};  // with the two that glibc keeps for itself
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, kSignalSetSize);
  int pidfd = -1;
  pid_t pid = -1;
  errno = EINVAL;
  if (!fault::fails("kernels.clone")) {
    pid = clone(startChild, static_cast<char*>(stack) + kStackBytes, kMemoryOfChild | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
                start, &pidfd, nullptr, nullptr);
  }
  int error = pid < 0 ? errno : start->error;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, kSignalSetSize);
  if (pid < 0 && error == EINVAL) error = spawn(&pid, *start);
  munmap(stack, kStackBytes);
  if (pid < 0) return error;
  pid_ = pid;
  if (pidfd < 0) pidfd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  pidfd_ = Descriptor(pidfd);
  if (error == 0) return 0;
  siginfo_t information;
  waitid(pidfd_.valid() ? static_cast<idtype_t>(kPidfd) : P_PID, static_cast<id_t>(pidfd_.valid() ? pidfd_.get() : pid_),
         &information, WEXITED);
  return error;
}

bool Child::ended(ProcessResult* result) {
  const idtype_t kind = pidfd_.valid() ? static_cast<idtype_t>(kPidfd) : P_PID;
  const id_t id = static_cast<id_t>(pidfd_.valid() ? pidfd_.get() : pid_);
  siginfo_t information{};
  if (waitid(kind, id, &information, WEXITED | WNOHANG | WNOWAIT) == 0) {
    if (information.si_pid == 0) return false;
    endGroup();  // the number of the group is still ours, because the child has not been reaped
    if (waitid(kind, id, &information, WEXITED) == 0) {
      result->end = information.si_code == CLD_EXITED ? End::kExited : End::kSignalled;
      result->code = information.si_status;
      return true;
    }
  } else if (errno == EINTR) {
    return false;
  }
  // No child of ours any more: other code of the program has waited for it. The pidfd still says whether it runs.
  pollfd descriptor{pidfd_.get(), POLLIN, 0};
  if (pidfd_.valid() && poll(&descriptor, 1, 0) == 0) return false;
  result->end = End::kUnknown;
  return true;
}

void Child::kill() {
  pollfd descriptor{pidfd_.get(), POLLIN, 0};
  if (!pidfd_.valid() || poll(&descriptor, 1, 0) == 0) endGroup();
}

// Takes what is in the pipe. False: its end.
bool drain(int pipe, ProcessResult* result, uint64_t most) {
  char buffer[16 << 10];
  for (;;) {
    const ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    result->output_total += static_cast<uint64_t>(count);
    const uint64_t room = most - std::min<uint64_t>(most, result->output.size());
    result->output.append(buffer, static_cast<size_t>(std::min<uint64_t>(room, static_cast<uint64_t>(count))));
    // A child that writes faster than this loop reads must not keep it from looking at the clock.
    if (count < static_cast<ssize_t>(sizeof buffer)) return true;
    if (result->output_total % (1 << 20) < sizeof buffer) return true;
  }
}

// One child of several that run at the same time.
class Running {
 public:
  explicit Running(const ProcessJob& job) : job_(job), end_(nowMilliseconds() + static_cast<int64_t>(job.milliseconds)) {}
  void start();
  bool runs() const { return runs_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {  // ends it where an exception ended the wait
    kill();
    awaitEnd();
  }
  // Looks after it; the milliseconds until it wants to be looked after again.
  int64_t visit(bool cancelled);
  void take(short output);  // what poll said of the pipe
  void kill();
  void awaitEnd();  // of one that was killed: needs no memory
  int pipe() const { return pipe_.get(); }
  int descriptor() const { return child_.descriptor(); }
  ProcessResult result;

 private:
  const ProcessJob& job_;
  const int64_t end_;
  Child child_;
  Descriptor pipe_;
  bool runs_ = false;
  End killed_ = End::kUnknown;  // why it was; kUnknown: it was not
};

int64_t Running::visit(bool cancelled) {
  if (child_.ended(&result)) {
    if (pipe_.valid()) drain(pipe_.get(), &result, job_.output_bytes);
    if (killed_ != End::kUnknown) result.end = killed_;
    runs_ = false;
    return 1000;
  }
  const int64_t left = end_ - nowMilliseconds();
  if (cancelled) {
    kill();
  } else if (left <= 0 && killed_ == End::kUnknown) {
    child_.kill();
    killed_ = End::kTimedOut;
  }
  // Without a pidfd nothing wakes the loop at the child's end but the end of its output.
  return killed_ != End::kUnknown ? 10 : child_.descriptor() >= 0 ? left : std::min<int64_t>(left, 2);
}

void Running::kill() {
  if (!runs_ || killed_ != End::kUnknown) return;
  child_.kill();
  killed_ = End::kCancelled;
}

void Running::awaitEnd() {
  while (runs_ && !child_.ended(&result)) {
    pollfd descriptor{child_.descriptor(), POLLIN, 0};
    poll(&descriptor, 1, 10);
  }
  runs_ = false;
}

void Running::take(short output) {
  if (output != 0 && !drain(pipe_.get(), &result, job_.output_bytes)) pipe_.close();
}

void watch(std::deque<Running>& all, int cancel) {
  std::vector<pollfd> descriptors(2 * all.size() + 1);
  bool cancelled = false;
  for (;;) {
    int64_t longest = 1000;
    bool any = false;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].runs()) longest = std::min(longest, all[i].visit(cancelled));
      any = any || all[i].runs();
      // Negative ones are passed over.
      descriptors[2 * i] = {all[i].runs() ? all[i].pipe() : -1, POLLIN, 0};
      descriptors[2 * i + 1] = {all[i].runs() ? all[i].descriptor() : -1, POLLIN, 0};
    }
    if (!any) return;
    descriptors.back() = {cancelled ? -1 : cancel, POLLIN, 0};
    if (poll(descriptors.data(), descriptors.size(), static_cast<int>(std::clamp<int64_t>(longest, 1, 1000))) <= 0) continue;
    for (size_t i = 0; i < all.size(); ++i) all[i].take(descriptors[2 * i].revents);
    cancelled = cancelled || descriptors.back().revents != 0;
  }
}

// Above the three that the child gets: a program may have closed its own.
Descriptor aboveStandard(int number) {
  Descriptor first(number);
  return number > 2 || number < 0 ? std::move(first) : Descriptor(fcntl(number, F_DUPFD_CLOEXEC, 3));
}

// Both ends above the three.
int makePipe(Descriptor* read_end, Descriptor* write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  *read_end = aboveStandard(ends[0]);
  *write_end = aboveStandard(ends[1]);
  return read_end->valid() && write_end->valid() ? 0 : errno;
}

void Running::start() {
  Descriptor output;
  const Descriptor nothing = aboveStandard(open("/dev/null", O_RDONLY | O_CLOEXEC));
  result.code = nothing.valid() ? makePipe(&pipe_, &output) : errno;
  if (result.code == 0 && fcntl(pipe_.get(), F_SETFL, O_NONBLOCK) != 0) result.code = errno;
  if (result.code == 0) result.code = child_.start(job_, nothing.get(), output.get());
  runs_ = result.code == 0;
}

}  // namespace

std::vector<ProcessResult> runProcesses(const std::vector<ProcessJob>& jobs, int cancel) {
  std::deque<Running> running;
  for (const ProcessJob& job : jobs) running.emplace_back(job);
  for (Running& one : running) one.start();
  watch(running, cancel);
  std::vector<ProcessResult> results;
  results.reserve(running.size());
  for (Running& one : running) results.push_back(std::move(one.result));
  return results;
}

ProcessResult runProcess(const ProcessJob& job) { return std::move(runProcesses({job}, -1)[0]); }

}  // namespace manyrt::compiler
