// Branches keep the order of their steps and are as many as the graph is wide.
#include "graph/plan/branches.h"

#include <gtest/gtest.h>

#include "graph_shapes.h"
#include "unit/graph/random_graph.h"

namespace manyrt::graph {
namespace {

TEST(BranchesTest, BranchesAreChainsAsFarAsTheGraphIsWide) {
  uint32_t count = 0;
  const auto branches = [&](const Before& before, uint32_t most) { return branchesOf(reduced(before), most, &count); };
  EXPECT_EQ(branches({{}, {0}, {1}, {2}}, 8), (std::vector<uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(branches({{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}}, 8), (std::vector<uint32_t>{0, 0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(count, 2u);
  (void)branches({{}, {}, {}, {}, {}, {}}, 4);
  EXPECT_EQ(count, 4u);
}

// A step goes on in a branch whose last step comes before it, if there is one, whatever the shape.
TEST(BranchesTest, AStepStartsABranchOnlyIfItComesAfterNoLastStep) {
  for (const bench::GraphShape& shape : bench::kGraphShapes) {
    const Before before = reduced(shape.make(400));
    const Closure closure(before);
    uint32_t count = 0;
    const std::vector<uint32_t> branches = branchesOf(before, 16, &count);
    std::vector<uint32_t> last;
    for (uint32_t i = 0; i < before.size(); ++i) {
      bool found = false;
      for (uint32_t each : last) found = found || closure.comesBefore(each, i);
      if (branches[i] == last.size()) {
        ASSERT_FALSE(found) << shape.name << ", step " << i;
        last.push_back(i);
        continue;
      }
      ASSERT_LT(branches[i], last.size());
      ASSERT_EQ(closure.comesBefore(last[branches[i]], i), found) << shape.name << ", step " << i;
      last[branches[i]] = i;
    }
    ASSERT_EQ(last.size(), count);
  }
}

}  // namespace
}  // namespace manyrt::graph
