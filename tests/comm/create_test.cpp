// Ranks that are made one by one and meet by an id. Their numbers then, the ranks that are named when some stay away, and each
// id, rank and size that is refused. Threads of this process, on each layout of devices; processes: shared_memory, nccl.
#include <thread>

#include "comm/ranks.h"

namespace commtest {
namespace {

class CreateTest : public testing::TestWithParam<std::string> {
 protected:
  // Contexts and streams alone.
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(ranks_.make(GetParam(), kRanks));
    ranks_.comms.clear();
    ranks_.comms.resize(kRanks);
    ASSERT_COMM_OK(rtCommGetUniqueId(&id_));
  }
  rtStatus_t create(int rank, int size = kRanks, uint64_t timeout_ns = kLong) {
    const rtCommOptions_t given = options(timeout_ns, rank == 0 ? "first" : "later");
    return rtCommCreate(ranks_.comms[rank].out(), &given, &id_, rank, size, ranks_.contexts[rank]);
  }
  // Each on a thread of its own.
  void createAll() {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < kRanks; ++rank) threads.emplace_back([this, rank] { EXPECT_COMM_OK(create(rank)); });
    for (std::thread& thread : threads) thread.join();
  }
  void expectTheyWork() {
    std::vector<rttest::Memory> memory(kRanks);
    for (int rank = 0; rank < kRanks; ++rank) {
      int32_t number = -1, size = -1;
      rtContext_t context = nullptr;
      ASSERT_COMM_OK(rtCommGetRank(&number, ranks_.comms[rank]));
      ASSERT_COMM_OK(rtCommGetSize(&size, ranks_.comms[rank]));
      ASSERT_COMM_OK(rtCommGetContext(&context, ranks_.comms[rank]));
      EXPECT_EQ(number, rank);
      EXPECT_EQ(size, kRanks);
      EXPECT_EQ(context, ranks_.contexts[rank].get());
      ASSERT_NO_FATAL_FAILURE(upload(&memory[rank], Bytes(64, static_cast<unsigned char>(1 << rank)), ranks_.contexts[rank]));
      ASSERT_COMM_OK(rtCommAllReduce(memory[rank].get(), memory[rank].get(), 64, RT_COMM_U8, RT_COMM_SUM, ranks_.streams[rank],
                                     ranks_.comms[rank]));
    }
    ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
    for (int rank = 0; rank < kRanks; ++rank) EXPECT_EQ(download(memory[rank].get(), 64), Bytes(64, (1 << kRanks) - 1));
  }

  static constexpr int kRanks = 4;
  static constexpr uint64_t kSecond = 1'000'000'000;  // in which two threads come, also on a busy machine
  Ranks ranks_;
  rtCommUniqueId_t id_ = {};
};

TEST_P(CreateTest, RanksOfThreadsMeet) {
  ASSERT_NO_FATAL_FAILURE(createAll());
  ASSERT_NO_FATAL_FAILURE(expectTheyWork());
}

TEST_P(CreateTest, OneThreadMakesAllRanksWithinAGroup) {
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = kRanks; rank-- > 0;) ASSERT_COMM_OK(create(rank));
  for (const Comm& comm : ranks_.comms) EXPECT_EQ(comm.get(), nullptr);
  ASSERT_COMM_OK(rtCommGroupEnd());
  ASSERT_NO_FATAL_FAILURE(expectTheyWork());
}

TEST_P(CreateTest, AGroupMeetsTheRanksOfOtherThreads) {
  std::thread other([&] { EXPECT_COMM_OK(create(1)); });
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (const int rank : {0, 2, 3}) EXPECT_COMM_OK(create(rank));
  EXPECT_COMM_OK(rtCommGroupEnd());
  other.join();
  ASSERT_NO_FATAL_FAILURE(expectTheyWork());
}

TEST_P(CreateTest, EachIdMakesACommunicatorOfItsOwn) {
  ASSERT_NO_FATAL_FAILURE(createAll());
  Ranks second;
  ASSERT_NO_FATAL_FAILURE(second.make(GetParam(), kRanks));
  std::swap(second, ranks_);
  ASSERT_COMM_OK(rtCommGetUniqueId(&id_));
  ASSERT_NO_FATAL_FAILURE(createAll());
  ASSERT_NO_FATAL_FAILURE(expectTheyWork());
  std::swap(second, ranks_);
  ASSERT_NO_FATAL_FAILURE(expectTheyWork());
}

