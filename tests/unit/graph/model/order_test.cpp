// The algorithms of order on random graphs. The sequence is valid and the smallest; the reduction reaches what the graph
// reaches and holds nothing that follows.
#include "graph/model/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "graph_shapes.h"
#include "unit/graph/random_graph.h"

namespace manyrt::graph {
namespace {

TEST(OrderTest, ASequenceIsValidAndTakesTheSmallestFirst) {
  EXPECT_EQ(sequenceOf({{2}, {}, {}, {0, 1}}), (std::vector<uint32_t>{1, 2, 0, 3}));
  EXPECT_TRUE(sequenceOf({}).empty());
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    Before before = randomGraph(random, 60, 0.1);
    // Under other names: the numbers themselves are no order.
    std::vector<uint32_t> names(before.size());
    for (uint32_t i = 0; i < names.size(); ++i) names[i] = i;
    std::shuffle(names.begin(), names.end(), random);
    Before renamed(before.size());
    for (uint32_t i = 0; i < before.size(); ++i) {
      for (uint32_t first : before[i]) renamed[names[i]].push_back(names[first]);
    }
    const std::vector<uint32_t> sequence = sequenceOf(renamed);
    ASSERT_EQ(sequence.size(), renamed.size());
    std::vector<uint32_t> place(sequence.size());
    for (uint32_t i = 0; i < sequence.size(); ++i) place[sequence[i]] = i;
    for (uint32_t i = 0; i < renamed.size(); ++i) {
      for (uint32_t first : renamed[i]) ASSERT_LT(place[first], place[i]);
    }
    for (uint32_t i = 0; i + 1 < sequence.size(); ++i) {  // a smaller one that comes later had to wait
      if (sequence[i + 1] < sequence[i]) {
        const std::vector<uint32_t>& waits = renamed[sequence[i + 1]];
        ASSERT_NE(std::find(waits.begin(), waits.end(), sequence[i]), waits.end());
      }
    }
  }
}

TEST(OrderTest, ACircleLeavesStepsOut) { EXPECT_EQ(sequenceOf({{}, {2}, {1}, {0}}).size(), 2u); }

TEST(OrderTest, AReductionReachesTheSameAndHoldsNothingThatFollows) {
  std::mt19937 random(2);
  for (int round = 0; round < 30; ++round) {
    const Before before = randomGraph(random, 70, 0.02 + 0.01 * round);
    const Before fewer = reduced(before);
    for (uint32_t a = 0; a < before.size(); ++a) {
      for (uint32_t b = 0; b < before.size(); ++b) {
        const bool wanted = reaches(before, a, b);
        ASSERT_EQ(reaches(fewer, a, b), wanted);
      }
    }
    for (uint32_t i = 0; i < fewer.size(); ++i) {
      for (uint32_t first : fewer[i]) {
        Before without = fewer;
        std::erase(without[i], first);
        ASSERT_FALSE(reaches(without, first, i)) << "a dependency follows from the others";
      }
    }
  }
}

// More steps than one sweep has bits for.
TEST(OrderTest, AReductionOfEveryShapeKeepsWhatDoesNotFollow) {
  for (const bench::GraphShape& shape : bench::kGraphShapes) {
    Before before = shape.make(1300);
    std::mt19937 random(3);
    for (uint32_t i = 2; i < before.size(); ++i) {  // some that follow, and some that are given twice
      if (random() % 4 != 0 || before[i].empty()) continue;
      const std::vector<uint32_t>& further = before[before[i].front()];
      before[i].push_back(further.empty() ? before[i].front() : further.back());
    }
    const Closure closure(before);
    const Before fewer = reduced(before);
    for (uint32_t i = 0; i < before.size(); ++i) {
      std::vector<uint32_t> wanted = before[i];
      std::sort(wanted.begin(), wanted.end());
      wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
      std::erase_if(wanted, [&](uint32_t first) {
        return std::any_of(before[i].begin(), before[i].end(),
                           [&](uint32_t other) { return closure.comesBefore(first, other); });
      });
      ASSERT_EQ(fewer[i], wanted) << shape.name << ", step " << i;
    }
  }
}

// A bit for each pair would take 125 GB.
TEST(OrderTest, AReductionOfAMillionStepsTakesNoMemoryForPairs) {
  Before before(1'000'000);
  for (uint32_t i = 1; i < before.size(); ++i) {
    before[i] = {i - 1};
    if (i % 1000 == 0) before[i] = {i - 1000, i - 1};
  }
  const Before fewer = reduced(before);
  for (uint32_t i = 1; i < before.size(); ++i) ASSERT_EQ(fewer[i], std::vector<uint32_t>{i - 1});
}

TEST(OrderTest, ALevelIsTheLengthOfTheLongestWayThere) {
  EXPECT_EQ(levelsOf({{}, {0}, {0}, {1, 2}, {}}), (std::vector<uint32_t>{0, 1, 1, 2, 0}));
}

}  // namespace
}  // namespace manyrt::graph
