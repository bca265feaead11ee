// Cliques against what trying all sets finds, on programs that are small enough for that.
#include "graph/memory/clique.h"

#include <gtest/gtest.h>

#include "small_program.h"

namespace manyrt::graph {
namespace {

uint64_t heaviestByTrying(const InterferenceGraph& graph) {
  uint64_t heaviest = 0;
  for (uint32_t set = 0; set < 1u << graph.count(); ++set) {
    uint64_t bytes = 0;
    bool clique = true;
    for (uint32_t i = 0; i < graph.count() && clique; ++i) {
      if ((set >> i & 1) == 0) continue;
      bytes += graph.size[i];
      for (uint32_t k = 0; k < i; ++k) clique = clique && ((set >> k & 1) == 0 || graph.conflicts.test(i, k));
    }
    if (clique) heaviest = std::max(heaviest, bytes);
  }
  return heaviest;
}

TEST(CliqueTest, TheHeaviestCliqueIsTheHeaviestOfAllSets) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const SmallProgram program = randomProgram(random, 12, 12);
    const InterferenceGraph graph(program.temporaries, program.before);
    const std::vector<uint32_t> clique = heaviestClique(graph);
    for (uint32_t a : clique) {
      for (uint32_t b : clique) ASSERT_TRUE(a == b || graph.conflicts.test(a, b));
    }
    ASSERT_EQ(graph.sumOf(clique), heaviestByTrying(graph)) << "round " << round;
  }
}

TEST(CliqueTest, TheGreedyCliqueIsOneAndTakesNoOtherVertex) {
  std::mt19937 random(14);
  for (int round = 0; round < 50; ++round) {
    const SmallProgram program = randomProgram(random, 40, 80);
    const InterferenceGraph graph(program.temporaries, program.before);
    const std::vector<uint32_t> clique = greedyClique(graph);
    for (uint32_t i = 0; i < graph.count(); ++i) {
      const bool member = std::find(clique.begin(), clique.end(), i) != clique.end();
      const bool fits =
          std::all_of(clique.begin(), clique.end(), [&](uint32_t k) { return i == k || graph.conflicts.test(i, k); });
      ASSERT_EQ(fits, member);
    }
  }
}

TEST(CliqueTest, WhatIsLiveInSequenceIsNeverMoreAndInAChainTheSame) {
  std::mt19937 random(12);
  for (int round = 0; round < 200; ++round) {
    SmallProgram program = randomProgram(random, 40, 60);
    const InterferenceGraph graph(program.temporaries, program.before);
    ASSERT_LE(mostLiveInSequence(graph), graph.sumOf(heaviestClique(graph))) << "round " << round;
    for (uint32_t i = 1; i < program.before.size(); ++i) program.before[i] = {i - 1};
    const InterferenceGraph chain(program.temporaries, program.before);
    ASSERT_EQ(mostLiveInSequence(chain), chain.sumOf(heaviestClique(chain))) << "round " << round;
  }
}

}  // namespace
}  // namespace manyrt::graph
