// Which variables of one or two bytes become ints. Their values are compared in tests/kernels (narrow_choices).
#include "compiler/lowering/cpu/wide_locals.h"

#include "unit/compiler/lowering/cpu/lanes/lanes_kernel.h"

namespace manyrt::test {
namespace {

// `type` x, which `loop` sets.
bool isWidened(const std::string& loop, const std::string& type = "uchar", const std::string& head = "") {
  const std::string text = textOf("float best = 0; int y = o[i]; " + head + type + " x = 0; for (uint k = 0; k < by; ++k) {" +
                                  loop + "} o[i] = x + y; a[i] = best;");
  const bool narrow = contains(text, "mrt_L::v<unsigned char> x_") || contains(text, "mrt_L::v<char> x_") ||
                      contains(text, "mrt_L::v<signed char> x_") || contains(text, "mrt_L::v<short> x_") ||
                      contains(text, "mrt_L::v<unsigned short> x_");
  EXPECT_NE(narrow, contains(text, "mrt_L::v<int> x_")) << text;
  return !narrow;
}

TEST(WideLocalsTest, WhatALoopSetsWhereWideNumbersDecide) {
  for (const char* type : {"uchar", "char", "ushort", "short"}) {
    const std::string set = std::string("x = (") + type + ")k; ";
    EXPECT_TRUE(isWidened("if (a[k * n + i] > best) { best = a[k * n + i]; " + set + "}", type));
    EXPECT_TRUE(isWidened("y ^= x; if (o[k * n + i] > y) { y = 3; } else { " + set + "}", type));
    EXPECT_TRUE(isWidened("x = a[k * n + i] > 3 ? (" + std::string(type) + ")k : x;", type));
  }
}

TEST(WideLocalsTest, TheOthersStayAsTheyAre) {
  const std::string set = "x = (uchar)k;";
  EXPECT_FALSE(isWidened("if (((__global uchar*)o)[k * n + i] > x) { " + set + "}"));            // narrow masks
  EXPECT_FALSE(isWidened("if (a[k * n + i] > best) { x = ((__global uchar*)o)[k * n + i]; }"));  // never wide
  EXPECT_FALSE(isWidened("if (a[k * n + i] > best) { " + set + "} x += a[i] > 5;"));
  EXPECT_FALSE(isWidened("if (a[k * n + i] > best) { " + set + "} ++x;"));
  EXPECT_FALSE(isWidened("if (a[k * n + i] > best) { y = x = (uchar)k; }"));
}

}  // namespace
}  // namespace manyrt::test
