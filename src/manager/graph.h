// Graphs, their nodes and buffers, plans and execs as handles. What they are stands in src/graph, above the managers: here is
// who owns them, and what has to follow when a handle is closed.
#pragma once

#include "base/ref.h"
#include "manager/child.h"
#include "manager/tables.h"

namespace manyrt::manager {

// What src/graph keeps behind a graph's handle.
class GraphContent : public RefCounted {
 public:
  virtual void handleClosed() = 0;  // closes the handles of nodes and buffers; under a guard
};

struct Graph {
  explicit Graph(Ref<GraphContent> behind) : content(std::move(behind)) {}
  const bool counted = true;
  const Ref<GraphContent> content;
};

// A node or a buffer: the graph's, with its place there. Not counted, as the kernels of a module.
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

struct CapturePlan : Child {
  CapturePlan(Context& owner_context, Ref<allocator::ContextResources> native_owner, Ref<RefCounted> behind)
      : Child(owner_context, std::move(native_owner), true), content(std::move(behind)) {}
  const Ref<RefCounted> content;
};
struct GraphExec : Child {
  GraphExec(Context& owner_context, Ref<allocator::ContextResources> native_owner, Ref<RefCounted> behind)
      : Child(owner_context, std::move(native_owner), true), content(std::move(behind)) {}
  const Ref<RefCounted> content;
};

Status createCapturePlan(CapturePlan** plan, Context& context, allocator::ContextResources& owner, Ref<RefCounted> content);
Status createGraphExec(GraphExec** exec, Context& context, allocator::ContextResources& owner, Ref<RefCounted> content);

// The handle of a graph that is complete. Throws bad_alloc.
Status createGraph(HandleBits* bits, Ref<GraphContent> content);

}  // namespace manyrt::manager
