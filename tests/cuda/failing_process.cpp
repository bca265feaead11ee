// The scenes: a kernel that faults in one of two ways, calls after the runtime's end, a forked child.
#include "failing_process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "support/check.h"
#include "support/handles.h"
#include "support/kernels.h"
#include "support/simulated_cuda.h"

namespace rttest {
namespace {

int wrong = 0;

void expect(bool good, const char* what) {
  if (good) return;
  ++wrong;
  std::printf("not so: %s; %s\n", what, lastMessage().c_str());
}

#define WANT(code, call) want(code, call, #call)
void want(rtStatus_t code, rtStatus_t status, const char* call) {
  if (status == code) return;
  ++wrong;
  std::printf("%s returned %s: %s\n", call, rtGetErrorName(status), lastMessage().c_str());
}

struct Side {
  rtDevice_t device = nullptr;
  Context context;
  Stream stream;
  Memory memory;

  void make(const char* name) {
    WANT(RT_SUCCESS, rtDeviceGetByName(&device, name));
    WANT(RT_SUCCESS, rtContextCreate(context.out(), nullptr, device));
    WANT(RT_SUCCESS, rtStreamCreate(stream.out(), nullptr, context));
    WANT(RT_SUCCESS, rtMalloc(memory.out(), 4096, context));
  }
  void works() {
    unsigned char byte = 0;
    WANT(RT_SUCCESS, rtMemsetAsync(memory, 7, 4096, stream));
    WANT(RT_SUCCESS, rtMemcpyAsync(&byte, memory, 1, RT_MEMCPY_DEFAULT, stream));
    WANT(RT_SUCCESS, rtStreamSynchronize(stream));
    expect(byte == 7, "another device goes on");
  }
};

// The driver decides what a fault of one device does to the others: 580 ends them all. The library says what the driver says.
void otherGoesOn(Side& other) {
  if (simulatedCuda().here()) return other.works();
  auto* malloc = cudaFunction<int(void**, size_t)>("cudaMalloc");
  auto* set_device = cudaFunction<int(int)>("cudaSetDevice");
  int32_t backend = 0, ordinal = 0;
  WANT(RT_SUCCESS, rtDeviceGetBackend(&backend, &ordinal, other.device));
  void* bytes = nullptr;
  expect(set_device != nullptr && malloc != nullptr, "the runtime's own functions are there");
  (void)set_device(ordinal);
  if (malloc(&bytes, 4096) == 0) return other.works();
  WANT(RT_ERROR_DEVICE_LOST, rtMemsetAsync(other.memory, 7, 4096, other.stream));
  WANT(RT_ERROR_DEVICE_LOST, rtStreamSynchronize(other.stream));
}

constexpr char kWildSource[] =
    "__kernel void wild(__global uint* gate, ulong address) {\n"
    "  if (gate[0] == 0) *(__global uint*)address = 1;\n"
    "}\n";
constexpr char kTrapSource[] =
    "extern \"C\" __global__ void wild(unsigned* gate, unsigned long long) { if (gate[0] == 0) __trap(); }\n";

struct Called {
  std::atomic<int> calls{0};
  std::atomic<rtStatus_t> status{RT_SUCCESS};

