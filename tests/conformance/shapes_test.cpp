// Dynamic shapes: the sizes of a graph are maxima, and one exec runs batches of any smaller size. Changes that belong together
// may be given in any order; a launch before the change is complete is refused by name; nothing is planned or allocated anew.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "exec_test.h"

namespace rttest {
namespace {

void nothing(void*, rtStatus_t) {}

class ShapesTest : public ExecTest {
 protected:
  static constexpr uint64_t kMaxBytes = 1024;
  enum Form { kLine, kHosted, kForked };  // one replay; cut by a host function; walked over lanes

  // in -> scratch, a fill of scratch's first bytes, scratch -> out.
  void makeBatch(Form form) {
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    in_ = buffer(kMaxBytes, RT_GRAPH_BUFFER_INPUT, "in");
    out_ = buffer(kMaxBytes, RT_GRAPH_BUFFER_OUTPUT, "out");
    scratch_ = buffer(kMaxBytes, RT_GRAPH_BUFFER_TEMPORARY, "scratch");
    if (form == kHosted) (void)host(nothing, nullptr);
    load_ = copy(at(scratch_), at(in_), kMaxBytes);
    if (form == kForked) {
      rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
      params.function = nothing;
      rtGraphNode_t aside = nullptr;
      ASSERT_RT_OK(rtGraphAddHostNode(&aside, &params, nullptr, 0, graph_));
    }
    mark_ = fill(at(scratch_), 0x5A, kMaxBytes / 2);
    store_ = copy(at(out_), at(scratch_), kMaxBytes);
    instantiate();
  }
  rtStatus_t setCopy(rtGraphNode_t node, rtGraphBuffer_t dst, rtGraphBuffer_t src, uint64_t bytes) {
    rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
    params.dst = at(dst);
    params.src = at(src);
    params.size = bytes;
    return rtGraphExecSetMemcpyParams(node, &params, exec_);
  }
  // The calls that set up a batch of `size` bytes, one by one.
  std::vector<std::function<rtStatus_t()>> callsFor(uint64_t size, void* in, void* out) {
    return {[=, this] { return rtGraphExecBindBufferRange(in_, in, size, exec_); },
            [=, this] { return rtGraphExecBindBufferRange(out_, out, size, exec_); },
            [=, this] { return setCopy(load_, scratch_, in_, size); },
            [=, this] { return setCopy(store_, out_, scratch_, size); },
            [=, this] {
              const rtGraphFillParams_t params = fillParams(at(scratch_), 0x5A, std::max<uint64_t>(1, size / 2));
              return rtGraphExecSetFillParams(mark_, &params, exec_);
            }};
  }

