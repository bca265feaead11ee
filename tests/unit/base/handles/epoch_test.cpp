// A drain waits for objects of this thread, for others that are still reclaiming, and for what objects retire as they go.
#include "base/handles/epoch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/fault.h"

namespace manyrt {
namespace {

class Object final : public epoch::Retired {
 public:
  void reclaim() override {
    began.store(true);
    while (held.load()) std::this_thread::yield();
    if (next != nullptr) epoch::retire(next);
    gone.store(true);
  }
  Object* next = nullptr;
  std::atomic<bool> held{false}, began{false}, gone{false};
};

// Retired, and another thread is in its reclaim() until it is no longer held.
std::thread reclaims(Object* object) {
  object->held.store(true);
  epoch::retire(object);
  std::thread other([] {
    (void)epoch::synchronize();
    epoch::collect();
  });
  while (!object->began.load()) std::this_thread::yield();
  return other;
}

TEST(EpochTest, ADrainReclaimsWhatObjectsRetire) {
  Object last, middle, first;
  first.next = &middle;
  middle.next = &last;
  epoch::retire(&first);
  epoch::drain();
  EXPECT_TRUE(first.gone && middle.gone && last.gone);
}

TEST(EpochTest, AThreadWithoutMemoryForItsRecordReclaimsAllTheSame) {
  Object object;
  epoch::retire(&object);
  std::thread([] {
    fault::arm(1, true);
    (void)epoch::synchronize();
    epoch::collect();
    EXPECT_STREQ(fault::lastFault(), "epoch.record");
    fault::disarm();
  }).join();
  EXPECT_TRUE(object.gone);
}

TEST(EpochTest, ADrainWaitsForAnotherThreadThatReclaims) {
  Object object, next;
  object.next = &next;
  std::thread other = reclaims(&object);
  std::atomic<bool> drained{false};
  std::thread drains([&] {
    epoch::drain();
    EXPECT_TRUE(object.gone.load());
    EXPECT_TRUE(next.gone.load());
    drained.store(true);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(drained.load());
  object.held.store(false);
  other.join();
  drains.join();
}

TEST(EpochTest, ADrainDoesNotWaitForItself) {
  struct Drains final : epoch::Retired {
    void reclaim() override {
      const auto before = std::chrono::steady_clock::now();
      epoch::drain();
      took = std::chrono::steady_clock::now() - before;
    }
    std::chrono::steady_clock::duration took{};
  } object;
  epoch::retire(&object);
  epoch::drain();
  EXPECT_NE(object.took.count(), 0);
  EXPECT_LT(object.took, std::chrono::milliseconds(500));
}

TEST(EpochTest, ADrainGivesUpOnAThreadThatNeverEnds) {
  Object object;
  std::thread other = reclaims(&object);
  epoch::drain();
  EXPECT_FALSE(object.gone.load());
  object.held.store(false);
  other.join();
  EXPECT_TRUE(object.gone.load());
}

}  // namespace
}  // namespace manyrt
