// Modules from several sources: what they share and what each has for itself, on every device that builds kernels. The rules of
// joining them are tested in tests/unit/compiler/parser/merge_test.cpp.
#include <string>
#include <vector>

#include "support/capable_devices.h"

namespace rttest {
namespace {

// As a header of both: read twice.
#define SHARED                                          \
  "typedef struct { uint scale; uint4 shift; } Plan;\n" \
  "enum { kFirst = 2, kSecond };\n"                     \
  "__constant uint table[3] = {5, 6, 7};\n"             \
  "inline uint twice(uint x) { return 2 * x; }\n"       \
  "static uint thrice(uint x) { return 3 * x; }\n"      \
  "uint far(Plan plan, uint x);\n"                      \
  "void put(__global uint* out, uint at, uint value);\n"

constexpr char kOne[] = SHARED
    "#define STEP 10\n"
    "__kernel void one(__global uint* out) {\n"
    "  Plan plan = {kFirst, (uint4)(1, 2, 3, 4)};\n"
    "  const uint i = get_global_id(0);\n"
    "  put(out, i, far(plan, i) + STEP + thrice(i));\n"
    "}\n";
constexpr char kTwo[] = SHARED
    "#ifdef STEP\n#error a macro of the other source\n#endif\n"
    "#define STEP 100\n"
    "uint far(Plan plan, uint x) { return plan.scale * x + plan.shift.w + table[x % 3] + STEP; }\n"
    "__kernel void two(__global uint* out) { out[get_global_id(0)] = twice(get_global_id(0)) + STEP + kSecond; }\n";
constexpr char kThree[] =
    "void put(__global uint* out, uint at, uint value) { out[at] = value; }\n"
    "__kernel void three(__global uint* out, __local uint* scratch) {\n"
    "  scratch[get_local_id(0)] = get_global_id(0);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  put(out, get_global_id(0), scratch[get_local_size(0) - 1 - get_local_id(0)]);\n"
    "}\n";

class ModuleSourcesTest : public DeviceTest {
 protected:
  static constexpr uint32_t kCount = 64;
  rtStatus_t build(const std::vector<const char*>& sources, const char* options = nullptr) {
    return rtModuleCreateFromSources(module_.out(), sources.data(), static_cast<uint32_t>(sources.size()), options, context_);
  }
  void TearDown() override {
    EXPECT_RT_OK(module_.reset());
    DeviceTest::TearDown();
  }
  template <typename... Arguments>
  std::vector<uint32_t> run(const char* name, Arguments... arguments) {
    std::vector<uint32_t> values(kCount);
    Memory memory;
    rtKernel_t kernel = nullptr;
    EXPECT_RT_OK(rtModuleGetKernel(&kernel, name, module_));
    EXPECT_RT_OK(rtMalloc(memory.out(), kCount * 4, context_));
    EXPECT_RT_OK(launchOver(kernel, stream_, kCount / 16, 16, memory.as<uint32_t>(), arguments...));
    EXPECT_RT_OK(rtMemcpyAsync(values.data(), memory.get(), kCount * 4, RT_MEMCPY_DEFAULT, stream_));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    return values;
  }
  // Must not build: the message has all these words.
  void expectBuildFailure(const std::vector<const char*>& sources, const std::vector<const char*>& words) {
    EXPECT_RT(RT_ERROR_BUILD_FAILED, build(sources)) << sources[0];
    EXPECT_EQ(module_.get(), nullptr);
    for (const char* word : words) EXPECT_NE(lastMessage().find(word), std::string::npos) << word << " in " << lastMessage();
  }
  Module module_;
};
INSTANTIATE_TEST_SUITE_P(, ModuleSourcesTest, testing::ValuesIn(devicesWith({RT_CAPABILITY_KERNELS})), testName);

TEST_P(ModuleSourcesTest, FunctionsOfOneAreCalledInTheOthers) {
  ASSERT_RT_OK(build({kOne, kTwo, kThree}));
  uint32_t count = 0;
  ASSERT_RT_OK(rtModuleGetKernelCount(&count, module_));
  EXPECT_EQ(count, 3u);
  const std::vector<uint32_t> one = run("one"), two = run("two"), three = run("three", size_t{64});
  for (uint32_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(one[i], 2 * i + 4 + 5 + i % 3 + 100 + 10 + 3 * i);
    EXPECT_EQ(two[i], 2 * i + 103);
    EXPECT_EQ(three[i], i / 16 * 16 + 15 - i % 16);
  }
}

TEST_P(ModuleSourcesTest, TheirOrderDoesNotMatter) {
  ASSERT_RT_OK(build({kThree, kTwo, kOne}));
  const std::vector<uint32_t> one = run("one");
  for (uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(one[i], 5 * i + 119 + i % 3);
}

TEST_P(ModuleSourcesTest, EachGetsTheOptions) {
  ASSERT_RT_OK(build({"__kernel void one(__global uint* out) { out[get_global_id(0)] = A; }",
                      "__kernel void two(__global uint* out) { out[get_global_id(0)] = A + 1; }"},
                     "-DA=41"));
  EXPECT_EQ(run("one")[63], 41u);
  EXPECT_EQ(run("two")[63], 42u);
}

TEST_P(ModuleSourcesTest, OneIsAsGoodAsSeveral) {
  ASSERT_RT_OK(build({"__kernel void one(__global uint* out) { out[get_global_id(0)] = 7; }"}));
  EXPECT_EQ(run("one")[0], 7u);
}

// Sources that differ in the last one alone are different programs: also for the cache.
TEST_P(ModuleSourcesTest, EverySourceDecidesWhatTheProgramIs) {
  const char* const first = "uint value(void);\n__kernel void one(__global uint* out) { out[get_global_id(0)] = value(); }";
  for (int round = 0; round < 2; ++round) {
    ASSERT_RT_OK(build({first, "uint value(void) { return 1; }"}));
    EXPECT_EQ(run("one")[5], 1u);
    ASSERT_RT_OK(module_.reset());
    ASSERT_RT_OK(build({first, "uint value(void) { return 2; }"}));
    EXPECT_EQ(run("one")[5], 2u);
    ASSERT_RT_OK(module_.reset());
  }
}

TEST_P(ModuleSourcesTest, WhatDoesNotFitIsRefusedWithItsPlaces) {
  const char* const kernel = "__kernel void k(__global uint* out) { out[0] = 1; }";
  expectBuildFailure({kernel, "\n  __kernel void k(__global uint* out) { out[0] = 2; }"},
                     {"kernel1.cl:2:17: error: \"k\" is defined a second time", "kernel0.cl:1:15: note: "});
  expectBuildFailure({kernel, "static uint f(void) { return 1; }", "static uint f(void) { return 2; }"},
                     {"kernel2.cl:1:13: error: ", "kernel1.cl:1:13: note: "});
  expectBuildFailure({"typedef uint T;", kernel, "typedef float T;"}, {"kernel2.cl:1:15: error: ", "kernel0.cl:1:14: note: "});
  expectBuildFailure({"uint far(uint x);\n__kernel void k(__global uint* out) {\n  out[0] = far(1);\n}", "uint x(void);"},
                     {"kernel0.cl:3:12: error: \"far\" is called and never defined"});
  expectBuildFailure({kernel, "uint y(void) { return z; }"}, {"kernel1.cl:1:23: error: The name \"z\" is undeclared."});
  expectBuildFailure({kernel, "#error own words\n"}, {"kernel1.cl:1:2: error: ", "own words"});
  expectBuildFailure({"uint open(void) {", kernel}, {"kernel0.cl:1:17: error: This bracket is not closed in its source."});
}

TEST_P(ModuleSourcesTest, BadArgumentsAreRefused) {
  const char* sources[] = {kOne, nullptr, kThree};
  rtModule_t module = garbage<rtModule_t>();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleCreateFromSources(&module, sources, 0, nullptr, context_));
  EXPECT_EQ(module, nullptr);
  EXPECT_NE(lastMessage().find("count is 0"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleCreateFromSources(&module, sources, 3, nullptr, context_));
  EXPECT_NE(lastMessage().find("Source 1 of 3 is NULL"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleCreateFromSources(&module, nullptr, 2, nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleCreateFromSources(&module, sources, 65537, nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleCreateFromSources(nullptr, sources, 1, nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleCreateFromSources(&module, sources, 1, "-cl-unknown", context_));
}

}  // namespace
}  // namespace rttest
