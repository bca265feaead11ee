// Scenarios of environment variables: the parent sets them, the child says what the library made of them.
#include <sched.h>

#include <cinttypes>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "child.h"

namespace child {
namespace {

// Work with names that a trace and a log can show.
void doWork() {
  World world;
  world.make();
  rtStreamOptions_t options = RT_STREAM_OPTIONS_INIT;
  std::snprintf(options.label, sizeof options.label, "lane \"two\"");  // needs escapes in JSON
  rttest::Stream labelled;
  rttest::Kernel kernel;
  OK(rtStreamCreate(labelled.out(), &options, world.context));
  OK(rttest::makeKernel(&kernel, world.context, rttest::emptyKernel, {}, "traced_kernel"));
  for (int i = 0; i < 20; ++i) {
    OK(rtStreamWaitStream(world.stream, labelled));
    OK(rtLaunchKernel(kernel, 4, 1, 1, 1, 1, 1, 0, labelled, nullptr, 0));
    OK(rtMemcpyAsync(world.memory, world.host, 5000, RT_MEMCPY_DEFAULT, labelled));
    OK(rtStreamWaitStream(labelled, world.stream));
    OK(rtMemsetAsync(world.memory, 1, 5000, world.stream));
    OK(rtStreamWaitStream(world.stream, labelled));
  }
  OK(rtContextSynchronize(world.context));
  world.destroy();
}

int work(int argc, char** argv) {
  doWork();
  if (argc > 0 && std::strcmp(argv[0], "shutdown") == 0) OK(rtShutdown());
  return 0;
}

int leak(int argc, char** argv) {
  const bool leaks = argc > 0 && std::strcmp(argv[0], "leak") == 0;
  World world;
  world.make();
  if (argc > 0 && std::strcmp(argv[0], "labelled") == 0) {
    rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
    std::strcpy(options.label, "the largest");
    void* memory = nullptr;
    OK(rtMallocWithOptions(&memory, 3'000'000, &options, world.context));
    for (int i = 0; i < 20; ++i) OK(rtMalloc(&memory, 1000, world.context));
    world.destroy();
    OK(rtShutdown());
    return 0;
  }
  if (!leaks) world.destroy();
  OK(rtShutdown());
  return 0;
}

int defaultDevice(int, char**) {
  rtDevice_t device = nullptr;
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  rtStatus_t status = rtDeviceGetByName(&device, nullptr);
  if (status == RT_SUCCESS) status = rtDeviceGetProperties(&properties, device);
  std::printf("%s %s\n", rtGetErrorName(status), properties.id);
  void* memory = rttest::garbage<void*>();
  const rtStatus_t allocated = rtMalloc(&memory, 100, nullptr);
  std::printf("%s\n", rtGetErrorName(allocated));
  EXPECT((memory == nullptr) == (allocated != RT_SUCCESS));
  EXPECT((allocated == RT_SUCCESS) == (status == RT_SUCCESS));
  // Fixed at first use.
  setenv("RT_DEVICE", "cpu", 1);
  rtDevice_t again = nullptr;
  (void)rtDeviceGetByName(&again, nullptr);
  EXPECT(status != RT_SUCCESS || again == device);
  // A device that is named is not touched by RT_DEVICE.
  OK(rtDeviceGetByName(&again, "cpu"));
  OK(rtFree(memory));
  return 0;
}

int cpuThreads(int, char**) {
  rtDevice_t device = nullptr;
  int64_t threads = 0;
  OK(rtDeviceGetByName(&device, "cpu"));
  OK(rtDeviceGetAttribute(&threads, RT_ATTRIBUTE_HOST_THREADS, device));
  doWork();
  std::printf("%" PRId64 "\n", threads);
  return 0;
}

int64_t cpuTime(clockid_t clock) {
  timespec now;
  EXPECT(clock_gettime(clock, &now) == 0);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// A program on one processor, which launches short kernels and does work of its own between. Prints the percentage of the
// time that other threads took.
int oneProcessor(int, char**) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
  EXPECT(sched_setaffinity(0, sizeof one, &one) == 0);
  World world;
  world.make();
  OK(rtContextSynchronize(world.context));
  const int64_t whole = cpuTime(CLOCK_PROCESS_CPUTIME_ID), own = cpuTime(CLOCK_THREAD_CPUTIME_ID);
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 500; ++i) {
      OK(rtLaunchKernel(world.kernel, 1, 1, 1, 1, 1, 1, 0, world.stream, nullptr, 0));
      const int64_t begin = cpuTime(CLOCK_THREAD_CPUTIME_ID);
      while (cpuTime(CLOCK_THREAD_CPUTIME_ID) - begin < 2000) continue;
    }
    OK(rtStreamSynchronize(world.stream));
  }
  const int64_t all = cpuTime(CLOCK_PROCESS_CPUTIME_ID) - whole, others = all - (cpuTime(CLOCK_THREAD_CPUTIME_ID) - own);
  std::printf("%" PRId64 "\n", others * 100 / all);
  world.destroy();
  return 0;
}

