// rt.h, chapter "Plans and execs": makes execs from plans, binds, changes and launches them.
#include <type_traits>

#include "api/guard.h"
#include "api/structs.h"
#include "graph/exec/exec.h"
#include "graph/model/params.h"
#include "manager/graph.h"

using namespace manyrt;

namespace {

Status publish(rtGraphExec_t* out, Ref<graph::Plan> plan, manager::Context& context, allocator::ContextResources& resources,
               epoch::Guard& guard) {
  Ref<graph::Exec> made;
  RT_TRY(graph::Exec::create(&made, std::move(plan), context, resources, guard));
  manager::GraphExec* handle = nullptr;
  RT_TRY(manager::createGraphExec(&handle, context, resources, std::move(made)));
  *out = reinterpret_cast<rtGraphExec_t>(handle->bits);
  return Status();
}

// The index of a node or buffer of the graph that the exec was made from.
template <class Part>
Status partOf(uint32_t* index, const Part& part, const graph::Exec& exec, const char* word) {
  RT_CHECK_ARG(part.content.get() == &exec.plan().source(), "The %s belongs to another graph than the exec was made of.", word);
  *index = part.index;
  return Status();
}

Status bind(rtGraphBuffer_t buffer, void* pointer, uint64_t size, rtGraphExec_t exec) {
  RT_RESOLVE(GraphBuffer, part, graph_buffers, buffer, RT_HANDLE_GRAPH_BUFFER);
  RT_RESOLVE(GraphExec, object, graph_execs, exec, RT_HANDLE_GRAPH_EXEC);
  graph::Exec& content = graph::Exec::of(*object);
  uint32_t index = 0;
  RT_TRY(partOf(&index, *part, content, "buffer"));
  RT_CHECK_ARG(index < content.plan().graph().buffers().size(), "The buffer was added after the exec was made.");
  return content.bind(index, pointer, size);
}

// For rtGraphExecSet...Params: `read` makes work from the parameters, as for a new node.
template <class Kind, class Params>
rtStatus_t setParams(const char* function, rtGraphNode_t node, const Params* params, const Params& defaults, rtGraphExec_t exec,
                     Status (*read)(Kind*, const Params&, const graph::Graph&)) {
  return api::guarded(function, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(GraphNode, part, graph_nodes, node, RT_HANDLE_GRAPH_NODE);
    RT_RESOLVE(GraphExec, object, graph_execs, exec, RT_HANDLE_GRAPH_EXEC);
    graph::Exec& content = graph::Exec::of(*object);
    RT_CHECK_ARG(params != nullptr, "The parameters of the node are NULL.");
    uint32_t index = 0;
    RT_TRY(partOf(&index, *part, content, "node"));
    Params chosen;
    RT_TRY(api::readOptions(&chosen, params, defaults, "params", api::firstSizeOf<Params>()));
    if constexpr (std::is_same_v<Kind, graph::KernelNode>) {
      bool done = false;
      RT_TRY(content.setKernelInPlace(&done, index, chosen));
      if (done) return Status();
    }
    graph::Work work;
    RT_TRY(read(&work.emplace<Kind>(), chosen, content.plan().source()));
    return content.setWork(index, std::move(work));
  });
}

}  // namespace

rtStatus_t rtGraphExecCreate(rtGraphExec_t* exec, rtCapturePlan_t plan) {
  if (exec != nullptr) *exec = nullptr;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(exec);
    RT_RESOLVE(CapturePlan, object, capture_plans, plan, RT_HANDLE_CAPTURE_PLAN);
    const Lease<manager::CapturePlan> lease(object);
    api::Pin pin;
    RT_TRY(pin.take(*object->context));
    return publish(exec, Ref<graph::Plan>(&graph::Plan::of(*object)), *object->context, *object->resources, guard);
  });
}

rtStatus_t rtGraphInstantiate(rtGraphExec_t* exec, rtGraph_t graph, rtContext_t context) {
  if (exec != nullptr) *exec = nullptr;
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_CHECK_OUTPUT(exec);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    graph::Graph& content = graph::Graph::of(*object);
    api::Creation in;
    RT_TRY(in.open(context != nullptr ? context : reinterpret_cast<rtContext_t>(content.context())));
    Ref<graph::Plan> plan;
    RT_TRY(graph::Plan::create(&plan, {content, in.context(), in.resources(), {}, 0}, guard));
    return publish(exec, std::move(plan), in.context(), in.resources(), guard);
  });
}

