// Named values of graphs: declared once, used by many nodes, bound once for all of them. Launches in flight keep what they had.
// Nodes that were set later follow. Child graphs and files have values too.
#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "exec_test.h"
#include "support/portable_kernels.h"

namespace rttest {
namespace {

void nothing(void*, rtStatus_t) {}

class GraphValueTest : public ExecTest {
 protected:
  static constexpr uint32_t kCount = 64;
  enum Form { kLine, kHosted, kForked };  // one replay; cut by a host function; walked over lanes

  void SetUp() override {
    ExecTest::SetUp();
    if (has(RT_CAPABILITY_KERNELS)) {  // else each test that launches skips itself
      ASSERT_RT_OK(iota_.make(context_, "iota"));
      ASSERT_RT_OK(affine_.make(context_, "affine"));
    }
  }
  void TearDown() override {
    EXPECT_RT_OK(iota_.reset());
    EXPECT_RT_OK(affine_.reset());
    ExecTest::TearDown();
  }
  rtGraphValue_t value(const char* name, const uint32_t* initial = nullptr, uint64_t size = 4) {
    rtGraphValue_t made = nullptr;
    EXPECT_RT_OK(rtGraphAddValue(&made, size, initial, name, graph_));
    return made;
  }
  static rtGraphArg_t named(rtGraphValue_t value) { return {RT_ARG_GRAPH_VALUE, 0, 0, value, {nullptr, 0, nullptr}}; }
  static rtGraphArg_t number(const uint32_t* value) { return {RT_ARG_VALUE, 0, 4, value, {nullptr, 0, nullptr}}; }
  // out[i] = base + i, or data[i] = data[i] * factor + 1, for the first kCount elements.
  static rtGraphKernelParams_t params(rtKernel_t kernel, std::array<rtGraphArg_t, 3>& args, const rtGraphOperand_t& out,
                                      const rtGraphArg_t& second) {
    static const uint32_t count = kCount;
    args = {{{RT_ARG_POINTER, RT_GRAPH_READ | RT_GRAPH_WRITE, 4 * kCount, nullptr, out}, number(&count), second}};
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    params.kernel = kernel;
    params.args = args.data();
    params.arg_count = 3;
    params.group[0] = kCount;
    return params;
  }
  rtGraphNode_t kernel(rtKernel_t kernel, const rtGraphOperand_t& out, const rtGraphArg_t& second) {
    std::array<rtGraphArg_t, 3> args;
    const rtGraphKernelParams_t made = params(kernel, args, out, second);
    rtGraphNode_t node = nullptr;
    EXPECT_RT_OK(rtGraphAddKernelNode(&node, &made, nullptr, RT_INFERRED, graph_));
    return node;
  }
  rtStatus_t bind(rtGraphValue_t value, uint32_t number) { return rtGraphExecBindValue(value, &number, 4, exec_); }
  std::vector<uint32_t> numbers(const void* pointer) {
    std::vector<uint32_t> values(kCount);
    EXPECT_RT_OK(rtMemcpy(values.data(), pointer, 4 * kCount, RT_MEMCPY_DEFAULT));
    return values;
  }
  // The result of iota with `base` and then `times` times affine with `factor`.
  static std::vector<uint32_t> expected(uint32_t base, uint32_t factor, int times) {
    std::vector<uint32_t> values(kCount);
    for (uint32_t i = 0; i < kCount; ++i) {
      values[i] = base + i;
      for (int k = 0; k < times; ++k) values[i] = values[i] * factor + 1;
    }
    return values;
  }
  void aside() {  // a host function that nothing waits for
    rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
    params.function = nothing;
    rtGraphNode_t node = nullptr;
    ASSERT_RT_OK(rtGraphAddHostNode(&node, &params, nullptr, 0, graph_));
  }

