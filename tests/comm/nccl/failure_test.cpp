// Ranks of NCCL that do not do their part. Each of the others gets a status, the rank is named where it can be known, and
// nothing hangs. The simulation says what NCCL would say; with NCCL itself those tests are skipped.
#include <thread>

#include "comm/nccl/devices.h"

namespace commtest {
namespace {

class NcclFailureTest : public testing::Test {
 protected:
  void SetUp() override {
    if (rttest::cudaDeviceCount() < 2) GTEST_SKIP() << "fewer than two CUDA devices";
  }
  void make(int count, uint64_t timeout_ns, const char* label = "") {
    ASSERT_NO_FATAL_FAILURE(ranks_.make(everyDevice(count), count, timeout_ns, label));
    for (int rank = 0; rank < count; ++rank) {
      ASSERT_NO_FATAL_FAILURE(upload(&memory_.emplace_back(), Bytes(4096), ranks_.contexts[rank]));
    }
  }
  rtStatus_t allReduce(int rank, uint64_t count = 16, int32_t type = RT_COMM_I32) {
    return rtCommAllReduce(memory_[rank].get(), memory_[rank].get(), count, type, RT_COMM_SUM, ranks_.streams[rank],
                           ranks_.comms[rank]);
  }
  void expectFailure(rtStatus_t code, int32_t about, const std::string& words, const std::vector<int>& streams) {
    ranks_.expectFailure(code, about, words, streams);
  }

  static constexpr uint64_t kLarge = 32 << 20;  // no pool has it at hand
  Ranks ranks_;
  std::vector<rttest::Memory> memory_;
};

TEST_F(NcclFailureTest, ARankThatDoesNotComeIsNamedAfterTheTime) {
  constexpr uint64_t kTwoSeconds = 2'000'000'000;  // NCCL's own start takes half of one
  ASSERT_NO_FATAL_FAILURE(make(2, kTwoSeconds, "pair"));
  ASSERT_COMM_OK(allReduce(0));
  expectFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 of \"pair\" did not come to collective 0 within 2 s", {0});
  EXPECT_COMM(RT_ERROR_TIMEOUT, allReduce(1));
}

TEST_F(NcclFailureTest, ARankWithAnotherCountIsNamed) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  ASSERT_COMM_OK(allReduce(0, 16));
  ASSERT_COMM_OK(allReduce(1, 17));
  expectFailure(RT_ERROR_INVALID_VALUE, 1, "Rank 1 came with all-reduce of 17 i32 (sum)", {0, 1});
}

TEST_F(NcclFailureTest, AReceiveOfAnotherSizeNamesTheSender) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  ASSERT_COMM_OK(rtCommSend(memory_[0].get(), 5, RT_COMM_I32, 1, ranks_.streams[0], ranks_.comms[0]));
  ASSERT_COMM_OK(rtCommReceive(memory_[1].get(), 4, RT_COMM_I32, 0, ranks_.streams[1], ranks_.comms[1]));
  expectFailure(RT_ERROR_INVALID_VALUE, 0, "Rank 0 came with send of 5 i32 to rank 1", {0, 1});
}

TEST_F(NcclFailureTest, AnAbortFromAnotherThreadFreesAllRanks) {
  ASSERT_NO_FATAL_FAILURE(make(2, RT_TIMEOUT_INFINITE));
  ASSERT_COMM_OK(allReduce(0));
  std::thread other([&] { EXPECT_COMM_OK(rtCommAbort(ranks_.comms[1])); });
  expectFailure(RT_ERROR_LAUNCH_FAILED, 1, "Rank 1 called rtCommAbort.", {0});
  other.join();
}

// ---- On the device: all ranks have called NCCL, and the work of rank 1 does not begin, so that rank 0 waits for it there ----

