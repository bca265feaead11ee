// Many ranks of one process, in few contexts: creation, splits, operations and failures, whose work is not to grow with the
// square of the ranks. Among processes: shared_memory, mpi; over simulated hosts: docs/lab/scale.md.
#include <sys/statvfs.h>

#include <algorithm>
#include <thread>

#include "comm/ranks.h"

namespace commtest {
namespace {

bool sharesMemory() {
  const char* const engine = std::getenv("RT_COMM_ENGINE");
  return engine != nullptr && std::string(engine) == "shared_memory";
}

// Where ranks share memory, 0.7 MiB of it each: containers may have little.
int howMany() {
  struct statvfs folder = {};
  const bool little = statvfs("/dev/shm", &folder) != 0 || folder.f_bavail * folder.f_frsize < (uint64_t{1} << 30);
  return sharesMemory() && little ? 64 : 1024;
}
const int kMany = howMany();

// All in one context; a stream for a rank that has something to do.
class ManyTest : public testing::Test {
 protected:
  void SetUp() override {
    rtDevice_t device = nullptr;
    ASSERT_RT_OK(rtDeviceGetByName(&device, "cpu"));
    ASSERT_RT_OK(rtContextCreate(context_.out(), nullptr, device));
  }
  void create(int size, uint64_t timeout_ns = kLong) {
    const std::vector<rtContext_t> contexts(static_cast<size_t>(size), context_.get());
    const rtCommOptions_t given = options(timeout_ns, "many");
    std::vector<rtComm_t> made(contexts.size());
    ASSERT_COMM_OK(rtCommCreateAll(made.data(), &given, contexts.data(), static_cast<uint32_t>(size)));
    for (const rtComm_t comm : made) comms_.emplace_back(comm);
  }
  void open(int count) {
    for (int i = 0; i < count; ++i) ASSERT_RT_OK(rtStreamCreate(streams_.emplace_back().out(), nullptr, context_));
  }

