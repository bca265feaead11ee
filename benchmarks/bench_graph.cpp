// The cost of a graph's replay for each of its nodes (P13). It has a straight line of empty kernels, and wide graphs of empty
// kernels and of kernels of about a microsecond. Beside it are oneTBB's flow graph, the same kernels launched one by one, and
// PoCL. Then the cost of exchanging a buffer, or a named value, that 300 nodes use, beside setting the nodes one by one.
#include <vector>

#include "machine.h"
#include "peers.h"

namespace {

using namespace bench;

constexpr int kNodes = 1000;

// About a microsecond of arithmetic that no compiler can leave out.
void work() {
  uint64_t value = 1;
  for (int i = 0; i < 700; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(value));
  }
}
void workKernel(const rtHostGroup_t*, void* const*) { work(); }
void nothing() { asm volatile("" ::: "memory"); }

struct Replayer {
  rtContext_t context;
  rtStream_t stream;
  rtKernel_t empty, busy;

  explicit Replayer(uint32_t threads)
      : context(createContext("cpu", threads)),
        stream(createStream(context)),
        empty(createKernel(context, emptyKernel, {})),
        busy(createKernel(context, workKernel, {})) {}

  rtGraphExec_t make(rtKernel_t kernel, bool wide) const {
    rtGraph_t graph;
    RT_CHECK(rtGraphCreate(&graph));
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    params.kernel = kernel;
    for (int i = 0; i < 3; ++i) params.grid[i] = params.group[i] = 1;
    std::vector<rtGraphNode_t> nodes(kNodes);
    for (int i = 0; i < kNodes; ++i) {
      const bool last = wide && i == kNodes - 1;
      const rtGraphNode_t* before = i == 0 ? nullptr : last ? &nodes[1] : wide ? &nodes[0] : &nodes[i - 1];
      RT_CHECK(rtGraphAddKernelNode(&nodes[i], &params, before, i == 0 ? 0 : last ? kNodes - 2 : 1, graph));
    }
    rtGraphExec_t exec;
    RT_CHECK(rtGraphInstantiate(&exec, graph, context));
    RT_CHECK(rtGraphDestroy(graph));
    return exec;
  }
  void launch(rtGraphExec_t exec) const {
    RT_CHECK(rtGraphLaunch(exec, stream));
    RT_CHECK(rtStreamSynchronize(stream));
  }
  void launchEach(rtKernel_t kernel) const {
    for (int i = 0; i < kNodes; ++i) RT_CHECK(rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, 0));
    RT_CHECK(rtStreamSynchronize(stream));
  }
};

// A graph of kernels that all take one buffer and one value.
struct Updater {
  static constexpr int kUsers = 300;
  Replayer* on;
  rtGraph_t graph;
  rtGraphExec_t exec;
  rtGraphBuffer_t buffer;
  rtGraphValue_t value;
  rtGraphNode_t nodes[kUsers];
  void* memory[2];
  rtKernel_t kernel;
  uint32_t number = 0;

  explicit Updater(Replayer* replayer) : on(replayer) {
    kernel = createKernel(on->context, emptyKernel, {{8, RT_ARG_POINTER}, {4, RT_ARG_VALUE}});
    RT_CHECK(rtGraphCreate(&graph));
    RT_CHECK(rtGraphAddBuffer(&buffer, 4096, RT_GRAPH_BUFFER_INPUT, "buffer", graph));
    RT_CHECK(rtGraphAddValue(&value, 4, &number, "value", graph));
    for (void*& each : memory) RT_CHECK(rtMalloc(&each, 4096, on->context));
    const rtGraphArg_t args[] = {{RT_ARG_POINTER, RT_GRAPH_READ, 0, nullptr, {buffer, 0, nullptr}},
                                 {RT_ARG_GRAPH_VALUE, 0, 0, value, {nullptr, 0, nullptr}}};
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    params.kernel = kernel;
    params.args = args;
    params.arg_count = 2;
    for (int i = 0; i < kUsers; ++i) {
      RT_CHECK(rtGraphAddKernelNode(&nodes[i], &params, i == 0 ? nullptr : &nodes[i - 1], i == 0 ? 0 : 1, graph));
    }
    RT_CHECK(rtGraphInstantiate(&exec, graph, on->context));
    bind();
    on->launch(exec);
  }
  void bind() { RT_CHECK(rtGraphExecBindBuffer(buffer, memory[number++ % 2], exec)); }
  void bindValue() {
    ++number;
    RT_CHECK(rtGraphExecBindValue(value, &number, 4, exec));
  }
  void setEach() {  // what is left where the graph names neither
    ++number;
    const rtGraphArg_t args[] = {{RT_ARG_POINTER, RT_GRAPH_READ, 0, nullptr, {nullptr, 0, memory[number % 2]}},
                                 {RT_ARG_VALUE, 0, 4, &number, {nullptr, 0, nullptr}}};
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    params.kernel = kernel;
    params.args = args;
    params.arg_count = 2;
    for (rtGraphNode_t node : nodes) RT_CHECK(rtGraphExecSetKernelParams(node, &params, exec));
  }
  void launch() { RT_CHECK(rtGraphLaunch(exec, on->stream)); }
  void wait() { RT_CHECK(rtStreamSynchronize(on->stream)); }
};

