// In which loops the places behind the lanes are asked for ahead, and in which that would only cost time.
#include "unit/compiler/lowering/cpu/lanes/lanes_kernel.h"

namespace manyrt::test {
namespace {

constexpr char kAsks[] = "mrt_L::prefetch(";

// A loop through the rows of a grid, `y` being the item's own row. The function of `b` keeps several vectors from going
// together.
std::string rows(const std::string& turn, const std::string& head = "int k = 1; k < n; ++k") {
  return "int y = get_global_id(1); for (" + head + ") { " + turn + " }";
}

TEST(PrefetchTest, ALoopThatGoesFromRowToRowAsksAhead) {
  const std::string bodies[] = {
      rows("int at = k * n * n + y * n + i; a[at] = 2.0f;"),
      rows("a[at] = 2.0f; at += n;", "int k = 1, at = y * n + i; k < n; ++k"),
      rows("a[at] = 2.0f; at = at + n * n;", "int k = 1, at = y * n + i; k < n; ++k"),
      rows("a[y * n + i + k * 4096] = 2.0f;"),
      rows("*(a + k * n * n + y * n + i) = 2.0f;"),
      "int y = get_global_id(1), at = y * n + i, k = 1; while (k < n) { a[at] = 2.0f; at += n * n; ++k; }",
      "int g = get_group_id(1), y = get_local_id(1); for (int k = 0; k < n; ++k) a[g * n + k * n * n + y * n + i] = 2.0f;",
      "int y = get_global_id(1); for (int z = 0; z < n; ++z) for (int k = 0; k < n; ++k) a[z + k * n * n + y * n + i] = 2.0f;",
  };
  for (const std::string& body : bodies) {
    EXPECT_TRUE(contains(textOf(body), kAsks)) << body;
  }
}

TEST(PrefetchTest, WhatCachesHaveIsNotAskedFor) {
  const std::string bodies[] = {
      "a[i] = 2.0f;",                                // no loop
      rows("a[y * n + i + k] = 2.0f;"),              // a neighbour in each turn
      rows("a[y * n + i + 4 * k] = 2.0f;"),          // the same line, or the next
      rows("a[y * n + i] += 2.0f * k;"),             // one place
      rows("a[k * n + i] = 2.0f * y;"),              // all items of a column
      rows("a[(y + k) * n + i] = 2.0f;"),            // the items of the rows around
      rows("a[o[k] * n * n + y * n + i] = 2.0f;"),   // a row that memory names
      rows("a[k * n * n + y * n + 2 * i] = 2.0f;"),  // no neighbours
      rows("a[at] = 2.0f; at = n - at;", "int k = 1, at = y * n + i; k < n; ++k"),
      rows("for (int j = 0; j < n; ++j) a[k * n * n + y * n + i] += j;"),  // in a cache after the first turn
      "int g = get_group_id(0), c = get_local_id(0); for (int k = 0; k < n; ++k) a[k * n + c] = g;",  // all groups
  };
  for (const std::string& body : bodies) EXPECT_FALSE(contains(textOf(body), kAsks)) << body;
}

// Those read whole lines. One vector alone, at the end of a row, asks.
TEST(PrefetchTest, SeveralVectorsTogetherDoNotAsk) {
  const std::string text = textOf("float sum = 0; for (int k = 0; k < n; ++k) sum += a[k * n + i]; a[i] = sum;");
  const size_t together = text.find("auto mrt_j4 = "), alone = text.find("auto mrt_p = ");
  ASSERT_NE(together, std::string::npos) << text;
  ASSERT_NE(alone, std::string::npos) << text;
  const size_t end = text.find("};", together);
  EXPECT_FALSE(contains(text.substr(together, end - together), kAsks)) << text;
  EXPECT_TRUE(contains(text.substr(alone), kAsks)) << text;
}

TEST(PrefetchTest, PlacesBesideEachOtherAreAskedForOnce) {
  const std::string text =
      textOf(rows("int at = k * n * n + y * n + i; float left = a[at - 1], right = a[at + 1]; o[at] = left < right;"));
  size_t asked = 0, written = 0;
  for (size_t at = 0; (at = text.find(kAsks, at)) != std::string::npos; ++at) ++asked;
  for (size_t at = 0; (at = text.find("mrt_L::put_near(", at)) != std::string::npos; ++at) ++written;
  ASSERT_NE(written, 0u) << text;
  EXPECT_EQ(asked, 2 * written) << text;  // of a and of o
}

}  // namespace
}  // namespace manyrt::test
