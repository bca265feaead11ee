// Which regions run as the lanes of vectors, how they follow control, and the reason in the build log where one does not.
#include "unit/compiler/lowering/cpu/lanes/lanes_kernel.h"

namespace manyrt::test {
namespace {

TEST(LaneTextTest, TheLogSaysThatARegionIsLanes) {
  const std::string lanes = "The work-items of \"f\" are from here on the lanes of vectors.";
  const std::string helpers =
      "typedef struct { float x; int k[3]; } R;\n"
      "R made(float x, int k) { R r = {x, {k}}; if (k > 2) return r; r.k[k & 1] = 3; return r; }\n"
      "void swapped(float* x, float* y) { float t = *x; *x = *y; *y = t; }\n";
  const char* bodies[] = {
      "a[i] = a[i] > 1.0f ? 2.0f : a[i];",
      "while (a[i] < 9.0f) { a[i] *= 2.0f; if (a[i] == 4.0f) break; }",
      "float4 x = v[i].wzyx; x.xy += 1.0f; v[i] = any(isless(x, v[i])) ? x : normalize(x);",
      "float t[4] = {1, 2}; t[i & 3] += a[i]; a[i] = t[0] + t[3];",
      "R r = made(a[i], i & 3); float x = a[i], y = r.x; swapped(&x, &y); a[i] = x + r.k[i & 1];",
      "switch (i & 3) { case 0: a[i] = 1; break; case 2: a[i] = 3; default: o[i] = i; }",
      "__global float* mine = a + i * n; for (int k = 0; k < n; ++k) mine[k] = sqrt(mine[k]) * mine[k] + k * 0.5f - mine[0] / "
      "3;",
  };
  for (const char* body : bodies)
    EXPECT_NE(remarksOf(body, helpers).find(lanes), std::string::npos) << body << remarksOf(body, helpers);
}

// Pointers that differ from lane to lane are places where they stand still, and numbers of 64 bits where they move.
TEST(LaneTextTest, PointersThatMoveAreNumbers) {
  const char* bodies[] = {
      "__global float* p = a + i; float s = 0; for (int k = 0; k < n; ++k) { s += sqrt(*p); p += n; } a[i] = s;",
      "int t[2] = {i, n}, u[2] = {1, i}, *p = i & 1 ? t : u; o[i] = p[1] * p[0] + (p == t) + o[i] / 3;",
      "struct { int* at; } r; int t[2] = {i, n}; r.at = t; *r.at++ += 3; o[i] = *r.at * t[0] + o[i] / 3;",
  };
  const std::string lanes = "The work-items of \"f\" are from here on the lanes of vectors.";
  for (const char* body : bodies) {
    EXPECT_NE(remarksOf(body).find(lanes), std::string::npos) << body << remarksOf(body);
    EXPECT_EQ(textOf(body).find("mrt_refused"), std::string::npos) << body;
  }
}

// Where an address is a number, or elements have another size, an object of a lane lies in one piece.
TEST(LaneTextTest, ObjectsAreMadeOfVectorsUnlessSomethingSeesTheirBytes) {
  const auto is_contiguous = [](const char* body) {
    return textOf(body).find("__asm__ volatile(\"\" : : \"r\"(") != std::string::npos;
  };
  EXPECT_FALSE(is_contiguous("int t[4] = {1, 2}; t[i & 3] += i; o[i] = t[0] + t[3] + o[i] / 3;"));
  EXPECT_FALSE(is_contiguous("float x = a[i]; o[i] = *(int*)&x + o[i] / 3;"));
  EXPECT_FALSE(is_contiguous("int t[4] = {1, 2}, *p = t + (i & 1); o[i] = p[1] + o[i] / 3;"));
  EXPECT_TRUE(is_contiguous("int x = o[i]; o[i] = ((uchar*)&x)[1] + o[i] / 3;"));
  EXPECT_TRUE(is_contiguous("int t[4] = {1, 2}, *p = t; p += i & 1; o[i] = *p + o[i] / 3;"));
  EXPECT_TRUE(is_contiguous("int t[4] = {1, 2}; o[i] = ((long)t & 3) + t[i & 3] + o[i] / 3;"));
}

TEST(LaneTextTest, TheLogSaysWhyARegionIsNot) {
  const struct {
    const char* body;
    const char* reason;
  } cases[] = {
      {"float s = 0; for (int k = o[i]; k < o[i + 1]; ++k) s += a[k] * a[o[k]]; a[i] = s;", "gathers and scatters cost more"},
      {"again: a[i] *= 2.0f; if (a[i] < 9.0f) goto again;", "it has a goto"},
      {"volatile int k = i; o[i] = k;", "volatile"},
      {"union { int i; float f; } u; u.f = a[i]; o[i] = u.i;", "members that are not numeric"},
  };
  for (const auto& each : cases) {
    const std::string found = remarksOf(each.body);
    EXPECT_NE(found.find("test.cl:"), std::string::npos) << found;
    EXPECT_NE(found.find(each.reason), std::string::npos) << each.body << "\n" << found;
    EXPECT_NE(found.find("left to the compiler's vectoriser: "), std::string::npos) << found;
  }
}

TEST(LaneTextTest, WhatAllLanesComputeFromOneConditionHasNoMask) {
  const std::string text = textOf("if (n > 3) a[i] = 1.0f; for (int k = 0; k < n; ++k) a[i] += k;");
  EXPECT_NE(text.find("if ((n_"), std::string::npos) << text;
  EXPECT_EQ(text.find("mrt_L::any("), std::string::npos) << text;
}

// Most vectors lie on one side of a border, and go through a text without masks.
TEST(LaneTextTest, WhereLanesMostlyAgreeThereAreNoMasks) {
  const auto count = [](const std::string& condition, const std::string& part) {
    const std::string text = textOf("if (" + condition + ") o[i] = 1111 + o[i + 1]; else o[i] = 2222 - o[i + 2];");
    size_t found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at) ++found;
    return found;
  };
  const struct {
    const char* condition;
    bool all, none;
  } cases[] = {{"i == n", false, true},
               {"i != n", true, false},
               {"i < n", true, true},
               {"n >= i", true, true},
               {"i > 3 && i < n", true, true},
               {"i == 3 || i == n", false, true},
               {"!(i == n)", true, false},
               {"n > 3 && i == n", false, true},
               {"(uint)i - 3u < by", true, true},
               {"2 * i + 1 > n || i == 3", true, true},
               {"a[i] > 0.0f", false, false},
               {"i < n && a[i] > 0.0f", false, true},
               {"i % 7 == 3", false, false},
               {"i == o[i]", false, false},
               {"a[i] > 0.0f || i == o[n]", false, false},
               {"(short)i == n", false, false}};
  for (const auto& each : cases) {  // with a text for whole vectors and one for the end of a row
    EXPECT_EQ(count(each.condition, "1111"), each.all ? 3u : 2u) << each.condition;
    EXPECT_EQ(count(each.condition, "2222"), each.none ? 3u : 2u) << each.condition;
  }
  // Too short, too long, or a way out.
  for (const char* body : {"int s = 0; if (i == n) s = 1111; else s = 2222; o[i] = s;", "if (i == n) return; o[i] = 1111;",
                           "if (i == n) o[i] = 3; else { for (int k = 0; k < n; ++k) a[i] += k; o[i] = 1111; }",
                           "for (int k = 0; k < n; ++k) { if (i == k) break; o[i] = 1111; }"}) {
    const std::string text = textOf(body);
    EXPECT_EQ(text.find("1111", text.find("1111", text.find("1111") + 1) + 1), text.npos) << body;
  }
}

// Written out, the last of these helpers would be 2^30 times the first.
TEST(LaneTextTest, HelpersThatGrowWithEachCallAreTooLong) {
  std::string before = "int a0(int x) { return x; } int b0(int x) { return x + 1; }\n";
  for (int i = 1; i < 30; ++i) {
    const std::string one = std::to_string(i - 1), own = std::to_string(i);
    const std::string calls = "(int x) { return a" + one + "(x) + b" + one + "(x + 1); }\n";
    before += "int a" + own + calls + "int b" + own + calls;
  }
  EXPECT_TRUE(contains(remarksOf("if (i < 0) o[i] = a29(i);", before), "it is too long"));
}

}  // namespace
}  // namespace manyrt::test