class NcclDeviceFailureTest : public NcclFailureTest {
 protected:
  void SetUp() override {
    NcclFailureTest::SetUp();
    if (!IsSkipped() && !simulatedNccl().here()) GTEST_SKIP() << "NCCL holds no device back";
  }
  // After an operation of the same kind, so that no call waits on the host.
  void makeConnected(uint64_t timeout_ns, const char* label = "") {
    ASSERT_NO_FATAL_FAILURE(make(2, timeout_ns, label));
    for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(allReduce(rank));
    ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
    calls_ = simulatedNccl().count("ncclAllReduce");
    aborts_ = simulatedNccl().count("ncclCommAbort");
  }
  void submitBoth() {
    for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(allReduce(rank));
    awaitCalls("ncclAllReduce", calls_ + 2);
    EXPECT_EQ(simulatedNccl().count("ncclCommAbort"), aborts_);
  }
  static void awaitCalls(const char* function, int wanted) {
    while (simulatedNccl().count(function) < wanted) std::this_thread::yield();  // the test's time limit ends it
  }

  int calls_ = 0, aborts_ = 0;
};

TEST_F(NcclDeviceFailureTest, WhatWaitsOnTheDeviceEndsAfterTheTime) {
  ASSERT_NO_FATAL_FAILURE(makeConnected(kShort, "pair"));
  const Held held(1);
  ASSERT_NO_FATAL_FAILURE(submitBoth());
  expectFailure(RT_ERROR_TIMEOUT, -1, "of \"pair\" did not end within 0.2 s: another rank has not come", {0, 1});
  awaitCalls("ncclCommAbort", aborts_ + 2);
}

TEST_F(NcclDeviceFailureTest, AReceiveThatWaitsOnTheDeviceNamesTheSenderAfterTheTime) {
  ASSERT_NO_FATAL_FAILURE(makeConnected(kShort));
  const Held held(1);
  ASSERT_COMM_OK(rtCommReceive(memory_[0].get(), 4, RT_COMM_I32, 1, ranks_.streams[0], ranks_.comms[0]));
  ASSERT_COMM_OK(rtCommSend(memory_[1].get(), 4, RT_COMM_I32, 0, ranks_.streams[1], ranks_.comms[1]));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronize(ranks_.streams[0]));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronize(ranks_.streams[1]));
  char text[512] = "";
  EXPECT_COMM_OK(rtCommGetStatusMessage(text, sizeof text, nullptr, ranks_.comms[0]));
  EXPECT_NE(std::string(text).find("within 0.2 s to what rank"), std::string::npos) << text;
}

// The thread of a group that both engines run waits for NCCL's part.
TEST_F(NcclDeviceFailureTest, WhatAGroupOfBothEnginesWaitsForEndsAfterTheTime) {
  ASSERT_NO_FATAL_FAILURE(makeConnected(kShort));
  const Held held(1);
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_COMM_OK(rtCommGroupBegin());
    ASSERT_COMM_OK(allReduce(rank));
    ASSERT_COMM_OK(allReduce(rank, 16, RT_COMM_I16));
    ASSERT_COMM_OK(rtCommGroupEnd());
  }
  expectFailure(RT_ERROR_TIMEOUT, -1, "did not end within 0.2 s: another rank has not come", {0, 1});
}

TEST_F(NcclDeviceFailureTest, AnAsynchronousErrorOfNcclEndsWhatWaits) {
  ASSERT_NO_FATAL_FAILURE(makeConnected(kLong));
  const Held held(1);
  ASSERT_NO_FATAL_FAILURE(submitBoth());
  simulatedNccl().async_error(6);
  expectFailure(RT_ERROR_DRIVER, -1, "An operation of NCCL failed: remote process exited", {0, 1});
  simulatedNccl().async_error(0);
}

TEST_F(NcclDeviceFailureTest, AnAbortEndsWhatWaitsOnTheDevice) {
  ASSERT_NO_FATAL_FAILURE(makeConnected(RT_TIMEOUT_INFINITE));
  const Held held(1);
  ASSERT_NO_FATAL_FAILURE(submitBoth());
  EXPECT_EQ(rtStreamSynchronizeFor(kShort / 4, ranks_.streams[0]), RT_ERROR_TIMEOUT);
  ASSERT_COMM_OK(rtCommAbort(ranks_.comms[0]));
  expectFailure(RT_ERROR_LAUNCH_FAILED, 0, "Rank 0 called rtCommAbort.", {0, 1});
}

