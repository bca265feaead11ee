// Modules from OpenCL C: a build, its options, headers and log, what its kernels ask of a launch, and sources with something
// wrong. The language is tested in tests/kernels.
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "support/capable_devices.h"

namespace rttest {
namespace {

constexpr char kIota[] =
    "#ifndef BASE\n"
    "#define BASE 0u\n"
    "#endif\n"
    "__kernel void iota(__global uint* out, const uint count) {\n"
    "  const uint i = get_global_id(0);\n"
    "  if (i < count) out[i] = i + BASE;\n"
    "}\n"
    "__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void fixed(__global uint* out) { out[0] = get_local_size(0); }\n"
    "__kernel void tile(__local float* scratch, __global float* out) {\n"
    "  __local float own[100];\n"
    "  own[get_local_id(0)] = get_local_id(0);\n"
    "  scratch[get_local_id(0)] = 1;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = own[get_local_size(0) - 1 - get_local_id(0)] + scratch[0];\n"
    "}\n";

class ModuleSourceTest : public DeviceTest {
 protected:
  rtStatus_t build(const char* source, const char* options = nullptr) {
    return rtModuleCreateFromSource(module_.out(), source, options, context_);
  }
  void TearDown() override {
    EXPECT_RT_OK(module_.reset());
    DeviceTest::TearDown();
  }
  rtKernel_t kernel(const char* name) {
    rtKernel_t found = nullptr;
    EXPECT_RT_OK(rtModuleGetKernel(&found, name, module_));
    return found;
  }
  // Runs iota over 100 and returns its first value.
  uint32_t firstOfIota() {
    Memory memory;
    uint32_t values[100] = {};
    EXPECT_RT_OK(rtMalloc(memory.out(), sizeof values, context_));
    EXPECT_RT_OK(launchOver(kernel("iota"), stream_, 10, 16, memory.as<uint32_t>(), 100u));
    EXPECT_RT_OK(rtMemcpyAsync(values, memory.get(), sizeof values, RT_MEMCPY_DEFAULT, stream_));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    for (uint32_t i = 0; i < 100; ++i) EXPECT_EQ(values[i], values[0] + i);
    return values[0];
  }
  // A source that must not build: the message has all these words.
  void expectBuildFailure(const char* source, const std::vector<const char*>& words) {
    EXPECT_RT(RT_ERROR_BUILD_FAILED, build(source)) << source;
    EXPECT_EQ(module_.get(), nullptr);
    for (const char* word : words) EXPECT_NE(lastMessage().find(word), std::string::npos) << word << " in " << lastMessage();
  }

