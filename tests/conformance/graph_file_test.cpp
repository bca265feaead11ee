// Graph files: what is saved and loaded is saved as the same bytes and runs with equal results; every fault of a file is told
// with its place; what means something in this process alone is refused by node.
#include <cstdio>
#include <string>
#include <vector>

#include "support/device_test.h"

namespace rttest {
namespace {

constexpr char kSource[] =
    "#ifndef STEP\n#define STEP 1.0f\n#endif\n"
    "__kernel void scale(__global float* x, const float by, const uint count) {\n"
    "  const uint i = get_global_id(0);\n"
    "  if (i < count) x[i] = x[i] * by + STEP;\n"
    "}\n"
    "__kernel void sum(__global const float* x, __global float* out, const uint count, __local float* part) {\n"
    "  float own = 0;\n"
    "  for (uint i = get_local_id(0); i < count; i += get_local_size(0)) own += x[i];\n"
    "  part[get_local_id(0)] = own;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (get_local_id(0) != 0) return;\n"
    "  float all = 0;\n"
    "  for (uint i = 0; i < get_local_size(0); ++i) all += part[i];\n"
    "  out[0] = all;\n"
    "}\n";

// Every kind of node that a file holds; "\"%s\"" is the source.
constexpr char kFile[] = R"({"format": "manyrt-graph", "version": 1,
"modules": [{"source": "%s", "options": "-DSTEP=0.5f"}, {"source": "%s"}],
"buffers": [{"name": "x", "role": "input", "bytes": 1024, "type": "f32", "shape": [16, 16]},
  {"role": "temporary", "bytes": 1024}, {"name": "y \u00e9\"", "role": "output", "bytes": 64}],
"nodes": [
  {"kind": "copy", "destination": {"buffer": 1}, "source": {"buffer": 0}, "bytes": 1024},
  {"kind": "kernel", "kernel": "scale", "module": 0, "grid": [4, 1, 1], "group": [64, 1, 1],
   "arguments": [{"buffer": 1, "access": "read_write"}, {"f32": 1.5}, {"u32": 200}], "after": [0]},
  {"kind": "kernel", "kernel": "scale", "module": 1, "grid": [4, 1, 1], "group": [64, 1, 1],
   "arguments": [{"buffer": 1, "offset": 512, "bytes": 512}, {"value": "0000003f"}, {"u32": 100}], "after": [1, 0]},
  {"kind": "kernel", "kernel": "sum", "module": 1, "grid": [1, 1, 1], "group": [32, 1, 1],
   "arguments": [{"buffer": 1, "access": "read"}, {"buffer": 2, "access": "write", "bytes": 4}, {"u32": 256}, {"local": 128}],
   "after": [5]},
  {"kind": "rectangle", "destination": {"buffer": 2, "offset": 4}, "source": {"buffer": 1}, "width": 8, "height": 2,
   "destination_pitch": 16, "source_pitch": 64, "after": [2]},
  {"kind": "graph", "graph": {"buffers": [{"role": "output", "bytes": 32}], "nodes": [
    {"kind": "fill", "destination": {"buffer": 0}, "pattern": "0000803f", "count": 2, "height": 2, "pitch": 16}]},
   "bindings": [{"child": 0, "buffer": 2, "offset": 32}], "after": [4]},
  {"kind": "empty", "after": [3]}]})";

std::string escaped(const std::string& text) {
  std::string out;
  for (char letter : text) out += letter == '\n' ? "\\n" : std::string(1, letter);
  return out;
}

std::string wholeFile() {
  const std::string source = escaped(kSource);
  std::string text(sizeof kFile + 2 * source.size(), '\0');
  text.resize(static_cast<size_t>(std::snprintf(text.data(), text.size(), kFile, source.c_str(), source.c_str())));
  return text;
}

