// rtCommCreateFromEnvironment among processes, as a launcher starts them: each is this program again, with the variables of its
// rank. The words of the variables are in bootstrap/launch_test.cpp, the meeting of ranks in bootstrap/meet_test.cpp.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <thread>

#include "comm/free_port.h"
#include "comm/lack.h"
#include "comm/ranks.h"
#include "support/process.h"

namespace commtest {
namespace {

constexpr char kPart[] = "COMM_TEST_PART", kTime[] = "COMM_TEST_TIME_MS";

// ---- In the process of a rank ----

int number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

// Prints one line, which the test compares: the status, and the sentence or the result of an all-reduce.
int runRank() {
  const auto fail = [](const char* what) {
    std::printf("%s failed\n", what);
    return 1;
  };
  rtDevice_t device = nullptr;
  rttest::Context context;
  Comm comm;
  if (rtDeviceGetByName(&device, "cpu") != RT_SUCCESS) return fail("rtDeviceGetByName");
  if (rtContextCreate(context.out(), nullptr, device) != RT_SUCCESS) return fail("rtContextCreate");
  const rtCommOptions_t given = options(number(kTime) < 0 ? kLong : static_cast<uint64_t>(number(kTime)) * 1'000'000);
  const rtStatus_t status = rtCommCreateFromEnvironment(comm.out(), &given, context);
  if (status != RT_SUCCESS) {
    std::printf("%s: %s\n", rtGetErrorName(status), lastMessage().c_str());
    return comm.get() == nullptr ? 0 : 1;
  }
  int32_t rank = -1, size = -1;
  if (rtCommGetRank(&rank, comm) != RT_SUCCESS || rtCommGetSize(&size, comm) != RT_SUCCESS) return fail("rtCommGetRank");
  int32_t sum = rank + 1;
  if (rtCommAllReduce(&sum, &sum, 1, RT_COMM_I32, RT_COMM_SUM, nullptr, comm) != RT_SUCCESS) return fail("rtCommAllReduce");
  if (rtContextSynchronize(context) != RT_SUCCESS) return fail("rtContextSynchronize");
  std::printf("rank %d of %d: %d\n", rank, size, sum);
  return 0;
}

// Before main(): the program is a rank then, and no test.
[[maybe_unused]] const bool is_rank = [] {
  if (std::getenv(kPart) == nullptr) return false;
  const int code = runRank();
  std::fflush(stdout);
  _exit(code);
}();

// ---- In the test ----

// The processes of one job, each on a thread that waits for it.
class EnvironmentTest : public testing::Test {
 protected:
  rttest::Environment variables(int rank, int size) const {
    rttest::Environment of = {{kPart, "1"},
                              {"RANK", std::to_string(rank)},
                              {"WORLD_SIZE", std::to_string(size)},
                              {"LOCAL_WORLD_SIZE", ""},
                              {"MASTER_ADDR", "127.0.0.1"},
                              {"MASTER_PORT", ""},
                              {"RT_COMM_PORT", port_},
                              {"RT_COMM_TOKEN", "a word of the job"},
                              {"GTEST_OUTPUT", ""}};
    return of;
  }
  static rttest::Environment with(rttest::Environment of, const char* name, const std::string& value) {
    for (auto& [variable, is] : of) {
      if (variable == name) is = value;
    }
    return of;
  }
  void start(rttest::Environment of) {
    outcomes_.push_back(std::make_unique<rttest::Outcome>());
    threads_.emplace_back([into = outcomes_.back().get(), of = std::move(of)] { *into = rttest::run({"/proc/self/exe"}, of); });
  }
  // The output of each process, in the order of their start.
  std::vector<std::string> wait() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    std::vector<std::string> lines;
    for (const auto& outcome : outcomes_) {
      EXPECT_EQ(outcome->exit_code, 0) << outcome->text();
      lines.push_back(outcome->out);
    }
    outcomes_.clear();
    return lines;
  }
  void TearDown() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void expect(const std::string& line, const std::string& code, const std::string& words) {
    EXPECT_EQ(line.find("RT_ERROR_" + code + ": rtCommCreateFromEnvironment: "), 0u) << line;
    EXPECT_NE(line.find(words), std::string::npos) << line;
  }

