// Processes that do not do their part: each of the others gets a status that names the rank, and nothing hangs. The last
// process is the odd one, so that there are two at least.
#include <thread>

#include "comm/mpi/process.h"

namespace commtest {
namespace {

class MpiFailureTest : public testing::Test {
 protected:
  void make(uint64_t timeout_ns) {
    ASSERT_NO_FATAL_FAILURE(process_.make("cpu", timeout_ns, "world"));
    last_ = process_.size - 1;
  }
  rtStatus_t allReduce(uint64_t count = 4, int32_t type = RT_COMM_I32) {
    return rtCommAllReduce(numbers_, numbers_, count, type, RT_COMM_SUM, process_.stream, process_.comm);
  }
  void expectFailure(rtStatus_t code, int32_t about, const std::string& words) {
    EXPECT_RT(code, rtStreamSynchronize(process_.stream));
    expectCommFailure(code, about, words, process_.comm);
  }
  void TearDown() override { (void)MPI_Barrier(MPI_COMM_WORLD); }  // one that stays away does so for one test alone

  Process process_;
  int last_ = 0;
  int32_t numbers_[16] = {};
};

TEST_F(MpiFailureTest, AProcessThatDoesNotComeIsNamedAfterTheTime) {
  ASSERT_NO_FATAL_FAILURE(make(kShort));
  (void)MPI_Barrier(MPI_COMM_WORLD);  // the first test has drivers to start, which is not to count
  ASSERT_COMM_OK(rtCommBarrier(process_.stream, process_.comm));
  if (process_.rank == last_) {
    ASSERT_RT_OK(rtStreamSynchronize(process_.stream));
    return;
  }
  ASSERT_COMM_OK(allReduce());
  expectFailure(RT_ERROR_TIMEOUT, last_, "of \"world\" did not come to collective 1 within 0.2 s");
}

// A rank that passes on what it hears, where the ranks are many.
TEST_F(MpiFailureTest, ARankInTheMiddleThatDoesNotComeIsNamed) {
  ASSERT_NO_FATAL_FAILURE(make(kShort));
  (void)MPI_Barrier(MPI_COMM_WORLD);
  ASSERT_COMM_OK(rtCommBarrier(process_.stream, process_.comm));
  if (process_.rank == 1) {
    ASSERT_RT_OK(rtStreamSynchronize(process_.stream));
    return;
  }
  ASSERT_COMM_OK(allReduce());
  expectFailure(RT_ERROR_TIMEOUT, 1, "Rank 1 of \"world\" did not come to collective 1 within 0.2 s");
}

TEST_F(MpiFailureTest, AProcessWithAnotherCountIsNamed) {
  ASSERT_NO_FATAL_FAILURE(make(kLong));
  ASSERT_COMM_OK(allReduce(process_.rank == last_ ? 5 : 4));
  expectFailure(RT_ERROR_INVALID_VALUE, last_,
                "came with all-reduce of 5 i32 (sum), and rank 0 with all-reduce of 4 i32 (sum)");
}

TEST_F(MpiFailureTest, AProcessWithAnotherTypeIsNamed) {
  ASSERT_NO_FATAL_FAILURE(make(kLong));
  ASSERT_COMM_OK(allReduce(4, process_.rank == last_ ? RT_COMM_F32 : RT_COMM_I32));
  expectFailure(RT_ERROR_INVALID_VALUE, last_, "came with all-reduce of 4 f32 (sum)");
}

TEST_F(MpiFailureTest, AnAbortReachesTheProcessesThatWait) {
  ASSERT_NO_FATAL_FAILURE(make(kLong));
  if (process_.rank == last_) {
    ASSERT_COMM_OK(rtCommAbort(process_.comm));
    EXPECT_COMM(RT_ERROR_LAUNCH_FAILED, allReduce());
    return;
  }
  ASSERT_COMM_OK(allReduce());
  expectFailure(RT_ERROR_LAUNCH_FAILED, last_, "called rtCommAbort");
}

TEST_F(MpiFailureTest, AFailedStreamIsToldToTheOthers) {
  ASSERT_NO_FATAL_FAILURE(make(kLong));
  if (process_.rank == last_) {
    rttest::Gate gate(process_.context);
    ASSERT_RT_OK(gate.close(process_.stream));
    ASSERT_RT_OK(
        rtStreamLaunchNative([](const uint64_t*, void*) -> rtStatus_t { return RT_ERROR_IO; }, nullptr, process_.stream));
    ASSERT_COMM_OK(allReduce());
    ASSERT_RT_OK(gate.open());
    EXPECT_RT(RT_ERROR_IO, rtStreamSynchronize(process_.stream));
    return;
  }
  ASSERT_COMM_OK(allReduce());
  expectFailure(RT_ERROR_LAUNCH_FAILED, last_, "failed before its all-reduce of 4 i32 (sum)");
}

TEST_F(MpiFailureTest, AReceiveWithoutASendNamesThePeer) {
  ASSERT_NO_FATAL_FAILURE(make(kShort));
  if (process_.rank != 0) return;
  ASSERT_COMM_OK(rtCommReceive(numbers_, 4, RT_COMM_I32, last_, process_.stream, process_.comm));
  expectFailure(RT_ERROR_TIMEOUT, last_, "did not send within 0.2 s");
}

TEST_F(MpiFailureTest, AReceiveThatWasGivenUpWritesNothingLater) {
  ASSERT_NO_FATAL_FAILURE(make(kShort));
  if (process_.rank == 0) {
    ASSERT_COMM_OK(rtCommReceive(numbers_, 4, RT_COMM_I32, last_, process_.stream, process_.comm));
    expectFailure(RT_ERROR_TIMEOUT, last_, "did not send within 0.2 s");
  }
  (void)MPI_Barrier(MPI_COMM_WORLD);
  if (process_.rank == last_) {
    numbers_[0] = numbers_[3] = 77;
    ASSERT_COMM_OK(rtCommSend(numbers_, 4, RT_COMM_I32, 0, process_.stream, process_.comm));
    (void)rtStreamSynchronize(process_.stream);  // the message has gone, whatever becomes of the communicator
  }
  (void)MPI_Barrier(MPI_COMM_WORLD);
  if (process_.rank == 0) {
    EXPECT_EQ(numbers_[0], 0);
    EXPECT_EQ(numbers_[3], 0);
  }
}

TEST_F(MpiFailureTest, AReceiveOfMoreThanWasSentNamesTheSender) {
  ASSERT_NO_FATAL_FAILURE(make(kLong));
  if (process_.rank == last_) {
    ASSERT_COMM_OK(rtCommSend(numbers_, 4, RT_COMM_I32, 0, process_.stream, process_.comm));
    (void)rtStreamSynchronize(process_.stream);
  } else if (process_.rank == 0) {
    ASSERT_COMM_OK(rtCommReceive(numbers_, 5, RT_COMM_I32, last_, process_.stream, process_.comm));
    expectFailure(RT_ERROR_INVALID_VALUE, last_, "sent 16 bytes");
  }
}

TEST_F(MpiFailureTest, TwoCommunicatorsOnTwoStreamsInTwoOrdersDoNotHang) {
  ASSERT_NO_FATAL_FAILURE(make(kLong));
  const MPI_Comm world = MPI_COMM_WORLD;
  Comm second;
  rttest::Stream stream;
  ASSERT_COMM_OK(rtCommCreateFromMpi(second.out(), nullptr, &world, process_.context));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, process_.context));
  for (int round = 0; round < 20; ++round) {
    const bool turned = process_.rank == last_;
    ASSERT_COMM_OK(turned ? rtCommBarrier(stream, second) : rtCommBarrier(process_.stream, process_.comm));
    ASSERT_COMM_OK(turned ? rtCommBarrier(process_.stream, process_.comm) : rtCommBarrier(stream, second));
  }
  EXPECT_RT_OK(rtStreamSynchronize(stream));
  EXPECT_RT_OK(rtStreamSynchronize(process_.stream));
}

