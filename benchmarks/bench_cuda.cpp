// The CUDA backend beside the CUDA runtime, in one process and on one primary context. Launches (P1), events and waits (P2),
// launches of graphs (P4), pageable copies (P9), modules from the cache (P16). A launch through a one-node graph (P3) has raw
// calls, as an experiment. P18 is the start of a CPU stream where CUDA is installed.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "cuda_pools.h"
#include "machine.h"
#include "memory_traces.h"
#include "pool_work.h"

namespace {

using namespace bench;

// Two kernels that do nothing, without and with arguments; both sides load this text.
constexpr char kPtx[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry nothing() { ret; }\n"
    ".visible .entry eight(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 e, .param .u32 f,\n"
    "                      .param .u64 g, .param .f32 h) { ret; }\n";

rtContext_t context;
rtStream_t stream, other;
rtModule_t module;
rtKernel_t nothing, eight;
cudaStream_t raw_stream, raw_other;
cudaKernel_t raw_nothing, raw_eight;
void* memory;

uint32_t rows = 3, columns = 4;
uint64_t stride = 5;
float scale = 1;
void* args[] = {&memory, &memory, &memory, &memory, &rows, &columns, &stride, &scale};

void prepare() {
  context = createContext("cuda:0", 0);
  stream = createStream(context);
  other = createStream(context);
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  RT_CHECK(rtModuleLoadData(&module, kPtx, sizeof kPtx, &options, context));
  RT_CHECK(rtModuleGetKernel(&nothing, "nothing", module));
  RT_CHECK(rtModuleGetKernel(&eight, "eight", module));
  RT_CHECK(rtMalloc(&memory, 4096, context));
  CUDA_CHECK(cudaStreamCreateWithFlags(&raw_stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&raw_other, cudaStreamNonBlocking));
  cudaLibrary_t library;
  CUDA_CHECK(cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CUDA_CHECK(cudaLibraryGetKernel(&raw_nothing, library, "nothing"));
  CUDA_CHECK(cudaLibraryGetKernel(&raw_eight, library, "eight"));
}

void emptyOurs() { RT_CHECK(rtStreamSynchronize(stream)); }
void emptyRaw() { CUDA_CHECK(cudaStreamSynchronize(raw_stream)); }

void registerLaunches() {
  const auto add = [](const char* name, rtKernel_t kernel, cudaKernel_t raw, void** values) {
    registerComparison(
        Comparison(name)
            .ours("manyrt",
                  calls([=] { RT_CHECK(rtLaunchKernel(kernel, 64, 1, 1, 256, 1, 1, 0, stream, values, RT_ARGS_ALL)); },
                        emptyOurs))
            .peer("cudaLaunchKernel", calls(
                                          [=] {
                                            CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(raw), dim3(64), dim3(256),
                                                                        values, 0, raw_stream));
                                          },
                                          emptyRaw)));
  };
  add("P1_launch_cuda", nothing, raw_nothing, nullptr);
  add("P1_launch_cuda_8_args", eight, raw_eight, args);

  registerComparison(Comparison("P1_launch_synchronize_cuda")
                         .ours("manyrt", hot([] {
                                 RT_CHECK(rtLaunchKernel(nothing, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, 0));
                                 RT_CHECK(rtStreamSynchronize(stream));
                               }))
                         .peer("cuda", hot([] {
                                 CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(raw_nothing), dim3(1), dim3(32),
                                                             nullptr, 0, raw_stream));
                                 CUDA_CHECK(cudaStreamSynchronize(raw_stream));
                               })));
}

