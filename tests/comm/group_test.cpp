// Groups, sends and receives, splits: what one thread submits for several ranks, and what several threads do each for theirs.
#include <thread>

#include "comm/ranks.h"

namespace commtest {
namespace {

class GroupTest : public testing::TestWithParam<std::string> {
 protected:
  void make(int count) {
    ASSERT_NO_FATAL_FAILURE(ranks_.make(GetParam(), count));
    for (int rank = 0; rank < count; ++rank) {
      ASSERT_NO_FATAL_FAILURE(
          upload(&source_.emplace_back(), Bytes(1000, static_cast<unsigned char>(rank + 1)), ranks_.contexts[rank]));
      ASSERT_NO_FATAL_FAILURE(upload(&target_.emplace_back(), Bytes(1000), ranks_.contexts[rank]));
    }
  }
  rtStatus_t send(int rank, int peer, uint64_t count = 1000) {
    return rtCommSend(source_[rank].get(), count, RT_COMM_U8, peer, ranks_.streams[rank], ranks_.comms[rank]);
  }
  rtStatus_t receive(int rank, int peer, uint64_t count = 1000) {
    return rtCommReceive(target_[rank].get(), count, RT_COMM_U8, peer, ranks_.streams[rank], ranks_.comms[rank]);
  }
  void expectTarget(int rank, unsigned char value) {
    EXPECT_EQ(download(target_[rank].get(), 1000), Bytes(1000, value)) << "rank " << rank;
  }

  Ranks ranks_;
  std::vector<rttest::Memory> source_, target_;
};

TEST_P(GroupTest, ASendReachesItsReceive) {
  ASSERT_NO_FATAL_FAILURE(make(2));
  ASSERT_COMM_OK(send(0, 1));
  ASSERT_COMM_OK(receive(1, 0));
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  expectTarget(1, 1);
}

TEST_P(GroupTest, RanksInARingSendAndReceiveAtOnce) {
  ASSERT_NO_FATAL_FAILURE(make(4));
  for (int rank = 0; rank < 4; ++rank) {
    ASSERT_COMM_OK(rtCommGroupBegin());
    ASSERT_COMM_OK(send(rank, (rank + 1) % 4));
    ASSERT_COMM_OK(receive(rank, (rank + 3) % 4));
    ASSERT_COMM_OK(rtCommGroupEnd());
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < 4; ++rank) expectTarget(rank, static_cast<unsigned char>((rank + 3) % 4 + 1));
}

TEST_P(GroupTest, ARankSendsToItself) {
  ASSERT_NO_FATAL_FAILURE(make(1));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, send(0, 0));
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(receive(0, 0));
  ASSERT_COMM_OK(send(0, 0));
  ASSERT_COMM_OK(rtCommGroupEnd());
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  expectTarget(0, 1);
}

TEST_P(GroupTest, SendsToOneRankArriveInTheirOrder) {
  ASSERT_NO_FATAL_FAILURE(make(2));
  rttest::Memory other;
  ASSERT_NO_FATAL_FAILURE(upload(&other, Bytes(1000, 9), ranks_.contexts[0]));
  ASSERT_COMM_OK(send(0, 1, 500));
  ASSERT_COMM_OK(rtCommSend(other.get(), 500, RT_COMM_U8, 1, ranks_.streams[0], ranks_.comms[0]));
  ASSERT_COMM_OK(receive(1, 0, 500));
  ASSERT_COMM_OK(rtCommReceive(target_[1].as(500), 500, RT_COMM_U8, 0, ranks_.streams[1], ranks_.comms[1]));
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  Bytes wanted(500, 1);
  wanted.resize(1000, 9);
  EXPECT_EQ(download(target_[1].get(), 1000), wanted);
}

TEST_P(GroupTest, NothingIsSubmittedBeforeTheOutermostEnd) {
  ASSERT_NO_FATAL_FAILURE(make(2));
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(rtCommBarrier(ranks_.streams[rank], ranks_.comms[rank]));
  ASSERT_COMM_OK(send(0, 1));
  ASSERT_COMM_OK(receive(1, 0));
  ASSERT_COMM_OK(rtCommGroupEnd());
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  expectTarget(1, 0);
  ASSERT_COMM_OK(rtCommGroupEnd());
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  expectTarget(1, 1);
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGroupEnd());
}

