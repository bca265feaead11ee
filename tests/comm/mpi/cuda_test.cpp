// MPI that says that it takes addresses of CUDA device memory. This program answers MPIX_Query_cuda_support for it, and
// simulated devices have memory that any MPI takes. Which addresses MPI gets is seen by MPI's own way to look at calls,
// functions of the same name in the program.
#include <atomic>
#include <mutex>
#include <set>

#include "comm/memory.h"
#include "comm/mpi/process.h"
#include "comm/nccl/devices.h"

namespace {

std::atomic<int> says{0};
std::mutex mutex;
std::set<const void*> given;  // addresses that MPI has got

void note(const void* address) {
  const std::lock_guard lock(mutex);
  given.insert(address);
}

}  // namespace

#define SEEN extern "C" __attribute__((visibility("default"))) int

SEEN MPIX_Query_cuda_support(void) { return says; }
SEEN MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  note(buffer);
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}
SEEN MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  note(buffer);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
SEEN MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  note(buffer);
  return PMPI_Irecv(buffer, count, type, from, tag, comm, request);
}

namespace commtest {
namespace {

class MpiCudaTest : public testing::Test {
 protected:
  void SetUp() override {
    if (rttest::cudaDeviceCount() == 0 || !simulatedNccl().here()) GTEST_SKIP() << "no simulated CUDA";
    (void)setenv("RT_COMM_ENGINE", "mpi", 1);
    says = 1;
    const std::lock_guard lock(mutex);
    given.clear();  // addresses come again
  }
  void TearDown() override {
    (void)setenv("RT_COMM_ENGINE", "", 1);
    (void)setenv("RT_COMM_MPI", "", 1);
    says = 0;
    (void)MPI_Barrier(MPI_COMM_WORLD);
  }
  void run(const OperationRow& row, const Case& of, bool in_place) {
    SCOPED_TRACE(describe(row, of, in_place));
    RankMemory memory;
    ASSERT_NO_FATAL_FAILURE(memory.make(row, of, process_.rank, in_place, process_.context));
    ASSERT_COMM_OK(row.call(of, {memory.to, memory.from, process_.stream, process_.comm}));
    ASSERT_RT_OK(rtStreamSynchronize(process_.stream));
    memory.expect(row, of, process_.rank);
  }
  void runAll() {
    int root = 0;
    for (const OperationRow& row : operationRows()) {
      for (const int32_t type : kTypes) {
        for (const int32_t reduction : kReductions) {
          if (!row.reduces && reduction != RT_COMM_SUM) continue;
          for (const bool in_place : {false, true}) {
            for (const uint64_t count : {uint64_t{0}, uint64_t{37}, uint64_t{3001}, uint64_t{30011}}) {
              if (count > 4000 && type != RT_COMM_F32) continue;
              if (row.rooted) root = (root + 1) % process_.size;
              run(row, {type, reduction, count, root, process_.size}, in_place);
              if (HasFatalFailure() || HasNonfatalFailure()) return;
            }
          }
        }
      }
    }
  }
  // Whether MPI got the program's own memory in a broadcast, a send and a receive.
  bool getsTheProgramsMemory() {
    const int next = (process_.rank + 1) % process_.size, before = (process_.rank + process_.size - 1) % process_.size;
    rttest::Memory memory[3];
    for (rttest::Memory& each : memory) {
      upload(&each, Bytes(100000, static_cast<unsigned char>(process_.rank + 1)), process_.context);
    }
    EXPECT_COMM_OK(rtCommBroadcast(memory[0].get(), memory[0].get(), 100000, RT_COMM_U8, 0, process_.stream, process_.comm));
    EXPECT_COMM_OK(rtCommGroupBegin());
    EXPECT_COMM_OK(rtCommSend(memory[1].get(), 100000, RT_COMM_U8, next, process_.stream, process_.comm));
    EXPECT_COMM_OK(rtCommReceive(memory[2].get(), 100000, RT_COMM_U8, before, process_.stream, process_.comm));
    EXPECT_COMM_OK(rtCommGroupEnd());
    EXPECT_RT_OK(rtStreamSynchronize(process_.stream));
    EXPECT_EQ(download(memory[0].get(), 100000), Bytes(100000, 1));
    EXPECT_EQ(download(memory[2].get(), 100000), Bytes(100000, static_cast<unsigned char>(before + 1)));
    const std::lock_guard lock(mutex);
    size_t found = 0;
    for (const rttest::Memory& each : memory) found += given.count(each.get());
    EXPECT_TRUE(found == 0 || found == 3) << found << " of 3";
    return found == 3;
  }

  Process process_;
};

TEST_F(MpiCudaTest, MpiGetsDeviceMemoryWhereItSaysThatItTakesIt) {
  ASSERT_NO_FATAL_FAILURE(process_.make(everyDevice(rttest::cudaDeviceCount())));
  EXPECT_EQ(infoOf(process_.comm).transport, RT_COMM_TRANSPORT_MPI_DEVICE);
  EXPECT_STREQ(infoOf(process_.comm).transport_name, "mpi_device");
  EXPECT_TRUE(getsTheProgramsMemory());
}

TEST_F(MpiCudaTest, MpiGetsCopiesOnTheHostWhereItDoesNot) {
  says = 0;
  ASSERT_NO_FATAL_FAILURE(process_.make(everyDevice(rttest::cudaDeviceCount())));
  EXPECT_EQ(infoOf(process_.comm).transport, RT_COMM_TRANSPORT_MPI_STAGED);
  EXPECT_FALSE(getsTheProgramsMemory());
}

TEST_F(MpiCudaTest, EveryOperationOnDeviceMemory) {
  ASSERT_NO_FATAL_FAILURE(process_.make(everyDevice(rttest::cudaDeviceCount())));
  ASSERT_NO_FATAL_FAILURE(runAll());
}

// Ranks whose MPI takes device memory, ranks that are staged and ranks on the CPU cut and meet alike.
TEST_F(MpiCudaTest, EveryOperationAmongRanksOfEachKind) {
  says = process_.rank == 0 ? 1 : 0;
  ASSERT_NO_FATAL_FAILURE(process_.make("cuda:0 cuda:1 cpu cuda:2"));
  ASSERT_NO_FATAL_FAILURE(runAll());
  for (const OperationRow& row : operationRows()) {
    run(row, {RT_COMM_F32, RT_COMM_SUM, (5 << 20) / 4 + 3, 0, process_.size}, process_.rank % 2 == 1);
  }
}

TEST_F(MpiCudaTest, EveryOperationByMpisOwnCollectives) {
  (void)setenv("RT_COMM_MPI", "collectives", 1);
  ASSERT_NO_FATAL_FAILURE(process_.make(everyDevice(rttest::cudaDeviceCount())));
  ASSERT_NO_FATAL_FAILURE(runAll());
}

}  // namespace
}  // namespace commtest
