// Scenarios of rtShutdown: counted, waits for work in flight, refused in a host function, final.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "child.h"

namespace child {
namespace {

void expectShutDown(World& world) {
  uint32_t version = 0;
  uint64_t value = 7;
  rtStream_t stream = rttest::garbage<rtStream_t>();
  rtDevice_t device = rttest::garbage<rtDevice_t>();
  void* pointer = rttest::garbage<void*>();
  int32_t count = 7;
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtDeviceGetByName(&device, "cpu"));
  EXPECT(device == nullptr);
  size_t needed = 0;
  OK(rtGetLastErrorMessage(nullptr, 0, &needed));
  EXPECT(needed > 1);
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtDeviceGetCount(&count, RT_BACKEND_CPU));
  EXPECT(count == 0);
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtStreamCreate(&stream, nullptr, world.context));
  EXPECT(stream == nullptr);
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtMalloc(&pointer, 100, nullptr));
  EXPECT(pointer == nullptr);
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtStreamQuery(world.stream));
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtStreamSynchronize(world.stream));
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtFenceGetValue(&value, world.fence));
  EXPECT(value == 0);
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtEventRecord(world.event, world.stream));
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtMemset(world.memory, 1, 16));
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtInit());  // final
  OK(rtGetVersion(&version));
  EXPECT(version > 0);
  EXPECT(rtGetErrorName(RT_ERROR_SHUT_DOWN) != nullptr && rtGetErrorString(0) != nullptr);
  world.destroy();
  OK(rtStreamDestroy(nullptr));
}

int atOnceWithoutInit(int, char**) {
  World world;
  world.make();
  OK(rtShutdown());
  expectShutDown(world);
  return 0;
}

int beforeAnyUse(int, char**) {
  World world;
  OK(rtShutdown());
  rtDevice_t device = nullptr;
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtDeviceGetByName(&device, "cpu"));
  return 0;
}

int counted(int, char**) {
  World world;
  world.make();  // lazy use takes no reference
  OK(rtInit());
  OK(rtInit());
  OK(rtShutdown());
  OK(rtStreamSynchronize(world.stream));
  OK(rtShutdown());
  expectShutDown(world);
  return 0;
}

int waitsForWork(int, char**) {
  World world;
  world.make();
  std::atomic<int> calls{0};
  rtStream_t gone = nullptr;
  OK(rtStreamCreate(&gone, nullptr, world.context));
  for (int i = 0; i < 200; ++i) {
    OK(rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<std::atomic<int>*>(user)->fetch_add(1); }, &calls,
                            i % 2 == 0 ? world.stream : gone));
  }
  OK(rtStreamDestroy(gone));
  OK(rtShutdown());
  EXPECT(calls.load() == 200);
  expectShutDown(world);
  return 0;
}

int waitsForHeldBackWork(int, char**) {
  World world;
  world.make();
  std::atomic<int> calls{0};
  OK(rtStreamWaitFence(world.fence, 1, world.stream));
  OK(rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<std::atomic<int>*>(user)->fetch_add(1); }, &calls,
                          world.stream));
  std::thread opener([&] {
    const rtStatus_t status = rtFenceSignal(1, world.fence);  // perhaps while the other thread shuts down
    EXPECT(status == RT_SUCCESS);
  });
  opener.join();
  OK(rtShutdown());
  EXPECT(calls.load() == 1);
  return 0;
}

int insideHostFunctionIsBusy(int, char**) {
  World world;
  world.make();
  std::atomic<rtStatus_t> status{RT_SUCCESS};
  OK(rtLaunchHostFunction([](void* user, rtStatus_t) { static_cast<std::atomic<rtStatus_t>*>(user)->store(rtShutdown()); },
                          &status, world.stream));
  OK(rtStreamSynchronize(world.stream));
  EXPECT(status.load() == RT_ERROR_BUSY);
  OK(rtMemset(world.memory, 1, 5000));  // nothing has ended
  OK(rtShutdown());
  expectShutDown(world);
  return 0;
}