class GraphFileTest : public DeviceTest {
 protected:
  rtStatus_t load(const std::string& text) { return rtGraphLoad(graph_.out(), text.data(), text.size()); }
  static std::string save(rtGraph_t graph) {
    size_t needed = 0;
    EXPECT_RT_OK(rtGraphSave(nullptr, 0, &needed, graph));
    std::string text(needed, '\0');
    EXPECT_RT_OK(rtGraphSave(text.data(), text.size(), &needed, graph));
    EXPECT_EQ(needed, text.size());
    return text;
  }
  void TearDown() override {
    EXPECT_RT_OK(graph_.reset());
    DeviceTest::TearDown();
  }
  // Binds x to 0, 1, 2... and returns what y holds after two launches.
  std::vector<float> run(rtGraph_t graph) {
    GraphExec exec;
    Memory x, y;
    std::vector<float> in(256), out(16);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    rtGraphBuffer_t buffers[3] = {};
    uint32_t count = 0;
    EXPECT_RT_OK(rtGraphGetBuffers(buffers, 3, &count, graph));
    EXPECT_EQ(count, 3u);
    EXPECT_RT_OK(rtMalloc(x.out(), 1024, context_));
    EXPECT_RT_OK(rtMalloc(y.out(), 64, context_));
    EXPECT_RT_OK(rtMemcpy(x, in.data(), 1024, RT_MEMCPY_HOST_TO_DEVICE));
    EXPECT_RT_OK(rtMemset(y, 0, 64));
    EXPECT_RT_OK(rtGraphInstantiate(exec.out(), graph, context_));
    EXPECT_RT_OK(rtGraphExecBindBuffer(buffers[0], x, exec));
    EXPECT_RT_OK(rtGraphExecBindBuffer(buffers[2], y, exec));
    for (int i = 0; i < 2; ++i) EXPECT_RT_OK(rtGraphLaunch(exec, stream_));
    EXPECT_RT_OK(rtMemcpyAsync(out.data(), y.get(), 64, RT_MEMCPY_DEVICE_TO_HOST, stream_));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    return out;
  }
  Graph graph_;
};

TEST_P(GraphFileTest, SavedAndLoadedItIsSavedAsTheSameBytes) {
  ASSERT_RT_OK(load(wholeFile()));
  const std::string first = save(graph_);
  Graph again;
  ASSERT_RT_OK(rtGraphLoad(again.out(), first.data(), first.size()));
  EXPECT_EQ(save(again), first);
  char begin[9] = {};
  EXPECT_RT_OK(rtGraphSave(begin, 8, nullptr, graph_)) << "what fits is written";
  EXPECT_EQ(std::string(begin), first.substr(0, 8));
}

TEST_P(GraphFileTest, BuffersAreToldInTheFilesOrder) {
  ASSERT_RT_OK(load(wholeFile()));
  rtGraphBuffer_t buffers[3] = {};
  uint32_t count = 0;
  ASSERT_RT_OK(rtGraphGetBuffers(buffers, 3, &count, graph_));
  ASSERT_EQ(count, 3u);
  static constexpr int32_t kRoles[] = {RT_GRAPH_BUFFER_INPUT, RT_GRAPH_BUFFER_TEMPORARY, RT_GRAPH_BUFFER_OUTPUT};
  static const char* const kNames[] = {"x", "", "y \xc3\xa9\""};
  for (int i = 0; i < 3; ++i) {
    rtGraphBufferInfo_t info = RT_GRAPH_BUFFER_INFO_INIT;
    ASSERT_RT_OK(rtGraphBufferGetInfo(&info, buffers[i]));
    EXPECT_EQ(info.role, kRoles[i]);
    EXPECT_STREQ(info.name, kNames[i]);
  }
}

