// The CUDA C++ of whole units: what stands in it and what does not, and what is refused.
#include "compiler/lowering/cuda/program.h"

#include "rt.h"
#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

using namespace compiler;

CudaUnit lowerIt(Lowered& it, const BuildOptions& options = {}) {
  CudaUnit unit;
  EXPECT_TRUE(lowerToCuda(&unit, it.program, it.sources, options, it.diagnostics)) << it.diagnostics.log();
  EXPECT_TRUE(unit.unknown.empty()) << unit.unknown[0];
  return unit;
}
CudaUnit unitOf(const std::string& source, const BuildOptions& options = {}) {
  Lowered it(source);
  return lowerIt(it, options);
}
std::string refusalOf(const std::string& source) {
  Lowered it(source);
  CudaUnit unit;
  EXPECT_FALSE(lowerToCuda(&unit, it.program, it.sources, {}, it.diagnostics));
  return it.diagnostics.log();
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CudaLoweringTest, KernelsAndGlobalsAreDescribed) {
  const CudaUnit unit = unitOf(
      "__constant int table[3] = {1, 2, 3};\n"
      "__kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"
      "void first(__global float* a, __local double2* l, uint n, float4 v) { __local int own[5]; own[0] = table[n];\n"
      "  a[0] = own[0] + l[0].x + v.x; }");
  ASSERT_EQ(unit.kernels.size(), 1u);
  const CudaKernel& kernel = unit.kernels[0];
  EXPECT_EQ(kernel.name, "first");
  EXPECT_TRUE(has(unit.text, "extern \"C\" __global__ void __launch_bounds__(32) " + kernel.symbol + "(float *"));
  ASSERT_EQ(kernel.arguments.size(), 4u);
  EXPECT_EQ(kernel.arguments[0].kind, RT_ARG_POINTER);
  EXPECT_EQ(kernel.arguments[0].type_name, "float*");
  EXPECT_EQ(kernel.arguments[1].kind, RT_ARG_LOCAL);
  EXPECT_EQ(kernel.arguments[1].alignment, 16u);
  EXPECT_EQ(kernel.arguments[2].size, 4u);
  EXPECT_EQ(kernel.arguments[3].size, 16u);
  EXPECT_EQ(kernel.localArguments(), std::vector<uint32_t>{1});
  EXPECT_EQ(kernel.required_group[1], 4u);
  EXPECT_EQ(kernel.local_bytes, 20u);
  ASSERT_EQ(unit.globals.size(), 1u);
  EXPECT_EQ(unit.globals[0].name, "table");
  EXPECT_EQ(unit.globals[0].size, 12u);
  EXPECT_TRUE(has(unit.text, "extern __constant__ const int " + unit.globals[0].symbol + "[3]"));
}

TEST(CudaLoweringTest, LocalArgumentsAreOffsetsIntoOneArray) {
  const CudaUnit unit = unitOf("__kernel void f(__local int* l, __global int* a) { l[0] = 1; a[0] = l[0]; }");
  EXPECT_TRUE(has(unit.text, "alignas(128) extern __shared__ unsigned char mrt_shared[];"));
  EXPECT_TRUE(has(unit.text, "f_kernel(unsigned int mrt_o0, int *"));
  EXPECT_TRUE(has(unit.text, "= (int *)(mrt_shared + mrt_o0);"));
  EXPECT_FALSE(has(unitOf("__kernel void f(__global int* a) { a[0] = 1; }").text, "mrt_shared"));
}

TEST(CudaLoweringTest, TheGlobalOffsetGoesToWhatAsksForIdsWithIt) {
  const CudaUnit unit = unitOf(
      "uint at(uint d) { return get_global_id(d); }\n"
      "uint plain(uint d) { return get_local_id(d) + get_group_id(d) + get_global_linear_id(); }\n"
      "__kernel void f(__global uint* a) { a[0] = at(1); }\n"
      "__kernel void g(__global uint* a, uint n) { a[0] = plain(n); }\n"
      "__kernel void h(void) { get_global_offset(0); }");
  EXPECT_TRUE(has(unit.text, "(mrt_item mrt_i, unsigned int"));
  EXPECT_TRUE(has(unit.text, "f_kernel(unsigned int *"));
  EXPECT_TRUE(has(unit.text, ", mrt_item mrt_i) {"));
  EXPECT_TRUE(has(unit.text, "h_kernel(mrt_item mrt_i) {"));
  ASSERT_EQ(unit.kernels.size(), 3u);
  EXPECT_TRUE(unit.kernels[0].takes_offset);
  EXPECT_FALSE(unit.kernels[1].takes_offset);
  EXPECT_TRUE(unit.kernels[2].takes_offset);
  EXPECT_EQ(unit.kernels[0].arguments.size(), 1u);
}