// An abort frees what a call still uses. The first operation of a kind may take NCCL long, and the ranks have met before.
TEST_F(NcclDeviceFailureTest, AnAbortWaitsForTheCallsOfNccl) {
  ASSERT_NO_FATAL_FAILURE(makeConnected(RT_TIMEOUT_INFINITE));
  {
    const Held calls(-2);
    ASSERT_NO_FATAL_FAILURE(submitBoth());
    ASSERT_COMM_OK(rtCommAbort(ranks_.comms[0]));
    EXPECT_EQ(rtStreamSynchronizeFor(2 * kShort, ranks_.streams[0]), RT_ERROR_TIMEOUT);
    EXPECT_EQ(simulatedNccl().count("ncclCommAbort"), aborts_);
  }
  expectFailure(RT_ERROR_LAUNCH_FAILED, 0, "Rank 0 called rtCommAbort.", {0, 1});
  EXPECT_EQ(simulatedNccl().count("abort within a call"), 0);
}

// The start of NCCL has no clock of its own. A start that comes late is ended.
TEST_F(NcclDeviceFailureTest, AStartThatDoesNotEndIsGivenUpAfterTheTime) {
  ASSERT_NO_FATAL_FAILURE(makeConnected(kLong));
  const rtContext_t contexts[] = {ranks_.contexts[0], ranks_.contexts[1]};
  const rtCommOptions_t given = options(kShort);
  rtComm_t made[2] = {};
  {
    const Held start(-1);
    EXPECT_COMM(RT_ERROR_TIMEOUT, rtCommCreateAll(made, &given, contexts, 2));
    EXPECT_NE(lastMessage().find("NCCL did not start 2 ranks within 0.2 s"), std::string::npos) << lastMessage();
    EXPECT_EQ(made[0], nullptr);
  }
  awaitCalls("ncclCommAbort", aborts_ + 2);
}

TEST_F(NcclFailureTest, ADestroyedRankIsNamedByThoseThatWait) {
  ASSERT_NO_FATAL_FAILURE(make(2, RT_TIMEOUT_INFINITE));
  ASSERT_COMM_OK(allReduce(0));
  ASSERT_COMM_OK(ranks_.comms[1].reset());
  expectFailure(RT_ERROR_LAUNCH_FAILED, 1, "Rank 1 destroyed its communicator", {0});
}

TEST_F(NcclFailureTest, ADestroyWithWorkInFlightLetsTheWorkEnd) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  const Bytes ones(64, 1);
  for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtMemcpy(memory_[rank].get(), ones.data(), 64, RT_MEMCPY_DEFAULT));
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_COMM_OK(allReduce(rank, 64, RT_COMM_U8));
    ASSERT_COMM_OK(ranks_.comms[rank].reset());
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(download(memory_[rank].get(), 64), Bytes(64, 2));
}

TEST_F(NcclFailureTest, TwoCommunicatorsOnTwoStreamsInTwoOrdersDoNotHang) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  const rtContext_t contexts[] = {ranks_.contexts[0], ranks_.contexts[1]};
  rtComm_t made[2] = {};
  ASSERT_COMM_OK(rtCommCreateAll(made, nullptr, contexts, 2));
  const Comm second[] = {Comm(made[0]), Comm(made[1])};
  rttest::Stream streams[2];
  for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtStreamCreate(streams[rank].out(), nullptr, contexts[rank]));
  for (int round = 0; round < 20; ++round) {
    ASSERT_COMM_OK(rtCommBarrier(ranks_.streams[0], ranks_.comms[0]));
    ASSERT_COMM_OK(rtCommBarrier(streams[0], second[0]));
    ASSERT_COMM_OK(rtCommBarrier(streams[1], second[1]));
    ASSERT_COMM_OK(rtCommBarrier(ranks_.streams[1], ranks_.comms[1]));
    ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
    for (const rttest::Stream& stream : streams) ASSERT_RT_OK(rtStreamSynchronize(stream));
  }
}

