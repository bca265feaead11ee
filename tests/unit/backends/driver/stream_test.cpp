// Streams of a driver, against one whose every answer the test decides.
#include "unit/backends/driver/scripted_driver.h"

namespace manyrt::test::scripted {
namespace {

using Log = std::vector<std::string>;

// Without the markers that waits and queries leave.
Log work(Stream& stream) {
  Log log = stream.queue.log();
  std::erase(log, "mark");
  return log;
}

class DriverStreamTest : public ::testing::Test {
 protected:
  DriverStreamTest() { open(backend::WaitPolicy::kDefault); }
  void open(backend::WaitPolicy policy, const auto& traits) {
    barrier::prepare();
    context_ = Ref<Context>::adopt(new Context(device_, policy));
    device_.add(*context_);
    stream_ = context_->make(traits);
  }
  void open(backend::WaitPolicy policy) { open(policy, Stream::plain()); }
  Ref<backend::Point> point() { return Ref<backend::Point>::adopt(new Point); }
  Status launch(int value) {
    const void* arguments[] = {&value};
    const backend::Launch what{{1, 1, 1}, {1, 1, 1}, 0, false, arguments};
    return stream_->launch(*kernel_, what);
  }
  Status waitFor(Ref<backend::Point> point, backend::Skip skip = backend::Skip::kOnFailure) {
    return stream_->wait(std::move(point), skip);
  }
  // A point of another backend that holds the stream back until the test passes it.
  Ref<backend::Point> hold() {
    Ref<backend::Point> gate = Ref<backend::Point>::adopt(new HandPoint);
    EXPECT_TRUE(waitFor(gate).ok());
    return gate;
  }
  void pass(const Ref<backend::Point>& gate, Status status = Status()) { gate->complete(std::move(status), 0); }
  void finishNow() {  // the device comes on by itself
    stream_->queue.at_once = true;
    stream_->queue.comeOn();
    stream_->tellNow();
    while (!stream_->wait(stream_->submitted(), Deadline::after(1'000'000))) stream_->tellNow();
  }