int whileThreadsUseTheLibrary(int, char**) {
  World world;
  world.make();
  std::atomic<int> busy{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0;; ++round) {
        if (round == 50) {
          busy.fetch_add(1);
          busy.notify_all();
        }
        rttest::Stream stream;
        rttest::Memory memory;
        for (rtStatus_t status :
             {rtStreamCreate(stream.out(), nullptr, world.context), rtMalloc(memory.out(), 1000, world.context),
              rtMemsetAsync(memory, 1, 1000, stream), rtStreamSynchronize(stream)}) {
          if (status == RT_SUCCESS) continue;
          // A call after the end may also name a handle that was never made.
          EXPECT(status == RT_ERROR_SHUT_DOWN || status == RT_ERROR_INVALID_VALUE || status == RT_ERROR_INVALID_HANDLE);
        }
        rtDevice_t device = nullptr;
        if (rtDeviceGetByName(&device, "cpu") == RT_ERROR_SHUT_DOWN) return;
      }
    });
  }
  for (int seen = busy.load(); seen < 4; seen = busy.load()) busy.wait(seen);
  OK(rtShutdown());
  for (std::thread& thread : threads) thread.join();
  expectShutDown(world);
  return 0;
}

// Streams that never run dry: the end comes all the same, and every thread is told.
int whileThreadsSubmitWithoutPause(int, char**) {
  World world;
  world.make();
  OK(rtStreamSynchronize(world.stream));
  std::atomic<int> busy{0};
  std::vector<std::thread> threads;
  std::vector<void*> memory(4);
  std::vector<rtStream_t> streams(4);
  for (size_t i = 0; i < 4; ++i) {
    OK(rtMalloc(&memory[i], 1 << 16, world.context));
    OK(rtStreamCreate(&streams[i], nullptr, world.context));
    threads.emplace_back([&, i] {
      for (int round = 0;; ++round) {
        if (round == 50) {
          busy.fetch_add(1);
          busy.notify_all();
        }
        const rtStatus_t status = rtMemsetAsync(memory[i], round, 1 << 16, streams[i]);
        if (status == RT_ERROR_SHUT_DOWN) return;
        EXPECT(status == RT_SUCCESS);
      }
    });
  }
  for (int seen = busy.load(); seen < 4; seen = busy.load()) busy.wait(seen);
  OK(rtShutdown());
  for (std::thread& thread : threads) thread.join();
  expectShutDown(world);
  return 0;
}

// New work is refused while rtShutdown waits; what lets work in flight end is not.
int refusesNewWorkFirst(int, char**) {
  World world;
  world.make();
  struct Seen {
    World* world;
    std::atomic<rtStatus_t> submitted{RT_SUCCESS}, asked{RT_SUCCESS};
  } seen{&world};
  OK(rtEventSynchronize(world.event));
  OK(rtStreamWaitFence(world.fence, 1, world.stream));
  OK(rtLaunchHostFunction(
      [](void* user, rtStatus_t) {
        Seen& to = *static_cast<Seen*>(user);
        to.submitted = rtMemsetAsync(to.world->memory, 1, 100, nullptr);
        to.asked = rtEventQuery(to.world->event);
      },
      &seen, world.stream));
  std::atomic<rtStatus_t> ended{RT_NOT_READY};
  std::thread ending([&] { ended = rtShutdown(); });
  rtFence_t fence = nullptr;
  rtStatus_t status = RT_SUCCESS;
  for (int round = 0; round < 100000 && status == RT_SUCCESS; ++round) {  // in turns with what it makes, so that nothing grows
    status = rtFenceCreate(&fence, 0, world.context);
    if (status == RT_SUCCESS) OK(rtFenceDestroy(fence));
    std::this_thread::yield();
  }
  EXPECT(status == RT_ERROR_SHUT_DOWN);
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtMemsetAsync(world.memory, 1, 100, world.stream));
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtEventRecord(world.event, world.stream));
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtInit());
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtShutdown());  // the other thread's ends it
  EXPECT_STATUS(RT_NOT_READY, rtStreamQuery(world.stream));
  EXPECT_STATUS(RT_ERROR_TIMEOUT, rtStreamSynchronizeFor(0, world.stream));
  OK(rtEventQuery(world.event));
  OK(rtFree(world.host));
  world.host = nullptr;
  uint64_t live = 0;
  EXPECT(ended.load() == RT_NOT_READY);
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtGetLiveHandleCount(&live, RT_HANDLE_ALL));
  OK(rtFenceSignal(1, world.fence));
  ending.join();
  EXPECT(ended.load() == RT_SUCCESS);
  EXPECT(seen.submitted.load() == RT_ERROR_SHUT_DOWN);
  EXPECT(seen.asked.load() == RT_SUCCESS);
  expectShutDown(world);
  return 0;
}

