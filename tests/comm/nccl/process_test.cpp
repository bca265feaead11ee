// Ranks of several processes together: every operation, splits, captures, and the ways in which they start.
#include <unistd.h>

#include "comm/nccl/processes_rig.h"

namespace commtest {
namespace {

// The part of one rank in every operation.
void runAll(const rtCommUniqueId_t& id, int rank, int size) {
  OwnRank own;
  ASSERT_COMM_OK(own.create(id, rank, size, kLong));
  const rtCommInfo_t info = infoOf(own.comm);
  EXPECT_EQ(info.engine, RT_COMM_ENGINE_NCCL);
  EXPECT_EQ(info.transport, RT_COMM_TRANSPORT_NCCL);
  EXPECT_EQ(info.rank, rank);
  EXPECT_EQ(info.size, size);
  EXPECT_EQ(info.local_size, 1);
  int root = 0;
  for (const OperationRow& row : operationRows()) {
    for (const int32_t type : {RT_COMM_U8, RT_COMM_I16, RT_COMM_U16, RT_COMM_I32, RT_COMM_F32, RT_COMM_F64}) {
      for (const int32_t reduction : kReductions) {
        if (!row.reduces && reduction != RT_COMM_SUM) continue;
        if (row.reduces && reduction == RT_COMM_AVERAGE && size % 2 != 0) continue;  // NCCL's is exact for powers of two
        for (const bool in_place : {false, true}) {
          for (const uint64_t count : {uint64_t{0}, uint64_t{37}, uint64_t{20011}}) {
            if (row.rooted) root = (root + 1) % size;
            const Case of = {type, reduction, count, root, size};
            SCOPED_TRACE(describe(row, of, in_place));
            RankMemory memory;
            ASSERT_NO_FATAL_FAILURE(memory.make(row, of, rank, in_place, own.context));
            ASSERT_COMM_OK(row.call(of, {memory.to, memory.from, own.stream, own.comm}));
            ASSERT_RT_OK(rtStreamSynchronize(own.stream));
            memory.expect(row, of, rank);
          }
        }
      }
    }
  }
  // A ring of sends.
  rttest::Memory source, target;
  ASSERT_NO_FATAL_FAILURE(upload(&source, Bytes(1000, static_cast<unsigned char>(rank + 1)), own.context));
  ASSERT_NO_FATAL_FAILURE(upload(&target, Bytes(1000), own.context));
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(rtCommSend(source.get(), 1000, RT_COMM_U8, (rank + 1) % size, own.stream, own.comm));
  ASSERT_COMM_OK(rtCommReceive(target.get(), 1000, RT_COMM_U8, (rank + size - 1) % size, own.stream, own.comm));
  ASSERT_COMM_OK(rtCommGroupEnd());
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  EXPECT_EQ(download(target.get(), 1000), Bytes(1000, static_cast<unsigned char>((rank + size - 1) % size + 1)));
  ASSERT_COMM_OK(rtCommBarrier(own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
}

TEST_F(NcclProcessTest, EveryOperationRunsAmongTwoProcesses) {
  start(2, "OneRankOfAll");
  runAll(id_, 0, 2);
}

TEST_F(NcclProcessTest, EveryOperationRunsAmongFourProcesses) {
  if (rttest::cudaDeviceCount() < 4) GTEST_SKIP() << "fewer than four CUDA devices";
  start(4, "OneRankOfAll");
  runAll(id_, 0, 4);
}

TEST_F(NcclProcessTest, AThreadMakesTwoRanksBesideThatOfAnotherProcess) {
  if (rttest::cudaDeviceCount() < 3) GTEST_SKIP() << "fewer than three CUDA devices";
  start(3, "TheThirdRank", 2);
  OwnRank own[2];
  rttest::Memory memory[2];
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(own[rank].create(id_, rank, 3, kLong));
  ASSERT_COMM_OK(rtCommGroupEnd());
  for (int rank = 0; rank < 2; ++rank) EXPECT_EQ(infoOf(own[rank].comm).local_size, 2);
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_NO_FATAL_FAILURE(upload(&memory[rank], Bytes(64, 1), own[rank].context));
    ASSERT_COMM_OK(
        rtCommAllReduce(memory[rank].get(), memory[rank].get(), 64, RT_COMM_U8, RT_COMM_SUM, own[rank].stream, own[rank].comm));
  }
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_RT_OK(rtStreamSynchronize(own[rank].stream));
    EXPECT_EQ(download(memory[rank].get(), 64), Bytes(64, 3));
  }
}

void runTheThirdRank() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  OwnRank own;
  ASSERT_COMM_OK(own.create(id, 2, 3, kLong));
  rttest::Memory memory;
  ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(64, 1), own.context));
  ASSERT_COMM_OK(rtCommAllReduce(memory.get(), memory.get(), 64, RT_COMM_U8, RT_COMM_SUM, own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  EXPECT_EQ(download(memory.get(), 64), Bytes(64, 3));
}

void runOneRankOfAll() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  runAll(id, number(kRank), number(kSize));
}

