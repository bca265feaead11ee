// A test whose ranks are in several processes. The test's process mostly has rank 0. It starts this program again for each of
// the others, with the id, the rank and the size in its environment. Their parts are tests that only those processes have.
#pragma once

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "comm/ranks.h"
#include "comm/unique_ids.h"
#include "support/process.h"

namespace commtest {

inline constexpr char kRank[] = "COMM_TEST_RANK", kSize[] = "COMM_TEST_SIZE";

inline int number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

// Joined at the end of the test. A process ends with 0, or by `signal`.
class Processes {
 public:
  ~Processes() { join(); }
  // `test` is "Suite.Name" of a part.
  void start(const rtCommUniqueId_t& id, int rank, int size, const std::string& test, int signal = 0,
             rttest::Environment more = {}) {
    more.insert(more.end(), {{kUniqueId, toText(id)},
                             {kRank, std::to_string(rank)},
                             {kSize, std::to_string(size)},
                             {"GTEST_OUTPUT", ""},
                             {"GTEST_REPEAT", "1"}});
    threads_.emplace_back([rank, test, signal, more] {
      const rttest::Outcome outcome = rttest::run({"/proc/self/exe", "--gtest_filter=" + test}, more);
      EXPECT_EQ(outcome.signal, signal) << "rank " << rank << ": " << outcome.text();
      EXPECT_EQ(outcome.exit_code, signal == 0 ? 0 : -1) << "rank " << rank << ": " << outcome.text();
      EXPECT_NE(outcome.out.find("Running 1 test "), std::string::npos) << test << " is no part: " << outcome.text();
    });
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

// A part: gets what the environment says.
class RankOfAnotherProcess : public testing::Test {
 public:
  using Run = void (*)(const rtCommUniqueId_t& id, int rank, int size);
  explicit RankOfAnotherProcess(Run run) : run_(run) {}
  void TestBody() override {
    rtCommUniqueId_t id = {};
    ASSERT_TRUE(fromEnvironment(&id));
    run_(id, number(kRank), number(kSize));
  }

 private:
  const Run run_;
};

inline void addPart(const char* suite, const char* name, RankOfAnotherProcess::Run run) {
  if (std::getenv(kRank) == nullptr) return;
  testing::RegisterTest(suite, name, nullptr, nullptr, __FILE__, __LINE__,
                        [run]() -> RankOfAnotherProcess* { return new RankOfAnotherProcess(run); });
}

}  // namespace commtest
