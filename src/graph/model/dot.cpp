// Writes a graph as text for Graphviz: nodes, buffers with their roles, dependencies.
#include "graph/model/graph.h"

namespace manyrt::graph {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  }
  return result + '"';
}

}  // namespace

std::string Graph::dot() const {
  static constexpr const char* kRoles[] = {"temporary", "input", "output", "constant"};
  std::lock_guard lock(mutex_);
  std::string text = "digraph graph_of_" + std::to_string(nodes_.size()) + "_nodes {\n";
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    text += "  n" + std::to_string(i) + " [shape=box, label=" + quoted(std::to_string(i) + ": " + describe(nodes_[i].work)) +
            "];\n";
  }
  for (uint32_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    const std::string name = buffer.name.empty() ? "buffer " + std::to_string(i) : buffer.name;
    text += "  b" + std::to_string(i) + " [shape=ellipse, label=" +
            quoted(name + ": " + kRoles[buffer.role] + ", " + std::to_string(buffer.size) + " bytes") + "];\n";
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    for (uint32_t before : nodes_[i].before) text += "  n" + std::to_string(before) + " -> n" + std::to_string(i) + ";\n";
  }
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    for (const Access& access : accessesOf(nodes_[i].work).memory) {
      if (access.memory->buffer == kNone) continue;
      const std::string node = "n" + std::to_string(i), buffer = "b" + std::to_string(access.memory->buffer);
      if ((access.access & RT_GRAPH_READ) != 0) text += "  " + buffer + " -> " + node + " [style=dashed];\n";
      if ((access.access & RT_GRAPH_WRITE) != 0) text += "  " + node + " -> " + buffer + " [style=dashed];\n";
    }
  }
  return text + "}\n";
}

}  // namespace manyrt::graph
