// In which loops the places behind the lanes are asked for ahead, and in which that would only cost time.
#include <algorithm>

#include "unit/compiler/lowering/cpu/lanes/lanes_kernel.h"

namespace manyrt::test {
namespace {

constexpr char kAsks[] = "mrt_L::prefetch(";

// A loop through a grid, `y` being the item's own row.
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

size_t countOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(PrefetchTest, PlacesInOneLineAreAskedForOnce) {
  // Two places of a, and o.
  const auto asked = [](const std::string& one, const std::string& other) {
    const std::string text = textOf(rows("int at = k * n * n + y * n + i; o[at] = a[" + one + "] < a[" + other + "];"));
    const size_t written = countOf(text, "mrt_L::put_near(");
    EXPECT_NE(written, 0u) << text;
    EXPECT_EQ(countOf(text, kAsks) % written, 0u) << text;
    return countOf(text, kAsks) / std::max<size_t>(written, 1);
  };
  EXPECT_EQ(asked("at - 1", "at + 1"), 2u);
  EXPECT_EQ(asked("at", "at"), 2u);
  EXPECT_EQ(asked("at - n", "at + n"), 3u);
  EXPECT_EQ(asked("at", "at + 4096"), 3u);
  EXPECT_EQ(asked("k * n * n + (y - 1) * n + i", "k * n * n + (y + 1) * n + i"), 3u);
  EXPECT_EQ(asked("k * n * n + y * n + (i - 1)", "k * n * n + y * n + (i + 1)"), 2u);
}

// Each variable stands for sixteen of the one before: followed through each of them, they would never end.
TEST(PrefetchTest, LongChainsOfVariablesAreFollowedOnce) {
  std::string chain = "int v0 = k * n * n + y * n + i;";
  for (int v = 1; v < 12; ++v) {
    const std::string before = "v" + std::to_string(v - 1);
    chain += " int v" + std::to_string(v) + " = " + before;
    for (int use = 0; use < 8; ++use) chain += " + " + before + " - " + before;
    chain += ";";
  }
  EXPECT_TRUE(contains(textOf(rows(chain + " a[v11] = 2.0f;")), kAsks));
}

TEST(PrefetchTest, AVariableThatBeginsWithItselfIsUnknown) {
  EXPECT_FALSE(contains(textOf(rows("int at = at + k * n * n + y * n + i; a[at] = 2.0f;")), kAsks));
  EXPECT_FALSE(contains(textOf(rows("int at = at; a[at * n + y * n + i] = 2.0f;")), kAsks));
}

// ---- Groups that run one by one

std::string groups(const std::string& body) {
  return Lowered(
             "__kernel void f(__global const float* in, __global float* out, int n) { __local float tile[16][17];\n"
             "int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);\n" +
             body + "}")
      .unit();
}
const char kAsksForGroups[] = "mrt_L::prefetch_groups((";

TEST(PrefetchTest, GroupsOfRowsAskForWhatLaterOnesRead) {
  const std::string turn = "barrier(CLK_LOCAL_MEM_FENCE); out[x * n + y] = tile[lx][ly];";
  EXPECT_TRUE(contains(groups("tile[ly][lx] = in[y * n + x]; " + turn), kAsksForGroups));
  EXPECT_TRUE(contains(groups("if (x < n && y < n) tile[ly][lx] = in[y * n + x]; " + turn), kAsksForGroups));
}

TEST(PrefetchTest, WhatManyGroupsReadAndGroupsThatJoinAreNotAskedFor) {
  const std::string turn = "barrier(CLK_LOCAL_MEM_FENCE); out[x * n + y] = tile[lx][ly];";
  for (const char* read : {"in[ly * n + x]", "in[y * n + lx]", "in[x]", "in[y]", "in[x * n + y]"}) {
    EXPECT_FALSE(contains(groups("tile[ly][lx] = " + std::string(read) + "; " + turn), kAsksForGroups)) << read;
  }
  const std::string joined = Lowered(
                                 "__kernel void f(__global const float* in, __global float* out, int n) {\n"
                                 "int x = get_global_id(0), y = get_global_id(1); out[y * n + x] = in[y * n + x] + 1; }")
                                 .unit();
  EXPECT_FALSE(contains(joined, kAsksForGroups));
}

}  // namespace
}  // namespace manyrt::test