  PortableKernel iota_, affine_;
};

INSTANTIATE_TEST_SUITE_P(, GraphValueTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(GraphValueTest, OneBindIsForAllNodesThatUseTheValue) {
  NEEDS_KERNELS();
  for (const Form form : {kLine, kHosted, kForked}) {
    SCOPED_TRACE(form);
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    const rtGraphBuffer_t out = buffer(4 * kCount, RT_GRAPH_BUFFER_OUTPUT, "out");
    const rtGraphValue_t base = value("base"), factor = value("factor");
    if (form == kForked) aside();
    (void)kernel(iota_, at(out), named(base));
    if (form == kHosted) (void)host(nothing, nullptr);
    for (int i = 0; i < 12; ++i) (void)kernel(affine_, at(out), named(factor));
    instantiate();
    ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_, exec_));
    ASSERT_RT_OK(bind(base, 3));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
    EXPECT_TRUE(says("The value \"factor\" is not bound: rtGraphExecBindValue comes before the launch.")) << lastMessage();
    for (uint32_t round = 1; round < 6; ++round) {
      ASSERT_RT_OK(bind(factor, round));
      if (round % 2 == 0) {
        ASSERT_RT_OK(bind(base, 100 * round));
      }
      launch();
      EXPECT_EQ(numbers(memory_), expected(round < 2 ? 3 : 100 * (round / 2 * 2), round, 12));
    }
    ASSERT_RT_OK(exec_.reset());
  }
}

// Neither values nor memory of a launch change under it, however far the program is ahead.
TEST_P(GraphValueTest, LaunchesInFlightKeepWhatTheyWereLaunchedWith) {
  NEEDS_KERNELS();
  constexpr uint32_t kLaunches = 300;
  Memory results;
  ASSERT_RT_OK(rtMalloc(results.out(), 4 * kCount * kLaunches, context_));
  const uint32_t one = 1;
  const rtGraphBuffer_t out = buffer(4 * kCount, RT_GRAPH_BUFFER_OUTPUT, "out");
  const rtGraphValue_t base = value("base"), factor = value("factor", &one);
  (void)kernel(iota_, at(out), named(base));
  for (int i = 0; i < 3; ++i) (void)kernel(affine_, at(out), named(factor));
  instantiate();
  Stream other;
  ASSERT_RT_OK(rtStreamCreate(other.out(), nullptr, context_));
  for (uint32_t i = 0; i < kLaunches; ++i) {
    ASSERT_RT_OK(rtGraphExecBindBuffer(out, results.as<uint32_t>(4 * kCount * i), exec_));
    ASSERT_RT_OK(bind(base, i));
    if (i % 7 == 0) {
      ASSERT_RT_OK(bind(factor, i));
    }
    ASSERT_RT_OK(rtGraphLaunch(exec_, i % 5 == 4 ? rtStream_t(other) : stream_));
  }
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  ASSERT_RT_OK(rtStreamSynchronize(other));
  for (uint32_t i = 0; i < kLaunches; ++i) {
    ASSERT_EQ(numbers(results.as<uint32_t>(4 * kCount * i)), expected(i, i / 7 * 7, 3)) << i;
  }
  ASSERT_RT_OK(exec_.reset());
}

TEST_P(GraphValueTest, AnInitialValueHoldsUntilAnotherIsBound) {
  NEEDS_KERNELS();
  uint32_t initial = 20;
  const rtGraphValue_t base = value("base", &initial);
  initial = 0;  // it was copied
  (void)kernel(iota_, at(memory_.get()), named(base));
  instantiate();
  launch();
  EXPECT_EQ(numbers(memory_), expected(20, 1, 0));
  ASSERT_RT_OK(bind(base, 30));
  launch();
  EXPECT_EQ(numbers(memory_), expected(30, 1, 0));
}

TEST_P(GraphValueTest, ValuesAreToldInTheirOrder) {
  const uint32_t initial = 1;
  const rtGraphValue_t first = value("first"), second = value(nullptr, &initial);
  rtGraphValue_t found[2] = {};
  uint32_t count = 0;
  ASSERT_RT_OK(rtGraphGetValues(nullptr, 0, &count, graph_));
  EXPECT_EQ(count, 2u);
  ASSERT_RT_OK(rtGraphGetValues(found, 2, &count, graph_));
  EXPECT_TRUE(found[0] == first && found[1] == second);
  rtGraphValueInfo_t info = RT_GRAPH_VALUE_INFO_INIT;
  ASSERT_RT_OK(rtGraphValueGetInfo(&info, first));
  EXPECT_EQ(info.size, 4u);
  EXPECT_EQ(info.has_initial, 0u);
  EXPECT_STREQ(info.name, "first");
  ASSERT_RT_OK(rtGraphValueGetInfo(&info, second));
  EXPECT_EQ(info.has_initial, 1u);
  EXPECT_STREQ(info.name, "");
  Graph clone;
  ASSERT_RT_OK(rtGraphClone(clone.out(), graph_));
  ASSERT_RT_OK(rtGraphGetValues(found, 2, &count, clone));
  EXPECT_EQ(count, 2u);
  EXPECT_TRUE(found[0] != first);
  ASSERT_RT_OK(graph_.reset());
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtGraphValueGetInfo(&info, first));
  EXPECT_RT_OK(rtGraphValueGetInfo(&info, found[0]));
}

