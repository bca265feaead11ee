// Sentences of failures name the device, the memory and the kind of handle. The words hold where several backends have a device
// of the same number.
#include <string>

#include "support/device_test.h"

namespace rttest {
namespace {

class SentenceTest : public DeviceTest {
 protected:
  // A context of another device than the test's, the same number of another backend where there is one.
  void openOther(Context* context) {
    other_ = GetParam() == "null:0" ? "cpu" : "null:0";
    rtDevice_t device = nullptr;
    ASSERT_RT_OK(rtDeviceGetByName(&device, other_.c_str()));
    ASSERT_RT_OK(rtContextCreate(context->out(), nullptr, device));
  }
  static bool says(const std::string& words) { return lastMessage().find(words) != std::string::npos; }
  std::string other_;
};
INSTANTIATE_TEST_SUITE_P(, SentenceTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(SentenceTest, ContextsOfTwoDevicesAreToldApart) {
  Context other;
  Stream stream;
  Event event;
  Pool pool;
  ASSERT_NO_FATAL_FAILURE(openOther(&other));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtEventRecord(event, stream));
  EXPECT_TRUE(says(" of " + GetParam()) && says(" of " + other_)) << lastMessage();
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), nullptr, context_));
  void* memory = nullptr;
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMallocFromPool(&memory, 64, 0, stream, pool));
  EXPECT_TRUE(says(" of " + GetParam()) && says(" of " + other_)) << lastMessage();
}

TEST_P(SentenceTest, AContextWithALabelIsNamedWithItAndItsDevice) {
  rtContextOptions_t options = RT_CONTEXT_OPTIONS_INIT;
  std::snprintf(options.label, sizeof options.label, "trainer");
  Context labelled;
  Event event;
  ASSERT_RT_OK(rtContextCreate(labelled.out(), &options, device_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, labelled));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtEventRecord(event, stream_));
  EXPECT_TRUE(says("the context \"trainer\" of " + GetParam())) << lastMessage();
}

TEST_P(SentenceTest, MemoryOfAnotherContextSaysWhose) {
  Context other;
  Stream stream;
  Memory memory;
  ASSERT_NO_FATAL_FAILURE(openOther(&other));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, other));
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemsetAsync(memory, 0, 64, stream));
  EXPECT_TRUE(says(" of " + GetParam()) && says(" of " + other_)) << lastMessage();
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemPrefetchAsync(memory, 64, nullptr, stream));
  EXPECT_TRUE(says(" of " + GetParam()) && says(" of " + other_)) << lastMessage();
  unsigned char host[64] = {};
  Memory third;
  ASSERT_RT_OK(rtMalloc(third.out(), 64, other));
  Context stranger;
  Stream strangers;
  ASSERT_RT_OK(rtContextCreate(stranger.out(), nullptr, device_));
  ASSERT_RT_OK(rtStreamCreate(strangers.out(), nullptr, stranger));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemcpyAsync(third, host, 64, RT_MEMCPY_DEFAULT, strangers));
  EXPECT_TRUE(says(" of " + other_)) << lastMessage();
  ASSERT_RT_OK(other.reset());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, stream.reset());  // it went with its context
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtMemcpyAsync(third, host, 64, RT_MEMCPY_DEFAULT, strangers));
  EXPECT_TRUE(says("a context of " + other_ + " that was destroyed")) << lastMessage();
}

TEST_P(SentenceTest, AnExecSaysWhoseMemoryItWasGiven) {
  Context other;
  Memory memory;
  Graph graph;
  GraphExec exec;
  ASSERT_NO_FATAL_FAILURE(openOther(&other));
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, other));
  ASSERT_RT_OK(rtGraphCreate(graph.out()));
  rtGraphBuffer_t buffer = nullptr;
  ASSERT_RT_OK(rtGraphAddBuffer(&buffer, 64, RT_GRAPH_BUFFER_OUTPUT, "y", graph));
  rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
  fill.pattern_size = 4;
  fill.count = 16;
  fill.dst.buffer = buffer;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddFillNode(&node, &fill, nullptr, 0, graph));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
  EXPECT_RT(RT_ERROR_WRONG_CONTEXT, rtGraphExecBindBuffer(buffer, memory, exec));
  EXPECT_TRUE(says(" of " + GetParam()) && says(" of " + other_)) << lastMessage();
}

TEST_P(SentenceTest, HandlesHaveTheirArticle) {
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtEventRecord(nullptr, stream_));
  EXPECT_TRUE(says("an event") && !says("a event")) << lastMessage();
  Event event;
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  const rtEvent_t handle = event;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtFenceSignal(1, reinterpret_cast<rtFence_t>(handle)));
  EXPECT_TRUE(says("not a fence: it looks like an event")) << lastMessage();
}

}  // namespace
}  // namespace rttest