// ---- Splits ----

// A rank's part, and its result: a sum over the ranks of its part.
void expectPart(rtComm_t comm, int rank, int size, int64_t sum, int own, const OwnRank& of) {
  int32_t its_rank = -1, its_size = -1;
  ASSERT_COMM_OK(rtCommGetRank(&its_rank, comm));
  ASSERT_COMM_OK(rtCommGetSize(&its_size, comm));
  EXPECT_EQ(its_rank, rank);
  EXPECT_EQ(its_size, size);
  rttest::Memory memory;
  Bytes bytes(sizeof sum);
  const int64_t mine = 1 << own;
  memcpy(bytes.data(), &mine, sizeof mine);
  ASSERT_NO_FATAL_FAILURE(upload(&memory, bytes, of.context));
  ASSERT_COMM_OK(rtCommAllReduce(memory.get(), memory.get(), 1, RT_COMM_I64, RT_COMM_SUM, of.stream, comm));
  ASSERT_RT_OK(rtStreamSynchronize(of.stream));
  int64_t got = 0;
  memcpy(&got, download(memory.get(), sizeof got).data(), sizeof got);
  EXPECT_EQ(got, sum);
}

// Four ranks: 0, 2 and 3 of one color, in the order 3, 0, 2 by their keys; 1 takes no part, then all in one part, and that
// again.
void splitFour(const rtCommUniqueId_t& id, int rank) {
  OwnRank own;
  ASSERT_COMM_OK(own.create(id, rank, 4, kLong));
  Comm part, whole, again;
  static constexpr int keys[] = {0, 5, 7, -1}, ranks[] = {1, -1, 2, 0};
  ASSERT_COMM_OK(rtCommSplit(part.out(), rank == 1 ? int32_t{RT_COMM_NO_COLOR} : 3, keys[rank], own.comm));
  if (rank == 1) {
    EXPECT_EQ(part.get(), nullptr);
  } else {
    ASSERT_NO_FATAL_FAILURE(expectPart(part, ranks[rank], 3, 1 + 4 + 8, rank, own));
  }
  ASSERT_COMM_OK(rtCommSplit(whole.out(), 0, -rank, own.comm));
  ASSERT_NO_FATAL_FAILURE(expectPart(whole, 3 - rank, 4, 15, rank, own));
  ASSERT_COMM_OK(rtCommSplit(again.out(), rank / 2, 0, whole));
  ASSERT_NO_FATAL_FAILURE(expectPart(again, 1 - rank % 2, 2, rank < 2 ? 3 : 12, rank, own));
  ASSERT_NO_FATAL_FAILURE(expectPart(own.comm, rank, 4, 15, rank, own));  // the parent goes on
}

TEST_F(NcclProcessTest, FourProcessesAreSplitByColorAndKey) {
  if (rttest::cudaDeviceCount() < 4) GTEST_SKIP() << "fewer than four CUDA devices";
  start(4, "OneOfFourSplits");
  splitFour(id_, 0);
}

// A thread with two ranks announces both before it waits.
TEST_F(NcclProcessTest, AThreadSplitsTwoRanksBesideThatOfAnotherProcess) {
  if (rttest::cudaDeviceCount() < 3) GTEST_SKIP() << "fewer than three CUDA devices";
  start(3, "TheThirdRankSplits", 2);
  OwnRank own[2];
  Comm parts[2];
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(own[rank].create(id_, rank, 3, kLong));
  ASSERT_COMM_OK(rtCommGroupEnd());
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(rtCommSplit(parts[rank].out(), 1, 0, own[rank].comm));
  ASSERT_COMM_OK(rtCommGroupEnd());
  std::thread second([&] { expectPart(parts[1], 1, 3, 7, 1, own[1]); });
  expectPart(parts[0], 0, 3, 7, 0, own[0]);
  second.join();
}

