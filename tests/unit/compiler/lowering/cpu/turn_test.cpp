// Which dimension lanes go along, where the size of groups is known.
#include "compiler/lowering/cpu/turn.h"

#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

using namespace compiler;

constexpr char kRows[] =
    "__kernel void f(__global float* out, __global const float* in) {\n"
    "  const int x = get_local_id(0), y = get_local_id(1);\n"
    "  float sum = 0;\n"
    "  for (int i = 0; i < 64; ++i) sum += in[i * 16 + y] * in[x * 64 + i];\n"
    "  out[x * 16 + y] = sum; }";

BuildOptions launchedAs(uint32_t x, uint32_t y, uint32_t z) {
  BuildOptions options;
  options.launched_groups["f"] = {x, y, z};
  return options;
}

bool canTurnLast(const std::string& source) {
  Lowered it(source);
  return canTurn(it.program, *it.program.kernels.back());
}

TEST(TurnTest, LanesGoAlongTheDimensionThatGroupsFill) {
  for (const auto& [x, y, turned] : {std::tuple(2u, 16u, true), {16u, 2u, false}, {1u, 16u, true}, {64u, 1u, false}}) {
    Lowered it(kRows);
    const std::string text = it.unit(launchedAs(x, y, 1));
    EXPECT_EQ(it.program.kernels[0]->turned, turned ? 1u : 0u) << x << " x " << y;
    EXPECT_EQ(countOf(text, "mrt_n0 = mrt_g->group_size[1]"), turned ? 1u : 0u);
    EXPECT_EQ(countOf(text, "mrt_n1 = mrt_g->group_size[0]"), turned ? 1u : 0u);
    ASSERT_FALSE(it.remarks.empty());
    EXPECT_EQ(countOf(it.remarks[0], "along dimension 1"), turned ? 1u : 0u) << it.remarks[0];
  }
}

TEST(TurnTest, WithoutASizeTheLaunchChoosesBetweenTwoForms) {
  BuildOptions options;
  options.launched_groups["g"] = {2, 16, 1};  // another kernel
  Lowered it(kRows);
  const std::string text = it.unit(options);
  EXPECT_EQ(it.program.kernels[0]->turned, 0u);
  EXPECT_EQ(countOf(text, "mrt_n0 = mrt_g->group_size[0]"), 1u);
  EXPECT_EQ(countOf(text, "mrt_n0 = mrt_g->group_size[1]"), 1u);
  EXPECT_EQ(countOf(text, ") return k_f_"), 1u);
}

TEST(TurnTest, KernelsOfOneDimensionHaveOneForm) {
  Lowered it("__kernel void f(__global int* a) { a[get_group_id(0) * 64 + get_local_id(0)] = get_group_id(1); }");
  EXPECT_EQ(countOf(it.unit(), ") return k_f_"), 0u);
}

TEST(TurnTest, TheTableHasTheSizeInTheOrderOfTheLaunch) {
  Lowered it(std::string("__attribute__((reqd_work_group_size(2, 16, 1))) ") + kRows);
  const std::string text = it.unit();
  EXPECT_EQ(it.program.kernels[0]->turned, 1u);
  EXPECT_EQ(countOf(text, "mrt_n0 = 16;"), 1u);
  EXPECT_EQ(countOf(text, "{2, 16, 1}"), 1u);
}

TEST(TurnTest, QuickCodeTellsItemsInTheOrderOfTheLaunch) {
  Lowered it(std::string("__attribute__((reqd_work_group_size(2, 16, 1))) ") + kRows);
  (void)it.quick();
  EXPECT_EQ(it.program.kernels[0]->turned, 0u);
}

TEST(TurnTest, AKernelIsTurnedOnlyWhereEachIdNamesItsDimension) {
  const std::string begin = "__kernel void f(__global int* a, uint d) { ", end = "; }";
  EXPECT_TRUE(canTurnLast(begin + "a[get_local_id(0)] = get_group_id(2)" + end));
  EXPECT_FALSE(canTurnLast(begin + "a[get_local_id(d)] = 1" + end));
  EXPECT_FALSE(canTurnLast(begin + "a[get_local_id(0)] = get_local_linear_id()" + end));
  EXPECT_FALSE(canTurnLast(begin + "a[get_local_id(0)] = get_work_dim()" + end));
  const std::string helper = "int h(int x) { return x + get_local_id(1); } int g(int x) { return h(x); }\n";
  EXPECT_FALSE(canTurnLast(helper + begin + "a[get_local_id(0)] = g(1)" + end)) << "helpers know the order of the launch";
  EXPECT_TRUE(canTurnLast("int h(int x) { return x + 1; }\n" + begin + "a[get_local_id(0)] = h(1)" + end));
}

TEST(TurnTest, AKernelThatAnotherOneCallsStays) {
  Lowered it(
      "__kernel void f(__global int* a) { a[get_local_id(1)] = 1; }\n"
      "__kernel void g(__global int* a) { f(a); }");
  EXPECT_FALSE(canTurn(it.program, *it.program.kernels[0]));
}

TEST(TurnTest, TwoTurnsAreNone) {
  Lowered it(kRows), other(kRows);
  for (int i = 0; i < 2; ++i) turn(it.program, *it.program.kernels[0], 2);
  EXPECT_EQ(it.unit(), other.unit());
}

TEST(TurnTest, LanesThatAreOffCost) {
  EXPECT_DOUBLE_EQ(emptyLanes(16, 16), 1);
  EXPECT_DOUBLE_EQ(emptyLanes(64, 16), 1);
  EXPECT_GT(emptyLanes(17, 16), 1.8);
  EXPECT_GT(emptyLanes(2, 16), emptyLanes(8, 16));
  EXPECT_GT(emptyLanes(8, 16), 1);
}

}  // namespace
}  // namespace manyrt::test
