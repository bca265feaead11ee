// Communicators of which a rank does not do its part: each stream gets a status, each rank is told of, nothing hangs. Every
// test runs on each layout of devices.
#include <thread>

#include "comm/ranks.h"

namespace commtest {
namespace {

class FailureTest : public testing::TestWithParam<std::string> {
 protected:
  void make(int count, uint64_t timeout_ns, const char* label = "") {
    ASSERT_NO_FATAL_FAILURE(ranks_.make(GetParam(), count, timeout_ns, label));
    memory_.resize(static_cast<size_t>(count));
    for (int rank = 0; rank < count; ++rank) {
      ASSERT_NO_FATAL_FAILURE(upload(&memory_[rank], Bytes(4096), ranks_.contexts[rank]));
    }
  }
  rtStatus_t allReduce(int rank, uint64_t count = 16, int32_t type = RT_COMM_I32, int32_t reduction = RT_COMM_SUM) {
    return rtCommAllReduce(memory_[rank].get(), memory_[rank].get(), count, type, reduction, ranks_.streams[rank],
                           ranks_.comms[rank]);
  }
  void expectFailure(rtStatus_t code, int32_t about, const std::string& words, const std::vector<int>& streams) {
    ranks_.expectFailure(code, about, words, streams);
  }

  Ranks ranks_;
  std::vector<rttest::Memory> memory_;
};

TEST_P(FailureTest, ARankThatDoesNotComeIsNamedAfterTheTime) {
  ASSERT_NO_FATAL_FAILURE(make(3, kShort, "triple"));
  ASSERT_COMM_OK(allReduce(0));
  ASSERT_COMM_OK(allReduce(2));
  expectFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 of \"triple\" did not come to collective 0 within 0.2 s", {0, 2});
  EXPECT_COMM(RT_ERROR_TIMEOUT, allReduce(1)) << "a communicator stays failed";
  EXPECT_RT_OK(rtStreamSynchronize(ranks_.streams[1]));
}

TEST_P(FailureTest, AStreamGoesOnAfterItsFailureWasTaken) {
  ASSERT_NO_FATAL_FAILURE(make(2, kShort));
  ASSERT_COMM_OK(allReduce(0));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronize(ranks_.streams[0]));
  EXPECT_RT_OK(rtMemsetAsync(memory_[0].get(), 7, 16, ranks_.streams[0]));
  EXPECT_RT_OK(rtStreamSynchronize(ranks_.streams[0]));
  EXPECT_EQ(download(memory_[0].get(), 16), Bytes(16, 7));
}

TEST_P(FailureTest, ARankWithAnotherCountIsNamed) {
  ASSERT_NO_FATAL_FAILURE(make(3, kLong));
  ASSERT_COMM_OK(allReduce(0, 16));
  ASSERT_COMM_OK(allReduce(1, 16));
  ASSERT_COMM_OK(allReduce(2, 17));
  expectFailure(RT_ERROR_INVALID_VALUE, 2,
                "Rank 2 came with all-reduce of 17 i32 (sum), and rank 0 with all-reduce of 16 i32 (sum)", {0, 1, 2});
}

TEST_P(FailureTest, ARankWithAnotherTypeReductionOrOperationIsNamed) {
  for (int what = 0; what < 4; ++what) {
    SCOPED_TRACE(what);
    ranks_ = Ranks();
    ASSERT_NO_FATAL_FAILURE(make(3, kLong));
    for (int rank = 0; rank < 3; ++rank) {
      const bool odd = rank == 1;
      const auto broadcast = [&] {
        return rtCommBroadcast(memory_[rank].get(), memory_[rank].get(), 16, RT_COMM_I32, odd ? 1 : 0, ranks_.streams[rank],
                               ranks_.comms[rank]);
      };
      rtStatus_t code = RT_SUCCESS;
      if (what == 0) code = allReduce(rank, 16, odd ? RT_COMM_U32 : RT_COMM_I32);
      if (what == 1) code = allReduce(rank, 16, RT_COMM_I32, odd ? RT_COMM_MAXIMUM : RT_COMM_SUM);
      if (what == 2) code = odd ? rtCommBarrier(ranks_.streams[rank], ranks_.comms[rank]) : allReduce(rank);
      if (what == 3) code = broadcast();
      ASSERT_COMM_OK(code);
    }
    expectFailure(RT_ERROR_INVALID_VALUE, 1, "Rank 1 came with", {0, 1, 2});
  }
}

