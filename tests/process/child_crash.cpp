// Scenarios of a kernel that crashes: crash <address> <way> <handler>. Item 37 of a grid of 64 writes to an address that no
// kernel may write to.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#include <cstring>
#include <string>

#include "child.h"

namespace child {
namespace {

constexpr size_t kPage = 4096;
constexpr uint32_t kBadItem = 37;

constexpr char kSplit[] = R"(__kernel void spoil(__global int* a, __global int* bad) {
  int i = get_global_id(0);
  if (i == 37)
    a = bad;
  a[i] = i;
}
)";

// Line 2 is a part of the kernel wherever it goes.
constexpr char kHelped[] = R"(int loaded(__global int* from, int i) {
  return from[i] * 2;
}
__kernel void spoil(__global int* a, __global int* bad) {
  int i = get_global_id(0);
  a[i] = loaded(bad, i);
}
)";

// A function of sub-groups: each item has a fiber.
constexpr char kOnFibers[] = R"(__kernel void spoil(__global int* a, __global int* bad) {
  int i = get_global_id(0) + sub_group_reduce_add(0);
  if (i == 37) a = bad;
  a[i] = i;
}
)";

void divide(const rtHostGroup_t* group, void* const* args) {
  const volatile int zero = 0;
  if (group->group_id[0] == 2) rttest::argument<int*>(args, 0)[0] = 7 / zero;
}

// Uses up its stack: nothing but another one can take a handler.
__attribute__((noinline)) int recurse(volatile int* last, int depth) {
  volatile int frame[256] = {depth};
  return depth < 0 ? *last : recurse(frame, depth + 1) + frame[0];
}
void overflow(const rtHostGroup_t*, void* const* args) {
  volatile int none = 0;
  rttest::argument<int*>(args, 0)[0] = recurse(&none, 0);
}

// Large: the stack of a thread that starts meanwhile goes to the end of what is free, and not to its beginning.
void* freedMemory(rtContext_t context) {
  rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
  strcpy(options.label, "weights");
  void* memory = nullptr;
  OK(rtMallocWithOptions(&memory, size_t{256} << 20, &options, context));
  OK(rtFree(memory));
  for (int i = 0; i < 200; ++i) {  // what was freed goes back to the system in batches
    void* small = nullptr;
    OK(rtMalloc(&small, 256, context));
    OK(rtFree(small));
  }
  return static_cast<char*>(memory) + 4000;
}

void* protectedMemory(rtContext_t context) {
  rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
  strcpy(options.label, "bias");
  options.alignment = kPage;
  void* memory = nullptr;
  OK(rtMallocWithOptions(&memory, 64 * kPage, &options, context));
  char* const page = static_cast<char*>(memory) + kPage;
  EXPECT(mprotect(page, kPage, PROT_READ) == 0);
  return page + 16;
}

void* afterRegistered(rtContext_t context) {
  void* const pages = mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(pages != MAP_FAILED);
  OK(rtHostRegister(pages, 2 * kPage, context));
  char* const end = static_cast<char*>(pages) + 2 * kPage;
  EXPECT(mprotect(end, kPage, PROT_NONE) == 0);
  return end + 12;
}

void* afterFile(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  EXPECT(file >= 0 && ftruncate(file, kPage) == 0);
  void* const pages = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT(pages != MAP_FAILED);
  return static_cast<char*>(pages) + kPage;
}

// The address that the bad item writes to.
void* addressFor(const std::string& word, rtContext_t context) {
  if (word == "null") return reinterpret_cast<void*>(kBadItem * sizeof(int));
  if (word == "wild") return reinterpret_cast<void*>(0xdead000000000000u);
  if (word == "freed") return freedMemory(context);
  if (word == "protected") return protectedMemory(context);
  if (word == "registered") return afterRegistered(context);
  return afterFile(word.c_str());
}

void say(const char* text) { EXPECT(write(STDERR_FILENO, text, strlen(text)) > 0); }

