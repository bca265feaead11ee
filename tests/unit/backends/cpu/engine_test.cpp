// The engine of the CPU: shared and cooperative launches, many streams on few workers, contexts that come and go.
#include "backends/cpu/engine.h"

#include <mutex>
#include <set>

#include "backends/cpu/stream.h"
#include "base/clock.h"
#include "base/fault.h"
#include "unit/backends/rig.h"

namespace manyrt::test {
namespace {

void markGroup(const rtHostGroup_t* group, void* const* args) {
  uint64_t index = group->group_id[0] + uint64_t{group->group_count[0]} *
                                            (group->group_id[1] + uint64_t{group->group_count[1]} * group->group_id[2]);
  (*static_cast<std::atomic<uint8_t>**>(args[0]))[index].fetch_add(1);
  int64_t until = nowNanoseconds() + *static_cast<int64_t*>(args[1]);
  while (*static_cast<int64_t*>(args[1]) != 0 && nowNanoseconds() < until) {
  }
}

TEST(CpuEngineTest, EveryGroupRunsOnce) {
  for (uint32_t threads : {1u, 2u, 4u}) {
    Rig rig(threads);
    auto stream = rig.stream();
    auto kernel = rig.kernel(markGroup, {kPointerArg, valueArg(8)});
    for (int64_t nanoseconds : {int64_t{0}, int64_t{500}, int64_t{20'000}}) {
      for (auto [x, y, z] : {std::array{1u, 1u, 1u}, {7u, 1u, 1u}, {5u, 3u, 2u}, {1u, 1u, 40u}, {33u, 4u, 1u}}) {
        for (int repeat = 0; repeat < 5; ++repeat) {
          std::vector<std::atomic<uint8_t>> marks(x * y * z);
          auto* at = marks.data();
          const void* args[] = {&at, &nanoseconds};
          ASSERT_TRUE(stream->launch(*kernel, {{x, y, z}, {1, 1, 1}, 0, false, args}).ok());
          if (repeat % 2 == 0) {
            ASSERT_TRUE(finish(*stream));
          } else {
            await([&] { return stream->idle(); });
          }
          for (auto& mark : marks) ASSERT_EQ(mark.load(), 1);
        }
      }
    }
  }
}

struct Meeting {  // groups of a cooperative launch meet in it, again and again
  std::atomic<uint32_t> arrived{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::set<uint32_t> workers;
};

void meet(const rtHostGroup_t* group, void* const* args) {
  Meeting& meeting = **static_cast<Meeting**>(args[0]);
  {
    std::lock_guard lock(meeting.mutex);
    meeting.threads.insert(std::this_thread::get_id());
    meeting.workers.insert(group->worker);
  }
  for (uint32_t round = 1; round <= 3; ++round) {
    ++meeting.arrived;
    while (meeting.arrived < round * group->group_count[0]) std::this_thread::yield();
  }
}

TEST(CpuEngineTest, CooperativeGroupsRunAtTheSameTime) {
  for (uint32_t threads : {1u, 2u, 4u}) {
    Rig rig(threads);
    auto stream = rig.stream();
    auto kernel = rig.kernel(meet, {kPointerArg});
    ASSERT_EQ(kernel->maxActiveGroups(1, 0), threads);
    for (int repeat = 0; repeat < 40; ++repeat) {
      uint32_t groups = 1 + static_cast<uint32_t>(repeat) % threads;
      Meeting meeting;
      Meeting* at = &meeting;
      ASSERT_TRUE(launch(*stream, *kernel, {&at}, groups, true).ok());
      if (repeat % 3 == 0) {
        await([&] { return stream->idle(); });
      } else {
        ASSERT_TRUE(finish(*stream));
      }
      EXPECT_EQ(meeting.threads.size(), groups);
      EXPECT_EQ(meeting.workers.size(), groups);
    }
  }
}

struct SmallGrid {  // groups of a plain launch that wait for one another, as long as `patience` says
  std::atomic<uint32_t> arrived{0}, met{0};
  int64_t patience = 10'000'000'000;  // nanoseconds; 0: they do not wait
};

void meetOnce(const rtHostGroup_t* group, void* const* args) {
  SmallGrid& grid = **static_cast<SmallGrid**>(args[0]);
  ++grid.arrived;
  const int64_t until = nowNanoseconds() + grid.patience;
  while (grid.arrived < group->group_count[0] && grid.patience != 0 && nowNanoseconds() <= until) std::this_thread::yield();
  if (grid.arrived >= group->group_count[0]) ++grid.met;
}

enum class Ends { kWaited, kByWorker };

void runSmallGrid(backend::Stream& stream, backend::Kernel& kernel, SmallGrid& grid, uint32_t groups, Ends ends) {
  SmallGrid* at = &grid;
  ASSERT_TRUE(launch(stream, kernel, {&at}, groups).ok());
  if (ends == Ends::kWaited) {
    ASSERT_TRUE(finish(stream));
  } else {
    await([&] { return stream.idle(); });
  }
  ASSERT_EQ(grid.arrived, groups);
}

TEST(CpuEngineTest, GroupsOfASmallGridRunAtTheSameTimeWhereThreadsAreFree) {
  for (uint32_t threads : {2u, 4u}) {
    Rig rig(threads);
    auto stream = rig.stream();
    for (int repeat = 0; repeat < 48; ++repeat) {
      const Ends ends = repeat % 2 == 0 ? Ends::kWaited : Ends::kByWorker;
      const uint32_t groups = 2 + static_cast<uint32_t>(repeat / 2) % (threads - 1);
      auto kernel = rig.kernel(meetOnce, {kPointerArg});
      // The cost of a group is unknown, known to be little, or known to be much.
      for (int known = repeat % 3; known > 0; --known) {
        SmallGrid quick;
        quick.patience = 0;
        for (int i = 0; i < 20; ++i, quick.arrived = 0) runSmallGrid(*stream, *kernel, quick, groups, ends);
      }
      for (int again = repeat % 4; again >= 0; --again) {
        if (again == 3) std::this_thread::sleep_for(std::chrono::milliseconds(30));  // workers have parked
        SmallGrid grid;
        runSmallGrid(*stream, *kernel, grid, groups, ends);
        ASSERT_EQ(grid.met, groups) << threads << " threads, repeat " << repeat << ", again " << again;
      }
    }
  }
}

TEST(CpuEngineTest, SmallGridsOfSeveralStreamsSpreadBesideOneAnother) {
  Rig rig(6);
  std::vector<std::thread> callers;
  std::atomic<uint32_t> met{0};
  constexpr uint32_t kRounds = 60;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&rig, &met, caller] {
      auto stream = rig.stream();
      auto kernel = rig.kernel(meetOnce, {kPointerArg});
      for (uint32_t round = 0; round < kRounds; ++round) {
        SmallGrid quick, grid;
        quick.patience = 0;
        const Ends ends = (round + static_cast<uint32_t>(caller)) % 3 == 0 ? Ends::kByWorker : Ends::kWaited;
        for (int i = 0; i < 10; ++i, quick.arrived = 0) runSmallGrid(*stream, *kernel, quick, 2, ends);
        runSmallGrid(*stream, *kernel, grid, 2, ends);
        met += grid.met;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(met, 3 * kRounds * 2);
}

TEST(CpuEngineTest, AGridWiderThanTheThreadsEndsWhereItsGroupsGiveUp) {
  for (uint32_t threads : {1u, 2u}) {
    Rig rig(threads);
    auto stream = rig.stream();
    auto kernel = rig.kernel(meetOnce, {kPointerArg});
    for (Ends ends : {Ends::kWaited, Ends::kByWorker}) {
      SmallGrid grid;
      grid.patience = 1'000'000;
      runSmallGrid(*stream, *kernel, grid, threads + 3, ends);
    }
  }
}

struct Busy {  // a group that stays until it may go
  std::atomic<bool> runs{false}, go{false};
};

void stay(const rtHostGroup_t*, void* const* args) {
  Busy& busy = **static_cast<Busy**>(args[0]);
  busy.runs = true;
  while (!busy.go) std::this_thread::yield();
}

// A worker is in a kernel that does not end, the others have gone to sleep.
class BesideBusyWorker : public testing::Test {
 protected:
  void SetUp() override {
    Meeting meeting;
    Meeting* at = &meeting;
    ASSERT_TRUE(launch(*stream_, *meet_, {&at}, 4, true).ok());  // starts all workers
    ASSERT_TRUE(finish(*stream_));
    std::this_thread::sleep_for(kUntilParked);
    Busy* busy = &busy_;
    ASSERT_TRUE(launch(*other_, *stay_, {&busy}).ok());
    await([&] { return busy_.runs.load(); });
    std::this_thread::sleep_for(kUntilParked);
  }
  void TearDown() override {
    busy_.go = true;
    EXPECT_TRUE(finish(*other_));
    EXPECT_TRUE(finish(*stream_));
  }

  static constexpr std::chrono::milliseconds kUntilParked{60};
  Rig rig_{4};
  Ref<backend::Stream> stream_ = rig_.stream(), other_ = rig_.stream();
  Ref<backend::Kernel> meet_ = rig_.kernel(meet, {kPointerArg}), stay_ = rig_.kernel(stay, {kPointerArg});
  Busy busy_;
};

TEST_F(BesideBusyWorker, ACooperativeLaunchGetsTheOthers) {
  for (uint32_t groups : {2u, 3u}) {
    for (bool waits : {false, true}) {
      Meeting meeting;
      Meeting* at = &meeting;
      ASSERT_TRUE(launch(*stream_, *meet_, {&at}, groups, true).ok());
      const Deadline deadline = Deadline::after(10'000'000'000);
      if (waits) {
        EXPECT_TRUE(stream_->wait(stream_->submitted(), deadline)) << groups << " groups";
      } else {
        while (!stream_->idle() && !deadline.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_TRUE(stream_->idle()) << groups << " groups, polled";
      }
      busy_.go = busy_.go || HasFailure();
      ASSERT_TRUE(finish(*stream_));
      std::this_thread::sleep_for(kUntilParked);
    }
  }
}

TEST(CpuEngineTest, CooperativeLaunchesTakeTurns) {
  Rig rig(3);
  auto kernel = rig.kernel(meet, {kPointerArg});
  auto busy = rig.kernel(markGroup, {kPointerArg, valueArg(8)});
  std::vector<Ref<backend::Stream>> streams;
  std::vector<std::unique_ptr<Meeting>> meetings;
  std::vector<std::atomic<uint8_t>> marks(64);
  auto* marks_at = marks.data();
  int64_t nanoseconds = 2000;
  for (int i = 0; i < 4; ++i) streams.push_back(rig.stream());
  for (int repeat = 0; repeat < 30; ++repeat) {
    for (auto& stream : streams) {
      meetings.push_back(std::make_unique<Meeting>());
      Meeting* at = meetings.back().get();
      ASSERT_TRUE(launch(*stream, *kernel, {&at}, 3, true).ok());
      ASSERT_TRUE(launch(*stream, *busy, {&marks_at, &nanoseconds}, 64).ok());
    }
  }
  std::vector<std::thread> waiters;
  for (auto& stream : streams) waiters.emplace_back([&] { EXPECT_TRUE(finish(*stream)); });
  for (auto& waiter : waiters) waiter.join();
  for (auto& meeting : meetings) EXPECT_EQ(meeting->threads.size(), 3u);
}

// A stream that has been told of its turn, and leaves its launch out because it has failed meanwhile, hands the turn on.
TEST(CpuEngineTest, ATurnOfAStreamThatFailedGoesToTheNextOne) {
  struct Holder {
    std::atomic<bool> runs{false}, ends{false};
  };
  constexpr size_t kStreams = 5;  // after the one that has the turn
  Rig rig(2);
  auto hold = rig.kernel(
      [](const rtHostGroup_t*, void* const* args) {
        Holder& holder = **static_cast<Holder**>(args[0]);
        holder.runs = true;
        while (!holder.ends) std::this_thread::yield();
      },
      {kPointerArg});
  auto mark = rig.kernel(markGroup, {kPointerArg, valueArg(8)});
  int64_t none = 0;
  for (uint32_t repeat = 0; repeat < 64; ++repeat) {
    Holder holder;
    Holder* at = &holder;
    std::vector<std::atomic<uint8_t>> before(kStreams), marks(kStreams);
    auto first = rig.stream();
    std::vector<Ref<backend::Stream>> streams;
    ASSERT_TRUE(launch(*first, *hold, {&at}, 1, true).ok());
    await([&] { return holder.runs.load(); });
    for (size_t i = 0; i < kStreams; ++i) {
      auto *before_at = &before[i], *mark_at = &marks[i];
      streams.push_back(rig.stream());
      ASSERT_TRUE(launch(*streams[i], *mark, {&before_at, &none}).ok());
      ASSERT_TRUE(launch(*streams[i], *mark, {&mark_at, &none}, 1, true).ok());
    }
    for (auto& stream : streams) await([&] { return stream->completed() >= 1; });  // what comes next is its turn
    for (int i = 0; i < 50; ++i) std::this_thread::yield();
    const auto fails = [&](size_t i) { return ((repeat >> i) & 1) != 0; };
    for (size_t i = 0; i < kStreams; ++i) {
      if (fails(i)) streams[i]->latch.set(Status::bare(RT_ERROR_LAUNCH_FAILED));
    }
    holder.ends = true;
    for (size_t i = 0; i < kStreams; ++i) {
      await([&] { return streams[i]->idle(); });  // no thread waits in the stream: it starts without a flush
      EXPECT_EQ(marks[i].load(), fails(i) ? 0 : 1) << repeat << ", stream " << i;
    }
    ASSERT_TRUE(finish(*first));
  }
}

TEST(CpuEngineTest, ManyStreamsOnOneWorker) {
  Rig rig(1);
  auto kernel = rig.kernel(markGroup, {kPointerArg, valueArg(8)});
  std::vector<Ref<backend::Stream>> streams;
  for (int i = 0; i < 40; ++i) streams.push_back(rig.stream(-(i % 3)));
  std::vector<std::atomic<uint8_t>> marks(40);
  int64_t none = 0;
  for (int round = 0; round < 100; ++round) {
    for (size_t i = 0; i < streams.size(); ++i) {
      auto* at = &marks[i];
      ASSERT_TRUE(launch(*streams[i], *kernel, {&at, &none}).ok());
    }
  }
  for (auto& stream : streams) await([&] { return stream->idle(); });
  for (auto& mark : marks) EXPECT_EQ(mark.load(), 100);
}

TEST(CpuEngineTest, WaitersOnSharedStreams) {
  Rig rig(2);
  auto kernel = rig.kernel(markGroup, {kPointerArg, valueArg(8)});
  std::vector<Ref<backend::Stream>> streams;
  for (int i = 0; i < 3; ++i) streams.push_back(rig.stream());
  std::vector<std::atomic<uint8_t>> marks(1);
  auto* at = marks.data();
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      int64_t none = 0;
      for (int i = 0; i < 1500; ++i) {
        backend::Stream& stream = *streams[static_cast<size_t>(t + i) % streams.size()];
        ASSERT_TRUE(launch(stream, *kernel, {&at, &none}).ok());
        if (i % 5 == 0) {
          ASSERT_TRUE(finish(stream));
        } else if (i % 5 == 1) {
          (void)stream.wait(stream.submitted(), Deadline::after(50'000));
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (auto& stream : streams) ASSERT_TRUE(finish(*stream));
}

TEST(CpuEngineTest, WorkerThatCannotStartIsAStatus) {
  Rig rig(2);
  auto stream = rig.stream();
  auto kernel = rig.kernel(markGroup, {kPointerArg, valueArg(8)});
  std::vector<std::atomic<uint8_t>> marks(1);
  auto* at = marks.data();
  int64_t none = 0;
  fault::arm(1, true);
  Status status = launch(*stream, *kernel, {&at, &none});
  fault::disarm();
  EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(stream->submitted(), 0u);
  ASSERT_TRUE(launch(*stream, *kernel, {&at, &none}).ok());
  ASSERT_TRUE(finish(*stream));
  EXPECT_EQ(marks[0].load(), 1);
}

TEST(CpuEngineTest, ContextsComeAndGo) {
  for (int i = 0; i < 200; ++i) {
    Rig rig(1 + static_cast<uint32_t>(i) % 3);
    auto stream = rig.stream();
    if (i % 4 == 0) continue;  // unused
    auto kernel = rig.kernel(markGroup, {kPointerArg, valueArg(8)});
    std::vector<std::atomic<uint8_t>> marks(8);
    auto* at = marks.data();
    int64_t nanoseconds = i % 3 == 0 ? 5000 : 0;
    ASSERT_TRUE(launch(*stream, *kernel, {&at, &nanoseconds}, 8).ok());
    ASSERT_TRUE(finish(*stream));
  }
}

// A host thread frees a stream after the last function, and lists it. By then the stream may have run to its end elsewhere,
// and its context be gone.
TEST(CpuEngineTest, AStreamThatIsListedAfterTheEndIsNotKept) {
  Ref<cpu::Engine> engine = Ref<cpu::Engine>::adopt(new cpu::Engine(1, backend::WaitPolicy::kDefault));
  Ref<backend::Stream> stream;
  ASSERT_TRUE(cpu::Stream::create(&stream, *engine, {}).ok());
  auto& own = static_cast<cpu::Stream&>(*stream);
  engine->stop();
  own.retain();  // the reference that a blocked stream has, and unblock() takes
  own.unblock();
  EXPECT_EQ(own.references(), 1u);
}

TEST(CpuEngineTest, PointsOutliveTheirContext) {
  Ref<backend::Point> point;
  {
    Rig rig(1);
    auto stream = rig.stream();
    point = rig.point();
    ASSERT_TRUE(stream->record(point).ok());
    ASSERT_TRUE(finish(*stream));
  }
  EXPECT_TRUE(point->done());
  EXPECT_GT(point->nanoseconds(), 0);
}

TEST(CpuEngineTest, PropertiesAreComplete) {
  backend::Device* device = cpu::backend()->device(0);
  const rtDeviceProperties_t* properties = nullptr;
  ASSERT_TRUE(device->properties(&properties).ok());
  EXPECT_STREQ(properties->id, "cpu");
  EXPECT_NE(properties->name[0], '\0');
  EXPECT_GT(properties->compute_units, 0u);
  EXPECT_GT(properties->memory_bytes, 0u);
  int64_t value = 0;
  ASSERT_TRUE(device->attribute(&value, RT_ATTRIBUTE_HOST_THREADS).ok());
  EXPECT_GT(value, 0);
  ASSERT_TRUE(device->attribute(&value, RT_ATTRIBUTE_NUMA_NODES).ok());
  EXPECT_GT(value, 0);
}

}  // namespace
}  // namespace manyrt::test
