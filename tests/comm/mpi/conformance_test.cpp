// Every operation with every type and reduction, in place and not, among the processes that mpirun has started. They are on the
// CPU, on other devices and mixed; groups, splits and graphs among them.
#include "comm/memory.h"
#include "comm/mpi/process.h"

namespace commtest {
namespace {

class MpiTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(process_.make(GetParam())); }

  void run(const OperationRow& row, const Case& of, bool in_place) {
    SCOPED_TRACE(describe(row, of, in_place));
    RankMemory memory;
    ASSERT_NO_FATAL_FAILURE(memory.make(row, of, process_.rank, in_place, process_.context));
    ASSERT_COMM_OK(row.call(of, {memory.to, memory.from, process_.stream, process_.comm}));
    ASSERT_RT_OK(rtStreamSynchronize(process_.stream));
    memory.expect(row, of, process_.rank);
  }

  Process process_;
};

TEST_P(MpiTest, GivesEveryRankWhatItShould) {
  int root = 0;
  for (const OperationRow& row : operationRows()) {
    for (const int32_t type : kTypes) {
      for (const int32_t reduction : kReductions) {
        if (!row.reduces && reduction != RT_COMM_SUM) continue;
        for (const bool in_place : {false, true}) {
          for (const uint64_t count : {uint64_t{0}, uint64_t{37}, uint64_t{3001}}) {
            if (row.rooted) root = (root + 1) % process_.size;
            run(row, {type, reduction, count, root, process_.size}, in_place);
            if (HasFatalFailure() || HasNonfatalFailure()) return;
          }
        }
      }
    }
  }
}

