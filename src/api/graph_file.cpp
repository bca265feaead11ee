// rt.h, chapter "Graphs": loads and saves graph files, and lists the buffers and values of a loaded graph.
#include <cstring>

#include "api/graph.h"
#include "api/guard.h"
#include "api/structs.h"
#include "base/text.h"
#include "graph/file/file.h"
#include "graph/file/json.h"

using namespace manyrt;

rtStatus_t rtGraphSave(void* data, size_t size, size_t* needed, rtGraph_t graph) {
  if (needed != nullptr) *needed = 0;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_ARG(data != nullptr || size == 0, "The output \"data\" is NULL, its size is %zu.", size);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    std::string text;
    RT_TRY(graph::writeFile(&text, graph::Graph::of(*object)));
    if (size != 0) memcpy(data, text.data(), std::min(size, text.size()));
    if (needed != nullptr) *needed = text.size();
    return Status();
  });
}

rtStatus_t rtGraphLoad(rtGraph_t* graph, const void* data, size_t size) {
  if (graph != nullptr) *graph = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    epoch::collectAfterCall();  // for the handles of a refused graph, and of child graphs
    RT_CHECK_OUTPUT(graph);
    RT_CHECK_ARG(data != nullptr && size != 0, "The file is empty: data is %p, its size is %zu.", data, size);
    RT_CHECK_ARG(size <= graph::Json::kMaxBytes, "A graph file of %zu bytes is too long: at most %zu.", size,
                 graph::Json::kMaxBytes);
    Ref<graph::Graph> made;
    RT_TRY(graph::readFile(&made, std::string_view(static_cast<const char*>(data), size)));
    return api::publish(graph, made);
  });
}

rtStatus_t rtGraphGetBuffers(rtGraphBuffer_t* buffers, uint32_t capacity, uint32_t* count, rtGraph_t graph) {
  if (count != nullptr) *count = 0;
  if (buffers != nullptr && capacity != 0) buffers[0] = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(count);
    RT_CHECK_ARG(buffers != nullptr || capacity == 0, "The output \"buffers\" is NULL, its capacity is %u.", capacity);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    const graph::Graph& content = graph::Graph::of(*object);
    std::lock_guard lock(content.mutex());
    *count = static_cast<uint32_t>(content.buffers().size());
    for (uint32_t i = 0; i < *count && i < capacity; ++i) {
      buffers[i] = reinterpret_cast<rtGraphBuffer_t>(content.buffers()[i].handle);
    }
    return Status();
  });
}

rtStatus_t rtGraphBufferGetInfo(rtGraphBufferInfo_t* info, rtGraphBuffer_t buffer) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(info, "info"));
    RT_RESOLVE(GraphBuffer, object, graph_buffers, buffer, RT_HANDLE_GRAPH_BUFFER);
    const graph::Graph& content = graph::Graph::of(*object);
    std::lock_guard lock(content.mutex());
    const graph::Buffer& of = content.buffers()[object->index];
    rtGraphBufferInfo_t result = RT_GRAPH_BUFFER_INFO_INIT;
    result.role = of.role;
    result.size = of.size;
    copyLetters(result.name, sizeof result.name, of.name.c_str());
    api::writeResult(info, result);
    return Status();
  });
}

rtStatus_t rtGraphGetValues(rtGraphValue_t* values, uint32_t capacity, uint32_t* count, rtGraph_t graph) {
  if (count != nullptr) *count = 0;
  if (values != nullptr && capacity != 0) values[0] = nullptr;
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_CHECK_OUTPUT(count);
    RT_CHECK_ARG(values != nullptr || capacity == 0, "The output \"values\" is NULL, its capacity is %u.", capacity);
    RT_RESOLVE(Graph, object, graphs, graph, RT_HANDLE_GRAPH);
    const graph::Graph& content = graph::Graph::of(*object);
    std::lock_guard lock(content.mutex());
    *count = static_cast<uint32_t>(content.values().size());
    for (uint32_t i = 0; i < *count && i < capacity; ++i) {
      values[i] = reinterpret_cast<rtGraphValue_t>(content.values()[i].handle);
    }
    return Status();
  });
}

rtStatus_t rtGraphValueGetInfo(rtGraphValueInfo_t* info, rtGraphValue_t value) {
  return api::guarded(__func__, [&](epoch::Guard&) -> Status {
    RT_TRY(api::checkResult(info, "info"));
    RT_RESOLVE(GraphValue, object, graph_values, value, RT_HANDLE_GRAPH_VALUE);
    const graph::Graph& content = graph::Graph::of(*object);
    std::lock_guard lock(content.mutex());
    const graph::Value& of = content.values()[object->index];
    rtGraphValueInfo_t result = RT_GRAPH_VALUE_INFO_INIT;
    result.size = of.size;
    result.has_initial = of.initial.empty() ? 0 : 1;
    copyLetters(result.name, sizeof result.name, of.name.c_str());
    api::writeResult(info, result);
    return Status();
  });
}
