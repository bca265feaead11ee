// gdb with a process that has loaded kernels on the CPU: it opens each object by its path, in its own process, and must neither
// wait there for ever nor miss a name. SIGALRM ends what hangs.
#include <gtest/gtest.h>

#include <string>

#include "support/process.h"
#include "unit/compiler/temporary.h"

namespace rttest {
namespace {

constexpr unsigned kSeconds = 120;

class DebuggerTest : public manyrt::compiler::TemporaryTest {
 protected:
  void SetUp() override {
#if defined(MANYRT_SANITIZE_ADDRESS) || defined(MANYRT_SANITIZE_THREAD)
    GTEST_SKIP() << "sanitizers do not run under a debugger";
#endif
    TemporaryTest::SetUp();
    const Outcome found = run({"/bin/sh", "-c", "command -v gdb"});
    if (found.exit_code != 0) GTEST_SKIP() << "no gdb here";
    gdb_ = found.out.substr(0, found.out.find('\n'));
    const Outcome probe = run({gdb_, "-batch", "-nx", "-ex", "run", "--args", "/bin/true"}, {}, kSeconds);
    if (probe.out.find("exited normally") == std::string::npos) GTEST_SKIP() << "gdb cannot trace a process here";
  }
  // The lines of "info sharedlibrary" that name an object of kernels whose symbols were read.
  static int kernelObjects(const std::string& text) {
    int count = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      count += line.find("/fd/") != std::string::npos && line.find(" Yes ") != std::string::npos ? 1 : 0;
    }
    return count;
  }
  Environment environment() const {
    return {{"RT_CPU_BUILD", "quick"}, {"RT_CACHE_DIR", "off"}, {"RT_DISABLE", "cuda,opencl"}};
  }

  std::string gdb_;
};

TEST_F(DebuggerTest, AProgramStartedByGdbRunsAndItsKernelsHaveNames) {
  const Outcome outcome = run({gdb_, "-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", "break kernelsAreLoaded",
                               "-ex", "run", "-ex", "info sharedlibrary", "-ex", "info address watched_7", "-ex", "continue",
                               "--args", PROCESS_CHILD, "started_by_debugger"},
                              environment(), kSeconds);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.out.find("exited normally"), std::string::npos) << outcome.text();
  EXPECT_EQ(kernelObjects(outcome.out), 12) << outcome.text();
}

TEST_F(DebuggerTest, GdbAttachesToAProgramWithKernels) {
  const Outcome outcome = run({PROCESS_CHILD, "debugger_attaches", gdb_}, environment(), kSeconds);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(kernelObjects(outcome.out), 12) << outcome.text();
}

}  // namespace
}  // namespace rttest