// Short data comes with the meeting of the ranks; around the longest of it, of each operation and number of ranks.
TEST_P(MpiTest, ShortAndLongRangesAgree) {
  for (const OperationRow& row : operationRows()) {
    for (const uint64_t slot : {256, 2048, 8192 / process_.size / 8 * 8}) {
      for (const uint64_t bytes : {slot - 40, (slot - 40) / static_cast<uint64_t>(process_.size)}) {
        for (const uint64_t count : {bytes - 1, bytes, bytes + 1}) {
          run(row, {RT_COMM_U8, RT_COMM_SUM, count, 0, process_.size}, false);
          run(row, {RT_COMM_F64, RT_COMM_SUM, count / 8, 0, process_.size}, true);
        }
      }
    }
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// Floats of which each order has another sum. The lengths are those of each way: with the meeting, whole, in parts, in pieces.
TEST_P(MpiTest, AReductionTakesTheOperandsInTheOrderOfTheRanks) {
  if (callsCollectives()) GTEST_SKIP() << "MPI chooses the order";
  const auto value = [](int rank, uint64_t i) {
    constexpr float kValues[] = {1.0f, 3e7f, -3e7f, 0.1f, 1e-3f, 7e5f};
    return kValues[(static_cast<uint64_t>(rank) * 7 + i) % 6] * static_cast<float>(i % 100 + 1);
  };
  const auto size = static_cast<uint64_t>(process_.size);
  const int root = process_.size - 1;
  for (uint64_t count : {uint64_t{4}, uint64_t{1500}, uint64_t{33333}, uint64_t{2'500'001}}) {
    count = (count + size - 1) / size * size;  // the last operation scatters it
    const uint64_t bytes = count * sizeof(float), part = count / size;
    std::vector<float> own(count), sum(count);
    for (uint64_t i = 0; i < count; ++i) {
      own[i] = value(process_.rank, i);
      for (int rank = 0; rank < process_.size; ++rank) sum[i] = rank == 0 ? value(0, i) : sum[i] + value(rank, i);
    }
    Bytes given(bytes);
    memcpy(given.data(), own.data(), bytes);
    for (const bool in_place : {false, true}) {
      SCOPED_TRACE(std::to_string(count) + (in_place ? " in place" : ""));
      rttest::Memory from[3], apart;
      for (rttest::Memory& each : from) ASSERT_NO_FATAL_FAILURE(upload(&each, given, process_.context));
      ASSERT_RT_OK(rtMalloc(apart.out(), bytes, process_.context));
      const auto expect = [&](const void* result, const float* wanted, uint64_t elements) {
        ASSERT_RT_OK(rtStreamSynchronize(process_.stream));
        EXPECT_EQ(memcmp(download(result, elements * 4).data(), wanted, elements * 4), 0);
      };
      const auto to = [&](int operation, uint64_t offset) {
        return in_place ? static_cast<char*>(from[operation].get()) + offset : apart.get();
      };
      ASSERT_COMM_OK(rtCommAllReduce(to(0, 0), from[0].get(), count, RT_COMM_F32, RT_COMM_SUM, process_.stream, process_.comm));
      ASSERT_NO_FATAL_FAILURE(expect(to(0, 0), sum.data(), count));
      const bool here = process_.rank == root;
      ASSERT_COMM_OK(rtCommReduce(here ? to(1, 0) : nullptr, from[1].get(), count, RT_COMM_F32, RT_COMM_SUM, root,
                                  process_.stream, process_.comm));
      ASSERT_RT_OK(rtStreamSynchronize(process_.stream));
      if (here) {
        ASSERT_NO_FATAL_FAILURE(expect(to(1, 0), sum.data(), count));
      }
      const uint64_t mine = part * static_cast<uint64_t>(process_.rank);
      void* const scattered = to(2, mine * 4);
      ASSERT_COMM_OK(
          rtCommReduceScatter(scattered, from[2].get(), part, RT_COMM_F32, RT_COMM_SUM, process_.stream, process_.comm));
      ASSERT_NO_FATAL_FAILURE(expect(scattered, sum.data() + mine, part));
    }
  }
}

// More than what is on the host at a time where a rank is on a device.
TEST_P(MpiTest, LongRangesGoInPieces) {
  for (const OperationRow& row : operationRows()) {
    for (const bool in_place : {false, true})
      run(row, {RT_COMM_F32, RT_COMM_SUM, (5 << 20) / 4 + 3, 0, process_.size}, in_place);
  }
}

// MPI's mark for "in place" stands at all ranks or at none; a program's ranks need not agree.
TEST_P(MpiTest, OneRankMayBeInPlaceAndAnotherNot) {
  for (const OperationRow& row : operationRows()) {
    run(row, {RT_COMM_F32, RT_COMM_SUM, 1000, 0, process_.size}, process_.rank % 2 == 1);
  }
}

TEST_P(MpiTest, KnowsRankAndSize) {
  int32_t rank = -1, size = -1;
  EXPECT_COMM_OK(rtCommGetRank(&rank, process_.comm));
  EXPECT_COMM_OK(rtCommGetSize(&size, process_.comm));
  EXPECT_EQ(rank, process_.rank);
  EXPECT_EQ(size, process_.size);
}

TEST_P(MpiTest, RanksInARingSendAndReceiveAtOnce) {
  const auto mine = static_cast<unsigned char>(process_.rank + 1);
  const int next = (process_.rank + 1) % process_.size, before = (process_.rank + process_.size - 1) % process_.size;
  rttest::Memory source, target;
  ASSERT_NO_FATAL_FAILURE(upload(&source, Bytes(100000, mine), process_.context));
  ASSERT_NO_FATAL_FAILURE(upload(&target, Bytes(100000), process_.context));
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(rtCommSend(source.get(), 100000, RT_COMM_U8, next, process_.stream, process_.comm));
  ASSERT_COMM_OK(rtCommReceive(target.get(), 100000, RT_COMM_U8, before, process_.stream, process_.comm));
  ASSERT_COMM_OK(rtCommGroupEnd());
  ASSERT_RT_OK(rtStreamSynchronize(process_.stream));
  EXPECT_EQ(download(target.get(), 100000), Bytes(100000, static_cast<unsigned char>(before + 1)));
}

TEST_P(MpiTest, ASplitMakesRanksByColorAndKey) {
  rtComm_t part = nullptr;
  ASSERT_COMM_OK(rtCommSplit(&part, process_.rank == 0 ? RT_COMM_NO_COLOR : 0, -process_.rank, process_.comm));
  const Comm owned(part);
  ASSERT_EQ(part == nullptr, process_.rank == 0);
  if (part == nullptr) return;
  int32_t rank = -1, size = -1;
  EXPECT_COMM_OK(rtCommGetRank(&rank, part));
  EXPECT_COMM_OK(rtCommGetSize(&size, part));
  EXPECT_EQ(rank, process_.size - 1 - process_.rank);
  EXPECT_EQ(size, process_.size - 1);
  EXPECT_COMM_OK(rtCommBarrier(process_.stream, part));
  EXPECT_RT_OK(rtStreamSynchronize(process_.stream));
}

TEST_P(MpiTest, EachLaunchOfAGraphIsAnOperation) {
  if (!anyThread()) GTEST_SKIP() << "no graph holds it";
  rttest::Memory source, target;
  ASSERT_NO_FATAL_FAILURE(upload(&source, Bytes(300, 1), process_.context));
  ASSERT_NO_FATAL_FAILURE(upload(&target, Bytes(300), process_.context));
  rttest::Graph graph;
  rttest::GraphExec exec;
  ASSERT_RT_OK(rtStreamBeginCapture(process_.stream));
  ASSERT_COMM_OK(rtCommAllReduce(target.get(), source.get(), 300, RT_COMM_U8, RT_COMM_SUM, process_.stream, process_.comm));
  ASSERT_RT_OK(rtMemcpyAsync(source.get(), target.get(), 300, RT_MEMCPY_DEFAULT, process_.stream));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), process_.stream));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, nullptr));
  for (int launch = 0; launch < 3; ++launch) ASSERT_RT_OK(rtGraphLaunch(exec, process_.stream));
  ASSERT_RT_OK(rtStreamSynchronize(process_.stream));
  const int wanted = process_.size * process_.size * process_.size;
  EXPECT_EQ(download(target.get(), 300), Bytes(300, static_cast<unsigned char>(wanted)));
}

INSTANTIATE_TEST_SUITE_P(Comm, MpiTest, testing::ValuesIn(layouts()),
                         [](const auto& given) { return layoutName(given.param); });

}  // namespace
}  // namespace commtest
