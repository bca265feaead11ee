// MPI starts the ranks and NCCL runs their operations: on CUDA devices that all differ, whose ranks find one NCCL. Where they
// do not, MPI runs the operations and the communicator says why; and what fails in NCCL's start fails on all ranks, with one
// sentence, in bounded time.
#include <sys/stat.h>

#include <chrono>
#include <thread>
#include <utility>

#include "comm/memory.h"
#include "comm/mpi/process.h"
#include "comm/nccl/devices.h"

namespace commtest {
namespace {

// Until the communicator has failed; the test's time limit ends it otherwise.
void awaitFailure(rtComm_t comm) {
  rtStatus_t status = RT_SUCCESS;
  while (status == RT_SUCCESS) {
    ASSERT_COMM_OK(rtCommGetStatus(&status, nullptr, comm));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

class MpiNcclTest : public testing::Test {
 protected:
  void SetUp() override {
    if (rttest::cudaDeviceCount() < worldSize()) GTEST_SKIP() << "fewer CUDA devices than ranks";
    for (const char* name : {"RT_COMM_ENGINE", "RT_NCCL"}) {
      const char* const value = getenv(name);
      before_.emplace_back(name, value != nullptr ? value : "");
    }
    (void)MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) (void)setenv(name.c_str(), value.c_str(), 1);  // empty: as not set
    (void)MPI_Barrier(MPI_COMM_WORLD);
  }
  void open(const std::string& device) {
    rtDevice_t handle = nullptr;
    ASSERT_RT_OK(rtDeviceGetByName(&handle, device.c_str()));
    ASSERT_RT_OK(rtContextCreate(context_.out(), nullptr, handle));
    ASSERT_RT_OK(rtStreamCreate(stream_.out(), nullptr, context_));
  }
  void openOwn() { open("cuda:" + std::to_string(rank_)); }
  rtStatus_t create(uint64_t timeout_ns = kLong) {
    const rtCommOptions_t given = options(timeout_ns, "world");
    const MPI_Comm world = MPI_COMM_WORLD;
    return rtCommCreateFromMpi(comm_.out(), &given, &world, context_);
  }
  void sum() {
    rttest::Memory memory;
    ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(64, static_cast<unsigned char>(1 << rank_)), context_));
    ASSERT_COMM_OK(rtCommAllReduce(memory.get(), memory.get(), 64, RT_COMM_U8, RT_COMM_SUM, stream_, comm_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(download(memory.get(), 64), Bytes(64, static_cast<unsigned char>((1 << size_) - 1)));
  }
  void expectMpi(int32_t transport, const std::string& reason) {
    const rtCommInfo_t info = infoOf(comm_);
    EXPECT_EQ(info.engine, RT_COMM_ENGINE_MPI) << info.engine_name;
    EXPECT_EQ(info.transport, transport) << info.transport_name;
    EXPECT_NE(std::string(info.reason).find(reason), std::string::npos) << info.reason;
    ASSERT_NO_FATAL_FAILURE(sum());
  }
  void expectRefused(rtStatus_t code, const std::string& words, uint64_t timeout_ns = kLong) {
    ASSERT_COMM(code, create(timeout_ns));
    EXPECT_NE(lastMessage().find(words), std::string::npos) << lastMessage();
    EXPECT_EQ(comm_.get(), nullptr);
  }
  // The next communicator is as if nothing had been.
  void expectTheNextOneWorks() {
    ASSERT_COMM_OK(create());
    EXPECT_EQ(infoOf(comm_).engine, RT_COMM_ENGINE_NCCL);
    ASSERT_NO_FATAL_FAILURE(sum());
  }
  bool isLast() const { return rank_ == size_ - 1; }

  // Submits what waits for the rank that stays away, on all others; every rank hears of it, that one too.
  void expectNamed(rtStatus_t code, int32_t rank, const std::string& words, rtComm_t comm) {
    if (!isLast()) {
      rttest::Memory memory;
      ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(64), context_));
      rtStatus_t status = rtCommAllReduce(memory.get(), memory.get(), 64, RT_COMM_U8, RT_COMM_SUM, stream_, comm);
      if (status == RT_SUCCESS) status = rtStreamSynchronize(stream_);
      EXPECT_EQ(status, code);
    }
    ASSERT_NO_FATAL_FAILURE(awaitFailure(comm));
    expectCommFailure(code, rank, words, comm);
    (void)MPI_Barrier(MPI_COMM_WORLD);  // so that no rank ends, or is destroyed, before the others have heard
  }

