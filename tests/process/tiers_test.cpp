// The end of a process while the CPU's better code is being compiled: what has begun gets a moment and is then in the cache,
// what hangs is killed, and no file of a compiler stays. The compilers are scripts around the real one.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "support/process.h"

namespace rttest {
namespace {

namespace fs = std::filesystem;

class TiersAtExitTest : public testing::Test {
 protected:
  TiersAtExitTest() {
    std::string pattern = testing::TempDir() + "manyrt_tiers_XXXXXX";
    folder_ = mkdtemp(pattern.data());
    for (const char* name : {"/cache", "/tmp"}) fs::create_directory(folder_ + name);
    chmod((folder_ + "/cache").c_str(), 0700);
  }
  ~TiersAtExitTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  // Runs a scenario with a compiler that does `instead` before it makes optimised code.
  Outcome runWith(const std::string& instead, const std::vector<std::string>& words, const char* sanitizer_options = nullptr) {
    std::ofstream(path("compiler")) << "#!/bin/sh\ncase \"$*\" in\n*-O3*) " << instead << " ;;\nesac\nexec g++ \"$@\"\n";
    chmod(path("compiler").c_str(), 0700);
    std::vector<std::string> command = {PROCESS_CHILD};
    command.insert(command.end(), words.begin(), words.end());
    Environment environment = {
        {"RT_CC", path("compiler")}, {"RT_CACHE_DIR", path("cache")}, {"TMPDIR", path("tmp")}, {"RT_CPU_BUILD", "tiered"}};
    if (sanitizer_options != nullptr) environment.emplace_back("ASAN_OPTIONS", sanitizer_options);
    return run(command, environment);
  }
  static size_t filesIn(const std::string& folder) {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

TEST_F(TiersAtExitTest, WhatHasBegunIsInTheCacheTheNextTime) {
  const Outcome outcome = runWith(":", {"exit_while_better_code_is_made"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(filesIn(path("cache")), 1u);
  EXPECT_EQ(filesIn(path("tmp")), 0u);
}

TEST_F(TiersAtExitTest, ACompilerThatHangsIsKilledWithAllThatItStarted) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = runWith("sleep 1000 & echo $! > " + path("pid") + "; wait", {"exit_while_better_code_is_made"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(100));
  EXPECT_EQ(filesIn(path("cache")), 0u);
  EXPECT_EQ(filesIn(path("tmp")), 0u);
  std::ifstream file(path("pid"));
  pid_t pid = 0;
  ASSERT_TRUE(file >> pid);
  const auto sleeps = [&] {
    std::ifstream about("/proc/" + std::to_string(pid) + "/stat");
    const std::string text{std::istreambuf_iterator<char>(about), {}};
    return text.find(" S ") != std::string::npos;
  };
  for (int i = 0; i < 5000 && sleeps(); ++i) usleep(1000);  // killed; whoever inherited it may not have reaped it yet
  EXPECT_FALSE(sleeps());
}

TEST_F(TiersAtExitTest, AForkedChildWaitsForNothingAndTouchesNothing) {
  const std::string go = path("go");
  // A forked child lacks the stacks of its parent's other threads: what they alone hold looks leaked at its exit.
  const Outcome outcome =
      runWith("while test ! -e " + go + "; do sleep 0.01; done", {"fork_while_better_code_is_made", go}, "detect_leaks=0");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(filesIn(path("cache")), 1u);
  EXPECT_EQ(filesIn(path("tmp")), 0u);
}

}  // namespace
}  // namespace rttest
