// Streams of the CPU: order, which thread runs what, waiting for points, failures, host functions.
#include <time.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/fault.h"
#include "unit/backends/rig.h"

namespace manyrt::test {
namespace {

struct Log {  // appended to in the stream's order; no lock, so that a sanitizer sees overlap
  std::vector<uint64_t> entries;
};

void append(const rtHostGroup_t*, void* const* args) {
  (*static_cast<Log**>(args[0]))->entries.push_back(*static_cast<uint64_t*>(args[1]));
}

void count(const rtHostGroup_t*, void* const* args) {
  (*static_cast<std::atomic<uint64_t>**>(args[0]))->fetch_add(1, std::memory_order_relaxed);
}

TEST(CpuStreamTest, OneProducerIsInOrder) {
  Rig rig;
  auto stream = rig.stream();
  auto kernel = rig.kernel(append, {kPointerArg, valueArg(8)});
  Log log;
  Log* at = &log;
  for (uint64_t i = 0; i < 5000; ++i) ASSERT_TRUE(launch(*stream, *kernel, {&at, &i}).ok());  // many segments
  ASSERT_TRUE(finish(*stream));
  ASSERT_EQ(log.entries.size(), 5000u);
  for (uint64_t i = 0; i < 5000; ++i) ASSERT_EQ(log.entries[i], i);
}

TEST(CpuStreamTest, ManyProducersKeepTheirOrder) {
  for (uint32_t workers : {1u, 2u, 3u}) {
    Rig rig(workers);
    auto stream = rig.stream();
    auto kernel = rig.kernel(append, {kPointerArg, valueArg(8)});
    Log log;
    Log* at = &log;
    constexpr uint64_t kEach = 3000, kProducers = 4;
    std::vector<std::thread> producers;
    for (uint64_t p = 0; p < kProducers; ++p) {
      producers.emplace_back([&, p] {
        for (uint64_t i = 0; i < kEach; ++i) {
          uint64_t value = p * kEach + i;
          ASSERT_TRUE(launch(*stream, *kernel, {&at, &value}).ok());
          if (i % 97 == 0) {
            ASSERT_TRUE(finish(*stream));
          }
        }
      });
    }
    for (auto& producer : producers) producer.join();
    ASSERT_TRUE(finish(*stream));
    ASSERT_EQ(log.entries.size(), kEach * kProducers);
    uint64_t next[kProducers] = {};
    for (uint64_t value : log.entries) ASSERT_EQ(value % kEach, next[value / kEach]++);
  }
}

TEST(CpuStreamTest, ProgressesWithoutFurtherCalls) {
  Rig rig(1);
  auto stream = rig.stream();
  auto kernel = rig.kernel(count, {kPointerArg});
  std::atomic<uint64_t> counter{0};
  auto* at = &counter;
  for (uint64_t round = 1; round <= 200; ++round) {
    ASSERT_TRUE(launch(*stream, *kernel, {&at}).ok());
    if (round % 3 == 0) {  // makes the next submission a patient one
      ASSERT_TRUE(finish(*stream));
    }
    await([&] { return stream->idle(); });
    ASSERT_EQ(counter.load(), round);
  }
}

TEST(CpuStreamTest, IdleEngineWakesUp) {
  Rig rig(2);
  auto stream = rig.stream();
  auto kernel = rig.kernel(count, {kPointerArg});
  std::atomic<uint64_t> counter{0};
  auto* at = &counter;
  for (int micros : {0, 30, 80, 200, 3000, 15000, 30000}) {  // spinning, napping, parked
    for (bool waited : {false, true}) {
      std::this_thread::sleep_for(std::chrono::microseconds(micros));
      uint64_t before = counter.load();
      ASSERT_TRUE(launch(*stream, *kernel, {&at}).ok());
      if (waited) {
        ASSERT_TRUE(finish(*stream));
      } else {
        await([&] { return stream->idle(); });
      }
      ASSERT_EQ(counter.load(), before + 1);
    }
  }
}

int64_t cpuTime(clockid_t clock) {
  timespec time = {};
  (void)clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void work100Microseconds(const rtHostGroup_t*, void* const*) {
  const int64_t began = cpuTime(CLOCK_THREAD_CPUTIME_ID);
  while (cpuTime(CLOCK_THREAD_CPUTIME_ID) - began < 100'000) continue;
}

// Other processes may need the worker's core. CPU time does not depend on what else has the cores meanwhile.
TEST(CpuStreamTest, AProgramThatWaitsAfterEachSubmissionWakesNoWorker) {
  Rig rig(1);
  auto stream = rig.stream();
  auto kernel = rig.kernel(work100Microseconds, {});
  const auto round = [&] {
    ASSERT_TRUE(launch(*stream, *kernel, {}).ok());
    ASSERT_TRUE(finish(*stream));
  };
  for (int i = 0; i < 40; ++i) round();
  double least = 1;  // a worker looks around when this thread loses its core
  for (int part = 0; part < 20; ++part) {
    const int64_t own = cpuTime(CLOCK_THREAD_CPUTIME_ID), all = cpuTime(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < 40; ++i) round();
    const int64_t own_took = cpuTime(CLOCK_THREAD_CPUTIME_ID) - own, all_took = cpuTime(CLOCK_PROCESS_CPUTIME_ID) - all;
    least = std::min(least, static_cast<double>(all_took - own_took) / static_cast<double>(own_took));
  }
  EXPECT_LT(least, 0.5);  // nine tenths, where a worker is woken each time
}

// A program that begins to do something else after its submissions has them begun by a worker soon.
TEST(CpuStreamTest, WorkThatIsNoLongerWaitedForBegins) {
  Rig rig(1);
  auto stream = rig.stream();
  auto kernel = rig.kernel(work100Microseconds, {});
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(launch(*stream, *kernel, {}).ok());
    ASSERT_TRUE(finish(*stream));
  }
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(launch(*stream, *kernel, {}).ok());
    await([&] { return stream->idle(); });
  }
}

void rememberThread(const rtHostGroup_t*, void* const* args) {
  **static_cast<std::thread::id**>(args[0]) = std::this_thread::get_id();
}

TEST(CpuStreamTest, FiniteDeadlineRunsNothingOnTheCaller) {
  Rig rig(1);
  auto stream = rig.stream();
  auto kernel = rig.kernel(rememberThread, {kPointerArg});
  for (int i = 0; i < 200; ++i) {
    std::thread::id ran;
    auto* at = &ran;
    ASSERT_TRUE(launch(*stream, *kernel, {&at}).ok());
    await([&] { return stream->wait(stream->submitted(), Deadline::after(20'000'000)); });
    ASSERT_NE(ran, std::this_thread::get_id());
    ASSERT_TRUE(finish(*stream));
  }
}

TEST(CpuStreamTest, TimedWaitEnds) {
  Rig rig(1);
  auto stream = rig.stream();
  Ref<backend::Point> point = Ref<HandPoint>::adopt(new HandPoint);
  ASSERT_TRUE(stream->wait(point).ok());
  EXPECT_FALSE(stream->wait(1, Deadline::poll()));
  EXPECT_FALSE(stream->wait(1, Deadline::after(1'000'000)));
  point->complete(Status(), 0);
  EXPECT_TRUE(finish(*stream));
}

TEST(CpuStreamTest, BlockedStreamLeavesTheWorkerToOthers) {
  Rig rig(1);
  auto blocked = rig.stream();
  auto other = rig.stream();
  auto kernel = rig.kernel(count, {kPointerArg});
  std::atomic<uint64_t> first{0}, second{0};
  auto *at_first = &first, *at_second = &second;
  Ref<backend::Point> point = Ref<HandPoint>::adopt(new HandPoint);
  ASSERT_TRUE(blocked->wait(point).ok());
  ASSERT_TRUE(launch(*blocked, *kernel, {&at_first}).ok());
  ASSERT_TRUE(launch(*other, *kernel, {&at_second}).ok());
  await([&] { return other->idle(); });
  EXPECT_EQ(second.load(), 1u);
  EXPECT_EQ(first.load(), 0u);
  EXPECT_FALSE(blocked->idle());
  point->complete(Status(), 0);
  await([&] { return blocked->idle(); });
  EXPECT_EQ(first.load(), 1u);
}

TEST(CpuStreamTest, WaiterSleepsUntilThePointIsPassed) {
  for (auto policy : {backend::WaitPolicy::kDefault, backend::WaitPolicy::kYield, backend::WaitPolicy::kBlock}) {
    Rig rig(1, cpu::backend(), policy);
    auto stream = rig.stream();
    for (int i = 0; i < 50; ++i) {
      Ref<backend::Point> point = Ref<HandPoint>::adopt(new HandPoint);
      ASSERT_TRUE(stream->wait(point).ok());
      std::thread passer([&] {
        if (i % 2 == 0) std::this_thread::yield();
        point->complete(Status(), 0);
      });
      ASSERT_TRUE(finish(*stream));
      EXPECT_TRUE(point->done());
      passer.join();
    }
  }
}

TEST(CpuStreamTest, StreamsHandOverToEachOther) {
  for (uint32_t workers : {1u, 2u}) {
    Rig rig(workers);
    auto a = rig.stream();
    auto b = rig.stream();
    auto kernel = rig.kernel(append, {kPointerArg, valueArg(8)});
    Log log;
    Log* at = &log;
    for (uint64_t i = 0; i < 500; ++i) {
      backend::Stream& from = i % 2 == 0 ? *a : *b;
      backend::Stream& to = i % 2 == 0 ? *b : *a;
      ASSERT_TRUE(launch(from, *kernel, {&at, &i}).ok());
      auto point = rig.point();
      ASSERT_TRUE(from.record(point).ok());
      ASSERT_TRUE(to.wait(point).ok());
      if (i % 50 == 0) {
        ASSERT_TRUE(point->wait(kNever, backend::WaitPolicy::kDefault));
      }
    }
    ASSERT_TRUE(finish(*a));
    ASSERT_TRUE(finish(*b));
    ASSERT_EQ(log.entries.size(), 500u);
    for (uint64_t i = 0; i < 500; ++i) ASSERT_EQ(log.entries[i], i);
  }
}

void fail(const rtHostGroup_t*, void* const*) { throw std::runtime_error("out of luck"); }

TEST(CpuStreamTest, FailureLatchesAndTravelsWithPoints) {
  Rig rig;
  auto stream = rig.stream();
  auto other = rig.stream();
  auto bad = rig.kernel(fail);
  auto good = rig.kernel(count, {kPointerArg});
  std::atomic<uint64_t> counter{0};
  auto* at = &counter;
  auto point = rig.point();
  rtStatus_t seen = RT_SUCCESS;
  ASSERT_TRUE(launch(*stream, *bad, {}).ok());
  ASSERT_TRUE(launch(*stream, *good, {&at}).ok());
  ASSERT_TRUE(stream
                  ->call(new FunctionTask([&](const Status& status) {
                           seen = status.code();
                           return Status();
                         }),
                         backend::TaskKind::kInternal)
                  .ok());
  ASSERT_TRUE(stream->record(point).ok());
  ASSERT_TRUE(other->wait(point).ok());
  ASSERT_TRUE(launch(*other, *good, {&at}).ok());
  ASSERT_TRUE(finish(*stream));
  ASSERT_TRUE(finish(*other));
  EXPECT_EQ(counter.load(), 0u);
  EXPECT_EQ(seen, RT_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(point->status().code(), RT_ERROR_LAUNCH_FAILED);
  Status first = stream->latch.take();
  EXPECT_EQ(first.code(), RT_ERROR_LAUNCH_FAILED);
  EXPECT_NE(std::string(first.message()).find("tested"), std::string::npos);
  EXPECT_NE(std::string(first.message()).find("out of luck"), std::string::npos);
  EXPECT_EQ(other->latch.take().code(), RT_ERROR_LAUNCH_FAILED);
  ASSERT_TRUE(launch(*stream, *good, {&at}).ok());
  ASSERT_TRUE(finish(*stream));
  EXPECT_EQ(counter.load(), 1u);
}

TEST(CpuStreamTest, HostFunctionsRunOnThreadsOfTheLibrary) {
  Rig rig(1);
  auto stream = rig.stream();
  auto kernel = rig.kernel(append, {kPointerArg, valueArg(8)});
  Log log;
  Log* at = &log;
  std::thread::id caller = std::this_thread::get_id();
  for (uint64_t i = 0; i < 300; i += 3) {
    uint64_t after = i + 2;
    ASSERT_TRUE(launch(*stream, *kernel, {&at, &i}).ok());
    ASSERT_TRUE(stream
                    ->call(task([&, i] {
                             EXPECT_NE(std::this_thread::get_id(), caller);
                             EXPECT_TRUE(stream->isInsideTask());
                             log.entries.push_back(i + 1);
                           }),
                           backend::TaskKind::kUser)
                    .ok());
    ASSERT_TRUE(launch(*stream, *kernel, {&at, &after}).ok());
    if (i % 4 == 0) {
      ASSERT_TRUE(finish(*stream));
    }
  }
  ASSERT_TRUE(finish(*stream));
  EXPECT_FALSE(stream->isInsideTask());
  ASSERT_EQ(log.entries.size(), 300u);
  for (uint64_t i = 0; i < 300; ++i) ASSERT_EQ(log.entries[i], i);
}

TEST(CpuStreamTest, HostFunctionsOfStreamsMayWaitForEachOther) {
  Rig rig(1);
  auto a = rig.stream();
  auto b = rig.stream();
  std::atomic<int> meeting{0};
  for (backend::Stream* stream : {a.get(), b.get()}) {
    ASSERT_TRUE(stream
                    ->call(task([&] {
                             ++meeting;
                             await([&] { return meeting == 2; });
                           }),
                           backend::TaskKind::kUser)
                    .ok());
  }
  EXPECT_TRUE(finish(*a));
  EXPECT_TRUE(finish(*b));
}

TEST(CpuStreamTest, SegmentThatCannotBeHadLosesNothing) {
  Rig rig;
  auto stream = rig.stream();
  auto kernel = rig.kernel(count, {kPointerArg});
  std::atomic<uint64_t> counter{0};
  auto* at = &counter;
  Ref<backend::Point> point = Ref<HandPoint>::adopt(new HandPoint);
  ASSERT_TRUE(launch(*stream, *kernel, {&at}).ok());
  ASSERT_TRUE(finish(*stream));
  ASSERT_TRUE(stream->wait(point).ok());  // nothing is consumed from here on
  fault::arm(1, true);
  uint64_t accepted = 1, refused = 0;
  for (int i = 0; i < 1000; ++i) {
    Status status = launch(*stream, *kernel, {&at});
    if (status.ok()) {
      ++accepted;
    } else {
      ++refused;
      EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY);
    }
  }
  fault::disarm();
  EXPECT_GT(refused, 0u);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(launch(*stream, *kernel, {&at}).ok());
    ++accepted;
  }
  point->complete(Status(), 0);
  ASSERT_TRUE(finish(*stream));
  EXPECT_EQ(counter.load(), accepted);
}

void checkValues(const rtHostGroup_t* group, void* const* args) {
  bool good = *static_cast<uint8_t*>(args[0]) == 0x11 && *static_cast<uint32_t*>(args[1]) == 0x22222222 &&
              *static_cast<double*>(args[2]) == 0.5 && static_cast<unsigned char*>(args[3])[99] == 99 && group->worker < 64;
  if (!good) throw 1;
}

TEST(CpuStreamTest, ArgumentsOfAllSizesAreCopied) {
  Rig rig;
  auto stream = rig.stream();
  auto kernel = rig.kernel(checkValues, {valueArg(1), valueArg(4), valueArg(8), valueArg(100)});
  for (int i = 0; i < 400; ++i) {
    uint8_t a = 0x11;
    uint32_t b = 0x22222222;
    double c = 0.5;
    unsigned char d[100];
    std::iota(d, d + 100, static_cast<unsigned char>(0));
    ASSERT_TRUE(launch(*stream, *kernel, {&a, &b, &c, d}).ok());
    a = 0;
    b = 0;
    c = 0;
    d[99] = 0;
  }
  ASSERT_TRUE(finish(*stream));
  EXPECT_FALSE(stream->latch.failed());
}

void useLocals(const rtHostGroup_t* group, void* const* args) {
  auto* local = *static_cast<unsigned char**>(args[0]);
  auto* own = static_cast<unsigned char*>(group->local_memory);
  if (reinterpret_cast<uintptr_t>(local) % 64 != 0 || reinterpret_cast<uintptr_t>(own) % 64 != 0) throw 1;
  std::fill(local, local + 1000, static_cast<unsigned char>(group->group_id[0]));
  std::fill(own, own + group->local_bytes, static_cast<unsigned char>(~group->group_id[0]));
  for (int i = 0; i < 1000; ++i) {
    if (local[i] != static_cast<unsigned char>(group->group_id[0])) throw 2;
  }
}

TEST(CpuStreamTest, LocalMemoryIsOfOneGroup) {
  Rig rig;
  auto stream = rig.stream();
  auto kernel = rig.kernel(useLocals, {kLocalArg});
  size_t bytes = 1000, too_many = size_t{8} << 20;
  ASSERT_TRUE(launch(*stream, *kernel, {&bytes}, 2000, false, 500).ok());
  ASSERT_TRUE(finish(*stream));
  EXPECT_FALSE(stream->latch.failed());
  EXPECT_EQ(launch(*stream, *kernel, {&too_many}).code(), RT_ERROR_INVALID_VALUE);
}

TEST(CpuStreamTest, CopyNowOnlyWhereIdle) {
  Rig rig(1);
  auto stream = rig.stream();
  int from = 5, to = 0;
  EXPECT_TRUE(stream->copyNow({&to, &from, sizeof to}));
  EXPECT_EQ(to, 5);
  Ref<backend::Point> point = Ref<HandPoint>::adopt(new HandPoint);
  ASSERT_TRUE(stream->wait(point).ok());
  EXPECT_FALSE(stream->copyNow({&to, &from, sizeof to}));
  point->complete(Status(), 0);
  ASSERT_TRUE(finish(*stream));
}

TEST(CpuStreamTest, NativesAreLookedUpNotFollowed) {
  Rig rig;
  auto stream = rig.stream();
  auto point = rig.point();
  backend::Interop& interop = *cpu::backend()->device(0)->interop();
  backend::Context& context = *rig.context;
  uint64_t native[2];
  Ref<backend::Stream> again;
  Ref<backend::Point> point_again;
  Ref<backend::Context> context_again;
  stream->native(native);
  ASSERT_TRUE(interop.importStream(&again, context, native).ok());
  EXPECT_EQ(again.get(), stream.get());
  rig.context->nativePoint(*point, native);
  ASSERT_TRUE(interop.importPoint(&point_again, context, native).ok());
  EXPECT_EQ(point_again.get(), point.get());
  rig.context->native(native);
  ASSERT_TRUE(interop.importContext(&context_again, native).ok());
  uint64_t wild[2] = {0x1234, 0};
  EXPECT_EQ(interop.importStream(&again, context, wild).code(), RT_ERROR_NOT_FOUND);
  EXPECT_EQ(interop.importPoint(&point_again, context, wild).code(), RT_ERROR_NOT_FOUND);
  EXPECT_EQ(interop.importContext(&context_again, wild).code(), RT_ERROR_NOT_FOUND);
  backend::Memory memory;
  EXPECT_TRUE(interop.importMemory(&memory, context, native, 8).ok());
  rig.context->release(memory);
}

}  // namespace
}  // namespace manyrt::test
