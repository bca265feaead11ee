// The mistakes for which builds that check locks end a process, each time with the names of both locks that met.
#include "base/lock_order.h"

#ifdef MANYRT_CHECK_LOCKS

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "base/callbacks.h"
#include "base/handles/epoch.h"
#include "base/mutex.h"
#include "base/os/futex.h"

namespace manyrt {
namespace {

class LockOrderDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  Ranked<std::mutex, LockRank::kGraph> graph_, other_graph_;
  Ranked<Mutex, LockRank::kPool> pool_;
  Ranked<std::mutex, LockRank::kLog> log_;
  Ranked<SpinLock, LockRank::kFence> fence_;
};

class Object final : public epoch::Retired {
 public:
  void reclaim() override {}
};

TEST_F(LockOrderDeathTest, LocksInTheirOrderAreTaken) {
  const std::lock_guard graph(graph_);
  const std::lock_guard pool(pool_);
  log_.lock();
  const std::lock_guard fence(fence_);
  log_.unlock();  // in any order
  EXPECT_TRUE(other_graph_.try_lock()) << "what does not wait may come in any order";
  other_graph_.unlock();
}

TEST_F(LockOrderDeathTest, AnEarlierLockAfterALaterOneEndsTheProcess) {
  const std::lock_guard pool(pool_);
  EXPECT_DEATH(graph_.lock(), "\"graph\" is taken by a thread that holds \"pool\"");
}

TEST_F(LockOrderDeathTest, ASecondLockOfTheSameRankEndsTheProcess) {
  const std::lock_guard graph(graph_);
  EXPECT_DEATH(other_graph_.lock(), "\"graph\" is taken by a thread that holds \"graph\"");
}

TEST_F(LockOrderDeathTest, AMutexUnderASpinLockEndsTheProcess) {
  const std::lock_guard fence(fence_);
  EXPECT_DEATH(log_.lock(), "\"log\" is taken by a thread that holds \"fence\"");
}

TEST_F(LockOrderDeathTest, ALockThatIsNotHeldCannotBeGivenBack) {
  const std::lock_guard pool(pool_);
  EXPECT_DEATH(graph_.unlock(), "\"graph\" is given back by a thread that holds \"pool\"");
}

TEST_F(LockOrderDeathTest, CallingTheProgramUnderALockOrInAGuardEndsTheProcess) {
  {
    const std::lock_guard graph(graph_);
    EXPECT_DEATH(callbacks::Running("release function"), "\"release function\" comes on a thread that holds \"graph\"");
  }
  const epoch::Guard guard;
  EXPECT_DEATH(callbacks::Running("release function"), "\"release function\" comes inside \"a guard\"");
}

TEST_F(LockOrderDeathTest, ReclaimingUnderALockOrInAGuardEndsTheProcess) {
  Object object;
  {
    const std::lock_guard pool(pool_);
    EXPECT_DEATH(epoch::finish(&object), "\"reclaiming\" comes on a thread that holds \"pool\"");
    EXPECT_DEATH(epoch::collect(), "\"reclaiming\" comes on a thread that holds \"pool\"");
  }
  const epoch::Guard guard;
  EXPECT_DEATH(epoch::collect(), "\"reclaiming\" comes inside \"a guard\"");
}

TEST_F(LockOrderDeathTest, WaitingInAGuardOrUnderASpinLockEndsTheProcess) {
  std::atomic<uint32_t> word{0};
  {
    const std::lock_guard fence(fence_);
    EXPECT_DEATH((void)futexWait(&word, 0, Deadline::after(1)), "\"a sleep\" comes on a thread that holds \"fence\"");
  }
  const epoch::Guard guard;
  EXPECT_DEATH((void)futexWait(&word, 0, Deadline::after(1)), "\"a sleep\" comes inside \"a guard\"");
}

}  // namespace
}  // namespace manyrt

#endif
