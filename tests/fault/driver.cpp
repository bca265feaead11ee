// The driver of the fault scenarios.
#include "driver.h"

#include <chrono>

#include "base/fault.h"

namespace rttest {
namespace {

constexpr uint64_t kMaxFaults = 5000;

void pointerAndValueKernel(const rtHostGroup_t*, void* const*) {}

// The same for devices that take source.
constexpr char kKernels[] =
    "__kernel void two(__global uint* data, uint value) {}\n"
    "__kernel void scratch(__local uint* own, __global uint* data) {}\n";

bool hasOpenCl() {
  int32_t count = 0;
  return rtDeviceGetCount(&count, RT_BACKEND_OPENCL) == RT_SUCCESS && count != 0;
}

// The statuses that a fault may lead to: there is no memory, the driver failed, or a driver's failure came while work ran.
bool documented(rtStatus_t status) {
  return status == RT_ERROR_OUT_OF_MEMORY || status == RT_ERROR_DRIVER || status == RT_ERROR_LAUNCH_FAILED;
}

}  // namespace

std::vector<std::string> faultDevices() {
  std::vector<std::string> names = hostKernelDevices();
  for (std::string& name : cudaDevices(2)) names.push_back(std::move(name));
  if (hasOpenCl()) names.emplace_back("opencl:0");
  return names;
}

std::vector<std::string> hostKernelDevices() { return {"cpu", "null:0", "null:1", "null:2", "null:3"}; }

std::vector<std::string> sourceDevices() {
  std::vector<std::string> names = cudaDevices(1);
  names.insert(names.begin(), "cpu");
  if (hasOpenCl()) names.emplace_back("opencl:0");
  return names;
}

void World::make(const std::string& name) {
  ASSERT_RT_OK(rtDeviceGetByName(&device, name.c_str()));
  const bool distant = name == "null:1" || name == "null:3";
  ASSERT_RT_OK(rtDeviceGetByName(&other_device, name == "cpu"      ? "null:0"
                                                : distant          ? "null:2"
                                                : name == "cuda:1" ? "cuda:0"
                                                                   : "cpu"));
  imports_pageable = name == "cpu";
  ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device));
  ASSERT_RT_OK(rtContextCreate(second.out(), nullptr, device));
  ASSERT_RT_OK(rtContextCreate(foreign.out(), nullptr, other_device));
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context));
  ASSERT_RT_OK(rtStreamCreate(busy.out(), nullptr, context));
  ASSERT_RT_OK(rtStreamCreate(second_stream.out(), nullptr, second));
  ASSERT_RT_OK(rtStreamCreate(foreign_stream.out(), nullptr, foreign));
  ASSERT_RT_OK(rtEventCreate(event.out(), nullptr, context));
  ASSERT_RT_OK(rtEventCreate(end.out(), nullptr, context));
  ASSERT_RT_OK(rtFenceCreate(fence.out(), 0, context));
  ASSERT_RT_OK(rtMemPoolCreate(pool.out(), nullptr, context));
  int32_t host_kernels = 0;
  ASSERT_RT_OK(rtDeviceHasCapability(&host_kernels, RT_CAPABILITY_HOST_KERNELS, device));
  if (host_kernels != 0 || name.compare(0, 4, "null") == 0) {
    ASSERT_RT_OK(makeKernel(&kernel, context, pointerAndValueKernel, {kPointerArg, kUintArg}, "two"));
    ASSERT_RT_OK(makeKernel(&local, context, pointerAndValueKernel, {kLocalArg, kPointerArg}, "local"));
  } else {
    ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kKernels, nullptr, context));
    ASSERT_RT_OK(rtModuleGetKernel(kernel.out(), "two", module));
    ASSERT_RT_OK(rtModuleGetKernel(local.out(), "scratch", module));
  }
  for (Memory* each : {&memory, &target}) ASSERT_RT_OK(rtMalloc(each->out(), sizeof pageable, context));
  ASSERT_RT_OK(rtMallocHost(host.out(), sizeof pageable, context));
  ASSERT_RT_OK(rtMalloc(second_memory.out(), sizeof pageable, second));
  ASSERT_RT_OK(rtMalloc(foreign_memory.out(), sizeof pageable, foreign));
  ASSERT_RT_OK(rtContextSetCurrent(context));
}

rtStatus_t World::works() {
  const uint64_t before = 0;
  uint64_t value = before;
  TRY(rtMemsetAsync(memory, 0x5A, sizeof pageable, stream));
  TRY(rtMemcpyAsync(host, memory, sizeof pageable, RT_MEMCPY_DEFAULT, stream));
  TRY(launchOver(kernel, stream, 2, 2, memory.as<void>(), 1u));
  TRY(rtEventRecord(event, stream));
  TRY(rtStreamWaitEvent(event, busy));
  TRY(rtFenceGetValue(&value, fence));
  TRY(rtStreamSignalFence(fence, value + 1, busy));
  TRY(rtStreamWaitFence(fence, value + 1, second_stream));
  TRY(rtMemcpyAsync(second_memory, memory, 100, RT_MEMCPY_DEFAULT, second_stream));
  TRY(rtStreamSynchronize(stream));  // the next copy runs on another stream
  TRY(rtMemcpy(foreign_memory, host, 100, RT_MEMCPY_DEFAULT));
  Memory fresh;
  TRY(rtMallocFromPool(fresh.out(), 3000, 0, stream, pool));
  TRY(fresh.reset());
  TRY(rtStreamSynchronize(second_stream));
  TRY(rtStreamSynchronize(busy));
  TRY(rtStreamSynchronize(foreign_stream));
  TRY(rtStreamSynchronize(stream));
  return host.as()[sizeof pageable - 1] == 0x5A ? RT_SUCCESS : RT_ERROR_INTERNAL;
}

