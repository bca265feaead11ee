// The cost of a graph's replay for each of its nodes (P13). It has a straight line of empty kernels, and wide graphs of empty
// kernels and of kernels of about a microsecond. Beside it are oneTBB's flow graph, the same kernels launched one by one, and
// PoCL.
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
  static const Replayer one(1), many(0);
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
  return finish();
}