void addPocl(Comparison& comparison, const std::string& name, OpenClPeer* peer, const std::string& why) {
  if (peer == nullptr) {
    comparison.missing(name, why);
    return;
  }
  comparison.peer(name, hot(
                            [peer] {
                              for (int i = 0; i < kNodes; ++i) peer->launch(1);
                              peer->finish();
                            },
                            kNodes));
}

}  // namespace

int main(int argc, char** argv) {
  begin(&argc, argv);
  prepareEnvironment();
  std::string basic_why, pthread_why, tbb_why;
  static const std::unique_ptr<OpenClPeer> basic = OpenClPeer::find("basic", &basic_why);
  static const std::unique_ptr<OpenClPeer> pthread = OpenClPeer::find("pthread", &pthread_why);
  static std::unique_ptr<TbbPeer> tbb;
  for (const std::unique_ptr<OpenClPeer>* peer : {&basic, &pthread}) {
    if (!*peer) continue;
    (*peer)->launch(64);
    (*peer)->finish();
  }
  {
    Pinning pinning;
    tbb = TbbPeer::find(&tbb_why);
    if (tbb) tbb->group(4000);
    pinning.done();
  }
  static Replayer one(1), many(0);
  for (const Replayer* replayer : {&one, &many}) {
    Pinning pinning;
    replayer->launchEach(replayer->empty);
    pinning.done();
  }
  pinHere(0);
  note("peer_opencl", OpenClPeer::version());
  note("peer_tbb", TbbPeer::version());

  const auto add = [&](const char* name, bool wide, rtKernel_t one_kernel, rtKernel_t many_kernel, void (*body)()) {
    Comparison comparison(name);
    const rtGraphExec_t exec = many.make(many_kernel, wide), single = one.make(one_kernel, wide);
    comparison.ours("manyrt", hot([exec] { many.launch(exec); }, kNodes));
    comparison.ours("manyrt_one_thread", hot([single] { one.launch(single); }, kNodes));
    comparison.peer("manyrt_launches", hot([many_kernel] { many.launchEach(many_kernel); }, kNodes));
    if (tbb) {
      comparison.peer("tbb_flow_graph", hot(wide ? tbb->wide(kNodes, body) : tbb->line(kNodes, body), kNodes));
    } else {
      comparison.missing("tbb_flow_graph", tbb_why);
    }
    if (body == nothing) {
      addPocl(comparison, "pocl_basic", basic.get(), basic_why);
      addPocl(comparison, "pocl_pthread", pthread.get(), pthread_why);
    }
    comparison.floor("exported_call", exportedCall());
    registerComparison(std::move(comparison));
  };
  add("P13_line_1000", false, one.empty, many.empty, nothing);
  add("P13_wide_1000", true, one.empty, many.empty, nothing);
  add("P13_wide_1000_1us", true, one.busy, many.busy, work);
  static Updater named(&one), set(&one);
  const auto update = [&](const char* name, void (Updater::*call)()) {
    Comparison comparison(name);
    comparison.ours("manyrt", hot([call] { (named.*call)(); }));
    // With a launch in flight that still needs what it was launched with.
    comparison.ours("manyrt_in_flight", single(
                                            [] {
                                              named.wait();
                                              named.launch();
                                            },
                                            [call] { (named.*call)(); }));
    comparison.peer("manyrt_each_node", hot([] { set.setEach(); }));
    comparison.floor("exported_call", exportedCall());
    registerComparison(std::move(comparison));
  };
  update("P13_bind_300", &Updater::bind);
  update("P13_value_300", &Updater::bindValue);
  return finish();
}
