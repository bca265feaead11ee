// Which counters of loops become two variables. That results stay the same is tested in tests/kernels.
#include "compiler/lowering/cpu/loop_counters.h"

#include <regex>
#include <set>

#include "unit/compiler/lowering/cpu/lanes/lanes_kernel.h"

namespace manyrt::test {
namespace {

// How many variables named k the text of a kernel has.
size_t counters(const std::string& body) {
  Lowered it(lanesKernel(body));
  const std::string text = it.quick();
  std::set<std::string> found;
  const std::regex pattern("\\bk_[0-9]+\\b");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at) {
    found.insert(at->str());
  }
  return found.size();
}

TEST(LoopCountersTest, WhatIsReadBehindALoopHasACopyInside) {
  EXPECT_EQ(counters("int k = 0; while (k < n && o[i + k] == o[k]) ++k; o[i] = k;"), 2u);
  EXPECT_EQ(counters("uint k = 1; while (o[i + k]) { o[i] += o[k]; k += 2; } o[i] = k;"), 2u);
  EXPECT_EQ(counters("int k = 0; for (; o[i + k]; k++) { if (o[k] > 3) continue; o[i] += k; } o[i] = k;"), 2u);
  EXPECT_EQ(counters("int k = 0; for (int j = n; j > 0; --j, ++k) if (o[i + k] == j) break; o[i] = k;"), 2u);
}

TEST(LoopCountersTest, OtherVariablesAreLeftAlone) {
  EXPECT_EQ(counters("int k = 0; while (o[i + k]) ++k; o[i] = n;"), 1u);                                 // not read
  EXPECT_EQ(counters("int k = 0; while (o[i]) { if (o[k] > 3) ++k; o[i] -= 1; } o[i] = k;"), 1u);        // some lanes step
  EXPECT_EQ(counters("int k = 0; while (o[i]) { if (o[k] > 3) continue; ++k; } o[i] = k;"), 1u);         // or go on before
  EXPECT_EQ(counters("int k = i; while (o[k]) ++k; o[i] = k;"), 1u);                                     // it differs at once
  EXPECT_EQ(counters("int k = 0; while (o[k]) ++k; k *= 2; o[i] = k;"), 1u);                             // changed elsewhere
  EXPECT_EQ(counters("int k = 0; int* p = &k; while (o[k]) { ++k; *p += 1; } o[i] = k;"), 1u);           // or behind a pointer
  EXPECT_EQ(counters("int k = 0; while (k < n) { barrier(CLK_LOCAL_MEM_FENCE); ++k; } o[i] = k;"), 1u);  // the group's
  EXPECT_EQ(counters("int k = 0; do { ++k; } while (o[i + k]); o[i] = k;"), 1u);                         // it has no head
}

TEST(LoopCountersTest, InsideTheLoopItIsAScalar) {
  const std::string text = textOf("int k = 0; while (k < n && a[i + k] == a[k]) ++k; o[i] = k;");
  EXPECT_TRUE(std::regex_search(text, std::regex("int k_[0-9]+ = 0;\nfor"))) << text;
  EXPECT_TRUE(contains(text, "mrt_L::near("));
  EXPECT_FALSE(contains(text, "mrt_L::at("));
}

}  // namespace
}  // namespace manyrt::test