int backends(int, char**) {
  for (int32_t backend : {RT_BACKEND_CPU, RT_BACKEND_CUDA, RT_BACKEND_OPENCL}) {
    rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
    rtDevice_t device = nullptr;
    OK(rtBackendGetInfo(&info, backend));
    std::printf("%s %d %s %s\n", info.name, info.device_count, rtGetErrorName(rtDeviceGet(&device, backend, 0)), info.reason);
  }
  return 0;
}

int memoryDebug(int, char**) {
  World world;
  world.make();
  OK(rtStreamSynchronize(world.stream));
  unsigned char* memory = nullptr;
  OK(rtMallocHost(reinterpret_cast<void**>(&memory), 5000, world.context));
  int zeros = 0;
  for (int i = 0; i < 5000; ++i) zeros += memory[i] == 0;
  EXPECT(zeros < 5000);  // a pattern
  OK(rtFree(memory));

  // Memory that is freed in a stream's order keeps what work in flight still reads.
  rttest::Memory result;
  OK(rtMallocHost(result.out(), 1000, world.context));
  void* first = nullptr;
  void* second = nullptr;
  OK(rtMallocAsync(&first, 1000, world.stream));
  OK(rtMemsetAsync(first, 0x11, 1000, world.stream));
  OK(rtStreamSynchronize(world.stream));
  rttest::Gate gate(world.context);
  OK(gate.close(world.stream));
  OK(rtMemcpyAsync(result, first, 1000, RT_MEMCPY_DEFAULT, world.stream));
  OK(rtFreeAsync(first, world.stream));
  OK(rtMallocAsync(&second, 1000, world.stream));
#if !defined(MANYRT_SANITIZE_ADDRESS)  // which looks after freed memory itself
  EXPECT(second != first);             // it is in quarantine
#endif
  OK(gate.open());
  OK(rtStreamSynchronize(world.stream));
  EXPECT(*result.as() == 0x11);
  OK(rtFree(second));
  OK(result.reset());
  doWork();
  return 0;
}

// Slow decisions and their reasons: a kernel on fibers, and a copy from pageable memory after unfinished work.
int slowDecisions(int, char**) {
  World world;
  world.make();
  rttest::Module module;
  OK(rtModuleCreateFromSource(module.out(), R"(__kernel void leaves(__global int* a) {
    if (a[get_local_id(0)] != 0) {
      if (a[0] != 0) return;
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
    a[get_global_id(0)] = 1;
  }
  __kernel void plain(__global int* a) { a[get_global_id(0)] = 1; })",
                              nullptr, world.context));
  rttest::Gate gate(world.context);
  OK(gate.close(world.stream));
  const std::vector<char> source(4096, 'x');
  OK(rtMemcpyAsync(world.memory, source.data(), source.size(), RT_MEMCPY_DEFAULT, world.stream));
  OK(gate.open());
  OK(rtStreamSynchronize(world.stream));
  return 0;
}

int logCallback(int, char**) {
  OK(rtSetLogCallback([](int32_t level, const char* message, void*) { std::printf("%d %s\n", level, message); }, nullptr,
                      RT_LOG_DEBUG));
  World world;
  world.make();
  OK(rtShutdown());
  std::fflush(stdout);
  return 0;
}

}  // namespace

const Scenario kEnvironment[] = {
    {"work", work},
    {"leak", leak},
    {"default_device", defaultDevice},
    {"cpu_threads", cpuThreads},
    {"one_processor", oneProcessor},
    {"backends", backends},
    {"memory_debug", memoryDebug},
    {"slow_decisions", slowDecisions},
    {"log_callback", logCallback},
    {nullptr, nullptr},
};

}  // namespace child