  rttest::Context context_;
  std::vector<rttest::Stream> streams_;
  std::vector<Comm> comms_;
};

TEST_F(ManyTest, RanksAreAsManyAsTheirNumbers) {
  constexpr int kAll = 65536;
  if (sharesMemory()) {
    for (const size_t size : {size_t{1025}, size_t{kAll}}) {
      const std::vector<rtContext_t> contexts(size, context_.get());
      std::vector<rtComm_t> made(size);
      EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, rtCommCreateAll(made.data(), nullptr, contexts.data(), static_cast<uint32_t>(size)));
      EXPECT_NE(lastMessage().find("share memory are 1024 at most, and there are " + std::to_string(size)), std::string::npos)
          << lastMessage();
    }
    return;
  }
  ASSERT_NO_FATAL_FAILURE(create(kAll));
  for (const int rank : {0, 1, 40000, kAll - 1}) {
    const rtCommInfo_t info = infoOf(comms_[static_cast<size_t>(rank)]);
    EXPECT_EQ(info.rank, rank);
    EXPECT_EQ(info.size, kAll);
  }
  // A send to the last rank, without the others.
  ASSERT_NO_FATAL_FAILURE(open(2));
  int32_t sent = 77, received = 0;
  ASSERT_COMM_OK(rtCommSend(&sent, 1, RT_COMM_I32, kAll - 1, streams_[0], comms_[0]));
  ASSERT_COMM_OK(rtCommReceive(&received, 1, RT_COMM_I32, 0, streams_[1], comms_[kAll - 1]));
  ASSERT_RT_OK(rtStreamSynchronize(streams_[1]));
  EXPECT_EQ(received, 77);
}

TEST_F(ManyTest, OperationsAmongManyRanksAreRight) {
  ASSERT_NO_FATAL_FAILURE(create(kMany));
  ASSERT_NO_FATAL_FAILURE(open(kMany));
  const auto many = static_cast<size_t>(kMany);
  std::vector<int64_t> numbers(many), gathered(many * many);
  for (int rank = 0; rank < kMany; ++rank) {
    numbers[static_cast<size_t>(rank)] = rank;
    ASSERT_COMM_OK(rtCommAllGather(&gathered[static_cast<size_t>(rank) * kMany], &numbers[static_cast<size_t>(rank)], 1,
                                   RT_COMM_I64, streams_[static_cast<size_t>(rank)], comms_[static_cast<size_t>(rank)]));
    ASSERT_COMM_OK(rtCommAllReduce(&numbers[static_cast<size_t>(rank)], &numbers[static_cast<size_t>(rank)], 1, RT_COMM_I64,
                                   RT_COMM_SUM, streams_[static_cast<size_t>(rank)], comms_[static_cast<size_t>(rank)]));
  }
  for (const rttest::Stream& stream : streams_) ASSERT_RT_OK(rtStreamSynchronize(stream));
  for (int rank = 0; rank < kMany; ++rank) {
    ASSERT_EQ(numbers[static_cast<size_t>(rank)], int64_t{kMany} * (kMany - 1) / 2);
    for (int other = 0; other < kMany; ++other) {
      ASSERT_EQ(gathered[static_cast<size_t>(rank) * kMany + static_cast<size_t>(other)], other);
    }
  }
}

// Longer than what comes with a meeting, and in pieces.
TEST_F(ManyTest, LongOperationsAmongManyRanksAreRight) {
  constexpr size_t kCount = 700;
  const auto many = static_cast<size_t>(kMany);
  ASSERT_NO_FATAL_FAILURE(create(kMany));
  ASSERT_NO_FATAL_FAILURE(open(kMany));
  std::vector<int64_t> sums(many * kCount), received(many * kCount);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<int64_t>(i / kCount + i % kCount);
  for (size_t rank = 0; rank < many; ++rank) {
    int64_t* const own = &sums[rank * kCount];
    ASSERT_COMM_OK(rtCommGroupBegin());
    ASSERT_COMM_OK(rtCommSend(own, kCount, RT_COMM_I64, static_cast<int32_t>((rank + 1) % many), streams_[rank], comms_[rank]));
    ASSERT_COMM_OK(rtCommReceive(&received[rank * kCount], kCount, RT_COMM_I64, static_cast<int32_t>((rank + many - 1) % many),
                                 streams_[rank], comms_[rank]));
    ASSERT_COMM_OK(rtCommGroupEnd());
    ASSERT_COMM_OK(rtCommAllReduce(own, own, kCount, RT_COMM_I64, RT_COMM_SUM, streams_[rank], comms_[rank]));
  }
  for (const rttest::Stream& stream : streams_) ASSERT_RT_OK(rtStreamSynchronize(stream));
  const int64_t ranks = static_cast<int64_t>(many) * (static_cast<int64_t>(many) - 1) / 2;
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto element = static_cast<int64_t>(i % kCount);
    ASSERT_EQ(sums[i], ranks + static_cast<int64_t>(many) * element) << i;
    ASSERT_EQ(received[i], static_cast<int64_t>((i / kCount + many - 1) % many) + element) << i;
  }
}

TEST_F(ManyTest, ASplitMakesRanksByColorAndKey) {
  ASSERT_NO_FATAL_FAILURE(create(kMany));
  std::vector<rtComm_t> made(static_cast<size_t>(kMany));
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < kMany; ++rank) {
    ASSERT_COMM_OK(rtCommSplit(&made[static_cast<size_t>(rank)], rank % 3, -rank, comms_[static_cast<size_t>(rank)]));
  }
  ASSERT_COMM_OK(rtCommGroupEnd());
  std::vector<Comm> parts;
  for (const rtComm_t comm : made) parts.emplace_back(comm);
  for (int rank = 0; rank < kMany; ++rank) {
    const rtCommInfo_t info = infoOf(parts[static_cast<size_t>(rank)]);
    const int of_color = (kMany - rank % 3 + 2) / 3;
    ASSERT_EQ(info.size, of_color);
    ASSERT_EQ(info.rank, of_color - 1 - rank / 3);
  }
}