TEST_P(GroupTest, ARefusedCallSpoilsItsGroup) {
  ASSERT_NO_FATAL_FAILURE(make(2));
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(send(0, 1));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, receive(1, 7));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGroupEnd());
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  ASSERT_COMM_OK(send(0, 1));
  ASSERT_COMM_OK(receive(1, 0));
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  expectTarget(1, 1);
}

TEST_P(GroupTest, ThreadsOfTheirOwnSubmitForTheirRanks) {
  ASSERT_NO_FATAL_FAILURE(make(3));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([this, rank] {
      for (int round = 0; round < 50; ++round) {
        ASSERT_COMM_OK(rtCommAllReduce(target_[rank].get(), source_[rank].get(), 1000, RT_COMM_U8, RT_COMM_SUM,
                                       ranks_.streams[rank], ranks_.comms[rank]));
      }
      ASSERT_RT_OK(rtStreamSynchronize(ranks_.streams[rank]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int rank = 0; rank < 3; ++rank) expectTarget(rank, 6);
}

TEST_P(GroupTest, ASplitMakesRanksByColorAndKey) {
  ASSERT_NO_FATAL_FAILURE(make(4));
  rtComm_t parts[4] = {};
  const int32_t colors[] = {1, RT_COMM_NO_COLOR, 1, 1}, keys[] = {5, 0, 5, 4};
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < 4; ++rank) ASSERT_COMM_OK(rtCommSplit(&parts[rank], colors[rank], keys[rank], ranks_.comms[rank]));
  ASSERT_COMM_OK(rtCommGroupEnd());
  EXPECT_EQ(parts[1], nullptr);
  const int32_t wanted[] = {1, -1, 2, 0};
  std::vector<Comm> owned;
  for (int rank : {0, 2, 3}) {
    int32_t at = -1, size = 0;
    rtContext_t context = nullptr;
    owned.emplace_back(parts[rank]);
    ASSERT_COMM_OK(rtCommGetRank(&at, parts[rank]));
    ASSERT_COMM_OK(rtCommGetSize(&size, parts[rank]));
    ASSERT_COMM_OK(rtCommGetContext(&context, parts[rank]));
    EXPECT_EQ(at, wanted[rank]);
    EXPECT_EQ(size, 3);
    EXPECT_EQ(context, ranks_.contexts[rank].get());
    ASSERT_COMM_OK(rtCommAllReduce(target_[rank].get(), source_[rank].get(), 1000, RT_COMM_U8, RT_COMM_SUM,
                                   ranks_.streams[rank], parts[rank]));
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank : {0, 2, 3}) expectTarget(rank, 1 + 3 + 4);
}

TEST_P(GroupTest, ASplitByThreadsWaitsForAll) {
  ASSERT_NO_FATAL_FAILURE(make(3));
  rtComm_t parts[3] = {};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] { EXPECT_COMM_OK(rtCommSplit(&parts[rank], rank % 2, 0, ranks_.comms[rank])); });
  }
  for (std::thread& thread : threads) thread.join();
  for (int rank = 0; rank < 3; ++rank) {
    int32_t size = 0;
    EXPECT_COMM_OK(rtCommGetSize(&size, parts[rank]));
    EXPECT_EQ(size, rank == 1 ? 1 : 2);
    EXPECT_COMM_OK(rtCommDestroy(parts[rank]));
  }
}

TEST_P(GroupTest, ASplitWithoutARankTimesOut) {
  ASSERT_NO_FATAL_FAILURE(ranks_.make(GetParam(), 2, kShort));
  rtComm_t part = nullptr;
  EXPECT_COMM(RT_ERROR_TIMEOUT, rtCommSplit(&part, 0, 0, ranks_.comms[1]));
  EXPECT_EQ(part, nullptr);
  EXPECT_NE(lastMessage().find("Rank 0 did not come to the split within 0.2 s"), std::string::npos) << lastMessage();
}

INSTANTIATE_TEST_SUITE_P(Comm, GroupTest, testing::ValuesIn(layouts()),
                         [](const auto& given) { return layoutName(given.param); });

}  // namespace
}  // namespace commtest