TEST_P(GraphValueTest, WhatDoesNotFitIsRefusedByName) {
  rtGraphValue_t made = nullptr;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddValue(&made, 0, nullptr, "none", graph_));
  EXPECT_TRUE(says("A value of 0 bytes says nothing.")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddValue(&made, 4097, nullptr, "long", graph_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphAddValue(&made, UINT64_MAX, nullptr, "long", graph_));
  EXPECT_TRUE(says("it has 4096 at most")) << lastMessage();
  EXPECT_EQ(made, nullptr);
  NEEDS_KERNELS();
  Graph other;
  ASSERT_RT_OK(rtGraphCreate(other.out()));
  rtGraphValue_t foreign = nullptr, wide = nullptr;
  ASSERT_RT_OK(rtGraphAddValue(&foreign, 4, nullptr, "foreign", other));
  wide = value("wide", nullptr, 8);
  std::array<rtGraphArg_t, 3> args;
  rtGraphNode_t node = nullptr;
  const auto add = [&](const rtGraphArg_t& second) {
    const rtGraphKernelParams_t given = params(iota_, args, at(memory_.get()), second);
    return rtGraphAddKernelNode(&node, &given, nullptr, RT_INFERRED, graph_);
  };
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add(named(foreign)));
  EXPECT_TRUE(says("args[2].value is a value of another graph")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add(named(wide)));
  EXPECT_TRUE(says("Argument 2 of the kernel \"iota\" has 4 bytes; 8 were given.")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, add(named(nullptr)));
  const rtGraphValue_t base = value("base");
  rtGraphArg_t sized = named(base);
  sized.size = 8;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add(sized));
  EXPECT_TRUE(says("args[2] has 8 bytes and the value that it names 4")) << lastMessage();
  sized.size = 4;
  ASSERT_RT_OK(add(sized));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphInstantiate(exec_.out(), graph_, context_));
  EXPECT_TRUE(says("The value \"wide\" is used by no node of the graph")) << lastMessage();
  ASSERT_RT_OK(rtGraphCreate(graph_.out()));
  const rtGraphValue_t used = value("used");
  (void)kernel(iota_, at(memory_.get()), named(used));
  instantiate();
  const rtGraphValue_t late = value("late");
  const uint64_t number = 5;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindValue(used, &number, 8, exec_));
  EXPECT_TRUE(says("The value \"used\" has 4 bytes; 8 were given.")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindValue(used, &number, 0, exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindValue(used, nullptr, 4, exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindValue(foreign, &number, 4, exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindValue(late, &number, 4, exec_));
  EXPECT_TRUE(says("added after the exec was made")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_)) << "nothing was bound by what was refused";
  ASSERT_RT_OK(bind(used, 9));
  launch();
  EXPECT_EQ(numbers(memory_), expected(9, 1, 0));
}

// A node that is set may name buffers and values, at other places than before, and follows what is bound later.
TEST_P(GraphValueTest, ANodeThatWasSetFollowsWhatIsBoundLater) {
  NEEDS_KERNELS();
  for (const Form form : {kLine, kForked}) {
    SCOPED_TRACE(form);
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    Memory first, second;
    ASSERT_RT_OK(rtMalloc(first.out(), 8 * kCount, context_));
    ASSERT_RT_OK(rtMalloc(second.out(), 8 * kCount, context_));
    const rtGraphBuffer_t out = buffer(8 * kCount, RT_GRAPH_BUFFER_OUTPUT, "out");
    const rtGraphValue_t base = value("base"), factor = value("factor");
    if (form == kForked) aside();
    const rtGraphNode_t start = kernel(iota_, at(out), named(base));
    (void)kernel(affine_, at(out), named(factor));
    instantiate();
    ASSERT_RT_OK(rtGraphExecBindBuffer(out, first, exec_));
    ASSERT_RT_OK(bind(base, 1));
    ASSERT_RT_OK(bind(factor, 0));
    launch();
    std::array<rtGraphArg_t, 3> args;
    const auto set = [&](uint64_t offset, const rtGraphArg_t& argument) {
      const rtGraphKernelParams_t given = params(iota_, args, at(out, offset), argument);
      return rtGraphExecSetKernelParams(start, &given, exec_);
    };
    ASSERT_RT_OK(set(4 * kCount, named(factor)));  // the upper half, and the other value
    ASSERT_RT_OK(bind(factor, 40));
    launch();
    EXPECT_EQ(numbers(first.as<uint32_t>(4 * kCount)), expected(40, 1, 0));
    ASSERT_RT_OK(rtGraphExecBindBuffer(out, second, exec_));
    ASSERT_RT_OK(bind(factor, 50));
    ASSERT_RT_OK(rtMemset(first, 0, 8 * kCount));
    launch();
    EXPECT_EQ(numbers(second.as<uint32_t>(4 * kCount)), expected(50, 1, 0));
    EXPECT_EQ(numbers(first.as<uint32_t>(4 * kCount)), std::vector<uint32_t>(kCount)) << "no node has the old address";
    const uint32_t fixed = 60;
    ASSERT_RT_OK(set(0, number(&fixed)));
    ASSERT_RT_OK(bind(factor, 2));
    launch();
    EXPECT_EQ(numbers(second), expected(60, 2, 1));
    ASSERT_RT_OK(set(0, named(base)));
    ASSERT_RT_OK(rtGraphExecBindBuffer(out, first, exec_));
    ASSERT_RT_OK(bind(base, 70));
    launch();
    EXPECT_EQ(numbers(first), expected(70, 2, 1));
    ASSERT_RT_OK(exec_.reset());
  }
}

// Sizes, values and addresses of a node with the same kernel, in any order, with refusals in between. A capture of the exec has
// what was set last.
TEST_P(GraphValueTest, ParametersThatAreSetBetweenLaunchesAreThoseOfTheNext) {
  NEEDS_KERNELS();
  for (const Form form : {kLine, kHosted, kForked}) {
    SCOPED_TRACE(form);
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    Memory memory[3];
    for (Memory& each : memory) ASSERT_RT_OK(rtMalloc(each.out(), 4 * kCount, context_));
    const auto address = [](void* pointer) { return rtGraphOperand_t{nullptr, 0, pointer}; };
    uint32_t base = 1, groups = 1;
    void* target = memory[1];  // what follows depends on it, wherever the node writes later
    if (form == kForked) aside();
    const rtGraphNode_t start = kernel(iota_, address(target), number(&base));
    if (form == kHosted) (void)host(nothing, nullptr);
    const uint32_t factor = 3;
    (void)kernel(affine_, address(memory[1]), number(&factor));
    instantiate();
    std::array<rtGraphArg_t, 3> args;
    const auto set = [&](uint32_t group) {
      rtGraphKernelParams_t given = params(iota_, args, address(target), number(&base));
      given.grid[0] = groups;
      given.group[0] = group;
      return rtGraphExecSetKernelParams(start, &given, exec_);
    };
    const auto expectAll = [&](const char* when) {
      for (Memory& each : memory) ASSERT_RT_OK(rtMemset(each, 0xff, 4 * kCount));
      launch();
      for (int i = 0; i < 3; ++i) {
        std::vector<uint32_t> wanted(kCount, ~0u);
        if (memory[i].get() == target && groups != 0) wanted = expected(base, 1, 0);
        for (uint32_t& each : wanted) each = i == 1 ? each * factor + 1 : each;
        ASSERT_EQ(numbers(memory[i]), wanted) << when << ", memory " << i;
      }
    };
    std::minstd_rand random(7);
    for (int round = 0; round < 30; ++round) {
      SCOPED_TRACE(round);
      const void* const old_target = target;
      const uint32_t old_base = base, old_groups = groups;
      base = static_cast<uint32_t>(random() % 1000);
      target = memory[random() % 3];
      groups = random() % 8 == 0 ? 0 : 1;
      if (random() % 4 == 0) {
        EXPECT_RT(RT_ERROR_INVALID_VALUE, set(random() % 2 == 0 ? 1u << 30 : 0));
        target = const_cast<void*>(old_target);
        base = old_base;
        groups = old_groups;
        expectAll("after a refusal");
      } else {
        ASSERT_RT_OK(set(kCount));
        expectAll("after it was set");
      }
      if (HasFatalFailure()) return;
    }
    void* const kept = target;
    {
      Memory gone;
      ASSERT_RT_OK(rtMalloc(gone.out(), 4 * kCount, context_));
      target = gone;
    }
    EXPECT_RT(RT_ERROR_INVALID_VALUE, set(kCount));
    target = kept;
    expectAll("after memory that is gone was refused");
    groups = 1;
    base = 77;
    ASSERT_RT_OK(set(kCount));
    ASSERT_RT_OK(rtStreamBeginCapture(stream_));
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    Graph captured;
    ASSERT_RT_OK(rtStreamEndCapture(captured.out(), stream_));
    GraphExec again;
    ASSERT_RT_OK(rtGraphInstantiate(again.out(), captured, context_));
    std::swap(again, exec_);
    expectAll("in a capture of the exec");
    std::swap(again, exec_);
  }
}

TEST_P(GraphValueTest, WideValuesKeepTheirBytes) {
  NEEDS_KERNELS();
  PortableKernel wide;
  ASSERT_RT_OK(wide.make(context_, "wide"));
  struct Wide {
    float values[40];
  } numbers{};
  const rtGraphValue_t b = value("b", nullptr, sizeof numbers), d = value("d", nullptr, 16);
  const char a = 1;
  const int16_t c = 2;
  const double e = 3;
  const rtGraphArg_t args[] = {{RT_ARG_VALUE, 0, 1, &a, {nullptr, 0, nullptr}},
                               named(b),
                               {RT_ARG_VALUE, 0, 2, &c, {nullptr, 0, nullptr}},
                               {RT_ARG_POINTER, RT_GRAPH_WRITE, 4, nullptr, at(memory_.get())},
                               named(d),
                               {RT_ARG_VALUE, 0, 8, &e, {nullptr, 0, nullptr}}};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = wide;
  params.args = args;
  params.arg_count = 6;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, RT_INFERRED, graph_));
  instantiate();
  for (int round = 1; round < 4; ++round) {
    for (float& each : numbers.values) each = static_cast<float>(round);
    const float vector[4] = {static_cast<float>(round), 2, 5, 0};
    ASSERT_RT_OK(rtGraphExecBindValue(b, &numbers, sizeof numbers, exec_));
    ASSERT_RT_OK(rtGraphExecBindValue(d, vector, sizeof vector, exec_));
    launch();
    float result = 0;
    ASSERT_RT_OK(rtMemcpy(&result, memory_, 4, RT_MEMCPY_DEFAULT));
    EXPECT_EQ(result, 1 + 40 * static_cast<float>(round) + 2 + static_cast<float>(round) + 10 + 3);
  }
  ASSERT_RT_OK(exec_.reset());
  ASSERT_RT_OK(wide.reset());
}

