// MPI that several threads may not call at a time: operations are over when their calls return, on the calling thread. And the
// ways to call MPI, which all ranks have to share. The levels are those of COMM_MPI_THREADS.
#include <cstdlib>
#include <string>
#include <thread>

#include "comm/mpi/process.h"

namespace commtest {
namespace {

class MpiThreadsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (anyThread()) GTEST_SKIP() << "any thread may call MPI";
    ASSERT_NO_FATAL_FAILURE(process_.make("cpu", kLong, "world"));
  }

  Process process_;
};

TEST_F(MpiThreadsTest, AnOperationIsOverWhenItsCallReturns) {
  constexpr uint64_t kMost = 100'000;
  rttest::Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), kMost * sizeof(int32_t), process_.context));
  auto* const numbers = static_cast<int32_t*>(memory.get());
  for (int round = 0; round < 200; ++round) {
    const uint64_t count = round % 2 == 0 ? 3 : kMost;
    ASSERT_RT_OK(rtMemsetAsync(numbers, 1, count * sizeof(int32_t), process_.stream));  // what is ahead is waited for
    ASSERT_COMM_OK(rtCommAllReduce(numbers, numbers, count, RT_COMM_I32, RT_COMM_SUM, process_.stream, process_.comm));
    EXPECT_RT_OK(rtStreamQuery(process_.stream));
    ASSERT_EQ(numbers[count - 1], 0x01010101 * process_.size) << "in round " << round;
  }
}

TEST_F(MpiThreadsTest, AGroupIsOverWhenItEnds) {
  const int next = (process_.rank + 1) % process_.size, before = (process_.rank + process_.size - 1) % process_.size;
  int32_t mine = process_.rank, theirs = -1, sum = 1;
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(rtCommSend(&mine, 1, RT_COMM_I32, next, process_.stream, process_.comm));
  ASSERT_COMM_OK(rtCommReceive(&theirs, 1, RT_COMM_I32, before, process_.stream, process_.comm));
  ASSERT_COMM_OK(rtCommAllReduce(&sum, &sum, 1, RT_COMM_I32, RT_COMM_SUM, process_.stream, process_.comm));
  ASSERT_COMM_OK(rtCommGroupEnd());
  EXPECT_EQ(theirs, before);
  EXPECT_EQ(sum, process_.size);
}

TEST_F(MpiThreadsTest, AFailedStreamIsToldByTheCall) {
  if (callsCollectives()) GTEST_SKIP() << "the other ranks would wait for ever";
  int32_t number = 0;
  if (process_.rank == process_.size - 1) {
    rttest::Gate gate(process_.context);
    ASSERT_RT_OK(gate.close(process_.stream));
    ASSERT_RT_OK(
        rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, process_.stream));
    ASSERT_RT_OK(gate.open());
    EXPECT_COMM(RT_ERROR_IO, rtCommAllReduce(&number, &number, 1, RT_COMM_I32, RT_COMM_SUM, process_.stream, process_.comm));
    return;
  }
  ASSERT_COMM_OK(rtCommAllReduce(&number, &number, 1, RT_COMM_I32, RT_COMM_SUM, process_.stream, process_.comm));
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(process_.stream));
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, process_.size - 1, "failed before its all-reduce of 1 i32 (sum)", process_.comm);
}

TEST_F(MpiThreadsTest, ACallInAFunctionOfItsStreamIsRefusedAndTheCommunicatorGoesOn) {
  struct Inside {
    Process& process;
    rtStatus_t code;
    char text[512];
  } inside = {process_, RT_SUCCESS, ""};
  const auto call = [](void* user, rtStatus_t) {
    Inside& of = *static_cast<Inside*>(user);
    of.code = rtCommBarrier(of.process.stream, of.process.comm);
    (void)rtCommGetLastErrorMessage(of.text, sizeof of.text, nullptr);
  };
  ASSERT_RT_OK(rtLaunchHostFunction(call, &inside, process_.stream));
  ASSERT_RT_OK(rtStreamSynchronize(process_.stream));
  int level = 0;
  (void)MPI_Query_thread(&level);
  const bool any_thread = level == MPI_THREAD_SERIALIZED;
  EXPECT_EQ(inside.code, any_thread ? RT_ERROR_BUSY : RT_ERROR_NOT_SUPPORTED);
  EXPECT_NE(std::string(inside.text).find(any_thread ? "cannot wait for its own stream" : "Another thread"), std::string::npos)
      << inside.text;
  rtStatus_t status = RT_ERROR_INTERNAL;
  ASSERT_COMM_OK(rtCommGetStatus(&status, nullptr, process_.comm));
  EXPECT_EQ(status, RT_SUCCESS);
  EXPECT_COMM_OK(rtCommBarrier(process_.stream, process_.comm));
}

TEST_F(MpiThreadsTest, ACaptureIsRefused) {
  rtGraph_t graph = nullptr;
  ASSERT_RT_OK(rtStreamBeginCapture(process_.stream));
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, rtCommBarrier(process_.stream, process_.comm));
  (void)rtStreamEndCapture(&graph, process_.stream);
  (void)rtGraphDestroy(graph);
  EXPECT_COMM_OK(rtCommBarrier(process_.stream, process_.comm));
}

TEST_F(MpiThreadsTest, AnotherThreadMayCallWhereMpiLetsIt) {
  int level = 0;
  (void)MPI_Query_thread(&level);
  std::thread([&] {
    Comm part;
    if (level == MPI_THREAD_SERIALIZED) {
      EXPECT_COMM_OK(rtCommBarrier(process_.stream, process_.comm));
      EXPECT_COMM_OK(rtCommSplit(part.out(), 0, 0, process_.comm));
    } else {
      EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, rtCommBarrier(process_.stream, process_.comm));
      EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, rtCommSplit(part.out(), 0, 0, process_.comm));
    }
  }).join();
  EXPECT_COMM_OK(rtCommBarrier(process_.stream, process_.comm));
}

// ---- How MPI is called ----

class MpiCallsTest : public testing::Test {
 protected:
  void SetUp() override {
    rtDevice_t device = nullptr;
    ASSERT_RT_OK(rtDeviceGetByName(&device, "cpu"));
    ASSERT_RT_OK(rtContextCreate(context_.out(), nullptr, device));
    if (const char* const calls = getenv("RT_COMM_MPI")) before_ = calls;
  }
  void TearDown() override { (void)setenv("RT_COMM_MPI", before_.c_str(), 1); }  // empty: as not set

  rttest::Context context_;
  std::string before_;
};

TEST_F(MpiCallsTest, AnUnknownWayIsRefused) {
  const MPI_Comm world = MPI_COMM_WORLD;
  Comm comm;
  (void)setenv("RT_COMM_MPI", "smoke", 1);
  ASSERT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateFromMpi(comm.out(), nullptr, &world, context_));
  char text[256] = "";
  (void)rtCommGetLastErrorMessage(text, sizeof text, nullptr);
  EXPECT_NE(std::string(text).find("RT_COMM_MPI=smoke"), std::string::npos) << text;
}

TEST_F(MpiCallsTest, RanksThatCallInDifferentWaysAreRefused) {
  if (worldSize() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const MPI_Comm world = MPI_COMM_WORLD;
  Comm comm;
  (void)setenv("RT_COMM_MPI", worldRank() == 0 ? "collectives" : "messages", 1);
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, rtCommCreateFromMpi(comm.out(), nullptr, &world, context_));
}

}  // namespace
}  // namespace commtest
