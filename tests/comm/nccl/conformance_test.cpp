// Every operation with every type and reduction through NCCL, in place and not, with as many ranks as there are devices. Each
// rank has exactly the elements of the table of operations.h. Groups, splits and graphs among them.
#include <algorithm>
#include <thread>

#include "comm/memory.h"
#include "comm/nccl/devices.h"
#include "support/kernels.h"

namespace commtest {
namespace {

class NcclTest : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(ranks_.make(everyDevice(GetParam()), GetParam())); }

  enum class Submit { kOneByOne, kInAGroup, kByThreads };

  void run(const OperationRow& row, const Case& of, bool in_place, Submit how) {
    SCOPED_TRACE(describe(row, of, in_place));
    std::vector<RankMemory> memory(static_cast<size_t>(of.ranks));
    for (int rank = 0; rank < of.ranks; ++rank) {
      ASSERT_NO_FATAL_FAILURE(memory[rank].make(row, of, rank, in_place, ranks_.contexts[rank]));
    }
    const auto submit = [&](int rank) {
      EXPECT_COMM_OK(row.call(of, {memory[rank].to, memory[rank].from, ranks_.streams[rank], ranks_.comms[rank]}));
    };
    if (how == Submit::kInAGroup) {
      ASSERT_COMM_OK(rtCommGroupBegin());
    }
    std::vector<std::thread> threads;
    for (int rank = 0; rank < of.ranks; ++rank) {
      if (how == Submit::kByThreads) {
        threads.emplace_back(submit, rank);
      } else {
        submit(rank);
      }
    }
    for (std::thread& thread : threads) thread.join();
    if (how == Submit::kInAGroup) {
      ASSERT_COMM_OK(rtCommGroupEnd());
    }
    ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
    for (int rank = 0; rank < of.ranks; ++rank) memory[rank].expect(row, of, rank);
  }

  Ranks ranks_;
};

// NCCL multiplies with the reciprocal of the ranks, which is exact for powers of two alone.
bool averagesExactly(int32_t type, int ranks) { return !isFloating(type) || (ranks & (ranks - 1)) == 0; }