TEST_P(GraphFileTest, ALoadedGraphRunsAsTheFileSays) {
  NEEDS_KERNELS();
  ASSERT_RT_OK(load(wholeFile()));
  const std::vector<float> out = run(graph_);
  std::vector<float> x(256);
  for (size_t i = 0; i < 256; ++i) x[i] = static_cast<float>(i);
  for (size_t i = 0; i < 200; ++i) x[i] = x[i] * 1.5f + 0.5f;
  for (size_t i = 128; i < 228; ++i) x[i] = x[i] * 0.5f + 1.0f;
  float parts[32] = {}, all = 0;
  for (size_t i = 0; i < 256; ++i) parts[i % 32] += x[i];
  for (float each : parts) all += each;
  EXPECT_EQ(out, (std::vector<float>{all, x[0], x[1], 0, 0, x[16], x[17], 0, 1, 1, 0, 0, 1, 1, 0, 0}));
  const std::string saved = save(graph_);
  Graph again;
  ASSERT_RT_OK(rtGraphLoad(again.out(), saved.data(), saved.size()));
  EXPECT_EQ(run(again), out);
}

TEST_P(GraphFileTest, ACapturedGraphRunsFromItsFile) {
  NEEDS_KERNELS();
  Module module;
  rtKernel_t scale = nullptr;
  Memory memory, other;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, "-DSTEP=2.0f", context_));
  ASSERT_RT_OK(rtModuleGetKernel(&scale, "scale", module));
  ASSERT_RT_OK(rtMalloc(memory.out(), 1024, context_));
  ASSERT_RT_OK(rtMalloc(other.out(), 1024, context_));
  ASSERT_RT_OK(rtStreamBeginCapture(stream_));
  ASSERT_RT_OK(rtMemsetAsync(memory, 0, 1024, stream_));
  ASSERT_RT_OK(launchOver(scale, stream_, 4, 64, memory.as<float>(), 3.0f, 256u));
  ASSERT_RT_OK(rtStreamEndCapture(graph_.out(), stream_));
  size_t needed = 7;
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtGraphSave(nullptr, 0, &needed, graph_)) << "an address";
  EXPECT_EQ(needed, 0u);
  EXPECT_NE(lastMessage().find("node 0 (fill)"), std::string::npos) << lastMessage();
  rtGraphBuffer_t buffer = nullptr;
  ASSERT_RT_OK(rtGraphMakeBuffer(&buffer, memory, 1024, RT_GRAPH_BUFFER_OUTPUT, "y", graph_));
  const std::string text = save(graph_);
  ASSERT_RT_OK(module.reset());
  Graph loaded;
  GraphExec exec;
  ASSERT_RT_OK(rtGraphLoad(loaded.out(), text.data(), text.size()));
  uint32_t count = 0;
  ASSERT_RT_OK(rtGraphGetBuffers(&buffer, 1, &count, loaded));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), loaded, context_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(buffer, other, exec));
  ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
  float out[256] = {};
  ASSERT_RT_OK(rtMemcpyAsync(out, other.get(), 1024, RT_MEMCPY_DEVICE_TO_HOST, stream_));
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
  for (float each : out) ASSERT_EQ(each, 2.0f);
}