  Module module_;
};
INSTANTIATE_TEST_SUITE_P(, ModuleSourceTest, testing::ValuesIn(devicesWith({RT_CAPABILITY_KERNELS})), testName);

TEST_P(ModuleSourceTest, AKernelOfASourceRuns) {
  ASSERT_RT_OK(build(kIota));
  EXPECT_EQ(firstOfIota(), 0u);
  uint32_t count = 0;
  EXPECT_RT_OK(rtModuleGetKernelCount(&count, module_));
  EXPECT_EQ(count, 3u);
  const std::vector<const char*> names = {"iota", "fixed", "tile"};
  for (uint32_t i = 0; i < count; ++i) {
    rtKernel_t found = nullptr;
    EXPECT_RT_OK(rtModuleGetKernelByIndex(&found, i, module_));
    EXPECT_EQ(found, kernel(names[i])) << "in the order of the source";
  }
}

TEST_P(ModuleSourceTest, OptionsDefineMacros) {
  ASSERT_RT_OK(build(kIota, "-DBASE=1000u -cl-fast-relaxed-math"));
  EXPECT_EQ(firstOfIota(), 1000u);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, build(kIota, "-no-such-option"));
  EXPECT_NE(lastMessage().find("-no-such-option"), std::string::npos) << lastMessage();
}

TEST_P(ModuleSourceTest, SourcesAreLoadedAsDataToo) {
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  for (int32_t format : {RT_IMAGE_AUTO, RT_IMAGE_OPENCL_C}) {
    options.format = format;
    for (size_t size : {sizeof kIota - 1, sizeof kIota}) {  // a terminator may be counted
      ASSERT_RT_OK(rtModuleLoadData(module_.out(), kIota, size, &options, context_));
      EXPECT_EQ(firstOfIota(), 0u);
    }
  }
}

TEST_P(ModuleSourceTest, HeadersInMemoryAreFound) {
  const char* names[] = {"base.h", "deeper/more.h"};
  const char* texts[] = {"#include \"deeper/more.h\"\n#define BASE (MORE + 1u)\n", "#define MORE 76u\n"};
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.header_count = 2;
  options.header_names = names;
  options.headers = texts;
  const std::string source = std::string("#include \"base.h\"\n") + kIota;
  ASSERT_RT_OK(rtModuleLoadData(module_.out(), source.data(), source.size(), &options, context_));
  EXPECT_EQ(firstOfIota(), 77u);
}

TEST_P(ModuleSourceTest, TheSameSourceTwiceIsTwoModules) {
  Module other;
  ASSERT_RT_OK(build(kIota));
  ASSERT_RT_OK(rtModuleCreateFromSource(other.out(), kIota, nullptr, context_));
  EXPECT_NE(module_.get(), other.get());
  rtKernel_t found = nullptr;
  ASSERT_RT_OK(rtModuleGetKernel(&found, "iota", other));
  EXPECT_NE(found, kernel("iota"));
  ASSERT_RT_OK(other.reset());
  EXPECT_EQ(firstOfIota(), 0u);
}

TEST_P(ModuleSourceTest, KernelsSayWhatTheyTake) {
  ASSERT_RT_OK(build(kIota));
  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
  ASSERT_RT_OK(rtKernelGetInfo(&info, kernel("fixed")));
  EXPECT_EQ(info.required_group_size[0], 8u);
  EXPECT_EQ(info.required_group_size[1], 2u);
  EXPECT_EQ(info.required_group_size[2], 1u);
  ASSERT_RT_OK(rtKernelGetInfo(&info, kernel("tile")));
  EXPECT_GE(info.local_bytes, 400u);
  rtKernelArgInfo_t arg = RT_KERNEL_ARG_INFO_INIT;
  ASSERT_RT_OK(rtKernelGetArgInfo(&arg, 1, kernel("iota")));
  EXPECT_STREQ(arg.name, "count");
  EXPECT_STREQ(arg.type_name, "uint");
  EXPECT_EQ(arg.size, 4u);
  EXPECT_EQ(arg.kind, RT_ARG_VALUE);
  ASSERT_RT_OK(rtKernelGetArgInfo(&arg, 0, kernel("iota")));
  EXPECT_STREQ(arg.type_name, "uint*");
  EXPECT_EQ(arg.kind, RT_ARG_POINTER);
  ASSERT_RT_OK(rtKernelGetArgInfo(&arg, 0, kernel("tile")));
  EXPECT_EQ(arg.kind, RT_ARG_LOCAL);
}

TEST_P(ModuleSourceTest, LocalMemoryComesFromTheSourceAndFromArguments) {
  ASSERT_RT_OK(build(kIota));
  Memory memory;
  float values[64] = {};
  ASSERT_RT_OK(rtMalloc(memory.out(), sizeof values, context_));
  ASSERT_RT_OK(launchOver(kernel("tile"), stream_, 4, 16, size_t{64}, memory.as<float>()));
  ASSERT_RT_OK(rtMemcpyAsync(values, memory.get(), sizeof values, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(values[i], static_cast<float>(15 - i % 16 + 1));
  size_t reserve = 64;
  void* target = memory.get();
  void* args[] = {&reserve, &target};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(kernel("tile"), 1, 1, 1, 16, 1, 1, 4, stream_, args, 2))
      << "local_bytes is 0 for OpenCL C";
  EXPECT_NE(lastMessage().find("OpenCL C"), std::string::npos) << lastMessage();
}

TEST_P(ModuleSourceTest, LaunchesAgainstTheKernelsRulesAreRefused) {
  ASSERT_RT_OK(build(kIota));
  void* null = nullptr;
  void* args[] = {&null};
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtLaunchKernel(kernel("fixed"), 1, 1, 1, 16, 1, 1, 0, stream_, args, 1));
  EXPECT_NE(lastMessage().find("8 x 2 x 1"), std::string::npos) << lastMessage();
  EXPECT_NE(lastMessage().find("16 x 1 x 1"), std::string::npos) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(kernel("iota"), stream_, 1, 1, null));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(kernel("iota"), stream_, 1, 1, null, 0u, 0u));
  const uint32_t most = static_cast<uint32_t>(attribute(RT_ATTRIBUTE_MAX_GROUP_ITEMS));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(kernel("iota"), stream_, 1, most + 1, null, 0u));
  int32_t backend = 0;
  ASSERT_RT_OK(rtDeviceGetBackend(&backend, nullptr, device_));
  if (backend == RT_BACKEND_CPU) {
    EXPECT_RT(RT_ERROR_INVALID_VALUE, launchOver(kernel("iota"), stream_, 1u << 21, 1024, null, 0u)) << "2^31 work-items";
    EXPECT_NE(lastMessage().find("2147483648"), std::string::npos) << lastMessage();
    EXPECT_NE(lastMessage().find("2147418111"), std::string::npos) << lastMessage();
  }
}