TEST_F(NcclFailureTest, AFailedCallFailsTheCommunicator) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "NCCL does not fail when it is told to";
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  simulatedNccl().fail("ncclAllReduce", 3);
  for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(allReduce(rank));
  for (const rttest::Stream& stream : ranks_.streams) EXPECT_RT(RT_ERROR_DRIVER, rtStreamSynchronize(stream));
  simulatedNccl().fail("ncclAllReduce", 0);
  char text[512] = "";
  EXPECT_COMM_OK(rtCommGetStatusMessage(text, sizeof text, nullptr, ranks_.comms[0]));
  EXPECT_NE(std::string(text).find("ncclAllReduce failed: internal error"), std::string::npos) << text;
}

class NcclTogetherTest : public NcclFailureTest {
 protected:
  void makeConnected(uint64_t timeout_ns) {
    ASSERT_NO_FATAL_FAILURE(make(2, timeout_ns));
    for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(allReduce(rank));
    ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  }
  void group() {
    ASSERT_COMM_OK(rtCommGroupBegin());
    for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(allReduce(rank));
    ASSERT_COMM_OK(rtCommGroupEnd());
  }
};

// One group of NCCL, by the thread that ends the group: another way makes none for an all-reduce.
TEST_F(NcclTogetherTest, AGroupOfAllRanksIsGivenToNcclByItsEnd) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "counts in the simulation";
  ASSERT_NO_FATAL_FAILURE(makeConnected(kLong));
  for (int turn = 1; turn <= 3; ++turn) {
    const int groups = simulatedNccl().count("ncclGroupStart"), calls = simulatedNccl().count("ncclAllReduce");
    ASSERT_NO_FATAL_FAILURE(group());
    EXPECT_EQ(simulatedNccl().count("ncclGroupStart"), groups + 1);
    EXPECT_EQ(simulatedNccl().count("ncclAllReduce"), calls + 2);
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
}

// After work that a stream holds back, and among operations outside of groups, the order of each stream stands.
TEST_F(NcclTogetherTest, GroupsKeepTheOrderOfStreamsThatHoldWorkBack) {
  ASSERT_NO_FATAL_FAILURE(makeConnected(kLong));
  for (int held = 0; held < 2; ++held) {
    rttest::Gate gate(ranks_.contexts[held]);
    for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtMemsetAsync(memory_[rank], 0, 4, ranks_.streams[rank]));
    ASSERT_RT_OK(gate.close(ranks_.streams[held]));
    const int32_t one = 1;
    for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtMemFillAsync(memory_[rank], &one, 4, 1, ranks_.streams[rank]));
    ASSERT_NO_FATAL_FAILURE(group());
    for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(allReduce(rank));
    ASSERT_NO_FATAL_FAILURE(group());
    EXPECT_EQ(rtStreamQuery(ranks_.streams[held]), RT_NOT_READY);
    ASSERT_RT_OK(gate.open());
    ASSERT_NO_FATAL_FAILURE(group());
    ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
    for (int rank = 0; rank < 2; ++rank) {
      int32_t seen = 0;
      ASSERT_RT_OK(rtMemcpy(&seen, memory_[rank], 4, RT_MEMCPY_DEFAULT));
      EXPECT_EQ(seen, 16) << "rank " << rank;
    }
  }
}

TEST_F(NcclTogetherTest, AFailedCallFailsTheCommunicatorAndAllStreams) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "NCCL does not fail when it is told to";
  ASSERT_NO_FATAL_FAILURE(makeConnected(kLong));
  simulatedNccl().fail("ncclAllReduce", 3);
  ASSERT_NO_FATAL_FAILURE(group());
  for (const rttest::Stream& stream : ranks_.streams) EXPECT_RT(RT_ERROR_DRIVER, rtStreamSynchronize(stream));
  simulatedNccl().fail("ncclAllReduce", 0);
  char text[512] = "";
  EXPECT_COMM_OK(rtCommGetStatusMessage(text, sizeof text, nullptr, ranks_.comms[0]));
  EXPECT_NE(std::string(text).find("ncclAllReduce failed: internal error"), std::string::npos) << text;
}