TEST_P(NcclTest, GivesEveryRankWhatItShould) {
  const int ranks = GetParam();
  int root = 0, turn = 0;
  for (const OperationRow& row : operationRows()) {
    for (const int32_t type : kTypes) {
      for (const int32_t reduction : kReductions) {
        if (!row.reduces && reduction != RT_COMM_SUM) continue;
        if (row.reduces && reduction == RT_COMM_AVERAGE && !averagesExactly(type, ranks)) continue;
        for (const bool in_place : {false, true}) {
          for (const uint64_t count : {uint64_t{37}, uint64_t{20011}}) {
            if (row.rooted) root = (root + 1) % ranks;
            run(row, {type, reduction, count, root, ranks}, in_place, static_cast<Submit>(turn++ % 3));
            if (HasFatalFailure() || HasNonfatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST_P(NcclTest, TellsNcclAndItsVersion) {
  for (int rank = 0; rank < GetParam(); ++rank) {
    const rtCommInfo_t info = infoOf(ranks_.comms[rank]);
    EXPECT_EQ(info.engine, RT_COMM_ENGINE_NCCL);
    EXPECT_EQ(info.transport, RT_COMM_TRANSPORT_NCCL);
    EXPECT_STREQ(info.engine_name, "nccl");
    EXPECT_STREQ(info.transport_name, "nccl");
    EXPECT_EQ(info.rank, rank);
    EXPECT_EQ(info.size, GetParam());
    EXPECT_EQ(info.local_size, GetParam());
    EXPECT_STREQ(info.reason, "");
    if (simulatedNccl().here()) {
      EXPECT_STREQ(info.engine_version, "2.28.0");
    }
  }
}

TEST(NcclInfoTest, RanksThatShareADeviceSayWhyNcclDoesNotRun) {
  Ranks ranks;
  ASSERT_NO_FATAL_FAILURE(ranks.make("cuda:0", 2));
  const rtCommInfo_t info = infoOf(ranks.comms[1]);
  EXPECT_EQ(info.engine, RT_COMM_ENGINE_IN_PROCESS);
  EXPECT_EQ(info.transport, RT_COMM_TRANSPORT_DEVICE_COPIES);
  EXPECT_STREQ(info.reason, "Two ranks have the same device.");
}

TEST_P(NcclTest, TakesNoElements) {
  for (const OperationRow& row : operationRows()) {
    const Case none = {RT_COMM_F32, RT_COMM_SUM, 0, GetParam() - 1, GetParam()};
    for (int rank = 0; rank < GetParam(); ++rank) {
      ASSERT_COMM_OK(row.call(none, {nullptr, nullptr, ranks_.streams[rank], ranks_.comms[rank]}));
    }
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
}

// NCCL has no type for these: the engine of this process reduces them, in order with what NCCL does, also in one group.
TEST_P(NcclTest, SixteenBitIntegersAreReducedBetweenOperationsOfNccl) {
  const int ranks = GetParam();
  std::vector<rttest::Memory> memory(ranks_.comms.size());
  for (const bool grouped : {false, true}) {
    for (int rank = 0; rank < ranks; ++rank) {
      ASSERT_NO_FATAL_FAILURE(upload(&memory[rank], Bytes(2000, static_cast<unsigned char>(rank + 1)), ranks_.contexts[rank]));
    }
    for (int rank = 0; rank < ranks; ++rank) {
      void* const at = memory[rank].get();
      const rtStream_t stream = ranks_.streams[rank];
      const rtComm_t comm = ranks_.comms[rank];
      if (grouped) {
        ASSERT_COMM_OK(rtCommGroupBegin());
      }
      ASSERT_COMM_OK(rtCommBroadcast(at, at, 2000, RT_COMM_U8, ranks - 1, stream, comm));         // n in each byte
      ASSERT_COMM_OK(rtCommAllReduce(at, at, 1000, RT_COMM_U16, RT_COMM_SUM, stream, comm));      // n * n in each byte
      ASSERT_COMM_OK(rtCommAllReduce(at, at, 2000, RT_COMM_U8, RT_COMM_SUM, stream, comm));       // n * n * n
      ASSERT_COMM_OK(rtCommAllReduce(at, at, 1000, RT_COMM_I16, RT_COMM_MAXIMUM, stream, comm));  // the same
      if (grouped) {
        ASSERT_COMM_OK(rtCommGroupEnd());
      }
    }
    ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
    const Bytes wanted(2000, static_cast<unsigned char>(ranks * ranks * ranks));
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(download(memory[rank].get(), 2000), wanted) << grouped;
  }
}

TEST_P(NcclTest, AReductionOfSixteenBitIntegersIsNotCaptured) {
  rttest::Memory memory;
  ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(64), ranks_.contexts[0]));
  ASSERT_RT_OK(rtStreamBeginCapture(ranks_.streams[0]));
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED,
              rtCommAllReduce(memory.get(), memory.get(), 4, RT_COMM_I16, RT_COMM_SUM, ranks_.streams[0], ranks_.comms[0]));
  rttest::Graph graph;
  (void)rtStreamEndCapture(graph.out(), ranks_.streams[0]);
}

// Work ahead in the stream is seen, and work after sees the result, without a wait of the host.
TEST_P(NcclTest, OperationsStandInTheOrderOfTheirStream) {
  std::vector<rttest::Memory> source(ranks_.comms.size()), target(ranks_.comms.size());
  for (int rank = 0; rank < GetParam(); ++rank) {
    ASSERT_NO_FATAL_FAILURE(upload(&source[rank], Bytes(1000), ranks_.contexts[rank]));
    ASSERT_NO_FATAL_FAILURE(upload(&target[rank], Bytes(1000), ranks_.contexts[rank]));
  }
  for (int round = 0; round < 20; ++round) {
    for (int rank = 0; rank < GetParam(); ++rank) {
      ASSERT_RT_OK(rtMemsetAsync(source[rank].get(), round + 1, 1000, ranks_.streams[rank]));
      ASSERT_COMM_OK(rtCommAllReduce(source[rank].get(), source[rank].get(), 1000, RT_COMM_U8, RT_COMM_MAXIMUM,
                                     ranks_.streams[rank], ranks_.comms[rank]));
      ASSERT_RT_OK(rtMemcpyAsync(target[rank].get(), source[rank].get(), 1000, RT_MEMCPY_DEFAULT, ranks_.streams[rank]));
    }
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < GetParam(); ++rank) EXPECT_EQ(download(target[rank].get(), 1000), Bytes(1000, 20));
}

TEST_P(NcclTest, RanksInARingSendAndReceiveAtOnce) {
  const int ranks = GetParam();
  std::vector<rttest::Memory> source(ranks_.comms.size()), target(ranks_.comms.size());
  for (int rank = 0; rank < ranks; ++rank) {
    ASSERT_NO_FATAL_FAILURE(upload(&source[rank], Bytes(1000, static_cast<unsigned char>(rank + 1)), ranks_.contexts[rank]));
    ASSERT_NO_FATAL_FAILURE(upload(&target[rank], Bytes(1000), ranks_.contexts[rank]));
    ASSERT_COMM_OK(rtCommGroupBegin());
    ASSERT_COMM_OK(
        rtCommSend(source[rank].get(), 1000, RT_COMM_U8, (rank + 1) % ranks, ranks_.streams[rank], ranks_.comms[rank]));
    ASSERT_COMM_OK(rtCommReceive(target[rank].get(), 1000, RT_COMM_U8, (rank + ranks - 1) % ranks, ranks_.streams[rank],
                                 ranks_.comms[rank]));
    ASSERT_COMM_OK(rtCommGroupEnd());
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(download(target[rank].get(), 1000), Bytes(1000, static_cast<unsigned char>((rank + ranks - 1) % ranks + 1)));
  }
}

// Ranks that meet by an id are NCCL's like those that one call makes.
TEST_P(NcclTest, RanksOfThreadsMeetById) {
  const int ranks = GetParam();
  ranks_.comms.clear();
  ranks_.comms.resize(static_cast<size_t>(ranks));
  rtCommUniqueId_t id = {};
  ASSERT_COMM_OK(rtCommGetUniqueId(&id));
  const int starts = simulatedNccl().here() ? simulatedNccl().count("ncclCommInitAll") : 0;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      EXPECT_COMM_OK(rtCommCreate(ranks_.comms[rank].out(), nullptr, &id, rank, ranks, ranks_.contexts[rank]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (simulatedNccl().here()) {
    EXPECT_EQ(simulatedNccl().count("ncclCommInitAll"), starts + 1);
  }
  run(operationRows()[0], {RT_COMM_F32, RT_COMM_SUM, 1000, 0, ranks}, false, Submit::kByThreads);
}

TEST_P(NcclTest, ASplitMakesRanksByColorAndKey) {
  const int ranks = GetParam();
  std::vector<rtComm_t> parts(static_cast<size_t>(ranks));
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < ranks; ++rank) ASSERT_COMM_OK(rtCommSplit(&parts[rank], rank % 2, -rank, ranks_.comms[rank]));
  ASSERT_COMM_OK(rtCommGroupEnd());
  std::vector<Comm> owned;
  for (const rtComm_t part : parts) owned.emplace_back(part);
  for (int rank = 0; rank < ranks; ++rank) {
    int32_t size = 0, in_part = -1;
    ASSERT_COMM_OK(rtCommGetSize(&size, parts[rank]));
    ASSERT_COMM_OK(rtCommGetRank(&in_part, parts[rank]));
    EXPECT_EQ(size, (ranks + 1 - rank % 2) / 2);
    EXPECT_EQ(in_part, size - 1 - rank / 2);
    ASSERT_COMM_OK(rtCommBarrier(ranks_.streams[rank], parts[rank]));
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
}

TEST_P(NcclTest, EachLaunchOfAGraphIsAnOperation) {
  const int ranks = GetParam();
  std::vector<rttest::Memory> source(ranks_.comms.size()), target(ranks_.comms.size());
  std::vector<rttest::GraphExec> execs(ranks_.comms.size());
  const auto allReduce = [&](int rank) {
    return rtCommAllReduce(target[rank].get(), source[rank].get(), 300, RT_COMM_U8, RT_COMM_SUM, ranks_.streams[rank],
                           ranks_.comms[rank]);
  };
  for (int rank = 0; rank < ranks; ++rank) {
    ASSERT_NO_FATAL_FAILURE(upload(&source[rank], Bytes(300, 1), ranks_.contexts[rank]));
    ASSERT_NO_FATAL_FAILURE(upload(&target[rank], Bytes(300), ranks_.contexts[rank]));
  }
  if (ranks > 1) {  // before NCCL has connected the ranks
    ASSERT_RT_OK(rtStreamBeginCapture(ranks_.streams[0]));
    EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, allReduce(0));
    EXPECT_NE(lastMessage().find("Run the same operation once"), std::string::npos) << lastMessage();
    rttest::Graph graph;
    (void)rtStreamEndCapture(graph.out(), ranks_.streams[0]);
  }
  for (int rank = 0; rank < ranks; ++rank) ASSERT_COMM_OK(allReduce(rank));
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < ranks; ++rank) {
    rttest::Graph graph;
    ASSERT_RT_OK(rtStreamBeginCapture(ranks_.streams[rank]));
    ASSERT_COMM_OK(allReduce(rank));
    ASSERT_RT_OK(rtMemcpyAsync(source[rank].get(), target[rank].get(), 300, RT_MEMCPY_DEFAULT, ranks_.streams[rank]));
    ASSERT_RT_OK(rtStreamEndCapture(graph.out(), ranks_.streams[rank]));
    ASSERT_RT_OK(rtGraphInstantiate(execs[rank].out(), graph, nullptr));
  }
  const int calls = simulatedNccl().here() ? simulatedNccl().count("ncclAllReduce") : 0;
  ranks_.comms.clear();  // the graph keeps them
  for (int launch = 0; launch < 3; ++launch) {
    for (int rank = 0; rank < ranks; ++rank) ASSERT_RT_OK(rtGraphLaunch(execs[rank], ranks_.streams[rank]));
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(download(target[rank].get(), 300), Bytes(300, static_cast<unsigned char>(ranks * ranks * ranks)));
  }
  if (simulatedNccl().here()) {
    EXPECT_EQ(simulatedNccl().count("ncclAllReduce"), calls) << "a launch called NCCL";
  }
}

// Each exec has memory of its own beside an all-to-all in place, which the rank keeps.
TEST_P(NcclTest, ThreadsMakeGraphsOfOneRankAtOnce) {
  const int ranks = GetParam();
  std::vector<rttest::Memory> memory(ranks_.comms.size());
  for (int rank = 0; rank < ranks; ++rank) {
    ASSERT_NO_FATAL_FAILURE(upload(&memory[rank], Bytes(static_cast<size_t>(64 * ranks)), ranks_.contexts[rank]));
    ASSERT_COMM_OK(
        rtCommAllToAll(memory[rank].get(), memory[rank].get(), 64, RT_COMM_U8, ranks_.streams[rank], ranks_.comms[rank]));
  }
  ASSERT_NO_FATAL_FAILURE(ranks_.synchronize());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 8; ++round) {
        rttest::Stream stream;
        rttest::Graph graph;
        rttest::GraphExec exec;
        ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, ranks_.contexts[0]));
        ASSERT_RT_OK(rtStreamBeginCapture(stream));
        ASSERT_COMM_OK(rtCommAllToAll(memory[0].get(), memory[0].get(), 64, RT_COMM_U8, stream, ranks_.comms[0]));
        ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream));
        ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, nullptr));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A kernel is given memory of the other device, which it may have where peer access is on.