TEST_P(GraphValueTest, AChildGraphHasValuesOfItsGraphOrBytes) {
  NEEDS_KERNELS();
  const uint32_t initial = 4, data = 6;
  const rtGraphBuffer_t inside = buffer(4 * kCount, RT_GRAPH_BUFFER_OUTPUT, "inside");
  const rtGraphValue_t base = value("base"), twice = value("twice"), thrice = value("thrice", &initial);
  (void)kernel(iota_, at(inside), named(base));
  (void)kernel(affine_, at(inside), named(twice));
  (void)kernel(affine_, at(inside), named(thrice));
  Graph child(std::move(graph_));
  ASSERT_RT_OK(rtGraphCreate(graph_.out()));
  const rtGraphValue_t outer = value("outer"), narrow = value("narrow", nullptr, 2);
  const rtGraphBinding_t memory = {inside, at(memory_.get())};
  rtGraphChildParams_t params = RT_GRAPH_CHILD_PARAMS_INIT;
  params.graph = child;
  params.bindings = &memory;
  params.binding_count = 1;
  rtGraphNode_t node = nullptr;
  const auto add = [&](std::vector<rtGraphValueBinding_t> bindings) {
    params.value_bindings = bindings.data();
    params.value_binding_count = static_cast<uint32_t>(bindings.size());
    return rtGraphAddChildGraphNode(&node, &params, nullptr, RT_INFERRED, graph_);
  };
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add({{base, outer, nullptr, 0}}));
  EXPECT_TRUE(says("The child's value \"twice\" is not bound.")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add({{base, outer, nullptr, 0}, {base, outer, nullptr, 0}}));
  EXPECT_TRUE(says("The child's value \"base\" is bound twice.")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add({{base, outer, &data, 4}, {twice, nullptr, &data, 4}}));
  EXPECT_TRUE(says("both were given")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add({{base, outer, nullptr, 0}, {twice, nullptr, &data, 8}}));
  EXPECT_TRUE(says("The child's value \"twice\" has 4 bytes; 8 were given.")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add({{base, narrow, nullptr, 0}, {twice, nullptr, &data, 4}}));
  EXPECT_TRUE(says("the value \"narrow\" has 2")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add({{outer, outer, nullptr, 0}, {twice, nullptr, &data, 4}}));
  ASSERT_RT_OK(rtGraphCreate(graph_.out()));
  const rtGraphValue_t start = value("start");
  ASSERT_RT_OK(add({{base, start, nullptr, 0}, {twice, nullptr, &data, 4}}));
  params.struct_size = offsetof(rtGraphChildParams_t, value_binding_count);  // of an older program
  EXPECT_RT(RT_ERROR_INVALID_VALUE, add({}));
  instantiate();
  for (uint32_t round = 0; round < 3; ++round) {
    ASSERT_RT_OK(bind(start, round));
    launch();
    for (uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(numbers(memory_)[i], ((round + i) * 6 + 1) * 4 + 1);
  }
  ASSERT_RT_OK(exec_.reset());
}

