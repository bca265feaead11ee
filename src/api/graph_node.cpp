// rt.h, chapter "Graphs": one function for each kind of node. All read the parameters, and then the graph adds the node.
#include <string>

#include "api/guard.h"
#include "api/structs.h"
#include "base/text.h"
#include "graph/model/graph.h"
#include "graph/model/params.h"

using namespace manyrt;

namespace {

Status readDependencies(graph::Graph::Dependencies* out, const rtGraphNode_t* dependencies, uint32_t count,
                        const graph::Graph& graph) {
  out->inferred = count == RT_INFERRED;
  if (out->inferred) {
    RT_CHECK_ARG(dependencies == nullptr, "Dependencies were given beside RT_INFERRED.");
    return Status();
  }
  RT_CHECK_ARG(dependencies != nullptr || count == 0, "%u %s given; \"dependencies\" is NULL.", count,
               count == 1 ? "dependency was" : "dependencies were");
  {
    std::lock_guard lock(graph.mutex());
    RT_CHECK_ARG(count <= graph.nodes().size(), "%u %s given; the graph has %zu node%s.", count,
                 count == 1 ? "dependency was" : "dependencies were", graph.nodes().size(), plural(graph.nodes().size()));
  }
  return graph::readNodes(&out->nodes, dependencies, count, graph, "dependencies");
}

// `read` makes work from complete parameters.
template <class Params, class Read>
rtStatus_t addNode(const char* function, rtGraphNode_t* node, const Params* params, const Params& defaults,
                   const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph, Read read) {
  if (node != nullptr) *node = nullptr;
  return api::guarded(function, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(node);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    graph::Graph& content = graph::Graph::of(*object);
    RT_CHECK_ARG(params != nullptr, "The parameters of the node are NULL.");
    Params chosen;
    RT_TRY(api::readOptions(&chosen, params, defaults, "params", api::firstSizeOf<Params>()));
    graph::Graph::Dependencies before;
    RT_TRY(readDependencies(&before, dependencies, count, content));
    graph::Work work;
    RT_TRY(read(&work, chosen, content));
    HandleBits bits = 0;
    RT_TRY(content.add(&bits, nullptr, std::move(work), before));
    *node = reinterpret_cast<rtGraphNode_t>(bits);
    return Status();
  });
}

// For host and native functions. The library takes the user pointer over only if the node was added.
template <class Kind, class Params>
rtStatus_t addFunction(const char* function, rtGraphNode_t* node, const Params* params, const Params& defaults,
                       const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  epoch::Scope scope;  // another thread may destroy the graph meanwhile: the last use of the pointer ends here then
  std::shared_ptr<graph::UserData> user;
  const rtStatus_t code =
      addNode(function, node, params, defaults, dependencies, count, graph,
              [&](graph::Work* work, const Params& chosen, const graph::Graph&) -> Status {
                RT_CHECK_ARG(chosen.function != nullptr, "The function of the node is NULL.");
                RT_CHECK_ARG(chosen.reserved == 0, "The reserved field of the parameters is %u, not 0.", chosen.reserved);
                user = std::make_shared<graph::UserData>(chosen.user, nullptr);
                *work = Kind{chosen.function, user};
                return Status();
              });
  if (code == RT_SUCCESS) user->takeOver(params->release);
  return code;
}

template <class Params>
Status checkReserved(const Params& params) {
  RT_CHECK_ARG(params.reserved == 0, "The reserved field of the parameters is %u, not 0.", params.reserved);
  return Status();
}

rtStatus_t addEvent(const char* function, rtGraphNode_t* node, const rtGraphEventParams_t* params,
                    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph, bool wait) {
  return addNode(function, node, params, rtGraphEventParams_t RT_GRAPH_EVENT_PARAMS_INIT, dependencies, count, graph,
                 [&](graph::Work* work, const rtGraphEventParams_t& chosen, const graph::Graph&) -> Status {
                   RT_TRY(checkReserved(chosen));
                   manager::Event* event = nullptr;
                   RT_TRY(api::resolve(&event, manager::events, chosen.event, RT_HANDLE_EVENT, "params.event"));
                   *work = graph::EventNode{Lease<manager::Event>(event), wait};
                   return Status();
                 });
}

rtStatus_t addFence(const char* function, rtGraphNode_t* node, const rtGraphFenceParams_t* params,
                    const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph, bool wait) {
  return addNode(function, node, params, rtGraphFenceParams_t RT_GRAPH_FENCE_PARAMS_INIT, dependencies, count, graph,
                 [&](graph::Work* work, const rtGraphFenceParams_t& chosen, const graph::Graph&) -> Status {
                   RT_TRY(checkReserved(chosen));
                   manager::Fence* fence = nullptr;
                   RT_TRY(api::resolve(&fence, manager::fences, chosen.fence, RT_HANDLE_FENCE, "params.fence"));
                   *work = graph::FenceNode{Lease<manager::Fence>(fence), chosen.value, wait};
                   return Status();
                 });
}

