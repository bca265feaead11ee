// Branches keep the order of their steps and are as many as the graph is wide.
#include "graph/plan/branches.h"

#include <gtest/gtest.h>

namespace manyrt::graph {
namespace {

TEST(BranchesTest, BranchesAreChainsAsFarAsTheGraphIsWide) {
  uint32_t count = 0;
  const auto branches = [&](const Before& before, uint32_t most) {
    const Ancestors ancestors(before);
    return branchesOf(reduced(before, ancestors), ancestors, most, &count);
  };
  EXPECT_EQ(branches({{}, {0}, {1}, {2}}, 8), (std::vector<uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(branches({{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}}, 8), (std::vector<uint32_t>{0, 0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(count, 2u);
  (void)branches({{}, {}, {}, {}, {}, {}}, 4);
  EXPECT_EQ(count, 4u);
}

}  // namespace
}  // namespace manyrt::graph
