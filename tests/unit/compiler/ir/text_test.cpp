// The IR as text: what is printed is read, what is read prints the same, and what is no IR is refused with a place.
#include "compiler/ir/text.h"

#include "ir_module.h"

namespace manyrt::compiler::ir {
namespace {

constexpr char kProgram[] = R"(
__constant int table[3] = {7, 8, 9};
typedef struct { int a; float4 b; uchar c[3]; } record;
record made(int a) { record r = {a, (float4)(1, 2, 3, (float)a), "no"}; return r; }
int chosen(int x) {
  switch (x) {
    case 1: case 2: x += 5;
    case 3: return x;
    default: x = -x; break;
  }
  return x * table[x & 1];
}
kernel void k(global uint4* out, global const uchar* in, local float* scratch, record by_value, int n) {
  local int shared[4];
  const size_t g = get_global_id(0);
  volatile int v = n;
  shared[get_local_id(0) & 3] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < n; i++) {
    if (i == 3) continue;
    do { v -= 2; if (v == 1) break; } while (v > 0 && in[i] != 3);
    scratch[i] += (float)v * 0.5f + made(i).b.y;
  }
  out[g] = (uint4)(chosen(n), v ? shared[1] : 4, as_uint(sqrt(scratch[0])), by_value.c[1]);
  out[g].xz = convert_uint2_sat((float2)(1.5f, -3.0f));
  vstore3((uchar3)(1, 2, 3), g, (global uchar*)out);
}
)";

TEST(IrTextTest, APrintedProgramIsReadAndPrintsTheSame) {
  const FromSource source(kProgram);
  ASSERT_TRUE(source.built) << source.why;
  const std::string text = print(source.module);
  const FromText again(text);
  ASSERT_TRUE(again.is_read) << again.why << "\n" << text;
  std::string why;
  EXPECT_TRUE(verify(again.module, &why)) << why;
  EXPECT_EQ(print(again.module), text);
}

TEST(IrTextTest, EachRefusalSaysWhereAndWhatWasExpected) {
  const struct {
    const char* text;
    const char* why;
  } kCases[] = {
      {"kernel", "line 1: expected object, constants or function"},
      {"function \"f\" -> f99 {\n return }", "line 1: expected a type"},
      {"function \"f\" -> void {\n  nothing\n}", "line 2: expected an operation"},
      {"function \"f\" -> void {\n  %1: i32 = add %0 %0\n  return\n}", "line 2: expected a value that has been defined"},
      {"function \"f\" -> void {\n  %1: private* = address slot 4\n  return\n}", "line 2: expected an object"},
      {"function \"f\" -> void {\n  %1: i32 = constant [x]\n  return\n}", "line 2: expected a number"},
      {"function \"f\" -> void {\n  return\n", "expected }"},
      {"function \"f\" -> void {\n  %1: i64 = workitem nowhere\n  return\n}", "line 2: expected an id"},
      {"object 0 nowhere", "line 1: expected an address space"},
      {"function \"f\" -> void {\n  %1: f32x17 = constant [1]\n  return\n}", "line 2: expected a type"},
  };
  for (const auto& each : kCases) {
    const FromText read(each.text);
    EXPECT_FALSE(read.is_read) << each.text;
    EXPECT_NE(read.why.find(each.why), std::string::npos) << each.text << "\n" << read.why;
  }
}

TEST(IrTextTest, AnyBeginningOfATextIsRefusedOrRead) {
  const FromSource source(kProgram);
  const std::string text = print(source.module);
  for (size_t length = 0; length < text.size(); length += 7) {
    Module module;
    std::string why;
    const bool is_read = read(&module, std::string_view(text).substr(0, length), &why);
    EXPECT_EQ(is_read, why.empty()) << length;
  }
}

}  // namespace
}  // namespace manyrt::compiler::ir
