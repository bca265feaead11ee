// The end of a process while the CPU's better code is being compiled. A compiler that has begun gets a moment, and its code is
// then in the cache. One that hangs is killed, and no file of a compiler stays. The compilers are scripts around the real one.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>

#include "support/process.h"
#include "unit/compiler/temporary.h"

namespace rttest {
namespace {

using DriverAtExitTest = manyrt::compiler::TemporaryTest;

// PoCL compiles a kernel when it is launched. Whatever state its compiler has then still stands until it is done.
TEST_F(DriverAtExitTest, AKernelThatADriverCompilesIsWaitedFor) {
  const Outcome outcome =
      run({PROCESS_CHILD, "exit_while_a_driver_compiles"}, {{"POCL_CACHE_DIR", path("pocl")}, {"RT_CACHE_DIR", "off"}});
  if (outcome.exit_code == 77) GTEST_SKIP() << "no OpenCL driver here";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
}

class TiersAtExitTest : public manyrt::compiler::TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    for (const char* name : {"cache", "tmp"}) ASSERT_EQ(mkdir(path(name).c_str(), 0700), 0);
  }
  // Runs a scenario with a compiler that does `instead` before it makes optimised code.
  Outcome runWith(const std::string& instead, const std::vector<std::string>& words, const char* sanitizer_options = nullptr) {
    const std::string compiler =
        write("compiler", "#!/bin/sh\ncase \"$*\" in\n*-O3* | *-O1*) " + instead + " ;;\nesac\nexec g++ \"$@\"\n", 0700);
    std::vector<std::string> command = {PROCESS_CHILD};
    command.insert(command.end(), words.begin(), words.end());
    Environment environment = {
        {"RT_CC", compiler}, {"RT_CACHE_DIR", path("cache")}, {"TMPDIR", path("tmp")}, {"RT_CPU_BUILD", "tiered"}};
    if (sanitizer_options != nullptr) environment.emplace_back("ASAN_OPTIONS", sanitizer_options);
    return run(command, environment);
  }
};

TEST_F(TiersAtExitTest, WhatWasWaitedForIsInTheCacheTheNextTime) {
  const Outcome outcome = runWith(":", {"exit_with_better_code"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(entriesIn("tmp"), 0u);
  EXPECT_EQ(entriesIn("cache"), 1u);
}

TEST_F(TiersAtExitTest, TheLogTellsEachBuildAndWhenOptimisedCodeHasTakenItsPlace) {
  const auto has = [](const Outcome& outcome, const char* part) { return outcome.err.find(part) != std::string::npos; };
  const Environment environment = {{"RT_LOG", "info"}, {"RT_CACHE_DIR", path("cache")}, {"RT_CPU_BUILD", "tiered"}};
  const Outcome first = run({PROCESS_CHILD, "exit_with_better_code"}, environment);
  EXPECT_EQ(first.exit_code, 0) << first.text();
  EXPECT_TRUE(has(first, "manyrt: info: The module \"kernel.cl\" (\"f\") for cpu was built in ")) << first.text();
  EXPECT_TRUE(has(first, " ms: quick code, which optimised code is to replace.\n")) << first.text();
  EXPECT_TRUE(has(first, "manyrt: info: The optimised code of \"kernel.cl\" (\"f\") has taken the place of the quick code, "))
      << first.text();
  const Outcome second = run({PROCESS_CHILD, "exit_with_better_code"}, environment);
  EXPECT_TRUE(has(second, "The module \"kernel.cl\" (\"f\") for cpu came from the cache in ")) << second.text();
  EXPECT_TRUE(has(second, " ms: optimised code.\n")) << second.text();
  EXPECT_FALSE(has(second, "has taken the place")) << second.text();
}

TEST_F(TiersAtExitTest, ACompilerThatHangsIsKilledWithAllThatItStarted) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome =
      runWith("sleep 1000 & echo $! > " + path("new") + "; mv " + path("new") + " " + path("pid") + "; wait",
              {"exit_while_better_code_is_made", path("pid")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(100));
  EXPECT_EQ(entriesIn("cache"), 0u);
  EXPECT_EQ(entriesIn("tmp"), 0u);
  std::ifstream file(path("pid"));
  pid_t pid = 0;
  ASSERT_TRUE(file >> pid);
  const auto sleeps = [&] {
    std::ifstream about("/proc/" + std::to_string(pid) + "/stat");
    const std::string text{std::istreambuf_iterator<char>(about), {}};
    return text.find(" S ") != std::string::npos;
  };
  for (int i = 0; i < 5000 && sleeps(); ++i) usleep(1000);  // killed; the process that inherited it may not have reaped it yet
  EXPECT_FALSE(sleeps());
}

TEST_F(TiersAtExitTest, AForkedChildWaitsForNothingAndTouchesNothing) {
  const std::string go = path("go");
  // A forked child lacks the stacks of its parent's other threads: what they alone hold looks leaked at its exit.
  const Outcome outcome =
      runWith("while test ! -e " + go + "; do sleep 0.01; done", {"fork_while_better_code_is_made", go}, "detect_leaks=0");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(entriesIn("cache"), 1u);
  EXPECT_EQ(entriesIn("tmp"), 0u);
}

}  // namespace
}  // namespace rttest
