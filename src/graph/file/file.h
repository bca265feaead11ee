// The graph file: a graph as JSON, which a compiler emits and rtGraphLoad takes (docs/graph-file.md,
// bindings/graph.schema.json). A file names kernels, sources and buffers, and never an address, a handle or a device. Reading
// makes the same checks as the functions of rt.h for nodes. Writing is a function of the graph alone: a written file that is
// loaded is written as the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "graph/model/graph.h"

namespace manyrt::graph {

constexpr char kFileFormat[] = "manyrt-graph";
constexpr uint32_t kFileVersion = 1;

// The words of a file, by RT_GRAPH_BUFFER_*, RT_MEMCPY_* and bits of RT_GRAPH_READ and RT_GRAPH_WRITE.
constexpr const char* kRoleWords[] = {"temporary", "input", "output", "constant"};
constexpr const char* kDirectionWords[] = {"default", "host_to_host", "host_to_device", "device_to_host", "device_to_device"};
constexpr const char* kAccessWords[] = {nullptr, "read", "write", "read_write"};

// Both are called under a guard and throw bad_alloc. A graph that was read has the handles of its parts; a refused file leaves
// no object.
Status readFile(Ref<Graph>* graph, std::string_view text);
Status writeFile(std::string* text, const Graph& graph);

}  // namespace manyrt::graph
