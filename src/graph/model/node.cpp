// The names of nodes in messages and pictures, the contexts that they are bound to, and the memory that they read and write.
// Used by the graph, by inferred dependencies and by the plan.
#include "graph/model/node.h"

#include "base/checked.h"
#include "graph/model/graph.h"

namespace manyrt::graph {

const char* typeName(int32_t type) {
  static constexpr const char* kNames[] = {"empty",         "kernel",          "copy",     "rectangle",    "fill",
                                           "host function", "native function", "graph",    "event record", "event wait",
                                           "fence signal",  "fence wait",      "prefetch", "allocation",   "free"};
  return kNames[type];
}

int32_t typeOf(const Work& work) {
  if (const CopyNode* copy = std::get_if<CopyNode>(&work))
    return copy->rectangle ? RT_GRAPH_NODE_MEMCPY_2D : RT_GRAPH_NODE_MEMCPY;
  if (const EventNode* event = std::get_if<EventNode>(&work)) {
    return event->wait ? RT_GRAPH_NODE_EVENT_WAIT : RT_GRAPH_NODE_EVENT_RECORD;
  }
  if (const FenceNode* fence = std::get_if<FenceNode>(&work)) {
    return fence->wait ? RT_GRAPH_NODE_FENCE_WAIT : RT_GRAPH_NODE_FENCE_SIGNAL;
  }
  if (const MemoryNode* memory = std::get_if<MemoryNode>(&work))
    return memory->free ? RT_GRAPH_NODE_FREE : RT_GRAPH_NODE_ALLOCATION;
  if (std::holds_alternative<PrefetchNode>(work)) return RT_GRAPH_NODE_PREFETCH;
  if (std::holds_alternative<KernelNode>(work)) return RT_GRAPH_NODE_KERNEL;
  if (std::holds_alternative<FillNode>(work)) return RT_GRAPH_NODE_FILL;
  if (std::holds_alternative<HostNode>(work)) return RT_GRAPH_NODE_HOST;
  if (std::holds_alternative<NativeNode>(work)) return RT_GRAPH_NODE_NATIVE;
  if (std::holds_alternative<ChildNode>(work)) return RT_GRAPH_NODE_CHILD_GRAPH;
  return RT_GRAPH_NODE_EMPTY;
}

std::string describe(const Work& work) {
  const KernelNode* kernel = std::get_if<KernelNode>(&work);
  if (kernel == nullptr) return typeName(typeOf(work));
  return "kernel \"" + (kernel->kernel ? std::string(kernel->kernel->native->name()) : kernel->name) + '"';
}

bool namesContext(const Work& work, HandleBits* context) {
  if (const KernelNode* kernel = std::get_if<KernelNode>(&work); kernel != nullptr && kernel->kernel) {
    *context = kernel->kernel->context->bits;
    return true;
  }
  if (const EventNode* event = std::get_if<EventNode>(&work); event != nullptr && !event->wait) {
    *context = event->event->context->bits;
    return true;
  }
  if (const ChildNode* child = std::get_if<ChildNode>(&work)) {
    *context = child->graph->contextOfCopy();
    return *context != 0;
  }
  return false;
}

namespace {

uint64_t rows(uint64_t pitch, uint64_t width, uint64_t height) {
  return height <= 1 ? width * height : pitch * (height - 1) + width;  // checked when the node was added
}

}  // namespace

Accesses accessesOf(const Work& work) {
  Accesses result;
  constexpr uint32_t kBoth = RT_GRAPH_READ | RT_GRAPH_WRITE;
  if (const KernelNode* kernel = std::get_if<KernelNode>(&work)) {
    for (const KernelArgument& argument : kernel->arguments) {
      if (argument.kind == RT_ARG_POINTER) result.memory.push_back({&argument.memory, argument.bytes, argument.access});
    }
  } else if (const CopyNode* copy = std::get_if<CopyNode>(&work)) {
    result.memory.push_back({&copy->dst, rows(copy->dst_pitch, copy->width, copy->height), RT_GRAPH_WRITE});
    result.memory.push_back({&copy->src, rows(copy->src_pitch, copy->width, copy->height), RT_GRAPH_READ});
  } else if (const FillNode* fill = std::get_if<FillNode>(&work)) {
    result.memory.push_back({&fill->dst, rows(fill->pitch, fill->count * fill->pattern_size, fill->height), RT_GRAPH_WRITE});
  } else if (const ChildNode* child = std::get_if<ChildNode>(&work)) {
    for (const Binding& binding : child->bindings) {
      const Buffer& buffer = child->graph->buffers()[binding.buffer];
      const bool read = buffer.role == RT_GRAPH_BUFFER_CONSTANT;
      result.memory.push_back({&binding.memory, buffer.size, read ? uint32_t{RT_GRAPH_READ} : kBoth});
    }
    result.opaque = true;
  } else if (const PrefetchNode* prefetch = std::get_if<PrefetchNode>(&work)) {
    result.memory.push_back({&prefetch->memory, prefetch->size, RT_GRAPH_READ});
  } else if (const MemoryNode* memory = std::get_if<MemoryNode>(&work)) {
    result.memory.push_back({&memory->memory, memory->size, RT_GRAPH_WRITE});
  } else {
    result.opaque = !std::holds_alternative<EmptyNode>(work);
  }
  return result;
}

}  // namespace manyrt::graph
