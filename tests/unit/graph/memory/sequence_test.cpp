// Temporaries placed one after another, without a bit for each pair: those that may be live at once never share a byte.
#include "graph/memory/sequence.h"

#include <gtest/gtest.h>

#include <map>

#include "graph/memory/clique.h"
#include "graph_shapes.h"
#include "small_program.h"

namespace manyrt::graph {
namespace {

TEST(SequenceTest, InEveryShapeConflictsAreApart) {
  std::mt19937 random(22);
  for (const bench::GraphShape& shape : bench::kGraphShapes) {
    constexpr uint32_t kSteps = 900, kCount = 1200;  // more than one round
    const Before before = shape.make(kSteps);
    std::vector<Temporary> temporaries;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kCount; ++i) {
      Temporary one{1 + random() % 100'000, {}};
      const uint32_t users = i % 200 == 7 ? 700 : i % 50 == 3 ? 0 : 1 + static_cast<uint32_t>(random() % 4);
      const auto first = static_cast<uint32_t>(random() % kSteps);
      const uint32_t reach = users > 4 ? kSteps : 1 + static_cast<uint32_t>(random() % 60);
      for (uint32_t k = 0; k < users; ++k) one.users.push_back((first + static_cast<uint32_t>(random() % reach)) % kSteps);
      sum += users == 0 ? 0 : rounded(one.size);
      temporaries.push_back(std::move(one));
    }
    MemoryPlan plan;
    plan.offsets.assign(kCount, 0);
    placeInSequence(&plan, temporaries, before);
    const InterferenceGraph graph(temporaries, before);
    std::vector<uint64_t> offset;
    uint64_t end = 0;
    for (uint32_t i = 0; i < graph.count(); ++i) {
      offset.push_back(plan.offsets[graph.number[i]]);
      end = std::max(end, offset.back() + graph.size[i]);
    }
    ASSERT_TRUE(apart(graph, offset)) << shape.name;
    ASSERT_EQ(end, plan.bytes) << shape.name;
    ASSERT_LE(plan.bytes, sum) << shape.name;
    ASSERT_EQ(plan.peak, mostLiveInSequence(graph)) << shape.name;
    ASSERT_LE(plan.peak, plan.bytes) << shape.name;
  }
}

// In a line all that ended before is free: of one size, no byte more is taken than is live.
TEST(SequenceTest, ALineOfOneSizeTakesWhatIsLive) {
  constexpr uint32_t kSteps = 4000;
  Before line(kSteps);
  std::vector<Temporary> temporaries;
  std::mt19937 random(23);
  for (uint32_t i = 0; i < kSteps; ++i) {
    if (i != 0) line[i] = {i - 1};
    temporaries.push_back({4096, {i, std::min(kSteps - 1, i + static_cast<uint32_t>(random() % 50))}});
  }
  MemoryPlan plan;
  plan.offsets.assign(kSteps, 0);
  placeInSequence(&plan, temporaries, line);
  EXPECT_EQ(plan.bytes, plan.peak);
}

// Two bits for each pair would take 0.9 GB. Two of the three lines have too many temporaries for one graph of conflicts.
TEST(SequenceTest, APlanOfManyTemporariesTakesNoMemoryForPairsAndKeepsPartsApart) {
  constexpr uint32_t kSteps = 60'000, kEnds[] = {20'000, 22'000, kSteps};
  Before lines(kSteps);
  std::vector<Temporary> temporaries;
  std::vector<uint32_t> part(kSteps);
  std::mt19937 random(24);
  for (uint32_t i = 0; i < kSteps; ++i) {
    part[i] = i < kEnds[0] ? 0 : i < kEnds[1] ? 1 : 2;
    if (i != 0 && i != kEnds[0] && i != kEnds[1]) lines[i] = {i - 1};
    temporaries.push_back({1 + random() % 100'000, {i, std::min(kEnds[part[i]] - 1, i + static_cast<uint32_t>(random() % 8))}});
  }
  const MemoryPlan plan = planMemory(temporaries, lines);
  std::map<uint64_t, uint64_t> live[3];  // begin and end of what is live, by part
  uint64_t low[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX}, high[3] = {};
  std::vector<std::vector<uint32_t>> ending(kSteps);
  for (uint32_t i = 0; i < kSteps; ++i) {
    const uint64_t begin = plan.offsets[i], end = begin + temporaries[i].size;
    ASSERT_LE(end, plan.bytes);
    const auto next = live[part[i]].lower_bound(begin);
    ASSERT_TRUE(next == live[part[i]].end() || next->first >= end) << i;
    ASSERT_TRUE(next == live[part[i]].begin() || std::prev(next)->second <= begin) << i;
    live[part[i]].emplace(begin, end);
    low[part[i]] = std::min(low[part[i]], begin);
    high[part[i]] = std::max(high[part[i]], end);
    ending[temporaries[i].users[1]].push_back(i);
    for (uint32_t over : ending[i]) live[part[i]].erase(plan.offsets[over]);
  }
  EXPECT_LE(high[0], low[1]);
  EXPECT_LE(high[1], low[2]);
  EXPECT_LE(plan.bytes, 2 * plan.peak);
}

}  // namespace
}  // namespace manyrt::graph