TEST_P(ModuleSourceTest, ASourceThatDoesNotPreprocessSaysWhere) {
  expectBuildFailure("#include \"no_such_header.h\"\n__kernel void f() {}\n", {"no_such_header.h", "1:"});
  expectBuildFailure("__kernel void f() {}\n\n#error broken on purpose\n", {"broken on purpose", "3:"});
  expectBuildFailure("#if 1\n__kernel void f() {}\n", {"1:"});
}

TEST_P(ModuleSourceTest, ASourceThatDoesNotParseSaysWhere) {
  expectBuildFailure("__kernel void f(__global int* out) {\n  out[0] = ;\n}\n", {"2:"});
  expectBuildFailure("__kernel void f(__global int* out) {\n  out[0] = 1;\n", {"error"});
  expectBuildFailure("__kernel int f() { return 1; }\n", {"1:"});
}

TEST_P(ModuleSourceTest, ASourceThatDoesNotCompileSaysWhere) {
  expectBuildFailure("__kernel void f(__global int* out) {\n  out[0] = no_such_name;\n}\n", {"no_such_name", "2:"});
  expectBuildFailure("__kernel void f(__global int* out) {\n  float4 v;\n  out[0] = v.q;\n}\n", {"3:"});
}

TEST_P(ModuleSourceTest, AFailedBuildLeavesItsWholeLog) {
  std::string source = "__kernel void f(__global int* out) {\n";
  const auto word = [](int i) { return "missing_" + std::to_string(i) + "_"; };
  for (int i = 0; i < 15; ++i) source += "  out[0] = " + word(i) + std::string(500, 'x') + ";\n";
  source += "}\n";
  EXPECT_RT(RT_ERROR_BUILD_FAILED, build(source.c_str()));
  EXPECT_GT(lastMessage().size(), 5000u) << "no message is cut that short";
  for (int i = 0; i < 15; ++i) EXPECT_NE(lastMessage().find(word(i)), std::string::npos) << i;
}