TEST_P(FailureTest, AnAbortFromAnotherThreadFreesAllRanks) {
  ASSERT_NO_FATAL_FAILURE(make(3, RT_TIMEOUT_INFINITE));
  ASSERT_COMM_OK(allReduce(0));
  ASSERT_COMM_OK(allReduce(1));
  std::thread other([&] { EXPECT_COMM_OK(rtCommAbort(ranks_.comms[2])); });
  expectFailure(RT_ERROR_LAUNCH_FAILED, 2, "Rank 2 called rtCommAbort.", {0, 1});
  other.join();
}

TEST_P(FailureTest, ARankWhoseStreamFailedIsNamed) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  rttest::Gate gate(ranks_.contexts[1]);
  ASSERT_RT_OK(gate.close(ranks_.streams[1]));
  ASSERT_RT_OK(
      rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, ranks_.streams[1]));
  ASSERT_COMM_OK(allReduce(0));
  ASSERT_COMM_OK(allReduce(1));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT(RT_ERROR_IO, rtStreamSynchronize(ranks_.streams[1]));
  expectFailure(RT_ERROR_LAUNCH_FAILED, 1, "The stream of rank 1 failed before its all-reduce of 16 i32 (sum)", {0});
}

TEST_P(FailureTest, ARankWhoseStreamHadFailedBeforeTheCallIsNamed) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  ASSERT_RT_OK(
      rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, ranks_.streams[1]));
  while (rtStreamQuery(ranks_.streams[1]) == RT_NOT_READY) std::this_thread::yield();
  ASSERT_COMM_OK(allReduce(0));
  EXPECT_COMM(RT_ERROR_IO, allReduce(1));
  expectFailure(RT_ERROR_LAUNCH_FAILED, 1, "The stream of rank 1 failed before its all-reduce", {0});
}

TEST_P(FailureTest, ADestroyedRankIsNamedByThoseThatWait) {
  ASSERT_NO_FATAL_FAILURE(make(3, RT_TIMEOUT_INFINITE));
  ASSERT_COMM_OK(allReduce(0));
  ASSERT_COMM_OK(allReduce(1));
  ASSERT_COMM_OK(ranks_.comms[2].reset());
  expectFailure(RT_ERROR_LAUNCH_FAILED, 2, "Rank 2 destroyed its communicator", {0, 1});
}

TEST_P(FailureTest, ADestroyedRankIsNamedByThoseThatComeLater) {
  ASSERT_NO_FATAL_FAILURE(make(2, RT_TIMEOUT_INFINITE));
  ASSERT_COMM_OK(ranks_.comms[1].reset());
  ASSERT_COMM_OK(allReduce(0));
  expectFailure(RT_ERROR_LAUNCH_FAILED, 1, "Rank 1 destroyed its communicator", {0});
}

TEST_P(FailureTest, ADestroyWithWorkInFlightLetsTheWorkEnd) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  const Bytes ones(64, 1);
  for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtMemcpy(memory_[rank].get(), ones.data(), 64, RT_MEMCPY_DEFAULT));
  rttest::Gate gate(ranks_.contexts[0]);
  ASSERT_RT_OK(gate.close(ranks_.streams[0]));
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_COMM_OK(allReduce(rank, 64, RT_COMM_U8));
    ASSERT_COMM_OK(ranks_.comms[rank].reset());
  }
  ASSERT_RT_OK(gate.open());
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(download(memory_[rank].get(), 64), Bytes(64, 2));
}

TEST_P(FailureTest, MemoryMayBeFreedAtOnceAfterAFailure) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  for (int round = 0; round < 20; ++round) {
    Ranks fresh;
    ASSERT_NO_FATAL_FAILURE(fresh.make(GetParam(), 2));
    std::vector<rttest::Memory> memory(2);
    for (int rank = 0; rank < 2; ++rank) {
      ASSERT_NO_FATAL_FAILURE(upload(&memory[rank], Bytes(1 << 20, 1), fresh.contexts[rank]));
      ASSERT_COMM_OK(rtCommAllReduce(memory[rank].get(), memory[rank].get(), 1 << 20, RT_COMM_U8, RT_COMM_SUM,
                                     fresh.streams[rank], fresh.comms[rank]));
    }
    ASSERT_COMM_OK(rtCommAbort(fresh.comms[round % 2]));
    for (int rank = 0; rank < 2; ++rank) {
      (void)rtStreamSynchronize(fresh.streams[rank]);  // either: the abort came before the end or after it
      EXPECT_RT_OK(memory[rank].reset());
    }
  }
}

