// The fixture of tests that count which calls of CUDA an exec makes, and look whether native graphs go with their execs.
#pragma once

#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "backends/cuda/declarations.h"
#include "support/device_test.h"
#include "support/simulated_cuda.h"

namespace rttest {

inline constexpr const char* kFunctions[] = {
#define NAME(name, ...) "cuda" #name,
    RT_CUDA_RUNTIME_TABLE(NAME)
#undef NAME
#define NAME(name, ...) "cu" #name,
        RT_CUDA_DRIVER_TABLE(NAME)
#undef NAME
};

using Calls = std::map<std::string, int>;

class CudaGraphTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!simulatedCuda().here()) GTEST_SKIP() << "calls are counted by the simulated driver alone";
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    ASSERT_RT_OK(rtMalloc(memory_.out(), 65536, context_));
    ASSERT_RT_OK(rtMallocHost(host_.out(), 65536, context_));
    ASSERT_RT_OK(rtModuleCreateFromSource(module_.out(),
                                          "__kernel void put(__global uint* out, uint value, __local uint* scratch) {\n"
                                          "  scratch[get_local_id(0)] = value;\n"
                                          "  out[get_global_id(0)] = scratch[get_local_id(0)];\n"
                                          "}\n",
                                          nullptr, context_));
    ASSERT_RT_OK(rtModuleGetKernel(&kernel_, "put", module_));
    uint64_t native[2];
    ASSERT_RT_OK(rtContextGetNative(native, context_));
    ASSERT_EQ(driver<int(void*)>("cuCtxPushCurrent")(reinterpret_cast<void*>(native[0])), 0);  // as a program of CUDA's has it
  }
  void TearDown() override {
    EXPECT_RT_OK(exec_.reset());
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    if (simulatedCuda().here()) {
      void* popped = nullptr;
      EXPECT_EQ(driver<int(void**)>("cuCtxPopCurrent")(&popped), 0);
      EXPECT_EQ(simulatedCuda().live("graph"), 0);
      EXPECT_EQ(simulatedCuda().live("executable graph"), 0);
      EXPECT_EQ(simulatedCuda().violations(), 0);
    }
    EXPECT_RT_OK(graph_.reset());
    EXPECT_RT_OK(module_.reset());
    EXPECT_RT_OK(memory_.reset());
    EXPECT_RT_OK(host_.reset());
    DeviceTest::TearDown();
    awaitTeardown();
  }

  // A thread of the library takes the context down, and what it calls is no part of the next test.
  void awaitTeardown() {
    if (!simulatedCuda().here()) return;
    const auto live = [] {
      int count = 0;
      for (const char* kind : kNativeKinds) count += simulatedCuda().live(kind);
      return count;
    };
    for (int i = 0; i < 10'000 && live() != 0; ++i) {
      Context another;  // moves grace periods on
      ASSERT_RT_OK(rtContextCreate(another.out(), nullptr, device_));
      ASSERT_RT_OK(another.reset());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(live(), 0) << "native objects that outlive their context";
  }

  template <class Function>
  static Function* driver(const char* name) {
    void* found = nullptr;
    int outcome = 0;
    auto* find = cudaFunction<int(const char*, void**, unsigned, unsigned long long, int*)>("cudaGetDriverEntryPointByVersion");
    return find(name, &found, 12000, 0, &outcome) == 0 ? reinterpret_cast<Function*>(found) : nullptr;
  }
  // The driver's functions that `action` calls, but for looks at the thread's current context, which come with most
  // submissions.
  template <class Action>
  static Calls callsOf(Action action) {
    Calls before;
    for (const char* name : kFunctions) before[name] = simulatedCuda().count(name);
    action();
    Calls calls;
    for (const char* name : kFunctions) {
      const int count = simulatedCuda().count(name) - before[name];
      if (count != 0 && std::string(name) != "cuCtxGetCurrent") calls[name] = count;
    }
    return calls;
  }
  struct KernelParams {
    uint32_t value;
    size_t scratch = 64;
    rtGraphArg_t args[3];
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    KernelParams(rtKernel_t kernel, void* out, uint32_t its_value)
        : value(its_value),
          args{{RT_ARG_POINTER, RT_GRAPH_WRITE, 64, nullptr, {nullptr, 0, out}},
               {RT_ARG_VALUE, 0, 4, &value, {nullptr, 0, nullptr}},
               {RT_ARG_LOCAL, 0, 64, nullptr, {nullptr, 0, nullptr}}} {
      params.kernel = kernel;
      params.args = args;
      params.arg_count = 3;
      params.grid[0] = 1;
      params.group[0] = 16;
    }
  };
  rtGraphNode_t put(void* out, uint32_t value) {
    const KernelParams kernel(kernel_, out, value);
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddKernelNode(&node, &kernel.params, nullptr, RT_INFERRED, graph_));
    return node;
  }
  rtGraphNode_t copy(void* dst, void* src, uint64_t bytes) {
    rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
    params.dst.pointer = dst;
    params.src.pointer = src;
    params.size = bytes;
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddMemcpyNode(&node, &params, nullptr, RT_INFERRED, graph_));
    return node;
  }
  rtGraphNode_t fill(void* dst, const char* pattern, uint32_t pattern_size, uint64_t count) {
    rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
    params.dst.pointer = dst;
    params.pattern_size = pattern_size;
    memcpy(params.pattern, pattern, pattern_size);
    params.count = count;
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddFillNode(&node, &params, nullptr, RT_INFERRED, graph_));
    return node;
  }
  void instantiate() { ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_)); }
  Calls launchCalls() {
    return callsOf([this] { EXPECT_RT_OK(rtGraphLaunch(exec_, stream_)); });
  }
  // A context of the next device, which the tests make current while they use this one.
  void* contextOfOther(Context* other) {
    rtDevice_t device = nullptr;
    uint64_t native[2] = {0, 0};
    EXPECT_RT_OK(rtDeviceGetByName(&device, "cuda:1"));
    EXPECT_RT_OK(rtContextCreate(other->out(), nullptr, device));
    EXPECT_RT_OK(rtContextGetNative(native, *other));
    return reinterpret_cast<void*>(native[0]);
  }
  // Whatever the action does, with another context current.
  template <class Action>
  void under(void* context, Action action) {
    ASSERT_EQ(driver<int(void*)>("cuCtxPushCurrent")(context), 0);
    action();
    void* popped = nullptr;
    ASSERT_EQ(driver<int(void**)>("cuCtxPopCurrent")(&popped), 0);
    EXPECT_EQ(popped, context) << "the library left another context current";
  }
  uint32_t word(size_t offset) {
    uint32_t value = 0;
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_RT_OK(rtMemcpy(&value, memory_.as<char>(offset), 4, RT_MEMCPY_DEFAULT));
    return value;
  }

  Graph graph_;
  GraphExec exec_;
  Memory memory_, host_;
  Module module_;
  rtKernel_t kernel_ = nullptr;
};

}  // namespace rttest