TEST_P(ModuleSourceTest, KernelsSayWhatTheyDoWithTheirArguments) {
  ASSERT_RT_OK(
      build("__kernel void first(__global const float* a, int n) {}\n"
            "__kernel void f(__global float* restrict to, __global const volatile float* from, __global int* both,\n"
            "__constant float* table, __local float* tile, int n, __global float* none) {\n"
            "int i = get_global_id(0); tile[0] = table[n]; to[i] = from[i]; both[i] += 1; }\n"));
  struct Wanted {
    uint32_t qualifiers;
    int32_t space, access;
  };
  const Wanted wanted[] = {{RT_QUALIFIER_RESTRICT, RT_ADDRESS_SPACE_GLOBAL, RT_ACCESS_WRITE},
                           {RT_QUALIFIER_CONST | RT_QUALIFIER_VOLATILE, RT_ADDRESS_SPACE_GLOBAL, RT_ACCESS_READ},
                           {0, RT_ADDRESS_SPACE_GLOBAL, RT_ACCESS_READ_WRITE},
                           {RT_QUALIFIER_CONST, RT_ADDRESS_SPACE_CONSTANT, RT_ACCESS_READ},
                           {0, RT_ADDRESS_SPACE_LOCAL, RT_ACCESS_WRITE},
                           {0, RT_ADDRESS_SPACE_PRIVATE, RT_ACCESS_UNKNOWN},
                           {0, RT_ADDRESS_SPACE_GLOBAL, RT_ACCESS_NONE}};
  for (uint32_t i = 0; i < std::size(wanted); ++i) {
    rtKernelArgInfo_t arg = RT_KERNEL_ARG_INFO_INIT;
    ASSERT_RT_OK(rtKernelGetArgInfo(&arg, i, kernel("f")));
    EXPECT_EQ(arg.qualifiers, wanted[i].qualifiers) << arg.name;
    EXPECT_EQ(arg.address_space, wanted[i].space) << arg.name;
    EXPECT_EQ(arg.access, wanted[i].access) << arg.name;
  }
}

// The struct of the release before has neither of these fields.
TEST_P(ModuleSourceTest, KernelsAnswerAnOlderHeader) {
  ASSERT_RT_OK(build(kIota));
  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
  memset(&info, 0x55, sizeof info);
  info.struct_size = offsetof(rtKernelInfo_t, tier);
  ASSERT_RT_OK(rtKernelGetInfo(&info, kernel("iota")));
  EXPECT_STREQ(info.name, "iota");
  EXPECT_EQ(info.tier, 0x55555555) << "not the library's to write";
  rtKernelArgInfo_t arg = RT_KERNEL_ARG_INFO_INIT;
  memset(&arg, 0x55, sizeof arg);
  arg.struct_size = offsetof(rtKernelArgInfo_t, qualifiers);
  ASSERT_RT_OK(rtKernelGetArgInfo(&arg, 0, kernel("iota")));
  EXPECT_STREQ(arg.type_name, "uint*");
  EXPECT_EQ(arg.access, 0x55555555);
}