void runTheThirdRankSplits() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  OwnRank own;
  ASSERT_COMM_OK(own.create(id, 2, 3, kLong));
  Comm part;
  ASSERT_COMM_OK(rtCommSplit(part.out(), 1, 0, own.comm));
  ASSERT_NO_FATAL_FAILURE(expectPart(part, 2, 3, 7, 2, own));
}

// ---- Processes that a launcher started ----

void fromLauncher(int device, rtStatus_t expected, const char* words) {
  for (int round = 0; round < 2; ++round) {  // the port serves again
    OwnRank own;
    rtDevice_t handle = nullptr;
    ASSERT_RT_OK(rtDeviceGetByName(&handle, ("cuda:" + std::to_string(device)).c_str()));
    ASSERT_RT_OK(rtContextCreate(own.context.out(), nullptr, handle));
    ASSERT_RT_OK(rtStreamCreate(own.stream.out(), nullptr, own.context));
    const rtCommOptions_t given = options(kLong, "launched");
    if (expected != RT_SUCCESS) {
      ASSERT_COMM(expected, rtCommCreateFromEnvironment(own.comm.out(), &given, own.context));
      EXPECT_NE(lastMessage().find(words), std::string::npos) << lastMessage();
      continue;
    }
    ASSERT_COMM_OK(rtCommCreateFromEnvironment(own.comm.out(), &given, own.context));
    int32_t rank = -1, size = -1;
    ASSERT_COMM_OK(rtCommGetRank(&rank, own.comm));
    ASSERT_COMM_OK(rtCommGetSize(&size, own.comm));
    EXPECT_EQ(rank, number("RANK"));
    EXPECT_EQ(size, number("WORLD_SIZE"));
    rttest::Memory memory;
    ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(64, static_cast<unsigned char>(1 << rank)), own.context));
    ASSERT_COMM_OK(rtCommAllReduce(memory.get(), memory.get(), 64, RT_COMM_U8, RT_COMM_SUM, own.stream, own.comm));
    ASSERT_RT_OK(rtStreamSynchronize(own.stream));
    EXPECT_EQ(download(memory.get(), 64), Bytes(64, static_cast<unsigned char>((1 << size) - 1)));
  }
}

void runLaunched() { fromLauncher(number("LOCAL_RANK"), RT_SUCCESS, ""); }
void runLaunchedWithoutItsDevice() { fromLauncher(0, RT_ERROR_INVALID_VALUE, "have the same device"); }

TEST_F(NcclLaunchedTest, TwoProcessesOfALauncherMeetByTheirEnvironment) {
  launch(2, "Launched");
  runLaunched();
}

TEST_F(NcclLaunchedTest, FourProcessesOfALauncherMeetByTheirEnvironment) {
  if (rttest::cudaDeviceCount() < 4) GTEST_SKIP() << "fewer than four CUDA devices";
  launch(4, "Launched");
  runLaunched();
}

TEST_F(NcclLaunchedTest, OneDeviceForTwoProcessesIsToldToBoth) {
  launch(2, "LaunchedWithoutItsDevice");
  runLaunchedWithoutItsDevice();
}

// ---- The short way: operations that NCCL has connected ----

// Within the call NCCL is called by this thread; false: by another, before the stream has come to its end.
void expectCaller(bool here) {
  if (simulatedNccl().here()) {
    EXPECT_EQ(simulatedNccl().caller() == static_cast<int>(gettid()), here);
  }
}

void callOnThisThread(const rtCommUniqueId_t& id, int rank) {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id, rank, 2, kLong));
  expectCaller(false);
  for (int32_t round = 0; round < 3; ++round) {
    own.fill(10 * round + rank);
    ASSERT_COMM_OK(own.allReduce());
    expectCaller(true);
    own.expect(10 * round + 1);
  }
  own.fill(rank);
  for (int i = 0; i < 200; ++i) ASSERT_COMM_OK(own.allReduce());
  own.expect(1);
  rttest::Memory other;
  ASSERT_NO_FATAL_FAILURE(upload(&other, Bytes(kCount * 4), own.context));
  for (int32_t round = 0; round < 3; ++round) {  // what is sent to and received from each other
    own.fill(10 * round + rank);
    ASSERT_COMM_OK(rtCommGroupBegin());
    ASSERT_COMM_OK(rtCommSend(own.memory.get(), kCount, RT_COMM_I32, 1 - rank, own.stream, own.comm));
    ASSERT_COMM_OK(rtCommReceive(other.get(), kCount, RT_COMM_I32, 1 - rank, own.stream, own.comm));
    ASSERT_COMM_OK(rtCommGroupEnd());
    if (round != 0) expectCaller(true);
    ASSERT_RT_OK(rtMemcpyAsync(own.memory, other, kCount * 4, RT_MEMCPY_DEFAULT, own.stream));
    own.expect(10 * round + 1 - rank);
  }
  if (simulatedNccl().here()) {
    EXPECT_EQ(simulatedNccl().count("operation that does not block"), 0);
  }
}