void ownHandler(int, siginfo_t*, void*) {
  say("own handler\n");
  _exit(7);
}

struct sigaction replaced;
void chainingHandler(int signal, siginfo_t* info, void* context) {
  say("own handler\n");
  if ((replaced.sa_flags & SA_SIGINFO) != 0) return replaced.sa_sigaction(signal, info, context);
  sigaction(signal, &replaced, nullptr);  // and the instruction runs again
}

void setHandler(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  for (int signal : {SIGBUS, SIGFPE, SIGSEGV}) EXPECT(sigaction(signal, &action, &replaced) == 0);
}

const char* sourceFor(const std::string& way) { return way == "fiber" ? kOnFibers : way == "helper" ? kHelped : kSplit; }

rtKernel_t makeSpoil(rtContext_t context, const char* source, const char* build = "") {
  rtModule_t module = nullptr;
  rtKernel_t kernel = nullptr;
  OK(rtModuleCreateFromSource(&module, source, build, context));
  OK(rtModuleGetKernel(&kernel, "spoil", module));
  return kernel;
}

[[noreturn]] void endAlive() {
  say("the kernel came back\n");
  _exit(3);
}

[[noreturn]] void awaitOn(rtStream_t stream, const std::string& way) {
  if (way == "worker") {  // this thread never runs kernels
    for (int i = 0; i < 6000; ++i) usleep(10000);
  } else {
    (void)rtStreamSynchronize(stream);
  }
  endAlive();
}

int crashInKernel(int argc, char** argv) {
  EXPECT(argc == 3);
  const std::string address = argv[0], way = argv[1], handler = argv[2];
  if (handler == "before") setHandler(ownHandler);
  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  void* memory = nullptr;
  OK(rtDeviceGetByName(&device, "cpu"));
  OK(rtContextCreate(&context, nullptr, device));
  OK(rtStreamCreate(&stream, nullptr, context));
  OK(rtMalloc(&memory, 64 * sizeof(int), context));
  if (address == "divide" || address == "stack") {
    rttest::Kernel kernel;
    OK(rttest::makeKernel(&kernel, context, address == "divide" ? divide : overflow, {rttest::kPointerArg}, argv[0]));
    OK(rttest::launchOver(kernel, stream, 4, 16, memory));
    awaitOn(stream, way);
  }
  rtKernel_t kernel = makeSpoil(context, sourceFor(way), way == "line" ? "-g" : "");
  if (handler == "after" || handler == "chains") {  // the next kernel finds it in front, and goes before it
    setHandler(handler == "after" ? ownHandler : chainingHandler);
    kernel = makeSpoil(context, sourceFor(way));
    if (handler == "after") {
      rttest::Kernel another;
      OK(rttest::makeKernel(&another, context, divide, {rttest::kPointerArg}, "divide"));
    }
  }
  void* bad = static_cast<int*>(addressFor(address, context)) - kBadItem;
  if (way == "graph") {
    rtGraph_t graph = nullptr;
    rtGraphExec_t exec = nullptr;
    OK(rtStreamBeginCapture(stream));
    OK(rttest::launchOver(kernel, stream, 1, 64, memory, memory));
    OK(rttest::launchOver(kernel, stream, 1, 64, memory, bad));
    OK(rtStreamEndCapture(&graph, stream));
    OK(rtGraphInstantiate(&exec, graph, context));
    OK(rtGraphLaunch(exec, stream));
  } else {
    OK(rttest::launchOver(kernel, stream, 4, 16, memory, bad));
  }
  awaitOn(stream, way);
}

// Outside of kernels the signal is not the library's: the program's handler has it, and nothing is written.
int crashOutside(int, char**) {
  World world;
  world.make();
  OK(rtStreamSynchronize(world.stream));
  *static_cast<volatile int*>(nullptr) = 1;
  return 3;
}

}  // namespace

const Scenario kCrash[] = {
    {"crash", crashInKernel},
    {"crash_outside", crashOutside},
    {nullptr, nullptr},
};

}  // namespace child