TEST_F(NcclTogetherTest, WhatWaitsOnTheDeviceEndsAfterTheTime) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "NCCL holds no device back";
  ASSERT_NO_FATAL_FAILURE(makeConnected(kShort));
  const Held held(1);
  ASSERT_NO_FATAL_FAILURE(group());
  expectFailure(RT_ERROR_TIMEOUT, -1, "did not end within 0.2 s: another rank has not come", {0, 1});
}

constexpr int kNoMemory = 2;

// Allocations of the driver, whole ones and parts of ranges.
void failAllocations(int code) {
  for (const char* call : {"cudaMalloc", "cuMemCreate"}) rttest::simulatedCuda().fail(call, 0, code);
}

// The parts of an all-to-all in place go to memory beside. A rank that gets none fails before the others wait in NCCL for it.
TEST_F(NcclFailureTest, AnAllToAllInPlaceWithoutMemoryFailsBeforeNcclIsCalled) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "no device fails when it is told to";
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  std::vector<rttest::Memory> large(2);
  for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtMalloc(large[rank].out(), 2 * kLarge, ranks_.contexts[rank]));
  const int calls = simulatedNccl().count("ncclSend");
  failAllocations(kNoMemory);
  ASSERT_COMM_OK(rtCommAllToAll(large[0].get(), large[0].get(), kLarge, RT_COMM_U8, ranks_.streams[0], ranks_.comms[0]));
  expectFailure(RT_ERROR_OUT_OF_MEMORY, 0, "", {0});
  failAllocations(0);
  EXPECT_COMM(RT_ERROR_OUT_OF_MEMORY,
              rtCommAllToAll(large[1].get(), large[1].get(), kLarge, RT_COMM_U8, ranks_.streams[1], ranks_.comms[1]));
  EXPECT_EQ(simulatedNccl().count("ncclSend"), calls);
}

// The engine of this process allocates when the ranks have met: the others leave the meeting with the failure.
TEST_F(NcclFailureTest, AnAllToAllInPlaceWithoutMemoryFreesTheRanksOnOtherDevices) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "no device fails when it is told to";
  ASSERT_NO_FATAL_FAILURE(ranks_.make("cpu cuda:0", 3, RT_TIMEOUT_INFINITE));
  std::vector<rttest::Memory> large(3);
  for (int rank = 0; rank < 3; ++rank) ASSERT_RT_OK(rtMalloc(large[rank].out(), 3 * kLarge, ranks_.contexts[rank]));
  failAllocations(kNoMemory);
  for (int rank = 0; rank < 3; ++rank) {
    ASSERT_COMM_OK(
        rtCommAllToAll(large[rank].get(), large[rank].get(), kLarge, RT_COMM_U8, ranks_.streams[rank], ranks_.comms[rank]));
  }
  expectFailure(RT_ERROR_OUT_OF_MEMORY, 1, "", {0, 1, 2});
  failAllocations(0);
}

TEST_F(NcclFailureTest, AFailedStartMakesNoCommunicator) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "NCCL does not fail when it is told to";
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  const rtContext_t contexts[] = {ranks_.contexts[0], ranks_.contexts[1]};
  rtComm_t made[2] = {};
  simulatedNccl().fail("ncclCommInitAll", 2);
  EXPECT_COMM(RT_ERROR_DRIVER, rtCommCreateAll(made, nullptr, contexts, 2));
  simulatedNccl().fail("ncclCommInitAll", 0);
  EXPECT_NE(lastMessage().find("ncclCommInitAll failed: unhandled system error"), std::string::npos) << lastMessage();
  EXPECT_EQ(made[0], nullptr);
}

// Ranks end after their work, on a thread of the library. No rank of an earlier test is left, failed or not.
TEST_F(NcclFailureTest, EveryCommunicatorOfNcclIsEnded) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "counts in the simulation";
  const auto awaitNone = [] {
    while (simulatedNccl().live() != 0) std::this_thread::yield();  // the test's time limit ends it
  };
  awaitNone();
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(allReduce(rank));
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  EXPECT_EQ(simulatedNccl().live(), 2);
  ranks_.comms.clear();
  awaitNone();
}

}  // namespace
}  // namespace commtest
