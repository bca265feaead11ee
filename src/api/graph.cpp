// rt.h, chapter "Graphs": makes graphs, buffers and values, and answers questions about them. graph_node.cpp adds nodes.
#include "graph/model/graph.h"

#include "api/graph.h"
#include "api/guard.h"
#include "base/text.h"
#include "graph/model/params.h"

using namespace manyrt;

Status api::publish(rtGraph_t* out, const Ref<graph::Graph>& made) {
  HandleBits bits = 0;
  Status status;
  try {
    status = manager::createGraph(&bits, Ref<manager::GraphContent>(made.get()));
  } catch (const std::bad_alloc&) {  // the handles of the parts have to be closed
    status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  if (!status.ok()) {
    made->handleClosed();
    return status;
  }
  *out = reinterpret_cast<rtGraph_t>(bits);
  return Status();
}

namespace {

graph::Buffer bufferOf(uint64_t size, int32_t role, const char* name) {
  graph::Buffer buffer;
  buffer.size = size;
  buffer.role = role;
  buffer.name = name != nullptr ? name : "";
  return buffer;
}

// Reads `from` and `to` as indices of nodes. Refuses a number of pairs that the graph cannot have, before it allocates memory.
Status readPairs(std::vector<uint32_t>* first, std::vector<uint32_t>* second, const rtGraphNode_t* from,
                 const rtGraphNode_t* to, uint32_t count, const graph::Graph& graph) {
  RT_CHECK_ARG(count == 0 || (from != nullptr && to != nullptr), "%u %s given; \"%s\" is NULL.", count,
               count == 1 ? "dependency was" : "dependencies were", from == nullptr ? "from" : "to");
  size_t nodes;
  {
    std::lock_guard lock(graph.mutex());
    nodes = graph.nodes().size();
  }
  RT_CHECK_ARG(count <= uint64_t{nodes} * nodes, "%u dependencies are more than a graph of %zu node%s can have.", count, nodes,
               plural(nodes));
  RT_TRY(graph::readNodes(first, from, count, graph, "from"));
  return graph::readNodes(second, to, count, graph, "to");
}

}  // namespace

rtStatus_t rtGraphCreate(rtGraph_t* graph) {
  if (graph != nullptr) *graph = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(graph);
    return api::publish(graph, Ref<graph::Graph>::adopt(new graph::Graph));
  });
}

rtStatus_t rtGraphDestroy(rtGraph_t graph) {
  if (graph == nullptr) return RT_SUCCESS;
  return api::guardedRelease(__func__, [&](epoch::Guard&) -> Status {
    epoch::collectAfterCall();  // its leases go back
    if (manager::graphs.find(toBits(graph)) != nullptr && manager::closeHandle(toBits(graph))) return Status();
    return manager::invalidHandle(toBits(graph), RT_HANDLE_GRAPH, "graph");
  });
}

rtStatus_t rtGraphClone(rtGraph_t* clone, rtGraph_t graph) {
  if (clone != nullptr) *clone = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(clone);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    return api::publish(clone, graph::Graph::of(*object).snapshot(true));
  });
}

rtStatus_t rtGraphAddBuffer(rtGraphBuffer_t* buffer, uint64_t size, int32_t role, const char* name, rtGraph_t graph) {
  if (buffer != nullptr) *buffer = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(buffer);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    HandleBits bits = 0;
    RT_TRY(graph::Graph::of(*object).addBuffer(&bits, bufferOf(size, role, name)));
    *buffer = reinterpret_cast<rtGraphBuffer_t>(bits);
    return Status();
  });
}

rtStatus_t rtGraphAddValue(rtGraphValue_t* value, uint64_t size, const void* initial, const char* name, rtGraph_t graph) {
  if (value != nullptr) *value = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(value);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    RT_CHECK_ARG(size <= backend::kMaxArgumentBytes, "A value of %llu bytes is no argument of a kernel: it has %u at most.",
                 static_cast<unsigned long long>(size), backend::kMaxArgumentBytes);
    graph::Value made;
    made.size = static_cast<uint32_t>(size);
    made.name = name != nullptr ? name : "";
    const auto* const bytes = static_cast<const unsigned char*>(initial);
    if (bytes != nullptr) made.initial.assign(bytes, bytes + size);
    HandleBits bits = 0;
    RT_TRY(graph::Graph::of(*object).addValue(&bits, std::move(made)));
    *value = reinterpret_cast<rtGraphValue_t>(bits);
    return Status();
  });
}