TEST_P(GraphFileTest, AnUpdateTakesOtherParametersAndNoOtherSource) {
  if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device loads no modules";
  const auto changed = [](const char* from, const char* to) {
    std::string text = wholeFile();
    text.replace(text.find(from), strlen(from), to);
    return text;
  };
  GraphExec exec;
  Memory x, y;
  rtGraphBuffer_t buffers[3] = {};
  uint32_t count = 0;
  Graph planned;
  ASSERT_RT_OK(load(wholeFile()));
  std::swap(planned, graph_);
  ASSERT_RT_OK(rtGraphGetBuffers(buffers, 3, &count, planned));
  ASSERT_RT_OK(rtMalloc(x.out(), 1024, context_));
  ASSERT_RT_OK(rtMalloc(y.out(), 64, context_));
  ASSERT_RT_OK(rtMemset(x, 0, 1024));
  ASSERT_RT_OK(rtGraphInstantiate(exec.out(), planned, context_));
  ASSERT_RT_OK(rtGraphExecBindBuffer(buffers[0], x, exec));
  ASSERT_RT_OK(rtGraphExecBindBuffer(buffers[2], y, exec));
  const auto expectFirst = [&](float sum, unsigned char filled) {
    std::vector<float> out(16);
    ASSERT_RT_OK(rtGraphLaunch(exec, stream_));
    ASSERT_RT_OK(rtMemcpyAsync(out.data(), y.get(), 64, RT_MEMCPY_DEVICE_TO_HOST, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(out[0], sum);
    EXPECT_EQ(reinterpret_cast<unsigned char*>(out.data())[35], filled);
  };
  // 0.5 in 200 places, of which 72 and 28 more become half of themselves and 1.
  const float sum = 128 * 0.5f + 72 * 1.25f + 28 * 1.0f;
  expectFirst(sum, 0x3f);
  ASSERT_RT_OK(load(changed("\"pattern\": \"0000803f\"", "\"pattern\": \"00008040\"")));
  ASSERT_RT_OK(rtGraphExecUpdate(graph_, exec)) << "the same sources";
  expectFirst(sum, 0x40);
  for (const std::string& text : {changed("-DSTEP=0.5f", "-DSTEP=0.75f"), changed("* by + STEP", "* by - STEP")}) {
    ASSERT_RT_OK(load(text));
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphExecUpdate(graph_, exec));
    EXPECT_NE(lastMessage().find("node 1 (kernel \"scale\"): The kernel \"scale\" comes from another source"),
              std::string::npos)
        << lastMessage();
    expectFirst(sum, 0x40);
  }
}

TEST_P(GraphFileTest, ASourceThatDoesNotBuildRunsNothingAndNamesTheNode) {
  NEEDS_KERNELS();
  const char* text =
      R"({"format": "manyrt-graph", "version": 1, "modules": [{"source": "kernel void a() { none; }"}], "nodes": [
       {"kind": "empty"},
       {"kind": "kernel", "kernel": "a", "module": 0, "grid": [1, 1, 1], "group": [1, 1, 1], "arguments": []}]})";
  ASSERT_RT_OK(load(text));
  CapturePlan plan;
  EXPECT_RT(RT_ERROR_BUILD_FAILED, rtCapturePlanCreate(plan.out(), nullptr, graph_, context_));
  EXPECT_NE(lastMessage().find("node 1"), std::string::npos) << lastMessage();
}

TEST_P(GraphFileTest, WhatMeansSomethingInThisProcessAloneIsRefused) {
  ASSERT_RT_OK(rtGraphCreate(graph_.out()));
  rtGraphNode_t node = nullptr;
  rtGraphHostParams_t host = RT_GRAPH_HOST_PARAMS_INIT;
  host.function = [](void*, rtStatus_t) {};
  ASSERT_RT_OK(rtGraphAddEmptyNode(&node, nullptr, 0, graph_));
  ASSERT_RT_OK(rtGraphAddHostNode(&node, &host, nullptr, 0, graph_));
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtGraphSave(nullptr, 0, nullptr, graph_));
  EXPECT_NE(lastMessage().find("node 1 (host function)"), std::string::npos) << lastMessage();
  Graph other;
  rtGraphBuffer_t buffer = nullptr;
  ASSERT_RT_OK(rtGraphCreate(other.out()));
  ASSERT_RT_OK(rtGraphAddBuffer(&buffer, 16, RT_GRAPH_BUFFER_INPUT, "\xff", other));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtGraphSave(nullptr, 0, nullptr, other)) << "a name that is not UTF-8";
}

