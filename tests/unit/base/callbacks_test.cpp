// Where objects are reclaimed and where the program is called. It is after the guard of the outermost call, in the order of the
// queue, and never inside another one; on a thread of the library where a thread comes to rest nowhere.
#include "base/callbacks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/handles/slot_table.h"

namespace manyrt {
namespace {

bool inGuard() {
  const epoch::Record* record = epoch::internal::record;
  return record != nullptr && record->active.load() != 0;
}

class Object final : public epoch::Retired {
 public:
  explicit Object(std::mutex* mutex = nullptr) : mutex_(mutex) {}
  void reclaim() override {
    EXPECT_FALSE(inGuard());
    if (mutex_ != nullptr) {  // a manager's, which retiring had locked
      const bool free = mutex_->try_lock();
      EXPECT_TRUE(free) << "reclaimed under the lock";
      if (free) mutex_->unlock();
    }
    gone.store(true);
  }
  std::atomic<bool> gone{false};

 private:
  std::mutex* mutex_;
};

constexpr int kFew = 30;    // less than a batch
constexpr int kMany = 200;  // more

TEST(RestTest, RetiringUnderALockReclaimsAfterTheCall) {
  std::mutex mutex;
  std::vector<std::unique_ptr<Object>> objects;
  for (int i = 0; i < kMany; ++i) objects.push_back(std::make_unique<Object>(&mutex));
  epoch::drain();
  {
    const epoch::Guard earlier;  // these could go at any time from here on
    for (int i = 0; i < kFew; ++i) epoch::retire(objects[static_cast<size_t>(i)].get());
  }
  {
    const epoch::Guard call;
    const std::lock_guard lock(mutex);
    for (int i = kFew; i < kMany; ++i) epoch::retire(objects[static_cast<size_t>(i)].get());
    for (const auto& object : objects) EXPECT_FALSE(object->gone.load());
  }
  for (const auto& object : objects) EXPECT_TRUE(object->gone.load());
}

TEST(RestTest, ACallInsideACallAndACallThatWaitsAreNotAtRest) {
  Object object;
  {
    epoch::Guard call;
    epoch::retire(&object);
    epoch::collectAfterCall();
    { const epoch::Guard inner; }
    EXPECT_FALSE(object.gone.load());
    call.leave();
    EXPECT_FALSE(object.gone.load());
    { const epoch::Guard meanwhile; }  // such as of a host kernel that a waiting thread runs
    EXPECT_FALSE(object.gone.load());
    call.enter();
    EXPECT_FALSE(object.gone.load());
  }
  EXPECT_TRUE(object.gone.load());
}

TEST(RestTest, AnExceptionWhileACallWaitsLeavesTheThreadInOrder) {
  Object object;
  try {
    epoch::Guard call;
    epoch::retire(&object);
    epoch::collectAfterCall();
    call.leave();
    throw 1;
  } catch (int) {
  }
  EXPECT_TRUE(object.gone.load());
  EXPECT_FALSE(inGuard());
  { const epoch::Guard next; }
}

TEST(RestTest, AThreadWithoutCallsLeavesItsBatchToTheLibrary) {
  ASSERT_TRUE(host_threads::reserve().ok());
  std::vector<std::unique_ptr<Object>> objects;
  for (int i = 0; i < kMany; ++i) objects.push_back(std::make_unique<Object>());
  std::thread([&] {
    for (const auto& object : objects) epoch::retire(object.get());
  }).join();
  for (const auto& object : objects) {
    while (!object->gone.load()) {
      std::this_thread::yield();
      if (epoch::retiredCount() < 64) epoch::collect();  // less than a batch waits for the next one
    }
  }
}

struct Last {
  explicit Last(std::atomic<bool>* ended) : gone(ended) {}
  ~Last() {
    EXPECT_FALSE(inGuard());
    gone->store(true);
  }
  std::atomic<bool>* gone;
};

TEST(RestTest, AnObjectWhoseLastLeaseGoesInsideAGuardEndsAfterIt) {
  static SlotTable<Last> table(9);
  std::atomic<bool> gone{false};
  HandleBits bits = 0;
  Lease<Last> lease(table.create(&bits, &gone));
  {
    const epoch::Guard call;
    ASSERT_TRUE(table.destroy(bits));
  }
  epoch::drain();
  EXPECT_FALSE(gone.load());
  {
    const epoch::Guard call;
    lease = Lease<Last>();
    EXPECT_FALSE(gone.load());
  }
  EXPECT_TRUE(gone.load());
}

// The pointer of a release function says what it does.
void callIt(void* user) { (*static_cast<std::function<void()>*>(user))(); }
void release(std::function<void()>& function) { callbacks::Release::giveBack(new callbacks::Release(&function, callIt)); }

TEST(CallbacksTest, ReleasesComeAfterTheCallInTheirOrderAndOnItsThread) {
  std::vector<int> order;
  const auto self = std::this_thread::get_id();
  const auto note = [&](int number) {
    EXPECT_FALSE(inGuard());
    EXPECT_TRUE(callbacks::inside());
    EXPECT_EQ(std::this_thread::get_id(), self);
    order.push_back(number);
  };
  std::function<void()> first = [&] { note(1); }, second = [&] { note(2); };
  {
    const epoch::Guard call;
    release(first);
    release(second);
    EXPECT_TRUE(order.empty());
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
  EXPECT_FALSE(callbacks::inside());
}

TEST(CallbacksTest, WhatACallInsideAReleaseEndsIsReleasedByThatCall) {
  std::vector<int> order;
  std::function<void()> inner = [&] { order.push_back(2); };
  std::function<void()> outer = [&] {
    order.push_back(1);
    {
      const epoch::Guard call;
      release(inner);
    }
    order.push_back(3);
  };
  std::function<void()> last = [&] { order.push_back(4); };
  {
    const epoch::Guard call;
    release(outer);
    release(last);
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
}

TEST(CallbacksTest, ManyReleasesThatMakeCallsDoNotNest) {
  constexpr int kCalls = 100'000;  // each in the last one's would need more stack than there is
  int depth = 0, deepest = 0, count = 0;
  std::function<void()> calls = [&] {
    deepest = std::max(deepest, ++depth);
    { const epoch::Guard call; }
    --depth;
    ++count;
  };
  {
    const epoch::Guard call;
    for (int i = 0; i < kCalls; ++i) release(calls);
  }
  EXPECT_EQ(count, kCalls);
  EXPECT_EQ(deepest, 1);
}

TEST(CallbacksTest, AReleaseThatThrowsEndsThere) {
  bool second = false;
  std::function<void()> throws = [] { throw 1; };
  std::function<void()> runs = [&] { second = true; };
  {
    const epoch::Guard call;
    release(throws);
    release(runs);
  }
  EXPECT_TRUE(second);
}

TEST(CallbacksTest, AThreadThatComesToRestNowhereLeavesItToTheLibrary) {
  ASSERT_TRUE(host_threads::reserve().ok());
  std::atomic<bool> ran{false};
  std::thread::id where, from;
  std::function<void()> function = [&] {
    where = std::this_thread::get_id();
    ran.store(true);
  };
  std::thread([&] {
    from = std::this_thread::get_id();
    release(function);
  }).join();
  while (!ran.load()) std::this_thread::yield();
  EXPECT_NE(where, from);
}

TEST(CallbacksTest, ADrainDoesNotWaitForAReleaseFunction) {
  std::atomic<bool> inside{false}, open{false};
  std::function<void()> stays = [&] {
    inside.store(true);
    while (!open.load()) std::this_thread::yield();
  };
  std::thread other([&] {
    const epoch::Guard call;
    release(stays);
  });
  while (!inside.load()) std::this_thread::yield();
  Object object;
  epoch::retire(&object);
  epoch::drain();
  EXPECT_TRUE(object.gone.load());
  open.store(true);
  other.join();
}

}  // namespace
}  // namespace manyrt
