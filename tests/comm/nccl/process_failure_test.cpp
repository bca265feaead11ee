// Ranks of several processes of which one ends, stays away, stops, leaves or aborts. The others hear it by the hub of their
// communicator, and the right rank is named.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "comm/nccl/processes_rig.h"

namespace commtest {
namespace {

void workUntilItFails(ConnectedRank& own) {
  while (own.allReduce() == RT_SUCCESS && rtStreamSynchronize(own.stream) == RT_SUCCESS) continue;
  awaitFailure(own.comm);
}

// For an operation that waits for a rank; or of the call, where the failure has come first.
rtStatus_t failureOf(ConnectedRank& own) {
  const rtStatus_t status = own.allReduce();
  return status == RT_SUCCESS ? rtStreamSynchronize(own.stream) : status;
}

// Rank 0 may end before another one has seen the first operation complete.
void workWithoutRankZero(const rtCommUniqueId_t& id, int rank) {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.come(id, rank, 3, kLong));
  workUntilItFails(own);
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 0, "The process of rank 0 of \"far\" ended; rank", own.comm);
}

// One rank of a process that a test started, which has come to the first operation.
void runConnected(ConnectedRank& own, uint64_t timeout_ns = kLong) {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  ASSERT_NO_FATAL_FAILURE(own.connect(id, number(kRank), number(kSize), timeout_ns));
}

void runOneRankOfAPartWaitsWith(const rtCommUniqueId_t& id, int rank) {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id, rank, 3, kLong));
  Comm part;
  ASSERT_COMM_OK(rtCommSplit(part.out(), 0, -rank, own.comm));
  rtStatus_t status = rtCommBarrier(own.stream, part);
  if (status == RT_SUCCESS) status = rtStreamSynchronize(own.stream);
  EXPECT_EQ(status, RT_ERROR_LAUNCH_FAILED);
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 0, "The process of rank 0 of \"far\" ended; rank", part);
}

void splitInVain(const rtCommUniqueId_t& id, int rank) {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id, rank, 3, ownTime()));
  Comm part;
  EXPECT_COMM(RT_ERROR_TIMEOUT, rtCommSplit(part.out(), 0, 0, own.comm));
  EXPECT_EQ(part.get(), nullptr);
  expectCommFailure(RT_ERROR_TIMEOUT, 2, "Rank 2 of \"far\" did not come to", own.comm);
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
  expectCommFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 of \"far\" did not come to collective 2 within", own.comm);
}

// It lives, and hears what the others say of it.
void runOneRankThatStaysAway() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  OwnRank own;
  ASSERT_COMM_OK(own.create(id, number(kRank), number(kSize), ownTime()));
  rttest::Memory memory;
  ASSERT_NO_FATAL_FAILURE(upload(&memory, Bytes(64), own.context));
  ASSERT_COMM_OK(rtCommAllReduce(memory.get(), memory.get(), 16, RT_COMM_I32, RT_COMM_SUM, own.stream, own.comm));
  ASSERT_RT_OK(rtStreamSynchronize(own.stream));
  awaitFailure(own.comm);
  expectCommFailure(RT_ERROR_TIMEOUT, 1, "for which rank 0 waits: all-reduce of 16 i32 (sum).", own.comm);
}

// The hub of a launcher's ranks is at an address of TCP.
void workAsLaunched(bool is_killed) {
  ConnectedRank own;
  rtDevice_t device = nullptr;
  ASSERT_RT_OK(rtDeviceGetByName(&device, (std::string("cuda:") + std::getenv("LOCAL_RANK")).c_str()));
  ASSERT_RT_OK(rtContextCreate(own.context.out(), nullptr, device));
  ASSERT_RT_OK(rtStreamCreate(own.stream.out(), nullptr, own.context));
  const rtCommOptions_t given = options(kLong, "launched");
  ASSERT_COMM_OK(rtCommCreateFromEnvironment(own.comm.out(), &given, own.context));
  ASSERT_NO_FATAL_FAILURE(upload(&own.memory, Bytes(kCount * 4), own.context));
  if (is_killed) {
    ASSERT_COMM_OK(own.allReduce());
    ASSERT_RT_OK(rtStreamSynchronize(own.stream));
    (void)raise(SIGKILL);
  }
  workUntilItFails(own);
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 1, "The process of rank 1 of \"launched\" ended; rank 0 waits for its", own.comm);
}

