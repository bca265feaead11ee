// Points of a driver: when they are passed, with what, and how threads and streams that wait on the host are told.
#include "backends/driver/point.h"

#include "unit/backends/driver/scripted_driver.h"

namespace manyrt::test::scripted {
namespace {

class Told final : public backend::Waiter {
 public:
  void passed(backend::Point& point) override {
    code = point.status().code();
    ++count;
  }
  std::atomic<int> count{0};
  std::atomic<rtStatus_t> code{RT_SUCCESS};
};

Status failure() { return Status::error(RT_ERROR_LAUNCH_FAILED, "Told to."); }

class DriverPointTest : public ::testing::Test {
 protected:
  void record(Status carried = Status()) { point_->recordedIn(queue_, "record", std::move(carried)); }

  // A thread of the library may look at the queue once more when the test is over.
  Queue& queue_ = keep<Queue>();
  Ref<Point> point_ = Ref<Point>::adopt(new Point);
};

TEST_F(DriverPointTest, IsPassedOnceItIsRecordedAndTheDeviceIsThere) {
  queue_.push("work");
  EXPECT_FALSE(point_->poll()) << "it is not recorded yet";
  EXPECT_FALSE(point_->wait(Deadline::after(1000), backend::WaitPolicy::kDefault));
  record();
  EXPECT_TRUE(point_->isRecorded());
  EXPECT_FALSE(point_->poll()) << "the device is after it";
  queue_.comeOn(1);
  EXPECT_FALSE(point_->poll()) << "the device is at the work before it";
  EXPECT_FALSE(point_->done());
  queue_.comeOn();
  EXPECT_TRUE(point_->poll());
  EXPECT_TRUE(point_->done());
  EXPECT_TRUE(point_->status().ok());
}

TEST_F(DriverPointTest, CarriesWhatTheStreamHadComeTo) {
  record(failure());
  EXPECT_EQ(point_->recordedStatus().code(), RT_ERROR_LAUNCH_FAILED);
  queue_.comeOn();
  EXPECT_TRUE(point_->poll());
  EXPECT_EQ(point_->status().code(), RT_ERROR_LAUNCH_FAILED);
}

TEST_F(DriverPointTest, TheFirstOfSeveralEndsCounts) {
  Told told;
  ASSERT_TRUE(point_->subscribe(&told));
  point_->fail(failure());
  EXPECT_FALSE(point_->reach());
  point_->fail(Status::error(RT_ERROR_DRIVER, "Too late."));
  EXPECT_TRUE(point_->poll()) << "a point that could not be recorded is passed all the same";
  EXPECT_EQ(point_->status().code(), RT_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(told.count, 1);
  EXPECT_EQ(told.code, RT_ERROR_LAUNCH_FAILED);
}

TEST_F(DriverPointTest, APassedPointTakesNoWaiter) {
  record();
  queue_.comeOn();
  Told told;
  EXPECT_FALSE(point_->subscribe(&told));
  EXPECT_TRUE(point_->done()) << "the subscription has looked";
  EXPECT_EQ(told.count, 0);
}

TEST_F(DriverPointTest, ADriverThatTellsIsAskedOnceForAllWaiters) {
  point_->tells = true;
  Told before, after;
  ASSERT_TRUE(point_->subscribe(&before));
  EXPECT_EQ(point_->asked_to_tell, 0) << "nothing is recorded that it could tell of";
  record();
  EXPECT_EQ(point_->asked_to_tell, 1);
  ASSERT_TRUE(point_->subscribe(&after));
  EXPECT_EQ(point_->asked_to_tell, 1);
  EXPECT_EQ(before.count, 0);
  queue_.comeOn();
  EXPECT_TRUE(point_->reach());
  EXPECT_EQ(before.count, 1);
  EXPECT_EQ(after.count, 1);
}

TEST_F(DriverPointTest, ARecordWithoutWaitersAsksForNothing) {
  point_->tells = true;
  record();
  EXPECT_EQ(point_->asked_to_tell, 0);
  Told told;
  ASSERT_TRUE(point_->subscribe(&told));
  EXPECT_EQ(point_->asked_to_tell, 1);
  queue_.comeOn();
  EXPECT_TRUE(point_->poll());  // any look passes it, and tells
  EXPECT_EQ(told.count, 1);
  EXPECT_FALSE(point_->reach()) << "what the driver says later is of no use";
  EXPECT_EQ(told.count, 1);
}

TEST_F(DriverPointTest, WhereTheDriverDoesNotTellAThreadOfTheLibraryDoes) {
  Told told;
  ASSERT_TRUE(point_->subscribe(&told));
  record(failure());
  EXPECT_EQ(point_->asked_to_tell, 1);
  await([&] { return point_->asked_to_sleep != 0; });  // the thread has looked, in vain
  EXPECT_EQ(told.count, 0);
  queue_.comeOn();
  await([&] { return told.count != 0; });
  EXPECT_EQ(told.code, RT_ERROR_LAUNCH_FAILED);
}

TEST_F(DriverPointTest, OnlyAWaitThatMaySleepForEverSleepsInTheDriver) {
  point_->sleeps = true;
  point_->tells = true;
  record(failure());
  EXPECT_FALSE(point_->wait(Deadline::after(1000), backend::WaitPolicy::kDefault)) << "the driver knows no deadlines";
  EXPECT_EQ(point_->asked_to_sleep, 0);
  EXPECT_TRUE(point_->wait(Deadline::never(), backend::WaitPolicy::kBlock));
  EXPECT_EQ(point_->asked_to_sleep, 1);
  EXPECT_EQ(point_->status().code(), RT_ERROR_LAUNCH_FAILED);
}

TEST_F(DriverPointTest, AWaitThatSpinsAsksAndDoesNotSleep) {
  point_->sleeps = true;
  record();
  std::thread device([&] {
    std::this_thread::yield();
    queue_.comeOn();
  });
  EXPECT_TRUE(point_->wait(Deadline::never(), backend::WaitPolicy::kSpin));
  device.join();
  EXPECT_EQ(point_->asked_to_sleep, 0);
}

TEST_F(DriverPointTest, APointThatIsRenewedInPlaceStaysRecordedAndIsPassedAgain) {
  point_->tells = true;
  record(failure());
  Told first, second;
  ASSERT_TRUE(point_->subscribe(&first));
  queue_.comeOn();
  ASSERT_TRUE(point_->reach());
  point_->renewInPlace();
  EXPECT_TRUE(point_->isRecorded());
  EXPECT_FALSE(point_->done());
  EXPECT_TRUE(point_->recordedStatus().ok()) << "the failure went with the last record";
  ASSERT_FALSE(point_->subscribe(&second)) << "the device is there already, as the driver is asked anew";
  EXPECT_TRUE(point_->status().ok());
  EXPECT_EQ(first.count, 1);
  EXPECT_EQ(second.count, 0);
}

TEST_F(DriverPointTest, ThreadsThatFindItPassedAtOnceTellOnce) {
  constexpr int kThreads = 4, kRounds = 500;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    Queue& queue = keep<Queue>();
    const Ref<Point> point = Ref<Point>::adopt(new Point);
    point->tells = true;
    Told told;
    std::atomic<int> ready{0};
    bool subscribed = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        ++ready;
        await([&] { return ready == kThreads; });
        if (i == 0) {
          point->recordedIn(queue, "record", Status());
          queue.comeOn();
          (void)point->reach();
        } else if (i == 1) {
          subscribed = point->subscribe(&told);
        } else {
          await([&] { return point->poll(); });
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(point->done());
    EXPECT_EQ(told.count, subscribed ? 1 : 0);
    EXPECT_LE(point->asked_to_tell, 1) << "a record and a subscription that meet ask once";
  }
}

// ---- Free points ----

TEST_F(DriverPointTest, AFreePointComesBackAsNew) {
  point_->tells = true;
  record(failure());
  Told told;
  ASSERT_TRUE(point_->subscribe(&told));
  point_->fail(failure());
  driver::FreePoints free;
  EXPECT_EQ(free.take(), nullptr);
  Point* const given = point_.detach();
  ASSERT_TRUE(free.give(given));
  EXPECT_EQ(free.take(), given);
  EXPECT_EQ(free.take(), nullptr) << "it was there once";
  point_ = Ref<Point>::adopt(given);
  EXPECT_FALSE(point_->isRecorded());
  EXPECT_FALSE(point_->done());
  EXPECT_TRUE(point_->recordedStatus().ok());
  Told again;
  const int asked = point_->asked_to_tell;
  ASSERT_TRUE(point_->subscribe(&again));
  record();
  EXPECT_EQ(point_->asked_to_tell, asked + 1) << "that it was told of once does not count any more";
  EXPECT_TRUE(point_->reach());
  EXPECT_EQ(told.count, 1);
  EXPECT_EQ(again.count, 1);
}

TEST_F(DriverPointTest, TheLastOneGivenIsTakenFirstAndTheListHasAnEnd) {
  driver::FreePoints free;  // deletes what is left
  std::vector<Point*> given;
  for (;;) {
    Point* const fresh = new Point;
    if (!free.give(fresh)) {
      delete fresh;
      break;
    }
    given.push_back(fresh);
    ASSERT_LT(given.size(), 1u << 20) << "the list grows without end";
  }
  ASSERT_GT(given.size(), 1u);
  driver::Point* const taken = free.take();
  EXPECT_EQ(taken, given.back());
  EXPECT_TRUE(free.give(taken)) << "the place of a point that was taken is free again";
  Point* const one_more = new Point;
  EXPECT_FALSE(free.give(one_more));
  delete one_more;
}

}  // namespace
}  // namespace manyrt::test::scripted
