// How close plans come to what is live at once, on a thousand random programs, which are harder than real graphs. Most plans of
// real graphs take what is live and no byte more (src/graph/memory/memory_plan.cpp). An entry of its own: it takes seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "graph/memory/memory_plan.h"
#include "unit/graph/random_graph.h"

namespace manyrt::graph {
namespace {

// The steps and temporaries of a program of tensors: each step makes one and reads one to three of the last `reach`. Steps run
// in a row, or wait only for what they read.
struct Program {
  Before before;
  std::vector<Temporary> temporaries;
};
Program randomProgram(std::mt19937& random, bool row, uint32_t reach) {
  const auto steps = static_cast<uint32_t>(20 + random() % 60);
  Program program{Before(steps), {}};
  for (uint32_t i = 0; i < steps; ++i) {
    program.temporaries.push_back({random() % 3 == 0 ? (1 + random() % 8) * 16384 : 1 + random() % 100'000, {i}});
    std::vector<uint32_t>& waits = program.before[i];
    for (uint64_t reads = i == 0 ? 0 : 1 + random() % 3; reads > 0; --reads) {
      const auto read = static_cast<uint32_t>(i - 1 - random() % std::min(i, reach));
      if (program.temporaries[read].users.back() != i) program.temporaries[read].users.push_back(i);
      waits.push_back(read);
    }
    if (row && i != 0) waits = {i - 1};
    std::sort(waits.begin(), waits.end());
    waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  }
  return program;
}

bool allBefore(const Temporary& a, const Temporary& b, const Closure& closure) {
  return std::all_of(a.users.begin(), a.users.end(), [&](uint32_t x) {
    return std::all_of(b.users.begin(), b.users.end(), [&](uint32_t y) { return closure.comesBefore(x, y); });
  });
}

bool sharesOnlyInTurn(const Program& program, const MemoryPlan& plan) {
  const Closure closure(program.before);
  for (size_t i = 0; i < program.temporaries.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const Temporary &a = program.temporaries[i], &b = program.temporaries[k];
      const bool share = plan.offsets[i] < plan.offsets[k] + b.size && plan.offsets[k] < plan.offsets[i] + a.size;
      if (share && !allBefore(a, b, closure) && !allBefore(b, a, closure)) return false;
    }
  }
  return true;
}

// The most bytes that can be live at once, whatever the order in which steps without an order run. It is the heaviest set of
// temporaries none of which is over before another begins. By Dilworth's theorem, with weights, it is all bytes less the
// greatest flow from those that are over to those that begin.
uint64_t mostLive(const Program& program) {
  const std::vector<Temporary>& all = program.temporaries;
  const Closure closure(program.before);
  const auto before = [&](const Temporary& a, const Temporary& b) { return allBefore(a, b, closure); };
  const size_t n = all.size(), source = 2 * n, sink = source + 1;
  std::vector<std::vector<uint64_t>> room(sink + 1, std::vector<uint64_t>(sink + 1));
  uint64_t sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t bytes = (all[i].size + 255) / 256 * 256;
    sum += bytes;
    room[source][i] = room[n + i][sink] = bytes;
    for (size_t k = 0; k < n; ++k) {
      if (before(all[i], all[k])) room[i][n + k] = UINT64_MAX / 2;
    }
  }
  for (;;) {
    std::vector<size_t> from(sink + 1, SIZE_MAX), open{source};
    for (size_t next = 0; next < open.size() && from[sink] == SIZE_MAX; ++next) {
      for (size_t to = 0; to <= sink; ++to) {
        if (room[open[next]][to] == 0 || from[to] != SIZE_MAX || to == source) continue;
        from[to] = open[next];
        open.push_back(to);
      }
    }
    if (from[sink] == SIZE_MAX) return sum;
    uint64_t flow = UINT64_MAX;
    for (size_t to = sink; to != source; to = from[to]) flow = std::min(flow, room[from[to]][to]);
    for (size_t to = sink; to != source; to = from[to]) {
      room[from[to]][to] -= flow;
      room[to][from[to]] += flow;
    }
    sum -= flow;
  }
}

TEST(PlanProgramsTest, ThePlansOfAThousandProgramsComeCloseToWhatIsLiveAtOnce) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kRounds = 60;
#else
  constexpr int kRounds = 1000;
#endif
  std::mt19937 random(5);
  double sum = 0, worst = 0;
  int exact = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Program program = randomProgram(random, round % 2 == 0, round % 3 == 0 ? 12 : 6);
    const MemoryPlan plan = planMemory(program.temporaries, program.before);
    ASSERT_TRUE(sharesOnlyInTurn(program, plan)) << "program " << round;
    const uint64_t live = mostLive(program);
    ASSERT_EQ(plan.peak, live) << "program " << round;
    ASSERT_GE(plan.bytes, live) << "two bounds that contradict each other";
    const double ratio = static_cast<double>(plan.bytes) / static_cast<double>(live);
    sum += ratio;
    worst = std::max(worst, ratio);
    exact += plan.bytes == live ? 1 : 0;
    EXPECT_LE(ratio, 1.15) << "program " << round;
  }
  std::printf("%d programs: planned over live at once: mean %.5f, worst %.4f, %d with nothing over\n", kRounds, sum / kRounds,
              worst, exact);
  EXPECT_LE(sum / kRounds, 1.01);
}

}  // namespace
}  // namespace manyrt::graph
