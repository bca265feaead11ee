// What a team tells of its jobs to workers that look on.
#include "backends/cpu/team.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

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
          member, [] {}, [] {}))
        std::this_thread::yield();
    });
  });
  helper.join();
  ASSERT_TRUE(shared);
  EXPECT_TRUE(looks.two);
  EXPECT_FALSE(looks.three);
  EXPECT_FALSE(looks.team.occupies(1)) << "the job is over";
}

// Four threads may come, and the owner is the only one that does.
std::vector<uint64_t> piecesOf(uint64_t total, Pieces pieces) {
  Team team;
  std::vector<std::pair<uint64_t, uint64_t>> taken;
  const auto take = [](void* user, uint64_t begin, uint64_t end, uint32_t) {
    static_cast<std::vector<std::pair<uint64_t, uint64_t>>*>(user)->emplace_back(begin, end);
  };
  EXPECT_TRUE(team.share(take, &taken, total, pieces, 3, false, [] {}));
  std::vector<uint64_t> sizes;
  uint64_t next = 0;
  for (const auto& [begin, end] : taken) {
    EXPECT_EQ(begin, next);
    sizes.push_back(end - begin);
    next = end;
  }
  EXPECT_EQ(next, total);
  return sizes;
}

TEST(CpuTeamTest, PiecesAreHalfOfWhatIsLeftForEachThread) {
  EXPECT_EQ(piecesOf(64, {}),
            (std::vector<uint64_t>{8, 7, 6, 5, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(piecesOf(100, {5, 10}), (std::vector<uint64_t>{10, 10, 10, 8, 7, 6, 6, 5, 5, 5, 5, 5, 5, 5, 5, 3}));
  EXPECT_EQ(piecesOf(7, {3, 3}), (std::vector<uint64_t>{3, 3, 1}));
  EXPECT_EQ(piecesOf(2, {4, UINT64_MAX}), (std::vector<uint64_t>{2}));
  EXPECT_EQ(piecesOf(1, {}), (std::vector<uint64_t>{1}));
}

}  // namespace
}  // namespace manyrt::cpu
