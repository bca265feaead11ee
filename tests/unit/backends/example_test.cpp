// The backend of docs/writing-a-backend.md, compiled as it stands there, does what the page says.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "backends/driver/device.h"
#include "backends/driver/fast_stream.h"
#include "backends/driver/point.h"
#include "unit/backends/rig.h"

namespace manyrt::example {
#include "example_backend.inc"
}  // namespace manyrt::example

namespace manyrt::test {
namespace {

class ExampleTest : public ::testing::Test {
 protected:
  ExampleTest() {
    barrier::prepare();
    EXPECT_TRUE(device_.createContext(&context_, {}).ok());
    EXPECT_TRUE(context_->createStream(&stream_, {}).ok());
  }
  Ref<backend::Point> point() {
    Ref<backend::Point> made;
    EXPECT_TRUE(context_->createPoint(&made, true).ok());
    return made;
  }

  example::Device& device_ = keep<example::Device>();
  Ref<backend::Context> context_;
  Ref<backend::Stream> stream_;
};

TEST_F(ExampleTest, CopiesAndFillsRunInOrder) {
  uint32_t from[4] = {}, to[4] = {};
  backend::Fill fill{from, {7}, 4, sizeof from};
  ASSERT_TRUE(stream_->fill(fill).ok());
  ASSERT_TRUE(stream_->copy({to, from, sizeof to}).ok());
  ASSERT_TRUE(finish(*stream_));
  EXPECT_EQ(to[3], 7u);
  EXPECT_EQ(stream_->completed(), 2u);
}

TEST_F(ExampleTest, PointsHoldOtherStreamsAndHostFunctionsHoldTheirOwn) {
  Ref<backend::Stream> other;
  ASSERT_TRUE(context_->createStream(&other, {}).ok());
  std::atomic<bool> go{false};
  ASSERT_TRUE(stream_->call(task([&] { await([&] { return go.load(); }); }), backend::TaskKind::kUser).ok());
  int from = 5, to = 0;
  ASSERT_TRUE(stream_->copy({&to, &from, sizeof to}).ok());
  const Ref<backend::Point> after = point();
  ASSERT_TRUE(stream_->record(after).ok());
  int seen = 0;
  ASSERT_TRUE(other->wait(after).ok());
  ASSERT_TRUE(other->copy({&seen, &to, sizeof seen}).ok());
  EXPECT_FALSE(other->wait(2, Deadline::after(1'000'000)));
  go = true;
  ASSERT_TRUE(finish(*other));
  EXPECT_EQ(seen, 5);
  EXPECT_TRUE(after->wait(kNever, backend::WaitPolicy::kDefault));
  EXPECT_GT(after->nanoseconds(), 0);
  ASSERT_TRUE(finish(*stream_));
}

TEST_F(ExampleTest, WhatIsAfterAFailureIsSkipped) {
  ASSERT_TRUE(stream_
                  ->call(new FunctionTask([](const Status&) { return Status::error(RT_ERROR_LAUNCH_FAILED, "Told to."); }),
                         backend::TaskKind::kUser)
                  .ok());
  int from = 5, to = 0;
  ASSERT_TRUE(stream_->copy({&to, &from, sizeof to}).ok());
  const Ref<backend::Point> after = point();
  ASSERT_TRUE(stream_->record(after).ok());
  ASSERT_TRUE(after->wait(kNever, backend::WaitPolicy::kDefault));
  EXPECT_EQ(after->status().code(), RT_ERROR_LAUNCH_FAILED);
  ASSERT_TRUE(finish(*stream_));
  EXPECT_EQ(to, 0);
  EXPECT_EQ(stream_->latch.take().code(), RT_ERROR_LAUNCH_FAILED);
}

}  // namespace
}  // namespace manyrt::test
