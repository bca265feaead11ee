// Which arguments of a kernel are read and which are written, as the front end follows pointers.
#include "compiler/lowering/argument_use.h"

#include "rt.h"
#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

using namespace compiler;

// One letter for each argument of the last kernel: r, w, b for both, - for neither, ? for not known.
std::string accessOf(const std::string& source) {
  Lowered it(source);
  findArgumentUses(it.program);
  std::string letters;
  for (const Variable* parameter : it.program.kernels.back()->parameters) letters += "?rwb-"[parameter->use.access];
  return letters;
}

std::string inKernel(const std::string& body) {
  return accessOf(
      "typedef struct { float x, y[4]; float4 v; } S;\n"
      "float sum(__global const float* p, int n) { float s = 0; for (int i = 0; i < n; ++i) s += p[i]; return s; }\n"
      "void put(__global float* p, float x) { *p = x; }\n"
      "__global float* ahead(__global float* p, int n) { return p + n; }\n"
      "__kernel void f(__global float* a, __global float* b, __local float* l, __constant float* c, __global S* s, int n) {\n"
      "int i = get_global_id(0); " +
      body + " }");
}

TEST(ArgumentUseTest, LoadsReadAndStoresWrite) {
  EXPECT_EQ(inKernel("a[i] = b[i] * n;"), "wr---?");
  EXPECT_EQ(inKernel("a[i] += b[i] * c[n];"), "br-r-?");
  EXPECT_EQ(inKernel("*a = i; --b[1]; l[i] = 1; barrier(CLK_LOCAL_MEM_FENCE); float x = l[0];"), "wbb--?");
  EXPECT_EQ(inKernel("s->x = 1; s[1].y[n] = 2; s[2].v.xy = (float2)(0);"), "----w?");
  EXPECT_EQ(inKernel("S copy = s[i]; copy.x = 1; a[0] = copy.y[1];"), "w---r?");
  EXPECT_EQ(inKernel("s[0] = s[1];"), "----b?");
  EXPECT_EQ(inKernel("if (a == b) return; if (&a[3] > b + 2) n = 3; n = sizeof(*b);"), "-----?") << "addresses alone";
  EXPECT_EQ(inKernel("*a; (void)b[1];"), "rr---?");
}

TEST(ArgumentUseTest, PointersAreFollowedThroughVariables) {
  EXPECT_EQ(inKernel("__global float* p = a; p += n; p[1] = 2;"), "w----?");
  EXPECT_EQ(inKernel("__global float* p = n ? a : b; *p++ = 1;"), "ww---?");
  EXPECT_EQ(inKernel("__global float* p = a; *p = 1; p = b; n = *p;"), "bb---?") << "whatever the order";
  EXPECT_EQ(inKernel("__global float *p, *q; for (;;) { *q = 1; q = p; p = a; }"), "w----?");
  EXPECT_EQ(inKernel("__global int* p = (__global int*)a; p[n] = ((__global int*)(b + 1))[0];"), "wr---?");
  EXPECT_EQ(inKernel("__global float4* p = (__global float4*)a; p[0].x = 1; float y = p[1][2];"), "b----?");
  EXPECT_EQ(inKernel("*(n, a) = 1; *(n ? a : (n = b[0], b)) = 2;"), "wb---?");
  EXPECT_EQ(inKernel("__global float* p; *(p = a) = 1;"), "w----?");
}

TEST(ArgumentUseTest, HelpersDoWhatTheyDoWithTheirParameters) {
  EXPECT_EQ(inKernel("a[i] = sum(b, n);"), "wr---?");
  EXPECT_EQ(inKernel("put(a, sum(a, 2)); put(&b[n], 1);"), "bw---?");
  EXPECT_EQ(inKernel("*ahead(a, 2) = 1; n = ahead(b, 1)[0];"), "bb---?") << "a helper has one result for all its calls";
  EXPECT_EQ(accessOf("__kernel void g(__global int* a) { a[0] = 1; }\n"
                     "__kernel void f(__global int* a, __global int* b) { g(a); b[1] = b[0]; }"),
            "wb");
}

// Pointers go down a chain of helpers and come back up; every helper but the last only hands them on.
TEST(ArgumentUseTest, LongChainsOfHelpersAreFollowed) {
  std::string source = "__global int* f0(__global int* p, __global int* q) { *q = 1; return p; }\n";
  for (int i = 1; i <= 200; ++i) {
    source += "__global int* f" + std::to_string(i) + "(__global int* p, __global int* q) { return f" + std::to_string(i - 1) +
              "(p, q); }\n";
  }
  EXPECT_EQ(accessOf(source + "__kernel void f(__global int* a, __global int* b, __global int* c) { c[0] = *f200(a, b); }"),
            "rww");
}

TEST(ArgumentUseTest, FunctionsOfTheLanguageReadAndWrite) {
  EXPECT_EQ(inKernel("vstore4(vload4(0, b), 1, a);"), "wr---?");
  EXPECT_EQ(inKernel("a[0] = fract(b[0], &a[1]); sincos(1.0f, b + 1);"), "wb---?");
  EXPECT_EQ(inKernel("event_t e = async_work_group_copy(l, a, 4, 0); wait_group_events(1, &e); prefetch(b, 3);"), "rrw--?");
  EXPECT_EQ(accessOf("__kernel void f(__global int* a, __global int* b) { b[0] = atomic_add(a, 1); }"), "bw");
  EXPECT_EQ(accessOf("__kernel void f(__global int* a, __constant int* c) { printf(\"%d\", c[0]); }"), "-r");
}

TEST(ArgumentUseTest, PointersThatAreNotFollowedMakeAllUnknown) {
  EXPECT_EQ(accessOf("__kernel void f(__global int* a, __global int* b) { __global int* p[2] = {a, b}; *p[0] = 1; }"), "??");
  EXPECT_EQ(accessOf("__kernel void f(__global int* a, ulong n) { *(__global int*)n = a[0]; }"), "??");
  EXPECT_EQ(accessOf("typedef struct { __global int* p; } T;\n"
                     "__kernel void f(__global int* a) { T t; t.p = a; t.p[0] = 1; }"),
            "?");
}

TEST(ArgumentUseTest, QualifiersAndAddressSpaces) {
  Lowered it(
      "__kernel void f(__global const float* restrict a, volatile __global int* b, __constant float* c, __local int* l,\n"
      "const int n) {}");
  findArgumentUses(it.program);
  const auto& parameters = it.program.kernels[0]->parameters;
  const auto use = [&](size_t i) { return parameters[i]->use; };
  EXPECT_EQ(use(0), (ArgumentUse{RT_QUALIFIER_CONST | RT_QUALIFIER_RESTRICT, RT_ADDRESS_SPACE_GLOBAL, RT_ACCESS_NONE}));
  EXPECT_EQ(use(1), (ArgumentUse{RT_QUALIFIER_VOLATILE, RT_ADDRESS_SPACE_GLOBAL, RT_ACCESS_NONE}));
  EXPECT_EQ(use(2), (ArgumentUse{RT_QUALIFIER_CONST, RT_ADDRESS_SPACE_CONSTANT, RT_ACCESS_NONE}));
  EXPECT_EQ(use(3), (ArgumentUse{0, RT_ADDRESS_SPACE_LOCAL, RT_ACCESS_NONE}));
  EXPECT_EQ(use(4), (ArgumentUse{0, RT_ADDRESS_SPACE_PRIVATE, RT_ACCESS_UNKNOWN}));
}

}  // namespace
}  // namespace manyrt::test