TEST(NcclPeerTest, ACommunicatorSwitchesPeerAccessOn) {
  if (rttest::cudaDeviceCount() < 2) GTEST_SKIP() << "one CUDA device";
  rttest::Context contexts[2];
  rttest::Stream stream;
  rttest::Memory memory;
  rttest::Module module;
  rtDevice_t devices[2] = {};
  rtKernel_t kernel = nullptr;
  int32_t can = 0;
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_RT_OK(rtDeviceGetByName(&devices[rank], rank == 0 ? "cuda:0" : "cuda:1"));
    ASSERT_RT_OK(rtContextCreate(contexts[rank].out(), nullptr, devices[rank]));
  }
  ASSERT_RT_OK(rtDeviceCanAccessPeer(&can, devices[1], devices[0]));
  if (can == 0) GTEST_SKIP() << "the devices do not reach each other";
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, contexts[1]));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, contexts[0]));
  const char* const source = "__kernel void put(__global uint* to) { to[0] = 42; }";
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), source, nullptr, contexts[0]));
  ASSERT_RT_OK(rtModuleGetKernel(&kernel, "put", module));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rttest::launchOver(kernel, stream, 1, 1, memory.get()));
  const rtContext_t of_ranks[] = {contexts[0], contexts[1]};
  rtComm_t made[2] = {};
  ASSERT_COMM_OK(rtCommCreateAll(made, nullptr, of_ranks, 2));
  const Comm comms[] = {Comm(made[0]), Comm(made[1])};
  ASSERT_RT_OK(rttest::launchOver(kernel, stream, 1, 1, memory.get()));
  ASSERT_RT_OK(rtStreamSynchronize(stream));
  EXPECT_EQ(download(memory.get(), 1), Bytes(1, 42));
}

INSTANTIATE_TEST_SUITE_P(Comm, NcclTest, testing::ValuesIn(rankCounts()),
                         [](const auto& given) { return std::to_string(given.param); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NcclTest);

}  // namespace
}  // namespace commtest