TEST_P(GraphValueTest, ACapturedLaunchKeepsThePresentValue) {
  NEEDS_KERNELS();
  const rtGraphValue_t base = value("base");
  (void)kernel(iota_, at(memory_.get()), named(base));
  instantiate();
  ASSERT_RT_OK(bind(base, 11));
  Graph captured;
  GraphExec outer;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(captured.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(outer.out(), captured, context_));
  ASSERT_RT_OK(bind(base, 12));
  ASSERT_RT_OK(rtGraphLaunch(outer, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(numbers(memory_), expected(11, 1, 0));
  ASSERT_RT_OK(outer.reset());
}

TEST_P(GraphValueTest, AnUpdateKeepsWhatIsBound) {
  NEEDS_KERNELS();
  const rtGraphValue_t base = value("base");
  (void)kernel(iota_, at(memory_.get()), named(base));
  instantiate();
  ASSERT_RT_OK(bind(base, 5));
  Graph first(std::move(graph_));
  ASSERT_RT_OK(rtGraphCreate(graph_.out()));
  (void)kernel(iota_, at(memory_.as<void>(4 * kCount)), named(value("other")));
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  launch();
  EXPECT_EQ(numbers(memory_.as<uint32_t>(4 * kCount)), expected(5, 1, 0));
  ASSERT_RT_OK(bind(base, 6));
  launch();
  EXPECT_EQ(numbers(memory_.as<uint32_t>(4 * kCount)), expected(6, 1, 0));
  (void)value("more");
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec_));
  EXPECT_TRUE(says("The values of the graph differ from those of the exec in number or size.")) << lastMessage();
  ASSERT_RT_OK(exec_.reset());
}