  rtGraphBuffer_t in_ = nullptr, out_ = nullptr, scratch_ = nullptr;
  rtGraphNode_t load_ = nullptr, mark_ = nullptr, store_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(, ShapesTest, testing::ValuesIn(deviceNames()), testName);

// A step that gets another buffer by its parameters has to follow the next binding of that buffer, and leaves the first alone.
TEST_P(ShapesTest, AStepFollowsTheBindingsOfTheBufferThatItsParametersName) {
  const rtGraphBuffer_t first = buffer(64, RT_GRAPH_BUFFER_OUTPUT, "first"),
                        second = buffer(64, RT_GRAPH_BUFFER_OUTPUT, "second");
  const rtGraphNode_t node = fill(at(first), 1, 64);
  instantiate();
  ASSERT_RT_OK(rtGraphExecBindBuffer(first, memory_.as(0), exec_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(second, memory_.as(64), exec_));
  launch();
  const rtGraphFillParams_t params = fillParams(at(second), 2, 32);
  ASSERT_RT_OK(rtGraphExecSetFillParams(node, &params, exec_));
  launch();
  ASSERT_RT_OK(rtGraphExecBindBuffer(second, memory_.as(128), exec_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(first, memory_.as(192), exec_));
  launch();
  const std::vector<unsigned char> bytes = contents(memory_, 256);
  for (size_t i = 0; i < 256; ++i) ASSERT_EQ(bytes[i], i < 64 ? 1 : i % 64 < 32 && i < 192 ? 2 : 0xEE) << i;
}

TEST_P(ShapesTest, SizesAndBuffersChangeTogetherInAnyOrder) {
  std::mt19937 random(5);
  for (const Form form : {kLine, kHosted, kForked}) {
    SCOPED_TRACE(form);
    makeBatch(form);
    for (const uint64_t size : {kMaxBytes, uint64_t{100}, uint64_t{700}, uint64_t{1}, uint64_t{699}, uint64_t{16}, kMaxBytes}) {
      SCOPED_TRACE(size);
      Memory in, out;  // no byte more than the batch has; the memory of the batch before is gone
      ASSERT_RT_OK(rtMalloc(in.out(), size, context_));
      ASSERT_RT_OK(rtMalloc(out.out(), size, context_));
      std::vector<unsigned char> bytes(size);
      for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
      ASSERT_RT_OK(rtMemcpy(in, bytes.data(), size, RT_MEMCPY_DEFAULT));
      ASSERT_RT_OK(rtMemset(out, 0xEE, size));
      auto calls = callsFor(size, in, out);
      std::shuffle(calls.begin(), calls.end(), random);
      for (const auto& call : calls) ASSERT_RT_OK(call());
      launch();
      std::fill_n(bytes.begin(), std::max<uint64_t>(1, size / 2), static_cast<unsigned char>(0x5A));
      ASSERT_EQ(contents(out, size), bytes);
    }
    ASSERT_RT_OK(exec_.reset());
  }
}

TEST_P(ShapesTest, EveryOrderOfTheCallsLeadsToTheSame) {
  makeBatch(kLine);
  Memory large_in, large_out, small_in, small_out;
  ASSERT_RT_OK(rtMalloc(large_in.out(), 512, context_));
  ASSERT_RT_OK(rtMalloc(large_out.out(), 512, context_));
  ASSERT_RT_OK(rtMalloc(small_in.out(), 32, context_));
  ASSERT_RT_OK(rtMalloc(small_out.out(), 32, context_));
  ASSERT_RT_OK(rtMemset(large_in, 1, 512));
  ASSERT_RT_OK(rtMemset(small_in, 2, 32));
  std::array<size_t, 5> order;
  std::iota(order.begin(), order.end(), size_t{0});
  int rounds = 0;
  do {
    const bool large = rounds++ % 2 == 0;
    const uint64_t size = large ? 512 : 32;
    const auto calls = large ? callsFor(512, large_in, large_out) : callsFor(32, small_in, small_out);
    for (size_t each : order) ASSERT_RT_OK(calls[each]());
    ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
    if (rounds % 12 != 0 && rounds % 12 != 1) continue;  // with the launch before still in flight, mostly
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    const std::vector<unsigned char> bytes = contents(large ? large_out : small_out, size);
    for (size_t i = 0; i < size; ++i) ASSERT_EQ(bytes[i], i < size / 2 ? 0x5A : large ? 1 : 2) << i << ", round " << rounds;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(rounds, 120);
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(ShapesTest, ALaunchBeforeAChangeIsCompleteNamesNodeAndBuffer) {
  for (const Form form : {kLine, kHosted, kForked}) {
    SCOPED_TRACE(form);
    makeBatch(form);
    const unsigned shift = form == kHosted ? 1 : 0;  // the host function is the first node
    Memory small;
    ASSERT_RT_OK(rtMalloc(small.out(), 64, context_));
    ASSERT_RT_OK(rtMemset(memory_, 1, kSize));
    ASSERT_RT_OK(rtMemset(small, 2, 64));
    ASSERT_RT_OK(rtGraphExecBindBufferRange(in_, small, 64, exec_));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
    EXPECT_TRUE(says("\"out\" is not bound")) << lastMessage();
    ASSERT_RT_OK(rtGraphExecBindBuffer(out_, memory_, exec_));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
    EXPECT_TRUE(says("node " + std::to_string(shift) + " (copy)") && says("\"in\"") && says("1024 bytes") &&
                says("64 are bound"))
        << lastMessage();
    Graph captured;
    ASSERT_RT_OK(rtStreamBeginCapture(stream_));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtStreamEndCapture(captured.out(), stream_));
    EXPECT_EQ(firstByte(), 1) << "nothing of a refused launch runs";
    ASSERT_RT_OK(setCopy(load_, scratch_, in_, 65));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
    EXPECT_TRUE(says("65 bytes")) << lastMessage();
    ASSERT_RT_OK(setCopy(load_, scratch_, in_, 64));
    ASSERT_RT_OK(setCopy(store_, out_, scratch_, 64));
    launch();
    EXPECT_EQ(contents(memory_.as(0), 64), std::vector<unsigned char>(64, 0x5A)) << "all of the 64 are inside the marked half";
    EXPECT_EQ(contents(memory_.as(64), 1)[0], 1);
    // Back, and once more by way of a launch that is refused.
    ASSERT_RT_OK(setCopy(load_, scratch_, in_, kMaxBytes));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
    ASSERT_RT_OK(rtGraphExecBindBuffer(in_, memory_.as<void>(kMaxBytes), exec_));
    ASSERT_RT_OK(setCopy(store_, out_, scratch_, kMaxBytes));
    launch();
    EXPECT_EQ(contents(memory_.as(kMaxBytes - 1), 1)[0], 1);
    EXPECT_EQ(contents(memory_.as(kMaxBytes / 2 - 1), 1)[0], 0x5A);
    ASSERT_RT_OK(exec_.reset());
  }
}

TEST_P(ShapesTest, SizesAboveTheMaximaAreRefusedAtOnce) {
  makeBatch(kLine);
  ASSERT_RT_OK(rtGraphExecBindBuffer(in_, memory_.as<void>(0), exec_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(out_, memory_.as<void>(kMaxBytes), exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBufferRange(in_, memory_, kMaxBytes + 1, exec_));
  EXPECT_TRUE(says("\"in\"") && says("1024")) << lastMessage();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBufferRange(in_, memory_, 0, exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBufferRange(in_, memory_.as<void>(kSize - 8), 9, exec_)) << "no such memory";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBufferRange(in_, nullptr, 8, exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecBindBufferRange(scratch_, memory_, 8, exec_)) << "the exec's own";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, setCopy(load_, scratch_, in_, kMaxBytes + 1));
  EXPECT_TRUE(says("1024")) << lastMessage();
  const rtGraphFillParams_t params = fillParams(at(scratch_, 1), 0, kMaxBytes);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecSetFillParams(mark_, &params, exec_));
  EXPECT_TRUE(says("\"scratch\"") && says("1024")) << lastMessage();
  launch();  // with what it had
}

TEST_P(ShapesTest, BatchesLeaveNothingBehindAndTakeNoMoreMemory) {
  makeBatch(kLine);
  rtMemPool_t pool = nullptr;
  ASSERT_RT_OK(rtContextGetDefaultPool(&pool, context_));
  const auto batch = [&](uint64_t size) {
    for (const auto& call : callsFor(size, memory_.as<void>(0), memory_.as<void>(2048))) ASSERT_RT_OK(call());
    launch();
  };
  batch(kMaxBytes);
  rtMemPoolStats_t before = RT_MEM_POOL_STATS_INIT, after = RT_MEM_POOL_STATS_INIT;
  ASSERT_RT_OK(rtMemPoolGetStats(&before, pool));
  const uint64_t handles = liveHandles();
  for (uint64_t size = 1; size <= kMaxBytes; size += 31) batch(size);
  ASSERT_RT_OK(rtMemPoolGetStats(&after, pool));
  EXPECT_EQ(after.reserved_bytes, before.reserved_bytes);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(liveHandles(), handles);
}

// A launch in flight keeps the sizes and the memory that it was launched with.
TEST_P(ShapesTest, LaunchesInFlightKeepTheirSizes) {
  makeBatch(kLine);
  Memory first, second;
  ASSERT_RT_OK(rtMalloc(first.out(), 600, context_));
  ASSERT_RT_OK(rtMalloc(second.out(), 40, context_));
  ASSERT_RT_OK(rtMemset(memory_, 7, kSize));
  ASSERT_RT_OK(rtMemset(first, 0, 600));
  ASSERT_RT_OK(rtMemset(second, 0, 40));
  Gate gate(context_);
  ASSERT_RT_OK(gate.close(stream_));
  for (const auto& call : callsFor(600, memory_.as<void>(0), first)) ASSERT_RT_OK(call());
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  for (const auto& call : callsFor(40, memory_.as<void>(0), second)) ASSERT_RT_OK(call());
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(gate.open());
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  std::vector<unsigned char> wanted(600, 7);
  std::fill_n(wanted.begin(), 300, static_cast<unsigned char>(0x5A));
  EXPECT_EQ(contents(first, 600), wanted);
  wanted.assign(40, 7);
  std::fill_n(wanted.begin(), 20, static_cast<unsigned char>(0x5A));
  EXPECT_EQ(contents(second, 40), wanted);
}

TEST_P(ShapesTest, TheTwoSidesOfACopyChangePlaces) {
  const rtGraphBuffer_t one = buffer(64, RT_GRAPH_BUFFER_INPUT, "one"), two = buffer(64, RT_GRAPH_BUFFER_OUTPUT, "two");
  (void)copy(at(two), at(one), 64);
  instantiate();
  for (size_t i = 0; i < 2; ++i) ASSERT_RT_OK(rtMemset(memory_.as(64 * i), static_cast<int>(i + 1), 64));
  ASSERT_RT_OK(rtGraphExecBindBuffer(one, memory_.as<void>(0), exec_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(two, memory_.as<void>(64), exec_));
  launch();
  EXPECT_EQ(contents(memory_.as(64), 1)[0], 1);
  ASSERT_RT_OK(rtMemset(memory_.as(64), 2, 64));
  ASSERT_RT_OK(rtGraphExecBindBuffer(one, memory_.as<void>(64), exec_)) << "both are the same memory until the next call";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
  EXPECT_TRUE(says("node 0 (copy)") && says("overlap")) << lastMessage();
  ASSERT_RT_OK(rtGraphExecBindBuffer(two, memory_.as<void>(0), exec_));
  launch();
  EXPECT_EQ(firstByte(), 2);
}

TEST_P(ShapesTest, ACapturedLaunchHasTheSizesThatAreBound) {
  makeBatch(kLine);
  Memory in, out;
  ASSERT_RT_OK(rtMalloc(in.out(), 10, context_));
  ASSERT_RT_OK(rtMalloc(out.out(), 10, context_));
  ASSERT_RT_OK(rtMemset(in, 3, 10));
  ASSERT_RT_OK(rtMemset(out, 0, 10));
  for (const auto& call : callsFor(10, in, out)) ASSERT_RT_OK(call());
  Graph captured;
  GraphExec exec;
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(captured.out(), stream_));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), captured, context_));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  EXPECT_EQ(contents(out, 10)[4], 0x5A);
  EXPECT_EQ(contents(out, 10)[9], 3);
}

TEST_P(ShapesTest, AnUpdateTakesAGraphOfSmallerBuffers) {
  const auto make = [&](uint64_t size) {
    ASSERT_RT_OK(rtGraphCreate(graph_.out()));
    const rtGraphBuffer_t out = buffer(size, RT_GRAPH_BUFFER_OUTPUT, "out");
    const rtGraphBuffer_t scratch = buffer(size, RT_GRAPH_BUFFER_TEMPORARY, "scratch");
    (void)fill(at(scratch), static_cast<unsigned char>(size), size);
    (void)copy(at(out), at(scratch), size);
    out_ = out_ == nullptr ? out : out_;
  };
  Graph first;
  make(200);
  instantiate();
  std::swap(first, graph_);
  Memory small;
  ASSERT_RT_OK(rtMalloc(small.out(), 30, context_));
  ASSERT_RT_OK(rtGraphExecBindBufferRange(out_, small, 30, exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
  make(201);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec_));
  EXPECT_TRUE(says("201") && says("200")) << lastMessage();
  make(30);
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  launch();
  EXPECT_EQ(contents(small, 30), std::vector<unsigned char>(30, 30));
  make(200);  // the maxima are those of the plan
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(out_, memory_, exec_));
  launch();
  EXPECT_EQ(contents(memory_.as(199), 1)[0], 200);
}

TEST_P(ShapesTest, CopiesOfRowsChange) {
  const rtGraphBuffer_t in = buffer(16 * 64, RT_GRAPH_BUFFER_INPUT, "in"), out = buffer(16 * 64, RT_GRAPH_BUFFER_OUTPUT, "out");
  rtGraphMemcpy2DParams_t params = RT_GRAPH_MEMCPY_2D_PARAMS_INIT;
  params.dst = at(out);
  params.src = at(in);
  params.dst_pitch = params.src_pitch = 64;
  params.width = 64;
  params.height = 16;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddMemcpy2DNode(&node, &params, nullptr, 0, graph_));
  instantiate();
  Memory source;
  ASSERT_RT_OK(rtMalloc(source.out(), 5 * 48 + 40, context_));
  ASSERT_RT_OK(rtMemset(source, 1, 5 * 48 + 40));
  ASSERT_RT_OK(rtGraphExecBindBufferRange(in, source, 5 * 48 + 40, exec_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(out, memory_, exec_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_));
  params.src_pitch = 48;
  params.width = 40;
  params.height = 6;
  ASSERT_RT_OK(rtGraphExecSetMemcpy2DParams(node, &params, exec_));
  launch();
  const std::vector<unsigned char> bytes = contents(memory_, 16 * 64);
  for (size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], i / 64 < 6 && i % 64 < 40 ? 1 : 0xEE) << i;
  params.height = 17;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecSetMemcpy2DParams(node, &params, exec_));
  const rtGraphMemcpyParams_t flat = RT_GRAPH_MEMCPY_PARAMS_INIT;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecSetMemcpyParams(node, &flat, exec_)) << "another kind of node";
}

