// MPI starts the ranks and NCCL runs their operations: on CUDA devices that all differ, whose ranks find one NCCL. Where they
// do not, MPI runs the operations and the communicator says why; and what fails in NCCL's start fails on all ranks, with one
// sentence, in bounded time.
#include "comm/memory.h"
#include "comm/mpi/process.h"
#include "comm/nccl/devices.h"

namespace commtest {
namespace {

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