// Kernels and copies use the same buffers; some memory may be the host's; binds, sets and launches come in any order.
TEST_P(GraphValueTest, BindsInAnyOrderDoWhatAModelDoes) {
  NEEDS_KERNELS();
  constexpr size_t kMemories = 4;
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    Memory memory[kMemories];
    std::vector<uint32_t> model[kMemories];
    for (size_t i = 0; i < kMemories; ++i) {
      rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
      // A driver of OpenCL may read the source of a copy from the host before the kernel ahead of it has written it.
      options.kind = i == 3 && GetParam().rfind("opencl", 0) != 0 ? RT_MEMORY_HOST : RT_MEMORY_DEVICE;
      ASSERT_RT_OK(rtMallocWithOptions(memory[i].out(), 4 * kCount, &options, context_));
      ASSERT_RT_OK(rtMemset(memory[i], 0, 4 * kCount));
      model[i].assign(kCount, 0);
    }
    const rtGraphBuffer_t buffers[2] = {buffer(4 * kCount, RT_GRAPH_BUFFER_OUTPUT, "a"),
                                        buffer(4 * kCount, RT_GRAPH_BUFFER_OUTPUT, "b")};
    const rtGraphValue_t values[2] = {value("v"), value("w")};
    if (seed % 2 == 0) aside();
    struct Step {
      int kind;
      size_t buffer, value;
    };
    std::vector<Step> steps;
    for (int i = 0; i < 10; ++i) {
      const Step step{i < 2 ? 0 : static_cast<int>(random() % 3), i < 2 ? static_cast<size_t>(i) : random() % 2,
                      i < 2 ? static_cast<size_t>(i) : random() % 2};
      if (step.kind == 2) {
        (void)copy(at(buffers[step.buffer]), at(buffers[1 - step.buffer]), 4 * kCount);
      } else {
        (void)kernel(step.kind == 0 ? iota_ : affine_, at(buffers[step.buffer]), named(values[step.value]));
      }
      steps.push_back(step);
    }
    instantiate();
    size_t bound[2] = {kMemories, kMemories};
    uint32_t number[2] = {0, 0};
    bool given[2] = {false, false};
    for (int call = 0; call < 120; ++call) {
      const size_t which = random() % 2;
      if (random() % 3 == 0) {
        size_t next = random() % kMemories;
        if (next == bound[1 - which]) next = (next + 1) % kMemories;  // copies do not overlap
        bound[which] = next;
        ASSERT_RT_OK(rtGraphExecBindBuffer(buffers[which], memory[next], exec_));
      } else {
        number[which] = random();
        given[which] = true;
        ASSERT_RT_OK(bind(values[which], number[which]));
      }
      const bool complete = bound[0] < kMemories && bound[1] < kMemories && given[0] && given[1];
      if (!complete) {
        EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
      }
      if (!complete || random() % 2 == 0) continue;
      ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
      if (random() % 2 == 0) {
        ASSERT_RT_OK(rtStreamSynchronize(stream_));
      }
      for (const Step& step : steps) {
        std::vector<uint32_t>& to = model[bound[step.buffer]];
        for (uint32_t i = 0; i < kCount; ++i) {
          to[i] = step.kind == 2   ? model[bound[1 - step.buffer]][i]
                  : step.kind == 1 ? to[i] * number[step.value] + 1
                                   : number[step.value] + i;
        }
      }
    }
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    for (size_t i = 0; i < kMemories; ++i) EXPECT_EQ(numbers(memory[i]), model[i]) << i;
    ASSERT_RT_OK(exec_.reset());
  }
}

