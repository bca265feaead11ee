// A program with one defect inside a kernel, named by its first argument; planted_test.cpp looks at what a sanitizer says. It
// ends with 0 where nothing was found.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "rt.h"

namespace {

void ok(rtStatus_t status, const char* call) {
  if (status == RT_SUCCESS) return;
  char message[4096] = "";
  (void)rtGetLastErrorMessage(message, sizeof message, nullptr);
  std::fprintf(stderr, "%s: %s: %s\n", call, rtGetErrorName(status), message);
  std::_Exit(3);
}
#define OK(call) ok(call, #call)

rtModule_t module;
rtStream_t stream;

void launch(const char* name, uint32_t groups, uint32_t items, std::vector<void*> args, uint32_t flags = 0) {
  rtKernel_t kernel = nullptr;
  OK(rtModuleGetKernel(&kernel, name, module));
  const uint32_t grid[3] = {groups, 1, 1}, group[3] = {items, 1, 1};
  rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
  options.flags = flags;
  OK(rtLaunchKernelWithOptions(kernel, grid, group, 0, &options, args.data(), static_cast<uint32_t>(args.size()), stream));
}

int* memory(size_t count) {
  void* pointer = nullptr;
  OK(rtMalloc(&pointer, count * sizeof(int), nullptr));
  OK(rtMemset(pointer, 0, count * sizeof(int)));
  return static_cast<int*>(pointer);
}

// `size` elements, of which `used` are written, with neighbours that are alive.
void fill(uint32_t size, uint32_t used, uint32_t groups = 1) {
  int* blocks[3] = {memory(size), memory(size), memory(size)};
  for (int*& block : blocks) launch("fill", groups, 64, {&block, &used});
  OK(rtStreamSynchronize(stream));
  for (int*& block : blocks) OK(rtFree(block));
}

void copy(uint32_t size, uint32_t used) {
  int *in = memory(size), *out = memory(64);
  launch("copy", 1, 64, {&in, &used, &out});
  OK(rtStreamSynchronize(stream));
}

void wide(uint32_t size, uint32_t used) {
  int *in = memory(4 * size), *out = memory(4 * size);
  launch("wide", 1, 64, {&in, &used, &out});
  OK(rtStreamSynchronize(stream));
}

void group(uint32_t past) {
  int* out = memory(128);
  size_t bytes = 64 * sizeof(int);
  launch("group", 2, 64, {&bytes, &past, &out});
  OK(rtStreamSynchronize(stream));
}

void fibers(uint32_t past) {
  int* out = memory(64);
  size_t bytes = 64 * sizeof(int);
  launch("fibers", 1, 64, {&out, &past, &bytes});
  OK(rtStreamSynchronize(stream));
  OK(rtFree(out));
}

void freed() {
  int* out = memory(64);
  uint32_t count = 64;
  launch("fill", 1, 64, {&out, &count});
  OK(rtStreamSynchronize(stream));
  OK(rtFree(out));
  launch("fill", 1, 64, {&out, &count});
  OK(rtStreamSynchronize(stream));
}

// The stream is held until all has been submitted, so that the free is in its order and nothing has ended before it.
void freedInOrder(bool defect) {
  int* out = nullptr;
  void* pointer = nullptr;
  OK(rtMallocAsync(&pointer, 64 * sizeof(int), stream));
  out = static_cast<int*>(pointer);
  uint32_t count = 64;
  static std::atomic<bool> go{false};
  OK(rtLaunchHostFunction(
      [](void*, rtStatus_t) {
        while (!go.load()) std::this_thread::yield();
      },
      nullptr, stream));
  launch("fill", 1, 64, {&out, &count});
  OK(rtFreeAsync(out, stream));
  if (defect) {
    launch("fill", 1, 64, {&out, &count});
  } else {
    // Smaller, and in the place of the freed one, before which the stream still has work.
    OK(rtMallocAsync(&pointer, 50 * sizeof(int), stream));
    out = static_cast<int*>(pointer);
    count = 50;
    launch("fill", 1, 64, {&out, &count});
    OK(rtFreeAsync(out, stream));
  }
  go = true;
  OK(rtStreamSynchronize(stream));
}

void race(uint32_t groups, uint32_t flags) {
  int* out = memory(16);
  uint32_t one = 1;
  launch("last", groups, 16, {&out, &one}, flags);
  OK(rtStreamSynchronize(stream));
}

// Code that looks like a race and is none: atomics, groups that write elements of their own, launches after each other.
void noRace() {
  int* out = memory(64 * 64);
  uint32_t count = 64 * 64, one = 1;
  for (int i = 0; i < 3; ++i) {
    launch("fill", 64, 64, {&out, &count});
    launch("counted", 64, 16, {&out});
    launch("last", 2, 16, {&out, &one});
    size_t bytes = 64 * sizeof(int);
    uint32_t past = 0;
    launch("group", 64, 64, {&bytes, &past, &out});
    launch("fibers", 16, 64, {&out, &past, &bytes});
  }
  OK(rtStreamSynchronize(stream));
  OK(rtFree(out));
}

struct Defect {
  const char* name;
  void (*run)();
};
const Defect kDefects[] = {
    {"none", [] { fill(61, 61), wide(61, 61), fibers(0), freedInOrder(false), noRace(); }},
    {"overrun", [] { fill(61, 62); }},
    {"overrun of a full block", [] { fill(64, 65, 2); }},
    {"overrun of a large block", [] { fill(1 << 20, (1 << 20) + 1, (1 << 14) + 1); }},
    {"read after the end", [] { copy(61, 62); }},
    {"overrun by a vector", [] { wide(60, 61); }},
    {"overrun of local memory", [] { group(1); }},
    {"overrun on fibers", [] { fibers(1); }},
    {"use after free", [] { freed(); }},
    {"use after free in order", [] { freedInOrder(true); }},
    {"race", [] { race(4, 0); }},
    {"race of many groups", [] { race(4096, 0); }},
    {"race of cooperating groups", [] { race(4, RT_LAUNCH_COOPERATIVE); }},
};

}  // namespace

int main(int argc, char** argv) {
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = RT_IMAGE_OPENCL_C;
  OK(rtModuleLoadFile(&module, PLANTED_SOURCE, &options, nullptr));
  OK(rtStreamCreate(&stream, nullptr, nullptr));
  for (const Defect& defect : kDefects) {
    if (argc < 2 || std::strcmp(defect.name, argv[1]) != 0) continue;
    defect.run();
    OK(rtStreamDestroy(stream));
    OK(rtModuleDestroy(module));
    return 0;
  }
  std::fprintf(stderr, "usage: planted_defects DEFECT\n");
  return 2;
}
