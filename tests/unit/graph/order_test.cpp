// The plan's algorithms on random graphs: the sequence is valid and the smallest, the reduction reaches what the graph reaches
// and holds nothing that follows, lanes keep order, temporaries that may be live together never share a byte.
#include "graph/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace manyrt::graph {
namespace {

Before randomGraph(std::mt19937& random, uint32_t steps, double density) {
  Before before(steps);
  std::bernoulli_distribution edge(density);
  for (uint32_t i = 0; i < steps; ++i) {
    for (uint32_t first = 0; first < i; ++first) {
      if (edge(random)) before[i].push_back(first);
    }
  }
  return before;
}

// By walking, without bits.
bool reaches(const Before& before, uint32_t first, uint32_t second) {
  std::vector<uint32_t> open{second};
  std::vector<bool> seen(before.size());
  while (!open.empty()) {
    const uint32_t step = open.back();
    open.pop_back();
    for (uint32_t each : before[step]) {
      if (each == first) return true;
      if (!seen[each]) open.push_back(each);
      seen[each] = true;
    }
  }
  return false;
}

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
    const Ancestors ancestors(before);
    const Before fewer = reduced(before, ancestors);
    for (uint32_t a = 0; a < before.size(); ++a) {
      for (uint32_t b = 0; b < before.size(); ++b) {
        const bool wanted = reaches(before, a, b);
        ASSERT_EQ(ancestors.comesBefore(a, b), wanted);
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

TEST(OrderTest, LanesAreChainsAsFarAsTheGraphIsWide) {
  uint32_t count = 0;
  const auto lanes = [&](const Before& before, uint32_t most) {
    const Ancestors ancestors(before);
    return lanesOf(reduced(before, ancestors), ancestors, most, &count);
  };
  EXPECT_EQ(lanes({{}, {0}, {1}, {2}}, 8), (std::vector<uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(lanes({{}, {0}, {0}, {1, 2}, {3}, {3}, {4, 5}}, 8), (std::vector<uint32_t>{0, 0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(count, 2u);
  (void)lanes({{}, {}, {}, {}, {}, {}}, 4);
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(levelsOf({{}, {0}, {0}, {1, 2}, {}}), (std::vector<uint32_t>{0, 1, 1, 2, 0}));
}

std::vector<Temporary> randomTemporaries(std::mt19937& random, uint32_t steps, uint32_t count, uint32_t span) {
  std::vector<Temporary> result;
  for (uint32_t i = 0; i < count; ++i) {
    Temporary one{1 + random() % 100'000, {}};
    const uint32_t first = random() % steps;
    const uint32_t users = 1 + random() % 4;
    for (uint32_t k = 0; k < users; ++k)
      one.users.push_back(std::min(steps - 1, first + static_cast<uint32_t>(random() % span)));
    result.push_back(one);
  }
  return result;
}

void expectApart(const std::vector<Temporary>& temporaries, const Before& before, const MemoryPlan& plan) {
  for (size_t a = 0; a < temporaries.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % 256, 0u);
    EXPECT_LE(plan.offsets[a] + temporaries[a].size, plan.bytes);
    for (size_t b = a + 1; b < temporaries.size(); ++b) {
      const bool share =
          plan.offsets[a] < plan.offsets[b] + temporaries[b].size && plan.offsets[b] < plan.offsets[a] + temporaries[a].size;
      if (!share) continue;
      bool a_first = true, b_first = true;
      for (uint32_t x : temporaries[a].users) {
        for (uint32_t y : temporaries[b].users) {
          a_first = a_first && reaches(before, x, y);
          b_first = b_first && reaches(before, y, x);
        }
      }
      ASSERT_TRUE(a_first || b_first) << a << " and " << b << " may be live at once and share bytes";
    }
  }
}

TEST(OrderTest, TemporariesThatMayBeLiveAtOnceNeverShareABit) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const Before before = randomGraph(random, 80, 0.05);
    const std::vector<Temporary> temporaries = randomTemporaries(random, 80, 30, 20);
    const MemoryPlan plan = planMemory(temporaries, Ancestors(before), 80);
    expectApart(temporaries, before, plan);
    EXPECT_LE(plan.peak, plan.bytes);
    EXPECT_LE(plan.bytes, plan.without_reuse);
  }
}

TEST(OrderTest, AChainsPlanComesCloseToItsPeak) {
  std::mt19937 random(4);
  double sum = 0, worst = 0;
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    constexpr uint32_t kSteps = 200;
    Before chain(kSteps);
    for (uint32_t i = 1; i < kSteps; ++i) chain[i] = {i - 1};
    const std::vector<Temporary> temporaries = randomTemporaries(random, kSteps, 120, 12);
    const MemoryPlan plan = planMemory(temporaries, Ancestors(chain), kSteps);
    expectApart(temporaries, chain, plan);
    const double ratio = static_cast<double>(plan.bytes) / static_cast<double>(plan.peak);
    sum += ratio;
    worst = std::max(worst, ratio);
  }
  RecordProperty("mean_over_peak", std::to_string(sum / kRounds));
  EXPECT_LE(sum / kRounds, 1.05) << "worst " << worst;
}

TEST(OrderTest, WhatNobodyUsesNeedsNoPlace) {
  const MemoryPlan plan = planMemory({{1000, {}}}, Ancestors(Before(1)), 1);
  EXPECT_EQ(plan.bytes, 0u);
  EXPECT_EQ(plan.without_reuse, 0u);
}

}  // namespace
}  // namespace manyrt::graph
