// Launches of one exec run one after another, also where streams that have them fail. A launch that a failure leaves out does
// not let later ones get ahead of earlier ones.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "exec_test.h"

namespace rttest {
namespace {

constexpr uint64_t kShort = 50'000'000;  // nanoseconds in which a stream that waits for nothing would be done

void fail(void*, rtStatus_t) { throw std::runtime_error("no"); }
void failOnce(void* user, rtStatus_t) {
  if (static_cast<std::atomic<bool>*>(user)->exchange(false)) throw std::runtime_error("no");
}
void doNothing(void*, rtStatus_t) {}
void awaitFlag(void* user, rtStatus_t) {
  while (!static_cast<std::atomic<bool>*>(user)->load()) std::this_thread::yield();
  throw std::runtime_error("no");
}

// How an exec is run: as one replay, as replays and single steps of one lane, or over several lanes.
enum class Form { kWhole, kCut, kWalked };

class LaunchOrderTest : public ExecTest {
 protected:
  static constexpr unsigned char kValue = 7;

  void build(Form form) {
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    for (size_t i = 0; i < 6; ++i) (void)copy(at(memory_.as(16 * i + 16)), at(memory_.as(16 * i)), 16);  // one after another
    if (form == Form::kCut) (void)host(doNothing, nullptr);
    if (form == Form::kWalked) {
      rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
      params.function = doNothing;
      rtGraphNode_t node = nullptr;
      ASSERT_RT_OK(rtGraphAddHostNode(&node, &params, nullptr, 0, graph_)) << "beside them";
    }
    ASSERT_EQ(planInfo().stream_count, form == Form::kWalked ? 2u : 1u);
    instantiate();
  }
  void failAfter(rtStream_t stream, Gate& gate) {
    ASSERT_RT_OK(gate.close(stream));
    ASSERT_RT_OK(rtLaunchHostFunction(fail, nullptr, stream));
  }
  // Looks, and takes nothing.
  static void awaitFailure(rtStream_t stream) {
    while (rtStreamQuery(stream) == RT_NOT_READY) std::this_thread::yield();
  }
};
INSTANTIATE_TEST_SUITE_P(, LaunchOrderTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(LaunchOrderTest, ALaunchThatAFailureLeavesOutIsNotAheadOfTheOneBefore) {
  for (const Form form : {Form::kWhole, Form::kCut, Form::kWalked}) {
    SCOPED_TRACE(static_cast<int>(form));
    build(form);
    Stream failed[2], other;
    for (Stream* stream : {&failed[0], &failed[1], &other}) ASSERT_RT_OK(rtStreamCreate(stream->out(), nullptr, context_));
    Gate first(context_), second(context_);
    ASSERT_RT_OK(first.close(stream_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    for (Stream& stream : failed) {
      failAfter(stream, second);
      ASSERT_RT_OK(rtGraphLaunch(exec_, stream));
    }
    ASSERT_RT_OK(second.open());
    for (Stream& stream : failed) awaitFailure(stream);
    for (Stream& stream : failed) EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(kShort, stream));
    ASSERT_RT_OK(rtGraphLaunch(exec_, other));
    EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(kShort, other)) << "the first launch has yet to run";
    EXPECT_RT(RT_NOT_READY, rtStreamQuery(other));
    ASSERT_RT_OK(first.open());
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    for (Stream& stream : failed) EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(stream));
    EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(other)) << "it has waited for one that failed";
    for (rtStream_t stream : {failed[0].get(), other.get()}) {
      ASSERT_RT_OK(rtMemset(memory_, kValue, 16));
      ASSERT_RT_OK(rtMemset(memory_.as(16), 0, kSize - 16));
      ASSERT_RT_OK(rtGraphLaunch(exec_, stream));
      ASSERT_RT_OK(rtStreamSynchronize(stream));
      EXPECT_EQ(contents(memory_.as(6 * 16), 16), std::vector<unsigned char>(16, kValue)) << "the exec goes on";
    }
    ASSERT_RT_OK(exec_.reset());
  }
}

// The failure that is there stays, whatever else the earlier launch failed at.
TEST_P(LaunchOrderTest, AFailedStreamKeepsItsFailureWhereTheLaunchBeforeFailsToo) {
  for (const Form form : {Form::kWhole, Form::kCut, Form::kWalked}) {
    SCOPED_TRACE(static_cast<int>(form));
    build(form);
    Stream failed;
    ASSERT_RT_OK(rtStreamCreate(failed.out(), nullptr, context_));
    rtFence_t first = nullptr;
    ASSERT_RT_OK(rtFenceCreate(&first, 0, context_));
    Gate second(context_);
    ASSERT_RT_OK(rtStreamWaitFence(first, 1, stream_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    failAfter(failed, second);
    ASSERT_RT_OK(rtGraphLaunch(exec_, failed));
    ASSERT_RT_OK(second.open());
    awaitFailure(failed);
    EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(kShort, failed));
    ASSERT_RT_OK(rtFenceDestroy(first));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtStreamSynchronize(stream_));
    EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(failed));
    EXPECT_RT_OK(rtStreamSynchronize(failed)) << "told once";
    ASSERT_RT_OK(exec_.reset());
  }
}

