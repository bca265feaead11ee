// Scenarios of a debugger: a process with loaded kernels, quick and optimised, that gdb or lldb starts or attaches to.
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "child.h"

// A place for a breakpoint, after the kernels are loaded.
extern "C" __attribute__((noinline)) void kernelsAreLoaded();
extern "C" void kernelsAreLoaded() { asm volatile(""); }

namespace child {
namespace {

// Several modules, so that the numbers of their descriptors include those that a debugger has pipes and terminals under.
void loadKernels() {
  rtDevice_t device = nullptr;
  OK(rtDeviceGetByName(&device, "cpu"));
  rtContext_t context = nullptr;
  OK(rtContextCreate(&context, nullptr, device));
  rttest::Stream stream;
  rttest::Memory memory;
  OK(rtStreamCreate(stream.out(), nullptr, context));
  OK(rtMalloc(memory.out(), 64 * sizeof(int), context));
  for (int i = 0; i < 12; ++i) {
    const std::string name = "watched_" + std::to_string(i);
    const std::string source =
        "__kernel void " + name + "(__global int* a) { a[get_global_id(0)] = " + std::to_string(i) + "; }";
    rtModule_t module = nullptr;
    rtKernel_t kernel = nullptr;
    OK(rtModuleCreateFromSource(&module, source.c_str(), nullptr, context));
    OK(rtModuleGetKernel(&kernel, name.c_str(), module));
    void* const address = memory;
    const void* arguments[] = {&address};
    OK(rtLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, stream, const_cast<void* const*>(arguments), 1));
  }
  OK(rtStreamSynchronize(stream));
}

// Line 10 has all variables of the kernel.
constexpr char kStepped[] = R"(float twice(float value) {
  float result = value * 2.0f;
  return result;
}
__kernel void scale(__global float* data, float factor) {
  int where = get_global_id(0);
  float x = twice(data[where]);
  for (int turn = 0; turn < 2; ++turn)
    x += factor;
  data[where] = x;
}
__kernel void summed(__global float* data, __local float* part) {
  int at = get_local_id(0);
  float mine = data[at];
  part[at] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  float other = part[15 - at];
  data[at] = mine + other;
}
)";

// One group of 16 items on ones.
void runStepped() {
  rtDevice_t device = nullptr;
  OK(rtDeviceGetByName(&device, "cpu"));
  rtContext_t context = nullptr;
  OK(rtContextCreate(&context, nullptr, device));
  rttest::Stream stream;
  rttest::Memory memory;
  rttest::Module module;
  OK(rtStreamCreate(stream.out(), nullptr, context));
  OK(rtMalloc(memory.out(), 16 * sizeof(float), context));
  for (int i = 0; i < 16; ++i) memory.as<float>()[i] = 1;
  OK(rtModuleCreateFromSource(module.out(), kStepped, nullptr, context));
  rtKernel_t scale = nullptr, summed = nullptr;
  OK(rtModuleGetKernel(&scale, "scale", module));
  OK(rtModuleGetKernel(&summed, "summed", module));
  void* const address = memory;
  OK(rttest::launchOver(scale, stream, 1, 16, address, 3.0f));
  OK(rttest::launchOver(summed, stream, 1, 16, address, uint64_t{16 * sizeof(float)}));
  OK(rtStreamSynchronize(stream));
  EXPECT(memory.as<float>()[3] == 16);
  (void)module.release();  // stays loaded for a debugger that attaches
}

int stepped(int, char**) {
  runStepped();
  kernelsAreLoaded();
  return 0;
}

// Says that its kernels have run, and stays until its input ends.
int awaitsDebugger(int, char**) {
  runStepped();
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  puts("ready");
  fflush(stdout);
  while (getchar() != EOF) {
  }
  return 0;
}

int startedByDebugger(int, char**) {
  loadKernels();
  kernelsAreLoaded();
  return 0;
}

// The debugger is a child, so that this process waits for it and for nothing else. Its exit code is this one's. A second word
// is what it is asked about kernels for stepping.
int debuggerAttaches(int argc, char** argv) {
  EXPECT(argc == 1 || argc == 2);
  if (argc == 1) loadKernels();
  if (argc == 2) runStepped();
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  const std::string process = std::to_string(getpid());
  const pid_t pid = fork();
  EXPECT(pid >= 0);
  if (pid == 0) {
    alarm(60);
    execl(argv[0], argv[0], "-batch", "-nx", "-ex", "set debuginfod enabled off", "-ex", ("attach " + process).c_str(), "-ex",
          argc == 2 ? argv[1] : "info sharedlibrary", "-ex", "detach", static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  EXPECT(waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

const Scenario kDebugger[] = {
    {"started_by_debugger", startedByDebugger},
    {"debugger_attaches", debuggerAttaches},
    {"stepped", stepped},
    {"awaits_debugger", awaitsDebugger},
    {nullptr, nullptr},
};

}  // namespace child