TEST_F(MpiFailureTest, ADestroyWithWorkInFlightLetsTheWorkEnd) {
  ASSERT_NO_FATAL_FAILURE(make(kLong));
  rttest::Gate gate(process_.context);
  std::vector<int32_t> many(100'000, 1);  // longer than what comes with a meeting
  numbers_[0] = 1;
  if (process_.rank == last_) {
    ASSERT_RT_OK(gate.close(process_.stream));
  }
  ASSERT_COMM_OK(allReduce(1));
  ASSERT_COMM_OK(
      rtCommAllReduce(many.data(), many.data(), many.size(), RT_COMM_I32, RT_COMM_SUM, process_.stream, process_.comm));
  ASSERT_COMM_OK(process_.comm.reset());
  if (process_.rank == last_) {
    ASSERT_RT_OK(gate.open());
  }
  EXPECT_RT_OK(rtStreamSynchronize(process_.stream));
  EXPECT_EQ(numbers_[0], process_.size);
  EXPECT_EQ(many, std::vector<int32_t>(many.size(), process_.size));
}

TEST_F(MpiFailureTest, AProcessThatDestroyedItsRankIsNamed) {
  ASSERT_NO_FATAL_FAILURE(make(kShort));
  if (process_.rank == last_) {
    ASSERT_COMM_OK(process_.comm.reset());
    return;
  }
  ASSERT_COMM_OK(allReduce());
  expectFailure(RT_ERROR_TIMEOUT, last_, "of \"world\" did not come to collective 0 within 0.2 s");
}

TEST_F(MpiFailureTest, AnAbortFromAnotherThreadFreesTheOneThatWaits) {
  ASSERT_NO_FATAL_FAILURE(make(RT_TIMEOUT_INFINITE));
  if (process_.rank == last_) {
    ASSERT_COMM_OK(rtCommBarrier(process_.stream, process_.comm));
    std::thread other([this] { EXPECT_COMM_OK(rtCommAbort(process_.comm)); });
    expectFailure(RT_ERROR_LAUNCH_FAILED, last_, "called rtCommAbort");
    other.join();
  } else if (process_.rank != 0) {  // rank 0 never comes
    ASSERT_COMM_OK(rtCommBarrier(process_.stream, process_.comm));
    expectFailure(RT_ERROR_LAUNCH_FAILED, last_, "called rtCommAbort");
  }
}

TEST_F(MpiFailureTest, BadArgumentsAreRefused) {
  ASSERT_NO_FATAL_FAILURE(make(kLong));
  rtComm_t made = rttest::garbage<rtComm_t>();
  const MPI_Comm world = MPI_COMM_WORLD, none = MPI_COMM_NULL;
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateFromMpi(nullptr, nullptr, &world, process_.context));
  EXPECT_COMM(RT_ERROR_INVALID_VALUE, rtCommCreateFromMpi(&made, nullptr, nullptr, process_.context));
  EXPECT_EQ(made, nullptr);
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED, rtCommCreateFromMpi(&made, nullptr, &none, process_.context));
  EXPECT_COMM(RT_ERROR_INVALID_HANDLE, rtCommCreateFromMpi(&made, nullptr, &world, rttest::garbage<rtContext_t>()));
  void* const never_read = reinterpret_cast<void*>(uintptr_t{1} << 40);
  EXPECT_COMM(RT_ERROR_NOT_SUPPORTED,
              rtCommAllGather(never_read, numbers_, (1u << 30) + 1, RT_COMM_U8, process_.stream, process_.comm));
}

}  // namespace
}  // namespace commtest
