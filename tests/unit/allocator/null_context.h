// Shared by tests of the allocator: the resources of a context of the null backend, and streams of it that are held back.
#pragma once

#include <gtest/gtest.h>

#include "allocator/context_resources.h"
#include "allocator/pool.h"
#include "backends/null/null.h"
#include "base/handles/epoch.h"

namespace manyrt::allocator {

class NullContextTest : public testing::Test {
 protected:
  explicit NullContextTest(uint32_t device = 0) : device_(*null::backend()->device(device)) {}
  void SetUp() override {
    Ref<backend::Context> native;
    ASSERT_TRUE(device_.createContext(&native, {}).ok());
    owner_ = Ref<ContextResources>::adopt(new ContextResources(native, device_, nullptr, nullptr));
  }
  // Holds a stream back until the point is completed.
  Ref<backend::Point> block(backend::Stream& stream) {
    Ref<backend::Point> point;
    EXPECT_TRUE(owner_->native().createPoint(&point, false).ok());
    EXPECT_TRUE(stream.wait(point).ok());
    return point;
  }

  backend::Device& device_;
  Ref<ContextResources> owner_;
};

// With a pool that keeps what is freed.
class NullPoolTest : public NullContextTest {
 protected:
  void TearDown() override {
    pool_ = nullptr;
    epoch::synchronize();
    epoch::collect();
  }
  Pool& pool(PoolOptions options = {}) {
    options.release_threshold = UINT64_MAX;
    pool_ = Ref<Pool>::adopt(new Pool(owner_, options));
    return *pool_;
  }
  rtMemPoolStats_t statistics() {
    rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
    pool_->statistics(&stats);
    return stats;
  }

  Ref<Pool> pool_;
};

}  // namespace manyrt::allocator