TEST_P(GraphValueTest, AFileHasValues) {
  static constexpr char kFile[] = R"({"format": "manyrt-graph", "version": 1,
  "modules": [{"source": "kernel void set(global uint* y, uint a, uint b) { y[get_global_id(0)] = a * 1000 + b; }"}],
  "buffers": [{"name": "y", "role": "output", "bytes": 256}],
  "values": [{"name": "a", "bytes": 4}, {"name": "b", "bytes": 4, "value": "07000000"}],
  "nodes": [{"kind": "graph", "graph": {"buffers": [{"role": "output", "bytes": 256}], "values": [{"bytes": 4}, {"bytes": 4}],
    "nodes": [{"kind": "kernel", "kernel": "set", "module": 0, "grid": [1, 1, 1], "group": [32, 1, 1], "arguments": [
      {"buffer": 0}, {"named": 1}, {"named": 0}]}]}, "bindings": [{"child": 0, "buffer": 0}],
    "values": [{"child": 0, "value": "05000000"}, {"child": 1, "named": 0}]},
    {"kind": "kernel", "kernel": "set", "module": 0, "grid": [1, 1, 1], "group": [16, 1, 1], "arguments": [
      {"buffer": 0}, {"named": 0}, {"named": 1}], "after": [0]}]})";
  ASSERT_RT_OK(rtGraphLoad(graph_.out(), kFile, sizeof kFile - 1));
  const auto save = [](rtGraph_t graph) {
    size_t needed = 0;
    EXPECT_RT_OK(rtGraphSave(nullptr, 0, &needed, graph));
    std::string text(needed, '\0');
    EXPECT_RT_OK(rtGraphSave(text.data(), needed, nullptr, graph));
    return text;
  };
  const std::string saved = save(graph_);
  Graph again;
  ASSERT_RT_OK(rtGraphLoad(again.out(), saved.data(), saved.size()));
  EXPECT_EQ(save(again), saved);
  NEEDS_KERNELS();
  rtGraphValue_t values[2] = {};
  rtGraphBuffer_t y = nullptr;
  uint32_t count = 0;
  ASSERT_RT_OK(rtGraphGetValues(values, 2, &count, again));
  ASSERT_EQ(count, 2u);
  ASSERT_RT_OK(rtGraphGetBuffers(&y, 1, &count, again));
  ASSERT_RT_OK(rtGraphInstantiate(exec_.out(), again, context_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(y, memory_, exec_));
  for (uint32_t a = 1; a < 4; ++a) {
    ASSERT_RT_OK(bind(values[0], a));
    launch();
    const std::vector<uint32_t> found = numbers(memory_);
    for (uint32_t i = 0; i < 32; ++i) ASSERT_EQ(found[i], a * 1000 + (i < 16 ? 7 : 5)) << i;
  }
  ASSERT_RT_OK(exec_.reset());
}

