// Crowds and walks over places against what trying everything finds, on programs that are small enough for that.
#include "graph/memory/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "graph/memory/placing.h"

namespace manyrt::graph {
namespace {

struct Small {
  Before before;
  std::vector<Temporary> temporaries;
};
Small randomSmall(std::mt19937& random, uint32_t steps, uint32_t count) {
  Small small{Before(steps), {}};
  for (uint32_t i = 1; i < steps; ++i) {
    for (uint32_t k = i < 3 ? 0 : i - 3; k < i; ++k) {
      if (random() % 2 == 0) small.before[i].push_back(k);
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    const auto first = static_cast<uint32_t>(random() % steps);
    const auto second = std::min(steps - 1, first + static_cast<uint32_t>(random() % 3));
    small.temporaries.push_back({256 * (1 + random() % 6), {first, second}});
  }
  return small;
}

uint64_t heaviestByTrying(const Tenants& tenants) {
  uint64_t heaviest = 0;
  for (uint32_t set = 0; set < 1u << tenants.count(); ++set) {
    uint64_t bytes = 0;
    bool crowd = true;
    for (uint32_t i = 0; i < tenants.count() && crowd; ++i) {
      if ((set >> i & 1) == 0) continue;
      bytes += tenants.size[i];
      for (uint32_t k = 0; k < i; ++k) crowd = crowd && ((set >> k & 1) == 0 || tenants.apart.test(i, k));
    }
    if (crowd) heaviest = std::max(heaviest, bytes);
  }
  return heaviest;
}

bool apart(const Tenants& tenants, const std::vector<uint64_t>& places) {
  for (uint32_t a = 0; a < tenants.count(); ++a) {
    for (uint32_t b = 0; b < a; ++b) {
      const bool share = places[a] < places[b] + tenants.size[b] && places[b] < places[a] + tenants.size[a];
      if (share && tenants.apart.test(a, b)) return false;
    }
  }
  return true;
}

// Every place of every tenant, in steps of 256 bytes.
bool fitsByTrying(const Tenants& tenants, uint64_t most, std::vector<uint64_t>& places) {
  const auto each = static_cast<uint32_t>(places.size());
  if (each == tenants.count()) return true;
  for (uint64_t at = 0; at + tenants.size[each] <= most; at += 256) {
    bool free = true;
    for (uint32_t other = 0; other < each && free; ++other) {
      free = !tenants.apart.test(each, other) || at + tenants.size[each] <= places[other] ||
             places[other] + tenants.size[other] <= at;
    }
    if (!free) continue;
    places.push_back(at);
    if (fitsByTrying(tenants, most, places)) return true;
    places.pop_back();
  }
  return false;
}

Crowds crowdsOf(const Tenants& tenants) {
  Crowds alone;
  for (uint32_t i = 0; i < tenants.count(); ++i) alone.push_back({i});
  return filledUp(alone, tenants);
}

TEST(PackingTest, TheHeaviestCrowdIsTheHeaviestOfAllSets) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const Small small = randomSmall(random, 12, 12);
    const Tenants tenants(small.temporaries, Ancestors(small.before));
    const std::vector<uint32_t> crowd = heaviestCrowd(tenants);
    for (uint32_t a : crowd) {
      for (uint32_t b : crowd) ASSERT_TRUE(a == b || tenants.apart.test(a, b));
    }
    ASSERT_EQ(tenants.sumOf(crowd), heaviestByTrying(tenants)) << "round " << round;
  }
}

TEST(PackingTest, FilledUpCrowdsTakeNobodyElse) {
  std::mt19937 random(12);
  for (int round = 0; round < 50; ++round) {
    const Small small = randomSmall(random, 40, 80);
    const Tenants tenants(small.temporaries, Ancestors(small.before));
    for (const std::vector<uint32_t>& crowd : crowdsOf(tenants)) {
      for (uint32_t i = 0; i < tenants.count(); ++i) {
        const bool fits = std::all_of(crowd.begin(), crowd.end(), [&](uint32_t k) { return tenants.apart.test(i, k); });
        ASSERT_FALSE(fits);
      }
    }
  }
}

// Both ways of looking have to agree.
void expectTheSame(const Small& small, uint64_t most, bool* fits) {
  const Tenants tenants(small.temporaries, Ancestors(small.before));
  const Crowds crowds = crowdsOf(tenants);
  Packing packing(tenants, crowds);
  std::vector<uint64_t> places;
  *fits = fitsByTrying(tenants, most, places);
  for (const PackingTaste& taste : {PackingTaste{0.001, 0, 0}, PackingTaste{0, 0, 0.5}}) {
    uint64_t work = UINT64_MAX;
    ASSERT_EQ(packing.find(most, taste, &work), *fits) << most << " bytes";
    if (!*fits) continue;
    ASSERT_TRUE(apart(tenants, packing.places()));
    ASSERT_LE(packing.bytes(), most);
  }
}

TEST(PackingTest, AWalkFindsPlacesWhereverThereAreSome) {
  std::mt19937 random(13);
  for (int round = 0; round < 300; ++round) {
    const Small small = randomSmall(random, 12, 8);
    const Tenants tenants(small.temporaries, Ancestors(small.before));
    const uint64_t least = tenants.sumOf(heaviestCrowd(tenants));
    bool fits;
    ASSERT_NO_FATAL_FAILURE(expectTheSame(small, least, &fits)) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(expectTheSame(small, least - 256, &fits)) << "round " << round;
    EXPECT_FALSE(fits);
  }
}

// In a row of ten steps, where at most seven times 256 bytes are live at once.
TEST(PackingTest, APlanMayNeedMoreThanTheHeaviestCrowd) {
  Small small{Before(10), {}};
  for (uint32_t i = 1; i < 10; ++i) small.before[i] = {i - 1};
  small.temporaries = {{256, {5, 8}}, {768, {9, 9}}, {512, {4, 5}}, {512, {4, 7}},
                       {768, {7, 9}}, {256, {6, 9}}, {768, {0, 2}}, {768, {2, 4}}};
  bool fits;
  ASSERT_NO_FATAL_FAILURE(expectTheSame(small, 7 * 256, &fits));
  EXPECT_FALSE(fits);
  ASSERT_NO_FATAL_FAILURE(expectTheSame(small, 8 * 256, &fits));
  EXPECT_TRUE(fits);
  const MemoryPlan plan = planMemory(small.temporaries, Ancestors(small.before), 10);
  EXPECT_EQ(plan.peak, 7u * 256);
  EXPECT_EQ(plan.bytes, 8u * 256);
}

TEST(PackingTest, AWalkEndsWithItsWork) {
  std::mt19937 random(14);
  const Small small = randomSmall(random, 60, 90);
  const Tenants tenants(small.temporaries, Ancestors(small.before));
  const Crowds crowds = crowdsOf(tenants);
  Packing packing(tenants, crowds);
  for (uint64_t given : {0, 1, 1000, 5000}) {
    uint64_t work = given;
    EXPECT_FALSE(packing.find(UINT64_MAX / 4, {0, 0, 0}, &work));
    EXPECT_EQ(work, 0u);
  }
}

TEST(PackingTest, MovingTurnsNeverMakesAPlanWorseOrPutsTwoInOnePlace) {
  std::mt19937 random(15);
  for (int round = 0; round < 20; ++round) {
    const Small small = randomSmall(random, 40, 60);
    const Tenants tenants(small.temporaries, Ancestors(small.before));
    const std::vector<PlacingOrder> orders = placingOrders(tenants, small.temporaries);
    Places best;
    const PlacingOrder& order = placeInOrder(&best, orders, tenants);
    const uint64_t before = best.bytes;
    improveOrder(&best, order, 0, tenants);
    EXPECT_LE(best.bytes, before);
    EXPECT_TRUE(apart(tenants, best.at));
  }
}

}  // namespace
}  // namespace manyrt::graph