// One stream: its lane fails while another lane of the launch has yet to run.
TEST_P(LaunchOrderTest, ALaunchThatHasFailedIsOverWhenItsLanesAre) {
  std::atomic<bool> failing{true};
  rtGraphHostParams_t host = RT_GRAPH_HOST_PARAMS_INIT;
  host.function = failOnce;
  host.user = &failing;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddHostNode(&node, &host, nullptr, 0, graph_)) << "the first one, in the stream's own lane";
  Gate gate(context_);
  rtGraphFenceParams_t fence = RT_GRAPH_FENCE_PARAMS_INIT;
  fence.fence = gate.fence();
  fence.value = 1;
  ASSERT_RT_OK(rtGraphAddFenceWaitNode(&node, &fence, nullptr, 0, graph_));
  const rtGraphFillParams_t params = fillParams(at(memory_.as(0)), kValue, 16);
  rtGraphNode_t filled = nullptr;
  ASSERT_RT_OK(rtGraphAddFillNode(&filled, &params, &node, 1, graph_));
  ASSERT_EQ(planInfo().stream_count, 2u);
  instantiate();
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  awaitFailure(stream_);
  EXPECT_RT(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(kShort, stream_)) << "the other lane has yet to run";
  EXPECT_EQ(firstByte(), 0xEE);
  ASSERT_RT_OK(gate.open());
  EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(stream_));
  EXPECT_EQ(firstByte(), kValue) << "it ran to its end";
  ASSERT_RT_OK(rtMemset(memory_, 0xEE, 16));
  launch();
  EXPECT_EQ(firstByte(), kValue);
}

// Nodes of one exec, of which two must never be active at the same time.
struct Steps {
  std::atomic<int> begun{0}, active{0}, most{0};
  int done = 0;  // no two write it at the same time
  static void run(const rtHostGroup_t*, void* const* args) {
    Steps& steps = **static_cast<Steps**>(args[0]);
    ++steps.begun;
    const int now = ++steps.active;
    if (now > steps.most) steps.most = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // long enough for another stream to come in between
    ++steps.done;
    --steps.active;
  }
};

TEST_P(LaunchOrderTest, AFailureBesideALaunchThatRunsChangesNothingOfIt) {
  NEEDS_KERNELS();
  if (!acceptsKernels()) GTEST_SKIP() << "the device runs no functions of the program";  // which say where a launch is
  constexpr int kNodes = 64;
  rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
  options.cpu_threads = 2;
  Context context;
  ASSERT_RT_OK(rtContextCreate(context.out(), &options, device_));
  Kernel kernel;
  ASSERT_RT_OK(makeKernel(&kernel, context, Steps::run, {kPointerArg}, "step"));
  Steps steps;
  rtGraphArg_t arg = {RT_ARG_POINTER, RT_GRAPH_READ | RT_GRAPH_WRITE, sizeof steps, nullptr, at(&steps)};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = kernel;
  params.args = &arg;
  params.arg_count = 1;
  rtGraphNode_t node = nullptr;
  for (int i = 0; i < kNodes; ++i) ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, RT_INFERRED, graph_));
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context));
  for (const bool again : {false, true}) {  // launched while the first launch runs, if a failure gets ahead of it
    steps.begun = steps.done = 0;
    Stream running, failing;
    ASSERT_RT_OK(rtStreamCreate(running.out(), nullptr, context));
    ASSERT_RT_OK(rtStreamCreate(failing.out(), nullptr, context));
    std::atomic<bool> now{false};
    ASSERT_RT_OK(rtGraphLaunch(exec_, running));
    ASSERT_RT_OK(rtLaunchHostFunction(awaitFlag, &now, failing));
    ASSERT_RT_OK(rtGraphLaunch(exec_, failing));
    while (steps.begun < 10) std::this_thread::yield();  // a thread that synchronised would run all of it in one piece
    now = true;
    if (again) {
      EXPECT_RT(RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(failing));
      ASSERT_RT_OK(rtGraphLaunch(exec_, failing));
    }
    while (rtStreamQuery(running) == RT_NOT_READY) std::this_thread::yield();
    EXPECT_RT_OK(rtStreamSynchronize(running));
    EXPECT_RT(again ? RT_SUCCESS : RT_ERROR_LAUNCH_FAILED, rtStreamSynchronize(failing));
    EXPECT_EQ(steps.done, again ? 2 * kNodes : kNodes) << "each launch that was not left out has run each node once";
    EXPECT_EQ(steps.most, 1);
  }
  ASSERT_RT_OK(exec_.reset());
}

}  // namespace
}  // namespace rttest