TEST_P(CreateTest, RanksThatDoNotComeAreNamedToAllThatCame) {
  rtStatus_t codes[kRanks] = {};
  std::string messages[kRanks];
  std::vector<std::thread> threads;
  for (const int rank : {0, 2}) {
    threads.emplace_back([&, rank] {
      codes[rank] = create(rank, kRanks, kSecond);
      messages[rank] = lastMessage();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int rank : {0, 2}) {
    EXPECT_EQ(codes[rank], RT_ERROR_TIMEOUT) << messages[rank];
    EXPECT_NE(messages[rank].find("Of 4 ranks of \"first\" 2 came within 1 s"), std::string::npos) << messages[rank];
    EXPECT_NE(messages[rank].find("ranks 1 and 3 did not"), std::string::npos) << messages[rank];
    EXPECT_NE(messages[rank].find("rtCommCreateFromMpi"), std::string::npos) << messages[rank];
    EXPECT_EQ(ranks_.comms[rank].get(), nullptr);
  }
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, create(1)) << "the id is used";
  EXPECT_NE(lastMessage().find("The id has been used"), std::string::npos) << lastMessage();
}

// The first time that passes is that of all.
TEST_P(CreateTest, ARankWithoutALimitIsToldWhenTheTimeOfAnotherHasPassed) {
  std::thread patient([&] { EXPECT_COMM(RT_ERROR_TIMEOUT, create(1, kRanks, RT_TIMEOUT_INFINITE)); });
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (const int rank : {2, 3}) EXPECT_COMM_OK(create(rank, kRanks, kSecond));
  EXPECT_COMM(RT_ERROR_TIMEOUT, rtCommGroupEnd());
  EXPECT_NE(lastMessage().find("rank 0 did not"), std::string::npos) << lastMessage();
  patient.join();
}

TEST_P(CreateTest, TheTimeAndTheLabelOfOperationsAreThoseOfRank0) {
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < kRanks; ++rank) ASSERT_COMM_OK(create(rank, kRanks, rank == 0 ? kShort : kLong));
  ASSERT_COMM_OK(rtCommGroupEnd());
  ASSERT_COMM_OK(rtCommBarrier(ranks_.streams[3], ranks_.comms[3]));
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronize(ranks_.streams[3]));
  ASSERT_NO_FATAL_FAILURE(
      ranks_.expectFailure(RT_ERROR_TIMEOUT, 0, "Rank 0 of \"first\" did not come to collective 0 within 0.2 s", {}));
}

TEST_P(CreateTest, AnIdServesOnce) {
  ASSERT_NO_FATAL_FAILURE(createAll());
  rtComm_t made = rttest::garbage<rtComm_t>();
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreate(&made, nullptr, &id_, 0, 1, ranks_.contexts[0]));
  EXPECT_EQ(made, nullptr);
  EXPECT_NE(lastMessage().find("The id has been used"), std::string::npos) << lastMessage();
}

// Seats that a refused group held are free again.
TEST_P(CreateTest, ARankThatComesTwiceIsRefusedAndTheIdIsNotUsed) {
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(create(1));
  Comm again;
  ASSERT_COMM_OK(rtCommCreate(again.out(), nullptr, &id_, 1, kRanks, ranks_.contexts[1]));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGroupEnd());
  EXPECT_NE(lastMessage().find("Rank 1 of this id has come already"), std::string::npos) << lastMessage();
  EXPECT_EQ(again.get(), nullptr);
  ASSERT_NO_FATAL_FAILURE(createAll());
  ASSERT_NO_FATAL_FAILURE(expectTheyWork());
}

TEST_P(CreateTest, ARankWithAnotherSizeIsRefusedAndTheIdIsNotUsed) {
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(create(0, 2));
  ASSERT_COMM_OK(create(1, 3));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGroupEnd());
  EXPECT_NE(lastMessage().find("Rank 1 came with a size of 3, and another rank of this id with 2"), std::string::npos)
      << lastMessage();
  ASSERT_NO_FATAL_FAILURE(createAll());
  ASSERT_NO_FATAL_FAILURE(expectTheyWork());
}