TEST(CudaLoweringTest, HelpersTakeNoItemButForGlobalIds) {
  const CudaUnit unit = unitOf(
      "uint at(uint d) { return get_local_id(d) + get_global_size(d); }\n"
      "__kernel void f(__global uint* a) { a[get_global_linear_id()] = at(1); barrier(CLK_LOCAL_MEM_FENCE); }");
  EXPECT_TRUE(has(unit.text, "static __device__ unsigned int f_at_"));
  EXPECT_TRUE(has(unit.text, "mrt_at("));
  EXPECT_FALSE(has(unit.text, "mrt_item"));
  EXPECT_TRUE(has(unit.text, "blockIdx.x * blockDim.x + threadIdx.x"));
  EXPECT_TRUE(has(unit.text, "__syncthreads()"));
}

TEST(CudaLoweringTest, DimensionsBeyondTheThirdHaveTheirDefaults) {
  const CudaUnit unit = unitOf(
      "__kernel void f(__global ulong* a) { a[0] = get_global_id(3); a[1] = get_global_size(7); a[2] = get_global_offset(0); "
      "}");
  EXPECT_TRUE(has(unit.text, "[0] = 0ul)"));
  EXPECT_TRUE(has(unit.text, "[1] = 1ul)"));
  EXPECT_TRUE(has(unit.text, "[2] = ((unsigned long)mrt_i.x))"));
}

TEST(CudaLoweringTest, AKnownGroupSizeIsAConstantInItsKernelAlone) {
  const std::string text = unitOf(
                               "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void f(__global uint* a) "
                               "{ a[get_global_id(0)] = 1; }\n"
                               "__kernel void g(__global uint* a) { a[get_global_id(0)] = 1; }")
                               .text;
  EXPECT_EQ(countOf(text, "blockIdx.x * 64u + threadIdx.x"), 1u);
  EXPECT_EQ(countOf(text, "blockIdx.x * blockDim.x + threadIdx.x"), 1u);
}

TEST(CudaLoweringTest, ConstantsOfFunctionsStandAtProgramScope) {
  const CudaUnit unit = unitOf("__kernel void f(__global int* a) { __constant int own[2] = {1, 2}; a[0] = own[a[1]]; }");
  EXPECT_TRUE(has(unit.text, "extern __constant__ const int own_"));
  EXPECT_LT(unit.text.find("own_"), unit.text.find("__global__"));
  EXPECT_TRUE(unit.globals.empty());
}

TEST(CudaLoweringTest, ConstantsBeyond64KibAreInGlobalMemory) {
  const CudaUnit unit = unitOf(
      "__constant int first[16000] = {1};\n__constant int second[1000] = {2};\n__constant int third[100] = {3};\n"
      "__kernel void f(__global int* a) { a[0] = first[a[1]] + second[a[1]] + third[a[1]]; }");
  EXPECT_EQ(countOf(unit.text, "extern __constant__ const"), 2u);
  EXPECT_TRUE(has(unit.text, "extern __device__ const int second_"));
}

TEST(CudaLoweringTest, NamesOfCudaAreOrdinaryNames) {
  const CudaUnit unit = unitOf(
      "struct dim3 { int threadIdx; };\nfloat __expf(float blockIdx) { return blockIdx; }\n"
      "__kernel void norm(__global float* sinf) { struct dim3 warpSize = {1}; sinf[0] = __expf(warpSize.threadIdx); }\n"
      "__kernel void delete(__global float* atomicAdd) { atomicAdd[0] = 1; }");
  EXPECT_TRUE(has(unit.text, "void norm_kernel(float *sinf_"));
  EXPECT_TRUE(has(unit.text, "void delete_kernel("));
  EXPECT_FALSE(has(unit.text, "struct dim3 "));
}

TEST(CudaLoweringTest, TheGroupSizeOfTheOptionsHolds) {
  BuildOptions options;
  options.group_size[0] = 32;
  options.group_size[1] = options.group_size[2] = 1;
  const CudaUnit unit = unitOf("__kernel void f(__global int* a) { a[get_local_size(0)] = 1; }", options);
  EXPECT_EQ(unit.kernels[0].required_group[0], 32u);
  EXPECT_TRUE(has(unit.text, "__launch_bounds__(32)"));
}

TEST(CudaLoweringTest, ContractionIsAskedFor) {
  EXPECT_TRUE(unitOf("__kernel void f(__global int* a) { a[0] = 1; }").contract);
  EXPECT_FALSE(unitOf("#pragma OPENCL FP_CONTRACT OFF\n__kernel void f(__global int* a) { a[0] = 1; }").contract);
}

