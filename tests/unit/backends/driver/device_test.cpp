// Shared parts of the devices and contexts of drivers: the lists of contexts and streams, and the loss of a device.
#include "backends/driver/device.h"

#include <algorithm>

#include "unit/backends/driver/scripted_driver.h"

namespace manyrt::test::scripted {
namespace {

Status driverError(const char* text) { return Status::error(RT_ERROR_DRIVER, "%s", text); }

class DriverDeviceTest : public ::testing::Test {
 protected:
  DriverDeviceTest() { barrier::prepare(); }
  Ref<Context> context() {
    Ref<backend::Context> made;
    EXPECT_TRUE(device_.createContext(&made, {}).ok());
    return Ref<Context>::adopt(static_cast<Context*>(made.detach()));
  }
  bool lists(const Ref<Context>& wanted) {
    const std::vector<Ref<driver::Context>> all = device_.contexts();
    return std::any_of(all.begin(), all.end(), [&](const Ref<driver::Context>& each) { return each.get() == wanted.get(); });
  }
  // A stream that runs a kernel of this name, until the test lets the device come on.
  Ref<Stream> running(Context& in, const char* kernel) {
    Ref<Stream> stream = in.make(Stream::plain());
    int value = 0;
    const void* arguments[] = {&value};
    const backend::Launch what{{1, 1, 1}, {1, 1, 1}, 0, false, arguments};
    EXPECT_TRUE(stream->launch(*kernel_, what).ok());
    stream->noteKernel(kernel);
    return stream;
  }

  Device& device_ = keep<Device>();
  Ref<backend::Kernel> kernel_ = Ref<backend::Kernel>::adopt(new Kernel);
};

// ---- Lists ----

TEST_F(DriverDeviceTest, ListsTheContextsThatLive) {
  EXPECT_TRUE(device_.contexts().empty());
  const Ref<Context> first = context();
  {
    const Ref<Context> second = context();
    EXPECT_EQ(device_.contexts().size(), 2u);
    EXPECT_TRUE(lists(first) && lists(second));
  }
  EXPECT_EQ(device_.contexts().size(), 1u);
  EXPECT_TRUE(lists(first));
}

TEST_F(DriverDeviceTest, AListedContextLivesUntilTheListIsGone) {
  Ref<Context> only = context();
  std::vector<Ref<driver::Context>> listed = device_.contexts();
  only = nullptr;
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(device_.contexts().size(), 1u);
  listed.clear();
  EXPECT_TRUE(device_.contexts().empty());
}

TEST_F(DriverDeviceTest, AContextListsTheStreamsThatLive) {
  const Ref<Context> both = context();
  const Ref<Stream> first = both->make(Stream::plain());
  {
    const Ref<Stream> second = both->make(Stream::plain());
    EXPECT_EQ(both->streams().size(), 2u);
  }
  const std::vector<Ref<driver::Stream>> left = both->streams();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].get(), first.get());
  EXPECT_TRUE(context()->streams().empty()) << "streams of another context";
}

TEST_F(DriverDeviceTest, AStreamThatIsUsedAgainHasNoFailureAndATrackOfItsOwn) {
  const Ref<Context> own = context();
  const Ref<Stream> stream = own->make(Stream::plain());
  const uint64_t track = stream->track.number;
  stream->latch.set(driverError("Of its last use."));
  own->renewStream(*stream, {.label = "again"});
  EXPECT_FALSE(stream->latch.failed());
  EXPECT_NE(stream->track.number, track);
  EXPECT_STREQ(stream->track.label, "again");
}

// ---- Loss ----

TEST_F(DriverDeviceTest, AFailureThatIsNoDeathIsPassedOnAndTellsNothing) {
  const Ref<Context> own = context();
  const Status status = device_.failed(driverError("It refuses."), false);
  EXPECT_EQ(status.code(), RT_ERROR_DRIVER);
  EXPECT_STREQ(status.message(), "It refuses.");
  EXPECT_FALSE(device_.isLost());
  EXPECT_TRUE(device_.lost().ok());
  EXPECT_EQ(own->losses, 0);
}

TEST_F(DriverDeviceTest, TheFirstCauseOfALossStays) {
  const Ref<Context> own = context();
  EXPECT_EQ(device_.failed(driverError("First."), true).code(), RT_ERROR_DEVICE_LOST);
  const Status second = device_.failed(driverError("Second."), true);
  EXPECT_EQ(second.code(), RT_ERROR_DEVICE_LOST);
  EXPECT_STREQ(second.message(), "The device scripted:0 is lost: First.");
  EXPECT_STREQ(device_.lost().message(), second.message());
  const Status other = device_.failed(driverError("Of a call that was refused."), false);
  EXPECT_EQ(other.code(), RT_ERROR_DRIVER) << "what is no death is told as it is, also afterwards";
}

TEST_F(DriverDeviceTest, EveryContextIsToldOfALoss) {
  const Ref<Context> first = context(), second = context();
  (void)device_.failed(driverError("It is gone."), true);
  EXPECT_EQ(first->losses, 1);
  EXPECT_EQ(second->losses, 1);
  Device& sound = keep<Device>();
  Ref<backend::Context> unaffected;
  ASSERT_TRUE(sound.createContext(&unaffected, {}).ok());
  (void)device_.failed(driverError("Again."), true);
  EXPECT_EQ(static_cast<Context&>(*unaffected).losses, 0);
  EXPECT_FALSE(sound.isLost());
}

TEST_F(DriverDeviceTest, ALossNamesEachKernelOnceThatMayBeItsCause) {
  const Ref<Context> first = context(), second = context();
  const Ref<Stream> add = running(*first, "add"), again = running(*first, "add"), scale = running(*second, "scale");
  const Ref<Stream> over = running(*second, "over");
  over->queue.comeOn();
  ASSERT_EQ(over->completed(), 1u);
  const Ref<Stream> silent = second->make(Stream::plain());
  EXPECT_STREQ(device_.failed(driverError("It is gone."), true).message(),
               "The device scripted:0 is lost while it ran the kernel \"add\" or \"scale\": It is gone.");
}

TEST_F(DriverDeviceTest, ALossEndsWhatItsStreamsWaitFor) {
  const Ref<Context> own = context();
  const Ref<Stream> stream = running(*own, "scale");
  std::atomic<bool> ended{false};
  std::thread waits([&] {
    EXPECT_TRUE(finish(*stream));
    ended = true;
  });
  await([&] { return stream->questions != 0; });
  EXPECT_FALSE(ended);
  (void)device_.failed(driverError("It is gone."), true);
  waits.join();
  EXPECT_EQ(stream->completed(), 1u);
}

TEST_F(DriverDeviceTest, ContextsAndStreamsComeAndGoWhileADeviceDies) {
  constexpr int kThreads = 3, kRounds = 200;
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      ++ready;
      await([&] { return ready > kThreads; });
      for (int round = 0; round < kRounds; ++round) {
        const Ref<Context> made = context();
        const Ref<Stream> stream = made->make(Stream::plain());
        stream->noteKernel("short");
        EXPECT_EQ(made->streams().size(), 1u);
      }
    });
  }
  ++ready;
  for (int round = 0; round < kRounds; ++round) {
    EXPECT_EQ(device_.failed(driverError("It is gone."), true).code(), RT_ERROR_DEVICE_LOST);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(device_.contexts().empty());
}

}  // namespace
}  // namespace manyrt::test::scripted