// For the kinds of nodes that graph/model/params reads.
template <class Kind, class Params>
auto reader(Status (*read)(Kind*, const Params&, const graph::Graph&)) {
  return [read](graph::Work* work, const Params& chosen, const graph::Graph& graph) {
    return read(&work->emplace<Kind>(), chosen, graph);
  };
}

}  // namespace

rtStatus_t rtGraphAddKernelNode(rtGraphNode_t* node, const rtGraphKernelParams_t* params, const rtGraphNode_t* dependencies,
                                uint32_t count, rtGraph_t graph) {
  return addNode(__func__, node, params, rtGraphKernelParams_t RT_GRAPH_KERNEL_PARAMS_INIT, dependencies, count, graph,
                 reader(graph::readKernel));
}

rtStatus_t rtGraphAddMemcpyNode(rtGraphNode_t* node, const rtGraphMemcpyParams_t* params, const rtGraphNode_t* dependencies,
                                uint32_t count, rtGraph_t graph) {
  return addNode(__func__, node, params, rtGraphMemcpyParams_t RT_GRAPH_MEMCPY_PARAMS_INIT, dependencies, count, graph,
                 reader(graph::readCopy));
}

rtStatus_t rtGraphAddMemcpy2DNode(rtGraphNode_t* node, const rtGraphMemcpy2DParams_t* params, const rtGraphNode_t* dependencies,
                                  uint32_t count, rtGraph_t graph) {
  return addNode(__func__, node, params, rtGraphMemcpy2DParams_t RT_GRAPH_MEMCPY_2D_PARAMS_INIT, dependencies, count, graph,
                 reader(graph::readCopy2D));
}

rtStatus_t rtGraphAddFillNode(rtGraphNode_t* node, const rtGraphFillParams_t* params, const rtGraphNode_t* dependencies,
                              uint32_t count, rtGraph_t graph) {
  return addNode(__func__, node, params, rtGraphFillParams_t RT_GRAPH_FILL_PARAMS_INIT, dependencies, count, graph,
                 reader(graph::readFill));
}

rtStatus_t rtGraphAddHostNode(rtGraphNode_t* node, const rtGraphHostParams_t* params, const rtGraphNode_t* dependencies,
                              uint32_t count, rtGraph_t graph) {
  return addFunction<graph::HostNode>(__func__, node, params, rtGraphHostParams_t RT_GRAPH_HOST_PARAMS_INIT, dependencies,
                                      count, graph);
}

rtStatus_t rtGraphAddNativeNode(rtGraphNode_t* node, const rtGraphNativeParams_t* params, const rtGraphNode_t* dependencies,
                                uint32_t count, rtGraph_t graph) {
  return addFunction<graph::NativeNode>(__func__, node, params, rtGraphNativeParams_t RT_GRAPH_NATIVE_PARAMS_INIT, dependencies,
                                        count, graph);
}

rtStatus_t rtGraphAddEmptyNode(rtGraphNode_t* node, const rtGraphNode_t* dependencies, uint32_t count, rtGraph_t graph) {
  if (node != nullptr) *node = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(node);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    graph::Graph& content = graph::Graph::of(*object);
    graph::Graph::Dependencies before;
    RT_TRY(readDependencies(&before, dependencies, count, content));
    HandleBits bits = 0;
    RT_TRY(content.add(&bits, nullptr, graph::EmptyNode(), before));
    *node = reinterpret_cast<rtGraphNode_t>(bits);
    return Status();
  });
}

rtStatus_t rtGraphAddChildGraphNode(rtGraphNode_t* node, const rtGraphChildParams_t* params, const rtGraphNode_t* dependencies,
                                    uint32_t count, rtGraph_t graph) {
  return addNode(__func__, node, params, rtGraphChildParams_t RT_GRAPH_CHILD_PARAMS_INIT, dependencies, count, graph,
                 reader(graph::readChild));
}

rtStatus_t rtGraphAddEventRecordNode(rtGraphNode_t* node, const rtGraphEventParams_t* params, const rtGraphNode_t* dependencies,
                                     uint32_t count, rtGraph_t graph) {
  return addEvent(__func__, node, params, dependencies, count, graph, false);
}

rtStatus_t rtGraphAddEventWaitNode(rtGraphNode_t* node, const rtGraphEventParams_t* params, const rtGraphNode_t* dependencies,
                                   uint32_t count, rtGraph_t graph) {
  return addEvent(__func__, node, params, dependencies, count, graph, true);
}

rtStatus_t rtGraphAddFenceSignalNode(rtGraphNode_t* node, const rtGraphFenceParams_t* params, const rtGraphNode_t* dependencies,
                                     uint32_t count, rtGraph_t graph) {
  return addFence(__func__, node, params, dependencies, count, graph, false);
}

rtStatus_t rtGraphAddFenceWaitNode(rtGraphNode_t* node, const rtGraphFenceParams_t* params, const rtGraphNode_t* dependencies,
                                   uint32_t count, rtGraph_t graph) {
  return addFence(__func__, node, params, dependencies, count, graph, true);
}