rtStatus_t rtGraphMakeBuffer(rtGraphBuffer_t* buffer, void* pointer, uint64_t size, int32_t role, const char* name,
                             rtGraph_t graph) {
  if (buffer != nullptr) *buffer = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(buffer);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    graph::Buffer made = bufferOf(size, role, name);
    made.recorded = pointer;
    HandleBits bits = 0;
    RT_TRY(graph::Graph::of(*object).makeBuffer(&bits, std::move(made)));
    *buffer = reinterpret_cast<rtGraphBuffer_t>(bits);
    return Status();
  });
}

rtStatus_t rtGraphAddDependencies(const rtGraphNode_t* from, const rtGraphNode_t* to, uint32_t count, rtGraph_t graph) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    graph::Graph& content = graph::Graph::of(*object);
    std::vector<uint32_t> first, second;
    RT_TRY(readPairs(&first, &second, from, to, count, content));
    return content.addDependencies(first, second);
  });
}

rtStatus_t rtGraphRemoveDependencies(const rtGraphNode_t* from, const rtGraphNode_t* to, uint32_t count, rtGraph_t graph) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    graph::Graph& content = graph::Graph::of(*object);
    std::vector<uint32_t> first, second;
    RT_TRY(readPairs(&first, &second, from, to, count, content));
    return content.removeDependencies(first, second);
  });
}

rtStatus_t rtGraphGetNodes(rtGraphNode_t* nodes, uint32_t capacity, uint32_t* count, rtGraph_t graph) {
  if (count != nullptr) *count = 0;
  if (nodes != nullptr && capacity != 0) nodes[0] = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(count);
    RT_CHECK_ARG(nodes != nullptr || capacity == 0, "The output \"nodes\" is NULL, its capacity is %u.", capacity);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    const graph::Graph& content = graph::Graph::of(*object);
    std::lock_guard lock(content.mutex());
    *count = static_cast<uint32_t>(content.nodes().size());
    for (uint32_t i = 0; i < *count && i < capacity; ++i) {
      nodes[i] = reinterpret_cast<rtGraphNode_t>(content.nodes()[i].handle);
    }
    return Status();
  });
}

rtStatus_t rtGraphGetEdges(rtGraphNode_t* from, rtGraphNode_t* to, uint32_t capacity, uint32_t* count, rtGraph_t graph) {
  if (count != nullptr) *count = 0;
  if (from != nullptr && capacity != 0) from[0] = nullptr;
  if (to != nullptr && capacity != 0) to[0] = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(count);
    RT_CHECK_ARG((from != nullptr && to != nullptr) || capacity == 0, "The output \"%s\" is NULL, its capacity is %u.",
                 from == nullptr ? "from" : "to", capacity);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    const graph::Graph& content = graph::Graph::of(*object);
    std::lock_guard lock(content.mutex());
    for (const graph::Node& node : content.nodes()) {
      for (uint32_t before : node.before) {
        if (*count < capacity) {
          from[*count] = reinterpret_cast<rtGraphNode_t>(content.nodes()[before].handle);
          to[*count] = reinterpret_cast<rtGraphNode_t>(node.handle);
        }
        ++*count;
      }
    }
    return Status();
  });
}

rtStatus_t rtGraphNodeGetType(int32_t* type, rtGraphNode_t node) {
  if (type != nullptr) *type = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(type);
    RT_RESOLVE(GraphNode, object, graph_nodes, node, RT_HANDLE_GRAPH_NODE);
    const graph::Graph& content = graph::Graph::of(*object);
    std::lock_guard lock(content.mutex());
    *type = graph::typeOf(content.nodes()[object->index].work);
    return Status();
  });
}

rtStatus_t rtGraphExportDot(char* buffer, size_t size, size_t* needed, rtGraph_t graph) {
  if (needed != nullptr) *needed = 0;
  if (buffer != nullptr && size != 0) buffer[0] = '\0';
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    return api::copyText(buffer, size, needed, graph::Graph::of(*object).dot().c_str());
  });
}