void registerEvents() {
  static rtEvent_t event, timed;
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  options.flags = RT_EVENT_DISABLE_TIMING;
  RT_CHECK(rtEventCreate(&event, &options, context));
  RT_CHECK(rtEventCreate(&timed, nullptr, context));
  static cudaEvent_t raw, raw_timed;
  CUDA_CHECK(cudaEventCreateWithFlags(&raw, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreate(&raw_timed));
  const auto emptyBoth = [] {
    RT_CHECK(rtStreamSynchronize(other));
    emptyOurs();
  };
  const auto emptyRawBoth = [] {
    CUDA_CHECK(cudaStreamSynchronize(raw_other));
    emptyRaw();
  };
  registerComparison(Comparison("P2_event_record")
                         .ours("manyrt", calls([] { RT_CHECK(rtEventRecord(event, stream)); }, emptyOurs))
                         .peer("cudaEventRecord", calls([] { CUDA_CHECK(cudaEventRecord(raw, raw_stream)); }, emptyRaw)));
  registerComparison(Comparison("P2_event_record_timed")
                         .ours("manyrt", calls([] { RT_CHECK(rtEventRecord(timed, stream)); }, emptyOurs))
                         .peer("cudaEventRecord", calls([] { CUDA_CHECK(cudaEventRecord(raw_timed, raw_stream)); }, emptyRaw)));
  // For an event that is not passed. A kernel that takes a while runs ahead of it in neither case, so the record is renewed.
  registerComparison(Comparison("P2_record_and_wait")
                         .ours("manyrt", calls(
                                             [] {
                                               RT_CHECK(rtEventRecord(event, stream));
                                               RT_CHECK(rtStreamWaitEvent(event, other));
                                             },
                                             emptyBoth))
                         .peer("cuda", calls(
                                           [] {
                                             CUDA_CHECK(cudaEventRecord(raw, raw_stream));
                                             CUDA_CHECK(cudaStreamWaitEvent(raw_other, raw, 0));
                                           },
                                           emptyRawBoth)));
  registerComparison(Comparison("P2_record_and_query")
                         .ours("manyrt", calls(
                                             [] {
                                               RT_CHECK(rtEventRecord(event, stream));
                                               (void)rtEventQuery(event);
                                             },
                                             emptyOurs))
                         .peer("cuda", calls(
                                           [] {
                                             CUDA_CHECK(cudaEventRecord(raw, raw_stream));
                                             (void)cudaEventQuery(raw);
                                           },
                                           emptyRaw)));
  registerComparison(Comparison("P2_event_query")
                         .before([] {
                           RT_CHECK(rtEventRecord(event, stream));
                           CUDA_CHECK(cudaEventRecord(raw, raw_stream));
                           emptyOurs();
                           emptyRaw();
                         })
                         .ours("manyrt", calls([] { RT_CHECK(rtEventQuery(event)); }, emptyOurs))
                         .peer("cudaEventQuery", calls([] { CUDA_CHECK(cudaEventQuery(raw)); }, emptyRaw)));
  registerComparison(Comparison("P2_stream_query")
                         .ours("manyrt", calls([] { RT_CHECK(rtStreamQuery(stream)); }, emptyOurs))
                         .peer("cudaStreamQuery", calls([] { CUDA_CHECK(cudaStreamQuery(raw_stream)); }, emptyRaw)));
}

// Launches of one geometry again and again, with an argument that changes each time; and each waited for. The library has
// measured by then whether a graph of one kernel is faster.
void registerRepeated() {
  static const auto ours = [] {
    ++rows;
    RT_CHECK(rtLaunchKernel(eight, 64, 1, 1, 256, 1, 1, 0, stream, args, RT_ARGS_ALL));
  };
  static const auto raw = [] {
    ++rows;
    CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(raw_eight), dim3(64), dim3(256), args, 0, raw_stream));
  };
  registerComparison(Comparison("P3_launch_again")
                         .before([] {
                           for (int i = 0; i < 1000; ++i) ours();
                           emptyOurs();
                         })
                         .ours("manyrt", calls(ours, emptyOurs))
                         .peer("cudaLaunchKernel", calls(raw, emptyRaw)));
  registerComparison(Comparison("P3_launch_again_and_synchronise")
                         .ours("manyrt", hot([] {
                                 ours();
                                 RT_CHECK(rtStreamSynchronize(stream));
                               }))
                         .peer("cudaLaunchKernel", hot([] {
                                 raw();
                                 CUDA_CHECK(cudaStreamSynchronize(raw_stream));
                               })));
}

