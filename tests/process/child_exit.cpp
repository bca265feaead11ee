// Scenarios of the end of a process: work in flight, destructors and atexit functions that destroy, threads inside calls.
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "child.h"

namespace child {
namespace {

std::atomic<uint32_t> entered{0};
std::atomic<uint32_t> never{0};

// A static object that lives before the first call; its destructor runs after main and after what was registered later.
struct EarlyStatic {
  World* world = nullptr;
  ~EarlyStatic() {
    if (world != nullptr) world->destroy();
  }
} early;

World worlds[4];

void destroyFirst() { worlds[1].destroy(); }
void destroySecond() { worlds[2].destroy(); }

int exitWithKernelRunning(int, char**) {
  World world;
  rttest::Kernel block;
  world.make();
  OK(rttest::makeKernel(&block, world.context, rttest::blockKernel, {rttest::kPointerArg, rttest::kPointerArg}, "block"));
  OK(rttest::launchOver(block, world.stream, 1, 1, &entered, &never));
  entered.wait(0);
  (void)block.release();
  return 0;
}

int exitWithWorkHeldBack(int, char**) {
  World world;
  world.make();
  OK(rtStreamWaitFence(world.fence, 1, world.stream));
  OK(rtLaunchHostFunction([](void*, rtStatus_t) { std::abort(); }, nullptr, world.stream));
  OK(rtMemsetAsync(world.memory, 1, 5000, world.stream));
  return 0;
}

int exitWithHostFunctionRunning(int, char**) {
  World world;
  world.make();
  OK(rtLaunchHostFunction(
      [](void*, rtStatus_t) {
        entered.store(1);
        entered.notify_all();
        never.wait(0);
      },
      nullptr, world.stream));
  entered.wait(0);
  return 0;
}

int exitFromHostFunction(int, char**) {
  World world;
  world.make();
  OK(rtLaunchHostFunction([](void*, rtStatus_t) { std::exit(0); }, nullptr, world.stream));
  never.wait(0);
  return 1;
}

int destroyFromDestructorsAndAtexit(int, char**) {
  std::atexit(destroyFirst);  // before the first call: runs after the library's own handlers, if it had any
  for (World& world : worlds) world.make();
  std::atexit(destroySecond);
  early.world = &worlds[0];
  static struct LateStatic {
    ~LateStatic() { worlds[3].destroy(); }
  } late;
  return 0;
}

int destroyAfterShutdownFromDestructors(int, char**) {
  std::atexit(destroyFirst);
  for (World& world : worlds) world.make();
  std::atexit(destroySecond);
  early.world = &worlds[0];
  OK(rtShutdown());
  worlds[3].destroy();
  return 0;
}

int useFromDestructors(int, char**) {
  // Not only destroys: everything still works in a function that was registered before the first call.
  std::atexit([] {
    OK(rtStreamSynchronize(worlds[0].stream));
    OK(rtMemset(worlds[0].memory, 1, 5000));
    World late;
    late.make();
    OK(rtContextSynchronize(late.context));
    late.destroy();
    worlds[0].destroy();
  });
  worlds[0].make();
  return 0;
}

int threadInsideACallAtExit(int, char**) {
  World* world = new World;
  world->make();
  OK(rtStreamWaitFence(world->fence, 1, world->stream));
  for (int i = 0; i < 4; ++i) {
    std::thread([world, i] {
      entered.fetch_add(1);
      entered.notify_all();
      if (i % 2 == 0) {
        (void)rtStreamSynchronize(world->stream);
      } else {
        (void)rtFenceWait(1, world->fence);
      }
      _exit(3);  // nothing signals: never reached
    }).detach();
  }
  for (uint32_t seen = entered.load(); seen < 4; seen = entered.load()) entered.wait(seen);
  return 0;
}

int threadsCallingDuringExit(int, char**) {
  World* world = new World;
  world->make();
  for (int i = 0; i < 4; ++i) {
    std::thread([world] {
      for (uint64_t round = 0;; ++round) {
        if (round == 100) {
          entered.fetch_add(1);
          entered.notify_all();
        }
        rttest::Stream stream;
        rttest::Memory memory;
        (void)rtStreamCreate(stream.out(), nullptr, world->context);
        (void)rtMalloc(memory.out(), 1000, world->context);
        (void)rtMemsetAsync(memory, 1, 1000, stream);
        (void)rtLaunchKernel(world->kernel, 8, 1, 1, 1, 1, 1, 0, stream, nullptr, 0);
        (void)rtStreamSynchronize(stream);
      }
    }).detach();
  }
  for (uint32_t seen = entered.load(); seen < 4; seen = entered.load()) entered.wait(seen);
  return 0;
}

int quickExit(int, char**) {
  World world;
  world.make();
  std::quick_exit(0);
}

// The words: a kind and a count. Creates and destroys that many; the count of live handles is flat, memory does not grow.
int storm(int argc, char** argv) {
  EXPECT(argc == 2);
  const std::string kind = argv[0];
  const long count = std::atol(argv[1]);
  World world;
  world.make();
  OK(rtStreamSynchronize(world.stream));
  const uint64_t live = rttest::liveHandles();
  const auto residentPages = [] {
    long size = 0;
    long resident = 0;
    FILE* file = std::fopen("/proc/self/statm", "r");
    EXPECT(file != nullptr && std::fscanf(file, "%ld %ld", &size, &resident) == 2);
    std::fclose(file);
    return resident;
  };
  long after_warm_up = 0;
  for (long i = 0; i < count; ++i) {
    if (kind == "context") {
      rttest::Context made;
      OK(rtContextCreate(made.out(), nullptr, world.device));
    } else if (kind == "stream") {
      rttest::Stream made;
      OK(rtStreamCreate(made.out(), nullptr, world.context));
    } else if (kind == "event") {
      rttest::Event made;
      OK(rtEventCreate(made.out(), nullptr, world.context));
    } else if (kind == "recorded") {
      rttest::Event made;
      OK(rtEventCreate(made.out(), nullptr, world.context));
      OK(rtEventRecord(made, world.stream));
      if (i % 4096 == 0) OK(rtStreamSynchronize(world.stream));  // what a busy machine has not come to yet is not left over
    } else if (kind == "fence") {
      rttest::Fence made;
      OK(rtFenceCreate(made.out(), 0, world.context));
    } else if (kind == "pool") {
      rttest::Pool made;
      OK(rtMemPoolCreate(made.out(), nullptr, world.context));
    } else if (kind == "kernel") {
      rttest::Kernel made;
      OK(rttest::makeKernel(&made, world.context, rttest::emptyKernel, {}, "empty"));
    } else if (kind == "memory") {
      rttest::Memory made;
      OK(rtMalloc(made.out(), 1000, world.context));
    } else {
      EXPECT(!"a kind");
    }
    if (i == count / 2) after_warm_up = residentPages();
  }
  OK(rtContextSynchronize(world.context));
  EXPECT(rttest::liveHandles() == live);
#if !defined(MANYRT_SANITIZE_ADDRESS) && !defined(MANYRT_SANITIZE_THREAD)
  EXPECT(residentPages() - after_warm_up < 4096);  // 16 MiB over half of the count: less than a handle's size each
#else
  (void)after_warm_up;
#endif
  world.destroy();
  EXPECT(rttest::liveHandles() == 0);
  return 0;
}

// Code that RT_CPU_BUILD=tiered compiles in the background is not there yet when the process ends.
// With a path: not before the compiler has made that file.
int exitWhileBetterCodeIsMade(int argc, char** argv) {
  static rtModule_t module;
  OK(rtModuleCreateFromSource(&module, "__kernel void f(__global int* a) { a[get_global_id(0)] = 1; }", nullptr, nullptr));
  for (int i = 0; argc == 1 && i < 60'000 && access(argv[0], F_OK) != 0; ++i) usleep(1000);
  return 0;
}

int exitWithBetterCode(int, char**) {
  rtModule_t module = nullptr;
  OK(rtModuleCreateFromSource(&module, "__kernel void f(__global int* a) { a[get_global_id(0)] = 1; }", nullptr, nullptr));
  OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  return 0;
}

// A driver that compiles a kernel at its first launch is at it when the process ends.
int exitWhileADriverCompiles(int, char**) {
  int32_t count = 0;
  OK(rtDeviceGetCount(&count, RT_BACKEND_OPENCL));
  if (count == 0) return kSkipped;
  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  OK(rtDeviceGet(&device, RT_BACKEND_OPENCL, 0));
  OK(rtContextGetPrimary(&context, device));
  static rtModule_t module;
  static void* memory;
  rtKernel_t kernel = nullptr;
  OK(rtModuleCreateFromSource(&module, "__kernel void f(__global int* a) { a[get_global_id(0)] = 1; }", nullptr, context));
  OK(rtModuleGetKernel(&kernel, "f", module));
  OK(rtMalloc(&memory, 256, context));
  void* arguments[] = {&memory};
  rtStream_t stream = nullptr;
  OK(rtContextGetDefaultStream(&stream, context));
  OK(rtLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, stream, arguments, 1));
  return 0;
}

// The data of a trace's callback may be gone at the exit: it is not called then, though work goes on.
struct AtExit {
  std::atomic<bool> over{false};
  ~AtExit() { over.store(true); }
};
int exitWithTraceCallback(int, char**) {
  World world;
  rttest::Kernel block;
  world.make();
  OK(rttest::makeKernel(&block, world.context, rttest::blockKernel, {rttest::kPointerArg, rttest::kPointerArg}, "block"));
  static AtExit at_exit;
  OK(rtTraceStart("/dev/null"));
  OK(rtTraceSetCallback(
      [](const rtTraceRecord_t*, void*) {
        if (at_exit.over.load()) _exit(1);
      },
      nullptr, RT_TRACE_CALLS | RT_TRACE_SUBMISSIONS | RT_TRACE_WORK | RT_TRACE_BUILDS | RT_TRACE_RANGES));
  OK(rtTraceRangePush("never popped"));
  OK(rttest::launchOver(block, world.stream, 1, 1, &entered, &never));
  entered.wait(0);
  (void)block.release();
  std::thread([] {
    uint64_t count = 0;
    while (rtGetLiveHandleCount(&count, RT_HANDLE_ALL) == RT_SUCCESS) std::this_thread::yield();
  }).detach();
  return 0;
}

}  // namespace

const Scenario kExit[] = {
    {"exit_with_trace_callback", exitWithTraceCallback},
    {"exit_while_a_driver_compiles", exitWhileADriverCompiles},
    {"exit_while_better_code_is_made", exitWhileBetterCodeIsMade},
    {"exit_with_better_code", exitWithBetterCode},
    {"exit_with_kernel_running", exitWithKernelRunning},
    {"exit_with_work_held_back", exitWithWorkHeldBack},
    {"exit_with_host_function_running", exitWithHostFunctionRunning},
    {"exit_from_host_function", exitFromHostFunction},
    {"destroy_from_destructors_and_atexit", destroyFromDestructorsAndAtexit},
    {"destroy_after_shutdown_from_destructors", destroyAfterShutdownFromDestructors},
    {"use_from_destructors", useFromDestructors},
    {"thread_inside_a_call_at_exit", threadInsideACallAtExit},
    {"threads_calling_during_exit", threadsCallingDuringExit},
    {"quick_exit", quickExit},
    {"storm", storm},
    {nullptr, nullptr},
};

}  // namespace child
