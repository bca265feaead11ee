// How the nodes of a graph become tasks for threads.
#include "backends/cpu/replay_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace manyrt::cpu {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;  // what each step waits for

std::vector<backend::ReplayStep> stepsOf(const Edges& before) {
  std::vector<backend::ReplayStep> steps;
  for (const std::vector<uint32_t>& waits : before) steps.push_back({std::monostate(), waits});
  return steps;
}

// A first step, `width` that wait for it, and one that waits for these.
Edges wide(uint32_t width) {
  Edges before(width + 2, std::vector<uint32_t>{0});
  before.front().clear();
  before.back().clear();
  for (uint32_t i = 1; i <= width; ++i) before.back().push_back(i);
  return before;
}

TEST(CpuReplayLayoutTest, StepsBesideOneAnotherAreAsManyTasksForEachThread) {
  for (uint32_t threads : {1u, 2u, 3u, 8u}) {
    for (uint32_t width : {100u, 998u, 1000u, 4096u}) {
      const ReplayLayout layout(stepsOf(wide(width)), threads);
      uint32_t tasks = 0, least = UINT32_MAX, most = 0;
      for (const ReplayLayout::Task& task : layout.tasks) {
        if (task.waits != 1) continue;  // the first step and the last one
        ++tasks;
        least = std::min(least, task.end - task.first);
        most = std::max(most, task.end - task.first);
      }
      EXPECT_TRUE(most == 1 || tasks % threads == 0) << width << " steps in " << tasks << " tasks for " << threads;
      EXPECT_LE(most - least, 1u);
      EXPECT_LE(most, 32u);
    }
  }
}

TEST(CpuReplayLayoutTest, EveryStepHasOnePlaceAfterWhatItWaitsFor) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    Edges before(1 + random() % 120);
    for (uint32_t i = 1; i < before.size(); ++i) {
      for (uint64_t edges = random() % 3; edges > 0; --edges) {
        const auto earlier = static_cast<uint32_t>(random() % i);
        if (std::find(before[i].begin(), before[i].end(), earlier) == before[i].end()) before[i].push_back(earlier);
      }
      std::sort(before[i].begin(), before[i].end());
    }
    const ReplayLayout layout(stepsOf(before), 1 + static_cast<uint32_t>(random() % 4));
    ASSERT_EQ(layout.order.size(), before.size());
    for (uint32_t i = 0; i < before.size(); ++i) {
      ASSERT_EQ(layout.order[layout.place[i]], i);
      for (uint32_t earlier : before[i]) ASSERT_LT(layout.place[earlier], layout.place[i]);
    }
    uint32_t next = 0;
    for (const ReplayLayout::Task& task : layout.tasks) {
      ASSERT_EQ(task.first, next);
      ASSERT_LT(task.first, task.end);
      next = task.end;
    }
    ASSERT_EQ(next, before.size());
  }
}

}  // namespace
}  // namespace manyrt::cpu
