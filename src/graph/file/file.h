// The graph file: a graph as JSON, what a compiler emits and rtGraphLoad takes (docs/graph-file.md,
// bindings/graph.schema.json). A file names kernels, sources and buffers and never an address, a handle or a device. Reading
// builds the graph by the same checks as rt.h's functions for nodes, so that what is loaded is as good as what is built;
// writing is a function of the graph alone: what was loaded from a written file is written as the same bytes.
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

// Both are called under a guard and throw bad_alloc. The graph that was read has the handles of its parts; nothing is left of
// one that is refused.
Status readFile(Ref<Graph>* graph, std::string_view text);
Status writeFile(std::string* text, const Graph& graph);

}  // namespace manyrt::graph
