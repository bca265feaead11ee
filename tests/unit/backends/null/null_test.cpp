// The null backend: order, waiting and failures without any work.
#include <unistd.h>

#include <cerrno>

#include "base/fault.h"
#include "unit/backends/rig.h"

namespace manyrt::test {
namespace {

void never(const rtHostGroup_t*, void* const*) { FAIL() << "a kernel ran on the null backend"; }

TEST(NullTest, LaunchesCountAndRunNothing) {
  Rig rig(1, null::backend());
  auto stream = rig.stream();
  auto kernel = rig.kernel(never);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(launch(*stream, *kernel, {}).ok());
  EXPECT_EQ(stream->submitted(), 100u);
  EXPECT_EQ(stream->completed(), 100u);
}

TEST(NullTest, ProducersAreCountedOnce) {
  Rig rig(1, null::backend());
  auto stream = rig.stream();
  auto kernel = rig.kernel(never);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      char from = 1, to = 0;
      for (int i = 0; i < 2000; ++i) {
        ASSERT_TRUE(launch(*stream, *kernel, {}).ok());
        if (i % 7 == 0) {
          ASSERT_TRUE(stream->copy({&to, &from, 1}).ok());
        }
        if (i % 11 == 0) {
          ASSERT_TRUE(finish(*stream));
        }
      }
      ASSERT_TRUE(finish(*stream));  // the thread that runs the last copy reads this thread's stack
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(finish(*stream));
  EXPECT_EQ(stream->submitted(), 4u * (2000 + 286));
}

TEST(NullTest, NothingPassesABlockedPoint) {
  Rig rig(1, null::backend());
  auto stream = rig.stream();
  Ref<backend::Point> gate = Ref<HandPoint>::adopt(new HandPoint);
  auto after = rig.point();
  int from = 5, to = 0;
  ASSERT_TRUE(stream->wait(gate).ok());
  ASSERT_TRUE(stream->copy({&to, &from, sizeof to}).ok());
  ASSERT_TRUE(stream->record(after).ok());
  EXPECT_EQ(to, 0);
  EXPECT_EQ(stream->completed(), 0u);
  EXPECT_FALSE(after->done());
  EXPECT_FALSE(stream->wait(1, Deadline::after(100'000)));
  gate->complete(Status::error(RT_ERROR_LAUNCH_FAILED, "Told to."), 0);
  EXPECT_TRUE(finish(*stream));
  EXPECT_EQ(to, 0);  // skipped: the failure came with the point
  EXPECT_EQ(after->status().code(), RT_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(stream->latch.take().code(), RT_ERROR_LAUNCH_FAILED);
}

TEST(NullTest, HostFunctionsHoldTheStream) {
  Rig rig(1, null::backend());
  auto stream = rig.stream();
  std::atomic<bool> go{false};
  std::thread::id caller = std::this_thread::get_id();
  int order = 0;
  ASSERT_TRUE(stream
                  ->call(task([&] {
                           EXPECT_NE(std::this_thread::get_id(), caller);
                           EXPECT_TRUE(stream->isInsideTask());
                           await([&] { return go.load(); });
                           EXPECT_EQ(order++, 0);
                         }),
                         backend::TaskKind::kUser)
                  .ok());
  ASSERT_TRUE(stream->call(task([&] { EXPECT_EQ(order++, 1); }), backend::TaskKind::kInternal).ok());
  EXPECT_EQ(stream->completed(), 0u);
  go = true;
  EXPECT_TRUE(finish(*stream));
  EXPECT_EQ(order, 2);
}

// A task of the library runs on the thread that submits it, which may be inside a host function.
TEST(NullTest, ATaskOfAnotherStreamLeavesTheHostFunctionInsideItsOwn) {
  Rig rig(1, null::backend());
  auto stream = rig.stream(), other = rig.stream();
  bool ran = false, inside = false;
  ASSERT_TRUE(stream
                  ->call(task([&] {
                           ASSERT_TRUE(other->call(task([&] { ran = true; }), backend::TaskKind::kInternal).ok());
                           inside = stream->isInsideTask();
                         }),
                         backend::TaskKind::kUser)
                  .ok());
  ASSERT_TRUE(finish(*stream));
  EXPECT_TRUE(ran);
  EXPECT_TRUE(inside);
}

TEST(NullTest, EveryCallCanBeToldToFail) {
  Rig rig(1, null::backend());
  auto stream = rig.stream();
  auto kernel = rig.kernel(never);
  bool ran = false;
  fault::arm(1, true);
  EXPECT_FALSE(launch(*stream, *kernel, {}).ok());
  EXPECT_FALSE(stream->copy({}).ok());
  EXPECT_FALSE(stream->call(task([&] { ran = true; }), backend::TaskKind::kInternal).ok());
  fault::disarm();
  EXPECT_FALSE(ran);
  EXPECT_TRUE(finish(*stream));
  EXPECT_TRUE(launch(*stream, *kernel, {}).ok());
}

TEST(NullTest, TwoOfTheDistantDevicesArePeers) {
  backend::Backend* backend = null::backend();
  ASSERT_EQ(backend->deviceCount(), 4);
  EXPECT_EQ(backend->device(4), nullptr);
  for (int32_t i = 0; i < 4; ++i) {
    for (int32_t j = 0; j < 4; ++j) {
      const bool peers = i != j && i >= 2 && j >= 2;
      EXPECT_EQ(backend->device(i)->canAccess(*backend->device(j)), peers) << i << " and " << j;
      EXPECT_EQ(backend->device(i)->copiesPeer(*backend->device(j)), peers || i == j) << i << " and " << j;
    }
  }
}

TEST(NullTest, DistantMemoryIsClosedToTheHostAndOpenToItsOwnStreams) {
  backend::Device& device = *null::backend()->device(1);
  Ref<backend::Context> context;
  Ref<backend::Stream> stream;
  backend::Memory memory;
  ASSERT_TRUE(device.createContext(&context, {}).ok());
  ASSERT_TRUE(context->createStream(&stream, {}).ok());
  ASSERT_TRUE(context->allocate(&memory, RT_MEMORY_DEVICE, 5000, 1 << 16).ok());
  EXPECT_FALSE(memory.host_visible);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.address) % (1 << 16), 0u);
  char* at = static_cast<char*>(memory.address) + 4990;
  char in[10] = "distant", out[10] = "";
  ASSERT_TRUE(stream->copy({at, in, sizeof in}).ok());
  ASSERT_TRUE(stream->copy({out, at, sizeof out}).ok());
  EXPECT_STREQ(out, in);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], at, 1), -1) << "the host read it";
  EXPECT_EQ(errno, EFAULT);
  close(ends[0]), close(ends[1]);
  context->release(memory);
}

}  // namespace
}  // namespace manyrt::test