TEST_F(NcclLaunchedTest, AKilledProcessOfALauncherEndsTheWaitWithItsRank) {
  launch(2, "LaunchedAndKilled", SIGKILL);
  workAsLaunched(false);
}

// A process that is gone is named to those that wait for it, long before their time has passed.
TEST_F(NcclProcessTest, AKilledProcessEndsTheWaitWithItsRank) {
  start(2, "OneRankThatIsKilled", 1, SIGKILL);
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id_, 0, 2, kLong));
  for (int i = 0; i < 40; ++i) {  // the failure may come before the last one
    if (own.allReduce() != RT_SUCCESS) break;
  }
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(own.stream));
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 1, "The process of rank 1 of \"far\" ended; rank 0 waits for its", own.comm);
}

// The hub is in the process of rank 0.
TEST_F(NcclProcessTest, TheEndOfTheProcessOfRankZeroIsToldToTheOthers) {
  if (rttest::cudaDeviceCount() < 3) GTEST_SKIP() << "fewer than three CUDA devices";
  startOne(0, 3, "OneRankThatIsKilled", SIGKILL);
  startOne(2, 3, "OneRankWithoutRankZero", 0);
  workWithoutRankZero(id_, 1);
}

// ---- Launches of graphs, which are the driver's alone ----

// A rank that has captured an all-reduce, and come to its first launch.
struct CapturedRank : ConnectedRank {
  rttest::Graph graph;
  rttest::GraphExec exec;

  void capture(const rtCommUniqueId_t& id, int rank, uint64_t timeout_ns) {
    ASSERT_NO_FATAL_FAILURE(connect(id, rank, 2, timeout_ns));
    ASSERT_RT_OK(rtStreamBeginCapture(stream));
    ASSERT_COMM_OK(allReduce());
    ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream));
    ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, nullptr));
    ASSERT_RT_OK(rtGraphLaunch(exec, stream));
    ASSERT_RT_OK(rtStreamSynchronize(stream));
  }
  void launchInVain() {
    rtStatus_t status = rtGraphLaunch(exec, stream);
    if (status == RT_SUCCESS) status = rtStreamSynchronize(stream);
    EXPECT_EQ(status, RT_ERROR_LAUNCH_FAILED);
  }
};

constexpr char kGoneFromALaunch[] =
    "The process of rank 1 of \"far\" ended; rank 0 waits for its all-reduce of 64 i32 (maximum).";

TEST_F(NcclProcessTest, AProcessThatEndsWhileALaunchWaitsForItEndsTheLaunch) {
  start(2, "OneRankThatIsKilledBetweenLaunches", 1, SIGKILL);
  CapturedRank own;
  ASSERT_NO_FATAL_FAILURE(own.capture(id_, 0, kLong));
  own.launchInVain();
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 1, kGoneFromALaunch, own.comm);
}

// Nothing is in flight when the process ends: it is no failure before a launch waits for it.
TEST_F(NcclProcessTest, AProcessThatEndsBeforeALaunchEndsTheLaunch) {
  start(2, "OneRankThatIsKilledBetweenLaunches", 1, SIGKILL);
  CapturedRank own;
  ASSERT_NO_FATAL_FAILURE(own.capture(id_, 0, kLong));
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the hub tells it, and the watch looks more than once
  rtStatus_t status = RT_ERROR_INTERNAL;
  ASSERT_COMM_OK(rtCommGetStatus(&status, nullptr, own.comm));
  EXPECT_EQ(status, RT_SUCCESS);
  own.launchInVain();
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 1, kGoneFromALaunch, own.comm);
}

// A rank that is destroyed in order may have done its part: the launch has the time of the communicator.
TEST_F(NcclProcessTest, ARankThatLeavesBeforeALaunchEndsTheLaunchAfterTheTime) {
  start(2, "OneRankThatLeavesBetweenLaunches");
  CapturedRank own;
  ASSERT_NO_FATAL_FAILURE(own.capture(id_, 0, ownTime()));
  own.launchInVain();
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 1, "Rank 1 of \"far\" destroyed its communicator; another rank waits for its",
                    own.comm);
}

void runOneRankThatIsKilledBetweenLaunches() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  CapturedRank own;
  ASSERT_NO_FATAL_FAILURE(own.capture(id, 1, kLong));
  (void)raise(SIGKILL);
}