TEST(CudaLoweringTest, NativeFunctionsAreFastAndTheOthersAreNot) {
  const std::string text =
      unitOf(
          "__kernel void f(__global float* a) { a[0] = native_cos(a[0]); a[1] = half_cos(a[1]);\n"
          "  a[2] = cos(a[2]); a[3] = native_sqrt(a[3]); a[4] = rsqrt(a[4]); a[5] = fma(a[5], a[6], a[7]); }")
          .text;
  EXPECT_TRUE(has(text, "return __cosf(x);"));
  EXPECT_EQ(countOf(text, " cosf("), 2u) << text;
  EXPECT_TRUE(has(text, " sqrtf("));
  EXPECT_TRUE(has(text, "return rsqrtf(x);"));
  EXPECT_TRUE(has(text, " fmaf("));
  EXPECT_FALSE(has(text, "__builtin_"));
}

TEST(CudaLoweringTest, AKernelThatAnotherOneCallsHasItsLocalVariablesTwice) {
  const std::string text = unitOf(
                               "__kernel void f(__global int* a) { __local int own[4]; own[0] = 1; a[0] = own[0]; }\n"
                               "__kernel void g(__global int* a) { f(a); }")
                               .text;
  EXPECT_EQ(countOf(text, "__shared__ int own_"), 2u);
  EXPECT_TRUE(has(text, "static __device__ void f_f_"));
}

TEST(CudaLoweringTest, AllThreadsCopyForTheGroup) {
  const std::string text = unitOf(
                               "__kernel void f(__global float4* a, __local float4* l) {\n"
                               "  event_t e = async_work_group_copy(l, a, 16, 0); wait_group_events(1, &e); a[1] = l[1]; }")
                               .text;
  EXPECT_TRUE(has(text, "mrt_k += blockDim.x * blockDim.y * blockDim.z"));
}

TEST(CudaLoweringTest, TooMuchLocalMemoryIsRefusedWithItsPlace) {
  const std::string log =
      refusalOf("__kernel void f(__global int* a) {\n  __local int big[20000];\n  big[0] = a[0]; a[1] = big[0]; }");
  EXPECT_TRUE(has(log, "test.cl:2:15: error:")) << log;
  EXPECT_TRUE(has(log, "49152")) << log;
}

// ---- printf ----

std::string printOf(const std::string& arguments) {
  return unitOf("__kernel void f(__global int* a, float4 v, char c, float x) { printf(" + arguments + "); }").text;
}

TEST(CudaPrintTest, ConversionsBecomeCudas) {
  EXPECT_TRUE(has(printOf("\"%d%%\\n\", a[0]"), "printf(\"%lld%%\\012\", (long long)(int)a1)"));
  EXPECT_TRUE(has(printOf("\"%5.2F\", x"), "printf(\"%5.2f\", (double)a1)"));
  EXPECT_TRUE(has(printOf("\"%hhx\", a[0]"), "printf(\"%llx\", (unsigned long long)(unsigned char)a1)"));
  EXPECT_TRUE(has(printOf("\"%s\", \"text\""), "printf(\"%s\", (a1 == nullptr ? \"(null)\" : (const char*)a1))"));
}

TEST(CudaPrintTest, VectorsPrintLaneByLane) {
  EXPECT_TRUE(has(printOf("\"%.1v4hlf|\", v"),
                  "printf(\"%.1f,%.1f,%.1f,%.1f|\", (double)a1.s0, (double)a1.s1, (double)a1.s2, (double)a1.s3)"));
}

TEST(CudaPrintTest, WhatDoesNotFitPrintsItself) {
  EXPECT_TRUE(has(printOf("\"%d|\", x"), "printf(\"%%d(\\077)|\")"));
  EXPECT_TRUE(has(printOf("\"%d %d\", c"), "printf(\"%lld %%d(\\077)\", (long long)(int)a1)"));
  EXPECT_TRUE(has(printOf("\"done\", x"), "printf(\"done\")"));
}

TEST(CudaPrintTest, AFormatThatIsNoLiteralIsRefused) {
  const std::string log = refusalOf("__kernel void f(__constant char* a) {\n  printf(a, 1); }");
  EXPECT_TRUE(has(log, "test.cl:2:")) << log;
  EXPECT_TRUE(has(log, "literal")) << log;
}

TEST(CudaPrintTest, AConstantThatHoldsALiteralIsOne) {
  EXPECT_TRUE(has(unitOf("__constant char text[] = \"%u\";\n__kernel void f(uint n) { printf(text, n); }").text,
                  "printf(\"%llu\", (unsigned long long)(unsigned int)a1)"));
}

TEST(CudaPrintTest, MoreValuesThanCudaTakesAreSeveralCalls) {
  const std::string text =
      printOf("\"%v4hlf|%v4hlf|%v4hlf|%v4hlf|%v4hlf|%v4hlf|%v4hlf|%v4hlf|%d;\", v, v, v, v, v, v, v, v, a[0]");
  EXPECT_TRUE(has(text, "(double)a8.s3) < 0) r = -1; if (printf(\"%lld;\", (long long)(int)a9) < 0) r = -1; return r; }"))
      << text;
}

}  // namespace
}  // namespace manyrt::test