TEST_P(ModuleSourceTest, KernelsSayWhatBecameOfThem) {
  const char* const source =
      "__kernel void plain(__global float* a) { a[get_global_id(0)] += 1; }\n"
      "__kernel void meets(__global float* a) { __local float l[64]; int i = get_local_id(0); l[i] = a[i];\n"
      "barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[63 - i]; }\n"
      "__kernel void parted(__global int* a) { if (a[get_local_id(0)]) { a[1] = 2; if (a[3]) return;\n"
      "barrier(CLK_GLOBAL_MEM_FENCE); } a[2] = 1; }\n";
  ASSERT_RT_OK(build(source, "-rt-tier=optimized"));
  const auto infoOf = [&](const char* name) {
    rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
    EXPECT_RT_OK(rtKernelGetInfo(&info, kernel(name)));
    return info;
  };
  const rtKernelInfo_t plain = infoOf("plain"), meets = infoOf("meets"), parted = infoOf("parted");
  for (const rtKernelInfo_t& info : {plain, meets, parted}) EXPECT_EQ(info.tier, RT_TIER_OPTIMIZED) << info.name;
  if (GetParam().starts_with("cuda")) {
    EXPECT_GT(plain.registers, 0u);
    EXPECT_GT(plain.groups_per_unit, 0u);
  }
  if (GetParam() != "cpu") {
    EXPECT_EQ(plain.lanes, 0u);
    EXPECT_EQ(plain.lane_dimension, -1);
    EXPECT_EQ(plain.barriers, RT_BARRIERS_UNKNOWN);
    EXPECT_EQ(plain.no_lanes, RT_LANES_UNKNOWN);
    return;
  }
  EXPECT_EQ(plain.barriers, RT_BARRIERS_NONE);
  EXPECT_EQ(meets.barriers, RT_BARRIERS_SPLIT);
  EXPECT_EQ(parted.barriers, RT_BARRIERS_FIBERS);
  EXPECT_EQ(parted.lanes, 0u);
  EXPECT_EQ(parted.no_lanes, RT_LANES_FIBERS);
  EXPECT_EQ(plain.registers, 0u);
  if (plain.no_lanes == RT_LANES_ALL) {
    EXPECT_GE(plain.lanes, 4u);
    EXPECT_EQ(plain.lane_dimension, 0);
    EXPECT_EQ(plain.scalar_loops, 0u);
  } else {  // a processor without vectors that pay
    EXPECT_EQ(plain.lanes, 0u);
    EXPECT_EQ(plain.lane_dimension, -1);
    EXPECT_EQ(plain.scalar_loops, 1u);
  }
}

TEST_P(ModuleSourceTest, AModuleHasTheTierThatItsOptionsName) {
  const std::string source = std::string(kIota) + "// a source of its own: tiers";
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  const auto tierOf = [&](int32_t asked, const char* words) {
    Module module;
    rtKernel_t kernel = nullptr;
    rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
    options.tier = asked;
    options.build_options = words;
    EXPECT_RT_OK(rtModuleLoadData(module.out(), source.data(), source.size(), &options, context_));
    EXPECT_RT_OK(rtModuleGetKernel(&kernel, "iota", module));
    EXPECT_RT_OK(rtKernelGetInfo(&info, kernel));
    return info.tier;
  };
  const int32_t quick = GetParam() == "cpu" ? RT_TIER_QUICK : RT_TIER_OPTIMIZED;
  EXPECT_EQ(tierOf(RT_TIER_QUICK, nullptr), quick);
  EXPECT_EQ(tierOf(RT_TIER_QUICK, "-rt-tier=optimized"), quick) << "the option counts before the words";
  EXPECT_EQ(tierOf(RT_TIER_DEFAULT, "-rt-tier=optimized"), RT_TIER_OPTIMIZED);
  EXPECT_EQ(tierOf(RT_TIER_OPTIMIZED, "-rt-tier=quick"), RT_TIER_OPTIMIZED);
  for (int32_t none : {-1, 4, 77}) {
    rtModule_t module = garbage<rtModule_t>();
    options.tier = none;
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(&module, source.data(), source.size(), &options, context_));
    EXPECT_EQ(module, nullptr);
  }
}

TEST_P(ModuleSourceTest, NoKernelOfThatNameIsNotFound) {
  ASSERT_RT_OK(build(kIota));
  rtKernel_t found = garbage<rtKernel_t>();
  EXPECT_RT(RT_ERROR_NOT_FOUND, rtModuleGetKernel(&found, "fixes", module_));
  EXPECT_EQ(found, nullptr);
  EXPECT_NE(lastMessage().find("It has \"iota\", \"fixed\" and \"tile\"."), std::string::npos) << lastMessage();
}

TEST_P(ModuleSourceTest, AKernelWhoseModuleIsGoneSaysSo) {
  ASSERT_RT_OK(build(kIota));
  rtKernel_t const gone = kernel("iota");
  ASSERT_RT_OK(module_.reset());
  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtKernelGetInfo(&info, gone));
  EXPECT_NE(lastMessage().find("its module was destroyed"), std::string::npos) << lastMessage();
}