void runOneRankThatLeavesBetweenLaunches() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  CapturedRank own;
  ASSERT_NO_FATAL_FAILURE(own.capture(id, 1, ownTime()));
}

// A process that is killed at any moment ends the waits of all others, and is the one that is named.
TEST_F(NcclProcessTest, AProcessThatIsKilledAmongWorkEndsTheWaitsOfTwoOthers) {
  if (rttest::cudaDeviceCount() < 3) GTEST_SKIP() << "fewer than three CUDA devices";
  startOne(2, 3, "OneRankThatIsKilledAmongWork", SIGKILL);
  startOne(1, 3, "OneRankThatWorks", 0);
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id_, 0, 3, kLong));
  workUntilItFails(own);
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 2, "The process of rank 2 of \"far\" ended", own.comm);
}

// In a part the ranks have other numbers.
TEST_F(NcclProcessTest, AKilledProcessEndsTheWaitInAPartWithItsRankThere) {
  if (rttest::cudaDeviceCount() < 3) GTEST_SKIP() << "fewer than three CUDA devices";
  gone_ = 0;
  startOne(2, 3, "OneRankOfAPartIsKilled", SIGKILL);
  startOne(1, 3, "OneRankOfAPartWaits", 0);
  runOneRankOfAPartWaitsWith(id_, 0);
}

TEST_F(NcclProcessTest, ARankThatDoesNotComeToASplitIsNamedAfterTheTime) {
  if (rttest::cudaDeviceCount() < 3) GTEST_SKIP() << "fewer than three CUDA devices";
  startOne(2, 3, "OneRankThatIdles", 0);
  startOne(1, 3, "OneRankThatSplitsInVain", 0);
  splitInVain(id_, 0);
}

// It does not come, nor does it say how far it is.
TEST_F(NcclProcessTest, AStoppedProcessIsNamedAfterTheTime) {
  if (!simulatedNccl().here())
    GTEST_SKIP() << "NCCL keeps no call when it is told to, and its start takes the time of this test";
  if (rttest::cudaDeviceCount() < 3) GTEST_SKIP() << "fewer than three CUDA devices";
  startOne(2, 3, "OneRankThatStops", 0);
  startOne(1, 3, "OneRankThatWaits", 0);
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id_, 0, 3, ownTime()));
  ASSERT_COMM_OK(own.allReduce());
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronize(own.stream));
  expectCommFailure(RT_ERROR_TIMEOUT, 2, "Rank 2 of \"far\" does not answer, and rank", own.comm);
}

TEST_F(NcclProcessTest, AnAbortEndsTheWaitsOfOtherProcesses) {
  if (rttest::cudaDeviceCount() < 3) GTEST_SKIP() << "fewer than three CUDA devices";
  startOne(2, 3, "OneRankThatAborts", 0);
  startOne(1, 3, "OneRankThatWaits", 0);
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.come(id_, 0, 3, RT_TIMEOUT_INFINITE));
  workUntilItFails(own);
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 2, "Rank 2 of \"far\" called rtCommAbort.", own.comm);
}

// A rank that was destroyed, and its process ends: not a failure of those that do not wait for it.
TEST_F(NcclProcessTest, ARankThatWasDestroyedIsNamedToThoseThatWaitForIt) {
  start(2, "OneRankThatLeaves");
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id_, 0, 2, ownTime()));
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  rtStatus_t status = RT_SUCCESS;
  ASSERT_COMM_OK(rtCommGetStatus(&status, nullptr, own.comm));
  EXPECT_EQ(status, RT_SUCCESS);
  EXPECT_EQ(failureOf(own), RT_ERROR_LAUNCH_FAILED);
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 1, "Rank 1 of \"far\" destroyed its communicator", own.comm);
}

// After an abort elsewhere, the abort of the own rank.
TEST_F(NcclProcessTest, AnAbortFromAnotherThreadEndsTheWait) {
  start(2, "OneRankThatIdles");
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
  start(2, "OneRankThatIdles");
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
  start(2, "OneRankThatIdles");
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.connect(id_, 0, 2, ownTime()));
  ASSERT_COMM_OK(own.allReduce());
  ASSERT_RT_OK(own.stream.reset());
  awaitFailure(own.comm);
  expectCommFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 of \"far\" did not come to collective 2", own.comm);
}

