// The handles of graphs, nodes, buffers, plans and execs. src/graph, above the managers, defines their contents. This file has
// their owners, and what follows when a handle is closed.
#pragma once

#include "base/ref.h"
#include "manager/child.h"
#include "manager/tables.h"

namespace manyrt::manager {

// The content of a graph, which src/graph implements.
class GraphContent : public RefCounted {
 public:
  virtual void handleClosed() = 0;  // closes the handles of its parts; under a guard
};

struct Graph {
  explicit Graph(Ref<GraphContent> graph_content) : content(std::move(graph_content)) {}
  const bool counted = true;
  const Ref<GraphContent> content;
};

// A node, a buffer or a value of a graph, with its index there. Not counted, as the kernels of a module are not.
struct GraphPart {
  GraphPart(GraphContent& of, uint32_t at) : content(&of), index(at) {}
  const bool counted = false;
  const Ref<GraphContent> content;
  const uint32_t index;
};
struct GraphNode : GraphPart {
  using GraphPart::GraphPart;
};
struct GraphBuffer : GraphPart {
  using GraphPart::GraphPart;
};
struct GraphValue : GraphPart {
  using GraphPart::GraphPart;
};

struct CapturePlan : Child {
  CapturePlan(Context& owner_context, Ref<allocator::ContextResources> context_resources, Ref<RefCounted> shared_content)
      : Child(owner_context, std::move(context_resources), true), content(std::move(shared_content)) {}
  const Ref<RefCounted> content;
};
struct GraphExec : Child {
  GraphExec(Context& owner_context, Ref<allocator::ContextResources> context_resources, Ref<RefCounted> shared_content)
      : Child(owner_context, std::move(context_resources), true), content(std::move(shared_content)) {}
  const Ref<RefCounted> content;
};

Status createCapturePlan(CapturePlan** plan, Context& context, allocator::ContextResources& resources, Ref<RefCounted> content);
Status createGraphExec(GraphExec** exec, Context& context, allocator::ContextResources& resources, Ref<RefCounted> content);

// Opens the handle of a complete graph. Throws bad_alloc.
Status createGraph(HandleBits* bits, Ref<GraphContent> content);

}  // namespace manyrt::manager
