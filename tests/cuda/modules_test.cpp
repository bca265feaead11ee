// Modules of one source, one after the other: the loaded code is taken over where it has no state, and only there.
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "support/device_test.h"
#include "support/portable_kernels.h"
#include "support/simulated_cuda.h"

namespace rttest {
namespace {

std::vector<std::string> cudaDevices() {
  std::vector<std::string> names;
  for (int32_t i = 0; i < cudaDeviceCount(); ++i) names.push_back("cuda:" + std::to_string(i));
  return names;
}

constexpr char kPlain[] = "__kernel void put(__global uint* out, uint value) { out[get_global_id(0)] = value + STEP; }\n";
constexpr char kTable[] =
    "__constant uint table[4] = {1, 2, 3, 4};\n"
    "__kernel void put(__global uint* out, uint value) { out[get_global_id(0)] = table[value]; }\n";

class CudaModulesTest : public DeviceTest {
 protected:
  // Those that are kept go with their context, on a thread of the library.
  void TearDown() override {
    DeviceTest::TearDown();
    if (!simulatedCuda().here()) return;
    for (int i = 0; i < 10'000 && simulatedCuda().live("module") != 0; ++i) {
      Context another;  // moves grace periods on
      ASSERT_RT_OK(rtContextCreate(another.out(), nullptr, device_));
      ASSERT_RT_OK(another.reset());
      usleep(1000);
    }
    EXPECT_EQ(simulatedCuda().live("module"), 0);
  }
  // The number that kernel `put` of a module of this source writes.
  uint32_t run(const char* source, const char* options, uint32_t value) {
    rtModule_t module = nullptr;
    rtKernel_t kernel = nullptr;
    Stream stream;
    Memory memory;
    uint32_t result = 0;
    EXPECT_RT_OK(rtModuleCreateFromSource(&module, source, options, context_));
    EXPECT_RT_OK(rtModuleGetKernel(&kernel, "put", module));
    EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    EXPECT_RT_OK(rtMalloc(memory.out(), sizeof result, context_));
    EXPECT_RT_OK(launchOver(kernel, stream, 1, 1, memory.as<void>(), value));
    EXPECT_RT_OK(rtStreamSynchronize(stream));
    EXPECT_RT_OK(rtMemcpy(&result, memory, sizeof result, RT_MEMCPY_DEFAULT));
    EXPECT_RT_OK(rtModuleDestroy(module));
    return result;
  }
  static int loads() { return simulatedCuda().here() ? simulatedCuda().count("cuModuleLoadDataEx") : 0; }
};
INSTANTIATE_TEST_SUITE_P(, CudaModulesTest, testing::ValuesIn(cudaDevices()), testName);

TEST_P(CudaModulesTest, TheSameSourceAgainTakesTheLoadedCodeOver) {
  const int before = loads();
  for (uint32_t round = 0; round < 4; ++round) EXPECT_EQ(run(kPlain, "-DSTEP=5", round), round + 5);
  EXPECT_EQ(run(kPlain, "-DSTEP=7", 1), 8u);
  if (simulatedCuda().here()) {
    EXPECT_EQ(loads() - before, 2);
  }
}

TEST_P(CudaModulesTest, ModulesOfOneSourceAtTheSameTimeAreOneNativeModule) {
  for (const char* source : {kPlain, kTable}) {
    const int before = loads();
    rtModule_t first = nullptr, second = nullptr, other = nullptr;
    uint64_t one[2] = {0, 0}, two[2] = {0, 0}, three[2] = {0, 0};
    ASSERT_RT_OK(rtModuleCreateFromSource(&first, source, "-DSTEP=9", context_));
    ASSERT_RT_OK(rtModuleCreateFromSource(&second, source, "-DSTEP=9", context_));
    ASSERT_RT_OK(rtModuleCreateFromSource(&other, source, "-DSTEP=9 -DMORE", context_));
    EXPECT_NE(first, second) << "each is destroyed by itself";
    ASSERT_RT_OK(rtModuleGetNative(one, first));
    ASSERT_RT_OK(rtModuleGetNative(two, second));
    ASSERT_RT_OK(rtModuleGetNative(three, other));
    EXPECT_EQ(one[0], two[0]);
    EXPECT_NE(one[0], three[0]) << "other options are another program";
    if (simulatedCuda().here()) {
      EXPECT_EQ(loads() - before, 2);
    }
    EXPECT_RT_OK(rtModuleDestroy(first));
    EXPECT_EQ(run(source, "-DSTEP=9", 1), source == kPlain ? 10u : 2u) << "the second one is still there, and shared again";
    if (simulatedCuda().here()) {
      EXPECT_EQ(loads() - before, 2);
    }
    EXPECT_RT_OK(rtModuleDestroy(second));
    EXPECT_RT_OK(rtModuleDestroy(other));
    EXPECT_EQ(run(source, "-DSTEP=9", 1), source == kPlain ? 10u : 2u);
  }
}

TEST_P(CudaModulesTest, ThreadsThatLoadOneSourceGetOneNativeModule) {
  constexpr int kThreads = 8;
  for (int round = 0; round < 10; ++round) {
    rtModule_t modules[kThreads] = {};
    std::vector<std::thread> threads;
    const std::string options = "-DSTEP=" + std::to_string(5000 + round);
    for (rtModule_t& module : modules) {
      threads.emplace_back([&] { EXPECT_RT_OK(rtModuleCreateFromSource(&module, kPlain, options.c_str(), context_)); });
    }
    for (std::thread& thread : threads) thread.join();
    uint64_t first[2] = {0, 0}, each[2] = {0, 0};
    ASSERT_RT_OK(rtModuleGetNative(first, modules[0]));
    for (int i = 0; i < kThreads; ++i) {
      ASSERT_RT_OK(rtModuleGetNative(each, modules[i]));
      EXPECT_EQ(each[0], first[0]);
    }
    for (int i = 0; i < kThreads; ++i) {
      threads[static_cast<size_t>(i)] = std::thread([module = modules[i]] { EXPECT_RT_OK(rtModuleDestroy(module)); });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_P(CudaModulesTest, ContextsHaveModulesOfTheirOwn) {
  Context other;
  rtModule_t first = nullptr, second = nullptr;
  uint64_t one[2] = {0, 0}, two[2] = {0, 0};
  ASSERT_RT_OK(rtContextCreate(other.out(), nullptr, device_));
  ASSERT_RT_OK(rtModuleCreateFromSource(&first, kPlain, "-DSTEP=9", context_));
  ASSERT_RT_OK(rtModuleCreateFromSource(&second, kPlain, "-DSTEP=9", other));
  ASSERT_RT_OK(rtModuleGetNative(one, first));
  ASSERT_RT_OK(rtModuleGetNative(two, second));
  EXPECT_NE(one[0], two[0]);
  EXPECT_RT_OK(rtModuleDestroy(first));
  EXPECT_RT_OK(rtModuleDestroy(second));
}

// rtModuleGetGlobal gives an address that can be written to: what was done there must not reach the next module.
TEST_P(CudaModulesTest, AModuleWithConstantsIsLoadedAnew) {
  const int before = loads();
  for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(run(kTable, "", i), i + 1);
  if (simulatedCuda().here()) {
    EXPECT_EQ(loads() - before, 3);
  }
}

TEST_P(CudaModulesTest, OnlyAVariableThatIsNotThereIsNotFound) {
  rtModule_t module = nullptr;
  void* address = nullptr;
  uint64_t size = 0;
  ASSERT_RT_OK(rtModuleCreateFromSource(&module, kTable, "", context_));
  EXPECT_RT_OK(rtModuleGetGlobal(&address, &size, "table", module));
  EXPECT_EQ(size, 16u);
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtModuleGetGlobal(&address, &size, "chair", module));
  if (simulatedCuda().here()) {
    const auto failing = [&](int code, rtStatus_t expected) {
      simulatedCuda().fail("cuModuleGetGlobal", 1, code);
      EXPECT_RT(expected, rtModuleGetGlobal(&address, &size, "table", module)) << code;
      EXPECT_EQ(address, nullptr);
      EXPECT_EQ(size, 0u);
      EXPECT_NE(lastMessage().find("cuModuleGetGlobal"), std::string::npos) << lastMessage();
    };
    failing(2, RT_ERROR_OUT_OF_MEMORY);
    failing(201, RT_ERROR_WRONG_CONTEXT);
    failing(999, RT_ERROR_DRIVER);
    simulatedCuda().fail("cuModuleGetGlobal", 1, 500);
    EXPECT_RT(RT_ERROR_NOT_FOUND, rtModuleGetGlobal(&address, &size, "table", module));
  }
  EXPECT_RT_OK(rtModuleGetGlobal(&address, &size, "table", module));
  EXPECT_RT_OK(rtModuleDestroy(module));
}

TEST_P(CudaModulesTest, OnlySoManyAreKept) {
  constexpr int kSources = 20;
  const int live = simulatedCuda().here() ? simulatedCuda().live("module") : 0;
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < kSources; ++i) {
      const std::string options = "-DSTEP=" + std::to_string(1000 + i);
      ASSERT_EQ(run(kPlain, options.c_str(), 1), 1001u + static_cast<uint32_t>(i));
    }
  }
  if (simulatedCuda().here()) {
    EXPECT_LE(simulatedCuda().live("module") - live, 16);
  }
}

}  // namespace
}  // namespace rttest