// Is a launch through a graph of one node cheaper than a launch? Raw calls on both sides.
void registerGraph() {
  static cudaGraph_t graph;
  static cudaGraphNode_t node;
  static cudaGraphExec_t exec;
  static cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void*>(raw_eight);
  parameters.gridDim = dim3(64);
  parameters.blockDim = dim3(256);
  parameters.kernelParams = args;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  registerComparison(
      Comparison("P3_launch_by_graph")
          .ours("set_params_and_graph_launch", calls(
                                                   [] {
                                                     CUDA_CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &parameters));
                                                     CUDA_CHECK(cudaGraphLaunch(exec, raw_stream));
                                                   },
                                                   emptyRaw))
          .peer("cudaLaunchKernel", calls(
                                        [] {
                                          CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(raw_eight), dim3(64),
                                                                      dim3(256), args, 0, raw_stream));
                                        },
                                        emptyRaw)));
}

// A line of kernels, as a graph of each side.
rtGraphExec_t ourGraph(int count) {
  rtGraph_t graph;
  RT_CHECK(rtGraphCreate(&graph));
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = nothing;
  params.group[0] = 32;
  rtGraphNode_t before = nullptr;
  for (int i = 0; i < count; ++i) {
    rtGraphNode_t node;
    RT_CHECK(rtGraphAddKernelNode(&node, &params, i == 0 ? nullptr : &before, i == 0 ? 0 : 1, graph));
    before = node;
  }
  rtGraphExec_t exec;
  RT_CHECK(rtGraphInstantiate(&exec, graph, context));
  RT_CHECK(rtGraphDestroy(graph));
  return exec;
}

cudaGraphExec_t rawGraph(int count) {
  cudaGraph_t graph;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void*>(raw_nothing);
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(32);
  cudaGraphNode_t before = nullptr;
  for (int i = 0; i < count; ++i) {
    cudaGraphNode_t node;
    CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, i == 0 ? nullptr : &before, i == 0 ? 0 : 1, &parameters));
    before = node;
  }
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  return exec;
}

void registerReplays() {
  for (const int count : {1, 100}) {
    const rtGraphExec_t exec = ourGraph(count);
    const cudaGraphExec_t raw = rawGraph(count);
    registerComparison(Comparison("P4_graph_launch_" + std::to_string(count))
                           .ours("manyrt", calls([exec] { RT_CHECK(rtGraphLaunch(exec, stream)); }, emptyOurs))
                           .peer("cudaGraphLaunch", calls([raw] { CUDA_CHECK(cudaGraphLaunch(raw, raw_stream)); }, emptyRaw)));
  }
  constexpr int kKernels = 1000;
  const rtGraphExec_t exec = ourGraph(kKernels);
  const cudaGraphExec_t raw = rawGraph(kKernels);
  registerComparison(
      Comparison("P4_replay_1000")
          .ours("manyrt", hot(
                              [exec] {
                                RT_CHECK(rtGraphLaunch(exec, stream));
                                emptyOurs();
                              },
                              kKernels))
          .peer("cudaGraphLaunch", hot(
                                       [raw] {
                                         CUDA_CHECK(cudaGraphLaunch(raw, raw_stream));
                                         emptyRaw();
                                       },
                                       kKernels))
          .peer("manyrt_launches", hot(
                                       [] {
                                         for (int i = 0; i < kKernels; ++i) {
                                           RT_CHECK(rtLaunchKernel(nothing, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, 0));
                                         }
                                         emptyOurs();
                                       },
                                       kKernels)));
}

// Changes an address and a value between two launches of a graph, in one node or in 300. Our calls change the driver's graph at
// once, as the driver's own call does, which gives a node all of its parameters.
struct Updates {
  rtGraphExec_t exec = nullptr;
  rtGraphBuffer_t buffer = nullptr;
  rtGraphValue_t value = nullptr;
  std::vector<rtGraphNode_t> nodes;
  cudaGraphExec_t raw_exec = nullptr;
  std::vector<cudaGraphNode_t> raw_nodes;
  cudaKernelNodeParams raw_parameters = {};
  char* memory[2] = {};
  uint32_t number = 0;

