// Fault scenarios of making and asking: contexts, streams, events, fences, pools, kernels, getters, user data, resets.
#include <atomic>
#include <thread>

#include "base/fault.h"
#include "base/handles/epoch.h"
#include "driver.h"
#include "manager/graph.h"

namespace rttest {
namespace {

using ObjectFaults = FaultTest;
INSTANTIATE_TEST_SUITE_P(, ObjectFaults, testing::ValuesIn(faultDevices()), testName);

using HostKernelFaults = FaultTest;
INSTANTIATE_TEST_SUITE_P(, HostKernelFaults, testing::ValuesIn(hostKernelDevices()), testName);

void nothing(void*) {}

TEST_P(ObjectFaults, ContextCreate) {
  exhaust({"context create", [](World& w) {
             Context made;
             TRY(rtContextCreate(made.out(), nullptr, w.device));
             rtStream_t stream = nullptr;  // the native context is started by its first use
             TRY(rtContextGetDefaultStream(&stream, made));
             return made.reset();
           }});
}

TEST_P(ObjectFaults, PeerAccess) {
  const bool peers = GetParam() == "null:3" || GetParam() == "cuda:1";
  exhaust({"peer access",
           [](World& w) {
             int32_t can = 0;
             TRY(rtDeviceCanAccessPeer(&can, w.other_device, w.device));
             if (can == 0) return rtStatus_t{RT_SUCCESS};
             Context made;
             Context peer;
             TRY(rtContextCreate(made.out(), nullptr, w.device));
             TRY(rtContextCreate(peer.out(), nullptr, w.other_device));
             TRY(rtContextEnablePeerAccess(peer, made));
             TRY(peer.reset());
             return made.reset();
           },
           peers ? 3 : 0, "the two devices are no peers"});
}

TEST_P(ObjectFaults, ContextCreateWithoutUse) {
  exhaust({"context create, never used", [](World& w) {
             Context made;
             TRY(rtContextCreate(made.out(), nullptr, w.device));
             return made.reset();
           }});
}

TEST_P(ObjectFaults, PrimaryContextAfterReset) {
  exhaust({"primary context", [](World& w) {
             rtContext_t primary = nullptr;
             rtStream_t stream = nullptr;
             Memory memory;
             TRY(rtContextGetPrimary(&primary, w.device));
             TRY(rtContextGetDefaultStream(&stream, primary));
             TRY(rtMalloc(memory.out(), 1000, primary));
             TRY(memory.reset());
             TRY(rtStreamSynchronize(stream));
             return rtContextReset(primary);
           }});
}

TEST_P(ObjectFaults, ContextWithChildrenDestroyed) {
  exhaust({"context with children destroyed", [](World& w) {
             Context made;
             TRY(rtContextCreate(made.out(), nullptr, w.device));
             rtStream_t stream = nullptr;
             rtEvent_t event = nullptr;
             rtFence_t fence = nullptr;
             rtMemPool_t pool = nullptr;
             Memory memory;
             TRY(rtStreamCreate(&stream, nullptr, made));
             TRY(rtEventCreate(&event, nullptr, made));
             TRY(rtFenceCreate(&fence, 0, made));
             TRY(rtMemPoolCreate(&pool, nullptr, made));
             TRY(rtMallocFromPool(memory.out(), 5000, 0, stream, pool));
             TRY(rtMemsetAsync(memory, 1, 5000, stream));
             TRY(made.reset());
             return memory.reset();
           }});
}

TEST_P(ObjectFaults, ContextReset) {
  exhaust({"context reset", [](World& w) {
             Context made;
             Memory memory;
             TRY(rtContextCreate(made.out(), nullptr, w.device));
             TRY(rtMalloc(memory.out(), 100, made));
             TRY(memory.reset());
             TRY(rtContextReset(made));
             TRY(rtMalloc(memory.out(), 100, made));
             TRY(memory.reset());
             return made.reset();
           }});
}

TEST_P(ObjectFaults, SetUserData) {
  exhaust({"set user data",
           [](World& w) {
             TRY(rtContextSetUserData(&w, nothing, w.context));
             return rtContextSetUserData(nullptr, nullptr, w.context);
           },
           0, "the slot is part of the context"});
}

TEST_P(ObjectFaults, StreamsCreate) {
  // More than any recycled ones, so that native streams are made.
  exhaust({"streams create", [](World& w) {
             Stream made[8];
             for (Stream& stream : made) TRY(rtStreamCreate(stream.out(), nullptr, w.second));
             for (Stream& stream : made) TRY(stream.reset());
             return rtStatus_t{RT_SUCCESS};
           }});
}

TEST_P(ObjectFaults, StreamsOfANewContext) {
  exhaust({"streams of a new context", [](World& w) {
             Context made;
             TRY(rtContextCreate(made.out(), nullptr, w.device));
             for (int i = 0; i < 4; ++i) {
               Stream stream;
               TRY(rtStreamCreate(stream.out(), nullptr, made));
             }
             return made.reset();
           }});
}

TEST_P(ObjectFaults, EventsCreateAndRecord) {
  exhaust({"events create and record", [](World& w) {
             for (int i = 0; i < 4; ++i) {
               Event event;
               TRY(rtEventCreate(event.out(), nullptr, w.context));
               TRY(rtEventRecord(event, w.stream));
             }
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(ObjectFaults, ManyEvents) {
  exhaust({"two hundred events", [](World& w) {
             static Event events[200];  // more slots than any test has needed before: slabs are made once
             rtStatus_t first = RT_SUCCESS;
             for (Event& event : events) {
               const rtStatus_t status = rtEventCreate(event.out(), nullptr, w.context);
               if (first == RT_SUCCESS) first = status;
             }
             for (Event& event : events) TRY(event.reset());
             return first;
           }});
}

TEST_P(ObjectFaults, FenceCreate) {
  exhaust({"fence create, wait and signal", [](World& w) {
             Fence fence;
             TRY(rtFenceCreate(fence.out(), 0, w.context));
             // Signalled in any case: a fence that is destroyed with waiters would fail them.
             const rtStatus_t first = rtStreamWaitFence(fence, 1, w.busy);
             const rtStatus_t second = rtStreamWaitFence(fence, 1, w.stream);
             TRY(rtFenceSignal(1, fence));
             TRY(first);
             TRY(second);
             TRY(rtStreamSynchronize(w.busy));
             return rtStreamSynchronize(w.stream);
           }});
}

TEST_P(ObjectFaults, FenceWaitOnTheHost) {
  exhaust({"fence wait on the host", [](World& w) {
             Fence fence;
             TRY(rtFenceCreate(fence.out(), 0, w.context));
             const rtStatus_t status = rtFenceWaitFor(1000, 1, fence);
             if (status != RT_ERROR_TIMEOUT) return status;
             return fence.reset();
           }});
}

TEST_P(ObjectFaults, PoolCreate) {
  exhaust({"pool create", [](World& w) {
             rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
             options.initial_bytes = 1 << 20;
             Pool pool;
             TRY(rtMemPoolCreate(pool.out(), &options, w.context));
             return pool.reset();
           }});
}

TEST_P(ObjectFaults, PoolStatisticsAndJson) {
  exhaust({"pool statistics and JSON", [](World& w) {
             rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
             char text[512];
             Memory memory;
             TRY(rtMallocFromPool(memory.out(), 1000, 0, w.stream, w.pool));
             TRY(rtMemPoolGetStats(&stats, w.pool));
             TRY(rtMemPoolDumpJson(text, sizeof text, nullptr, w.pool));
             return memory.reset();
           }});
}

TEST_P(HostKernelFaults, KernelCreate) {
  exhaust({"kernel create", [](World& w) {
             Kernel kernel;
             TRY(makeKernel(&kernel, w.context, emptyKernel, {kPointerArg, kUintArg, kLocalArg}, "made"));
             return kernel.reset();
           }});
}

TEST_P(ObjectFaults, KernelGetters) {
  exhaust({"kernel getters",
           [](World& w) {
             rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
             rtKernelArgInfo_t arg = RT_KERNEL_ARG_INFO_INIT;
             char name[32];
             uint32_t groups = 0;
             TRY(rtKernelGetInfo(&info, w.kernel));
             TRY(rtKernelGetArgInfo(&arg, 1, w.kernel));
             TRY(rtKernelGetMaxActiveGroups(&groups, 1, 0, w.kernel));
             return rtKernelGetName(name, sizeof name, nullptr, w.kernel);
           },
           0, "they copy what the kernel has"});
}

TEST_P(ObjectFaults, DeviceGetters) {
  exhaust({"device getters", [](World& w) {
             rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
             rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
             uint64_t free_bytes = 0;
             TRY(rtDeviceGetProperties(&properties, w.device));
             TRY(rtBackendGetInfo(&info, properties.backend));
             TRY(rtDeviceGetMemInfo(&free_bytes, nullptr, w.device));
             return rtMemGetInfo(&free_bytes, nullptr, w.context);
           }});
}

TEST_P(ObjectFaults, Imports) {
  exhaust({"imports",
           [](World& w) {
             int32_t can = 0;
             uint64_t native[2] = {0, 0};
             TRY(rtDeviceHasCapability(&can, RT_CAPABILITY_NATIVE_INTEROP, w.device));
             if (can == 0) return static_cast<rtStatus_t>(RT_SUCCESS);
             Context context;
             Stream stream;
             Memory memory;
             TRY(rtContextGetNative(native, w.context));
             TRY(rtContextImport(context.out(), native, w.device));
             TRY(rtStreamGetNative(native, w.stream));
             TRY(rtStreamImport(stream.out(), native, w.context));
             if (w.imports_pageable) {
               native[0] = reinterpret_cast<uintptr_t>(w.pageable);
               native[1] = 0;
               TRY(rtMemImport(memory.out(), native, 4096, w.context));
               TRY(memory.reset());
             }
             TRY(stream.reset());
             return context.reset();
           },
           0, "the null device imports nothing"});
}

TEST_P(ObjectFaults, GraphWithNodes) {
  exhaust({"graph with nodes", [](World& w) {
             Graph graph, clone;
             rtGraphBuffer_t buffer = nullptr;
             rtGraphNode_t first = nullptr, second = nullptr, third = nullptr;
             rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
             fill.pattern_size = 1;
             fill.count = 64;
             fill.dst.pointer = w.memory.get();
             rtGraphHostParams_t host = RT_GRAPH_HOST_PARAMS_INIT;
             host.function = [](void*, rtStatus_t) {};
             TRY(rtGraphCreate(graph.out()));
             TRY(rtGraphAddBuffer(&buffer, 64, RT_GRAPH_BUFFER_INPUT, "a name that is longer than a short string", graph));
             TRY(rtGraphAddFillNode(&first, &fill, nullptr, 0, graph));
             fill.dst = {buffer, 0, nullptr};
             TRY(rtGraphAddFillNode(&second, &fill, nullptr, RT_INFERRED, graph));
             TRY(rtGraphAddHostNode(&third, &host, nullptr, RT_INFERRED, graph));
             TRY(rtGraphAddDependencies(&first, &second, 1, graph));
             TRY(rtGraphMakeBuffer(&buffer, w.memory, 64, RT_GRAPH_BUFFER_OUTPUT, "made", graph));
             TRY(rtGraphClone(clone.out(), graph));
             char text[64];
             TRY(rtGraphExportDot(text, sizeof text, nullptr, clone));
             TRY(graph.reset());
             return clone.reset();
           }});
}

TEST_P(ObjectFaults, Capture) {
  exhaust({"capture", [](World& w) {
             Graph graph;
             void* memory = nullptr;
             TRY(rtStreamBeginCapture(w.stream));
             // Ended in any case, as a program would.
             const rtStatus_t status = [&] {
               TRY(rtMemsetAsync(w.memory, 1, 64, w.stream));
               TRY(launchOver(w.kernel, w.stream, 8, 4, w.memory.as<void>(), uint32_t{1}));
               TRY(rtMallocAsync(&memory, 1000, w.stream));
               TRY(rtFreeAsync(memory, w.stream));
               TRY(rtStreamWaitStream(w.stream, w.busy));
               return rtStreamWaitStream(w.busy, w.stream);
             }();
             const rtStatus_t ended = rtStreamEndCapture(graph.out(), w.stream);
             TRY(status);
             TRY(ended);
             return graph.reset();
           }});
}

// Recorded where the driver can, called by each launch elsewhere; and memory of less than the buffer's size.
TEST_P(ObjectFaults, NativeCallsAndSmallerBuffersOfAnExec) {
  exhaust({"native calls and smaller buffers", [](World& w) {
             Graph graph;
             GraphExec exec;
             rtGraphBuffer_t buffer = nullptr;
             rtGraphNode_t first = nullptr, native = nullptr, last = nullptr;
             rtGraphNativeParams_t call = RT_GRAPH_NATIVE_PARAMS_INIT;
             call.function = [](const uint64_t*, void*) -> rtStatus_t { return RT_SUCCESS; };
             rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
             fill.pattern_size = 1;
             fill.count = 64;
             TRY(rtGraphCreate(graph.out()));
             TRY(rtGraphAddBuffer(&buffer, 64, RT_GRAPH_BUFFER_OUTPUT, "output", graph));
             fill.dst = {buffer, 0, nullptr};
             TRY(rtGraphAddFillNode(&first, &fill, nullptr, 0, graph));
             TRY(rtGraphAddNativeNode(&native, &call, &first, 1, graph));
             TRY(rtGraphAddFillNode(&last, &fill, &native, 1, graph));
             TRY(rtGraphInstantiate(exec.out(), graph, w.context));
             TRY(rtGraphExecBindBuffer(buffer, w.memory, exec));
             TRY(rtGraphLaunch(exec, w.stream));
             TRY(rtGraphExecBindBufferRange(buffer, w.target, 16, exec));
             // A fault may come first where the launch before is still running.
             const rtStatus_t refused = rtGraphLaunch(exec, w.stream);
             if (refused >= 0) ADD_FAILURE() << "the fills use more than is bound";
             if (refused != RT_ERROR_INVALID_VALUE) return refused;
             fill.count = 16;
             TRY(rtGraphExecSetFillParams(first, &fill, exec));
             TRY(rtGraphExecSetFillParams(last, &fill, exec));
             TRY(rtGraphLaunch(exec, w.stream));
             TRY(rtGraphExecBindBuffer(buffer, w.memory, exec));
             TRY(rtGraphExecUpdate(graph, exec));
             TRY(rtGraphLaunch(exec, w.stream));
             TRY(rtStreamSynchronize(w.stream));
             TRY(exec.reset());
             return graph.reset();
           }});
}

TEST_P(ObjectFaults, ExecAndLaunch) {
  exhaust({"exec and launch", [](World& w) {
             Graph graph;
             GraphExec exec;
             CapturePlan plan;
             rtGraphBuffer_t buffer = nullptr, temporary = nullptr;
             rtGraphNode_t first = nullptr, node = nullptr;
             rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
             fill.pattern_size = 1;
             fill.count = 64;
             TRY(rtGraphCreate(graph.out()));
             TRY(rtGraphAddBuffer(&buffer, 256, RT_GRAPH_BUFFER_OUTPUT, "output", graph));
             TRY(rtGraphAddBuffer(&temporary, 64, RT_GRAPH_BUFFER_TEMPORARY, "temporary", graph));
             fill.dst = {temporary, 0, nullptr};
             TRY(rtGraphAddFillNode(&first, &fill, nullptr, 0, graph));
             for (uint64_t i = 0; i < 3; ++i) {  // beside one another
               fill.dst = {buffer, 64 * i, nullptr};
               TRY(rtGraphAddFillNode(&node, &fill, &first, 1, graph));
             }
             // An exec that could not be bound has what it had, and can be bound again.
             const auto bind = [&](void* memory) {
               const rtStatus_t status = rtGraphExecBindBuffer(buffer, memory, exec);
               for (int i = 0; i < 2 && status < 0; ++i) {
                 (void)rtGraphLaunch(exec, w.stream);
                 (void)rtGraphExecBindBuffer(buffer, memory, exec);
               }
               return status;
             };
             TRY(rtCapturePlanCreate(plan.out(), nullptr, graph, w.context));
             TRY(rtGraphExecCreate(exec.out(), plan));
             TRY(bind(w.memory));
             TRY(rtGraphLaunch(exec, w.stream));
             TRY(bind(w.target));
             TRY(rtGraphExecSetFillParams(node, &fill, exec));
             TRY(rtGraphLaunch(exec, w.stream));
             TRY(rtGraphExecUpdate(graph, exec));
             TRY(rtStreamSynchronize(w.stream));
             TRY(exec.reset());
             TRY(plan.reset());
             return graph.reset();
           }});
}

// A thread of the library may be the one that destroys an exec, while there is no memory, not even for its epoch record.
TEST_P(ObjectFaults, AnExecIsDestroyedByAThreadWithoutMemory) {
  Graph graph;
  GraphExec exec;
  rtGraphBuffer_t buffer = nullptr;
  rtGraphFillParams_t fill = RT_GRAPH_FILL_PARAMS_INIT;
  fill.pattern_size = 1;
  fill.count = 64;
  ASSERT_RT_OK(rtGraphCreate(graph.out()));
  ASSERT_RT_OK(rtGraphAddBuffer(&buffer, 256, RT_GRAPH_BUFFER_OUTPUT, "output", graph));
  for (uint64_t i = 0; i < 3; ++i) {  // beside one another, so that the exec has streams of its own
    rtGraphNode_t node = nullptr;
    fill.dst = {buffer, 64 * i, nullptr};
    ASSERT_RT_OK(rtGraphAddFillNode(&node, &fill, nullptr, 0, graph));
  }
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), graph, world().context));
  ASSERT_RT_OK(rtGraphExecBindBuffer(buffer, world().memory, exec));
  ASSERT_RT_OK(rtGraphLaunch(exec, world().stream));
  ASSERT_RT_OK(rtStreamSynchronize(world().stream));
  manyrt::Ref<manyrt::RefCounted> content;
  {
    manyrt::epoch::Guard guard;
    content = manyrt::manager::graph_execs.find(reinterpret_cast<uintptr_t>(exec.get()))->content;
  }
  ASSERT_RT_OK(exec.reset());
  manyrt::epoch::drain();
  ASSERT_EQ(content->references(), 1u);

  constexpr int kHolders = 64;  // more than there are records that threads have left
  std::atomic<int> holding{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> holders;
  for (int i = 0; i < kHolders; ++i) {
    holders.emplace_back([&] {
      (void)liveHandles();
      ++holding;
      while (!over) std::this_thread::yield();
    });
  }
  std::thread([&] {
    while (holding < kHolders) std::this_thread::yield();
    manyrt::fault::arm(1, true);
    content = nullptr;
    manyrt::fault::disarm();
  }).join();
  over = true;
  for (std::thread& holder : holders) holder.join();
}

// Named values and buffers of kernels: bound before the first launch, after launches in flight, in a child graph, in a
// capture.
TEST_P(ObjectFaults, ValuesOfAGraph) {
  exhaust({"values of a graph", [](World& w) {
             Graph graph, outer, captured;
             GraphExec exec;
             Gate gate(w.context);
             rtGraphBuffer_t buffer = nullptr;
             rtGraphValue_t value = nullptr, wide = nullptr, start = nullptr, found[2] = {};
             rtGraphNode_t node = nullptr;
             uint32_t number = 3, count = 0;
             rtGraphValueInfo_t info = RT_GRAPH_VALUE_INFO_INIT;
             TRY(rtGraphCreate(graph.out()));
             TRY(rtGraphAddBuffer(&buffer, 256, RT_GRAPH_BUFFER_OUTPUT, "output", graph));
             TRY(rtGraphAddValue(&value, 4, nullptr, "a name longer than a short string", graph));
             TRY(rtGraphAddValue(&wide, 4, &number, nullptr, graph));
             rtGraphArg_t args[] = {{RT_ARG_POINTER, RT_GRAPH_READ | RT_GRAPH_WRITE, 256, nullptr, {buffer, 0, nullptr}},
                                    {RT_ARG_GRAPH_VALUE, 0, 0, value, {nullptr, 0, nullptr}}};
             rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
             params.kernel = w.kernel;
             params.args = args;
             params.arg_count = 2;
             for (int i = 0; i < 4; ++i) {
               args[1].value = i == 0 ? wide : value;
               TRY(rtGraphAddKernelNode(&node, &params, nullptr, RT_INFERRED, graph));
             }
             TRY(rtGraphGetValues(found, 2, &count, graph));
             TRY(rtGraphValueGetInfo(&info, found[0]));
             TRY(rtGraphCreate(outer.out()));
             TRY(rtGraphAddValue(&start, 4, nullptr, "start", outer));
             const rtGraphBinding_t memory = {buffer, {nullptr, 0, w.memory}};
             const rtGraphValueBinding_t values[] = {{value, start, nullptr, 0}, {wide, nullptr, &number, 4}};
             rtGraphChildParams_t child = RT_GRAPH_CHILD_PARAMS_INIT;
             child.graph = graph;
             child.bindings = &memory;
             child.binding_count = 1;
             child.value_bindings = values;
             child.value_binding_count = 2;
             TRY(rtGraphAddChildGraphNode(&node, &child, nullptr, RT_INFERRED, outer));
             TRY(rtGraphInstantiate(exec.out(), outer, w.context));
             TRY(rtGraphExecBindValue(start, &number, 4, exec));
             TRY(rtGraphLaunch(exec, w.stream));
             TRY(rtStreamSynchronize(w.stream));
             TRY(exec.reset());
             TRY(rtGraphInstantiate(exec.out(), graph, w.context));
             TRY(rtGraphExecBindBuffer(buffer, w.memory, exec));
             TRY(rtGraphExecBindValue(value, &number, 4, exec));
             TRY(gate.close(w.stream));
             for (number = 4; number < 7; ++number) {
               TRY(rtGraphLaunch(exec, w.stream));
               TRY(rtGraphExecBindValue(value, &number, 4, exec));
               TRY(rtGraphExecBindBuffer(buffer, number % 2 == 0 ? w.target : w.memory, exec));
             }
             TRY(gate.open());
             TRY(rtStreamSynchronize(w.stream));
             TRY(rtStreamBeginCapture(w.busy));
             const rtStatus_t launched = rtGraphLaunch(exec, w.busy);
             const rtStatus_t ended = rtStreamEndCapture(captured.out(), w.busy);
             TRY(launched);
             TRY(ended);
             TRY(exec.reset());
             TRY(captured.reset());
             TRY(outer.reset());
             return graph.reset();
           }});
}

// Kernels in the backend's own form of a graph: launched on two streams, changed, held back, and changed after that.
TEST_P(ObjectFaults, ExecOfKernels) {
  exhaust({"exec of kernels", [](World& w) {
             Graph graph;
             GraphExec exec;
             Gate gate(w.context);
             rtGraphBuffer_t buffer = nullptr;
             rtGraphNode_t node = nullptr;
             uint32_t value = 3;
             Stream third;
             TRY(rtStreamCreate(third.out(), nullptr, w.context));
             TRY(rtGraphCreate(graph.out()));
             TRY(rtGraphAddBuffer(&buffer, 256, RT_GRAPH_BUFFER_OUTPUT, "output", graph));
             rtGraphArg_t args[] = {{RT_ARG_POINTER, RT_GRAPH_READ | RT_GRAPH_WRITE, 256, nullptr, {buffer, 0, nullptr}},
                                    {RT_ARG_VALUE, 0, 4, &value, {nullptr, 0, nullptr}}};
             rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
             params.kernel = w.kernel;
             params.args = args;
             params.arg_count = 2;
             for (int i = 0; i < 3; ++i) params.grid[i] = params.group[i] = 1;
             for (int i = 0; i < 4; ++i) TRY(rtGraphAddKernelNode(&node, &params, nullptr, RT_INFERRED, graph));
             TRY(rtGraphInstantiate(exec.out(), graph, w.context));
             TRY(rtGraphExecBindBuffer(buffer, w.memory, exec));
             TRY(rtGraphLaunch(exec, w.stream));
             TRY(rtGraphExecBindBuffer(buffer, w.target, exec));
             TRY(rtGraphLaunch(exec, w.busy));
             value = 4;
             TRY(rtGraphExecSetKernelParams(node, &params, exec));
             TRY(gate.close(w.stream));
             TRY(rtGraphLaunch(exec, w.stream));
             value = 5;
             TRY(rtGraphExecSetKernelParams(node, &params, exec));
             const rtStatus_t launched = rtGraphLaunch(exec, w.busy);
             // A launch that failed takes nothing away from the order after the one before it, which is held back.
             if (launched < 0 && rtGraphLaunch(exec, third) == RT_SUCCESS &&
                 rtStreamSynchronizeFor(5'000'000, third) == RT_SUCCESS) {
               ADD_FAILURE() << "a launch overtook the one that is held back";
             }
             TRY(launched);
             TRY(gate.open());
             TRY(rtStreamSynchronize(w.stream));
             TRY(rtStreamSynchronize(w.busy));
             args[0].access = RT_GRAPH_WRITE;  // another node, which takes memory
             TRY(rtGraphExecSetKernelParams(node, &params, exec));
             TRY(rtGraphLaunch(exec, w.stream));
             TRY(rtStreamSynchronize(w.stream));
             TRY(third.reset());
             TRY(exec.reset());
             return graph.reset();
           }});
}

TEST_P(ObjectFaults, GraphFile) {
  exhaust(
      {"graph file", [](World& w) {
         static constexpr char kFile[] =
             "{\"format\": \"manyrt-graph\", \"version\": 1, \"modules\": [{\"source\": \"kernel void a(global int* x) {}\"}],"
             "\"buffers\": [{\"name\": \"a name longer than a short string\", \"role\": \"output\", \"bytes\": 64,"
             "\"type\": \"i32\", \"shape\": [4, 4]}], \"nodes\": ["
             "{\"kind\": \"fill\", \"destination\": {\"buffer\": 0}, \"pattern\": \"00\", \"count\": 64, \"after\": [1]},"
             "{\"kind\": \"graph\", \"graph\": {\"buffers\": [{\"role\": \"output\", \"bytes\": 8}], \"nodes\": ["
             "{\"kind\": \"fill\", \"destination\": {\"buffer\": 0}, \"pattern\": \"01\", \"count\": 8}]},"
             "\"bindings\": [{\"child\": 0, \"buffer\": 0, \"offset\": 32}]}]}";
         Graph graph;
         GraphExec exec;
         rtGraphBuffer_t buffer = nullptr;
         uint32_t count = 0;
         rtGraphBufferInfo_t info = RT_GRAPH_BUFFER_INFO_INIT;
         char text[2048];
         size_t needed = 0;
         TRY(rtGraphLoad(graph.out(), kFile, sizeof kFile - 1));
         TRY(rtGraphGetBuffers(&buffer, 1, &count, graph));
         TRY(rtGraphBufferGetInfo(&info, buffer));
         TRY(rtGraphSave(text, sizeof text, &needed, graph));
         TRY(rtGraphInstantiate(exec.out(), graph, w.context));
         TRY(rtGraphExecBindBuffer(buffer, w.memory, exec));
         TRY(rtGraphLaunch(exec, w.stream));
         TRY(rtStreamSynchronize(w.stream));
         TRY(exec.reset());
         static constexpr char kValues[] =
             "{\"format\": \"manyrt-graph\", \"version\": 1, \"values\": ["
             "{\"name\": \"a name longer than a short string\", \"bytes\": 4, \"value\": \"01000000\"}], \"nodes\": ["
             "{\"kind\": \"graph\", \"graph\": {\"values\": [{\"bytes\": 4}, {\"bytes\": 4}], \"nodes\": ["
             "{\"kind\": \"kernel\", \"kernel\": \"k\", \"grid\": [1, 1, 1], \"group\": [1, 1, 1], \"arguments\": ["
             "{\"named\": 1}, {\"named\": 0}]}]},"
             "\"values\": [{\"child\": 0, \"named\": 0}, {\"child\": 1, \"value\": \"02000000\"}]}]}";
         TRY(graph.reset());
         TRY(rtGraphLoad(graph.out(), kValues, sizeof kValues - 1));
         TRY(rtGraphSave(text, sizeof text, &needed, graph));
         return graph.reset();
       }});
}

TEST_P(ObjectFaults, InitAndShutdownReference) {
  exhaust({"init", [](World&) { return rtInit(); }, 0, "started long ago: only a count"});
}

}  // namespace
}  // namespace rttest