TEST_P(GraphValueTest, FaultsOfValuesInFilesAreToldByPlace) {
  struct Fault {
    const char* values;
    const char* argument;
    const char* sentence;
  };
  static constexpr Fault kFaults[] = {
      {"[{\"bytes\": 0}]", "{\"named\": 0}", "values[0].bytes"},
      {"[{\"bytes\": 5000}]", "{\"named\": 0}", "values[0].bytes"},
      {"[{\"bytes\": 4, \"value\": \"00\"}]", "{\"named\": 0}", "values[0].value: Here are 1 bytes; the value has 4."},
      {"[{\"bytes\": 4, \"role\": \"input\"}]", "{\"named\": 0}", "values[0]: There is no member role here."},
      {"[{\"bytes\": 4}]", "{\"named\": 1}", "nodes[0].arguments[0].named"},
      {"[]", "{\"named\": 0}", "nodes[0].arguments[0].named: The graph has no values."},
      {"[{\"bytes\": 4}]", "{\"named\": 0, \"i32\": 1}", "One of buffer, value, local, named or a type as i32 is expected"},
  };
  for (const Fault& fault : kFaults) {
    const std::string text = std::string(R"({"format": "manyrt-graph", "version": 1, "values": )") + fault.values +
                             R"(, "nodes": [{"kind": "kernel", "kernel": "k", "grid": [1, 1, 1], "group": [1, 1, 1], )" +
                             "\"arguments\": [" + fault.argument + "]}]}";
    Graph graph;
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLoad(graph.out(), text.data(), text.size())) << text;
    EXPECT_TRUE(says(fault.sentence)) << lastMessage();
  }
}

}  // namespace
}  // namespace rttest
