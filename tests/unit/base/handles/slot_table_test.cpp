// Handles: generations, kinds, leases, and objects that outlive a destroy for as long as a call can see them.
#include "base/handles/slot_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace manyrt {
namespace {

struct Thing {
  explicit Thing(int number) : value(number) { ++alive; }
  ~Thing() {
    value = -1;
    --alive;
  }
  std::atomic<int> value;
  static inline std::atomic<int> alive{0};
};

constexpr uint8_t kKind = 42;
SlotTable<Thing>& table() {
  static SlotTable<Thing>* instance = new SlotTable<Thing>(kKind);
  return *instance;
}

void settle() { epoch::drain(); }  // what another thread reclaims, too

TEST(SlotTableTest, AHandleFindsItsObjectUntilItIsDestroyed) {
  HandleBits bits = 0;
  Thing* thing = table().create(&bits, 7);
  {
    epoch::Guard guard;
    EXPECT_EQ(table().find(bits), thing);
    EXPECT_EQ(handleKind(bits), kKind);
    EXPECT_TRUE(table().destroy(bits));
    EXPECT_EQ(table().find(bits), nullptr);
    EXPECT_FALSE(table().destroy(bits));
    EXPECT_EQ(thing->value, 7);  // the guard keeps it readable
  }
  settle();
  EXPECT_EQ(Thing::alive, 0);
}

// A message about a full table names the kind: there is no handle to read it from.
TEST(SlotTableTest, ATableHasTheKindOfItsHandles) {
  HandleBits bits = 0;
  ASSERT_NE(table().create(&bits, 7), nullptr);
  EXPECT_EQ(table().kind(), handleKind(bits));
  EXPECT_TRUE(table().destroy(bits));
  settle();
}

TEST(SlotTableTest, AReusedSlotHasAnotherHandle) {
  HandleBits first = 0, second = 0;
  table().create(&first, 1);
  table().destroy(first);
  settle();
  Thing* again = table().create(&second, 2);
  EXPECT_NE(first, second);
  EXPECT_EQ(table().find(first), nullptr);
  EXPECT_EQ(table().find(second), again);
  table().destroy(second);
  settle();
}

TEST(SlotTableTest, RandomBitsFindNothing) {
  HandleBits bits = 0;
  table().create(&bits, 1);
  uint64_t state = 88172645463325252u;
  for (int i = 0; i < 100000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    EXPECT_TRUE(state == bits || table().find(state) == nullptr);
  }
  EXPECT_EQ(table().find(bits ^ 1), nullptr);                      // another kind
  EXPECT_EQ(table().find(bits + (HandleBits{1} << 32)), nullptr);  // a later generation
  EXPECT_EQ(table().find(bits & 0xffffffff), nullptr);             // none
  table().destroy(bits);
  settle();
}

TEST(SlotTableTest, ALeaseOutlivesTheHandle) {
  HandleBits bits = 0;
  Lease<Thing> lease(table().create(&bits, 5));
  table().destroy(bits);
  settle();
  EXPECT_EQ(lease->value, 5);
  EXPECT_EQ(Thing::alive, 1);
  Lease<Thing> copy = lease;
  lease = Lease<Thing>();
  EXPECT_EQ(Thing::alive, 1);
  copy = Lease<Thing>();
  EXPECT_EQ(Thing::alive, 0);
}

TEST(SlotTableTest, OneOfManyDestroysSucceeds) {
  for (int round = 0; round < 200; ++round) {
    HandleBits bits = 0;
    table().create(&bits, round);
    std::atomic<int> successes{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        epoch::Guard guard;
        if (table().destroy(bits)) successes.fetch_add(1);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(successes, 1);
  }
  settle();
  EXPECT_EQ(Thing::alive, 0);
}

TEST(SlotTableTest, AnObjectIsNeverReadAfterItsEnd) {
  std::atomic<HandleBits> current{0};
  std::atomic<bool> stop{false};
  std::atomic<int> bad{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop.load()) {
        epoch::Guard guard;
        Thing* thing = table().find(current.load());
        if (thing != nullptr && thing->value < 0) bad.fetch_add(1);
      }
    });
  }
  for (int i = 0; i < 5000; ++i) {
    HandleBits bits = 0;
    table().create(&bits, i);
    HandleBits before = current.exchange(bits);
    epoch::Guard guard;
    table().destroy(before);
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  table().destroy(current.load());
  settle();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(Thing::alive, 0);
}

TEST(EpochTest, AGuardInsideAGuardLeavesTheOuterOneStanding) {
  HandleBits bits = 0;
  table().create(&bits, 9);
  epoch::Guard outer;
  Thing* thing = table().find(bits);
  {
    epoch::Guard inner;
    table().destroy(bits);
  }
  std::thread([] { epoch::collect(); }).join();
  EXPECT_EQ(thing->value, 9);
  outer.leave();
  settle();
  EXPECT_EQ(Thing::alive, 0);
  outer.enter();
}

}  // namespace
}  // namespace manyrt
