// Which values of a name become variables of their own. That results stay the same is tested in tests/kernels.
#include "compiler/lowering/cpu/live_ranges.h"

#include <regex>
#include <set>

#include "unit/compiler/lowering/lowered.h"

namespace manyrt::test {
namespace {

// How many variables of that name the text of a kernel has.
size_t variablesOf(const std::string& name, const std::string& body) {
  Lowered it("__kernel void f(__global int* a, __global int* o, int n, __local int* t) {\nint i = get_global_id(0);\n" + body +
             "\n}");
  const std::string text = it.quick();
  std::set<std::string> found;
  const std::regex pattern("\\b" + name + "_[0-9]+\\b");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at) {
    found.insert(at->str());
  }
  return found.size();
}

TEST(LiveRangesTest, ANameThatIsUsedAgainIsAnotherVariable) {
  EXPECT_EQ(variablesOf("x", "int x = a[i]; o[i] = x; x = a[n]; o[n] = x;"), 2u);
  EXPECT_EQ(variablesOf("x", "int x; x = a[i]; o[i] = x; x = a[n]; o[n] = x; x = a[2]; o[2] = x;"), 3u);
}

TEST(LiveRangesTest, AValueThatIsChangedInPlaceKeepsItsVariable) {
  EXPECT_EQ(variablesOf("x", "int x = a[i]; x += 3; x++; o[i] = x;"), 1u);
  EXPECT_EQ(variablesOf("x", "int4 x = (int4)(a[i]); x.y = 3; o[i] = x.x + x.y;"), 1u);
}

TEST(LiveRangesTest, ValuesThatMeetAreOneVariable) {
  EXPECT_EQ(variablesOf("x", "int x = 0; if (a[i] > 3) x = a[n]; o[i] = x;"), 1u);
  EXPECT_EQ(variablesOf("x", "int x; if (a[i] > 3) x = a[n]; else x = 5; o[i] = x;"), 1u);
  EXPECT_EQ(variablesOf("x", "int x = 1; o[n] = a[i] > 3 ? (x = a[n]) : 4; o[i] = x;"), 1u);
  EXPECT_EQ(variablesOf("x", "int x = 1; if (a[i] > 3 && (x = a[n]) > 2) o[n] = 1; o[i] = x;"), 1u);
  EXPECT_EQ(variablesOf("x", "int x = 1; switch (a[i]) { case 1: x = 2; case 2: o[n] = x; break; default: x = 3; } o[i] = x;"),
            1u);
}

TEST(LiveRangesTest, WhatARoundOfALoopLeavesToTheNextIsOneVariable) {
  EXPECT_EQ(variablesOf("x", "int x = 0; for (int k = 0; k < n; ++k) { o[k] = x; x = a[k]; }"), 1u);
  EXPECT_EQ(variablesOf("x", "int x = 0; for (int k = 0; k < n; ++k) { if (a[k]) { x = a[k]; continue; } o[k] = x; x = 9; }"),
            1u);
  EXPECT_EQ(variablesOf("x", "int x = 0; do { o[n] = x; x = a[i]; if (x > 3) break; x = 2; } while (x < n); o[i] = x;"), 1u);
  // What it assigns first, it needs from no round before.
  EXPECT_EQ(variablesOf("x", "int x = 5; o[i] = x; for (int k = 0; k < n; ++k) { x = a[k]; o[k] = x; }"), 2u);
}

TEST(LiveRangesTest, ACounterOfSeveralLoopsIsAVariableOfEach) {
  EXPECT_EQ(variablesOf("k", "int k; for (k = 0; k < n; ++k) o[k] = a[k]; for (k = 1; k < n; ++k) o[k] += a[k];"), 2u);
  EXPECT_EQ(variablesOf("k", "int k; for (k = 0; k < n; ++k) if (a[k] > 3) break; for (; k < n; ++k) o[k] = 1;"), 1u);
}

TEST(LiveRangesTest, WhatAnInitialiserBesideItAssignsIsDeclaredBeforeIt) {
  for (const char* const rest : {"o[0] = y;", "o[0] = x + y;", "x = 3; o[0] = x + y;", "if (y) { x = 3; o[0] = x; }"}) {
    Lowered it(std::string("__kernel void f(__global int* o) { int x, y = (x = o[1]) + 1; ") + rest + " }");
    const std::string text = it.quick();
    std::smatch set;
    ASSERT_TRUE(std::regex_search(text, set, std::regex("\\((x_[0-9]+) = \\(o")));
    EXPECT_TRUE(std::regex_search(text, std::regex("int " + set[1].str() + "\\b"))) << text;
  }
}

TEST(LiveRangesTest, WhatIsReachedBeyondItsNameStaysAsItIs) {
  EXPECT_EQ(variablesOf("x", "int x = a[i]; int* p = &x; o[i] = *p; x = a[n]; o[n] = *p;"), 1u);
  EXPECT_EQ(variablesOf("x", "int x = a[i]; o[i] = x; again: x = a[n]; o[n] = x; if (x > 3) goto again;"), 1u);
  EXPECT_EQ(variablesOf("x", "volatile int x = a[i]; o[i] = x; x = a[n]; o[n] = x;"), 1u);
}

TEST(LiveRangesTest, AValueThatIsMadeBehindABarrierIsNotKeptAcrossIt) {
  const std::string head = "__kernel void f(__global float* a, __local float* t, int w) {\n";
  Lowered it(head + "int x = get_global_id(0); t[get_local_id(0)] = a[x]; barrier(1); x = get_local_id(0) * w; a[x] = t[0]; }");
  EXPECT_EQ(it.quick().find("mrt_x_x"), std::string::npos);  // the array over the items
  Lowered kept(head + "int x = a[w]; t[get_local_id(0)] = x; x = a[get_local_id(0)]; barrier(1); a[x] = t[0]; }");
  EXPECT_NE(kept.quick().find("mrt_x_x"), std::string::npos);
}

TEST(LiveRangesTest, ADeclarationGoesToTheBlockThatUsesIt) {
  Lowered it("__kernel void f(__global int* a, int n) { int x; for (int k = 0; k < n; ++k) { x = a[k]; a[k] = x * x; } }");
  const std::string text = it.quick();
  const size_t loop = text.find("for ("), declared = text.find("int x_");
  ASSERT_NE(declared, std::string::npos) << text;
  EXPECT_LT(text.find("k_"), declared);
  EXPECT_NE(loop, std::string::npos);
  EXPECT_EQ(countOf(text, "int x_"), 1u);
}

}  // namespace
}  // namespace manyrt::test