  std::string port_ = std::to_string(freePort());
  std::vector<std::unique_ptr<rttest::Outcome>> outcomes_;
  std::vector<std::thread> threads_;
};

TEST_F(EnvironmentTest, OneRankNeedsNoOther) {
  start(with(with(variables(0, 1), "MASTER_ADDR", ""), "RT_COMM_PORT", ""));
  EXPECT_EQ(wait().front(), "rank 0 of 1: 1\n");
}

TEST_F(EnvironmentTest, RanksOfSeveralProcessesMeet) {
  for (const int size : {2, 3, 4}) {
    SCOPED_TRACE(size);
    for (int rank = size; rank-- > 0;) start(variables(rank, size));
    const std::vector<std::string> lines = wait();
    for (int rank = size, i = 0; rank-- > 0; ++i) {
      EXPECT_EQ(lines[static_cast<size_t>(i)], "rank " + std::to_string(rank) + " of " + std::to_string(size) + ": " +
                                                   std::to_string(size * (size + 1) / 2) + "\n");
    }
  }
}

// A rank that cannot join is told to all, by its number.
TEST_F(EnvironmentTest, RanksThatCannotBeJoinedLeaveWithOneAnswer) {
  for (int rank = 0; rank < 3; ++rank) {
    rttest::Environment of = variables(rank, 3);
    if (rank == 1) of.emplace_back("RT_COMM_ENGINE", "in_process");
    start(of);
  }
  for (const std::string& line : wait()) {
    expect(line, "NOT_SUPPORTED", "Rank 1 on ");
    expect(line, "NOT_SUPPORTED", "rtCommCreateFromMpi");
  }
}

// As torchrun on one machine: MASTER_PORT is in use, the name of the host is any, and there is no token.
TEST_F(EnvironmentTest, RanksOfOneHostMeetWithoutATokenNextToTheLaunchersPort) {
  const std::string master = std::to_string(std::stoi(port_) - 1);
  for (int rank = 0; rank < 2; ++rank) {
    auto of = with(with(with(variables(rank, 2), "RT_COMM_TOKEN", ""), "RT_COMM_PORT", ""), "MASTER_PORT", master);
    start(with(with(of, "LOCAL_WORLD_SIZE", "2"), "MASTER_ADDR", "no.such.host.invalid"));
  }
  const std::vector<std::string> lines = wait();
  for (const std::string& line : lines) {
    EXPECT_NE(line.find(" of 2: 3"), std::string::npos) << line;
  }
}

TEST_F(EnvironmentTest, WhatTheEnvironmentLacksIsTold) {
  start(with(variables(0, 2), "RANK", ""));
  start(with(variables(0, 2), "RANK", "nought"));
  start(variables(2, 2));
  start(with(variables(1, 2), "MASTER_ADDR", "no.such.host.invalid"));
  start(with(with(variables(0, 2), "RT_COMM_TOKEN", ""), "MASTER_ADDR", "192.0.2.1"));
  const std::vector<std::string> lines = wait();
  expect(lines[0], "INVALID_VALUE", "The environment has WORLD_SIZE=2 and no RANK");
  expect(lines[1], "INVALID_VALUE", "RANK=nought is not a number.");
  expect(lines[2], "INVALID_VALUE", "RANK=2 is too large");
  expect(lines[3], "NOT_FOUND", "MASTER_ADDR=no.such.host.invalid has no address");
  expect(lines[4], "INVALID_VALUE", "RT_COMM_TOKEN is not set");
}

TEST_F(EnvironmentTest, RanksThatDoNotComeAreNamedToAllThatCame) {
  for (const int rank : {0, 2}) {
    rttest::Environment of = variables(rank, 4);
    of.emplace_back(kTime, "5000");  // in which two processes start, also on a busy machine
    start(of);
  }
  for (const std::string& line : wait()) expect(line, "TIMEOUT", "ranks 1 and 3 did not.");
}

// A rank that is killed at any moment of the call, and started again. The last one comes when that is over.
TEST_F(EnvironmentTest, ARankThatIsKilledMayComeAgain) {
  start(variables(0, 4));
  start(variables(2, 4));
  for (int i = 0; i < 10; ++i) {
    const pid_t pid = rttest::spawn({"/proc/self/exe"}, variables(1, 4), STDOUT_FILENO, STDERR_FILENO);
    ASSERT_NE(pid, 0);
    const timespec nap = {0, i * 10'000'000};  // any time will do
    (void)nanosleep(&nap, nullptr);
    ASSERT_EQ(kill(pid, i % 2 == 0 ? SIGKILL : SIGINT), 0);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  start(variables(1, 4));
  start(variables(3, 4));
  const std::vector<std::string> lines = wait();
  for (const std::string& line : lines) {
    EXPECT_NE(line.find(" of 4: 10"), std::string::npos) << line;
  }
}

TEST_F(EnvironmentTest, EveryAllocationMayFail) {
  rtDevice_t device = nullptr;
  rttest::Context context;
  ASSERT_RT_OK(rtDeviceGetByName(&device, "cpu"));
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
  ASSERT_EQ(setenv("RANK", "0", 1), 0);
  ASSERT_EQ(setenv("WORLD_SIZE", "1", 1), 0);
  for (uint64_t k = 1;; ++k) {
    SCOPED_TRACE(k);
    Comm comm;
    rtStatus_t status;
    {
      const Lack lack(k);
      status = rtCommCreateFromEnvironment(comm.out(), nullptr, context);
    }
    if (!Lack::happened()) {
      EXPECT_COMM_OK(status);
      EXPECT_GT(k, 5u);
      break;
    }
    if (status != RT_SUCCESS) {
      EXPECT_EQ(status, RT_ERROR_OUT_OF_MEMORY) << rtGetErrorName(status) << ": " << lastMessage();
      EXPECT_EQ(comm.get(), nullptr);
    }
  }
  (void)unsetenv("RANK");
  (void)unsetenv("WORLD_SIZE");
}

TEST_F(EnvironmentTest, ArgumentsThatAreNoneAreRefused) {
  rtComm_t made = rttest::garbage<rtComm_t>();
  rtCommOptions_t given = RT_COMM_OPTIONS_INIT;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateFromEnvironment(nullptr, nullptr, nullptr));
  given.flags = 1;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateFromEnvironment(&made, &given, nullptr));
  EXPECT_EQ(made, nullptr);
  made = rttest::garbage<rtComm_t>();
  EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommCreateFromEnvironment(&made, nullptr, rttest::garbage<rtContext_t>()));
  EXPECT_EQ(made, nullptr);
}

}  // namespace
}  // namespace commtest