  explicit Updates(int count) : nodes(static_cast<size_t>(count)), raw_nodes(static_cast<size_t>(count)) {
    for (char*& each : memory) RT_CHECK(rtMalloc(reinterpret_cast<void**>(&each), 4096, context));
    rtGraph_t graph;
    RT_CHECK(rtGraphCreate(&graph));
    RT_CHECK(rtGraphAddBuffer(&buffer, 4096, RT_GRAPH_BUFFER_INPUT, "buffer", graph));
    RT_CHECK(rtGraphAddValue(&value, 4, &number, "value", graph));
    const std::vector<rtGraphArg_t> values = arguments(true);
    rtGraphKernelParams_t params = parametersOf(values);
    cudaGraph_t raw_graph;
    CUDA_CHECK(cudaGraphCreate(&raw_graph, 0));
    raw_parameters.func = reinterpret_cast<void*>(raw_eight);
    raw_parameters.gridDim = dim3(1);
    raw_parameters.blockDim = dim3(32);
    raw_parameters.kernelParams = args;
    for (size_t i = 0; i < nodes.size(); ++i) {
      RT_CHECK(rtGraphAddKernelNode(&nodes[i], &params, i == 0 ? nullptr : &nodes[i - 1], i == 0 ? 0 : 1, graph));
      CUDA_CHECK(cudaGraphAddKernelNode(&raw_nodes[i], raw_graph, i == 0 ? nullptr : &raw_nodes[i - 1], i == 0 ? 0 : 1,
                                        &raw_parameters));
    }
    RT_CHECK(rtGraphInstantiate(&exec, graph, context));
    CUDA_CHECK(cudaGraphInstantiate(&raw_exec, raw_graph, 0));
    bindBuffer();
    launch();
    CUDA_CHECK(cudaGraphLaunch(raw_exec, raw_stream));
    emptyRaw();
  }
  // With what the graph names, or with what a node gets of its own.
  std::vector<rtGraphArg_t> arguments(bool named) {
    rtGraphArg_t pointer = {
        RT_ARG_POINTER, RT_GRAPH_READ, 0, nullptr, {named ? buffer : nullptr, 0, named ? nullptr : memory[0]}};
    rtGraphArg_t four = {RT_ARG_VALUE, 0, 4, &number, {nullptr, 0, nullptr}};
    if (named) four = {RT_ARG_GRAPH_VALUE, 0, 0, value, {nullptr, 0, nullptr}};
    const rtGraphArg_t eight_bytes = {RT_ARG_VALUE, 0, 8, &stride, {nullptr, 0, nullptr}};
    const rtGraphArg_t other_four = {RT_ARG_VALUE, 0, 4, &scale, {nullptr, 0, nullptr}};
    return {pointer, pointer, pointer, pointer, four, four, eight_bytes, other_four};
  }
  // The kernel `eight`, with arguments that are known to be pointers.
  static rtKernel_t fromSource() {
    static const rtKernel_t made = [] {
      rtModule_t built;
      rtKernel_t kernel;
      RT_CHECK(rtModuleCreateFromSource(&built,
                                        "kernel void named(global int* a, global int* b, global int* c, global int* d, uint e,"
                                        "                  uint f, ulong g, float h) {}",
                                        "", context));
      RT_CHECK(rtModuleGetKernel(&kernel, "named", built));
      return kernel;
    }();
    return made;
  }
  static rtGraphKernelParams_t parametersOf(const std::vector<rtGraphArg_t>& values) {
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    params.kernel = fromSource();
    params.group[0] = 32;
    params.args = values.data();
    params.arg_count = static_cast<uint32_t>(values.size());
    return params;
  }
  void launch() const {
    RT_CHECK(rtGraphLaunch(exec, stream));
    emptyOurs();
  }
  void bindBuffer() { RT_CHECK(rtGraphExecBindBuffer(buffer, memory[number++ % 2], exec)); }
  void bindValue() {
    ++number;
    RT_CHECK(rtGraphExecBindValue(value, &number, 4, exec));
  }
  void setEach() {
    ++number;
    const std::vector<rtGraphArg_t> values = arguments(false);
    const rtGraphKernelParams_t params = parametersOf(values);
    for (const rtGraphNode_t node : nodes) RT_CHECK(rtGraphExecSetKernelParams(node, &params, exec));
  }
  void setEachRaw() {
    ++rows;
    for (const cudaGraphNode_t node : raw_nodes) CUDA_CHECK(cudaGraphExecKernelNodeSetParams(raw_exec, node, &raw_parameters));
  }
};

