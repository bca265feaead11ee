// A unit's facts about its kernels, and what stands in its text. That it runs right is tested in tests/kernels.
#include "compiler/emit/cpu_unit.h"

#include "compiler/ir/no_lanes.h"
#include "compiler/lowering/argument_use.h"
#include "compiler/unit.h"
#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

using namespace compiler;

std::string optimized(const std::string& source) { return Lowered(source).optimized(); }

// UnitForm of unit.h: lanes, dimension, loops, loops of vectors, barriers, RT_LANES_*, two reasons.
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
            "{" + lanes + ", 0, 1, 1, 0, 1, 0, 0},\n");
  EXPECT_EQ(formOf("__kernel void f(__global float* a) { __local float l[64]; int i = get_local_id(0); l[i] = a[i];\n"
                   "barrier(CLK_LOCAL_MEM_FENCE); a[i] = l[63 - i]; }"),
            "{" + lanes + ", 0, 2, 2, 1, 1, 0, 0},\n");
  // The size of the group chooses between two forms; this is the one for groups with room for the lanes.
  for (const bool down : {false, true}) {
    const std::string place = down ? "get_global_id(0) * n + get_global_id(1)" : "get_global_id(1) * n + get_global_id(0)";
    EXPECT_EQ(formOf("__kernel void f(__global float* a, int n) { a[" + place + "] += 1; }"),
              "{" + lanes + ", " + (down ? "1" : "0") + ", 1, 1, 0, 1, 0, 0},\n");
  }
  EXPECT_NE(formOf("__kernel void f(__global int* a) { a[get_global_id(0)] = sub_group_reduce_add(1); }").find(", 2, 4, 0, \""),
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

// A launch may ask for what the source declares, in quick code and in optimised code, whatever the kernel uses of it.
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

TEST(CpuUnitTest, TheTableNamesKernelsArgumentsAndGlobals) {
  Lowered it(
      "__constant int table[3] = {1, 2, 3};\n"
      "__kernel void first(__global float* a, __local int* l, uint n, float4 v) { a[0] = table[n] + l[0] + v.x; }");
  const std::string text = it.quick();
  EXPECT_NE(text.find("{8, 1, \"a\", \"float*\"}"), std::string::npos) << text;
  EXPECT_NE(text.find("{8, 2, \"l\", \"int*\"}"), std::string::npos);
  EXPECT_NE(text.find("{4, 0, \"n\", \"uint\"}"), std::string::npos);
  EXPECT_NE(text.find("{16, 0, \"v\", \"float4\"}"), std::string::npos);
  EXPECT_NE(text.find("{\"table\", (void*)&"), std::string::npos);
}

TEST(CpuUnitTest, ATableOfFormsIsLaidOutAsUnitForm) {
  EXPECT_NE(Lowered("__kernel void f() {}")
                .quick()
                .find("struct mrt_form { unsigned int lanes, dimension, loops, lane_loops, "
                      "barriers, no_lanes_code; const char *no_lanes, *fibers; };"),
            std::string::npos);
  static_assert(sizeof(ArgumentBytes) == 3);
  static_assert(sizeof(UnitForm) == 40 && offsetof(UnitForm, no_lanes_code) == 20 && offsetof(UnitForm, barriers) == 16 &&
                offsetof(UnitForm, no_lanes) == 24 && offsetof(UnitForm, fibers) == 32);
}

TEST(CpuUnitTest, EachReasonForNoLanesHasANumber) {
  EXPECT_EQ(ir::noLanesCode(ir::kNoForm), RT_LANES_NO_FORM);
  EXPECT_EQ(ir::noLanesCode("nothing that a pass says"), RT_LANES_UNKNOWN);
  BuildOptions options;
  options.optimize = false;
  Lowered it("__kernel void f(__global float* a) { a[get_global_id(0)] += 1; }");
  EXPECT_NE(it.quick(options).find("{0, 0, 1, 0, 0, 2, \""), std::string::npos) << "RT_LANES_OPTIONS";
  EXPECT_NE(it.quick().find("{0, 0, 1, 0, 0, 3, \""), std::string::npos) << "RT_LANES_QUICK";
}

TEST(CpuUnitTest, ATableHasTheUsesOfAllArguments) {
  Lowered it(
      "__kernel void f(__global const int* a, int n) {}\n__kernel void g() {}\n"
      "__kernel void h(__local int* l) { l[0] = 1; }");
  findArgumentUses(it.program);
  EXPECT_NE(it.quick().find("rtHostArguments[] = {1, 2, 4, 0, 1, 0, 0, 4, 2, }"), std::string::npos) << it.quick();
  EXPECT_EQ(Lowered("__kernel void f() {}").quick().find("rtHostArguments"), std::string::npos);
}

TEST(CpuUnitTest, AKnownGroupSizeIsWrittenIntoTheLoops) {
  const std::string source = "__kernel void f(__global int* a) { a[get_global_id(0)] = get_local_id(0); }";
  BuildOptions options;
  options.group_size[0] = 64;
  options.group_size[1] = options.group_size[2] = 1;
  EXPECT_NE(Lowered(source).quick(options).find("const long mrt_n0 = 64;"), std::string::npos);
  EXPECT_NE(Lowered(source).quick().find("const long mrt_n0 = mrt_g->group_size[0];"), std::string::npos);
}

TEST(CpuUnitTest, UnusedHelpersAreNotPartOfTheUnit) {
  const std::string text = Lowered(
                               "int used(int x) { return x; }\nint unused(int x) { return x; }\n"
                               "__kernel void f(__global int* a) { a[0] = used(1); }")
                               .quick();
  EXPECT_NE(text.find("f_used_"), std::string::npos);
  EXPECT_EQ(text.find("f_unused_"), std::string::npos);
}

// Each text has what its kernels need of helpers and constants, and the first one names the kernels of all.
TEST(CpuUnitTest, QuickCodeOfSeveralKernelsIsSeveralTexts) {
  std::string source = "__constant int table[3] = {1, 2, 3};\nint helper(int x) { return x + 1; }\n";
  for (int k = 0; k < 4; ++k) {
    source += "__kernel void k" + std::to_string(k) + "(__global int* a) {\n";
    for (int i = 0; i < 40; ++i) source += "a[" + std::to_string(i) + "] += a[a[" + std::to_string(i + k) + "]];\n";
    source += k == 2 ? "a[0] = helper(table[a[1]]); }\n" : "}\n";
  }
  const std::vector<std::string> texts = Lowered(source).quickTexts(3);
  ASSERT_EQ(texts.size(), 3u);
  size_t with_helper = 0;
  for (size_t t = 0; t < texts.size(); ++t) {
    EXPECT_EQ(texts[t].find("rtHostModule") != std::string::npos, t == 0);
    const bool calls = texts[t].find(" f_helper_") != std::string::npos;
    with_helper += calls ? 1 : 0;
    EXPECT_TRUE(!calls || texts[t].find("mrt_constants()") != std::string::npos);
  }
  EXPECT_EQ(with_helper, 1u);
  for (const char* kernel : {"\"k0\"", "\"k1\"", "\"k2\"", "\"k3\""}) EXPECT_NE(texts[0].find(kernel), std::string::npos);
  EXPECT_EQ(Lowered(source).quickTexts(1).size(), 1u);
  EXPECT_EQ(Lowered("__kernel void a() {}\n__kernel void b() {}").quickTexts(8).size(), 1u) << "too short for two compilers";
}

TEST(CpuUnitTest, KernelsThatCannotBeSplitSayWhy) {
  const auto remarks = [](const std::string& source) {
    Lowered it(source);
    EXPECT_NE(it.quick().find("rtHostFibers->run"), std::string::npos);
    return it.remarks.size() == 1 ? it.remarks[0] : std::to_string(it.remarks.size());
  };
  EXPECT_EQ(remarks("__kernel void f(__global int* a) {\n"
                    "  if (a[get_local_id(0)]) { a[1] = 2; if (a[3]) return; barrier(CLK_GLOBAL_MEM_FENCE); } a[2] = 1; }"),
            "test.cl:1: remark: The kernel \"f\" runs its work-items on fibers, which is slower: "
            "its work-items may come to a barrier by different ways.");
  EXPECT_EQ(remarks("__kernel void f(__global int* a) { a[get_local_id(0)] = sub_group_reduce_add(1); }"),
            "test.cl:1: remark: The kernel \"f\" runs its work-items on fibers, which is slower: it has sub-group functions.");
  EXPECT_EQ(remarks("void wait(__global int* a) { if (a[0]) return; barrier(CLK_GLOBAL_MEM_FENCE); a[1] = 1; }\n"
                    "__kernel void f(__global int* a) { wait(a); }"),
            "test.cl:2: remark: The kernel \"f\" runs its work-items on fibers, which is slower: "
            "a function with barriers that it calls returns before its end.");
}

TEST(CpuUnitTest, ItemsWithoutLanesSayWhy) {
  const auto remarks = [](const std::string& body) {
    Lowered it("__kernel void f(__global float* a, __global half* h, __global int* at) { int i = get_global_id(0); " + body +
               " }");
    (void)it.optimized();
    return it.remarks.size() == 1 ? it.remarks[0] : std::to_string(it.remarks.size());
  };
  const std::string head = "test.cl:1: remark: The kernel \"f\" has no lanes in 1 of 1 loops over work-items: ";
  EXPECT_EQ(remarks("a[i] += 1;"), "0");
  EXPECT_EQ(remarks("a[at[at[at[i]]]] = 1;"), head + "its work-items one by one are expected to take less time.");
  EXPECT_EQ(Lowered("__kernel void f(__global float* a) { a[get_global_id(0)] = 1; }").quick().find("no_lanes\""),
            std::string::npos);
}

// A kernel that another one calls has its local memory at one place for all its callers.
TEST(CpuUnitTest, LocalMemoryOfACalledKernelIsThatOfItsCallers) {
  const std::string text =
      Lowered(
          "__kernel void inner(__global int* a) { __local int own[4]; own[0] = a[0]; a[1] = own[0]; }\n"
          "__kernel void outer(__global int* a) { __local int more[8]; more[1] = 2; inner(a); a[2] = more[1]; }")
          .quick();
  EXPECT_NE(text.find("mrt_i.m + 0"), std::string::npos) << text;
  EXPECT_NE(text.find("mrt_m + 16"), std::string::npos) << text;
}

// "lane by lane" is a call of mrt_L::each.
TEST(CpuUnitTest, FunctionsWithAFormForLanesAreCalledOnceForAVector) {
  const auto text = [](const std::string& type, const std::string& call) {
    return optimized("__kernel void f(__global " + type + "* a) { int i = get_global_id(0); " + type +
                     " x = a[i], y = a[i + 1], z = a[i + 2]; a[i] = " + call + "; }");
  };
  for (const char* call :
       {"smoothstep(x, y, z)", "mix(x, y, z)", "clamp(x, y, z)", "sign(x)", "exp(x)", "sin(x)", "pow(x, y)"}) {
    for (const char* type : {"float", "float3"}) {
      const std::string made = text(type, call), name = std::string(call).substr(0, std::string(call).find('('));
      EXPECT_NE(made.find("mrt_" + name + "_float_w<mrt_L>("), std::string::npos) << call << " of " << type;
      EXPECT_EQ(made.find("mrt_L::each<float>("), std::string::npos) << call << " of " << type;
    }
  }
  EXPECT_NE(text("float", "lgamma(x) + exp(y)").find("mrt_L::each<float>("), std::string::npos) << "lgamma has branches";
}

// ---- names for debuggers ----

std::string forDebugger(const std::string& source) {
  BuildOptions options;
  options.users_names = options.exact_lines = options.repeats_lines = true;
  return Lowered(source).quick(options);
}

TEST(UserNamesTest, VariablesHaveTheirNamesAndTypes) {
  const std::string text = forDebugger(
      "typedef struct { float x; int n[2]; } Point;\n"
      "__kernel void f(__global Point* points, float4 v, int n) { Point own = points[n]; float sum[3]; sum[0] = own.x;\n"
      "points[0].x = sum[0] + v.y; }");
  for (const char* declared : {"*points;", " v;", "int n;", " own;", "float sum[3];", "static void f(const mrt_group*"})
    EXPECT_NE(text.find(declared), std::string::npos) << declared << "\n" << text;
}

// Two loops with a counter `i`: each has a block with its own.
TEST(UserNamesTest, VariablesOfOneNameHaveBlocksOfTheirOwn) {
  const std::string text = forDebugger(
      "__kernel void f(__global int* a) { for (int i = 0; i < 3; ++i) a[i] = i;\n"
      "for (int i = 5; i < 9; ++i) a[i] = i; }");
  EXPECT_EQ(countOf(text, "int i;"), 2u) << text;
}

TEST(UserNamesTest, AVariableThatHidesOneInUseHasANumberWhereBlocksCannotSaySo) {
  // The inner one's block lies in the outer one's, as in the source.
  const std::string nested =
      forDebugger("__kernel void f(__global int* a) { int x = a[0]; a[1] = x; { int x = a[2]; a[3] = x; } a[4] = x; }");
  EXPECT_EQ(countOf(nested, "int x"), 2u) << nested;
  // A pointer to the first may be followed at any time: its block is the function.
  const std::string pointed = forDebugger(
      "__kernel void f(__global int* a) { int* p; { int x = a[0]; p = &x; a[1] = *p; } { int x = a[2]; a[3] = x; } }");
  EXPECT_EQ(countOf(pointed, "int x;"), 1u + 1u) << pointed;
}

TEST(UserNamesTest, WordsOfCppAndOfGeneratedTextAreNoNames) {
  const std::string text = forDebugger(
      "__kernel void delete(__global int* operator) { int new = operator[0], v3 = operator[1], mrt_x = 3;\n"
      "operator[2] = new + v3 + mrt_x; }");
  for (const char* word : {" new;", "*operator;", "int v3;", "int mrt_x;", "static void delete"})
    EXPECT_EQ(text.find(word), std::string::npos) << word << "\n" << text;
}

}  // namespace
}  // namespace manyrt::test