// By an id: each rank has a seat, and a list of those that stay away is short.
TEST_F(ManyTest, RanksThatDoNotComeAreNamedInAFewWords) {
  rtCommUniqueId_t id = {};
  ASSERT_COMM_OK(rtCommGetUniqueId(&id));
  const rtCommOptions_t given = options(kShort, "many");
  constexpr int kRanks = 1000;
  const std::vector<int> present = {0, 5, 6, 7, 8, 20, 22, 24, 26, 28, 30, 32, 34, kRanks - 1};
  std::vector<rtComm_t> made(present.size());
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (size_t i = 0; i < present.size(); ++i) {
    ASSERT_COMM_OK(rtCommCreate(&made[i], &given, &id, present[i], kRanks, context_));
  }
  EXPECT_COMM(RT_ERROR_TIMEOUT, rtCommGroupEnd());
  EXPECT_NE(lastMessage().find("Of 1000 ranks of \"many\" 14 came within 0.2 s"), std::string::npos) << lastMessage();
  EXPECT_NE(lastMessage().find("ranks 1 to 4, 9 to 19, 21, 23, 25, 27, 29, 31 and 965 more did not"), std::string::npos)
      << lastMessage();
}

TEST_F(ManyTest, ThreadsOfManyRanksMeetById) {
  constexpr int kThreads = 4;
  rtCommUniqueId_t id = {};
  ASSERT_COMM_OK(rtCommGetUniqueId(&id));
  std::vector<rtComm_t> made(static_cast<size_t>(kMany));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const rtCommOptions_t given = options(kLong, "many");
      EXPECT_COMM_OK(rtCommGroupBegin());
      for (int rank = thread; rank < kMany; rank += kThreads) {
        EXPECT_COMM_OK(rtCommCreate(&made[static_cast<size_t>(rank)], &given, &id, rank, kMany, context_));
      }
      EXPECT_COMM_OK(rtCommGroupEnd());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const rtComm_t comm : made) comms_.emplace_back(comm);
  EXPECT_EQ(infoOf(comms_.back()).rank, kMany - 1);
}

TEST_F(ManyTest, TheRankThatMeansSomethingElseIsNamed) {
  const int ranks = std::min(kMany, 300), odd = ranks - 7;
  ASSERT_NO_FATAL_FAILURE(create(ranks));
  ASSERT_NO_FATAL_FAILURE(open(ranks));
  std::vector<int32_t> numbers(static_cast<size_t>(ranks) * 2);
  for (size_t rank = 0; rank < static_cast<size_t>(ranks); ++rank) {
    ASSERT_COMM_OK(rtCommAllReduce(&numbers[2 * rank], &numbers[2 * rank], rank == static_cast<size_t>(odd) ? 2 : 1,
                                   RT_COMM_I32, RT_COMM_SUM, streams_[rank], comms_[rank]));
  }
  for (const rttest::Stream& stream : streams_) EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamSynchronize(stream));
  expectCommFailure(RT_ERROR_INVALID_VALUE, odd,
                    "Rank " + std::to_string(odd) + " of \"many\" came with all-reduce of 2 i32 (sum), and rank 0 with",
                    comms_[0]);
}

// Where several differ, most are right, or the first is.
TEST_F(ManyTest, MostRanksAreRight) {
  ASSERT_NO_FATAL_FAILURE(create(5));
  ASSERT_NO_FATAL_FAILURE(open(5));
  std::vector<int32_t> numbers(15);
  for (size_t rank = 0; rank < 5; ++rank) {
    const uint64_t count = rank == 0 ? 3 : rank == 3 ? 2 : 1;
    ASSERT_COMM_OK(
        rtCommAllReduce(&numbers[3 * rank], &numbers[3 * rank], count, RT_COMM_I32, RT_COMM_SUM, streams_[rank], comms_[rank]));
  }
  for (const rttest::Stream& stream : streams_) EXPECT_RT(RT_ERROR_INVALID_VALUE, rtStreamSynchronize(stream));
  expectCommFailure(RT_ERROR_INVALID_VALUE, 0, "came with all-reduce of 3 i32 (sum), and rank 1 with all-reduce of 1 i32 (sum)",
                    comms_[4]);
}

}  // namespace
}  // namespace commtest