TEST_P(ModuleSourceTest, WhatIsNoOpenClCIsToldWhatItIs) {
  expectBuildFailure("kernels/add.cl", {"\"kernels/add.cl\"", "rtModuleLoadFile"});
  expectBuildFailure("/dev/null", {"\"/dev/null\"", "rtModuleLoadFile"});
  expectBuildFailure("__global__ void add(float* a) { a[threadIdx.x] += 1; }\n",
                     {"__global__", "CUDA C++", "RT_IMAGE_CUDA_CXX"});
  expectBuildFailure("__kernel void add(__global float* a) { a[threadIdx.x] += 1; }\n",
                     {"threadIdx", "RT_IMAGE_CUDA_CXX", "1:"});
  EXPECT_RT(RT_ERROR_BUILD_FAILED, build("no source at all"));
  EXPECT_EQ(lastMessage().find("rtModuleLoadFile"), std::string::npos) << lastMessage();
  EXPECT_EQ(lastMessage().find("CUDA"), std::string::npos) << lastMessage();
}

// Drivers have names of their own, for which some find no kernel: those of built-in functions, and of the C library.
TEST_P(ModuleSourceTest, KernelsMayBeCalledLikeBuiltInFunctions) {
  ASSERT_RT_OK(
      build("float before(float x) { return step(0.5f, x); }\n"
            "__kernel void mix(__global float* out);\n"
            "__kernel void step(__global float* out) { out[0] = before(2.0f); mix(out); }\n"
            "__kernel void mix(__global float* out) { out[1] = max(out[0], 3.0f); }\n"
            "__kernel void min(__global float* out, float value) { out[2] = value; }\n"
            "__kernel void printf_(__global float* out) { out[3] = 5; }\n"
            "__kernel void memcpy(__global float* out) { out[4] = 6; }\n"
            "__kernel void dot(__global float* out) { (step)(out); out[5] = 7; }\n"));
  Memory memory;
  float values[6] = {};
  ASSERT_RT_OK(rtMalloc(memory.out(), sizeof values, context_));
  const auto out = memory.as<float>();
  EXPECT_RT_OK(launchOver(kernel("step"), stream_, 1, 1, out));
  EXPECT_RT_OK(launchOver(kernel("min"), stream_, 1, 1, out, 4.0f));
  EXPECT_RT_OK(launchOver(kernel("printf_"), stream_, 1, 1, out));
  EXPECT_RT_OK(launchOver(kernel("memcpy"), stream_, 1, 1, out));
  EXPECT_RT_OK(launchOver(kernel("dot"), stream_, 1, 1, out));
  EXPECT_RT_OK(rtMemcpyAsync(values, out, sizeof values, RT_MEMCPY_DEFAULT, stream_));
  EXPECT_RT_OK(rtStreamSynchronize(stream_));
  const float wanted[6] = {1, 3, 4, 5, 6, 7};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(values[i], wanted[i]) << i;
  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
  EXPECT_RT_OK(rtKernelGetInfo(&info, kernel("min")));
  EXPECT_EQ(std::string(info.name), "min");
}

TEST_P(ModuleSourceTest, AModuleDestroyedAfterALaunchLetsItComplete) {
  Gate gate(context_);
  Memory memory;
  uint32_t values[100] = {};
  ASSERT_RT_OK(build(kIota, "-DBASE=5u"));
  ASSERT_RT_OK(rtMalloc(memory.out(), sizeof values, context_));
  ASSERT_RT_OK(gate.close(stream_));
  ASSERT_RT_OK(launchOver(kernel("iota"), stream_, 10, 16, memory.as<uint32_t>(), 100u));
  ASSERT_RT_OK(module_.reset());
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtMemcpyAsync(values, memory.get(), sizeof values, RT_MEMCPY_DEFAULT, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (uint32_t i = 0; i < 100; ++i) ASSERT_EQ(values[i], i + 5);
}

}  // namespace
}  // namespace rttest