  static void call(void* user, rtStatus_t given) {
    auto& at = *static_cast<Called*>(user);
    at.status = given;
    at.calls.fetch_add(1);
  }
};

void deviceDies(const std::string& device, bool trap) {
  Side side, cpu, other;
  side.make(device.c_str());
  cpu.make("cpu");
  int32_t count = 0;
  WANT(RT_SUCCESS, rtDeviceGetCount(&count, RT_BACKEND_CUDA));
  const bool has_other = count > 1;
  if (has_other) other.make(device == "cuda:0" ? "cuda:1" : "cuda:0");

  Module module;
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = trap ? RT_IMAGE_CUDA_CXX : RT_IMAGE_OPENCL_C;
  const char* source = trap ? kTrapSource : kWildSource;
  WANT(RT_SUCCESS, rtModuleLoadData(module.out(), source, std::strlen(source), &options, side.context));
  rtKernel_t kernel = nullptr;
  WANT(RT_SUCCESS, rtModuleGetKernel(&kernel, "wild", module));
  Event event;
  WANT(RT_SUCCESS, rtEventCreate(event.out(), nullptr, side.context));
  WANT(RT_SUCCESS, rtMemset(side.memory, 0, 4096));
  if (wrong != 0) return;

  Called called;
  Gate gate(side.context);
  WANT(RT_SUCCESS, gate.close(side.stream));  // so that all of it is ordered before the kernel runs
  WANT(RT_SUCCESS, launchOver(kernel, side.stream, 1, 1, side.memory.as<void>(), uint64_t{0x10}));
  WANT(RT_SUCCESS, rtLaunchHostFunction(Called::call, &called, side.stream));
  WANT(RT_SUCCESS, rtEventRecord(event, side.stream));
  WANT(RT_SUCCESS, rtStreamWaitEvent(event, cpu.stream));
  std::atomic<rtStatus_t> woken{RT_SUCCESS};
  std::thread sleeper([&] { woken = rtEventSynchronize(event); });
  WANT(RT_SUCCESS, gate.open());

  WANT(RT_ERROR_DEVICE_LOST, rtStreamSynchronize(side.stream));
  const std::string message = lastMessage();
  expect(message.find("\"wild\"") != std::string::npos, "the message names the kernel");
  expect(message.find(trap ? "719" : "700") != std::string::npos, "the message has the first cause");
  expect(message.find("under compute-sanitizer") != std::string::npos, "the message names the tool that finds the place");
  sleeper.join();
  expect(woken < 0, "the thread that slept is told");
  expect(rtStreamSynchronize(cpu.stream) < 0, "the stream of the CPU that waited inherits the failure");
  for (int i = 0; i < 2000 && called.calls == 0; ++i) usleep(1000);
  expect(called.calls == 1, "the host function after the kernel has run once");
  expect(called.status < 0, "it was given the failure");

  WANT(RT_ERROR_DEVICE_LOST, rtMemsetAsync(side.memory, 1, 100, side.stream));
  WANT(RT_ERROR_DEVICE_LOST, launchOver(kernel, side.stream, 1, 1, side.memory.as<void>(), uint64_t{0}));
  rtDevice_t lost = nullptr;
  char cause[4096] = "";
  WANT(RT_SUCCESS, rtDeviceGetByName(&lost, device.c_str()));
  WANT(RT_SUCCESS, rtDeviceGetLossMessage(cause, sizeof cause, nullptr, lost));
  expect(std::string(cause).find(device + " is lost") != std::string::npos, "the loss message names the device");
  expect(std::string(cause).find("\"wild\"") != std::string::npos, "the loss message names the kernel");
  expect(std::string(cause).find(trap ? "719" : "700") != std::string::npos, "the loss message has the first cause");
  Stream more;
  WANT(RT_ERROR_DEVICE_LOST, rtStreamCreate(more.out(), nullptr, side.context));
  if (has_other) otherGoesOn(other);
  cpu.works();
  WANT(RT_SUCCESS, event.reset());
  WANT(RT_SUCCESS, module.reset());
  WANT(RT_SUCCESS, side.memory.reset());
  WANT(RT_SUCCESS, side.stream.reset());
  WANT(RT_SUCCESS, side.context.reset());
}

// The program has let go of everything when the device dies under pending work. The last objects go on threads of the library,
// one of which found the death. CUDA's own thread is inside a function meanwhile.
void destroyedFirst(const std::string& device) {
  if (!simulatedCuda().here()) return;
  static std::atomic<bool> open{false};
  auto* host_function = cudaFunction<int(void*, void (*)(void*), void*)>("cudaLaunchHostFunc");
  const int ordinal = device.back() - '0';
  Called called;
  {
    Side side;
    uint64_t native[2] = {0, 0};
    side.make(device.c_str());
    WANT(RT_SUCCESS, rtStreamGetNative(native, side.stream));
    expect(host_function(
               reinterpret_cast<void*>(native[0]),
               [](void*) {
                 while (!open.load()) usleep(1000);
               },
               nullptr) == 0,
           "CUDA takes a function");
    WANT(RT_SUCCESS, rtLaunchHostFunction(Called::call, &called, side.stream));
  }
  simulatedCuda().lose(ordinal, 700);
  for (int i = 0; i < 10000 && called.calls == 0; ++i) usleep(1000);
  expect(called.calls == 1 && called.status < 0, "the host function is given the failure");
  open = true;
  for (int i = 0; i < 10000 && simulatedCuda().live("stream") != 0; ++i) usleep(1000);
  expect(simulatedCuda().live("stream") == 0, "all streams of the device are gone");
}

// ---- The end of the process ----

Side* kept = nullptr;
Event* kept_event = nullptr;

void useAtEnd() {
  for (rtStatus_t status : {rtMemsetAsync(kept->memory, 1, 100, kept->stream), rtEventRecord(*kept_event, kept->stream),
                            rtStreamSynchronize(kept->stream), rtEventSynchronize(*kept_event)}) {
    (void)status;  // any status; the process ends as it should
  }
  (void)kept_event->reset();
  (void)kept->memory.reset();
  (void)kept->stream.reset();
  (void)kept->context.reset();
}

struct AtEnd {
  ~AtEnd() {
    if (kept != nullptr) useAtEnd();
  }
} at_end;  // made before the library's first use: destroyed after the runtime's end

void endsAtExit(const std::string& device, bool handler) {
  static Side side;
  static Event event;
  side.make(device.c_str());
  WANT(RT_SUCCESS, rtEventCreate(event.out(), nullptr, side.context));
  side.works();
  kept = &side;
  kept_event = &event;
  if (handler) std::atexit([] { useAtEnd(); });
}

void forks(const std::string& device) {
  Side side;
  side.make(device.c_str());
  side.works();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool good = rtMemsetAsync(side.memory, 1, 100, side.stream) == RT_ERROR_FORKED &&
                      rtStreamSynchronize(side.stream) == RT_ERROR_FORKED;
    (void)side.memory.reset();
    (void)side.stream.reset();
    (void)side.context.reset();
    _exit(good ? 0 : 1);
  }
  int status = 0;
  expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child is told, and ends");
  side.works();
}

}  // namespace

int runScene(const std::string& name, const std::string& device) {
  if (name == "bad address") deviceDies(device, false);
  if (name == "trap") deviceDies(device, true);
  if (name == "destroyed first") destroyedFirst(device);
  if (name == "static destructor") endsAtExit(device, false);
  if (name == "exit handler") endsAtExit(device, true);
  if (name == "fork") forks(device);
  return wrong == 0 ? 0 : 1;
}

}  // namespace rttest
