// Processes that do not do their part, are killed, or come with another operation. Each of the others gets a status that names
// the rank, nothing hangs, and /dev/shm is as it was. Waits of the ranks that survive have no limit of their own where it says
// "ends".
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <random>

#include "comm/shared_memory/shared_ranks.h"

namespace commtest {
namespace {

// A rank with some numbers.
struct Worker : OwnRank {
  std::vector<float> numbers = std::vector<float>(300'000, 1.0f);

  rtStatus_t allReduce(uint64_t count = 16, int32_t type = RT_COMM_F32) {
    return rtCommAllReduce(numbers.data(), numbers.data(), count, type, RT_COMM_AVERAGE, stream, comm);
  }
  void expectFailure(rtStatus_t code, int32_t about, const std::string& words) {
    EXPECT_RT(code, rtStreamSynchronize(stream));
    expectCommFailure(code, about, words, comm);
  }
  // Until the communicator fails.
  void work(uint64_t count) {
    rtStatus_t status = RT_SUCCESS;
    while (status == RT_SUCCESS) {
      if (allReduce(count) != RT_SUCCESS) break;
      status = rtStreamSynchronize(stream);
      for (uint64_t i = 0; i < count && status == RT_SUCCESS; ++i) ASSERT_EQ(numbers[i], 1.0f);
    }
  }
};

class SharedMemoryFailureTest : public SharedMemoryTest {};

// The file is there, or the test's time limit ends the process.
void awaitName(const rtCommUniqueId_t& id) {
  while (left(prefixOf(id)).empty()) std::this_thread::yield();
}

// ---- Operations ----

constexpr uint64_t kOwnTime = 2'000'000'000;  // nanoseconds: a process starts in it

void stayAway(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  ASSERT_COMM_OK(rtCommBarrier(own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  rtStatus_t status = RT_SUCCESS;
  while (status == RT_SUCCESS) ASSERT_COMM_OK(rtCommGetStatus(&status, nullptr, own.comm));  // hears of it at other work
  expectCommFailure(RT_ERROR_TIMEOUT, rank, "did not come to collective 1", own.comm);
}

TEST_F(SharedMemoryFailureTest, AProcessThatDoesNotComeIsNamedAfterTheTime) {
  start(1, 2, "StayAway");
  Worker own;
  ASSERT_COMM_OK(own.create(id_, 0, 2, kOwnTime));
  ASSERT_COMM_OK(rtCommBarrier(own.stream, own.comm));
  ASSERT_COMM_OK(own.allReduce());
  own.expectFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 of \"far\" did not come to collective 1 within 2 s");
}

void comeWithAnotherCount(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  ASSERT_COMM_OK(own.allReduce(rank == size - 1 ? 100'001 : 16));
  own.expectFailure(RT_ERROR_INVALID_VALUE, size - 1,
                    "came with all-reduce of 100001 f32 (average), and rank 0 with all-reduce of 16 f32 (average)");
}

TEST_F(SharedMemoryFailureTest, AProcessWithAnotherCountIsNamed) {
  for (int rank = 1; rank < 3; ++rank) start(rank, 3, "AnotherCount");
  comeWithAnotherCount(id_, 0, 3);
}

void comeWithAnotherType(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  ASSERT_COMM_OK(own.allReduce(16, rank == size - 1 ? RT_COMM_I32 : RT_COMM_F32));
  own.expectFailure(RT_ERROR_INVALID_VALUE, size - 1, "came with all-reduce of 16 i32 (average), and rank 0");
}

TEST_F(SharedMemoryFailureTest, AProcessWithAnotherTypeIsNamed) {
  start(1, 2, "AnotherType");
  comeWithAnotherType(id_, 0, 2);
}

void callAbort(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  ASSERT_COMM_OK(rtCommAbort(own.comm));
  EXPECT_COMM(RT_ERROR_LAUNCH_FAILED, own.allReduce());
}

TEST_F(SharedMemoryFailureTest, AnAbortEndsTheWaitOfAnotherProcess) {
  start(1, 2, "Abort");
  Worker own;
  ASSERT_COMM_OK(own.create(id_, 0, 2));
  if (own.allReduce() == RT_SUCCESS) {  // else the abort came first
    EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(own.stream));
  }
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 1, "Rank 1 of \"far\" called rtCommAbort.", own.comm);
}

void destroyBefore(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  ASSERT_COMM_OK(own.allReduce(100'000));
  ASSERT_COMM_OK(own.comm.reset());
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  EXPECT_EQ(own.numbers[0], 1.0f);
}

TEST_F(SharedMemoryFailureTest, ADestroyedRankIsNamedAndItsWorkEnds) {
  start(1, 2, "Destroy");
  Worker own;
  ASSERT_COMM_OK(own.create(id_, 0, 2));
  ASSERT_COMM_OK(own.allReduce(100'000));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  ASSERT_COMM_OK(own.allReduce());
  own.expectFailure(RT_ERROR_LAUNCH_FAILED, 1,
                    "waits for its all-reduce");  // its process may have ended, too another rank waits for its all-");
}

void failOwnStream(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  rttest::Gate gate(own.context);
  ASSERT_RT_OK(gate.close(own.stream));
  ASSERT_RT_OK(rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, own.stream));
  ASSERT_COMM_OK(own.allReduce());
  ASSERT_RT_OK(gate.open());
  EXPECT_RT(RT_ERROR_IO, rtStreamSynchronize(own.stream));
}

TEST_F(SharedMemoryFailureTest, AFailedStreamEndsTheWaitOfAnotherProcess) {
  start(1, 2, "FailStream");
  Worker own;
  ASSERT_COMM_OK(own.create(id_, 0, 2));
  if (own.allReduce() == RT_SUCCESS) {  // else the failure came first
    EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(own.stream));
  }
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 1, "failed before its all-reduce of 16 f32 (average)", own.comm);
}

void sendOther(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  ASSERT_COMM_OK(rtCommSend(own.numbers.data(), 5, RT_COMM_F32, 0, own.stream, own.comm));
  own.expectFailure(RT_ERROR_INVALID_VALUE, rank, "came with send of 5 f32 to rank 0, and rank 0 with receive of 4 f32");
}

TEST_F(SharedMemoryFailureTest, AReceiveOfAnotherSizeNamesTheSender) {
  start(1, 2, "SendOther");
  Worker own;
  ASSERT_COMM_OK(own.create(id_, 0, 2));
  ASSERT_COMM_OK(rtCommReceive(own.numbers.data(), 4, RT_COMM_F32, 1, own.stream, own.comm));
  own.expectFailure(RT_ERROR_INVALID_VALUE, 1, "came with send of 5 f32 to rank 0, and rank 0 with receive of 4 f32");
}

void comeAndGo(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  rtStatus_t status = RT_SUCCESS;
  while (status == RT_SUCCESS) ASSERT_COMM_OK(rtCommGetStatus(&status, nullptr, own.comm));
}

TEST_F(SharedMemoryFailureTest, SendsAndReceivesWithoutAPartnerNameIt) {
  start(1, 2, "ComeAndGo");
  Worker own;
  ASSERT_COMM_OK(own.create(id_, 0, 2, kOwnTime));
  ASSERT_COMM_OK(rtCommReceive(own.numbers.data(), 4, RT_COMM_F32, 1, own.stream, own.comm));
  own.expectFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 of \"far\" did not send within 2 s what rank 0 receives: receive of 4 f32");
}

TEST_F(SharedMemoryFailureTest, ASplitWithoutARankNamesIt) {
  start(1, 2, "ComeAndGo");
  Worker own;
  Comm part;
  ASSERT_COMM_OK(own.create(id_, 0, 2, kOwnTime));
  EXPECT_COMM(RT_ERROR_TIMEOUT, rtCommSplit(part.out(), 0, 0, own.comm));
  expectCommFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 of \"far\" did not come to the split within 2 s", own.comm);
}

// ---- Processes that are killed ----

// At some time in its operations, which are of some size.
void beKilled(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  std::random_device chance;
  const std::chrono::microseconds life(chance() % 20'000);
  std::thread([life] {
    std::this_thread::sleep_for(life);
    (void)kill(getpid(), SIGKILL);
  }).detach();
  own.work(static_cast<uint64_t>(number("COMM_TEST_COUNT")));
  for (;;) (void)pause();
}

void survive(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  own.work(static_cast<uint64_t>(number("COMM_TEST_COUNT")));
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, size - 1, "The process of rank 2 of \"far\" ended; rank ", own.comm);
}

TEST_F(SharedMemoryFailureTest, AKilledProcessEndsTheWaitsOfTheOthers) {
  std::random_device chance;
  const std::string count = std::to_string(1u << chance() % 19);
  ASSERT_EQ(setenv("COMM_TEST_COUNT", count.c_str(), 1), 0);
  SCOPED_TRACE(count + " elements");
  start(1, 3, "Survive");
  start(2, 3, "BeKilled", SIGKILL);
  survive(id_, 0, 3);
}

// After a barrier, so that all others are in the wait.
void beKilledInAReceive(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  ASSERT_COMM_OK(rtCommBarrier(own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  (void)raise(SIGKILL);
}

TEST_F(SharedMemoryFailureTest, AKilledProcessEndsASend) {
  start(1, 2, "BeKilledInAReceive", SIGKILL);
  Worker own;
  ASSERT_COMM_OK(own.create(id_, 0, 2));
  ASSERT_COMM_OK(rtCommBarrier(own.stream, own.comm));
  ASSERT_COMM_OK(rtCommSend(own.numbers.data(), 300'000, RT_COMM_F32, 1, own.stream, own.comm));
  own.expectFailure(RT_ERROR_LAUNCH_FAILED, 1, "The process of rank 1 of \"far\" ended; rank 0 waits for its receive.");
}

void beKilledWhileOthersCome(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  own.open("cpu", rank);
  std::thread comes([&] { (void)own.create(id, rank, size); });
  awaitName(id);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // it comes, or is about to: either way it is killed
  (void)kill(getpid(), SIGKILL);
  comes.join();
}

TEST_F(SharedMemoryFailureTest, AProcessThatIsKilledWhileOthersComeEndsTheirWait) {
  processes_.start(id_, 1, 3, std::string(kPart) + ".BeKilledWhileOthersCome", SIGKILL);
  awaitName(id_);
  Worker own;
  EXPECT_COMM(RT_ERROR_LAUNCH_FAILED, own.create(id_, 0, 3));
  EXPECT_NE(lastMessage().find("The process of rank 1 ended before all ranks had come"), std::string::npos) << lastMessage();
}

// No process is left that could take the name away. The next communicator does.
TEST_F(SharedMemoryFailureTest, WhatKilledProcessesLeaveGoesWithTheNextCommunicator) {
  start(1, 3, "BeKilledWhileOthersCome", SIGKILL);
  processes_.join();
  ASSERT_EQ(left(prefixOf(id_)).size(), 1u);
  rtCommUniqueId_t next = {};
  ASSERT_COMM_OK(rtCommGetUniqueId(&next));
  processes_.start(next, 1, 2, std::string(kPart) + ".OneBarrier");
  Worker own;
  ASSERT_COMM_OK(own.create(next, 0, 2));
  ASSERT_COMM_OK(rtCommBarrier(own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
}

void oneBarrier(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  ASSERT_COMM_OK(own.create(id, rank, size));
  ASSERT_COMM_OK(rtCommBarrier(own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
}

// ---- Making the ranks ----

void expectOneLate(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  EXPECT_COMM(RT_ERROR_TIMEOUT, own.create(id, rank, size, rank == 0 ? 2'000'000'000 : RT_TIMEOUT_INFINITE));
  EXPECT_NE(lastMessage().find("Of 3 ranks of \"far\" 2 came within 2 s, for which rank 0 waits: rank 2 did not"),
            std::string::npos)
      << lastMessage();
}

TEST_F(SharedMemoryFailureTest, ARankThatDoesNotComeIsNamedToAllProcesses) {
  start(1, 3, "OneLate");
  awaitName(id_);
  expectOneLate(id_, 0, 3);
}

void comeWithAnotherSize(const rtCommUniqueId_t& id, int rank, int) {
  Worker own;
  EXPECT_COMM(RT_ERROR_TIMEOUT, own.create(id, rank, 3, 2'000'000'000));
}

TEST_F(SharedMemoryFailureTest, AnotherSizeThanThatOfAnotherProcessIsRefused) {
  start(1, 3, "AnotherSize");
  awaitName(id_);
  Worker own;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, own.create(id_, 0, 2));
  EXPECT_NE(lastMessage().find("A rank came with a size of 2, and a rank of another process with 3."), std::string::npos)
      << lastMessage();
}

void comeTwice(const rtCommUniqueId_t& id, int rank, int size) {
  oneBarrier(id, rank, size);
  Worker again;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, again.create(id, rank, size));
  EXPECT_NE(lastMessage().find("The id has been used"), std::string::npos) << lastMessage();
}

TEST_F(SharedMemoryFailureTest, AnIdServesOnce) {
  start(1, 2, "ComeTwice");
  comeTwice(id_, 0, 2);
}

void comeAsARankThatIsThere(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, own.create(id, rank, size));
  EXPECT_NE(lastMessage().find("Rank 1 of this id has come already."), std::string::npos) << lastMessage();
}

TEST_F(SharedMemoryFailureTest, ARankThatHasComeInAnotherProcessIsRefused) {
  start(1, 2, "OneBarrier");
  awaitName(id_);
  Processes second;
  second.start(id_, 1, 2, std::string(kPart) + ".ARankThatIsThere");
  second.join();
  oneBarrier(id_, 0, 2);
}

TEST_F(SharedMemoryFailureTest, AThreadMakesTwoRanksBesideThatOfAnotherProcess) {
  start(2, 3, "Third");
  OwnRank own[2];
  std::vector<float> numbers[2] = {std::vector<float>(100'000, 1.0f), std::vector<float>(100'000, 1.0f)};
  ASSERT_COMM_OK(rtCommGroupBegin());
  for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(own[rank].create(id_, rank, 3, kLong));
  ASSERT_COMM_OK(rtCommGroupEnd());
  rtComm_t parts[2] = {};
  for (int round = 0; round < 2; ++round) {
    for (int rank = 0; rank < 2; ++rank) {
      ASSERT_COMM_OK(rtCommAllReduce(numbers[rank].data(), numbers[rank].data(), 100'000, RT_COMM_F32, RT_COMM_SUM,
                                     own[rank].stream, round == 0 ? own[rank].comm.get() : parts[rank]));
    }
    for (int rank = 0; rank < 2; ++rank) {
      ASSERT_RT_OK(rtStreamSynchronize(own[rank].stream));
      EXPECT_EQ(numbers[rank][99'999], round == 0 ? 3.0f : rank == 0 ? 3.0f : 6.0f);
    }
    if (round != 0) break;
    ASSERT_COMM_OK(rtCommGroupBegin());  // rank 0 alone, ranks 1 and 2 together
    for (int rank = 0; rank < 2; ++rank) ASSERT_COMM_OK(rtCommSplit(&parts[rank], rank, 0, own[rank].comm));
    ASSERT_COMM_OK(rtCommGroupEnd());
  }
  for (const rtComm_t part : parts) EXPECT_COMM_OK(rtCommDestroy(part));
}

void beTheThird(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  Comm part;
  ASSERT_COMM_OK(own.create(id, rank, size, kLong));
  ASSERT_COMM_OK(
      rtCommAllReduce(own.numbers.data(), own.numbers.data(), 100'000, RT_COMM_F32, RT_COMM_SUM, own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  EXPECT_EQ(own.numbers[99'999], 3.0f);
  ASSERT_COMM_OK(rtCommSplit(part.out(), 1, 0, own.comm));
  ASSERT_COMM_OK(rtCommAllReduce(own.numbers.data(), own.numbers.data(), 100'000, RT_COMM_F32, RT_COMM_SUM, own.stream, part));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  EXPECT_EQ(own.numbers[99'999], 6.0f);
}

// The id's fields are those of src/comm/unique_id.h; the check is FNV-1a.
TEST_F(SharedMemoryFailureTest, AnIdOfAnotherHostIsRefusedAtOnce) {
  constexpr size_t kToken = 8, kNccl = 32, kHost = 168, kCheck = 216;
  rtCommUniqueId_t far = id_;
  far.bytes[kToken] ^= 1;
  far.bytes[kNccl] = 0;
  far.bytes[kHost] ^= 1;
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < kCheck; ++i) hash = (hash ^ far.bytes[i]) * 0x100000001b3;
  std::memcpy(&far.bytes[kCheck], &hash, sizeof hash);
  Worker own;
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, own.create(far, 1, 2));
  EXPECT_NE(lastMessage().find("made by another process on another host or in another container, and NCCL does not take this "
                               "rank. Ranks of several hosts meet through MPI: rtCommCreateFromMpi"),
            std::string::npos)
      << lastMessage();
}

// ---- What the system refuses ----

void expectCreateFails(rtStatus_t code, const std::string& words, const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  own.open("cpu", rank);
  EXPECT_COMM(code, own.create(id, rank, size));
  EXPECT_NE(lastMessage().find(words), std::string::npos) << lastMessage();
}

void comeWithoutRoom(const rtCommUniqueId_t& id, int rank, int size) {
  const rlimit limit = {64 * 1024, 64 * 1024};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  expectCreateFails(RT_ERROR_OUT_OF_MEMORY, "bytes that 2 ranks take: File too large", id, rank, size);
}

TEST_F(SharedMemoryFailureTest, AFileThatMayNotGrowIsAStatus) { start(1, 2, "WithoutRoom"); }

// On a full /dev/shm of its own. There an id of this process is of another host, so all ranks are here.
void comeToAFullFolder(const rtCommUniqueId_t&, int, int) {
  if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) GTEST_SKIP() << "no mounts of its own";
  (void)mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  if (mount("full", "/dev/shm", "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "no mounts of its own";
  ASSERT_EQ(setenv("RT_COMM_ENGINE", "shared_memory", 1), 0);
  OwnRank own;
  own.open("cpu", 0);
  rtComm_t made[2] = {};
  const rtContext_t contexts[] = {own.context, own.context};
  EXPECT_COMM(RT_ERROR_OUT_OF_MEMORY, rtCommCreateAll(made, nullptr, contexts, 2));
  EXPECT_NE(lastMessage().find("bytes that 2 ranks take: No space left on device"), std::string::npos) << lastMessage();
  EXPECT_EQ(left("manyrt-"), std::vector<std::string>());
}

TEST_F(SharedMemoryFailureTest, AFullFolderIsAStatus) { start(0, 2, "FullFolder"); }

// Root may open everything, so it becomes another user.
void comeWithoutPermission(const rtCommUniqueId_t& id, int rank, int size) {
  Worker own;
  own.open("cpu", rank);
  if (geteuid() == 0) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  EXPECT_COMM(RT_ERROR_IO, own.create(id, rank, size));
  EXPECT_NE(lastMessage().find("cannot be opened: Permission denied"), std::string::npos) << lastMessage();
  if (getuid() == 0) {
    ASSERT_EQ(seteuid(0), 0);
  }
}

// The files there by the name of the id's number.
class Planted {
 public:
  Planted(const rtCommUniqueId_t& id, mode_t mode) {
    uint64_t number = 0;
    std::memcpy(&number, &id.bytes[24], sizeof number);
    char text[40];
    std::snprintf(text, sizeof text, "-%llx-0", static_cast<unsigned long long>(number));
    name_ = "/" + prefixOf(id) + text;
    const int file = shm_open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL, mode);
    EXPECT_GE(file, 0);
    EXPECT_EQ(fchmod(file, mode), 0);
    (void)close(file);
  }
  ~Planted() { (void)shm_unlink(name_.c_str()); }
  Planted(const Planted&) = delete;
  Planted& operator=(const Planted&) = delete;

 private:
  std::string name_;
};

TEST_F(SharedMemoryFailureTest, AFileThatMayNotBeOpenedIsAStatus) {
  const Planted planted(id_, 0);
  start(1, 2, "WithoutPermission");
  processes_.join();
}

void comeToAnOpenFile(const rtCommUniqueId_t& id, int rank, int size) {
  expectCreateFails(RT_ERROR_IO, "is of another user, or open to others", id, rank, size);
}

TEST_F(SharedMemoryFailureTest, AFileThatIsOpenToOthersIsRefused) {
  const Planted planted(id_, 0644);
  start(1, 2, "OpenFile");
  processes_.join();
}

[[maybe_unused]] const bool registered = [] {
  addPart(kPart, "StayAway", stayAway);
  addPart(kPart, "AnotherCount", comeWithAnotherCount);
  addPart(kPart, "AnotherType", comeWithAnotherType);
  addPart(kPart, "Abort", callAbort);
  addPart(kPart, "Destroy", destroyBefore);
  addPart(kPart, "FailStream", failOwnStream);
  addPart(kPart, "SendOther", sendOther);
  addPart(kPart, "ComeAndGo", comeAndGo);
  addPart(kPart, "Survive", survive);
  addPart(kPart, "BeKilled", beKilled);
  addPart(kPart, "BeKilledInAReceive", beKilledInAReceive);
  addPart(kPart, "BeKilledWhileOthersCome", beKilledWhileOthersCome);
  addPart(kPart, "OneBarrier", oneBarrier);
  addPart(kPart, "OneLate", expectOneLate);
  addPart(kPart, "AnotherSize", comeWithAnotherSize);
  addPart(kPart, "ComeTwice", comeTwice);
  addPart(kPart, "ARankThatIsThere", comeAsARankThatIsThere);
  addPart(kPart, "Third", beTheThird);
  addPart(kPart, "WithoutRoom", comeWithoutRoom);
  addPart(kPart, "FullFolder", comeToAFullFolder);
  addPart(kPart, "WithoutPermission", comeWithoutPermission);
  addPart(kPart, "OpenFile", comeToAnOpenFile);
  return true;
}();

}  // namespace
}  // namespace commtest
