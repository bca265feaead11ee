// The death of a device: told once with its cause, to every wait, submission and query; what is destroyed afterwards goes. One
// test in a process of its own, because the device stays dead.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "support/device_test.h"
#include "support/portable_kernels.h"

namespace rttest {
namespace {

using LossTest = DeviceTest;

std::vector<std::string> firstDevice() {
  int32_t count = 0;
  (void)rtDeviceGetCount(&count, RT_BACKEND_OPENCL);
  if (count == 0) return {};
  return {"opencl:0"};
}
INSTANTIATE_TEST_SUITE_P(, LossTest, testing::ValuesIn(firstDevice()), testName);

TEST_P(LossTest, EveryStreamIsToldAndNothingHangs) {
  const char* loader = std::getenv("RT_OPENCL");
  void* library = loader == nullptr ? nullptr : dlopen(loader, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  auto* lose = library == nullptr ? nullptr : reinterpret_cast<void (*)()>(dlsym(library, "loseDevice"));
  ASSERT_NE(lose, nullptr) << "the loader is not the one that loses its device";

  Memory memory;
  Stream held, waiting, fresh, next;
  Event event;
  PortableKernel count;
  Graph graph;
  GraphExec exec, held_exec;
  Gate gate(context_), next_gate(context_);
  int calls = 0;
  ASSERT_RT_OK(rtMalloc(memory.out(), 64, context_));
  ASSERT_RT_OK(rtStreamCreate(held.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamCreate(waiting.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamCreate(next.out(), nullptr, context_));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context_));
  ASSERT_RT_OK(count.make(context_, "count"));
  ASSERT_RT_OK(launchOver(count, stream_, 1, 1, memory.get()));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtStreamCreate(fresh.out(), nullptr, context_));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  for (int i = 0; i < 5; ++i) ASSERT_RT_OK(launchOver(count, stream_, 1, 1, memory.get()));
  ASSERT_RT_OK(rtStreamEndCapture(graph.out(), stream_));
  for (GraphExec* each : {&exec, &held_exec}) ASSERT_RT_OK(rtGraphInstantiate(each->out(), graph, context_));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  ASSERT_RT_OK(gate.close(held));
  ASSERT_RT_OK(launchOver(count, held, 1, 1, memory.get()));
  ASSERT_RT_OK(rtGraphLaunch(held_exec, held));
  ASSERT_RT_OK(rtLaunchHostFunction([](void* user, rtStatus_t) { ++*static_cast<int*>(user); }, &calls, held));
  ASSERT_RT_OK(rtEventRecord(event, held));
  ASSERT_RT_OK(rtStreamWaitEvent(event, waiting));
  ASSERT_RT_OK(next_gate.close(next));
  ASSERT_RT_OK(rtGraphLaunch(held_exec, next));

  lose();
  EXPECT_RT(RT_ERROR_DEVICE_LOST, rtGraphLaunch(exec, stream_));
  EXPECT_NE(lastMessage().find("clEnqueueNDRangeKernel"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_DEVICE_LOST, rtGraphLaunch(exec, fresh)) << "after the launch on another stream";
  EXPECT_RT(RT_ERROR_DEVICE_LOST, launchOver(count, stream_, 1, 1, memory.get()));
  EXPECT_NE(lastMessage().find("clEnqueueNDRangeKernel"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_DEVICE_LOST, rtMemsetAsync(memory, 0, 64, stream_)) << "at once, with the first cause";
  EXPECT_NE(lastMessage().find("clEnqueueNDRangeKernel"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_DEVICE_LOST, rtStreamSynchronize(stream_));
  ASSERT_RT_OK(next_gate.open());
  EXPECT_RT(RT_ERROR_DEVICE_LOST, rtStreamSynchronizeFor(10'000'000'000, next)) << "launches that do not run need no order";
  ASSERT_RT_OK(gate.open());
  EXPECT_RT(RT_ERROR_DEVICE_LOST, rtStreamSynchronize(held));
  EXPECT_RT(RT_ERROR_DEVICE_LOST, rtStreamSynchronize(waiting));
  EXPECT_RT(RT_ERROR_DEVICE_LOST, rtEventSynchronize(event));
  EXPECT_EQ(calls, 1) << "host functions run in any case";
  rtStatus_t status = RT_SUCCESS;
  ASSERT_RT_OK(rtDeviceGetStatus(&status, device_));
  EXPECT_EQ(status, RT_ERROR_DEVICE_LOST);
  char cause[4096] = "";
  size_t needed = 0;
  ASSERT_RT_OK(rtDeviceGetLossMessage(cause, sizeof cause, &needed, device_));
  EXPECT_NE(std::string(cause).find("opencl:0 is lost"), std::string::npos) << cause;
  EXPECT_NE(std::string(cause).find("clEnqueueNDRangeKernel"), std::string::npos) << cause;
  EXPECT_EQ(needed, std::strlen(cause) + 1);
  void* none = nullptr;
  EXPECT_RT(RT_ERROR_DEVICE_LOST, rtMalloc(&none, 64, context_));
  // Other devices go on.
  rtDevice_t cpu = nullptr;
  Context own;
  Stream stream;
  ASSERT_RT_OK(rtDeviceGetByName(&cpu, "cpu"));
  ASSERT_RT_OK(rtContextCreate(own.out(), nullptr, cpu));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, own));
  EXPECT_RT_OK(rtStreamSynchronize(stream));
}

}  // namespace
}  // namespace rttest
