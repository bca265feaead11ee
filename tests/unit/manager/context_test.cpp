// Objects that a context makes when they are first asked for, by several threads at once.
#include "manager/context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "manager/stream.h"

namespace manyrt::manager {
namespace {

// Short copies take the default stream's queue from the context's resources without a look at a handle. A queue that goes away
// again must not be there, however short.
TEST(ContextTest, OnlyTheQueueOfTheDefaultStreamIsOfferedToCopies) {
  constexpr int kRounds = 300, kAsking = 3;
  rtDevice_t device = nullptr;
  ASSERT_EQ(rtDeviceGetByName(&device, "null:0"), RT_SUCCESS);
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    rtContext_t handle = nullptr;
    rtStream_t first = nullptr;
    ASSERT_EQ(rtContextCreate(&handle, nullptr, device), RT_SUCCESS);
    ASSERT_EQ(rtStreamCreate(&first, nullptr, handle), RT_SUCCESS);  // so that the context has its resources
    allocator::ContextResources* resources = nullptr;
    {
      epoch::Guard guard;
      Context* context = contexts.find(toBits(handle));
      ASSERT_NE(context, nullptr);
      resources = context->resourcesIfStarted();
    }
    ASSERT_NE(resources, nullptr);
    std::barrier start(kAsking + 1);
    std::atomic<int> asking{kAsking};
    std::vector<backend::Stream*> offered;
    std::vector<std::thread> threads;
    for (int i = 0; i < kAsking; ++i) {
      threads.emplace_back([&] {
        rtStream_t stream = nullptr;
        start.arrive_and_wait();
        EXPECT_EQ(rtContextGetDefaultStream(&stream, handle), RT_SUCCESS);
        asking.fetch_sub(1);
      });
    }
    start.arrive_and_wait();
    while (asking.load() != 0) {
      backend::Stream* seen = resources->default_stream.load();
      if (seen != nullptr && (offered.empty() || offered.back() != seen)) offered.push_back(seen);
    }
    for (std::thread& thread : threads) thread.join();
    rtStream_t stream = nullptr;
    ASSERT_EQ(rtContextGetDefaultStream(&stream, handle), RT_SUCCESS);
    epoch::Guard guard;
    backend::Stream* native = streams.find(toBits(stream))->native.get();
    EXPECT_EQ(resources->default_stream.load(), native);
    for (backend::Stream* seen : offered) EXPECT_EQ(seen, native);
    guard.leave();
    EXPECT_EQ(rtStreamDestroy(first), RT_SUCCESS);
    EXPECT_EQ(rtContextDestroy(handle), RT_SUCCESS);
    guard.enter();
  }
}

}  // namespace
}  // namespace manyrt::manager
