// Scenarios of fork: before the first call both processes may use the library; afterwards the child gets RT_ERROR_FORKED, its
// destroys succeed, and the parent goes on.
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "child.h"
#include "rt_comm.h"
#include "support/json.h"

namespace {
bool forked = false;
}

// LeakSanitizer asks it at the end. A child of fork does not have the threads whose stacks it reads, and cannot unlock what one
// of them held at that moment.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return forked; }

namespace child {
namespace {

// The exit code of a forked child that runs body().
template <typename Body>
int inChild(Body body) {
  const pid_t pid = fork();
  EXPECT(pid >= 0);
  if (pid == 0) {
    forked = true;
    alarm(60);  // not inherited
    body();
    _exit(0);
  }
  int status = 0;
  EXPECT(waitpid(pid, &status, 0) == pid);
  if (WIFSIGNALED(status)) std::fprintf(stderr, "the forked child got signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

void useEverything() {
  World world;
  world.make();
  OK(rtContextSynchronize(world.context));
  world.destroy();
  EXPECT(rttest::liveHandles() == 0);
}

// Two ranks on the CPU meet once.
void useCommunicators() {
  rtDevice_t device = nullptr;
  OK(rtDeviceGetByName(&device, "cpu"));
  rttest::Context contexts[2];
  rttest::Stream streams[2];
  rtComm_t comms[2] = {nullptr, nullptr};
  int32_t values[2] = {1, 2};
  for (int i = 0; i < 2; ++i) {
    OK(rtContextCreate(contexts[i].out(), nullptr, device));
    OK(rtStreamCreate(streams[i].out(), nullptr, contexts[i]));
  }
  const rtContext_t places[2] = {contexts[0], contexts[1]};
  OK(rtCommCreateAll(comms, nullptr, places, 2));
  OK(rtCommGroupBegin());
  for (int i = 0; i < 2; ++i) {
    OK(rtCommAllReduce(&values[i], &values[i], 1, RT_COMM_I32, RT_COMM_SUM, streams[i], comms[i]));
  }
  OK(rtCommGroupEnd());
  for (int i = 0; i < 2; ++i) OK(rtStreamSynchronize(streams[i]));
  EXPECT(values[0] == 3 && values[1] == 3);
  for (const rtComm_t comm : comms) OK(rtCommDestroy(comm));
}

// A refusal, and its sentence: the call leaves another one than that of the call before.
#define EXPECT_COMM_FORKED(call)                                                      \
  do {                                                                                \
    (void)rtCommGetLastErrorMessage(nullptr, 4711, nullptr); /* a failure, allowed */ \
    EXPECT_STATUS(RT_ERROR_FORKED, call);                                             \
    char text_[256] = "";                                                             \
    OK(rtCommGetLastErrorMessage(text_, sizeof text_, nullptr));                      \
    EXPECT(std::strstr(text_, "forked") != nullptr);                                  \
  } while (0)

// Every function that a forked child is refused.
void expectCommunicatorsForked() {
  rtComm_t comm = rttest::garbage<rtComm_t>();
  rtCommUniqueId_t id;
  int32_t number = 0;
  rtStatus_t status = RT_SUCCESS;
  rtContext_t context = nullptr;
  char text[8] = "";
  int32_t values[2] = {};
  const int communicator = 0;  // not looked at
  EXPECT_COMM_FORKED(rtCommGetUniqueId(&id));
  EXPECT_COMM_FORKED(rtCommCreate(&comm, nullptr, &id, 0, 2, nullptr));
  EXPECT(comm == nullptr);
  EXPECT_COMM_FORKED(rtCommCreateAll(&comm, nullptr, &context, 1));
  EXPECT_COMM_FORKED(rtCommCreateFromMpi(&comm, nullptr, &communicator, nullptr));
  EXPECT_COMM_FORKED(rtCommCreateFromEnvironment(&comm, nullptr, nullptr));
  const rtComm_t gone = rttest::garbage<rtComm_t>();
  EXPECT_COMM_FORKED(rtCommSplit(&comm, 0, 0, gone));
  EXPECT_COMM_FORKED(rtCommAbort(gone));
  EXPECT_COMM_FORKED(rtCommGetStatus(&status, &number, gone));
  EXPECT_COMM_FORKED(rtCommGetStatusMessage(text, sizeof text, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommGetRank(&number, gone));
  EXPECT_COMM_FORKED(rtCommGetSize(&number, gone));
  EXPECT_COMM_FORKED(rtCommGetContext(&context, gone));
  rtCommInfo_t info = RT_COMM_INFO_INIT;
  EXPECT_COMM_FORKED(rtCommGetInfo(&info, gone));
  EXPECT_COMM_FORKED(rtCommGroupBegin());
  EXPECT_COMM_FORKED(rtCommGroupEnd());
  EXPECT_COMM_FORKED(rtCommAllReduce(values, values, 1, RT_COMM_I32, RT_COMM_SUM, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommReduce(values, values, 1, RT_COMM_I32, RT_COMM_SUM, 0, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommBroadcast(values, values, 1, RT_COMM_I32, 0, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommAllGather(values, values, 1, RT_COMM_I32, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommReduceScatter(values, values, 1, RT_COMM_I32, RT_COMM_SUM, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommAllToAll(values, values, 1, RT_COMM_I32, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommGather(values, values, 1, RT_COMM_I32, 0, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommScatter(values, values, 1, RT_COMM_I32, 0, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommSend(values, 1, RT_COMM_I32, 0, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommReceive(values, 1, RT_COMM_I32, 0, nullptr, gone));
  EXPECT_COMM_FORKED(rtCommBarrier(nullptr, gone));
  OK(rtCommDestroy(gone));
}

// The first id of a forked child. Its number is that of every process's first id: what differs is the process's random part.
rtCommUniqueId_t firstIdOfAChild() {
  int ends[2];
  EXPECT(pipe(ends) == 0);
  EXPECT(inChild([&] {
           rtCommUniqueId_t id;
           OK(rtCommGetUniqueId(&id));
           EXPECT(write(ends[1], &id, sizeof id) == static_cast<ssize_t>(sizeof id));
         }) == 0);
  rtCommUniqueId_t id;
  EXPECT(read(ends[0], &id, sizeof id) == static_cast<ssize_t>(sizeof id));
  close(ends[0]);
  close(ends[1]);
  return id;
}

bool same(const rtCommUniqueId_t& a, const rtCommUniqueId_t& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// A child's view of a library that its parent had started.
void expectForked(World& world) {
  uint32_t version = 0;
  int32_t count = 7;
  uint64_t value = 7;
  rtDevice_t device = rttest::garbage<rtDevice_t>();
  void* pointer = rttest::garbage<void*>();
  EXPECT_STATUS(RT_ERROR_FORKED, rtDeviceGetByName(&device, "cpu"));
  EXPECT(device == nullptr);
  size_t needed = 0;
  OK(rtGetLastErrorMessage(nullptr, 0, &needed));
  EXPECT(needed > 1);
  EXPECT_STATUS(RT_ERROR_FORKED, rtInit());
  EXPECT_STATUS(RT_ERROR_FORKED, rtDeviceGetCount(&count, RT_BACKEND_ALL));
  EXPECT(count == 0);
  EXPECT_STATUS(RT_ERROR_FORKED, rtMalloc(&pointer, 100, nullptr));
  EXPECT(pointer == nullptr);
  EXPECT_STATUS(RT_ERROR_FORKED, rtStreamQuery(world.stream));
  EXPECT_STATUS(RT_ERROR_FORKED, rtStreamSynchronize(world.stream));
  EXPECT_STATUS(RT_ERROR_FORKED, rtEventQuery(world.event));
  EXPECT_STATUS(RT_ERROR_FORKED, rtFenceGetValue(&value, world.fence));
  EXPECT_STATUS(RT_ERROR_FORKED, rtMemsetAsync(world.memory, 1, 16, world.stream));
  EXPECT_STATUS(RT_ERROR_FORKED, rtLaunchKernel(world.kernel, 1, 1, 1, 1, 1, 1, 0, world.stream, nullptr, 0));
  EXPECT_STATUS(RT_ERROR_FORKED, rtContextSynchronize(nullptr));
  OK(rtGetVersion(&version));
  EXPECT(version > 0);
  EXPECT(rtGetErrorName(RT_ERROR_FORKED) != nullptr && rtGetErrorString(RT_ERROR_FORKED) != nullptr);
  world.destroy();
}

int beforeFirstCall(int, char**) {
  EXPECT(inChild(useEverything) == 0);
  useEverything();
  return 0;
}

int afterFirstCall(int, char**) {
  World world;
  world.make();
  EXPECT(inChild([&] { expectForked(world); }) == 0);
  // The child's destroys were its own.
  OK(rtContextSynchronize(world.context));
  OK(rtMemset(world.memory, 1, 5000));
  world.destroy();
  return 0;
}

int communicatorsBeforeFirstCall(int, char**) {
  EXPECT(inChild([] {
           EXPECT(inChild(useCommunicators) == 0);  // and a child of the child
           useCommunicators();
           EXPECT(inChild(expectCommunicatorsForked) == 0);
         }) == 0);
  useCommunicators();
  return 0;
}

// Calls that touch their thread alone, or are refused before the library begins anything. A child may use both libraries then.
int communicatorsAfterCallsThatStartNothing(int, char**) {
  uint32_t version = 0;
  int32_t rank = 0;
  rtComm_t comm = nullptr;
  char text[64];
  rtCommOptions_t options = RT_COMM_OPTIONS_INIT;
  options.flags = 1;
  OK(rtGetVersion(&version));
  EXPECT(rtGetErrorName(RT_ERROR_FORKED) != nullptr);
  OK(rtGetLastErrorMessage(text, sizeof text, nullptr));
  OK(rtCommGetLastErrorMessage(text, sizeof text, nullptr));
  OK(rtCommDestroy(nullptr));
  OK(rtCommGroupBegin());
  OK(rtCommGroupEnd());
  EXPECT_STATUS(RT_ERROR_INVALID_VALUE, rtCommGroupEnd());
  EXPECT_STATUS(RT_ERROR_INVALID_VALUE, rtCommGetUniqueId(nullptr));
  EXPECT_STATUS(RT_ERROR_INVALID_VALUE, rtCommCreateAll(&comm, nullptr, nullptr, 1));
  EXPECT_STATUS(RT_ERROR_INVALID_VALUE, rtCommCreateFromEnvironment(&comm, &options, nullptr));
  EXPECT_STATUS(RT_ERROR_INVALID_HANDLE, rtCommGetRank(&rank, nullptr));
  EXPECT_STATUS(RT_ERROR_INVALID_HANDLE, rtCommGetRank(&rank, rttest::garbage<rtComm_t>()));
  EXPECT_STATUS(RT_ERROR_INVALID_HANDLE, rtCommBarrier(nullptr, rttest::garbage<rtComm_t>()));
  EXPECT_STATUS(RT_ERROR_INVALID_HANDLE, rtCommDestroy(rttest::garbage<rtComm_t>()));
  EXPECT(inChild(useCommunicators) == 0);
  EXPECT(inChild(useEverything) == 0);
  const rtCommUniqueId_t first = firstIdOfAChild(), second = firstIdOfAChild();
  rtCommUniqueId_t own;
  OK(rtCommGetUniqueId(&own));
  EXPECT(!same(first, second) && !same(first, own) && !same(second, own));
  EXPECT(inChild(expectCommunicatorsForked) == 0);
  useCommunicators();
  return 0;
}

int communicatorsAfterFirstCall(int, char**) {
  useCommunicators();
  EXPECT(inChild(expectCommunicatorsForked) == 0);
  useCommunicators();
  return 0;
}

// The parent had used rt.h alone: it is rt.h that refuses the child, and its sentence is told.
int communicatorsAfterFirstCallOfTheCore(int, char**) {
  World world;
  world.make();
  EXPECT(inChild([&] {
           rtComm_t comm = rttest::garbage<rtComm_t>();
           EXPECT_STATUS(RT_ERROR_FORKED, rtCommCreateAll(&comm, nullptr, &world.context, 1));
           EXPECT(comm == nullptr);
           char text[256] = "";
           OK(rtCommGetLastErrorMessage(text, sizeof text, nullptr));
           EXPECT(std::strstr(text, "forked") != nullptr);
         }) == 0);
  world.destroy();
  return 0;
}

int childExitsNormally(int, char**) {
  World world;
  world.make();
  OK(rtStreamWaitFence(world.fence, 1, world.stream));  // work in flight across the fork
  const int code = inChild([&] { std::exit(0); });      // destructors and atexit functions of both
  EXPECT(code == 0);
  OK(rtFenceSignal(1, world.fence));
  OK(rtStreamSynchronize(world.stream));
  return 0;
}

int shutdownInChild(int, char**) {
  World world;
  world.make();
  EXPECT(inChild([&] {
           const rtStatus_t status = rtShutdown();
           EXPECT(status == RT_ERROR_FORKED);
           char text[256] = "";
           OK(rtGetLastErrorMessage(text, sizeof text, nullptr));
           EXPECT(std::strstr(text, "forked") != nullptr);
           world.destroy();
         }) == 0);
  OK(rtStreamSynchronize(world.stream));
  return 0;
}

int whileThreadsUseTheLibrary(int, char**) {
  World world;
  world.make();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!stop.load()) {
        rttest::Stream stream;
        rttest::Memory memory;
        OK(rtStreamCreate(stream.out(), nullptr, world.context));
        OK(rtMalloc(memory.out(), 1000, world.context));
        OK(rtMemsetAsync(memory, 1, 1000, stream));
        OK(rtLaunchHostFunction([](void*, rtStatus_t) {}, nullptr, stream));
        OK(rtLaunchKernel(world.kernel, 8, 1, 1, 1, 1, 1, 0, world.stream, nullptr, 0));
        OK(rtStreamSynchronize(stream));
      }
    });
  }
  for (int i = 0; i < 40; ++i) EXPECT(inChild([&] { expectForked(world); }) == 0);
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  OK(rtContextSynchronize(world.context));
  world.destroy();
  return 0;
}

int grandchild(int, char**) {
  World world;
  EXPECT(inChild([&] {
           world.make();  // the child starts it
           EXPECT(inChild([&] { expectForked(world); }) == 0);
           world.destroy();
         }) == 0);
  useEverything();
  return 0;
}

// The child has neither the thread nor the compiler: its exit waits for nothing, and leaves the parent's files alone.
int whileBetterCodeIsMade(int argc, char** argv) {
  EXPECT(argc == 1);
  rtModule_t module = nullptr;
  OK(rtModuleCreateFromSource(&module, "__kernel void f(__global int* a) { a[get_global_id(0)] = 2; }", nullptr, nullptr));
  EXPECT(inChild([&] {
           rtModule_t other = nullptr;
           EXPECT_STATUS(RT_ERROR_FORKED, rtModuleCreateFromSource(&other, "__kernel void g() {}", nullptr, nullptr));
           OK(rtModuleDestroy(module));
           std::exit(0);
         }) == 0);
  EXPECT(std::fclose(std::fopen(argv[0], "w")) == 0);  // now the compiler of optimised code goes on
  OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  OK(rtModuleDestroy(module));
  return 0;
}

// A timeline and a callback belong to the parent: the child is told nothing, writes nothing, and ends.
int whileItTraces(int, char**) {
  World world;
  char file[] = "/tmp/manyrt_fork_XXXXXX";
  const int descriptor = mkstemp(file);
  EXPECT(descriptor >= 0);
  close(descriptor);
  std::atomic<int> told{0};
  const auto callback = [](const rtTraceRecord_t*, void* user) { static_cast<std::atomic<int>*>(user)->fetch_add(1); };
  world.make();
  OK(rtTraceStart(file));
  OK(rtTraceSetCallback(callback, &told, RT_TRACE_CALLS | RT_TRACE_WORK | RT_TRACE_RANGES));
  OK(rtTraceRangePush("around the fork"));
  OK(rtStreamSynchronize(world.stream));  // it fills the same memory
  OK(rtMemset(world.memory, 1, 5000));
  const auto inTheChild = [&] {
    const int before = told.load();
    EXPECT_STATUS(RT_ERROR_FORKED, rtTraceStart("/dev/null"));
    EXPECT_STATUS(RT_ERROR_FORKED, rtTraceStop());
    EXPECT_STATUS(RT_ERROR_FORKED, rtTraceRangePush("child"));
    EXPECT_STATUS(RT_ERROR_FORKED, rtTraceRangePop());
    EXPECT_STATUS(RT_ERROR_FORKED, rtTraceMark("child"));
    EXPECT_STATUS(RT_ERROR_FORKED, rtTraceSetCallback(nullptr, nullptr, 0));
    expectForked(world);
    EXPECT(told.load() == before);
  };
  EXPECT(inChild(inTheChild) == 0);
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!over.load()) {
        OK(rtTraceRangePush("thread"));
        OK(rtMemsetAsync(world.memory, 1, 5000, world.stream));
        OK(rtTraceRangePop());
        OK(rtStreamSynchronize(world.stream));
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT(inChild([&] {
             EXPECT_STATUS(RT_ERROR_FORKED, rtTraceRangePop());
             std::exit(0);  // with what the library does at the end of a process
           }) == 0);
  }
  over.store(true);
  for (std::thread& thread : threads) thread.join();
  OK(rtTraceRangePop());
  OK(rtTraceSetCallback(nullptr, nullptr, 0));
  OK(rtTraceStop());
  EXPECT(told.load() > 0);
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  (void)unlink(file);
  EXPECT(rttest::isJson(text.str()));
  EXPECT(text.str().find("around the fork") != std::string::npos);
  EXPECT(text.str().find("\"child\"") == std::string::npos);
  world.destroy();
  return 0;
}

}  // namespace

const Scenario kFork[] = {
    {"fork_while_it_traces", whileItTraces},
    {"fork_while_better_code_is_made", whileBetterCodeIsMade},
    {"fork_before_first_call", beforeFirstCall},
    {"fork_after_first_call", afterFirstCall},
    {"fork_before_first_call_of_communicators", communicatorsBeforeFirstCall},
    {"fork_communicators_after_calls_that_start_nothing", communicatorsAfterCallsThatStartNothing},
    {"fork_after_first_call_of_communicators", communicatorsAfterFirstCall},
    {"fork_communicators_after_first_call_of_the_core", communicatorsAfterFirstCallOfTheCore},
    {"fork_child_exits_normally", childExitsNormally},
    {"fork_shutdown_in_child", shutdownInChild},
    {"fork_while_threads_use_the_library", whileThreadsUseTheLibrary},
    {"fork_grandchild", grandchild},
    {nullptr, nullptr},
};

}  // namespace child
