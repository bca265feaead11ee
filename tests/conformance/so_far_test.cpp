// "So far" means submitted before the call began. A call that blocks for one stream must not wait for work that another stream
// is given meanwhile. That work may itself wait for the caller. The other stream's work is submitted when the calling thread
// sleeps inside the call, which the system tells.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>

#include "support/device_test.h"

namespace rttest {
namespace {

constexpr uint64_t kLong = 20'000'000'000;  // nanoseconds: a call that has not returned by then never will

bool sleeps(pid_t thread) {
  char path[64], state = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return false;
  if (std::fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 0;
  (void)std::fclose(file);
  return state == 'S';
}

class SoFarTest : public DeviceTest {
 protected:
  // `first` is given work that waits for `before`, then `wait` begins. Once it sleeps, `second` is given work that ends when
  // `wait` has returned.
  void expectSecondIsNotWaitedFor(rtStream_t first, const std::function<rtStatus_t()>& wait,
                                  const std::function<rtStatus_t(rtFence_t)>& give_second) {
    rtDevice_t cpu = nullptr;
    Context elsewhere;  // a context that is reset has no fence of its own
    ASSERT_RT_OK(rtDeviceGetByName(&cpu, "cpu"));
    ASSERT_RT_OK(rtContextCreate(elsewhere.out(), nullptr, cpu));
    Gate before(elsewhere), meanwhile(elsewhere);
    Fence returned;
    ASSERT_RT_OK(rtFenceCreate(returned.out(), 0, elsewhere));
    ASSERT_RT_OK(before.close(first));
    std::atomic<pid_t> thread{0};
    std::thread waiting([&] {
      thread.store(static_cast<pid_t>(syscall(SYS_gettid)));
      EXPECT_RT_OK(wait());
      EXPECT_RT_OK(rtFenceSignal(1, returned));
    });
    for (int times = 0; times < 3 && rtFenceWaitFor(0, 1, returned) != RT_SUCCESS;) {
      times = thread.load() != 0 && sleeps(thread.load()) ? times + 1 : 0;
      std::this_thread::yield();
    }
    EXPECT_RT_OK(give_second(meanwhile.fence()));
    EXPECT_RT_OK(before.open());
    EXPECT_RT_OK(rtFenceWaitFor(kLong, 1, returned)) << "the call waits for what was submitted while it ran";
    EXPECT_RT_OK(meanwhile.open());
    waiting.join();
  }
};
INSTANTIATE_TEST_SUITE_P(, SoFarTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(SoFarTest, ContextSynchronizeLeavesOutWhatComesMeanwhile) {
  Stream second;
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, context_));
  for (const auto& [held, given] : {std::pair{stream_.get(), second.get()}, std::pair{second.get(), stream_.get()}}) {
    expectSecondIsNotWaitedFor(
        held, [&] { return rtContextSynchronize(context_); },
        [&, to = given](rtFence_t fence) { return rtStreamWaitFence(fence, 1, to); });
    ASSERT_RT_OK(rtStreamSynchronize(given));
  }
}

TEST_P(SoFarTest, DeviceSynchronizeLeavesOutWhatComesMeanwhile) {
  Context other;
  Stream second;
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(second.out(), nullptr, other));
  for (const auto& [held, given] : {std::pair{stream_.get(), second.get()}, std::pair{second.get(), stream_.get()}}) {
    expectSecondIsNotWaitedFor(
        held, [&] { return rtDeviceSynchronize(device_); },
        [&, to = given](rtFence_t fence) { return rtStreamWaitFence(fence, 1, to); });
    ASSERT_RT_OK(rtStreamSynchronize(given));
  }
}

TEST_P(SoFarTest, StreamSynchronizeLeavesOutWhatComesMeanwhile) {
  Memory memory;
  ASSERT_RT_OK(rtMalloc(memory.out(), 1000, context_));
  expectSecondIsNotWaitedFor(
      stream_, [&] { return rtStreamSynchronize(stream_); },
      [&](rtFence_t fence) {
        const rtStatus_t status = rtMemsetAsync(memory, 1, 1000, stream_);
        return status == RT_SUCCESS ? rtStreamWaitFence(fence, 1, stream_) : status;
      });
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

// The context's default stream is no child that keeps it from being reset, and may be given work at any time.
TEST_P(SoFarTest, ResetLeavesOutWhatTheDefaultStreamIsGivenMeanwhile) {
  for (bool default_first : {true, false}) {
    SCOPED_TRACE(default_first);
    Context context;
    Stream held;
    rtStream_t standard = nullptr;
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
    if (default_first) {
      ASSERT_RT_OK(rtContextGetDefaultStream(&standard, context));
    }
    ASSERT_RT_OK(rtStreamCreate(held.out(), nullptr, context));
    if (!default_first) {
      ASSERT_RT_OK(rtContextGetDefaultStream(&standard, context));
    }
    expectSecondIsNotWaitedFor(
        held,
        [&] {
          const rtStatus_t status = held.reset();  // its work goes on
          return status == RT_SUCCESS ? rtContextReset(context) : status;
        },
        [&](rtFence_t fence) { return rtStreamWaitFence(fence, 1, standard); });
  }
}

// A place in every stream is taken before the first wait.
TEST_P(SoFarTest, WaitContextWaitsForEveryStreamOfTheContext) {
  Context other;
  Stream streams[3];
  Memory memory[3];
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  Gate gate(context_), later(context_);
  for (int i = 0; i < 3; ++i) {
    ASSERT_RT_OK(rtMalloc(memory[i].out(), 1000, other));
    ASSERT_RT_OK(rtStreamCreate(streams[i].out(), nullptr, other));
    ASSERT_RT_OK(gate.close(streams[i]));
    ASSERT_RT_OK(rtMemsetAsync(memory[i], 1, 1000, streams[i]));
  }
  ASSERT_RT_OK(rtStreamWaitContext(other, stream_));
  for (Stream& each : streams) ASSERT_RT_OK(later.close(each));
  EXPECT_RT(RT_NOT_READY, rtStreamQuery(stream_));
  ASSERT_RT_OK(gate.open());
  EXPECT_RT_OK(rtStreamSynchronizeFor(kLong, stream_)) << "what came later is not waited for";
  for (Stream& each : streams) EXPECT_RT(RT_NOT_READY, rtStreamQuery(each));
  ASSERT_RT_OK(later.open());
  ASSERT_RT_OK(rtContextSynchronize(other));
}

}  // namespace
}  // namespace rttest