rtStatus_t World::settle() {
  rtStatus_t first = RT_SUCCESS;
  for (int round = 0; round < 2; ++round) {  // a stream may take over what another one has until now
    for (rtContext_t each : {context.get(), second.get(), foreign.get()}) {
      rtStream_t default_stream = nullptr;
      if (rtContextGetDefaultStream(&default_stream, each) != RT_SUCCESS) continue;
      const rtStatus_t status = rtStreamSynchronize(default_stream);
      if (first == RT_SUCCESS) first = status;
    }
    for (rtStream_t each : {stream.get(), busy.get(), second_stream.get(), foreign_stream.get()}) {
      const rtStatus_t status = rtStreamSynchronize(each);
      if (first == RT_SUCCESS) first = status;
    }
  }
  for (rtContext_t each : {context.get(), second.get(), foreign.get()}) EXPECT_RT_OK(rtContextSynchronize(each));
  return first;
}

void FaultTest::SetUp() {
  countNatives(natives_before_);
  ASSERT_NO_FATAL_FAILURE(world_->make(GetParam()));
}

// With the world every native object has to go that was made for it, or by an attempt that failed. That takes threads of the
// library and grace periods, which contexts that come and go move on.
void FaultTest::TearDown() {
  rtDevice_t device = world_->device;
  world_.reset();
  if (!simulatedCuda().here()) return;
  std::string left;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  do {
    Context context;
    EXPECT_RT_OK(rtContextCreate(context.out(), nullptr, device));
    EXPECT_RT_OK(context.reset());
    int now[kNatives];
    countNatives(now);
    left.clear();
    for (int i = 0; i < kNatives; ++i) {
      if (now[i] > natives_before_[i]) left += std::to_string(now[i] - natives_before_[i]) + " of " + kNativeKinds[i] + "; ";
    }
  } while (!left.empty() && std::chrono::steady_clock::now() < end);
  EXPECT_EQ(left, "") << "native objects too many";
}

void FaultTest::countNatives(int (&counts)[kNatives]) {
  for (int i = 0; i < kNatives; ++i) counts[i] = simulatedCuda().here() ? simulatedCuda().live(kNativeKinds[i]) : 0;
}

bool FaultTest::runOnce(const Scenario& scenario, uint64_t k, bool onwards) {
  const uint64_t live = liveHandles();
  markMessage();
  manyrt::fault::arm(k, onwards);
  const rtStatus_t status = scenario.run(*world_);
  manyrt::fault::disarm();
  const std::string message = lastMessage();
  if (scenario.tidy && status != RT_SUCCESS) scenario.tidy(*world_);
  const rtStatus_t later = world_->settle();
  const std::string what = manyrt::fault::lastFault();
  SCOPED_TRACE(std::string(scenario.name) + ", fault " + std::to_string(k) + (onwards ? " onwards" : "") + " (" + what + ")");
  if (what.empty()) {
    EXPECT_EQ(status, RT_SUCCESS) << "no fault was met, but: " << message;
    EXPECT_EQ(later, RT_SUCCESS) << "no fault was met, but work failed";
    EXPECT_EQ(liveHandles(), live);
    return false;
  }
  // A fault may also do no harm: the library found another way.
  if (status != RT_SUCCESS) {
    EXPECT_TRUE(documented(status)) << rtGetErrorName(status) << ": " << message;
    EXPECT_NE(message, "");
    EXPECT_EQ(message.find(kMark), std::string::npos) << "the failure left no message";
  }
  if (later != RT_SUCCESS) {
    EXPECT_TRUE(documented(later)) << rtGetErrorName(later) << " while work ran";
  }
  EXPECT_EQ(liveHandles(), live) << "a handle is live too many";
  EXPECT_RT_OK(world_->works()) << "older handles";
  EXPECT_RT_OK(scenario.run(*world_)) << "the same call then succeeds";
  EXPECT_RT_OK(world_->settle());
  EXPECT_EQ(liveHandles(), live);
  return true;
}

bool FaultTest::can(int32_t capability) const {
  int32_t yes = 0;
  return rtDeviceHasCapability(&yes, capability, world_->device) == RT_SUCCESS && yes == 1;
}

void FaultTest::exhaust(const Scenario& scenario) {
  ASSERT_RT_OK(world_->works());
  ASSERT_RT_OK(scenario.run(*world_)) << "without a fault";  // what is made lazily is there from now on
  ASSERT_RT_OK(world_->settle());
  for (bool onwards : {false, true}) {
    uint64_t k = 1;
    while (k < kMaxFaults && runOnce(scenario, k, onwards) && !HasFailure()) ++k;
    ASSERT_LT(k, kMaxFaults);
    if (HasFailure()) return;
    EXPECT_GT(k, static_cast<uint64_t>(scenario.at_least))
        << scenario.name << " met fewer faults than expected: " << scenario.why;
    RecordProperty(onwards ? "faults_onwards" : "faults", static_cast<int>(k - 1));
  }
  if (scenario.at_least < 3) {
    EXPECT_STRNE(scenario.why, "") << "few faults need an explanation";
  }
}

}  // namespace rttest