void registerUpdates() {
  for (const int count : {1, 300}) {
    auto* const named = new Updates(count);
    auto* const set = new Updates(count);
    const auto add = [=](const char* what, Updates* on, void (Updates::*call)()) {
      registerComparison(Comparison("P4_" + std::string(what) + "_" + std::to_string(count))
                             .ours("manyrt", hot([on, call] { (on->*call)(); }))
                             .peer("cudaGraphExecKernelNodeSetParams", hot([named] { named->setEachRaw(); })));
    };
    add("bind_buffer", named, &Updates::bindBuffer);
    add("bind_value", named, &Updates::bindValue);
    add("set_kernel", set, &Updates::setEach);
  }
}

void registerCopies() {
  constexpr uint64_t kBytes = 512 << 20;
  static void *device, *raw_device, *pinned;
  static auto* pageable = static_cast<unsigned char*>(malloc(kBytes));
  RT_CHECK(rtMalloc(&device, kBytes, context));
  CUDA_CHECK(cudaMalloc(&raw_device, kBytes));
  CUDA_CHECK(cudaMallocHost(&pinned, kBytes));
  memset(pageable, 1, kBytes);
  memset(pinned, 1, kBytes);
  const auto once = [](auto call) -> Measure {
    return [=](int64_t) {
      const int64_t start = nanoseconds();
      call();
      return static_cast<double>(nanoseconds() - start);
    };
  };
  registerComparison(
      Comparison("P9_pageable_to_device")
          .bytes(kBytes)
          .repetitions(9)
          .settle(false)
          .ours("manyrt", once([] { RT_CHECK(rtMemcpy(device, pageable, kBytes, RT_MEMCPY_DEFAULT)); }))
          .peer("cudaMemcpy", once([] { CUDA_CHECK(cudaMemcpy(raw_device, pageable, kBytes, cudaMemcpyDefault)); }))
          .floor("pinned", once([] { CUDA_CHECK(cudaMemcpy(raw_device, pinned, kBytes, cudaMemcpyDefault)); })));
  registerComparison(
      Comparison("P9_device_to_pageable")
          .bytes(kBytes)
          .repetitions(9)
          .settle(false)
          .ours("manyrt", once([] { RT_CHECK(rtMemcpy(pageable, device, kBytes, RT_MEMCPY_DEFAULT)); }))
          .peer("cudaMemcpy", once([] { CUDA_CHECK(cudaMemcpy(pageable, raw_device, kBytes, cudaMemcpyDefault)); }))
          .floor("pinned", once([] { CUDA_CHECK(cudaMemcpy(pinned, raw_device, kBytes, cudaMemcpyDefault)); })));
  // cudaMemcpy to the device returns before the bytes are there; "complete" waits for them, as rtMemcpy does.
  for (const uint64_t bytes : {4 << 10, 64 << 10, 256 << 10, 1 << 20, 16 << 20}) {
    const std::string size = bytes < (1 << 20) ? std::to_string(bytes >> 10) + "KiB" : std::to_string(bytes >> 20) + "MiB";
    const int calls = bytes < (1 << 20) ? 50 : 5;
    const auto each = [calls](auto call) {
      return [calls, call](int64_t) {
        const int64_t start = nanoseconds();
        for (int i = 0; i < calls; ++i) call();
        return static_cast<double>(nanoseconds() - start) / calls;
      };
    };
    registerComparison(
        Comparison("P9_pageable_to_device_" + size)
            .bytes(bytes)
            .repetitions(21)
            .settle(false)
            .ours("manyrt", each([bytes] { RT_CHECK(rtMemcpy(device, pageable, bytes, RT_MEMCPY_DEFAULT)); }))
            .peer("cudaMemcpy", each([bytes] { CUDA_CHECK(cudaMemcpy(raw_device, pageable, bytes, cudaMemcpyDefault)); }))
            .peer("cudaMemcpy_complete", each([bytes] {
                    CUDA_CHECK(cudaMemcpy(raw_device, pageable, bytes, cudaMemcpyDefault));
                    CUDA_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
                  }))
            .floor("pinned", each([bytes] { CUDA_CHECK(cudaMemcpy(raw_device, pinned, bytes, cudaMemcpyDefault)); })));
    registerComparison(
        Comparison("P9_device_to_pageable_" + size)
            .bytes(bytes)
            .repetitions(21)
            .settle(false)
            .ours("manyrt", each([bytes] { RT_CHECK(rtMemcpy(pageable, device, bytes, RT_MEMCPY_DEFAULT)); }))
            .peer("cudaMemcpy", each([bytes] { CUDA_CHECK(cudaMemcpy(pageable, raw_device, bytes, cudaMemcpyDefault)); }))
            .floor("pinned", each([bytes] { CUDA_CHECK(cudaMemcpy(pinned, raw_device, bytes, cudaMemcpyDefault)); })));
  }
}

