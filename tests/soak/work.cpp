#include "soak/work.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/handles.h"

namespace soak {
namespace {

constexpr uint32_t kGroup = 64, kSources = 4;

// A few sources, so that modules come from the source, from the process and from the cache.
std::string source(uint32_t number) {
  return "kernel void add(global const int* x, global int* y, int value, uint count) {\n"
         "  uint i = get_global_id(0);\n"
         "  if (i < count) y[i] = x[i] + value + " +
         std::to_string(number % kSources) + ";\n}\n";
}

void count(void* user, rtStatus_t) { ++*static_cast<uint32_t*>(user); }

void* allocate(size_t size, rtStream_t stream) {
  void* pointer = nullptr;
  SOAK_CHECK(rtMallocAsync(&pointer, size, stream));
  return pointer;
}

// Pieces of all sizes, freed on the stream, on another one, and from the host.
void allocations(uint32_t number, rtStream_t stream, rtStream_t other, rtContext_t context) {
  std::vector<void*> blocks;
  for (uint32_t i = 0; i < 24; ++i) {
    const size_t size = size_t{1} << ((number + 7 * i) % 23);
    blocks.push_back(allocate(size + i, stream));
    SOAK_CHECK(rtMemsetAsync(blocks.back(), static_cast<int32_t>(i), size < 4096 ? size : 4096, stream));
  }
  SOAK_CHECK(rtStreamWaitStream(stream, other));
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i % 3 == 0) SOAK_CHECK(rtFreeAsync(blocks[i], stream));
    if (i % 3 == 1) SOAK_CHECK(rtFreeAsync(blocks[i], other));
    if (i % 3 == 2) SOAK_CHECK(rtFree(blocks[i]));
  }
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  rttest::Pool pool;
  SOAK_CHECK(rtMemPoolCreate(pool.out(), &options, context));
  void* pointer = nullptr;
  SOAK_CHECK(rtMallocFromPool(&pointer, 100'000, 0, stream, pool));
  SOAK_CHECK(rtFreeAsync(pointer, stream));
}

void eventsAndFences(rtStream_t stream, rtStream_t other, rtContext_t context) {
  rttest::Event event, timed;
  rttest::Fence fence;
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  options.flags = RT_EVENT_DISABLE_TIMING;
  SOAK_CHECK(rtEventCreate(event.out(), &options, context));
  SOAK_CHECK(rtEventCreate(timed.out(), nullptr, context));
  SOAK_CHECK(rtFenceCreate(fence.out(), 0, context));
  SOAK_CHECK(rtEventRecord(event, stream));
  SOAK_CHECK(rtStreamWaitEvent(event, other));
  SOAK_CHECK(rtEventRecord(timed, other));
  SOAK_CHECK(rtStreamSignalFence(fence, 1, other));
  SOAK_CHECK(rtStreamWaitFence(fence, 1, stream));
  SOAK_CHECK(rtFenceWait(1, fence));
  SOAK_CHECK(rtEventSynchronize(timed));
}

}  // namespace

void check(rtStatus_t status, const char* call) {
  if (status >= 0) return;
  char message[2048] = "";
  (void)rtGetLastErrorMessage(message, sizeof message, nullptr);
  fprintf(stderr, "soak: %s: %s\n", call, message);
  exit(EXIT_FAILURE);
}

void workOnce(rtContext_t context, uint32_t number) {
  const uint32_t elements = 1000 + number % 7 * 3000;
  const size_t bytes = elements * sizeof(int32_t);
  rttest::Stream stream, other;
  rttest::Module module;
  rtKernel_t kernel = nullptr;  // the module's
  SOAK_CHECK(rtStreamCreate(stream.out(), nullptr, context));
  SOAK_CHECK(rtStreamCreate(other.out(), nullptr, context));
  SOAK_CHECK(rtModuleCreateFromSource(module.out(), source(number).c_str(), nullptr, context));
  SOAK_CHECK(rtModuleGetKernel(&kernel, "add", module));
  allocations(number, stream, other, context);
  eventsAndFences(stream, other, context);

  std::vector<int32_t> host(elements, static_cast<int32_t>(number));
  rttest::Memory pinned;
  SOAK_CHECK(rtMallocHost(pinned.out(), bytes, context));
  void *x = allocate(bytes, stream), *y = allocate(bytes, stream);
  SOAK_CHECK(rtMemcpyAsync(x, host.data(), bytes, RT_MEMCPY_DEFAULT, stream));
  SOAK_CHECK(rtMemsetAsync(y, 0, bytes, stream));
  int32_t value = 5;
  void* args[] = {&x, &y, &value, const_cast<uint32_t*>(&elements)};
  const auto launch = [&] {
    SOAK_CHECK(rtLaunchKernel(kernel, (elements + kGroup - 1) / kGroup, 1, 1, kGroup, 1, 1, 0, stream, args, RT_ARGS_ALL));
  };
  launch();
  uint32_t calls = 0;
  SOAK_CHECK(rtLaunchHostFunction(count, &calls, stream));

  // y = x + 5 + n, and then three times x = y, y = x + 5 + n.
  constexpr int kReplays = 3;
  rttest::Graph graph;
  rttest::GraphExec exec;
  SOAK_CHECK(rtStreamBeginCapture(stream));
  SOAK_CHECK(rtMemcpyAsync(x, y, bytes, RT_MEMCPY_DEFAULT, stream));
  launch();
  SOAK_CHECK(rtLaunchHostFunction(count, &calls, stream));
  SOAK_CHECK(rtStreamEndCapture(graph.out(), stream));
  SOAK_CHECK(rtGraphInstantiate(exec.out(), graph, context));
  for (int i = 0; i < kReplays; ++i) SOAK_CHECK(rtGraphLaunch(exec, stream));
  SOAK_CHECK(rtMemcpyAsync(pinned, y, bytes, RT_MEMCPY_DEFAULT, stream));
  SOAK_CHECK(rtFreeAsync(x, stream));
  SOAK_CHECK(rtFreeAsync(y, stream));
  SOAK_CHECK(rtStreamSynchronize(stream));
  const auto expected = static_cast<int32_t>(number + (kReplays + 1) * (5 + number % kSources));
  for (uint32_t i = 0; i < elements; ++i) {
    if (pinned.as<int32_t>()[i] == expected && calls == kReplays + 1) continue;
    fprintf(stderr, "soak: element %u of work %u is %d and must be %d; %u of %d host functions were called\n", i, number,
            pinned.as<int32_t>()[i], expected, calls, kReplays + 1);
    exit(EXIT_FAILURE);
  }
}

void workInOwnContext(rtDevice_t device, uint32_t number) {
  rttest::Context context;
  SOAK_CHECK(rtContextCreate(context.out(), nullptr, device));
  workOnce(context, number);
}

void leaveWorkBehind(rtContext_t context, uint32_t number) {
  constexpr size_t kBytes = 300'000;
  rttest::Stream stream;
  rttest::Module module;
  rttest::Memory from, to;
  rttest::Event event;
  rtKernel_t kernel = nullptr;
  SOAK_CHECK(rtStreamCreate(stream.out(), nullptr, context));
  SOAK_CHECK(rtEventCreate(event.out(), nullptr, context));
  SOAK_CHECK(rtModuleCreateFromSource(module.out(), source(number).c_str(), nullptr, context));
  SOAK_CHECK(rtModuleGetKernel(&kernel, "add", module));
  SOAK_CHECK(rtMalloc(from.out(), kBytes, context));
  SOAK_CHECK(rtMalloc(to.out(), kBytes, context));
  void *x = from, *y = to;
  int32_t value = 1;
  uint32_t elements = kBytes / sizeof(int32_t);
  void* args[] = {&x, &y, &value, &elements};
  for (int i = 0; i < 4; ++i) {
    SOAK_CHECK(rtMemsetAsync(from, i, kBytes, stream));
    SOAK_CHECK(rtLaunchKernel(kernel, elements / kGroup, 1, 1, kGroup, 1, 1, 0, stream, args, RT_ARGS_ALL));
  }
  SOAK_CHECK(rtEventRecord(event, stream));
}

}  // namespace soak
