// gdb with a process that has loaded kernels on the CPU. It opens each object by its path, in its own process, and must neither
// wait there for ever nor miss a name. SIGALRM ends what hangs.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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
  static Environment environment() {
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

// Compilers are started outside of it, on a processor that has more.
TEST(ValgrindTest, OptimisedKernelsRunUnderValgrind) {
#if defined(MANYRT_SANITIZE_ADDRESS) || defined(MANYRT_SANITIZE_THREAD)
  GTEST_SKIP() << "sanitizers do not run under valgrind";
#endif
  const Outcome found = run({"/bin/sh", "-c", "command -v valgrind"});
  if (found.exit_code != 0) GTEST_SKIP() << "no valgrind here";
  const Outcome outcome =
      run({found.out.substr(0, found.out.find('\n')), "-q", PROCESS_CHILD, "stepped"},
          {{"RT_CPU_BUILD", "optimized"}, {"RT_CACHE_DIR", "off"}, {"RT_DISABLE", "cuda,opencl"}}, kSeconds);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
}

class SteppingTest : public DebuggerTest {
 protected:
  // The kernels are built in a folder of the test.
  Environment environment() const {
    return {{"RT_CPU_DEBUG", "1"}, {"RT_CACHE_DIR", path("cache")}, {"RT_DISABLE", "cuda,opencl"}, {"RT_CPU_THREADS", "1"}};
  }
  void SetUp() override {
    DebuggerTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(mkdir(path("cache").c_str(), 0700), 0);
  }
  Outcome debug(const std::vector<std::string>& commands) {
    std::vector<std::string> words = {
        gdb_, "-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", "set breakpoint pending on"};
    for (const std::string& command : commands) words.insert(words.end(), {"-ex", command});
    words.insert(words.end(), {"--args", PROCESS_CHILD, "stepped"});
    return run(words, environment(), kSeconds);
  }
};

bool has(const Outcome& outcome, const std::string& part) { return outcome.out.find(part) != std::string::npos; }

TEST_F(SteppingTest, ABreakpointOfALineHasTheVariablesOfTheSource) {
  const Outcome outcome = debug({"break kernel.cl:10 if where == 5", "run", "backtrace 2", "print where", "print x",
                                 "print factor", "print data[5]", "list", "next", "kill"});
  EXPECT_TRUE(has(outcome, "kernels::scale (")) << outcome.text();
  EXPECT_TRUE(has(outcome, "kernel.cl:10")) << outcome.text();
  EXPECT_TRUE(has(outcome, "$1 = 5\n$2 = 8\n$3 = 3\n$4 = 1\n")) << outcome.text();
  EXPECT_TRUE(has(outcome, "10\t  data[where] = x;")) << outcome.text();
}

TEST_F(SteppingTest, AStepGoesIntoAHelperAndBack) {
  const Outcome outcome =
      debug({"break kernel.cl:7", "run", "step", "step", "print value", "print result", "backtrace", "finish", "kill"});
  EXPECT_TRUE(has(outcome, "$1 = 1\n$2 = 2\n")) << outcome.text();
  EXPECT_TRUE(has(outcome, "kernel.cl:3")) << outcome.text();
}

TEST_F(SteppingTest, AKernelWithABarrierIsFoundByItsName) {
  const Outcome outcome = debug({"break summed", "run", "break kernel.cl:18 if at == 3", "continue", "print mine",
                                 "print other", "print part[3]", "kill"});
  EXPECT_TRUE(has(outcome, "kernels::summed (")) << outcome.text();
  EXPECT_TRUE(has(outcome, "$1 = 8\n$2 = 8\n$3 = 8\n")) << outcome.text();
}

TEST_F(SteppingTest, ADebuggerThatAttachesListsTheSource) {
  const Outcome outcome = run({PROCESS_CHILD, "debugger_attaches", gdb_, "list kernel.cl:6,7"}, environment(), kSeconds);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_TRUE(has(outcome, "7\t  float x = twice(data[where]);")) << outcome.text();
}

TEST_F(SteppingTest, TheFolderHasSourcesAndCodeAndTheLogNamesIt) {
  Environment told = environment();
  told.emplace_back("RT_LOG", "info");
  const Outcome outcome = run({PROCESS_CHILD, "stepped"}, told);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  const std::string words = "are kept in \"" + path("cache") + "/debug/";
  const size_t at = outcome.err.find(words);
  ASSERT_NE(at, std::string::npos) << outcome.text();
  const size_t begin = outcome.err.find('"', at) + 1;
  const std::string folder = outcome.err.substr(begin, outcome.err.find('"', begin) - begin);
  for (const char* name : {"kernel.cl", "unit0.cpp", "quick.so"})
    EXPECT_EQ(access((folder + "/" + name).c_str(), R_OK), 0) << name;
}

}  // namespace
}  // namespace rttest
