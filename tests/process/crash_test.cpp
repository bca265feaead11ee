// The report of a crash in a kernel, and what it says. The program's handler and the status of the process stay what they are,
// and RT_CRASH_REPORT=0 switches it off.
#include <gtest/gtest.h>

#include <csignal>

#include "support/process.h"
#include "unit/compiler/temporary.h"

namespace rttest {
namespace {

class CrashTest : public manyrt::compiler::TemporaryTest {
 protected:
  void SetUp() override {
#if defined(MANYRT_SANITIZE_ADDRESS) || defined(MANYRT_SANITIZE_THREAD)
    GTEST_SKIP() << "sanitizers report crashes themselves";
#endif
    TemporaryTest::SetUp();
  }
  Outcome crash(const std::vector<std::string>& words, const std::string& build = "quick", const Environment& more = {}) {
    Environment environment = {{"RT_CPU_BUILD", build},
                               {"RT_CACHE_DIR", "off"},
                               {"RT_DISABLE", "cuda,opencl"},
                               {"RT_CPU_THREADS", "2"},
                               {"RT_POOL", "off"}};
    environment.insert(environment.end(), more.begin(), more.end());
    std::vector<std::string> command = {PROCESS_CHILD, "crash"};
    command.insert(command.end(), words.begin(), words.end());
    return run(command, environment);
  }
  static int reports(const Outcome& outcome) {
    int count = 0;
    for (size_t at = 0; (at = outcome.err.find("manyrt: crash: SIG", at)) != std::string::npos; ++at) ++count;
    return count;
  }
};

bool has(const Outcome& outcome, const std::string& part) { return outcome.err.find(part) != std::string::npos; }

TEST_F(CrashTest, QuickCodeTellsKernelGroupItemAndAddress) {
  const Outcome outcome = crash({"null", "launch", "none"});
  EXPECT_EQ(outcome.signal, SIGSEGV) << outcome.text();
  EXPECT_TRUE(has(outcome,
                  "manyrt: crash: SIGSEGV (no memory at this address) in the kernel \"spoil\", work-group (2, 0, 0) "
                  "of (4, 1, 1), work-item (5, 0, 0) of (16, 1, 1), quick code.\n"))
      << outcome.text();
  EXPECT_TRUE(has(outcome, "0x94: a null pointer, or a small distance from one.")) << outcome.text();
  EXPECT_TRUE(has(outcome, "RT_CPU_SANITIZE=address")) << outcome.text();
  EXPECT_EQ(reports(outcome), 1) << outcome.text();
}

TEST_F(CrashTest, OptimisedCodeTellsTheGroups) {
  const Outcome outcome = crash({"null", "launch", "none"}, "optimized");
  EXPECT_EQ(outcome.signal, SIGSEGV) << outcome.text();
  EXPECT_TRUE(has(outcome, "in the kernel \"spoil\", work-group")) << outcome.text();
  EXPECT_TRUE(has(outcome, "optimised code.")) << outcome.text();
  EXPECT_EQ(reports(outcome), 1) << outcome.text();
}

TEST_F(CrashTest, AFiberKnowsItsItemInEachCode) {
  for (const char* build : {"quick", "optimized"}) {
    const Outcome outcome = crash({"null", "fiber", "none"}, build);
    EXPECT_EQ(outcome.signal, SIGSEGV) << outcome.text();
    EXPECT_TRUE(has(outcome, "work-group (2, 0, 0) of (4, 1, 1), work-item (5, 0, 0) of (16, 1, 1)")) << outcome.text();
  }
}

TEST_F(CrashTest, AGraphAndAWorkerTellTheSame) {
  const Outcome graph = crash({"null", "graph", "none"});
  EXPECT_EQ(graph.signal, SIGSEGV) << graph.text();
  EXPECT_TRUE(has(graph, "work-group (0, 0, 0) of (1, 1, 1), work-item (37, 0, 0) of (64, 1, 1), quick code, in a graph."))
      << graph.text();
  const Outcome worker = crash({"null", "worker", "none"});
  EXPECT_EQ(worker.signal, SIGSEGV) << worker.text();
  EXPECT_TRUE(has(worker, "work-item (5, 0, 0)")) << worker.text();
}

TEST_F(CrashTest, TheNearestAllocationHasItsLabelItsSizeAndWhetherItIsFreed) {
  const Outcome freed = crash({"freed", "launch", "none"});
  EXPECT_EQ(freed.signal, SIGSEGV) << freed.text();
  EXPECT_TRUE(has(freed, "byte 4000 of the allocation \"weights\" of 268435456 bytes at 0x")) << freed.text();
  EXPECT_TRUE(has(freed, ", which was freed and is the system's again.")) << freed.text();
  const Outcome live = crash({"protected", "launch", "none"});
  EXPECT_TRUE(has(live, "(memory that may not be used so)")) << live.text();
  EXPECT_TRUE(has(live, "byte 4112 of the allocation \"bias\" of 262144 bytes at 0x")) << live.text();
  EXPECT_FALSE(has(live, "freed")) << live.text();
  const Outcome after = crash({"registered", "launch", "none"});
  EXPECT_TRUE(has(after, "12 bytes after the end of the registered memory of 8192 bytes at 0x")) << after.text();
}

TEST_F(CrashTest, AnAddressThatNoMemoryCanHaveIsSaidToBeUnknown) {
  const Outcome outcome = crash({"wild", "launch", "none"});
  EXPECT_EQ(outcome.signal, SIGSEGV) << outcome.text();
#if defined(__x86_64__)
  EXPECT_TRUE(has(outcome, "The processor does not tell the address")) << outcome.text();
#endif
}

TEST_F(CrashTest, BusErrorsAndDivisionsAreTold) {
  const Outcome file = crash({path("file"), "launch", "none"});
  EXPECT_EQ(file.signal, SIGBUS) << file.text();
  EXPECT_TRUE(has(file, "SIGBUS (a file's page that is not there) in the kernel \"spoil\"")) << file.text();
#if defined(__x86_64__)  // others do not trap
  const Outcome division = crash({"divide", "launch", "none"});
  EXPECT_EQ(division.signal, SIGFPE) << division.text();
  EXPECT_TRUE(has(division, "SIGFPE (division of an integer by zero) in the kernel \"divide\", work-group (2, 0, 0)"))
      << division.text();
#endif
}

TEST_F(CrashTest, AKernelThatHasUsedUpItsStackIsToldOnEachThread) {
  for (const char* way : {"launch", "worker"}) {
    const Outcome outcome = crash({"stack", way, "none"});
    EXPECT_EQ(outcome.signal, SIGSEGV) << outcome.text();
    EXPECT_TRUE(has(outcome, "in the kernel \"stack\", work-group (")) << outcome.text();
  }
}

TEST_F(CrashTest, DebugInformationGivesTheLine) {
  const Outcome outcome = crash({"null", "line", "none"});
  EXPECT_TRUE(has(outcome, "in the kernel \"spoil\", kernel.cl:5, work-group")) << outcome.text();
}

TEST_F(CrashTest, AHelperInsideTheKernelHasItsLineInEachCode) {
  for (const char* build : {"quick", "optimized"}) {
    const Outcome outcome = crash({"null", "helper", "none"}, build, {{"RT_CPU_PERF", "1"}});
    EXPECT_EQ(outcome.signal, SIGSEGV) << outcome.text();
    const bool has_line = has(outcome, "in the kernel \"spoil\", kernel.cl:2, work-group") ||
                          has(outcome, "in the kernel \"spoil\", near kernel.cl:2, work-group");
    EXPECT_TRUE(has_line) << outcome.text();
  }
}

TEST_F(CrashTest, TheHandlerOfTheProgramRunsAfterTheReport) {
  for (const char* when : {"before", "after"}) {
    const Outcome outcome = crash({"null", "launch", when});
    EXPECT_EQ(outcome.exit_code, 7) << outcome.text();
    EXPECT_EQ(reports(outcome), 1) << outcome.text();
    EXPECT_LT(outcome.err.find("manyrt: crash:"), outcome.err.find("own handler")) << outcome.text();
  }
}

TEST_F(CrashTest, AHandlerThatCallsTheOneBeforeItEndsTheProgramByTheSignal) {
  const Outcome outcome = crash({"null", "launch", "chains"});
  EXPECT_EQ(outcome.signal, SIGSEGV) << outcome.text();
  EXPECT_EQ(reports(outcome), 1) << outcome.text();
  EXPECT_TRUE(has(outcome, "own handler")) << outcome.text();
}

TEST_F(CrashTest, ItIsSwitchedOffByAVariable) {
  const Outcome outcome = crash({"null", "launch", "none"}, "quick", {{"RT_CRASH_REPORT", "0"}});
  EXPECT_EQ(outcome.signal, SIGSEGV) << outcome.text();
  EXPECT_EQ(outcome.err, "") << outcome.text();
}

TEST_F(CrashTest, ACrashOutsideOfKernelsIsNotTold) {
  const Outcome outcome = run({PROCESS_CHILD, "crash_outside"});
  EXPECT_EQ(outcome.signal, SIGSEGV) << outcome.text();
  EXPECT_EQ(outcome.err, "") << outcome.text();
}

}  // namespace
}  // namespace rttest