TEST_P(GraphFileTest, EveryFaultIsToldWithItsPlace) {
  const std::string file = wholeFile();
  struct Fault {
    const char *from, *to, *words;  // what stands there, what stands there instead, what the message must have
    rtStatus_t code = RT_ERROR_INVALID_VALUE;
  };
  const Fault faults[] = {
      {"manyrt-graph", "graph", "Line 1, column 12, format: "},
      {"\"version\": 1", "\"version\": 2", "Line 1, column 39, version: ", RT_ERROR_NOT_SUPPORTED},
      {"\"version\": 1", "\"version\": 1.0", "Line 1, column 39, version: "},
      {"\"role\": \"input\"", "\"role\": \"in\"", "Line 3, column 35, buffers[0].role: "},
      {"[16, 16]", "[16, 15]", "buffers[0].shape: "},
      {"\"f32\", \"shape\"", "\"f99\", \"shape\"", "buffers[0].type: "},
      {"\"bytes\": 64}", "\"bytes\": 0}", "buffers[2].bytes: "},
      {"\"bytes\": 64}", "\"bytes\": 18446744073709551615}", "buffers[2].bytes: "},
      {"\"bytes\": 64}", "\"bytes\": 144115188075855873}", "buffers[2].bytes: A whole number from 1 to 144115188075855872"},
      {"\"kind\": \"copy\"", "\"kind\": \"cpy\"", "nodes[0].kind: "},
      {"\"module\": 0", "\"module\": 2", "nodes[1].module: "},
      {"[4, 1, 1]", "[4, 1]", "nodes[1].grid: 3 numbers"},
      {"[64, 1, 1]", "[64, 0, 1]", "nodes[1].group[1]: "},
      {"{\"f32\": 1.5}", "{\"f32\": 1e99}", "nodes[1].arguments[1].f32: "},
      {"{\"u32\": 200}", "{\"u32\": -1}", "nodes[1].arguments[2].u32: "},
      {"{\"u32\": 200}", "{\"u32\": 1, \"i32\": 1}", "nodes[1].arguments[2]: "},
      {"{\"u32\": 200}", "{\"u32\": 1, \"offset\": 1}", "nodes[1].arguments[2].offset: "},
      {"0000003f", "0000003g", "nodes[2].arguments[1].value: "},
      {"\"bytes\": 512}", "\"bytes\": 513}", "nodes[2]: "},
      {"\"after\": [5]", "\"after\": [7]", "nodes[3].after[0]: "},
      {"\"after\": [5]", "\"after\": [6]", "nodes: The dependencies close a circle: node 3"},
      {"\"after\": [5]", "\"after\": [3]", "nodes[3].after[0]: A node cannot come after itself"},
      {"\"count\": 2", "\"count\": 9", "nodes[5].graph.nodes[0]: "},
      {"\"child\": 0", "\"child\": 1", "nodes[5].bindings[0].child: "},
      {"\"offset\": 32}]", "\"offset\": 33}]", "nodes[5]: "},
      {"\"kind\": \"empty\"", "\"kind\": \"empty\", \"grid\": 1", "nodes[6]: There is no member grid"},
      {"\"kind\": \"empty\"", "\"kind\": \"empty\", \"after\": [1]", "nodes[6]: There are two members after"},
      {"\"kind\": \"empty\",", "\"kind\": \"empty\"", "Line 19, column 20: Syntax error while parsing object"},
  };
  for (const Fault& fault : faults) {
    std::string text = file;
    const size_t place = text.find(fault.from);
    ASSERT_NE(place, std::string::npos) << fault.from;
    text.replace(place, strlen(fault.from), fault.to);
    EXPECT_RT(fault.code, load(text)) << fault.to;
    EXPECT_EQ(graph_.get(), nullptr);
    EXPECT_NE(lastMessage().find(fault.words), std::string::npos) << fault.to << ": " << lastMessage();
    EXPECT_NE(lastMessage().find("Line "), std::string::npos) << lastMessage();
  }
}

TEST_P(GraphFileTest, ACutFileIsRefusedWhereverItIsCut) {
  const std::string file = wholeFile();
  for (size_t size = 0; size < file.size(); size += 1 + size / 64) {
    ASSERT_RT(RT_ERROR_INVALID_VALUE, load(file.substr(0, size))) << size;
  }
  ASSERT_RT(RT_ERROR_INVALID_VALUE, load(file.substr(0, file.size() - 1)));
  ASSERT_RT(RT_ERROR_INVALID_VALUE, load(file + "x"));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, load(std::string(100'000, '[')));
}

INSTANTIATE_TEST_SUITE_P(, GraphFileTest, testing::ValuesIn(deviceNames()), testName);

}  // namespace
}  // namespace rttest
