// What a unit for optimised code says of its kernels, beside their text. That it runs right is tested in tests/kernels.
#include "compiler/emit/cpu_unit.h"

#include "compiler/unit.h"
#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

using namespace compiler;

std::string optimized(const std::string& source) { return Lowered(source).optimized(); }

// UnitForm of unit.h: lanes, dimension, loops, loops of vectors, barriers, 0, two reasons.
std::string formOf(const std::string& source) {
  const std::string text = optimized(source), head = "rtHostForms[] = {\n";
  const size_t begin = text.find(head);
  if (begin == text.npos) return text;
  return text.substr(begin + head.size(), text.find("}; }", begin) - begin - head.size());
}

std::string traits(uint32_t number) { return "rtHostTraits[] = {" + std::to_string(number) + ", }"; }

TEST(CpuUnitTest, ItSaysHowWorkItemsRun) {
  const std::string lanes = std::to_string(BuildOptions().lanes);
  EXPECT_EQ(formOf("__kernel void f(__global float* a) { a[get_global_id(0)] += 1; }"),
            "{" + lanes + ", 0, 1, 1, 0, 0, 0, 0},\n");
  EXPECT_EQ(formOf("__kernel void f(__global float* a) { __local float l[64]; int i = get_local_id(0); l[i] = a[i];\n"
                   "barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[63 - i]; }"),
            "{" + lanes + ", 0, 2, 2, 1, 0, 0, 0},\n");
  // Of two forms, which the size of the group chooses between, the one for groups with room for the lanes.
  for (const bool down : {false, true}) {
    const std::string place = down ? "get_global_id(0) * n + get_global_id(1)" : "get_global_id(1) * n + get_global_id(0)";
    EXPECT_EQ(formOf("__kernel void f(__global float* a, int n) { a[" + place + "] += 1; }"),
              "{" + lanes + ", " + (down ? "1" : "0") + ", 1, 1, 0, 0, 0, 0},\n");
  }
  EXPECT_NE(formOf("__kernel void f(__global int* a) { a[get_global_id(0)] = sub_group_reduce_add(1); }").find(", 2, 0, 0, \""),
            std::string::npos)
      << "on fibers, with a reason";
}

TEST(CpuUnitTest, GroupsThatNothingTellsApartAreJoined) {
  const auto text = [](const std::string& body) {
    return optimized(
        "__kernel void f(__global int* a, __global float* b, int n) { int x = get_global_id(0), y = "
        "get_global_id(1);\n" +
        body + " }");
  };
  EXPECT_NE(text("b[y * n + x] = b[y * n + x + 1] + 1;").find(traits(kJoinsAlong0 | kJoinsMany)), std::string::npos);
  EXPECT_NE(text("b[x * n + y] = b[x * n + y + 1] + 1;").find(traits(kJoinsAlong1 | kJoinsMany)), std::string::npos);
  EXPECT_NE(text("for (int i = 0; i < n; ++i) b[y * n + x] += b[y * n + i] * b[i * n + x];").find(traits(kJoinsAlong0)),
            std::string::npos);
  for (const char* body : {"a[x] = get_local_id(0);", "a[x] = get_num_groups(0);", "printf(\"%d\", x);",
                           "__local int l[1]; l[0] = x; a[x] = l[0];", "barrier(CLK_LOCAL_MEM_FENCE);"}) {
    EXPECT_EQ(text(body).find("rtHostTraits"), std::string::npos) << body;
  }
}

TEST(CpuUnitTest, GroupsThatMeetAtAtomicFunctionsAreMarked) {
  const auto text = [](const std::string& body) {
    return optimized(
        "void helper(__global int* to) { atomic_inc(to); }\n"
        "__kernel void f(__global int* a, __local int* l) { " +
        body + " }");
  };
  for (const char* body : {"atomic_inc(a);", "if (a[1]) helper(a + 3);", "atomic_cmpxchg(&a[get_global_id(0)], 1, 2);"})
    EXPECT_NE(text(body).find(traits(kSharesAtomics)), std::string::npos) << body;
  EXPECT_EQ(text("atomic_inc(l); a[0] = l[0];").find("rtHostTraits"), std::string::npos);
}

// What a launch may ask for is what the source declares, in quick code and in optimised code, whatever the kernel uses of it.
TEST(CpuUnitTest, LocalMemoryIsThatOfTheSource) {
  const std::string source =
      "__kernel void f(__global int* a) { __local int used[10]; __local float unused[100]; __local char last[3];\n"
      "used[0] = a[0]; barrier(CLK_LOCAL_MEM_FENCE); a[1] = used[0]; }";
  const auto bytes = [](const std::string& text) {
    const size_t row = text.find("{\"f\", ");
    return row == text.npos ? text : text.substr(row, text.find("},\n", row) - row);
  };
  const std::string quick = bytes(Lowered(source).quick()), made = bytes(optimized(source));
  const auto isSame = [&](const std::string& number) {
    return quick.find(number) != quick.npos && made.find(number) != made.npos;
  };
  EXPECT_TRUE(isSame(", 512, ")) << quick << "\n" << made;
}

}  // namespace
}  // namespace manyrt::test