// A kernel whose grid, values and used bytes follow the batch, from a buffer through a temporary to a buffer.
TEST_P(ShapesTest, KernelsRunBatchesOfChangingSize) {
  NEEDS_KERNELS();
  constexpr uint32_t kItems = 256, kGroup = 16;
  Module module;
  Kernel host_iota, host_affine;
  rtKernel_t iota = nullptr, affine = nullptr;
  if (has(RT_CAPABILITY_KERNELS)) {
    ASSERT_RT_OK(rtModuleCreateFromSource(module.out(),
                                          "__kernel void iota(__global uint* out, uint count, uint base) {\n"
                                          "  const uint i = get_global_id(0);\n"
                                          "  if (i < count) out[i] = base + i;\n"
                                          "}\n"
                                          "__kernel void affine(__global uint* out, uint count, uint factor) {\n"
                                          "  const uint i = get_global_id(0);\n"
                                          "  if (i < count) out[i] = out[i] * factor + 1;\n"
                                          "}\n",
                                          nullptr, context_));
    ASSERT_RT_OK(rtModuleGetKernel(&iota, "iota", module));
    ASSERT_RT_OK(rtModuleGetKernel(&affine, "affine", module));
  } else {
    ASSERT_RT_OK(makeKernel(&host_iota, context_, iotaKernel, {kPointerArg, kUintArg, kUintArg}, "iota"));
    ASSERT_RT_OK(makeKernel(&host_affine, context_, affineKernel, {kPointerArg, kUintArg, kUintArg}, "affine"));
    iota = host_iota;
    affine = host_affine;
  }
  const rtGraphBuffer_t out = buffer(4 * kItems, RT_GRAPH_BUFFER_OUTPUT, "out");
  const rtGraphBuffer_t scratch = buffer(4 * kItems, RT_GRAPH_BUFFER_TEMPORARY, "scratch");
  uint32_t count = kItems, base = 10, factor = 3;
  rtGraphArg_t args[2][3] = {};
  rtGraphKernelParams_t params[2] = {RT_GRAPH_KERNEL_PARAMS_INIT, RT_GRAPH_KERNEL_PARAMS_INIT};
  const auto prepare = [&](uint32_t items) {
    count = items;
    for (int i = 0; i < 2; ++i) {
      args[i][0] = {RT_ARG_POINTER, i == 0 ? uint32_t{RT_GRAPH_WRITE} : uint32_t{RT_GRAPH_READ} | RT_GRAPH_WRITE, 4 * items,
                    nullptr, at(i == 0 ? scratch : out)};
      args[i][1] = {RT_ARG_VALUE, 0, 4, &count, {nullptr, 0, nullptr}};
      args[i][2] = {RT_ARG_VALUE, 0, 4, i == 0 ? &base : &factor, {nullptr, 0, nullptr}};
      params[i].kernel = i == 0 ? iota : affine;
      params[i].args = args[i];
      params[i].arg_count = 3;
      params[i].grid[0] = (items + kGroup - 1) / kGroup;
      params[i].group[0] = kGroup;
    }
  };
  prepare(kItems);
  rtGraphNode_t kernels[2] = {}, move = nullptr;
  ASSERT_RT_OK(rtGraphAddKernelNode(&kernels[0], &params[0], nullptr, RT_INFERRED, graph_));
  move = copy(at(out), at(scratch), 4 * kItems);
  ASSERT_RT_OK(rtGraphAddKernelNode(&kernels[1], &params[1], nullptr, RT_INFERRED, graph_));
  instantiate();
  uint32_t before = kItems;
  for (uint32_t items : {256u, 17u, 1u, 200u, 3u, 0u, 96u, 256u}) {
    SCOPED_TRACE(items);
    Memory result;
    ASSERT_RT_OK(rtMalloc(result.out(), 4 * std::max(items, 1u), context_));
    ASSERT_RT_OK(rtMemset(result, 0, 4 * std::max(items, 1u)));
    ASSERT_RT_OK(rtGraphExecBindBufferRange(out, result, 4 * std::max(items, 1u), exec_));
    if (std::max(items, 1u) < before) {
      EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphLaunch(exec_, stream_)) << "the copy and the second kernel use more";
    }
    before = std::max(items, 1u);
    prepare(std::max(items, 1u));
    for (int i = 0; i < 2; ++i) {
      if (items == 0) params[i].grid[0] = 0;
      ASSERT_RT_OK(rtGraphExecSetKernelParams(kernels[i], &params[i], exec_));
    }
    ASSERT_RT_OK(setCopy(move, out, scratch, 4 * std::max(items, 1u)));
    launch();
    std::vector<uint32_t> values(items);
    ASSERT_RT_OK(rtMemcpy(values.data(), result, 4 * items, RT_MEMCPY_DEFAULT));
    for (uint32_t i = 0; i < items; ++i) ASSERT_EQ(values[i], (base + i) * factor + 1) << i;
  }
  prepare(kItems + 1);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecSetKernelParams(kernels[0], &params[0], exec_));
  EXPECT_TRUE(says("argument 0 of the kernel \"iota\"") && says("1024")) << lastMessage();
}