  Device& device_ = keep<Device>();
  Ref<Context> context_;
  Ref<Stream> stream_;
  Ref<backend::Kernel> kernel_ = Ref<backend::Kernel>::adopt(new Kernel);  // a command may let go of it after the test
};

TEST_F(DriverStreamTest, SubmissionsGoToTheDriverAtOnceAndAreNumbered) {
  ASSERT_TRUE(launch(1).ok());
  ASSERT_TRUE(stream_->copy({}).ok());
  ASSERT_TRUE(stream_->fill({}).ok());
  ASSERT_TRUE(stream_->prefetch(nullptr, 0, false).ok());
  const auto recorded = point();
  ASSERT_TRUE(stream_->record(recorded).ok());
  EXPECT_EQ(stream_->queue.log(), (Log{"launch 1", "copy", "fill", "prefetch", "record 5"}));
  EXPECT_EQ(stream_->submitted(), 5u);
  EXPECT_EQ(stream_->completed(), 0u);
  EXPECT_FALSE(recorded->poll());
  stream_->queue.comeOn();
  EXPECT_EQ(stream_->completed(), 5u);
  EXPECT_TRUE(recorded->poll());
}

TEST_F(DriverStreamTest, ASubmissionThatFailsCountsAndLatchesNothing) {
  stream_->answers.next = Status::error(RT_ERROR_DRIVER, "Told to.");
  EXPECT_EQ(launch(1).code(), RT_ERROR_DRIVER);
  EXPECT_EQ(stream_->submitted(), 1u);
  EXPECT_FALSE(stream_->latch.failed());
  ASSERT_TRUE(launch(2).ok());
}

TEST_F(DriverStreamTest, AHeldStreamKeepsWhatItsCallerMayChange) {
  const auto gate = hold();
  ASSERT_TRUE(launch(1).ok());
  ASSERT_TRUE(launch(2).ok());
  const auto recorded = point();
  ASSERT_TRUE(stream_->record(recorded).ok());
  EXPECT_EQ(stream_->queue.log(), Log{});
  EXPECT_EQ(stream_->submitted(), 4u);
  EXPECT_FALSE(stream_->wait(1, Deadline::after(1'000'000)));
  pass(gate);
  finishNow();
  EXPECT_EQ(work(*stream_), (Log{"launch 1", "launch 2", "record 4"}));
  EXPECT_TRUE(recorded->poll());
  ASSERT_TRUE(launch(3).ok());  // held no more
  EXPECT_EQ(stream_->queue.log().back(), "launch 3");
}

TEST_F(DriverStreamTest, AfterAFailureOnlyPointsTasksAndWaitsThatAreNeverSkippedRun) {
  const auto gate = hold();
  const auto recorded = point();
  Ref<backend::Point> other = Ref<backend::Point>::adopt(new HandPoint);
  rtStatus_t seen = RT_SUCCESS;
  ASSERT_TRUE(launch(1).ok());
  ASSERT_TRUE(stream_->record(recorded).ok());
  ASSERT_TRUE(waitFor(Ref<backend::Point>::adopt(new HandPoint)).ok());  // never passed, and left out
  ASSERT_TRUE(waitFor(other, backend::Skip::kNever).ok());
  ASSERT_TRUE(stream_
                  ->call(new FunctionTask([&](const Status& status) {
                           seen = status.code();
                           return Status();
                         }),
                         backend::TaskKind::kInternal)
                  .ok());
  pass(gate, Status::error(RT_ERROR_LAUNCH_FAILED, "Told to."));
  await([&] { return recorded->poll() || (stream_->queue.comeOn(), false); });
  EXPECT_EQ(recorded->status().code(), RT_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(seen, RT_SUCCESS);
  pass(other);
  finishNow();
  EXPECT_EQ(seen, RT_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(work(*stream_), Log{"record 3"});
  EXPECT_EQ(stream_->latch.take().code(), RT_ERROR_LAUNCH_FAILED);
}

TEST_F(DriverStreamTest, ARecordThatFailsAfterOthersFailsItsPointAndTheStream) {
  const auto gate = hold();
  const auto recorded = point();
  ASSERT_TRUE(stream_->record(recorded).ok());
  stream_->answers.next = Status::error(RT_ERROR_DRIVER, "Told to.");
  pass(gate);
  finishNow();
  EXPECT_TRUE(recorded->done());
  EXPECT_EQ(recorded->status().code(), RT_ERROR_DRIVER);
  EXPECT_EQ(stream_->latch.take().code(), RT_ERROR_DRIVER);
}

TEST_F(DriverStreamTest, MarkersTellOfAQueueThatCannotBeAsked) {
  stream_->answers.can_be_asked = false;
  for (int i = 0; i < 10; ++i) {  // one question, one marker, but never more than four
    ASSERT_TRUE(launch(i).ok());
    EXPECT_EQ(stream_->completed(), 0u);
  }
  Log log = stream_->queue.log();
  EXPECT_EQ(std::count(log.begin(), log.end(), "mark"), 4);
  stream_->queue.comeOn(2);  // after the first launch and its marker
  EXPECT_EQ(stream_->completed(), 1u);
  stream_->queue.comeOn();
  EXPECT_GE(stream_->completed(), 4u);
  finishNow();
  EXPECT_EQ(stream_->completed(), 10u);
}

TEST_F(DriverStreamTest, AnAnswerThatSaysNothingIsNoProgressAndNoMarker) {
  stream_->answers.says_nothing = true;
  ASSERT_TRUE(launch(1).ok());
  stream_->queue.comeOn();
  EXPECT_EQ(stream_->completed(), 0u);
  EXPECT_EQ(stream_->queue.log(), Log{"launch 1"});
  stream_->answers.says_nothing = false;
  EXPECT_EQ(stream_->completed(), 1u);
}

TEST_F(DriverStreamTest, AWaitEndsWhateverTheDriverSaysToIt) {
  for (const auto policy :
       {backend::WaitPolicy::kDefault, backend::WaitPolicy::kBlock, backend::WaitPolicy::kSpin, backend::WaitPolicy::kYield}) {
    for (const auto slept : {0, 1, 2}) {
      open(policy);
      using Slept = decltype(stream_->answers.slept);
      stream_->answers.slept = slept == 0 ? Slept::kYes : slept == 1 ? Slept::kNotNow : Slept::kNever;
      ASSERT_TRUE(launch(1).ok());
      EXPECT_FALSE(stream_->wait(1, Deadline::poll()));
      EXPECT_FALSE(stream_->wait(1, Deadline::after(200'000)));
      std::thread device([&] {
        std::this_thread::yield();
        stream_->queue.comeOn();
      });
      EXPECT_TRUE(stream_->wait(1, kNever));
      device.join();
      const bool sleeps = policy == backend::WaitPolicy::kDefault || policy == backend::WaitPolicy::kBlock;
      EXPECT_EQ(stream_->sleeps.load() > 0, sleeps);
      if (slept == 2) {
        EXPECT_LE(stream_->sleeps.load(), 2);  // it refused, and was not asked again by that wait
      }
    }
  }
}

TEST_F(DriverStreamTest, HostFunctionsRunWhenTheDriverTellsAndNotBefore) {
  std::atomic<bool> ran{false};
  ASSERT_TRUE(launch(1).ok());
  ASSERT_TRUE(stream_
                  ->call(task([&] {
                           EXPECT_TRUE(stream_->isInsideTask());
                           ran = true;
                         }),
                         backend::TaskKind::kUser)
                  .ok());
  ASSERT_TRUE(launch(2).ok());
  EXPECT_FALSE(stream_->wait(2, Deadline::after(2'000'000)));
  EXPECT_FALSE(ran);
  EXPECT_EQ(work(*stream_), Log{"launch 1"});
  stream_->queue.comeOn();
  stream_->tellNow();
  finishNow();
  EXPECT_TRUE(ran);
  EXPECT_EQ(work(*stream_), (Log{"launch 1", "launch 2"}));
  EXPECT_FALSE(stream_->isInsideTask());
}

TEST_F(DriverStreamTest, WhereTheDriverDoesNotTellAThreadWaitsForTheDevice) {
  stream_->answers.tells = false;
  std::atomic<bool> ran{false};
  ASSERT_TRUE(launch(1).ok());
  ASSERT_TRUE(stream_->call(task([&] { ran = true; }), backend::TaskKind::kUser).ok());
  EXPECT_FALSE(stream_->wait(2, Deadline::after(2'000'000)));
  EXPECT_FALSE(ran);
  stream_->queue.comeOn();
  EXPECT_TRUE(finish(*stream_));
  EXPECT_TRUE(ran);
}

TEST_F(DriverStreamTest, NativeFunctionsRunWhenWhatIsAheadHasBeenSubmitted) {
  std::atomic<bool> ran{false};
  ASSERT_TRUE(launch(1).ok());
  ASSERT_TRUE(stream_->call(task([&] { ran = true; }), backend::TaskKind::kNative).ok());
  ASSERT_TRUE(launch(2).ok());
  await([&] { return stream_->queue.log().size() == 2; });
  EXPECT_TRUE(ran);
  EXPECT_EQ(stream_->completed(), 0u);  // the device has not come to anything yet
  finishNow();
}

TEST_F(DriverStreamTest, InternalTasksAreTheDriversWhereItTakesThem) {
  bool ran = false;
  stream_->answers.takes_tasks = true;
  ASSERT_TRUE(stream_->call(task([&] { ran = true; }), backend::TaskKind::kInternal).ok());
  EXPECT_TRUE(ran);
  EXPECT_EQ(stream_->queue.log(), Log{"task"});
  EXPECT_EQ(stream_->tells, 0);
}

TEST_F(DriverStreamTest, RecordedPointsAreWaitedForOnTheDeviceOthersByTheHost) {
  const Ref<Stream> other = context_->make(Stream::plain());
  const auto recorded = point();
  ASSERT_TRUE(other->record(recorded).ok());
  ASSERT_TRUE(waitFor(recorded).ok());
  EXPECT_EQ(stream_->queue.log(), Log{"wait"});
  const auto later = point();
  ASSERT_TRUE(waitFor(later).ok());
  ASSERT_TRUE(launch(1).ok());
  EXPECT_EQ(stream_->queue.log(), Log{"wait"});
  ASSERT_TRUE(other->record(later).ok());
  other->queue.comeOn();
  finishNow();
  EXPECT_EQ(work(*stream_), (Log{"wait", "launch 1"}));
}

TEST_F(DriverStreamTest, AWaitThatTheDriverRefusesFailsTheCallAndIsTheHostsInAHeldStream) {
  const Ref<Stream> other = context_->make(Stream::plain());
  const auto recorded = point();
  ASSERT_TRUE(other->record(recorded).ok());
  stream_->answers.refuses_waits = true;
  EXPECT_EQ(waitFor(recorded).code(), RT_ERROR_DRIVER);
  EXPECT_EQ(stream_->submitted(), 0u);
  const auto gate = hold();
  ASSERT_TRUE(waitFor(recorded).ok());
  ASSERT_TRUE(launch(1).ok());
  pass(gate);
  EXPECT_FALSE(stream_->wait(2, Deadline::after(2'000'000)));
  EXPECT_EQ(stream_->queue.log(), Log{});
  other->queue.comeOn();
  finishNow();
  EXPECT_EQ(work(*stream_), Log{"launch 1"});
  EXPECT_FALSE(stream_->latch.failed());
}

TEST_F(DriverStreamTest, GatheredWorkBeginsWhenItIsAskedForAndOtherWorkAtOnce) {
  ASSERT_TRUE(launch(1).ok());
  EXPECT_EQ(stream_->flushes, 1);
  finishNow();
  open(backend::WaitPolicy::kDefault, Stream::gathering());
  ASSERT_TRUE(launch(1).ok());
  ASSERT_TRUE(launch(2).ok());
  EXPECT_EQ(stream_->flushes, 0);
  EXPECT_EQ(stream_->completed(), 0u);
  EXPECT_EQ(stream_->flushes, 1);
  EXPECT_FALSE(stream_->wait(2, Deadline::after(100'000)));
  EXPECT_GE(stream_->flushes, 2);
  finishNow();
}

TEST_F(DriverStreamTest, ADeadDeviceFailsWhatFollowsAndEndsWaits) {
  stream_->noteKernel("scale");
  ASSERT_TRUE(launch(1).ok());
  const Status failure = Status::error(RT_ERROR_DRIVER, "It is gone.");
  EXPECT_EQ(device_.failed(failure, false).code(), RT_ERROR_DRIVER);
  EXPECT_FALSE(device_.isLost());
  EXPECT_EQ(device_.failed(failure, true).code(), RT_ERROR_DEVICE_LOST);
  EXPECT_STREQ(device_.lost().message(), "The device scripted:0 is lost while it ran the kernel \"scale\": It is gone.");
  EXPECT_TRUE(finish(*stream_));
  EXPECT_EQ(launch(2).code(), RT_ERROR_DEVICE_LOST);
  EXPECT_EQ(stream_->queue.log(), Log{"launch 1"});
  EXPECT_EQ(stream_->record(point()).code(), RT_ERROR_DEVICE_LOST);
}

TEST_F(DriverStreamTest, ADeadDeviceFailsWhatIsHeld) {
  const auto gate = hold();
  const auto recorded = point();
  rtStatus_t seen = RT_SUCCESS;
  ASSERT_TRUE(launch(1).ok());
  ASSERT_TRUE(stream_->record(recorded).ok());
  ASSERT_TRUE(stream_
                  ->call(new FunctionTask([&](const Status& status) {
                           seen = status.code();
                           return Status();
                         }),
                         backend::TaskKind::kUser)
                  .ok());
  (void)device_.failed(Status::error(RT_ERROR_DRIVER, "It is gone."), true);
  pass(gate);
  EXPECT_TRUE(finish(*stream_));
  EXPECT_EQ(recorded->status().code(), RT_ERROR_DEVICE_LOST);
  EXPECT_EQ(seen, RT_ERROR_DEVICE_LOST);
  EXPECT_EQ(stream_->queue.log(), Log{});
}

TEST_F(DriverStreamTest, APointAheadOfWhatIsHeldIsPassedWithoutThat) {
  Ref<backend::Point> ahead;
  ASSERT_TRUE(launch(1).ok());
  const auto gate = hold();
  ASSERT_TRUE(stream_->recordAhead(&ahead, 1).ok());
  ASSERT_TRUE(ahead);
  stream_->queue.comeOn();
  EXPECT_TRUE(ahead->poll());
  EXPECT_EQ(stream_->completed(), 1u);
  ahead = nullptr;
  ASSERT_TRUE(stream_->recordAhead(&ahead, 1).ok());
  EXPECT_FALSE(ahead);  // it is over
  pass(gate);
  finishNow();
}

TEST_F(DriverStreamTest, MarkersPassOnTheFailureOfACommand) {
  open(backend::WaitPolicy::kDefault, Stream::failing());
  stream_->answers.can_be_asked = false;
  ASSERT_TRUE(launch(1).ok());
  rtStatus_t seen = RT_SUCCESS;
  ASSERT_TRUE(stream_
                  ->call(new FunctionTask([&](const Status& status) {
                           seen = status.code();
                           return Status();
                         }),
                         backend::TaskKind::kUser)
                  .ok());
  finishNow();
  EXPECT_EQ(seen, RT_SUCCESS);
  const Log log = stream_->queue.log();
  EXPECT_NE(std::find(log.begin(), log.end(), "mark"), log.end()) << "nothing was asked before the function ran";
}

template <class ReplayType>
Ref<backend::Replay> makeReplay() {
  return Ref<backend::Replay>::adopt(new ReplayType);
}

TEST_F(DriverStreamTest, LaunchesOfAReplayComeAfterEachOtherOnOtherStreams) {
  const Ref<Stream> other = context_->make(Stream::plain());
  const auto replay = makeReplay<OrderedReplay<false>>();
  ASSERT_TRUE(replay->launch(*stream_).ok());
  ASSERT_TRUE(replay->launch(*stream_).ok());
  EXPECT_EQ(stream_->queue.log(), (Log{"replay", "replay"}));
  ASSERT_TRUE(replay->launch(*other).ok());
  EXPECT_EQ(stream_->queue.log(), (Log{"replay", "replay", "mark"}));
  EXPECT_EQ(other->queue.log(), (Log{"wait", "replay"}));
}

TEST_F(DriverStreamTest, ADriverThatOrdersReplaysIsNotMadeToWait) {
  const Ref<Stream> other = context_->make(Stream::plain());
  const auto replay = makeReplay<OrderedReplay<true>>();
  ASSERT_TRUE(replay->launch(*stream_).ok());
  ASSERT_TRUE(replay->launch(*other).ok());
  EXPECT_EQ(stream_->queue.log(), Log{"replay"});
  EXPECT_EQ(other->queue.log(), Log{"replay"});
}

TEST_F(DriverStreamTest, ALaunchThatIsHeldBackIsWaitedForInEitherCase) {
  for (const auto& replay : {makeReplay<OrderedReplay<true>>(), makeReplay<OrderedReplay<false>>()}) {
    open(backend::WaitPolicy::kDefault);
    const Ref<Stream> other = context_->make(Stream::plain());
    const auto gate = hold();
    bool changed = true;
    ASSERT_TRUE(replay->launch(*stream_).ok());
    ASSERT_TRUE(replay->change(&changed, 0, {}).ok());
    EXPECT_FALSE(changed);
    ASSERT_TRUE(replay->launch(*other).ok());
    EXPECT_EQ(other->queue.log(), Log{});
    pass(gate);
    finishNow();
    other->queue.at_once = true;
    EXPECT_TRUE(finish(*other));
    EXPECT_EQ(work(*other).front(), "replay");  // held back, so that its end is recorded after it
    ASSERT_TRUE(replay->change(&changed, 0, {}).ok());
    EXPECT_TRUE(changed);
  }
}

// Work that several threads submit, hold, record and wait for at once comes to its end, each point once.
TEST_F(DriverStreamTest, ManyThreadsAndADeviceThatComesOnByItself) {
  constexpr int kThreads = 4, kRounds = 300;
  stream_->answers.can_be_asked = false;
  stream_->answers.tells = false;
  std::atomic<bool> stop{false};
  std::atomic<int> ran{0};
  std::thread device([&] {
    while (!stop) {
      stream_->queue.comeOn();
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        ASSERT_TRUE(launch(i).ok());
        if (i % 5 == t) {
          ASSERT_TRUE(stream_->call(task([&] { ++ran; }), backend::TaskKind::kUser).ok());
        }
        const Ref<backend::Point> recorded = point();
        ASSERT_TRUE(stream_->record(recorded).ok());
        if (i % 3 == 0) {
          ASSERT_TRUE(recorded->wait(kNever, backend::WaitPolicy::kBlock));
        }
        if (i % 7 == 0) {
          ASSERT_TRUE(finish(*stream_));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(finish(*stream_));
  stop = true;
  device.join();
  EXPECT_EQ(ran, kThreads * kRounds / 5);
  EXPECT_EQ(stream_->completed(), stream_->submitted());
}

}  // namespace
}  // namespace manyrt::test::scripted