  rttest::Context context_;
  rttest::Stream stream_;
  Comm comm_;
  const int rank_ = worldRank(), size_ = worldSize();
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(MpiNcclTest, NcclRunsEveryOperation) {
  ASSERT_NO_FATAL_FAILURE(openOwn());
  ASSERT_COMM_OK(create());
  const rtCommInfo_t info = infoOf(comm_);
  EXPECT_EQ(info.engine, RT_COMM_ENGINE_NCCL) << info.reason;
  EXPECT_EQ(info.transport, RT_COMM_TRANSPORT_NCCL);
  EXPECT_STREQ(info.engine_name, "nccl");
  EXPECT_EQ(info.rank, rank_);
  EXPECT_EQ(info.size, size_);
  EXPECT_EQ(info.local_size, 1);
  EXPECT_STREQ(info.reason, "");
  if (simulatedNccl().here()) {
    EXPECT_STREQ(info.engine_version, "2.28.0");
  }
  int root = 0;
  for (const OperationRow& row : operationRows()) {
    for (const int32_t type : {RT_COMM_U8, RT_COMM_I32, RT_COMM_F32}) {
      for (const int32_t reduction : kReductions) {
        if (!row.reduces && reduction != RT_COMM_SUM) continue;
        if (row.reduces && reduction == RT_COMM_AVERAGE && size_ == 3) continue;  // NCCL's is exact for powers of two
        for (const bool in_place : {false, true}) {
          if (row.rooted) root = (root + 1) % size_;
          const Case of = {type, reduction, 3001, root, size_};
          SCOPED_TRACE(describe(row, of, in_place));
          RankMemory memory;
          ASSERT_NO_FATAL_FAILURE(memory.make(row, of, rank_, in_place, context_));
          ASSERT_COMM_OK(row.call(of, {memory.to, memory.from, stream_, comm_}));
          ASSERT_RT_OK(rtStreamSynchronize(stream_));
          memory.expect(row, of, rank_);
          if (HasFatalFailure() || HasNonfatalFailure()) return;
        }
      }
    }
  }
  if (simulatedNccl().here()) {
    EXPECT_GT(simulatedNccl().count("ncclAllReduce"), 0);
  }
}

TEST_F(MpiNcclTest, MpiIsNotNeededAfterTheCreation) {
  ASSERT_NO_FATAL_FAILURE(openOwn());
  MPI_Comm own = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_split(MPI_COMM_WORLD, 0, size_ - rank_, &own), MPI_SUCCESS);
  ASSERT_COMM_OK(rtCommCreateFromMpi(comm_.out(), nullptr, &own, context_));
  ASSERT_EQ(MPI_Comm_free(&own), MPI_SUCCESS);
  EXPECT_EQ(infoOf(comm_).rank, size_ - 1 - rank_) << "the rank that it has in the communicator of MPI";
  EXPECT_EQ(infoOf(comm_).engine, RT_COMM_ENGINE_NCCL);
  ASSERT_NO_FATAL_FAILURE(sum());
}

TEST_F(MpiNcclTest, SeveralCommunicatorsStartOneAfterTheOther) {
  ASSERT_NO_FATAL_FAILURE(openOwn());
  for (int round = 0; round < 5; ++round) {
    ASSERT_NO_FATAL_FAILURE(expectTheNextOneWorks());
    ASSERT_COMM_OK(comm_.reset());
  }
}

// ---- The hub, whose place MPI hands round ----

TEST_F(MpiNcclTest, ARankThatStaysAwayIsNamedToAll) {
  if (size_ < 2) GTEST_SKIP() << "one rank waits for no other";
  ASSERT_NO_FATAL_FAILURE(openOwn());
  ASSERT_COMM_OK(create(3'000'000'000));
  ASSERT_NO_FATAL_FAILURE(sum());
  expectNamed(RT_ERROR_TIMEOUT, size_ - 1,
              "Rank " + std::to_string(size_ - 1) + " of \"world\" did not come to collective 2 within 3 s", comm_);
}

TEST_F(MpiNcclTest, AnAbortReachesAllProcesses) {
  if (size_ < 2) GTEST_SKIP() << "one rank waits for no other";
  ASSERT_NO_FATAL_FAILURE(openOwn());
  ASSERT_COMM_OK(create());
  ASSERT_NO_FATAL_FAILURE(sum());
  (void)MPI_Barrier(MPI_COMM_WORLD);  // no rank is in its sum any more
  if (isLast()) {
    ASSERT_COMM_OK(rtCommAbort(comm_));
  }
  expectNamed(RT_ERROR_LAUNCH_FAILED, size_ - 1, "rtCommAbort", comm_);
}

// In a part the ranks have other numbers, and a hub of their own where they are on one host.
TEST_F(MpiNcclTest, ARankThatStaysAwayIsNamedInAPart) {
  if (size_ < 2) GTEST_SKIP() << "one rank waits for no other";
  ASSERT_NO_FATAL_FAILURE(openOwn());
  ASSERT_COMM_OK(create(3'000'000'000));
  Comm part;
  ASSERT_COMM_OK(rtCommSplit(part.out(), 0, -rank_, comm_));
  int32_t rank = -1;
  ASSERT_COMM_OK(rtCommGetRank(&rank, part));
  EXPECT_EQ(rank, size_ - 1 - rank_);
  EXPECT_EQ(infoOf(part).engine, RT_COMM_ENGINE_NCCL);
  std::swap(comm_, part);
  ASSERT_NO_FATAL_FAILURE(sum());
  if (getenv("COMM_TEST_HOSTS") != nullptr) return;  // ranks of several hosts have no hub in a part
  expectNamed(RT_ERROR_TIMEOUT, 0, "Rank 0 of \"world\" did not come to collective 2 within 3 s", comm_);
}

// As two hosts: the last rank has another /dev/shm, by which hosts are told apart. Then the hub is at an address of rank 0's.
TEST_F(MpiNcclTest, HostsAreToldApart) {
  if (getenv("COMM_TEST_HOSTS") == nullptr) GTEST_SKIP() << "all ranks are on one host";
  struct stat about = {};
  ASSERT_EQ(stat("/dev/shm", &about), 0);
  const auto mine = static_cast<uint64_t>(about.st_dev);
  std::vector<uint64_t> all(static_cast<size_t>(size_));
  ASSERT_EQ(MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD), MPI_SUCCESS);
  EXPECT_NE(all.front(), all.back());
}

// ---- Where MPI runs the operations ----

struct Lines {
  static void take(int32_t level, const char* message, void* user) {
    Lines& of = *static_cast<Lines*>(user);
    if (std::string(message).find(" runs on mpi") == std::string::npos) return;
    of.level = level;
    of.text = message;
  }
  int32_t level = RT_LOG_INVALID;
  std::string text;
};

TEST_F(MpiNcclTest, RanksThatShareADeviceAreNamedAndStagedByMpi) {
  if (size_ < 2) GTEST_SKIP() << "one rank shares its device with no other";
  ASSERT_NO_FATAL_FAILURE(open("cuda:" + std::to_string(isLast() ? 0 : rank_)));
  Lines lines;
  ASSERT_RT_OK(rtSetLogCallback(Lines::take, &lines, RT_LOG_INFO));
  ASSERT_COMM_OK(create());
  ASSERT_RT_OK(rtSetLogCallback(nullptr, nullptr, RT_LOG_WARNING));
  EXPECT_EQ(lines.level, rank_ == 0 ? RT_LOG_WARNING : RT_LOG_INFO);
  EXPECT_NE(lines.text.find("have the same device, which NCCL does not take"), std::string::npos) << lines.text;
  ASSERT_NO_FATAL_FAILURE(
      expectMpi(RT_COMM_TRANSPORT_MPI_STAGED, "Ranks 0 and " + std::to_string(size_ - 1) + " have the same device"));
}

TEST_F(MpiNcclTest, RanksThatAreNotAllOnCudaAreJoinedByMpi) {
  ASSERT_NO_FATAL_FAILURE(open(isLast() ? "cpu" : "cuda:" + std::to_string(rank_)));
  ASSERT_COMM_OK(create());
  ASSERT_NO_FATAL_FAILURE(
      expectMpi(isLast() ? RT_COMM_TRANSPORT_MPI : RT_COMM_TRANSPORT_MPI_STAGED, isLast() ? "" : "Not every rank is on CUDA"));
  if (isLast()) {
    EXPECT_STREQ(infoOf(comm_).reason, "");
  }
}

TEST_F(MpiNcclTest, TheEnvironmentKeepsTheOperationsInMpi) {
  for (const char* const word : {"mpi", "in_process", "shared_memory"}) {
    (void)setenv("RT_COMM_ENGINE", word, 1);
    context_.reset();
    ASSERT_NO_FATAL_FAILURE(openOwn());
    ASSERT_COMM_OK(create());
    ASSERT_NO_FATAL_FAILURE(expectMpi(RT_COMM_TRANSPORT_MPI_STAGED, std::string("RT_COMM_ENGINE=") + word));
    ASSERT_COMM_OK(comm_.reset());
  }
}

// ---- Refusals ----

TEST_F(MpiNcclTest, AWordThatIsNoEngineIsRefused) {
  ASSERT_NO_FATAL_FAILURE(openOwn());
  (void)setenv("RT_COMM_ENGINE", "smoke", 1);
  ASSERT_NO_FATAL_FAILURE(expectRefused(RT_ERROR_INVALID_VALUE, "RT_COMM_ENGINE=smoke is no engine"));
}

TEST_F(MpiNcclTest, RanksWithDifferentWordsAreRefused) {
  if (size_ < 2) GTEST_SKIP() << "one rank has one word";
  ASSERT_NO_FATAL_FAILURE(openOwn());
  (void)setenv("RT_COMM_ENGINE", isLast() ? "mpi" : "nccl", 1);
  ASSERT_NO_FATAL_FAILURE(expectRefused(RT_ERROR_NOT_SUPPORTED, "different words in RT_COMM_ENGINE"));
  (void)setenv("RT_COMM_ENGINE", "nccl", 1);
  ASSERT_NO_FATAL_FAILURE(expectTheNextOneWorks());
}

TEST_F(MpiNcclTest, AStartThatFailsOnOneRankIsToldToAll) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "NCCL itself does not fail on demand";
  ASSERT_NO_FATAL_FAILURE(openOwn());
  for (const char* const call : {"ncclCommInitRankConfig", "ncclCommSplit", "ncclCommFinalize"}) {
    SCOPED_TRACE(call);
    if (isLast()) simulatedNccl().fail(call, 2);
    const std::string rank = "Rank " + std::to_string(size_ - 1) + ": ";
    expectRefused(RT_ERROR_DRIVER, rank);
    simulatedNccl().fail(call, 0);
    (void)MPI_Barrier(MPI_COMM_WORLD);
  }
  ASSERT_NO_FATAL_FAILURE(expectTheNextOneWorks());
}

TEST_F(MpiNcclTest, AnIdThatCannotBeMadeIsToldToAll) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "NCCL itself does not fail on demand";
  ASSERT_NO_FATAL_FAILURE(openOwn());
  if (rank_ == 0) simulatedNccl().fail("ncclGetUniqueId", 3);
  expectRefused(RT_ERROR_DRIVER, "Rank 0: ncclGetUniqueId failed: internal error");
  simulatedNccl().fail("ncclGetUniqueId", 0);
  ASSERT_NO_FATAL_FAILURE(expectTheNextOneWorks());
}

// A rank that stays in NCCL's start ends the wait of all by their time.
TEST_F(MpiNcclTest, AStartThatHangsEndsAfterTheTime) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "NCCL itself does not hang on demand";
  ASSERT_NO_FATAL_FAILURE(openOwn());
  if (isLast()) simulatedNccl().hold(-4, 1);
  expectRefused(RT_ERROR_TIMEOUT, "NCCL did not start " + std::to_string(size_) + " ranks within 1 s", 1'000'000'000);
  if (isLast()) simulatedNccl().hold(-4, 0);
  ASSERT_NO_FATAL_FAILURE(expectTheNextOneWorks());
}

// ---- What NCCL the ranks find: the entry of ctest starts them so ----

TEST_F(MpiNcclTest, RanksThatFindNoNcclOrAnotherOneAreTold) {
  const char* const found = getenv("COMM_TEST_NCCL");
  if (found == nullptr) GTEST_SKIP() << "all ranks find the same";
  ASSERT_NO_FATAL_FAILURE(openOwn());
  if (std::string(found) == "none") {
    ASSERT_COMM_OK(create());
    ASSERT_NO_FATAL_FAILURE(expectMpi(RT_COMM_TRANSPORT_MPI_STAGED, "Rank 0: NCCL (libnccl.so.2) did not load"));
    (void)setenv("RT_COMM_ENGINE", "nccl", 1);
    ASSERT_COMM_OK(comm_.reset());
    expectRefused(RT_ERROR_BACKEND_UNAVAILABLE, "Rank 0: NCCL (libnccl.so.2) did not load");
  } else if (std::string(found) == "lacking") {  // by name
    expectRefused(RT_ERROR_BACKEND_UNAVAILABLE,
                  "Rank " + std::to_string(size_ - 1) + ": RT_NCCL=/none/libnccl.so.2 cannot be opened");
  } else {
    expectRefused(RT_ERROR_BACKEND_UNAVAILABLE, "different releases of NCCL: 2.27.3 and 2.28.0");
  }
}

}  // namespace
}  // namespace commtest
