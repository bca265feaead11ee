// Shared by tests of plans and execs: a graph, an exec, memory, nodes in few words, and random graphs with a model of them.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/device_test.h"

namespace rttest {

class ExecTest : public DeviceTest {
 protected:
  static constexpr size_t kSize = 4096;
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    ASSERT_RT_OK(rtMalloc(memory_.out(), kSize, context_));
    ASSERT_RT_OK(rtMemset(memory_, 0xEE, kSize));
  }
  void TearDown() override {
    EXPECT_RT_OK(exec_.reset());
    EXPECT_RT_OK(graph_.reset());
    EXPECT_RT_OK(memory_.reset());
    DeviceTest::TearDown();
  }
  static rtGraphOperand_t at(void* pointer) { return {nullptr, 0, pointer}; }
  static rtGraphOperand_t at(rtGraphBuffer_t buffer, uint64_t offset = 0) { return {buffer, offset, nullptr}; }
  rtGraphBuffer_t buffer(uint64_t size, int32_t role, const char* name) {
    rtGraphBuffer_t made = nullptr;
    EXPECT_RT_OK(rtGraphAddBuffer(&made, size, role, name, graph_));
    return made;
  }
  static rtGraphFillParams_t fillParams(const rtGraphOperand_t& dst, unsigned char value, uint64_t bytes) {
    rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
    params.pattern_size = 1;
    params.pattern[0] = value;
    params.dst = dst;
    params.count = bytes;
    return params;
  }
  rtGraphNode_t fill(const rtGraphOperand_t& dst, unsigned char value, uint64_t bytes) {
    const rtGraphFillParams_t params = fillParams(dst, value, bytes);
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddFillNode(&node, &params, nullptr, RT_INFERRED, graph_));
    return node;
  }
  rtGraphNode_t copy(const rtGraphOperand_t& dst, const rtGraphOperand_t& src, uint64_t bytes) {
    rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
    params.dst = dst;
    params.src = src;
    params.size = bytes;
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddMemcpyNode(&node, &params, nullptr, RT_INFERRED, graph_));
    return node;
  }
  rtGraphNode_t host(rtHostFunction_t function, void* user) {
    rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
    params.function = function;
    params.user = user;
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddHostNode(&node, &params, nullptr, RT_INFERRED, graph_));
    return node;
  }
  // `child` has one buffer that is bound.
  void addChild(rtGraph_t child, rtGraphBuffer_t buffer, const rtGraphOperand_t& memory) {
    const rtGraphBinding_t binding = {buffer, memory};
    rtGraphChildParams_t params = RT_GRAPH_CHILD_PARAMS_INIT;
    params.graph = child;
    params.bindings = &binding;
    params.binding_count = 1;
    rtGraphNode_t added = nullptr;
    ASSERT_RT_OK(rtGraphAddChildGraphNode(&added, &params, nullptr, RT_INFERRED, graph_));
  }
  void instantiate() { ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), graph_, context_)); }
  void launch() {
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
  }
  rtCapturePlanInfo_t planInfo() {
    CapturePlan plan;
    rtCapturePlanInfo_t info = RT_CAPTURE_PLAN_INFO_INIT;
    EXPECT_RT_OK(rtCapturePlanCreate(plan.out(), nullptr, graph_, context_));
    EXPECT_RT_OK(rtCapturePlanGetInfo(&info, plan));
    return info;
  }
  std::vector<unsigned char> contents(const void* pointer, size_t size) {
    std::vector<unsigned char> bytes(size);
    EXPECT_RT_OK(rtMemcpy(bytes.data(), pointer, size, RT_MEMCPY_DEFAULT));
    return bytes;
  }
  bool runsGraphs() const { return GetParam().rfind("null", 0) != 0; }
  unsigned char firstByte() { return contents(memory_, 1)[0]; }
  static bool says(const std::string& words) { return lastMessage().find(words) != std::string::npos; }

  // A random graph of fills and copies over device memory, host memory and temporaries, and what it does one after another.
  struct Model {
    std::vector<std::vector<unsigned char>> bytes;  // of each buffer
    std::vector<rtGraphBuffer_t> buffers;
    struct Step {
      bool copies;
      size_t dst, src, dst_offset, src_offset, count;
      unsigned char value;
    };
    std::vector<Step> steps;
    void run() {
      for (const Step& step : steps) {
        unsigned char* to = bytes[step.dst].data() + step.dst_offset;
        if (step.copies) {
          std::copy_n(bytes[step.src].data() + step.src_offset, step.count, to);
        } else {
          std::fill_n(to, step.count, step.value);
        }
      }
    }
  };
  Model randomGraph(uint32_t seed, size_t nodes) {
    std::mt19937 random(seed);
    Model model;
    for (size_t i = 0; i < 8; ++i) {
      const int32_t role = i < 2 ? RT_GRAPH_BUFFER_INPUT : i < 4 ? RT_GRAPH_BUFFER_OUTPUT : RT_GRAPH_BUFFER_TEMPORARY;
      const size_t size = 512 + random() % 512;
      model.bytes.emplace_back(size);
      for (unsigned char& byte : model.bytes.back()) byte = static_cast<unsigned char>(random());
      model.buffers.push_back(buffer(size, role, "random"));
      if (role == RT_GRAPH_BUFFER_TEMPORARY) {  // nothing is known of it before
        model.steps.push_back({false, i, 0, 0, 0, size, static_cast<unsigned char>(i)});
        (void)fill(at(model.buffers[i]), static_cast<unsigned char>(i), size);
      }
    }
    while (model.steps.size() < nodes) {
      Model::Step step{};
      step.copies = random() % 3 != 0;
      step.dst = 2 + random() % 6;
      do {
        step.src = random() % 8;
      } while (step.src == step.dst);
      step.count = 1 + random() % 128;
      step.dst_offset = random() % (model.bytes[step.dst].size() - step.count);
      step.src_offset = random() % (model.bytes[step.src].size() - step.count);
      step.value = static_cast<unsigned char>(random());
      const rtGraphOperand_t dst = at(model.buffers[step.dst], step.dst_offset);
      if (step.copies) {
        (void)copy(dst, at(model.buffers[step.src], step.src_offset), step.count);
      } else {
        (void)fill(dst, step.value, step.count);
      }
      model.steps.push_back(step);
    }
    return model;
  }

  Graph graph_;
  GraphExec exec_;
  Memory memory_;
};

}  // namespace rttest