void registerPools() {
  cudaMemPool_t pool;
  uint64_t all = UINT64_MAX;
  CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
  PyTorchPool pytorch;
  std::string why;
  const bool has_pytorch = pytorch.find(&why);
  for (const bool beside : {false, true}) {
    const std::string end = beside ? "_1000_live" : "";
    Comparison one("P5_cuda_malloc_free_async" + end);
    one.settle(false).ours("manyrt", pairs(OurPool{context}, beside)).peer("cudaMallocAsync", pairs(DriverPool(), beside));
    if (has_pytorch) {
      one.peer("pytorch", pairs(pytorch, beside));
    } else {
      one.missing("pytorch", why);
    }
    registerComparison(one);
    for (const int threads : {8, 16}) {
      Comparison many("P6_cuda_malloc_free_async_" + std::to_string(threads) + "_threads" + end);
      many.settle(false).repetitions(5).ours("manyrt", pairsFrom(threads, OurPool{context}, beside));
      many.peer("cudaMallocAsync", pairsFrom(threads, DriverPool(), beside));
      if (has_pytorch) {
        many.peer("pytorch", pairsFrom(threads, pytorch, beside));
      } else {
        many.missing("pytorch", why);
      }
      registerComparison(many);
    }
  }
}

// Sizes that are mixed, as programs with many shapes have them.
void registerMixedSizes() {
  for (const MixedSizes& sizes : kMixedSizes) {
    for (const int threads : {8, 16}) {
      registerComparison(Comparison("P6_cuda_malloc_free_async_" + std::to_string(threads) + "_threads" + sizes.shortName())
                             .settle(false)
                             .repetitions(9)
                             .ours("manyrt", mixedFrom(threads, OurPool{context}, sizes))
                             .peer("cudaMallocAsync", mixedFrom(threads, DriverPool(), sizes)));
    }
  }
}

