// What a team tells of its jobs to workers that look on.
#include "backends/cpu/team.h"

#include <gtest/gtest.h>

#include <thread>

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

}  // namespace
}  // namespace manyrt::cpu
