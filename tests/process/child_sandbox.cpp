// A sandbox that takes membarrier away after the library has started: nothing is lost, freed early or waited for in vain.
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "child.h"

namespace child {
namespace {

// From here on membarrier is EPERM, on every thread.
bool forbidMembarrier() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{sizeof rules / sizeof rules[0], rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) return false;
  return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0 && errno == EPERM;
}

bool expedited() {
  const long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  return commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0;
}

std::atomic<int> errors{0};
void countErrors(int32_t level, const char* message, void*) {
  if (level == RT_LOG_ERROR && std::strstr(message, "membarrier") != nullptr) errors.fetch_add(1);
}

std::atomic<int> released{0};
void release(void*) { released.fetch_add(1); }
void nothing(void*, rtStatus_t) {}

// A graph whose node is released when the graph has been reclaimed.
void destroyOneGraph() {
  rtGraph_t graph = nullptr;
  rtGraphNode_t node = nullptr;
  rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
  params.function = nothing;
  params.release = release;
  OK(rtGraphCreate(&graph));
  OK(rtGraphAddHostNode(&node, &params, nullptr, 0, graph));
  OK(rtGraphDestroy(graph));
}

// Handles that are destroyed while other threads use them, streams that threads sleep for, locks that they fight over.
void workOnThreads(rtContext_t context) {
  std::atomic<rtEvent_t> shared{nullptr};
  std::vector<std::thread> threads;
  for (int index = 0; index < 4; ++index) {
    threads.emplace_back([&, index] {
      rttest::Stream stream;
      OK(rtStreamCreate(stream.out(), nullptr, context));
      for (int round = 0; round < 500; ++round) {
        rtEvent_t event = nullptr;
        OK(rtEventCreate(&event, nullptr, context));
        OK(rtEventDestroy(shared.exchange(event)));
        (void)rtEventRecord(shared.load(), stream);  // of another thread, perhaps destroyed by now
        (void)rtEventQuery(shared.load());
        OK(rtLaunchHostFunction(nothing, nullptr, stream));
        if (round % 16 == index) OK(rtStreamSynchronize(stream));
      }
      OK(rtStreamSynchronize(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
  OK(rtEventDestroy(shared.load()));
}

int membarrierForbidden(int, char**) {
  if (!expedited()) return kSkipped;
  World world;
  world.make();
  OK(rtStreamSynchronize(world.stream));
  std::atomic<int> step{0};
  std::thread idle([&] {  // has used the library, and calls it again only at the end
    uint64_t value = 0;
    OK(rtFenceGetValue(&value, world.fence));
    step.store(1);
    while (step.load() != 2) std::this_thread::yield();
    OK(rtFenceGetValue(&value, world.fence));
    step.store(3);
    while (step.load() != 4) std::this_thread::yield();
  });
  while (step.load() != 1) std::this_thread::yield();
  OK(rtSetLogCallback(countErrors, nullptr, RT_LOG_ERROR));
  if (!forbidMembarrier()) _exit(kSkipped);

  workOnThreads(world.context);
  EXPECT(errors.load() == 1);
  destroyOneGraph();
  EXPECT(released.load() == 0);  // the idle thread may be in a call, as far as can be known
  void* range = std::aligned_alloc(4096, 4096);
  OK(rtHostRegister(range, 4096, world.context));
  EXPECT_STATUS(RT_ERROR_BUSY, rtHostUnregister(range, world.context));
  step.store(2);
  while (step.load() != 3) std::this_thread::yield();

  destroyOneGraph();
  EXPECT(released.load() == 2);  // and nothing stays
  OK(rtHostRegister(range, 4096, world.context));
  OK(rtHostUnregister(range, world.context));
  workOnThreads(world.context);
  step.store(4);
  idle.join();
  world.destroy();
  OK(rtSetLogCallback(nullptr, nullptr, RT_LOG_ERROR));
  EXPECT(errors.load() == 1);
  OK(rtShutdown());
  std::free(range);
  return 0;
}

}  // namespace

const Scenario kSandbox[] = {
    {"membarrier_forbidden", membarrierForbidden},
    {nullptr, nullptr},
};

}  // namespace child