std::string read(const char* path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// From the cache, beside the driver's own loading of the same cubin.
void registerModules() {
  static const std::string source = read(BENCH_EXAMPLES "/digits/digits.cl");
  static int serial = 0;
  const auto build = [](const std::string& text) {
    rtModule_t built = nullptr;
    RT_CHECK(rtModuleCreateFromSource(&built, text.c_str(), "-DCLASSES=10", context));
    RT_CHECK(rtModuleDestroy(built));
  };
  Comparison cold("P16_cuda_cold");
  cold.repetitions(9).ours("manyrt", [=](int64_t) {
    const std::string text = source + "\n// " + std::to_string(++serial) + "\n";
    const int64_t start = nanoseconds();
    build(text);
    return static_cast<double>(nanoseconds() - start);
  });
  registerComparison(std::move(cold));

  // More sources than the process keeps images and modules of: each is read from the cache's file and loaded by the driver.
  constexpr int kSources = 80;
  static std::vector<std::string> sources;
  const auto next = [=] {
    static size_t turn = 0;
    if (sources.empty()) {
      for (int i = 0; i < kSources; ++i) build(sources.emplace_back(source + "\n// cached " + std::to_string(i) + "\n"));
    }
    build(sources[turn++ % kSources]);
  };
  Comparison cached("P16_cuda_cached");
  cached.ours("manyrt", single(next, next));
  // The driver's time for a cubin of the same kernels, found as the only file of a fresh cache.
  static std::string cubin = read((std::string(getenv("RT_BENCH_CUBIN") != nullptr ? getenv("RT_BENCH_CUBIN") : "")).c_str());
  if (!cubin.empty()) {
    cached.peer("cuModuleLoadData", single([] {},
                                           [] {
                                             CUmodule loaded;
                                             if (cuModuleLoadData(&loaded, cubin.data()) != CUDA_SUCCESS) exit(EXIT_FAILURE);
                                             (void)cuModuleUnload(loaded);
                                           }));
  } else {
    cached.missing("cuModuleLoadData", "RT_BENCH_CUBIN names no cubin of digits.cl");
  }
  registerComparison(std::move(cached));

  // One that the process has had before and that is not in use now: the loaded code is still there.
  Comparison again("P16_cuda_again");
  again.ours("manyrt", single([] {}, [=] { build(source); }));
  if (!cubin.empty()) {
    again.peer("cuModuleLoadData", single([] {},
                                          [] {
                                            CUmodule loaded;
                                            if (cuModuleLoadData(&loaded, cubin.data()) != CUDA_SUCCESS) exit(EXIT_FAILURE);
                                            (void)cuModuleUnload(loaded);
                                          }));
  }
  registerComparison(std::move(again));

  // The same until every kernel's code is loaded, which the driver puts off as the library does.
  static const char* const kNames[] = {"forward", "softmax_cross_entropy", "backward", "gradient", "update"};
  Comparison ready("P16_cuda_cached_to_launch");
  ready.ours("manyrt", single([] {},
                              [=] {
                                rtModule_t built = nullptr;
                                RT_CHECK(rtModuleCreateFromSource(&built, source.c_str(), "-DCLASSES=10", context));
                                for (const char* name : kNames) {
                                  rtKernel_t kernel;
                                  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
                                  RT_CHECK(rtModuleGetKernel(&kernel, name, built));
                                  RT_CHECK(rtKernelGetInfo(&info, kernel));
                                }
                                RT_CHECK(rtModuleDestroy(built));
                              }));
  if (!cubin.empty()) {
    ready.peer("cuModuleGetFunction",
               single([] {},
                      [] {
                        CUmodule loaded;
                        if (cuModuleLoadData(&loaded, cubin.data()) != CUDA_SUCCESS) exit(EXIT_FAILURE);
                        for (const char* name : kNames) {
                          CUfunction function;
                          if (cuModuleGetFunction(&function, loaded, name) != CUDA_SUCCESS &&
                              cuModuleGetFunction(&function, loaded, (std::string(name) + "_kernel").c_str()) != CUDA_SUCCESS) {
                            exit(EXIT_FAILURE);
                          }
                        }
                        (void)cuModuleUnload(loaded);
                      }));
  }
  registerComparison(std::move(ready));
}

}  // namespace

int main(int argc, char** argv) {
  char folder[] = "/tmp/manyrt-bench-XXXXXX";
  if (mkdtemp(folder) == nullptr) return EXIT_FAILURE;
  setenv("RT_CACHE_DIR", folder, 1);
  begin(&argc, argv);
  int32_t count = 0;
  RT_CHECK(rtDeviceGetCount(&count, RT_BACKEND_CUDA));
  if (count == 0) {
    printf("SKIP: there is no CUDA device\n");
    return 77;
  }
  prepare();
  rtDevice_t device;
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  RT_CHECK(rtDeviceGet(&device, RT_BACKEND_CUDA, 0));
  RT_CHECK(rtDeviceGetProperties(&properties, device));
  note("gpu", properties.name);
  note("gpu_driver", properties.driver_version);
  registerLaunches();
  registerEvents();
  registerRepeated();
  registerGraph();
  registerReplays();
  registerUpdates();
  registerCopies();
  registerPools();
  registerMixedSizes();
  registerTraces("P7_cuda_trace", "cuda:0", {{"cudaMallocAsync", replayInDriverPool}});
  registerModules();
  const int status = finish();
  if (system((std::string("rm -rf '") + folder + "'").c_str()) != 0) return EXIT_FAILURE;
  return status;
}