// The part has the ranks in reverse.
void runOneRankOfAPartIsKilled() {
  ConnectedRank own;
  Comm part;
  ASSERT_NO_FATAL_FAILURE(runConnected(own));
  ASSERT_COMM_OK(rtCommSplit(part.out(), 0, -2, own.comm));
  (void)raise(SIGKILL);
}

void runOneRankOfAPartWaits() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  runOneRankOfAPartWaitsWith(id, number(kRank));
}

void runOneRankThatSplitsInVain() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  splitInVain(id, number(kRank));
}

void runOneRankThatIsKilled() {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(runConnected(own));
  (void)raise(SIGKILL);
}

void runOneRankThatIsKilledAmongWork() {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(runConnected(own));
  std::thread end([] {
    timespec now = {};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    std::this_thread::sleep_for(std::chrono::microseconds(now.tv_nsec / 1000 % 20'000));  // any moment will do
    (void)raise(SIGKILL);
  });
  workUntilItFails(own);
  end.join();
}

void runOneRankThatWorks() {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(runConnected(own));
  workUntilItFails(own);
  expectCommFailure(RT_ERROR_LAUNCH_FAILED, 2, "The process of rank 2 of \"far\" ended", own.comm);
}

// Waits in an operation for what the others do, which may come before the first one has ended.
void runOneRankThatWaits() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.come(id, number(kRank), number(kSize), kLong));
  workUntilItFails(own);
  int32_t rank = -1;
  rtStatus_t status = RT_SUCCESS;
  ASSERT_COMM_OK(rtCommGetStatus(&status, &rank, own.comm));
  EXPECT_EQ(rank, number(kGone));
}

// Comes to one operation, whose end a failure of the others may overtake.
void runOneRankThatIdles() {
  rtCommUniqueId_t id = {};
  ASSERT_TRUE(fromEnvironment(&id));
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(own.come(id, number(kRank), number(kSize), kLong));
  (void)own.allReduce();
  awaitFailure(own.comm);
}

void runOneRankThatLeaves() {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(runConnected(own));
}

void runOneRankThatAborts() {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(runConnected(own));
  ASSERT_COMM_OK(rtCommAbort(own.comm));
}

// Stops itself, and is waked when the others have failed: by the parent of all, which is the test's process.
void runOneRankThatStops() {
  ConnectedRank own;
  ASSERT_NO_FATAL_FAILURE(runConnected(own));
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {  // no function of the library; until the parent has been stopped for longer than the others wait
    (void)sleep(9);
    (void)kill(self, SIGCONT);
    _exit(0);
  }
  (void)raise(SIGSTOP);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  awaitFailure(own.comm);
}

[[maybe_unused]] const bool registered = [] {
  addRank("OneRankThatIsKilledBetweenLaunches", runOneRankThatIsKilledBetweenLaunches);
  addRank("OneRankThatLeavesBetweenLaunches", runOneRankThatLeavesBetweenLaunches);
  addRank("OneRankOfAPartIsKilled", runOneRankOfAPartIsKilled);
  addRank("OneRankOfAPartWaits", runOneRankOfAPartWaits);
  addRank("OneRankThatSplitsInVain", runOneRankThatSplitsInVain);
  addRank("LaunchedAndKilled", [] { workAsLaunched(true); });
  addRank("OneRankThatStaysAway", runOneRankThatStaysAway);
  addRank("OneRankThatIsKilled", runOneRankThatIsKilled);
  addRank("OneRankThatIsKilledAmongWork", runOneRankThatIsKilledAmongWork);
  addRank("OneRankThatWorks", runOneRankThatWorks);
  addRank("OneRankThatWaits", runOneRankThatWaits);
  addRank("OneRankWithoutRankZero", [] {
    rtCommUniqueId_t id = {};
    ASSERT_TRUE(fromEnvironment(&id));
    workWithoutRankZero(id, number(kRank));
  });
  addRank("OneRankThatIdles", runOneRankThatIdles);
  addRank("OneRankThatLeaves", runOneRankThatLeaves);
  addRank("OneRankThatAborts", runOneRankThatAborts);
  addRank("OneRankThatStops", runOneRankThatStops);
  return true;
}();

}  // namespace
}  // namespace commtest