TEST_F(NcclProcessTest, OnceConnectedNcclIsCalledByTheProgramsThread) {
  start(2, "CallsOnItsThread");
  callOnThisThread(id_, 0);
}

// A stream that holds work back holds the operation, too, and those of the rank in other streams come later.
void callAfterHeldWork(const rtCommUniqueId_t& id, int rank) {
  ConnectedRank own;
  rttest::Stream second;
  rttest::Memory other;
  ASSERT_NO_FATAL_FAILURE(own.connect(id, rank, 2, kLong));
  ASSERT_NO_FATAL_FAILURE(upload(&other, Bytes(kCount * 4, static_cast<unsigned char>(rank)), own.context));
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, own.context));
  for (int round = 0; round < 3; ++round) {
    rttest::Gate gate(own.context);
    own.fill(0);
    ASSERT_RT_OK(gate.close(own.stream));
    own.fill(10 + rank);
    ASSERT_COMM_OK(own.allReduce());
    ASSERT_COMM_OK(rtCommAllReduce(other.get(), other.get(), kCount, RT_COMM_I32, RT_COMM_MAXIMUM, second, own.comm));
    EXPECT_EQ(rtStreamQuery(own.stream), RT_NOT_READY);
    EXPECT_EQ(rtStreamQuery(second), RT_NOT_READY);
    ASSERT_RT_OK(gate.open());
    ASSERT_RT_OK(rtStreamSynchronize(second));
    EXPECT_EQ(download(other.get(), kCount * 4), Bytes(kCount * 4, 1));
    own.expect(11);
    ASSERT_COMM_OK(own.allReduce());
    expectCaller(true);
  }
}

TEST_F(NcclProcessTest, AHeldStreamKeepsTheOrder) {
  start(2, "HoldsItsStream");
  callAfterHeldWork(id_, 0);
}

void captureAndLaunch(const rtCommUniqueId_t& id, int rank) {
  ConnectedRank own;
  rttest::Graph graph;
  rttest::GraphExec exec;
  ASSERT_NO_FATAL_FAILURE(own.connect(id, rank, 2, kLong));
  ASSERT_RT_OK(rtStreamBeginCapture(own.stream));
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, rtCommBarrier(own.stream, own.comm));  // not connected
  ASSERT_COMM_OK(
      rtCommAllReduce(own.memory.get(), own.memory.get(), kCount, RT_COMM_I32, RT_COMM_MAXIMUM, own.stream, own.comm));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), own.stream));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, nullptr));
  for (int32_t round = 0; round < 3; ++round) {
    own.fill(10 * round + rank);
    ASSERT_RT_OK(rtGraphLaunch(exec, own.stream));
    own.expect(10 * round + 1);
  }
}

TEST_F(NcclProcessTest, AConnectedOperationIsCaptured) {
  start(2, "Captures");
  captureAndLaunch(id_, 0);
}

