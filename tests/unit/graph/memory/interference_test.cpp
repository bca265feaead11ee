// Edges and predecessors against the definition: every user of one comes before every user of the other.
#include "graph/memory/interference.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph_shapes.h"
#include "small_program.h"
#include "unit/graph/random_graph.h"

namespace manyrt::graph {
namespace {

bool allBefore(const Temporary& a, const Temporary& b, const Closure& closure) {
  return std::all_of(a.users.begin(), a.users.end(), [&](uint32_t x) {
    return std::all_of(b.users.begin(), b.users.end(), [&](uint32_t y) { return closure.comesBefore(x, y); });
  });
}

TEST(InterferenceTest, TwoConflictUnlessOneIsOverBeforeTheOtherBegins) {
  std::mt19937 random(13);
  for (int round = 0; round < 100; ++round) {
    SmallProgram program = randomProgram(random, 30, 20 + static_cast<uint32_t>(random() % 120));
    for (Temporary& each : program.temporaries) {  // more users, in no order, some twice
      for (uint64_t more = random() % 4; more > 0; --more) each.users.push_back(static_cast<uint32_t>(random() % 30));
    }
    const Closure closure(program.before);
    const InterferenceGraph graph(program.temporaries, program.before);
    for (uint32_t a = 0; a < graph.count(); ++a) {
      for (uint32_t b = 0; b < graph.count(); ++b) {
        if (a == b) continue;
        const Temporary &one = program.temporaries[graph.number[a]], &other = program.temporaries[graph.number[b]];
        const bool over = allBefore(one, other, closure);
        ASSERT_EQ(graph.predecessors.test(b, a), over);
        ASSERT_EQ(graph.conflicts.test(a, b), !over && !allBefore(other, one, closure));
      }
    }
  }
}

// More temporaries than one sweep has bits for, of many users and of few, which are near or far, also of the last steps.
TEST(InterferenceTest, InEveryShapeTwoConflictUnlessOneIsOver) {
  std::mt19937 random(17);
  for (const bench::GraphShape& shape : bench::kGraphShapes) {
    constexpr uint32_t kSteps = 1200, kCount = 600;
    const Before before = shape.make(kSteps);
    std::vector<Temporary> temporaries;
    for (uint32_t i = 0; i < kCount; ++i) {
      Temporary one{1 + random() % 1000, {}};
      const uint32_t users = i % 150 == 0 ? 700 : 1 + static_cast<uint32_t>(random() % 4);
      const uint32_t reach = i % 10 == 0 ? kSteps : 1 + static_cast<uint32_t>(random() % 100);
      const auto first = static_cast<uint32_t>(random() % kSteps);
      for (uint32_t k = 0; k < users; ++k) one.users.push_back((first + static_cast<uint32_t>(random() % reach)) % kSteps);
      temporaries.push_back(std::move(one));
    }
    const Closure closure(before);
    const InterferenceGraph graph(temporaries, before);
    std::vector<std::vector<bool>> over(kSteps,
                                        std::vector<bool>(kCount, true));  // by step: are all users of the vertex before it
    for (uint32_t step = 0; step < kSteps; ++step) {
      for (uint32_t vertex = 0; vertex < kCount; ++vertex) {
        for (uint32_t user : temporaries[graph.number[vertex]].users) {
          if (closure.comesBefore(user, step)) continue;
          over[step][vertex] = false;
          break;
        }
      }
    }
    BitMatrix wanted(kCount);
    for (uint32_t vertex = 0; vertex < kCount; ++vertex) {
      for (uint32_t other = 0; other < kCount; ++other) {
        const std::vector<uint32_t>& users = temporaries[graph.number[vertex]].users;
        const auto sees = [&](uint32_t user) { return over[user][other]; };
        if (std::all_of(users.begin(), users.end(), sees)) wanted.row(vertex)[other / 64] |= uint64_t{1} << (other % 64);
      }
    }
    for (uint32_t a = 0; a < kCount; ++a) {
      for (uint32_t b = 0; b < kCount; ++b) {
        ASSERT_EQ(graph.predecessors.test(a, b), wanted.test(a, b)) << shape.name << ": " << b << " before " << a;
        ASSERT_EQ(graph.conflicts.test(a, b), a != b && !wanted.test(a, b) && !wanted.test(b, a)) << shape.name;
      }
    }
  }
}

TEST(InterferenceTest, ComponentsConflictAsWholesAndCannotBeDivided) {
  std::mt19937 random(20);
  for (int round = 0; round < 60; ++round) {
    SmallProgram program = randomProgram(random, 90, 10 + static_cast<uint32_t>(random() % 80));
    for (uint32_t step = 10; step < 90; step += 10) {  // in up to nine parts
      if (random() % 3 != 0) {
        for (uint32_t i = step; i < 90; ++i) std::erase_if(program.before[i], [&](uint32_t first) { return first < step; });
      }
    }
    const InterferenceGraph graph(program.temporaries, program.before);
    const std::vector<std::vector<uint32_t>> components = graph.components();
    std::vector<uint32_t> component(graph.count(), UINT32_MAX);
    for (uint32_t i = 0; i < components.size(); ++i) {
      for (uint32_t vertex : components[i]) {
        ASSERT_EQ(component[vertex], UINT32_MAX);
        component[vertex] = i;
      }
      std::vector<uint32_t> reached{components[i].front()};
      for (size_t at = 0; at < reached.size(); ++at) {
        for (uint32_t other = 0; other < graph.count(); ++other) {
          if (graph.conflicts.test(reached[at], other) || std::find(reached.begin(), reached.end(), other) != reached.end())
            continue;
          reached.push_back(other);
        }
      }
      std::sort(reached.begin(), reached.end());
      ASSERT_EQ(reached, components[i]);
      const InterferenceGraph part(graph, components[i]);
      for (uint32_t a = 0; a < part.count(); ++a) {
        ASSERT_EQ(part.number[a], graph.number[components[i][a]]);
        ASSERT_EQ(part.size[a], graph.size[components[i][a]]);
        for (uint32_t b = 0; b < part.count(); ++b) {
          ASSERT_EQ(part.conflicts.test(a, b), graph.conflicts.test(components[i][a], components[i][b]));
          ASSERT_EQ(part.predecessors.test(a, b), graph.predecessors.test(components[i][a], components[i][b]));
        }
      }
    }
    ASSERT_EQ(std::find(component.begin(), component.end(), UINT32_MAX), component.end());
  }
}

TEST(InterferenceTest, VerticesAreLargestFirstAndOfOneSizeInTheirOrder) {
  const InterferenceGraph graph({{100, {0}}, {1000, {0}}, {0, {}}, {256, {0}}, {5000, {0}}}, Before(1));
  EXPECT_EQ(graph.number, (std::vector<uint32_t>{4, 1, 0, 3}));
  EXPECT_EQ(graph.size, (std::vector<uint64_t>{5120, 1024, 256, 256}));
}

}  // namespace
}  // namespace manyrt::graph