std::atomic<int> releases{0};

int releasesUserData(int, char**) {
  World world;
  rtContext_t primary = nullptr;
  world.make();
  OK(rtContextGetPrimary(&primary, world.device));
  OK(rtContextSetUserData(
      &world, [](void*) { releases.fetch_add(1); }, primary));
  OK(rtContextSetUserData(
      &world, [](void*) { releases.fetch_add(1); }, world.context));
  OK(rtShutdown());
  world.destroy();
  EXPECT(releases.load() == 2);  // once each
  return 0;
}

// An interpreter ends after the shutdown: none of its functions may be called then.
int callsNothingAfterwards(int, char**) {
  constexpr int kFunctions = 50;
  static std::atomic<bool> ended{false};
  static std::atomic<int> late{0};
  World world;
  world.make();
  for (int i = 0; i < kFunctions; ++i) {
    OK(rtLaunchHostFunctionWithRelease([](void*, rtStatus_t) {}, nullptr,
                                       [](void*) {
                                         std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                         (ended.load() ? late : releases).fetch_add(1);
                                       },
                                       world.stream));
  }
  OK(rtShutdown());
  ended.store(true);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  world.destroy();
  EXPECT(late.load() == 0);
  EXPECT(releases.load() == kFunctions);
  return 0;
}

// The records of all work come before rtShutdown returns, and none later.
int deliversTheTrace(int, char**) {
  static std::atomic<int> fills{0};
  World world;
  world.make();
  OK(rtContextSynchronize(world.context));
  OK(rtTraceStart("/dev/null"));
  OK(rtTraceSetCallback([](const rtTraceRecord_t* record, void*) { fills += record->work == RT_WORK_FILL; }, nullptr,
                        RT_TRACE_WORK));
  for (int i = 0; i < 100; ++i) OK(rtMemsetAsync(world.memory, i, 5000, world.stream));
  OK(rtShutdown());
  EXPECT(fills.load() == 100);
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtTraceStart("/dev/null"));
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtTraceStop());
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtTraceRangePush("late"));
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtTraceRangePop());
  EXPECT_STATUS(RT_ERROR_SHUT_DOWN, rtTraceSetCallback(nullptr, nullptr, 0));
  return 0;
}

}  // namespace

const Scenario kShutdown[] = {
    {"shutdown_delivers_the_trace", deliversTheTrace},
    {"shutdown_at_once_without_init", atOnceWithoutInit},
    {"shutdown_before_any_use", beforeAnyUse},
    {"shutdown_counted", counted},
    {"shutdown_waits_for_work", waitsForWork},
    {"shutdown_waits_for_held_back_work", waitsForHeldBackWork},
    {"shutdown_inside_host_function_is_busy", insideHostFunctionIsBusy},
    {"shutdown_while_threads_use_the_library", whileThreadsUseTheLibrary},
    {"shutdown_while_threads_submit_without_pause", whileThreadsSubmitWithoutPause},
    {"shutdown_refuses_new_work_first", refusesNewWorkFirst},
    {"shutdown_releases_user_data", releasesUserData},
    {"shutdown_calls_nothing_afterwards", callsNothingAfterwards},
    {nullptr, nullptr},
};

}  // namespace child
