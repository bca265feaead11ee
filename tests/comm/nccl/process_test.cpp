// Ranks of several processes, each on a CUDA device of its own, which meet through NCCL's id. The test's process has rank 0 and
// starts this program again for each of the others, with the id in its environment.
#include "support/process.h"

#include <csignal>
#include <thread>

#include "comm/free_port.h"
#include "comm/memory.h"
#include "comm/nccl/devices.h"
#include "comm/unique_ids.h"

namespace commtest {
namespace {

constexpr char kRank[] = "COMM_TEST_RANK", kSize[] = "COMM_TEST_SIZE";

// What one process has.
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
    for (const int32_t type : {RT_COMM_U8, RT_COMM_I32, RT_COMM_F32, RT_COMM_F64}) {
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
  // A ring of sends, and what NCCL does not do among processes.
  rttest::Memory source, target;
  ASSERT_NO_FATAL_FAILURE(upload(&source, Bytes(1000, static_cast<unsigned char>(rank + 1)), own.context));
  ASSERT_NO_FATAL_FAILURE(upload(&target, Bytes(1000), own.context));
  ASSERT_COMM_OK(rtCommGroupBegin());
  ASSERT_COMM_OK(rtCommSend(source.get(), 1000, RT_COMM_U8, (rank + 1) % size, own.stream, own.comm));
  ASSERT_COMM_OK(rtCommReceive(target.get(), 1000, RT_COMM_U8, (rank + size - 1) % size, own.stream, own.comm));
  ASSERT_COMM_OK(rtCommGroupEnd());
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  EXPECT_EQ(download(target.get(), 1000), Bytes(1000, static_cast<unsigned char>((rank + size - 1) % size + 1)));
  rtComm_t part = nullptr;
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, rtCommSplit(&part, 0, 0, own.comm));
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED,
              rtCommAllReduce(target.get(), target.get(), 4, RT_COMM_I16, RT_COMM_SUM, own.stream, own.comm));
  ASSERT_COMM_OK(rtCommBarrier(own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
}

// A process and NCCL start within it.
uint64_t ownTime() { return simulatedNccl().here() ? 2'000'000'000 : 10'000'000'000; }

class NcclProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    if (rttest::cudaDeviceCount() < 2) GTEST_SKIP() << "fewer than two CUDA devices";
    ASSERT_COMM_OK(rtCommGetUniqueId(&id_));
  }
  // The ranks from `first` on, each in a process, which a signal ends where one is given.
  void start(int size, const char* test, int first = 1, int signal = 0) {
    for (int rank = first; rank < size; ++rank) {
      threads_.emplace_back([this, rank, size, test, signal] {
        const rttest::Outcome outcome = rttest::run(
            {"/proc/self/exe", std::string("--gtest_filter=NcclRank.") + test},
            {{kUniqueId, toText(id_)}, {kRank, std::to_string(rank)}, {kSize, std::to_string(size)}, {"GTEST_OUTPUT", ""}});
        EXPECT_EQ(outcome.signal, signal) << "rank " << rank << ": " << outcome.text();
        EXPECT_EQ(outcome.exit_code, signal == 0 ? 0 : -1) << "rank " << rank << ": " << outcome.text();
      });
    }
  }
  void TearDown() override {
    for (std::thread& thread : threads_) thread.join();
  }

  rtCommUniqueId_t id_ = {};
  std::vector<std::thread> threads_;
};

int number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
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

// This process has rank 0, as torchrun would have started it.
class NcclLaunchedTest : public NcclProcessTest {
 protected:
  void launch(int size, const char* test) {
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
      threads_.emplace_back([rank, test, of = variables(rank)] {
        const rttest::Outcome outcome = rttest::run({"/proc/self/exe", std::string("--gtest_filter=NcclRank.") + test}, of);
        EXPECT_EQ(outcome.exit_code, 0) << "rank " << rank << ": " << outcome.text();
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

// A process that does not come to an operation: the others are told after the time, on their devices.
TEST_F(NcclProcessTest, ARankOfAnotherProcessThatDoesNotComeEndsTheWait) {
  start(2, "OneRankThatStaysAway");
  OwnRank own;
  ASSERT_COMM_OK(own.create(id_, 0, 2, ownTime()));
  rttest::Memory memory;
  ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(64), own.context));
  for (int round = 0; round < 2; ++round) {
    ASSERT_COMM_OK(rtCommAllReduce(memory.get(), memory.get(), 16, RT_COMM_I32, RT_COMM_SUM, own.stream, own.comm));
    if (round != 0) continue;
    ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  }
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronize(own.stream));
  expectCommFailure(RT_ERROR_TIMEOUT, -1, "s: another rank has not come", own.comm);
}

void runOneRankThatStaysAway() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  OwnRank own;
  ASSERT_COMM_OK(own.create(id, number(kRank), number(kSize), ownTime()));
  rttest::Memory memory;
  ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(64), own.context));
  ASSERT_COMM_OK(rtCommAllReduce(memory.get(), memory.get(), 16, RT_COMM_I32, RT_COMM_SUM, own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
}

// ---- The short way: operations that NCCL has connected ----

constexpr uint64_t kCount = 64;

struct ConnectedRank : OwnRank {
  rttest::Memory memory;

  rtStatus_t allReduce() {
    return rtCommAllReduce(memory.get(), memory.get(), kCount, RT_COMM_I32, RT_COMM_MAXIMUM, stream, comm);
  }
  void connect(const rtCommUniqueId_t& id, int rank, int size, uint64_t timeout_ns) {
    ASSERT_COMM_OK(create(id, rank, size, timeout_ns));
    ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(kCount * 4), context));
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
void callBehindHeldWork(const rtCommUniqueId_t& id, int rank) {
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
  callBehindHeldWork(id_, 0);
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

// A process that is gone: what waits for it on the device ends after the time.
TEST_F(NcclProcessTest, AKilledProcessEndsTheWaitAfterTheTime) {
  start(2, "OneRankThatIsKilled", 1, SIGKILL);
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id_, 0, 2, ownTime()));
  for (int i = 0; i < 40; ++i) ASSERT_COMM_OK(own.allReduce());
  expectCaller(true);
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronize(own.stream));
  expectCommFailure(RT_ERROR_TIMEOUT, -1, "s: another rank has not come", own.comm);
}

