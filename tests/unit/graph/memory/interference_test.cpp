// Edges and predecessors against the definition: every user of one comes before every user of the other.
#include "graph/memory/interference.h"

#include <gtest/gtest.h>

#include "small_program.h"

namespace manyrt::graph {
namespace {

bool allBefore(const Temporary& a, const Temporary& b, const Ancestors& ancestors) {
  return std::all_of(a.users.begin(), a.users.end(), [&](uint32_t x) {
    return std::all_of(b.users.begin(), b.users.end(), [&](uint32_t y) { return ancestors.comesBefore(x, y); });
  });
}

TEST(InterferenceTest, TwoConflictUnlessOneIsOverBeforeTheOtherBegins) {
  std::mt19937 random(13);
  for (int round = 0; round < 100; ++round) {
    SmallProgram program = randomProgram(random, 30, 20 + static_cast<uint32_t>(random() % 120));
    for (Temporary& each : program.temporaries) {  // more users, in no order, some twice
      for (uint64_t more = random() % 4; more > 0; --more) each.users.push_back(static_cast<uint32_t>(random() % 30));
    }
    const Ancestors ancestors(program.before);
    const InterferenceGraph graph(program.temporaries, ancestors);
    for (uint32_t a = 0; a < graph.count(); ++a) {
      for (uint32_t b = 0; b < graph.count(); ++b) {
        if (a == b) continue;
        const Temporary &one = program.temporaries[graph.number[a]], &other = program.temporaries[graph.number[b]];
        const bool over = allBefore(one, other, ancestors);
        ASSERT_EQ(graph.predecessors.test(b, a), over);
        ASSERT_EQ(graph.conflicts.test(a, b), !over && !allBefore(other, one, ancestors));
      }
    }
  }
}

TEST(InterferenceTest, VerticesAreLargestFirstAndOfOneSizeInTheirOrder) {
  const InterferenceGraph graph({{100, {0}}, {1000, {0}}, {0, {}}, {256, {0}}, {5000, {0}}}, Ancestors(Before(1)));
  EXPECT_EQ(graph.number, (std::vector<uint32_t>{4, 1, 0, 3}));
  EXPECT_EQ(graph.size, (std::vector<uint64_t>{5120, 1024, 256, 256}));
}

}  // namespace
}  // namespace manyrt::graph
