// Which calls of sincos become two values. Their bits are compared in tests/kernels.
#include "compiler/lowering/cpu/second_result.h"

#include "unit/compiler/lowering/cpu/lanes/lanes_kernel.h"

namespace manyrt::test {
namespace {

bool isSeparated(const std::string& body) {
  const std::string text = textOf(body);
  EXPECT_NE(contains(text, "mrt_sincos"), contains(text, "mrt_cos_float") && !contains(text, "mrt_sincos")) << text;
  return !contains(text, "mrt_sincos");
}

TEST(SecondResultTest, SincosIntoAVariableIsTwoValues) {
  EXPECT_TRUE(isSeparated("float c; float s = sincos(a[i] * 2.0f, &c); a[i] = s + c;"));
  EXPECT_TRUE(isSeparated("float c; a[i] = sincos(a[i], &c); a[n] = sincos(c * c, &c) + 1; a[i] += c;") == false);
  EXPECT_TRUE(isSeparated("float4 c; v[i] = sincos(v[i], &c); v[n] = c;"));
}

TEST(SecondResultTest, AVariableThatIsReachedOtherwiseStaysMemory) {
  EXPECT_FALSE(isSeparated("float c; float* p = &c; a[i] = sincos(a[i], &c) + *p;"));
  EXPECT_FALSE(isSeparated("float c[2]; a[i] = sincos(a[i], c + 1) + c[1];"));
  EXPECT_FALSE(isSeparated("float c = 1; a[i] = sincos(a[i] + c, &c) + c;"));           // it is in the operand
  EXPECT_FALSE(isSeparated("float c; int k = n; a[i] = sincos(a[k++], &c) + c + k;"));  // which may not run twice
}

}  // namespace
}  // namespace manyrt::test