rtStatus_t rtGraphExecDestroy(rtGraphExec_t exec) {
  if (exec == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    epoch::collectAfterCall();  // its memory and its streams go back
    if (manager::graph_execs.find(toBits(exec)) != nullptr && manager::closeHandle(toBits(exec))) return Status();
    return manager::invalidHandle(toBits(exec), RT_HANDLE_GRAPH_EXEC, "exec");
  });
}

rtStatus_t rtGraphExecBindBuffer(rtGraphBuffer_t buffer, void* pointer, rtGraphExec_t exec) {
  return api::guarded(__func__, [&](epoch::Guard&) { return bind(buffer, pointer, graph::Exec::kWhole, exec); });
}

rtStatus_t rtGraphExecBindBufferRange(rtGraphBuffer_t buffer, void* pointer, uint64_t size, rtGraphExec_t exec) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_ARG(size != 0, "The range of a buffer has 0 bytes: it takes 1 and more.");
    return bind(buffer, pointer, size, exec);
  });
}

rtStatus_t rtGraphExecBindValue(rtGraphValue_t value, const void* data, uint64_t size, rtGraphExec_t exec) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(GraphValue, part, graph_values, value, RT_HANDLE_GRAPH_VALUE);
    RT_RESOLVE(GraphExec, object, graph_execs, exec, RT_HANDLE_GRAPH_EXEC);
    graph::Exec& content = graph::Exec::of(*object);
    uint32_t index = 0;
    RT_TRY(partOf(&index, *part, content, "value"));
    RT_CHECK_ARG(index < content.plan().graph().values().size(), "The value was added after the exec was made.");
    RT_CHECK_ARG(data != nullptr, "data is NULL: it points to the bytes of the value.");
    return content.bindValue(index, data, size);
  });
}

rtStatus_t rtGraphExecSetKernelParams(rtGraphNode_t node, const rtGraphKernelParams_t* params, rtGraphExec_t exec) {
  return setParams(__func__, node, params, rtGraphKernelParams_t RT_GRAPH_KERNEL_PARAMS_INIT, exec, graph::readKernel);
}

rtStatus_t rtGraphExecSetMemcpyParams(rtGraphNode_t node, const rtGraphMemcpyParams_t* params, rtGraphExec_t exec) {
  return setParams(__func__, node, params, rtGraphMemcpyParams_t RT_GRAPH_MEMCPY_PARAMS_INIT, exec, graph::readCopy);
}

rtStatus_t rtGraphExecSetMemcpy2DParams(rtGraphNode_t node, const rtGraphMemcpy2DParams_t* params, rtGraphExec_t exec) {
  return setParams(__func__, node, params, rtGraphMemcpy2DParams_t RT_GRAPH_MEMCPY_2D_PARAMS_INIT, exec, graph::readCopy2D);
}

rtStatus_t rtGraphExecSetFillParams(rtGraphNode_t node, const rtGraphFillParams_t* params, rtGraphExec_t exec) {
  return setParams(__func__, node, params, rtGraphFillParams_t RT_GRAPH_FILL_PARAMS_INIT, exec, graph::readFill);
}

rtStatus_t rtGraphExecUpdate(rtGraph_t graph, rtGraphExec_t exec) {
  return api::guarded(__func__, [&](epoch::Guard& guard) -> Status {
    RT_RESOLVE(Graph, other, graphs, graph, RT_HANDLE_GRAPH);
    RT_RESOLVE(GraphExec, object, graph_execs, exec, RT_HANDLE_GRAPH_EXEC);
    const Lease<manager::GraphExec> lease(object);  // recording native functions leaves the guard
    return graph::Exec::of(*object).update(graph::Graph::of(*other), guard);
  });
}

[[gnu::hot]] rtStatus_t rtGraphLaunch(rtGraphExec_t exec, rtStream_t stream) {
  return api::guardedHot<trace::HotCall::kGraphLaunch>(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE_HOT(GraphExec, object, graph_execs, exec, RT_HANDLE_GRAPH_EXEC);
    RT_RESOLVE_STREAM(order, stream);
    return graph::Exec::of(*object).launch(*order);
  });
}