TEST_P(FailureTest, SendsAndReceivesWithoutAPartnerNameIt) {
  ASSERT_NO_FATAL_FAILURE(make(2, kShort));
  ASSERT_COMM_OK(rtCommSend(memory_[0].get(), 4, RT_COMM_I32, 1, ranks_.streams[0], ranks_.comms[0]));
  expectFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 did not receive within 0.2 s what rank 0 sends: send of 4 i32 to rank 1", {0});
  ranks_ = Ranks();
  ASSERT_NO_FATAL_FAILURE(make(2, kShort));
  ASSERT_COMM_OK(rtCommReceive(memory_[0].get(), 4, RT_COMM_I32, 1, ranks_.streams[0], ranks_.comms[0]));
  expectFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 did not send within 0.2 s what rank 0 receives: receive of 4 i32 from rank 1",
                {0});
}

TEST_P(FailureTest, AReceiveOfAnotherSizeNamesTheSender) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  ASSERT_COMM_OK(rtCommSend(memory_[0].get(), 5, RT_COMM_I32, 1, ranks_.streams[0], ranks_.comms[0]));
  ASSERT_COMM_OK(rtCommReceive(memory_[1].get(), 4, RT_COMM_I32, 0, ranks_.streams[1], ranks_.comms[1]));
  expectFailure(RT_ERROR_INVALID_VALUE, 0,
                "Rank 0 came with send of 5 i32 to rank 1, and rank 1 with receive of 4 i32 from rank 0", {0, 1});
}

// One rank submits to the first communicator first, the other to the second: streams of different communicators have no order.
TEST_P(FailureTest, TwoCommunicatorsOnTwoStreamsInTwoOrdersDoNotHang) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  const rtContext_t contexts[] = {ranks_.contexts[0], ranks_.contexts[1]};
  rtComm_t made[2] = {};
  ASSERT_COMM_OK(rtCommCreateAll(made, nullptr, contexts, 2));
  const Comm second[] = {Comm(made[0]), Comm(made[1])};
  for (int round = 0; round < 50; ++round) {
    rttest::Stream streams[2];
    for (int rank = 0; rank < 2; ++rank) ASSERT_RT_OK(rtStreamCreate(streams[rank].out(), nullptr, contexts[rank]));
    ASSERT_COMM_OK(rtCommBarrier(ranks_.streams[0], ranks_.comms[0]));
    ASSERT_COMM_OK(rtCommBarrier(streams[0], second[0]));
    ASSERT_COMM_OK(rtCommBarrier(streams[1], second[1]));
    ASSERT_COMM_OK(rtCommBarrier(ranks_.streams[1], ranks_.comms[1]));
    ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
    for (const rttest::Stream& stream : streams) ASSERT_RT_OK(rtStreamSynchronize(stream));
  }
}

// Operations of one rank on two streams keep the order of their submission, though the first stream is held back.
TEST_P(FailureTest, OneRankOnTwoStreamsKeepsTheOrderOfSubmission) {
  ASSERT_NO_FATAL_FAILURE(make(2, kLong));
  rttest::Stream second;
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, ranks_.contexts[0]));
  rttest::Gate gate(ranks_.contexts[0]);
  ASSERT_RT_OK(gate.close(ranks_.streams[0]));
  ASSERT_COMM_OK(allReduce(0));
  ASSERT_COMM_OK(rtCommBarrier(second, ranks_.comms[0]));
  ASSERT_COMM_OK(allReduce(1));
  ASSERT_COMM_OK(rtCommBarrier(ranks_.streams[1], ranks_.comms[1]));
  EXPECT_EQ(rtStreamSynchronizeFor(kShort / 10, second), RT_ERROR_TIMEOUT);
  ASSERT_RT_OK(gate.open());
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  EXPECT_RT_OK(rtStreamSynchronize(second));
}

INSTANTIATE_TEST_SUITE_P(Comm, FailureTest, testing::ValuesIn(layouts()),
                         [](const auto& given) { return layoutName(given.param); });

}  // namespace
}  // namespace commtest