// All zeros are the defaults, one group of one item; a grid of zeros beside a group runs nothing.
TEST_P(ShapesTest, ZerosAreTheDefaultsOfAKernelNode) {
  Module module;
  Kernel host;
  rtKernel_t kernel = nullptr;
  if (has(RT_CAPABILITY_KERNELS)) {
    ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), "__kernel void ones(__global uint* out) { out[get_global_id(0)] = 1; }",
                                          nullptr, context_));
    ASSERT_RT_OK(rtModuleGetKernel(&kernel, "ones", module));
  } else {
    ASSERT_RT_OK(makeKernel(&host, context_, emptyKernel, {kPointerArg}, "ones"));
    kernel = host;
  }
  rtGraphArg_t arg = {RT_ARG_POINTER, RT_GRAPH_WRITE, 0, nullptr, at(memory_.as<void>(0))};
  rtGraphKernelParams_t params;
  std::memset(&params, 0, sizeof params);
  params.struct_size = sizeof params;
  params.kernel = kernel;
  params.args = &arg;
  params.arg_count = 1;
  rtGraphNode_t node = nullptr;
  ASSERT_RT_OK(rtGraphAddKernelNode(&node, &params, nullptr, 0, graph_));
  instantiate();
  const auto expectOnes = [&](size_t items) {
    ASSERT_RT_OK(rtMemset(memory_, 0, 256));
    launch();
    if (!runsKernels()) return;
    std::vector<uint32_t> values(64);
    ASSERT_RT_OK(rtMemcpy(values.data(), memory_, 256, RT_MEMCPY_DEFAULT));
    for (size_t i = 0; i < 64; ++i) ASSERT_EQ(values[i], i < items ? 1 : 0) << i;
  };
  expectOnes(1);
  params.group[0] = params.group[1] = params.group[2] = 1;
  ASSERT_RT_OK(rtGraphExecSetKernelParams(node, &params, exec_));
  expectOnes(0);
  params.grid[0] = 5;
  params.grid[1] = params.grid[2] = 1;
  ASSERT_RT_OK(rtGraphExecSetKernelParams(node, &params, exec_));
  expectOnes(5);
  params.group[0] = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecSetKernelParams(node, &params, exec_)) << "a group without items";
  params.group[0] = params.group[1] = params.group[2] = 0;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecSetKernelParams(node, &params, exec_)) << "of 5 groups";
}

// A captured prefetch, whose memory became a buffer, follows the binding; less memory is no failure of a hint.
TEST_P(ShapesTest, PrefetchesFollowTheBinding) {
  const auto allocate = has(RT_CAPABILITY_SHARED_MEMORY) ? rtMallocShared : rtMalloc;
  Memory shared, other;
  ASSERT_RT_OK(allocate(shared.out(), 4096, context_));
  ASSERT_RT_OK(allocate(other.out(), 1024, context_));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtMemsetAsync(shared, 1, 1024, stream_));
  ASSERT_RT_OK(rtMemPrefetchAsync(shared, 4096, device_, stream_));
  ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_));
  rtGraphBuffer_t bytes = nullptr;
  ASSERT_RT_OK(rtGraphMakeBuffer(&bytes, shared, 4096, RT_GRAPH_BUFFER_OUTPUT, "bytes", graph_));
  instantiate();
  launch();
  ASSERT_RT_OK(rtGraphExecBindBufferRange(bytes, other, 1024, exec_));
  launch();
  EXPECT_EQ(contents(other.as(1023), 1)[0], 1);
}

}  // namespace
}  // namespace rttest
