// The last words of a test program that a signal ends: the test that ran, and traces. With gdb they are those of all threads,
// the thread that the signal came to last; else of that thread alone. It is linked into each test program that no sanitizer
// watches.
#include <execinfo.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr unsigned kSecondsForTheDebugger = 60;
const pid_t kProgram = getpid();  // children that are to die, of a death test, die without words

bool traceByDebugger() {
  char process[16], crashed[160];
  snprintf(process, sizeof process, "%d", kProgram);
  snprintf(crashed, sizeof crashed,
           "python [each.switch() for each in gdb.selected_inferior().threads() if each.ptid[1] == %d]", gettid());
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsForTheDebugger);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    for (const char* debugger : {"gdb", "cuda-gdb", "/usr/local/cuda/bin/cuda-gdb"}) {
      execlp(debugger, debugger, "-batch", "-nx", "-p", process, "-ex", "thread apply all backtrace 16", "-ex", crashed, "-ex",
             "backtrace 40", static_cast<char*>(nullptr));
    }
    _exit(127);
  }
  if (child < 0) return false;
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

void onCrash(int signal) {
  static std::atomic<bool> crashed{false};
  if (getpid() == kProgram) {
    while (crashed.exchange(true)) pause();  // of several threads the first one tells of all
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    fprintf(stderr, "\nA signal ends the program: %s, in %s.%s\n", strsignal(signal),
            test == nullptr ? "no test" : test->test_suite_name(), test == nullptr ? "" : test->name());
    if (!traceByDebugger()) {
      void* frames[64];
      backtrace_symbols_fd(frames, backtrace(frames, std::size(frames)), STDERR_FILENO);
    }
  }
  ::signal(signal, SIG_DFL);
  raise(signal);  // comes when the handler returns
}

const bool prepared = [] {
  void* frame[1];
  backtrace(frame, 1);  // loads what it needs, which a program that has crashed could not
  for (const int each : kSignals) signal(each, onCrash);
  return true;
}();

}  // namespace