// 16-bit integers wrap, also in a group with what comes before and after them, and in a graph.
void reduceShortIntegers(const rtCommUniqueId_t& id, int rank) {
  OwnRank own;
  ASSERT_COMM_OK(own.create(id, rank, 2, kLong));
  rttest::Memory memory, other;
  const auto fill = [&](int16_t value) {
    std::vector<int16_t> values(100, value);
    ASSERT_RT_OK(rtMemcpy(memory, values.data(), 200, RT_MEMCPY_DEFAULT));
  };
  const auto expect = [&](void* at, int16_t value) {
    std::vector<int16_t> values(100);
    ASSERT_RT_OK(rtStreamSynchronize(own.stream));
    ASSERT_RT_OK(rtMemcpy(values.data(), at, 200, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(values, std::vector<int16_t>(100, value));
  };
  ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(200), own.context));
  ASSERT_NO_FATAL_FAILURE(upload(&other, Bytes(200), own.context));
  const auto allReduce = [&](int32_t type, int32_t reduction) {
    return rtCommAllReduce(memory.get(), memory.get(), 100, type, reduction, own.stream, own.comm);
  };
  fill(30000);
  ASSERT_COMM_OK(allReduce(RT_COMM_I16, RT_COMM_SUM));
  expect(memory.get(), static_cast<int16_t>(60000));
  fill(30000);
  ASSERT_COMM_OK(allReduce(RT_COMM_I16, RT_COMM_AVERAGE));  // the sum, as it wrapped, is divided
  expect(memory.get(), static_cast<int16_t>(60000) / 2);
  fill(rank == 0 ? 3 : -1);
  ASSERT_COMM_OK(allReduce(RT_COMM_U16, RT_COMM_MINIMUM));
  expect(memory.get(), 3);
  fill(rank == 0 ? 7 : 1);
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(rtCommBroadcast(memory.get(), memory.get(), 100, RT_COMM_I16, 0, own.stream, own.comm));
  ASSERT_COMM_OK(allReduce(RT_COMM_I16, RT_COMM_PRODUCT));
  ASSERT_COMM_OK(rtCommSend(memory.get(), 100, RT_COMM_I16, 1 - rank, own.stream, own.comm));
  ASSERT_COMM_OK(rtCommReceive(other.get(), 100, RT_COMM_I16, 1 - rank, own.stream, own.comm));
  ASSERT_COMM_OK(rtCommGroupEnd());
  expect(memory.get(), 49);
  expect(other.get(), 49);
  rttest::Graph graph;
  rttest::GraphExec exec;
  ASSERT_RT_OK(rtStreamBeginCapture(own.stream));
  ASSERT_COMM_OK(allReduce(RT_COMM_I16, RT_COMM_SUM));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), own.stream));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, nullptr));
  for (int16_t round = 1; round < 4; ++round) {
    fill(round);
    ASSERT_RT_OK(rtGraphLaunch(exec, own.stream));
    expect(memory.get(), static_cast<int16_t>(2 * round));
  }
}

TEST_F(NcclProcessTest, ShortIntegersWrapInGroupsAndGraphs) {
  start(2, "ReducesShortIntegers");
  reduceShortIntegers(id_, 0);
}

TEST_F(NcclProcessTest, AStartWithoutTheOthersIsGivenUpAfterTheTime) {
  OwnRank own;
  EXPECT_COMM(RT_ERROR_TIMEOUT, own.create(id_, 1, 3, 1'000'000'000));
  EXPECT_NE(lastMessage().find("1 came here within 1 s, for which rank 1 waits: ranks 0 and 2 did not, and NCCL does not tell"),
            std::string::npos)
      << lastMessage();
}

// The last rank comes to this process when the first one has started NCCL: the communicator is one of this process.
TEST_F(NcclProcessTest, ALateRankOfThisProcessMakesItACommunicatorOfThisProcess) {
  const int starts = simulatedNccl().here() ? simulatedNccl().count("ncclCommInitRankConfig") : 0;
  OwnRank first, second;
  std::thread early([&] { EXPECT_COMM_OK(first.create(id_, 0, 2, kLong)); });
  if (simulatedNccl().here()) {
    while (simulatedNccl().count("ncclCommInitRankConfig") == starts) std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  EXPECT_COMM_OK(second.create(id_, 1, 2, kLong));
  early.join();
  rtComm_t parts[2] = {};  // which it can split
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(rtCommSplit(&parts[0], 0, 0, first.comm));
  ASSERT_COMM_OK(rtCommSplit(&parts[1], 0, 1, second.comm));
  ASSERT_COMM_OK(rtCommGroupEnd());
  for (const rtComm_t part : parts) EXPECT_COMM_OK(rtCommDestroy(part));
}

[[maybe_unused]] const bool registered = [] {
  addRank("TheThirdRank", runTheThirdRank);
  addRank("OneRankOfAll", runOneRankOfAll);
  addRank("OneOfFourSplits", [] {
    rtCommUniqueId_t id = {};
    ASSERT_TRUE(fromEnvironment(&id));
    splitFour(id, number(kRank));
  });
  addRank("TheThirdRankSplits", runTheThirdRankSplits);
  addRank("Launched", runLaunched);
  addRank("LaunchedWithoutItsDevice", runLaunchedWithoutItsDevice);
  addRank("CallsOnItsThread", runTheSecondRank<callOnThisThread>);
  addRank("HoldsItsStream", runTheSecondRank<callAfterHeldWork>);
  addRank("Captures", runTheSecondRank<captureAndLaunch>);
  addRank("ReducesShortIntegers", runTheSecondRank<reduceShortIntegers>);
  return true;
}();

}  // namespace
}  // namespace commtest
