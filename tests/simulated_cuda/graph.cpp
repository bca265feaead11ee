// Making graphs, instantiating, changing and launching them. CUDA says that these objects are not safe for several threads: two
// calls on one at the same time are a violation.
#include "graph.h"

#include <algorithm>

#include "activity.h"
#include "call.h"
#include "event.h"
#include "module.h"
#include "settings.h"
#include "simulated_cuda.h"

namespace manyrt::simulated {
namespace {

enum class NodeKind { kEmpty, kKernel, kCopy, kFill, kEvent };

struct Graph {
  explicit Graph(Context& its_context) : context(its_context) {}
  struct Node {
    NodeKind kind;
    std::vector<size_t> before;
    std::shared_ptr<const NodeWork> work;
    bool enabled = true;  // of an executable graph
  };

  Context& context;  // the current one when it was made
  std::vector<Node> nodes;
  std::vector<NativeNode> handles;
  std::atomic<int> inside{0};
};

struct NodeName {
  std::shared_ptr<Graph> graph;
  size_t index;
};

uint64_t nextExec() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

struct Exec {
  Exec(std::shared_ptr<Graph> its_graph) : graph(std::move(its_graph)), nodes(graph->nodes) {}
  const std::shared_ptr<Graph> graph;
  const uint64_t number = nextExec();  // for CUPTI
  std::vector<Graph::Node> nodes;
  std::shared_ptr<Record> last;  // after the last launch
  std::atomic<int> inside{0};
};

Table<Graph, NativeGraph>& graphs() {
  static auto* table = new Table<Graph, NativeGraph>("the graph", 11);
  return *table;
}
Table<NodeName, NativeNode>& nodes() {
  static auto* table = new Table<NodeName, NativeNode>("the node", 12);
  return *table;
}
Table<Exec, NativeGraphExec>& execs() {
  static auto* table = new Table<Exec, NativeGraphExec>("the executable graph", 13);
  return *table;
}

class Alone {  // one call at a time
 public:
  explicit Alone(std::atomic<int>& inside) : inside_(inside) {
    if (inside_.fetch_add(1) != 0) violation("a graph is used by two threads at the same time");
  }
  ~Alone() { inside_.fetch_sub(1); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  std::atomic<int>& inside_;
};

Error add(NativeNode* out, NativeGraph handle, const NativeNode* before, size_t count, NodeKind kind,
          const std::function<Error(Context&, NodeWork*)>& prepare) {
  std::shared_ptr<Graph> graph = graphs().find(handle);
  if (graph == nullptr) return kInvalidHandle;
  if (out == nullptr || (before == nullptr) != (count == 0)) return kInvalidValue;
  const Alone alone(graph->inside);
  Graph::Node node{kind, {}, nullptr};
  for (size_t i = 0; i < count; ++i) {
    const std::shared_ptr<NodeName> name = nodes().find(before[i]);
    if (name == nullptr || name->graph != graph) return kInvalidValue;
    if (std::count(node.before.begin(), node.before.end(), name->index) != 0) return kInvalidValue;  // named twice
    node.before.push_back(name->index);
  }
  auto work = std::make_shared<NodeWork>();
  SIMULATED_TRY(prepare(graph->context, work.get()));
  node.work = std::move(work);
  graph->nodes.push_back(std::move(node));
  *out = nodes().add(std::make_shared<NodeName>(NodeName{graph, graph->nodes.size() - 1}));
  graph->handles.push_back(*out);
  return kSuccess;
}

Error kernelWork(Context& context, const KernelNodeParameters* parameters, NodeWork* work) {
  if (parameters == nullptr) return kInvalidValue;
  std::shared_ptr<Launch> launch;
  SIMULATED_TRY(prepareKernelNode(context, *parameters, &launch));
  work->function = parameters->function;
  work->launch = std::move(launch);
  return kSuccess;
}

Error copyWork(Context& context, const CopyNodeParameters* copy, NodeWork* work) {
  if (copy == nullptr) return kInvalidValue;
  for (const CopyNodeParameters::Side* side : {&copy->src, &copy->dst}) {
    const bool plain = side->x == 0 && side->y == 0 && side->z == 0 && side->level == 0 && side->reserved == nullptr;
    if (!plain || side->type != kCopyUnified) return kNotSupported;  // of this simulation
  }
  if (copy->depth != 1) return kNotSupported;
  return prepareCopyNode(context,
                         {reinterpret_cast<void*>(copy->dst.device), copy->dst.pitch,
                          reinterpret_cast<const void*>(copy->src.device), copy->src.pitch, copy->width, copy->height},
                         work);
}

Error eventWork(Context& context, NativeEvent handle, NodeWork* work) {
  work->event = events().find(handle);
  if (work->event == nullptr) return kInvalidHandle;
  return &work->event->context == &context ? kSuccess : Error{kInvalidValue};
}

// The node of an executable graph that came from this node.
Error nodeOf(NativeGraphExec handle, NativeNode name, NodeKind kind, std::shared_ptr<Exec>* exec, Graph::Node** node) {
  *exec = execs().find(handle);
  const std::shared_ptr<NodeName> found = nodes().find(name);
  if (*exec == nullptr || found == nullptr) return kInvalidHandle;
  if (found->graph != (*exec)->graph || found->index >= (*exec)->nodes.size()) return kInvalidValue;
  *node = &(*exec)->nodes[found->index];
  return (*node)->kind == kind ? kSuccess : kInvalidValue;
}

// Any order in which each node comes after those that it waits for.
std::vector<size_t> someOrder(const std::vector<Graph::Node>& all) {
  static std::atomic<uint64_t> launches{0};
  Random random(settings().seed + 77777 * ++launches);
  std::vector<std::vector<size_t>> after(all.size());
  std::vector<size_t> waits(all.size()), ready, order;
  for (size_t i = 0; i < all.size(); ++i) {
    waits[i] = all[i].before.size();
    for (size_t earlier : all[i].before) after[earlier].push_back(i);
    if (waits[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    std::swap(ready[random.next() % ready.size()], ready.back());
    order.push_back(ready.back());
    ready.pop_back();
    for (size_t later : after[order.back()]) {
      if (--waits[later] == 0) ready.push_back(later);
    }
  }
  return order;
}

Error destroy(NativeGraph handle) {
  const std::shared_ptr<Graph> graph = graphs().remove(handle);
  if (graph == nullptr) return kInvalidHandle;
  for (NativeNode node : graph->handles) nodes().remove(node);
  return kSuccess;
}

Error addCaptured(Stream& stream, NodeKind kind, const std::function<Error(Context&, NodeWork*)>& prepare) {
  Capture& capture = *stream.capture;
  NativeNode node = nullptr;
  const Error error = add(&node, capture.graph, capture.last == nullptr ? nullptr : &capture.last,
                          capture.last != nullptr ? 1 : 0, kind, prepare);
  if (error != kSuccess) return error;
  capture.last = node;
  return kSuccess;
}

// The nodes of the child become nodes of the graph. An empty node after them all stands for the child from now on.
Error addChild(NativeNode* out, NativeGraph handle, const NativeNode* before, size_t count, NativeGraph child_handle) {
  const std::shared_ptr<Graph> graph = graphs().find(handle), child = graphs().find(child_handle);
  if (graph == nullptr || child == nullptr) return kInvalidHandle;
  if (graph == child || &graph->context != &child->context) return kInvalidValue;
  const auto nothing = [](Context&, NodeWork*) -> Error { return kSuccess; };
  SIMULATED_TRY(add(out, handle, before, count, NodeKind::kEmpty, nothing));  // checks what comes before
  const Alone alone(graph->inside), child_alone(child->inside);
  Graph::Node after = graph->nodes.back();
  const std::vector<size_t> first = after.before;
  graph->nodes.pop_back();
  const size_t offset = graph->nodes.size();
  for (const Graph::Node& each : child->nodes) {
    Graph::Node node = each;
    for (size_t& earlier : node.before) earlier += offset;
    if (node.before.empty()) node.before = first;
    after.before.push_back(graph->nodes.size());
    graph->nodes.push_back(std::move(node));
  }
  graph->nodes.push_back(std::move(after));
  nodes().find(*out)->index = graph->nodes.size() - 1;
  return kSuccess;
}

Error launch(NativeGraphExec handle, NativeStream stream_handle) {
  std::shared_ptr<Stream> stream;
  SIMULATED_TRY(streamForDriver(stream_handle, &stream));
  SIMULATED_TRY(refuseCapturing(*stream));
  const std::shared_ptr<Exec> exec = execs().find(handle);
  if (exec == nullptr) return kInvalidHandle;
  const Alone alone(exec->inside);
  if (&exec->graph->context != &stream->context) return kInvalidValue;
  Command command;
  auto pending = std::make_shared<std::vector<std::unique_ptr<PendingLaunch>>>(exec->nodes.size());
  std::vector<std::shared_ptr<Record>> records(exec->nodes.size());  // of nodes that record an event
  for (size_t i = 0; i < exec->nodes.size(); ++i) {
    if (!exec->nodes[i].enabled) continue;
    const NodeWork& work = *exec->nodes[i].work;
    for (const auto& [memory, writes] : work.memory) command.uses.emplace_back(memory, writes);
    if (exec->nodes[i].kind == NodeKind::kEvent) work.event->set(records[i] = std::make_shared<Record>());
    if (exec->nodes[i].kind != NodeKind::kKernel) continue;
    if (functions().find(work.function) == nullptr) return kInvalidHandle;  // its module is gone
    (*pending)[i] = std::make_unique<PendingLaunch>(std::make_shared<Launch>(*work.launch));
  }
  command.awaits = exec->last;
  command.record = exec->last = std::make_shared<Record>();
  const activity::Call call(514);
  std::vector<activity::Call::Work> works(exec->nodes.size());
  for (size_t i = 0; i < exec->nodes.size(); ++i) {
    if (!exec->nodes[i].enabled) continue;
    const NodeWork& work = *exec->nodes[i].work;
    const uint64_t node = activity::nodeNumber(exec->number, i);
    if (exec->nodes[i].kind == NodeKind::kKernel) {
      works[i] = call.kernel(
          *(*pending)[i]->launch, [pending, i](Runner& runner) { runner.run(*(*pending)[i]->launch); }, node);
    } else if (exec->nodes[i].kind == NodeKind::kEvent) {
      works[i] = [record = records[i]](Runner&) { record->pass(); };
    } else if (work.run && exec->nodes[i].kind == NodeKind::kCopy) {
      works[i] = call.copy(work.copy_kind, work.bytes, work.run, node);
    } else if (work.run && exec->nodes[i].kind == NodeKind::kFill) {
      works[i] = call.fill(work.bytes, work.run, node);
    } else if (work.run) {
      works[i] = work.run;
    }
  }
  command.work = [all = exec->nodes, works](Runner& runner) {
    for (size_t i : someOrder(all)) {
      if (works[i]) works[i](runner);
    }
  };
  stream->submit(std::move(command));
  return kSuccess;
}

}  // namespace

Error captureKernel(Stream& stream, NativeFunction function, std::shared_ptr<const Launch> launch) {
  return addCaptured(stream, NodeKind::kKernel, [&](Context&, NodeWork* work) -> Error {
    work->function = function;
    work->launch = std::move(launch);
    return kSuccess;
  });
}

Error captureCopy(Stream& stream, const CopyNode& copy) {
  return addCaptured(stream, NodeKind::kCopy,
                     [&](Context& context, NodeWork* work) { return prepareCopyNode(context, copy, work); });
}

Error captureFill(Stream& stream, const FillNodeParameters& fill) {
  return addCaptured(stream, NodeKind::kFill,
                     [&](Context& context, NodeWork* work) { return prepareFillNode(context, fill, work); });
}

Error refuseCapturing(Stream& stream) {
  if (stream.capture == nullptr) return kSuccess;
  stream.capture->broken = true;
  return kCaptureUnsafe;
}

void dropCapture(Stream& stream) {
  if (stream.capture != nullptr) (void)destroy(std::exchange(stream.capture, nullptr)->graph);
}

// Called by a library that is simulated beside this one, for work that would be a kernel of its own.
Error runInStream(NativeStream handle, void (*function)(void*), void* user, int* captured) {
  std::shared_ptr<Stream> stream;
  SIMULATED_TRY(streamForDriver(handle, &stream));
  *captured = stream->capture != nullptr ? 1 : 0;
  const auto run = [=](Runner&) { function(user); };
  if (*captured != 0) {
    return addCaptured(*stream, NodeKind::kEmpty, [&](Context&, NodeWork* work) -> Error {
      work->run = run;
      return kSuccess;
    });
  }
  Command command;
  command.work = run;
  stream->submit(std::move(command));
  return kSuccess;
}

int liveGraphs() { return graphs().live(); }
int liveGraphExecs() { return execs().live(); }

namespace driver {

Error GraphCreate(NativeGraph* graph, unsigned flags) {
  return DRIVER_CALL(GraphCreate, {
    Context* current;
    SIMULATED_TRY(currentForDriver(&current));
    if (graph == nullptr || flags != 0) return kInvalidValue;
    *graph = graphs().add(std::make_shared<Graph>(*current));
    return kSuccess;
  });
}

Error GraphDestroy(NativeGraph handle) {
  return DRIVER_CALL(GraphDestroy, {
    if (defectAtTimes(Defect::leak)) return kSuccess;
    return destroy(handle);
  });
}

Error GraphAddEmptyNode(NativeNode* node, NativeGraph graph, const NativeNode* before, size_t count) {
  return DRIVER_CALL(GraphAddEmptyNode, {
    return add(node, graph, before, count, NodeKind::kEmpty, [](Context&, NodeWork*) -> Error { return kSuccess; });
  });
}

Error GraphAddChildGraphNode(NativeNode* node, NativeGraph graph, const NativeNode* before, size_t count, NativeGraph child) {
  return DRIVER_CALL(GraphAddChildGraphNode, { return addChild(node, graph, before, count, child); });
}

Error StreamBeginCapture(NativeStream handle, int mode) {
  return DRIVER_CALL(StreamBeginCapture, {
    std::shared_ptr<Stream> stream;
    SIMULATED_TRY(streamForDriver(handle, &stream));
    if (mode != kCaptureRelaxed) return kNotSupported;  // of this simulation
    if (stream->capture != nullptr) return kInvalidValue;
    auto capture = std::make_shared<Capture>();
    capture->graph = graphs().add(std::make_shared<Graph>(stream->context));
    stream->capture = std::move(capture);
    return kSuccess;
  });
}

Error StreamEndCapture(NativeStream handle, NativeGraph* graph) {
  return DRIVER_CALL(StreamEndCapture, {
    const std::shared_ptr<Stream> stream = streams().find(handle);
    if (stream == nullptr) return kInvalidHandle;
    if (graph == nullptr || stream->capture == nullptr) return kInvalidValue;
    const std::shared_ptr<Capture> capture = std::exchange(stream->capture, nullptr);
    *graph = capture->broken ? nullptr : capture->graph;
    if (!capture->broken) return kSuccess;
    (void)destroy(capture->graph);
    return kCaptureInvalidated;
  });
}

Error StreamIsCapturing(NativeStream handle, int* status) {
  return DRIVER_CALL(StreamIsCapturing, {
    std::shared_ptr<Stream> stream;
    SIMULATED_TRY(streamForDriver(handle, &stream));
    if (status == nullptr) return kInvalidValue;
    *status = stream->capture != nullptr ? 1 : 0;
    return kSuccess;
  });
}

Error GraphAddKernelNode(NativeNode* node, NativeGraph graph, const NativeNode* before, size_t count,
                         const KernelNodeParameters* parameters) {
  return DRIVER_CALL(GraphAddKernelNode, {
    return add(node, graph, before, count, NodeKind::kKernel,
               [&](Context& context, NodeWork* work) { return kernelWork(context, parameters, work); });
  });
}

Error GraphAddMemcpyNode(NativeNode* node, NativeGraph graph, const NativeNode* before, size_t count,
                         const CopyNodeParameters* parameters, NativeContext context) {
  return DRIVER_CALL(GraphAddMemcpyNode, {
    Context* const copying = contextOfHandle(context);
    if (copying == nullptr) return kInvalidContext;
    return add(node, graph, before, count, NodeKind::kCopy,
               [&](Context&, NodeWork* work) { return copyWork(*copying, parameters, work); });
  });
}

Error GraphAddMemsetNode(NativeNode* node, NativeGraph graph, const NativeNode* before, size_t count,
                         const FillNodeParameters* parameters, NativeContext handle) {
  return DRIVER_CALL(GraphAddMemsetNode, {
    Context* context = contextOfHandle(handle);
    if (context == nullptr) return kInvalidContext;
    if (parameters == nullptr) return kInvalidValue;
    return add(node, graph, before, count, NodeKind::kFill,
               [&](Context&, NodeWork* work) { return prepareFillNode(*context, *parameters, work); });
  });
}

Error GraphAddEventRecordNode(NativeNode* node, NativeGraph graph, const NativeNode* before, size_t count, NativeEvent event) {
  return DRIVER_CALL(GraphAddEventRecordNode, {
    return add(node, graph, before, count, NodeKind::kEvent,
               [&](Context& context, NodeWork* work) { return eventWork(context, event, work); });
  });
}

// Launches in flight record the event of their time.
Error GraphExecEventRecordNodeSetEvent(NativeGraphExec handle, NativeNode name, NativeEvent event) {
  return DRIVER_CALL(GraphExecEventRecordNodeSetEvent, {
    std::shared_ptr<Exec> exec;
    Graph::Node* node;
    SIMULATED_TRY(nodeOf(handle, name, NodeKind::kEvent, &exec, &node));
    const Alone alone(exec->inside);
    auto work = std::make_shared<NodeWork>();
    SIMULATED_TRY(eventWork(exec->graph->context, event, work.get()));
    node->work = std::move(work);
    return kSuccess;
  });
}

Error GraphInstantiateWithFlags(NativeGraphExec* exec, NativeGraph handle, unsigned long long flags) {
  return DRIVER_CALL(GraphInstantiateWithFlags, {
    std::shared_ptr<Graph> graph = graphs().find(handle);
    if (graph == nullptr) return kInvalidHandle;
    if (exec == nullptr || flags != 0) return kInvalidValue;
    const Alone alone(graph->inside);
    SIMULATED_TRY(graph->context.state());
    *exec = execs().add(std::make_shared<Exec>(std::move(graph)));
    return kSuccess;
  });
}

Error GraphExecDestroy(NativeGraphExec exec) {
  return DRIVER_CALL(GraphExecDestroy, {
    if (defectAtTimes(Defect::leak)) return kSuccess;
    return execs().remove(exec) != nullptr ? kSuccess : kInvalidHandle;  // a launch in flight has what it needs
  });
}

Error GraphExecKernelNodeSetParams(NativeGraphExec handle, NativeNode name, const KernelNodeParameters* parameters) {
  return DRIVER_CALL(GraphExecKernelNodeSetParams, {
    std::shared_ptr<Exec> exec;
    Graph::Node* node;
    SIMULATED_TRY(nodeOf(handle, name, NodeKind::kKernel, &exec, &node));
    const Alone alone(exec->inside);
    auto work = std::make_shared<NodeWork>();
    SIMULATED_TRY(kernelWork(exec->graph->context, parameters, work.get()));
    node->work = std::move(work);
    return kSuccess;
  });
}

Error GraphExecMemsetNodeSetParams(NativeGraphExec handle, NativeNode name, const FillNodeParameters* parameters,
                                   NativeContext context_handle) {
  return DRIVER_CALL(GraphExecMemsetNodeSetParams, {
    std::shared_ptr<Exec> exec;
    Graph::Node* node;
    SIMULATED_TRY(nodeOf(handle, name, NodeKind::kFill, &exec, &node));
    Context* context = contextOfHandle(context_handle);
    if (context == nullptr) return kInvalidContext;
    if (parameters == nullptr) return kInvalidValue;
    const Alone alone(exec->inside);
    auto work = std::make_shared<NodeWork>();
    SIMULATED_TRY(prepareFillNode(*context, *parameters, work.get()));
    const NodeWork& old = *node->work;
    const NodeWork& made = *exec->graph->nodes[static_cast<size_t>(node - exec->nodes.data())].work;
    // A flat one may have any size up to that of the instantiation, whose resources it keeps; a larger one depends on the
    // driver: here it is refused.
    const bool fits = old.flat && work->flat
                          ? work->shape[0] * work->shape[2] <= made.shape[0] * made.shape[2] && work->shape[2] == old.shape[2]
                          : work->shape == old.shape;
    if (!fits) return kInvalidValue;
    if (!(work->dst == old.dst)) violation("a fill of a graph is given memory of another kind");
    node->work = std::move(work);
    return kSuccess;
  });
}

Error GraphNodeSetEnabled(NativeGraphExec handle, NativeNode name, unsigned enabled) {
  return DRIVER_CALL(GraphNodeSetEnabled, {
    const std::shared_ptr<NodeName> found = nodes().find(name);
    std::shared_ptr<Exec> exec;
    Graph::Node* node;
    if (found == nullptr) return kInvalidHandle;
    if (found->index >= found->graph->nodes.size()) return kInvalidValue;
    const NodeKind kind = found->graph->nodes[found->index].kind;
    if (kind == NodeKind::kEmpty || kind == NodeKind::kEvent) return kInvalidValue;  // kernels, copies and fills alone
    SIMULATED_TRY(nodeOf(handle, name, kind, &exec, &node));
    const Alone alone(exec->inside);
    node->enabled = enabled != 0;
    return kSuccess;
  });
}

Error GraphLaunch(NativeGraphExec exec, NativeStream stream) {
  return DRIVER_CALL(GraphLaunch, { return launch(exec, stream); });
}

}  // namespace driver

extern "C" {

Error cudaGraphAddMemcpyNode1D(NativeNode* node, NativeGraph graph, const NativeNode* before, size_t count, void* dst,
                               const void* src, size_t size, int kind) {
  return RUNTIME_CALL(GraphAddMemcpyNode1D, {
    Context* current;
    SIMULATED_TRY(currentForRuntime(&current));
    if (kind != kCopyDefault) return kNotSupported;  // of this simulation
    return add(node, graph, before, count, NodeKind::kCopy, [&](Context& context, NodeWork* work) {
      return prepareCopyNode(context, {dst, size, src, size, size, 1}, work);
    });
  });
}

Error cudaGraphExecMemcpyNodeSetParams1D(NativeGraphExec handle, NativeNode name, void* dst, const void* src, size_t size,
                                         int kind) {
  return RUNTIME_CALL(GraphExecMemcpyNodeSetParams1D, {
    Context* current;
    SIMULATED_TRY(currentForRuntime(&current));
    if (kind != kCopyDefault) return kNotSupported;
    std::shared_ptr<Exec> exec;
    Graph::Node* node;
    SIMULATED_TRY(nodeOf(handle, name, NodeKind::kCopy, &exec, &node));
    const Alone alone(exec->inside);
    auto work = std::make_shared<NodeWork>();
    SIMULATED_TRY(prepareCopyNode(exec->graph->context, {dst, size, src, size, size, 1}, work.get()));
    const NodeWork& old = *node->work;
    if (!old.flat || !(work->dst == old.dst) || !(work->src == old.src)) return kInvalidValue;
    node->work = std::move(work);
    return kSuccess;
  });
}

}  // extern "C"

}  // namespace manyrt::simulated

extern "C" int simulatedCudaRunInStream(void* stream, void (*function)(void*), void* user, int* captured) {
  using manyrt::simulated::NativeStream;
  return manyrt::simulated::runInStream(static_cast<NativeStream>(stream), function, user, captured);
}
