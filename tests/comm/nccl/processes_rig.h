// Ranks of several processes, each on a CUDA device of its own, which meet through NCCL's id. The test's process has rank 0 and
// starts this program again for each of the others, with the id in its environment. There `addRank` names what each does.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "comm/free_port.h"
#include "comm/memory.h"
#include "comm/nccl/devices.h"
#include "comm/unique_ids.h"
#include "support/process.h"

namespace commtest {

inline constexpr char kRank[] = "COMM_TEST_RANK", kSize[] = "COMM_TEST_SIZE", kGone[] = "COMM_TEST_GONE";

// The parts of one process.
struct OwnRank {
  rttest::Context context;
  rttest::Stream stream;
  Comm comm;

  rtStatus_t create(const rtCommUniqueId_t& id, int rank, int size, uint64_t timeout_ns) {
    rtDevice_t device = nullptr;
    EXPECT_RT_OK(rtDeviceGetByName(&device, ("cuda:" + std::to_string(rank)).c_str()));
    EXPECT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
    const rtCommOptions_t given = options(timeout_ns, "far");
    return rtCommCreate(comm.out(), &given, &id, rank, size, context);
  }
};

// A process and NCCL start within it.
inline uint64_t ownTime() { return simulatedNccl().here() ? 5'000'000'000 : 10'000'000'000; }

class NcclProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    if (rttest::cudaDeviceCount() < 2) GTEST_SKIP() << "fewer than two CUDA devices";
    ASSERT_COMM_OK(rtCommGetUniqueId(&id_));
  }
  // The ranks from `first` on, each in a process, which a signal ends where one is given.
  void start(int size, const char* test, int first = 1, int signal = 0) {
    for (int rank = first; rank < size; ++rank) startOne(rank, size, test, signal);
  }
  void startOne(int rank, int size, const char* test, int signal) {
    threads_.emplace_back([this, rank, size, test, signal] {
      const rttest::Outcome outcome =
          rttest::run({"/proc/self/exe", std::string("--gtest_filter=NcclRank.") + test}, {{kUniqueId, toText(id_)},
                                                                                           {kRank, std::to_string(rank)},
                                                                                           {kSize, std::to_string(size)},
                                                                                           {kGone, std::to_string(gone_)},
                                                                                           {"GTEST_OUTPUT", ""}});
      EXPECT_EQ(outcome.signal, signal) << "rank " << rank << ": " << outcome.text();
      EXPECT_EQ(outcome.exit_code, signal == 0 ? 0 : -1) << "rank " << rank << ": " << outcome.text();
    });
  }
  void TearDown() override {
    for (std::thread& thread : threads_) thread.join();
  }

  rtCommUniqueId_t id_ = {};
  int gone_ = 2;  // the rank that those in other processes find in their failure
  std::vector<std::thread> threads_;
};

inline int number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

// Until the communicator has failed; the test's time limit ends it otherwise.
inline void awaitFailure(rtComm_t comm) {
  rtStatus_t status = RT_SUCCESS;
  while (status == RT_SUCCESS) {
    ASSERT_COMM_OK(rtCommGetStatus(&status, nullptr, comm));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// ---- The short way: operations that NCCL has connected ----

inline constexpr uint64_t kCount = 64;

struct ConnectedRank : OwnRank {
  rttest::Memory memory;

  rtStatus_t allReduce() {
    return rtCommAllReduce(memory.get(), memory.get(), kCount, RT_COMM_I32, RT_COMM_MAXIMUM, stream, comm);
  }
  void come(const rtCommUniqueId_t& id, int rank, int size, uint64_t timeout_ns) {
    ASSERT_COMM_OK(create(id, rank, size, timeout_ns));
    ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(kCount * 4), context));
  }
  void connect(const rtCommUniqueId_t& id, int rank, int size, uint64_t timeout_ns) {
    ASSERT_NO_FATAL_FAILURE(come(id, rank, size, timeout_ns));
    ASSERT_COMM_OK(allReduce());
    ASSERT_RT_OK(rtStreamSynchronize(stream));
  }
  void fill(int32_t value) { ASSERT_RT_OK(rtMemFillAsync(memory, &value, 4, kCount, stream)); }
  void expect(int32_t value) {
    std::vector<int32_t> seen(kCount);
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    ASSERT_RT_OK(rtMemcpy(seen.data(), memory, kCount * 4, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(seen, std::vector<int32_t>(kCount, value));
  }
};

template <void (*kRun)(const rtCommUniqueId_t&, int)>
void runTheSecondRank() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  kRun(id, 1);
}

// This process has rank 0, as torchrun would have started it.
class NcclLaunchedTest : public NcclProcessTest {
 protected:
  void launch(int size, const char* test, int signal = 0) {
    const std::string port = std::to_string(freePort());
    const auto variables = [&](int rank) -> rttest::Environment {
      return {{"RANK", std::to_string(rank)},
              {"LOCAL_RANK", std::to_string(rank)},
              {"WORLD_SIZE", std::to_string(size)},
              {"LOCAL_WORLD_SIZE", std::to_string(size)},
              {"MASTER_ADDR", "localhost"},
              {"RT_COMM_PORT", port},
              {"GTEST_OUTPUT", ""},
              {kRank, std::to_string(rank)}};
    };
    // Before the threads, which read the environment.
    for (const auto& [name, value] : variables(0)) {
      if (name != "GTEST_OUTPUT" && name != kRank) setenv(name.c_str(), value.c_str(), 1);
    }
    for (int rank = 1; rank < size; ++rank) {
      threads_.emplace_back([rank, test, signal, of = variables(rank)] {
        const rttest::Outcome outcome = rttest::run({"/proc/self/exe", std::string("--gtest_filter=NcclRank.") + test}, of);
        EXPECT_EQ(outcome.signal, signal) << "rank " << rank << ": " << outcome.text();
        EXPECT_EQ(outcome.exit_code, signal == 0 ? 0 : -1) << "rank " << rank << ": " << outcome.text();
      });
    }
  }
  void TearDown() override {
    NcclProcessTest::TearDown();
    for (const char* name : {"RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "RT_COMM_PORT"}) {
      (void)unsetenv(name);
    }
  }
};

// The parts of other processes are tests only in those that the tests above start.
class RankOfAnotherProcess : public testing::Test {
 public:
  explicit RankOfAnotherProcess(void (*run)()) : run_(run) {}
  void TestBody() override { run_(); }

 private:
  void (*const run_)();
};

// For the processes that tests start; in others it adds nothing.
inline void addRank(const char* name, void (*run)()) {
  if (std::getenv(kRank) == nullptr) return;
  testing::RegisterTest("NcclRank", name, nullptr, nullptr, __FILE__, __LINE__,
                        [run]() -> RankOfAnotherProcess* { return new RankOfAnotherProcess(run); });
}

}  // namespace commtest
