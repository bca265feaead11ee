// Statuses: codes, sentences, and the latch of which exactly one caller takes the failure.
#include "base/status.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace manyrt {
namespace {

TEST(StatusTest, SuccessIsOneNullPointer) {
  Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), RT_SUCCESS);
  EXPECT_STREQ(status.message(), "");
  EXPECT_EQ(sizeof status, sizeof(void*));
}

TEST(StatusTest, AnErrorKeepsItsSentenceThroughCopies) {
  Status copy;
  {
    Status status = Status::error(RT_ERROR_BUSY, "%d of %s", 3, "seven");
    copy = status;
    Status moved = std::move(status);
    EXPECT_EQ(moved.code(), RT_ERROR_BUSY);
  }
  EXPECT_EQ(copy.code(), RT_ERROR_BUSY);
  EXPECT_STREQ(copy.message(), "3 of seven");
}

TEST(StatusTest, ALongSentenceIsCutAndTerminated) {
  std::string text(1000000, 'x');
  Status status = Status::error(RT_ERROR_INTERNAL, "%s", text.c_str());
  EXPECT_LT(std::string(status.message()).size(), text.size());
  EXPECT_GT(std::string(status.message()).size(), 1000u);
}

TEST(StatusTest, TheLogOfACompilerIsKeptWhole) {
  for (size_t size : {size_t{4094}, size_t{4095}, size_t{4096}, size_t{4097}, size_t{64} << 10}) {
    std::string text(size, 'x');
    text.back() = 'y';
    EXPECT_EQ(Status::error(RT_ERROR_BUILD_FAILED, "%s", text.c_str()).message(), text) << size;
  }
}

TEST(StatusTest, ExpectedOutcomesHaveNoSentence) {
  EXPECT_STREQ(Status::bare(RT_ERROR_TIMEOUT).message(), "");
  EXPECT_STREQ(Status::bare(RT_NOT_READY).message(), "");
  EXPECT_STRNE(Status::bare(RT_ERROR_OUT_OF_MEMORY).message(), "");
}

TEST(StatusTest, EveryCodeOfTheHeaderHasNameAndText) {
  for (rtStatus_t code = RT_ERROR_INTERNAL; code <= RT_NOT_READY; ++code) {
    EXPECT_STRNE(errorName(code), "RT_ERROR_UNKNOWN") << code;
    EXPECT_GT(std::string(errorString(code)).size(), 10u) << code;
  }
  EXPECT_STREQ(errorName(-1000), "RT_ERROR_UNKNOWN");
}

TEST(StatusLatchTest, TheFirstFailureStaysUntilItIsTaken) {
  StatusLatch latch;
  EXPECT_FALSE(latch.failed());
  latch.set(Status());
  EXPECT_FALSE(latch.failed());
  latch.set(Status::error(RT_ERROR_LAUNCH_FAILED, "first"));
  latch.set(Status::error(RT_ERROR_BUSY, "second"));
  EXPECT_STREQ(latch.get().message(), "first");
  EXPECT_STREQ(latch.take().message(), "first");
  EXPECT_FALSE(latch.failed());
  EXPECT_TRUE(latch.take().ok());
}

TEST(StatusLatchTest, OfManyTakersExactlyOneSeesTheFailure) {
  for (int round = 0; round < 200; ++round) {
    StatusLatch latch;
    latch.set(Status::error(RT_ERROR_LAUNCH_FAILED, "round %d", round));
    std::atomic<int> seen{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        (void)latch.get();
        if (!latch.take().ok()) seen.fetch_add(1);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(seen.load(), 1);
  }
}

}  // namespace
}  // namespace manyrt