TEST_P(CreateTest, ARefusedCallSpoilsTheGroup) {
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < kRanks; ++rank) ASSERT_COMM_OK(create(rank));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, create(0, 0));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGroupEnd());
  for (const Comm& comm : ranks_.comms) EXPECT_EQ(comm.get(), nullptr);
  ASSERT_NO_FATAL_FAILURE(createAll());
}

// A failure after the meeting is told to every rank.
TEST_P(CreateTest, AContextThatEndsMeanwhileFailsAllRanks) {
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < kRanks; ++rank) ASSERT_COMM_OK(create(rank));
  ranks_.streams.clear();
  ASSERT_RT_OK(ranks_.contexts[2].reset());
  EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommGroupEnd());
  for (const Comm& comm : ranks_.comms) EXPECT_EQ(comm.get(), nullptr);
}

TEST_P(CreateTest, ManyCommunicatorsAreMadeAtOnce) {
  constexpr int kCommunicators = 8;
  rtCommUniqueId_t ids[kCommunicators];
  Comm comms[kCommunicators][kRanks];
  for (rtCommUniqueId_t& id : ids) ASSERT_COMM_OK(rtCommGetUniqueId(&id));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      for (int i = 0; i < kCommunicators; ++i) {
        EXPECT_COMM_OK(rtCommCreate(comms[i][rank].out(), nullptr, &ids[i], rank, kRanks, ranks_.contexts[rank]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(CreateTest, IdsThatAreNoneAreRefused) {
  const auto refuse = [&](const rtCommUniqueId_t& id, const char* words) {
    rtComm_t made = rttest::garbage<rtComm_t>();
    EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreate(&made, nullptr, &id, 0, 1, ranks_.contexts[0]));
    EXPECT_EQ(made, nullptr);
    EXPECT_NE(lastMessage().find(words), std::string::npos) << lastMessage();
  };
  refuse({}, "The id is all zeros");
  rtCommUniqueId_t garbage;
  std::memset(&garbage, 0x5A, sizeof garbage);
  refuse(garbage, "The id is none that rtCommGetUniqueId made");
  for (size_t i = 0; i < sizeof id_.bytes; ++i) {
    rtCommUniqueId_t damaged = id_;
    damaged.bytes[i] ^= 1;
    refuse(damaged, "The id is none that rtCommGetUniqueId made");
  }
}

TEST_P(CreateTest, RanksAndSizesOutsideTheirRangeAreRefused) {
  rtComm_t made = rttest::garbage<rtComm_t>();
  for (const int32_t size : {INT32_MIN, -1, 0, 65537, INT32_MAX}) {
    EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreate(&made, nullptr, &id_, 0, size, ranks_.contexts[0])) << size;
  }
  for (const int32_t rank : {INT32_MIN, -1, 4, INT32_MAX}) {
    EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreate(&made, nullptr, &id_, rank, 4, ranks_.contexts[0])) << rank;
  }
  EXPECT_EQ(made, nullptr);
}

TEST_P(CreateTest, PointersAndHandlesThatAreNoneAreRefused) {
  rtComm_t made = rttest::garbage<rtComm_t>();
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommGetUniqueId(nullptr));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreate(nullptr, nullptr, &id_, 0, 1, ranks_.contexts[0]));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreate(&made, nullptr, nullptr, 0, 1, ranks_.contexts[0]));
  EXPECT_EQ(made, nullptr);
  made = rttest::garbage<rtComm_t>();
  EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommCreate(&made, nullptr, &id_, 0, 1, rttest::garbage<rtContext_t>()));
  EXPECT_EQ(made, nullptr);
  rtCommOptions_t given = RT_COMM_OPTIONS_INIT;
  given.flags = 1;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreate(&made, &given, &id_, 0, 1, ranks_.contexts[0]));
}

INSTANTIATE_TEST_SUITE_P(Comm, CreateTest, testing::ValuesIn(layouts()),
                         [](const auto& given) { return layoutName(given.param); });

}  // namespace
}  // namespace commtest