TEST_F(NcclProcessTest, AnAbortFromAnotherThreadEndsTheWait) {
  start(2, "OneRankThatIsKilled", 1, SIGKILL);
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id_, 0, 2, RT_TIMEOUT_INFINITE));
  ASSERT_COMM_OK(own.allReduce());
  std::thread other([&] { EXPECT_COMM_OK(rtCommAbort(own.comm)); });
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(own.stream));
  other.join();
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 0, "called rtCommAbort.", own.comm);
}

// A call that NCCL keeps, on the program's thread: NCCL's abort waits for it, as it frees what the call uses.
TEST_F(NcclProcessTest, AnAbortWaitsForTheCallOfTheProgramsThread) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "NCCL keeps no call when it is told to";
  start(2, "OneRankThatIsKilled", 1, SIGKILL);
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id_, 0, 2, RT_TIMEOUT_INFINITE));
  const int calls = simulatedNccl().count("ncclAllReduce"), aborts = simulatedNccl().count("ncclCommAbort");
  std::thread caller;
  {
    const Held room(-3);
    caller = std::thread([&] { EXPECT_COMM_OK(own.allReduce()); });
    while (simulatedNccl().count("ncclAllReduce") == calls) std::this_thread::yield();  // the test's time limit ends it
    EXPECT_COMM_OK(rtCommAbort(own.comm));
    EXPECT_EQ(rtStreamSynchronizeFor(kShort, own.stream), RT_ERROR_TIMEOUT);
    EXPECT_EQ(simulatedNccl().count("ncclCommAbort"), aborts);
  }
  caller.join();
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(own.stream));
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 0, "called rtCommAbort.", own.comm);
  EXPECT_EQ(simulatedNccl().count("abort within a call"), 0);
}

// The stream has no end of the operation yet, which the watch would record.
TEST_F(NcclProcessTest, ADestroyedStreamKeepsTheTime) {
  start(2, "OneRankThatIsKilled", 1, SIGKILL);
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id_, 0, 2, ownTime()));
  ASSERT_COMM_OK(own.allReduce());
  ASSERT_RT_OK(own.stream.reset());
  rtStatus_t status = RT_SUCCESS;
  while (status == RT_SUCCESS) ASSERT_COMM_OK(rtCommGetStatus(&status, nullptr, own.comm));  // the test's time limit ends it
  expectCommFailure(RT_ERROR_TIMEOUT, -1, "did not end within", own.comm);
}

void runOneRankThatIsKilled() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id, 1, 2, kLong));
  (void)raise(SIGKILL);
}

template <void (*kRun)(const rtCommUniqueId_t&, int)>
void runTheSecondRank() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  kRun(id, 1);
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

// The parts of other processes are tests only in those that the tests above start.
class RankOfAnotherProcess : public testing::Test {
 public:
  explicit RankOfAnotherProcess(void (*run)()) : run_(run) {}
  void TestBody() override { run_(); }

 private:
  void (*const run_)();
};

[[maybe_unused]] const bool registered = [] {
  if (std::getenv(kRank) == nullptr) return false;
  const auto add = [](const char* name, void (*run)()) {
    testing::RegisterTest("NcclRank", name, nullptr, nullptr, __FILE__, __LINE__,
                          [run]() -> RankOfAnotherProcess* { return new RankOfAnotherProcess(run); });
  };
  add("TheThirdRank", runTheThirdRank);
  add("OneRankOfAll", runOneRankOfAll);
  add("Launched", runLaunched);
  add("LaunchedWithoutItsDevice", runLaunchedWithoutItsDevice);
  add("OneRankThatStaysAway", runOneRankThatStaysAway);
  add("OneRankThatIsKilled", runOneRankThatIsKilled);
  add("CallsOnItsThread", runTheSecondRank<callOnThisThread>);
  add("HoldsItsStream", runTheSecondRank<callBehindHeldWork>);
  add("Captures", runTheSecondRank<captureAndLaunch>);
  return true;
}();

}  // namespace
}  // namespace commtest
