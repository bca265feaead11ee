// Creates the handles of graphs, which belong to no context and are counted here, and those of plans and execs, which belong to
// one.
#include "manager/graph.h"

#include "manager/create.h"

namespace manyrt::manager {

Status createGraph(HandleBits* bits, Ref<GraphContent> content) {
  if (graphs.create(bits, std::move(content)) == nullptr) {
    return Status::error(RT_ERROR_OUT_OF_MEMORY, "There are no more handles for a graph.");
  }
  live_handles[RT_HANDLE_GRAPH].fetch_add(1, std::memory_order_relaxed);
  return Status();
}

Status createCapturePlan(CapturePlan** plan, Context& context, allocator::ContextResources& resources,
                         Ref<RefCounted> content) {
  return createChild(plan, capture_plans, context, Ref<allocator::ContextResources>(&resources), std::move(content));
}

Status createGraphExec(GraphExec** exec, Context& context, allocator::ContextResources& resources, Ref<RefCounted> content) {
  return createChild(exec, graph_execs, context, Ref<allocator::ContextResources>(&resources), std::move(content));
}

}  // namespace manyrt::manager
