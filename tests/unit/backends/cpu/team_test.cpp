// A team, and what it tells of its jobs to workers that look on.
#include "backends/cpu/team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "support/repeats.h"

namespace manyrt::cpu {
namespace {

struct Looks {
  Team team;
  std::atomic<uint32_t> inside{0};
  bool two = false, three = false;
};

// Waits until both threads are inside, then the owner looks; the helper stays until it has.
void look(void* user, uint64_t, uint64_t, uint32_t participant) {
  auto& looks = *static_cast<Looks*>(user);
  ++looks.inside;
  if (participant != 0) {
    while (looks.inside != 3) std::this_thread::yield();
    return;
  }
  while (looks.inside != 2) std::this_thread::yield();
  looks.two = looks.team.occupies(2);
  looks.three = looks.team.occupies(3);
  ++looks.inside;
}

TEST(CpuTeamTest, AWaitingThreadAndItsHelpersOccupyAsManyThreads) {
  Looks looks;
  EXPECT_FALSE(looks.team.occupies(1));
  std::thread helper;
  const bool shared = looks.team.share(look, &looks, 2, {1, 1}, 1, true, [&] {
    helper = std::thread([&looks] {
      TeamMember member;
      while (!looks.team.join(
          member, [](const Team::Job&) {}, [] {}))
        std::this_thread::yield();
    });
  });
  helper.join();
  ASSERT_TRUE(shared);
  EXPECT_TRUE(looks.two);
  EXPECT_FALSE(looks.three);
  EXPECT_FALSE(looks.team.occupies(1)) << "the job is over";
}

using Taken = std::vector<std::pair<uint64_t, uint64_t>>;

// The ranges of a job that others may join, where the owner is the only one that comes.
Taken takenOf(uint64_t total, Pieces pieces, uint32_t helpers) {
  Team team;
  Taken taken;
  const auto take = [](void* user, uint64_t begin, uint64_t end, uint32_t) {
    static_cast<Taken*>(user)->emplace_back(begin, end);
  };
  EXPECT_TRUE(team.share(take, &taken, total, pieces, helpers, false, [] {}));
  return taken;
}
std::vector<uint64_t> sizesOf(const Taken& taken) {
  std::vector<uint64_t> sizes;
  for (const auto& [begin, end] : taken) sizes.push_back(end - begin);
  return sizes;
}
void expectEachOnce(Taken taken, uint64_t total) {
  std::sort(taken.begin(), taken.end());
  uint64_t next = 0;
  for (const auto& [begin, end] : taken) {
    EXPECT_EQ(begin, next);
    EXPECT_LT(begin, end);
    next = end;
  }
  EXPECT_EQ(next, total);
}

TEST(CpuTeamTest, OfOneCounterPiecesAreHalfOfWhatIsLeftForEachThread) {
  const auto pieces = [](uint64_t total, Pieces limits) {
    const Taken taken = takenOf(total, limits, 2);
    expectEachOnce(taken, total);
    return sizesOf(taken);
  };
  EXPECT_EQ(pieces(64, {}), (std::vector<uint64_t>{10, 9, 7, 6, 5, 4, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(pieces(100, {5, 10}), (std::vector<uint64_t>{10, 10, 10, 10, 10, 8, 7, 5, 5, 5, 5, 5, 5, 5}));
  EXPECT_EQ(pieces(7, {3, 3}), (std::vector<uint64_t>{3, 3, 1}));
  EXPECT_EQ(pieces(2, {4, UINT64_MAX}), (std::vector<uint64_t>{2}));
  EXPECT_EQ(pieces(1, {}), (std::vector<uint64_t>{1}));
}

TEST(CpuTeamTest, ManyMembersBeginInPartsOfTheirOwn) {
  Taken taken = takenOf(64, {}, 3);  // the owner is no worker: the last part, then the others
  EXPECT_EQ(taken[0], (std::pair<uint64_t, uint64_t>{48, 56}));
  EXPECT_EQ(taken[5], (std::pair<uint64_t, uint64_t>{0, 8}));
  EXPECT_EQ(sizesOf(taken), (std::vector<uint64_t>{8, 4, 2, 1, 1, 8, 4, 2, 1, 1, 8, 4, 2, 1, 1, 8, 4, 2, 1, 1}));
  taken = takenOf(100, {5, 10}, 3);
  EXPECT_EQ(sizesOf(taken), (std::vector<uint64_t>{10, 7, 5, 3, 10, 7, 5, 3, 10, 7, 5, 3, 10, 7, 5, 3}));
  for (const uint32_t helpers : {3u, 7u, 15u, 31u, 32u, 100u, 500u}) {
    for (const uint64_t total :
         {uint64_t{1}, uint64_t{2}, uint64_t{5}, uint64_t{31}, uint64_t{33}, uint64_t{1000}, (uint64_t{1} << 40) + 7}) {
      for (const Pieces pieces : {Pieces{}, Pieces{1, 1}, Pieces{3, 3}, Pieces{64, UINT64_MAX}, Pieces{7, 1000},
                                  Pieces{4, 4, 4}, Pieces{7, 1000, 10}, Pieces{1, UINT64_MAX, 1000}}) {
        if (total / pieces.most > 100'000) continue;
        expectEachOnce(takenOf(total, pieces, helpers), total);
      }
    }
  }
}

// Rows of groups, which are the faster for being whole.
TEST(CpuTeamTest, PartsAndPiecesAreOfWholeUnits) {
  EXPECT_EQ(sizesOf(takenOf(64, {1, UINT64_MAX, 8}, 2)), (std::vector<uint64_t>{8, 8, 8, 8, 8, 8, 8, 8}));
  EXPECT_EQ(sizesOf(takenOf(100, {25, UINT64_MAX, 10}, 2)), (std::vector<uint64_t>{20, 20, 20, 20, 20}));
  // Ten units make four parts: two have three units and two have two.
  EXPECT_EQ(takenOf(95, {1, UINT64_MAX, 10}, 3),
            (Taken{{80, 90}, {90, 95}, {0, 10}, {10, 20}, {20, 30}, {30, 40}, {40, 50}, {50, 60}, {60, 70}, {70, 80}}));
  EXPECT_EQ(takenOf(20, {1, UINT64_MAX, 10}, 31), (Taken{{10, 20}, {0, 10}}));
  // More members than parts: two begin in each.
  EXPECT_EQ(takenOf(3200, {10, UINT64_MAX}, 63)[0], (std::pair<uint64_t, uint64_t>{3100, 3125}));
}

// Workers come to the same part again. Each index is done once, by the thread that comes first.
TEST(CpuTeamTest, ManyThreadsDoEachPieceOnce) {
  constexpr uint32_t kThreads = 7, kTotal = 5000;
  Team team;
  std::atomic<bool> ends{false};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Team::setIndex(i);
      TeamMember member;
      member.index = i;
      while (!ends.load()) {
        if (!team.join(
                member, [](const Team::Job&) {}, [] {}))
          std::this_thread::yield();
      }
    });
  }
  std::vector<std::atomic<uint32_t>> done(kTotal);
  const auto count = [](void* user, uint64_t begin, uint64_t end, uint32_t) {
    auto& counts = *static_cast<std::vector<std::atomic<uint32_t>>*>(user);
    for (uint64_t i = begin; i < end; ++i) counts[i].fetch_add(1, std::memory_order_relaxed);
  };
  const uint32_t rounds = static_cast<uint32_t>(rttest::repeats(400));
  for (uint32_t round = 0; round < rounds; ++round) {
    ASSERT_TRUE(team.share(count, &done, kTotal, {1 + round % 9, 500}, kThreads, true, [] {}));
    for (const auto& each : done) ASSERT_EQ(each.load(), round + 1);
  }
  ends = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace manyrt::cpu
