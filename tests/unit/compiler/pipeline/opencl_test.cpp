// Building for OpenCL, without a driver: what the text and the kernels' descriptions become, and what a device lacks. Entries
// of the cache come back whole or not at all.
#include <gtest/gtest.h>

#include "compiler/build.h"
#include "compiler/cache/opencl_entry.h"
#include "rt.h"

namespace manyrt::compiler {
namespace {

Status build(OpenClImage* image, const char* source, const OpenClTarget& target, const char* options = "") {
  BuildRequest request;
  request.source = source;
  request.options = options;
  OpenClBuild made(target, request);
  RT_TRY(made.begin(&image->log));
  return made.translate(image);
}

Digest keyOf(const char* source, const OpenClTarget& target, const char* options = "") {
  BuildRequest request;
  request.source = source;
  request.options = options;
  OpenClBuild made(target, request);
  std::string log;
  EXPECT_TRUE(made.begin(&log).ok()) << log;
  return made.key();
}

constexpr char kSource[] =
    "typedef struct { float a[3]; } Packet;\n"
    "__kernel __attribute__((reqd_work_group_size(8, 2, 1)))\n"
    "void f(__global float* out, __local float4* scratch, Packet packet, const uint n) {\n"
    "  __local float own[10];\n"
    "  own[0] = n; scratch[0] = 0; out[0] = packet.a[0] + own[0];\n"
    "}\n";

TEST(OpenClBuildTest, KernelsAreDescribedFromTheSource) {
  OpenClImage image;
  ASSERT_TRUE(build(&image, kSource, {}).ok()) << image.log;
  ASSERT_EQ(image.kernels.size(), 1u);
  const OpenClKernel& kernel = image.kernels[0];
  EXPECT_EQ(kernel.name, "f");
  EXPECT_EQ(kernel.required_group[0], 8u);
  EXPECT_EQ(kernel.required_group[1], 2u);
  EXPECT_EQ(kernel.local_bytes, 40u);
  ASSERT_EQ(kernel.arguments.size(), 4u);
  EXPECT_EQ(kernel.arguments[0].kind, RT_ARG_POINTER);
  EXPECT_EQ(kernel.arguments[0].type_name, "float*");
  EXPECT_EQ(kernel.arguments[1].kind, RT_ARG_LOCAL);
  EXPECT_EQ(kernel.arguments[2].size, 12u);
  EXPECT_TRUE(kernel.arguments[2].is_record);
  EXPECT_EQ(kernel.arguments[3].name, "n");
  EXPECT_FALSE(kernel.arguments[3].is_record);
}

TEST(OpenClBuildTest, OnlyHiddenOffsetsChangeTheParameters) {
  OpenClTarget buffers;
  buffers.hidden_offsets = true;
  OpenClImage plain, hidden;
  ASSERT_TRUE(build(&plain, kSource, {}).ok());
  ASSERT_TRUE(build(&hidden, kSource, buffers).ok());
  EXPECT_EQ(plain.text.find("mrt_offset"), std::string::npos) << plain.text;
  EXPECT_NE(hidden.text.find("mrt_offset_0"), std::string::npos) << hidden.text;
  EXPECT_EQ(hidden.text.find("mrt_offset_1"), std::string::npos) << "local memory has no root";
  EXPECT_TRUE(hidden.hidden_offsets);
}

TEST(OpenClBuildTest, KernelsThatMayFollowAddressesAreKnown) {
  const auto follows = [](const std::string& body) {
    OpenClImage image;
    const std::string source =
        "typedef struct { ulong address; } Number;\n__kernel void f(__global ulong* a, Number n, ulong v) { " + body + " }\n";
    EXPECT_TRUE(build(&image, source.c_str(), {}).ok()) << image.log;
    return image.follows_addresses;
  };
  EXPECT_FALSE(follows("a[1] = a[0] + n.address + v; if (a == 0) a[2] = 1;"));
  EXPECT_FALSE(follows("__global ulong* b = a + 1; *b = 1; __global uchar* c = (__global uchar*)b; c[0] = 1;"));
  EXPECT_TRUE(follows("*(__global uint*)n.address = 1;"));
  EXPECT_TRUE(follows("__global uint* b = (__global uint*)a[0]; b[0] = 1;"));
  EXPECT_TRUE(follows("__global uint* b = *(__global uint* __global*)a; b[0] = 1;"));
  OpenClImage image;
  ASSERT_TRUE(build(&image,
                    "typedef struct { __global uint* next[2]; } Node;\n"
                    "__kernel void f(__global Node* a) { a->next[1][0] = 1; }\n",
                    {})
                  .ok())
      << image.log;
  EXPECT_TRUE(image.follows_addresses);
}

TEST(OpenClBuildTest, OptionsBecomeTheDriversWords) {
  OpenClImage image;
  ASSERT_TRUE(build(&image, kSource, {}, "-cl-fast-relaxed-math -DUNUSED=1").ok());
  EXPECT_NE(image.options.find("-cl-std=CL1.2"), std::string::npos);
  EXPECT_NE(image.options.find("-cl-fast-relaxed-math"), std::string::npos);
  EXPECT_EQ(image.options.find("UNUSED"), std::string::npos) << "the text is preprocessed already";
  OpenClTarget rounding;
  rounding.rounds_division = true;
  OpenClImage exact, relaxed;
  ASSERT_TRUE(build(&exact, kSource, rounding).ok());
  EXPECT_NE(exact.options.find("-cl-fp32-correctly-rounded-divide-sqrt"), std::string::npos);
  ASSERT_TRUE(build(&relaxed, kSource, rounding, "-cl-unsafe-math-optimizations").ok());
  EXPECT_EQ(relaxed.options.find("-cl-fp32-correctly-rounded-divide-sqrt"), std::string::npos);
  EXPECT_EQ(build(&image, kSource, {}, "-no-such-option").code(), RT_ERROR_INVALID_VALUE);
}

TEST(OpenClBuildTest, AKernelThatCallsAnotherIsOptimizedWhereTheDriverInsists) {
  constexpr char kCalls[] = "__kernel void g(__global int* a) { a[0] = 1; }\n__kernel void f(__global int* a) { g(a); }\n";
  const auto isOptimized = [](const char* source, const OpenClTarget& target) {
    OpenClImage image;
    EXPECT_TRUE(build(&image, source, target, "-cl-opt-disable").ok()) << image.log;
    return image.options.find("-cl-opt-disable") == std::string::npos;
  };
  OpenClTarget insists;
  insists.optimized_calls = true;
  EXPECT_TRUE(isOptimized(kCalls, insists));
  EXPECT_FALSE(isOptimized(kCalls, {}));
  EXPECT_FALSE(isOptimized(kSource, insists)) << "nothing is called there";
  EXPECT_NE(keyOf(kCalls, insists), keyOf(kCalls, {}));
  OpenClImage made, read;
  ASSERT_TRUE(build(&made, kCalls, insists, "-cl-opt-disable").ok());
  made.binary = {1, 2, 3};
  const std::vector<unsigned char> entry = writeOpenClEntry(made);
  ASSERT_TRUE(readOpenClEntry(&read, entry.data(), entry.size()));
  EXPECT_TRUE(read.optimized) << "the binary is loaded with the same options";
}

TEST(OpenClBuildTest, ADeviceWithoutDoublesRefusesThemWhereTheyStand) {
  OpenClTarget single;
  single.doubles = false;
  for (const char* source : {"__kernel void f(__global float* out) {\n  double x = 1;\n  out[0] = x;\n}\n",
                             "typedef float T;\n__kernel void f(__global double4* out) { out[0] = 1; }\n"}) {
    OpenClImage image;
    EXPECT_TRUE(build(&image, source, {}).ok()) << image.log;
    OpenClImage refused;
    EXPECT_EQ(build(&refused, source, single).code(), RT_ERROR_BUILD_FAILED);
    EXPECT_NE(refused.log.find("2:"), std::string::npos) << refused.log;
    EXPECT_NE(refused.log.find("double precision"), std::string::npos) << refused.log;
  }
}

TEST(OpenClBuildTest, ASourceMayAskWhetherThereAreDoubles) {
  constexpr char kEither[] =
      "#ifdef cl_khr_fp64\ntypedef double Real;\n#else\ntypedef float Real;\n#endif\n"
      "__kernel void f(__global Real* out) { out[0] = 1; }\n";
  OpenClTarget single;
  single.doubles = false;
  OpenClImage image, wide;
  ASSERT_TRUE(build(&image, kEither, single).ok()) << image.log;
  EXPECT_EQ(image.kernels[0].arguments[0].type_name, "float*");
  ASSERT_TRUE(build(&wide, kEither, {}).ok()) << wide.log;
  EXPECT_EQ(wide.kernels[0].arguments[0].type_name, "double*");
}

TEST(OpenClBuildTest, ADeviceWithoutHalvesRefusesToCalculateWithThem) {
  constexpr char kHalves[] =
      "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n__kernel void f(__global half* out) { out[0] = 1.5h + out[1]; }\n";
  constexpr char kEither[] =
      "#ifdef cl_khr_fp16\ntypedef half Real;\n#else\ntypedef float Real;\n#endif\n"
      "__kernel void f(__global Real* out) { vstore_half(1.0f, 0, (__global half*)out); }\n";
  OpenClTarget without;
  without.halves = false;
  OpenClImage image, refused, either;
  ASSERT_TRUE(build(&image, kHalves, {}).ok()) << image.log;
  EXPECT_NE(image.text.find("#pragma OPENCL EXTENSION cl_khr_fp16 : enable"), std::string::npos) << image.text;
  EXPECT_NE(image.text.find("1.5h"), std::string::npos) << image.text;
  EXPECT_EQ(build(&refused, kHalves, without).code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(refused.log.find("cl_khr_fp16"), std::string::npos) << refused.log;
  ASSERT_TRUE(build(&either, kEither, without).ok()) << either.log;
  EXPECT_EQ(either.kernels[0].arguments[0].type_name, "float*");
}

TEST(OpenClBuildTest, WhateverDecidesTheResultIsInTheKey) {
  OpenClTarget other, hidden, single, halves, sizes, rounding;
  rounding.rounds_division = true;
  other.identity = "another driver";
  hidden.hidden_offsets = true;
  single.doubles = false;
  halves.halves = false;
  sizes.wrong_sizes = true;
  const Digest key = keyOf(kSource, {});
  EXPECT_EQ(key, keyOf(kSource, {}));
  for (const OpenClTarget& target : {other, hidden, single, halves, sizes, rounding}) EXPECT_NE(key, keyOf(kSource, target));
  EXPECT_NE(key, keyOf(kSource, {}, "-cl-opt-disable"));
  EXPECT_NE(key, keyOf("__kernel void f(void) {}", {}));
}

TEST(OpenClBuildTest, EntriesComeBackWholeOrNotAtAll) {
  OpenClImage image;
  ASSERT_TRUE(build(&image, kSource, {}).ok());
  image.log = "a warning\n";
  image.binary = {0x7f, 'B', 'I', 'N', 0, 1, 2};
  std::vector<unsigned char> data = writeOpenClEntry(image);
  OpenClImage read;
  ASSERT_TRUE(readOpenClEntry(&read, data.data(), data.size()));
  EXPECT_EQ(writeOpenClEntry(read), data);
  EXPECT_EQ(read.binary, image.binary);
  EXPECT_EQ(read.log, image.log);
  ASSERT_EQ(read.kernels.size(), 1u);
  EXPECT_TRUE(read.kernels[0].arguments[2].is_record);
  for (size_t size = 0; size < data.size(); ++size) EXPECT_FALSE(readOpenClEntry(&read, data.data(), size)) << size;
  for (size_t at = 0; at < data.size(); ++at) {  // damaged anywhere: read within bounds, whatever comes of it
    std::vector<unsigned char> damaged = data;
    damaged[at] = static_cast<unsigned char>(~damaged[at]);
    OpenClImage unused;
    (void)readOpenClEntry(&unused, damaged.data(), damaged.size());
  }
  data.push_back(0);
  EXPECT_FALSE(readOpenClEntry(&read, data.data(), data.size()));
}

}  // namespace
}  // namespace manyrt::compiler
