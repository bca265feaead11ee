// Offsets keep apart what conflicts, and the local search only ever makes a plan smaller.
#include "graph/memory/placement.h"

#include <gtest/gtest.h>

#include "graph/memory/clique.h"
#include "graph_shapes.h"
#include "small_program.h"

namespace manyrt::graph {
namespace {

// Every offset of every vertex, in steps of 256 bytes.
bool fitsByTrying(const InterferenceGraph& graph, uint64_t limit, std::vector<uint64_t>& offsets) {
  const auto vertex = static_cast<uint32_t>(offsets.size());
  if (vertex == graph.count()) return true;
  for (uint64_t at = 0; at + graph.size[vertex] <= limit; at += 256) {
    offsets.push_back(at);
    bool free = true;
    for (uint32_t other = 0; other < vertex && free; ++other) {
      free = !graph.conflicts.test(vertex, other) || at + graph.size[vertex] <= offsets[other] ||
             offsets[other] + graph.size[other] <= at;
    }
    if (free && fitsByTrying(graph, limit, offsets)) return true;
    offsets.pop_back();
  }
  return false;
}
bool fits(const InterferenceGraph& graph, uint64_t limit) {
  std::vector<uint64_t> offsets;
  return fitsByTrying(graph, limit, offsets);
}

TEST(PlacementTest, TheSearchNeverMakesAPlanLargerOrPutsTwoOverEachOther) {
  std::mt19937 random(15);
  for (int round = 0; round < 40; ++round) {
    const SmallProgram program = randomProgram(random, 40, 60);
    const InterferenceGraph graph(program.temporaries, program.before);
    Placement placement = placeLargestFirst(graph);
    ASSERT_TRUE(apart(graph, placement.offset));
    const uint64_t before = placement.bytes;
    improve(&placement, 0, graph);
    EXPECT_LE(placement.bytes, before);
    EXPECT_TRUE(apart(graph, placement.offset));
    for (uint32_t i = 0; i < graph.count(); ++i) EXPECT_LE(placement.offset[i] + graph.size[i], placement.bytes);
  }
}

TEST(PlacementTest, TheSearchFindsTheBestPlanOfSmallPrograms) {
  std::mt19937 random(13);
  int worse = 0;
  for (int round = 0; round < 200; ++round) {
    const SmallProgram program = randomProgram(random, 12, 8);
    const InterferenceGraph graph(program.temporaries, program.before);
    const uint64_t least = graph.sumOf(heaviestClique(graph));
    Placement placement = placeLargestFirst(graph);
    improve(&placement, least, graph);
    ASSERT_GE(placement.bytes, least);
    if (placement.bytes > least && fits(graph, placement.bytes - 256)) ++worse;
  }
  EXPECT_EQ(worse, 0);
}

// In a row where each lives beside the next: against the bottom and against the limit in turn all fit.
TEST(PlacementTest, SqueezingFindsThePlanOfARowOfPairs) {
  std::mt19937 random(18);
  constexpr uint32_t kSteps = 3000;
  SmallProgram program{Before(kSteps), {}};
  for (uint32_t i = 1; i < kSteps; ++i) {
    program.before[i] = {i - 1};
    program.temporaries.push_back({1 + random() % 100'000, {i - 1, i}});
  }
  const InterferenceGraph graph(program.temporaries, program.before);
  const uint64_t least = mostLiveInSequence(graph);
  Placement placement = placeLargestFirst(graph);
  ASSERT_GT(placement.bytes, least) << "too easy";
  squeeze(&placement, least, graph);
  EXPECT_EQ(placement.bytes, least);
  EXPECT_TRUE(apart(graph, placement.offset));
}

TEST(PlacementTest, EveryWayOfPlacingKeepsConflictsApartAndSqueezingNeverMakesAPlanLarger) {
  std::mt19937 random(19);
  for (const bench::GraphShape& shape : bench::kGraphShapes) {
    constexpr uint32_t kSteps = 300;
    const Before before = shape.make(kSteps);
    std::vector<Temporary> temporaries;
    for (uint32_t i = 0; i < kSteps; ++i) {
      const uint32_t until = std::min(kSteps - 1, i + static_cast<uint32_t>(random() % 20));
      temporaries.push_back({1 + random() % 100'000, {i, until}});
    }
    const InterferenceGraph graph(temporaries, before);
    const uint64_t least = graph.sumOf(heaviestClique(graph));
    for (Placement (*place)(const InterferenceGraph&) : {placeLargestFirst, placeByConflicts, placeBackwards}) {
      Placement placement = place(graph);
      for (bool squeezed : {false, true}) {
        ASSERT_TRUE(apart(graph, placement.offset)) << shape.name;
        uint64_t end = 0;
        for (uint32_t i = 0; i < graph.count(); ++i) end = std::max(end, placement.offset[i] + graph.size[i]);
        ASSERT_LE(end, placement.bytes) << shape.name;
        ASSERT_GE(placement.bytes, least) << shape.name;
        const uint64_t bytes = placement.bytes;
        if (!squeezed) squeeze(&placement, least, graph);
        ASSERT_LE(placement.bytes, bytes) << shape.name;
      }
    }
  }
}

// In a row of ten steps, where at most seven times 256 bytes are live at once.
TEST(PlacementTest, APlanMayNeedMoreThanTheHeaviestClique) {
  SmallProgram program{Before(10), {}};
  for (uint32_t i = 1; i < 10; ++i) program.before[i] = {i - 1};
  program.temporaries = {{256, {5, 8}}, {768, {9, 9}}, {512, {4, 5}}, {512, {4, 7}},
                         {768, {7, 9}}, {256, {6, 9}}, {768, {0, 2}}, {768, {2, 4}}};
  EXPECT_FALSE(fits(InterferenceGraph(program.temporaries, program.before), 7 * 256));
  const MemoryPlan plan = planMemory(program.temporaries, program.before);
  EXPECT_EQ(plan.peak, 7u * 256);
  EXPECT_EQ(plan.bytes, 8u * 256);
}

}  // namespace
}  // namespace manyrt::graph
