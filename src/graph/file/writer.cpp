// Writes a graph file: one line for each module, buffer and node, members in one order, no defaults. A graph with an object
// that only this process knows is refused, with the name of the node.
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "graph/file/file.h"
#include "graph/file/json.h"

namespace manyrt::graph {
namespace {

using SourcePointer = const manager::KernelSource*;

const manager::KernelSource* sourceOf(const KernelNode& node) {
  return node.kernel ? node.kernel->source.get() : node.source.get();
}

bool same(SourcePointer a, SourcePointer b) { return a == b || (a->text == b->text && a->options == b->options); }

// The sources in the order in which kernels name them, each once.
struct Sources {
  std::vector<SourcePointer> list;
  std::unordered_map<SourcePointer, size_t> place;  // in the list, also of a second source with the same text

  void add(SourcePointer source) {
    if (place.contains(source)) return;
    const auto known = std::find_if(list.begin(), list.end(), [&](SourcePointer each) { return same(each, source); });
    place[source] = static_cast<size_t>(known - list.begin());
    if (known == list.end()) list.push_back(source);
  }
};

void collect(Sources* sources, const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (const ChildNode* child = std::get_if<ChildNode>(&node.work)) collect(sources, *child->graph);
    const KernelNode* kernel = std::get_if<KernelNode>(&node.work);
    const SourcePointer source = kernel != nullptr ? sourceOf(*kernel) : nullptr;
    if (source != nullptr) sources->add(source);
  }
}

std::string number(uint64_t value) { return std::to_string(value); }

std::string hex(const unsigned char* bytes, size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\"";
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text + '"';
}

template <class List>
std::string list(const List& values) {
  std::string text = "[";
  for (const auto& each : values) text += (text.size() > 1 ? ", " : "") + std::to_string(each);
  return text + ']';
}

class GraphWriter {
 public:
  GraphWriter(std::string& out, const Sources& sources, const Graph& graph, size_t depth)
      : out_(out), sources_(sources), graph_(graph), indent_(depth * 2, ' ') {}

  Status write() {
    const std::string inner = ",\n" + indent_ + "  ";
    out_ += indent_ + "\"buffers\": [";
    for (size_t i = 0; i < graph_.buffers().size(); ++i) {
      out_ += i == 0 ? inner.substr(1) : inner;
      RT_TRY(buffer(graph_.buffers()[i]));
    }
    out_ += graph_.buffers().empty() ? "],\n" : '\n' + indent_ + "],\n";
    if (!graph_.values().empty()) {
      out_ += indent_ + "\"values\": [";
      for (size_t i = 0; i < graph_.values().size(); ++i) {
        out_ += i == 0 ? inner.substr(1) : inner;
        RT_TRY(value(graph_.values()[i]));
      }
      out_ += '\n' + indent_ + "],\n";
    }
    out_ += indent_ + "\"nodes\": [";
    for (uint32_t i = 0; i < graph_.nodes().size(); ++i) {
      out_ += i == 0 ? inner.substr(1) : inner;
      node_ = i;
      RT_TRY(node(graph_.nodes()[i]));
    }
    out_ += graph_.nodes().empty() ? "]" : '\n' + indent_ + ']';
    return Status();
  }

 private:
  Status buffer(const Buffer& buffer) {
    out_ += '{';
    if (!buffer.name.empty()) {
      out_ += "\"name\": ";
      RT_TRY(quoted(buffer.name, "name of a buffer"));
      out_ += ", ";
    }
    out_ += std::string("\"role\": \"") + kRoleWords[buffer.role] + "\", \"bytes\": " + number(buffer.size);
    if (!buffer.type.empty()) out_ += ", \"type\": \"" + buffer.type + "\", \"shape\": " + list(buffer.shape);
    out_ += '}';
    return Status();
  }

  Status value(const Value& value) {
    out_ += '{';
    if (!value.name.empty()) {
      out_ += "\"name\": ";
      RT_TRY(quoted(value.name, "name of a value"));
      out_ += ", ";
    }
    out_ += "\"bytes\": " + number(value.size);
    if (!value.initial.empty()) out_ += ", \"value\": " + hex(value.initial.data(), value.initial.size());
    out_ += '}';
    return Status();
  }

  Status node(const Node& node) {
    if (const KernelNode* kernel = std::get_if<KernelNode>(&node.work)) {
      RT_TRY(this->kernel(*kernel));
    } else if (const CopyNode* copy = std::get_if<CopyNode>(&node.work)) {
      RT_TRY(this->copy(*copy));
    } else if (const FillNode* fill = std::get_if<FillNode>(&node.work)) {
      RT_TRY(this->fill(*fill));
    } else if (const ChildNode* child = std::get_if<ChildNode>(&node.work)) {
      RT_TRY(this->child(*child));
    } else if (std::holds_alternative<EmptyNode>(node.work) || std::holds_alternative<PrefetchNode>(node.work) ||
               std::holds_alternative<MemoryNode>(node.work)) {
      out_ += "{\"kind\": \"empty\"";  // hints, and allocations of memory that has become a buffer: only their order matters
    } else {
      return Status::error(RT_ERROR_NOT_SUPPORTED,
                           "The %s cannot be written to a file: it means something in this process only.",
                           graph_.nameOf(node_).c_str());
    }
    if (!node.before.empty()) out_ += ", \"after\": " + list(node.before);
    out_ += '}';
    return Status();
  }

  Status kernel(const KernelNode& kernel) {
    out_ += "{\"kind\": \"kernel\", \"kernel\": ";
    RT_TRY(quoted(kernel.kernel ? kernel.kernel->native->name() : kernel.name.c_str(), "name of a kernel"));
    if (const SourcePointer source = sourceOf(kernel)) {
      out_ += ", \"module\": " + number(sources_.place.at(source));
    }
    out_ += ", \"grid\": " + list(kernel.grid) + ", \"group\": " + list(kernel.group);
    if (kernel.local_bytes != 0) out_ += ", \"local_bytes\": " + number(kernel.local_bytes);
    if (kernel.cooperative) out_ += ", \"cooperative\": true";
    if ((kernel.offset[0] | kernel.offset[1] | kernel.offset[2]) != 0) out_ += ", \"offset\": " + list(kernel.offset);
    out_ += ", \"arguments\": [";
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      if (i != 0) out_ += ", ";
      RT_TRY(argument(kernel, kernel.arguments[i]));
    }
    out_ += ']';
    return Status();
  }

  Status argument(const KernelNode& kernel, const KernelArgument& argument) {
    const unsigned char* value = kernel.values.data() + argument.offset;
    if (argument.value != kNone) {
      out_ += "{\"named\": " + number(argument.value) + '}';
    } else if (argument.kind == RT_ARG_VALUE) {
      out_ += "{\"value\": " + hex(value, argument.size) + '}';
    } else if (argument.kind == RT_ARG_LOCAL) {
      size_t bytes = 0;
      memcpy(&bytes, value, sizeof bytes);
      out_ += "{\"local\": " + number(bytes) + '}';
    } else if (argument.memory.buffer == kNone && argument.memory.pointer == nullptr) {
      out_ += "null";
    } else {
      out_ += '{';
      RT_TRY(place(argument.memory));
      if (argument.bytes != 0) out_ += ", \"bytes\": " + number(argument.bytes);
      out_ += std::string(", \"access\": \"") + kAccessWords[argument.access] + "\"}";
    }
    return Status();
  }

  Status copy(const CopyNode& copy) {
    out_ += copy.rectangle ? "{\"kind\": \"rectangle\", \"destination\": {" : "{\"kind\": \"copy\", \"destination\": {";
    RT_TRY(place(copy.dst));
    out_ += "}, \"source\": {";
    RT_TRY(place(copy.src));
    if (copy.rectangle) {
      out_ += "}, \"width\": " + number(copy.width) + ", \"height\": " + number(copy.height) +
              ", \"destination_pitch\": " + number(copy.dst_pitch) + ", \"source_pitch\": " + number(copy.src_pitch);
    } else {
      out_ += "}, \"bytes\": " + number(copy.width);
    }
    if (copy.kind != RT_MEMCPY_DEFAULT) out_ += std::string(", \"direction\": \"") + kDirectionWords[copy.kind] + '"';
    return Status();
  }

  Status fill(const FillNode& fill) {
    out_ += "{\"kind\": \"fill\", \"destination\": {";
    RT_TRY(place(fill.dst));
    out_ += "}, \"pattern\": " + hex(fill.pattern, fill.pattern_size) + ", \"count\": " + number(fill.count);
    if (fill.height != 1) out_ += ", \"height\": " + number(fill.height) + ", \"pitch\": " + number(fill.pitch);
    return Status();
  }

  Status child(const ChildNode& child) {
    std::vector<bool> bound(child.graph->buffers().size());
    for (const Binding& binding : child.bindings) bound[binding.buffer] = true;
    for (uint32_t i = 0; i < bound.size(); ++i) {
      if (bound[i] || child.graph->buffers()[i].role == RT_GRAPH_BUFFER_TEMPORARY) continue;
      return Status::error(RT_ERROR_NOT_SUPPORTED,
                           "The %s cannot be written to a file: the %s of the child is the memory that a capture recorded.",
                           graph_.nameOf(node_).c_str(), child.graph->bufferName(i).c_str());
    }
    out_ += "{\"kind\": \"graph\", \"graph\": {\n";
    const Status status = GraphWriter(out_, sources_, *child.graph, indent_.size() / 2 + 2).write();
    if (!status.ok()) return Status::error(status.code(), "In the %s: %s", graph_.nameOf(node_).c_str(), status.message());
    out_ += "}, \"bindings\": [";
    for (size_t i = 0; i < child.bindings.size(); ++i) {
      out_ += (i != 0 ? ", {\"child\": " : "{\"child\": ") + number(child.bindings[i].buffer) + ", ";
      RT_TRY(place(child.bindings[i].memory));
      out_ += '}';
    }
    out_ += ']';
    if (child.values.empty()) return Status();
    out_ += ", \"values\": [";
    for (size_t i = 0; i < child.values.size(); ++i) {
      const ValueBinding& binding = child.values[i];
      out_ += (i != 0 ? ", {\"child\": " : "{\"child\": ") + number(binding.value);
      if (binding.outer != kNone) {
        out_ += ", \"named\": " + number(binding.outer) + '}';
      } else {
        out_ += ", \"value\": " + hex(binding.bytes.data(), binding.bytes.size()) + '}';
      }
    }
    out_ += ']';
    return Status();
  }

  Status place(const Operand& operand) {
    if (operand.buffer == kNone) {
      return Status::error(
          RT_ERROR_NOT_SUPPORTED,
          "The %s cannot be written to a file: it names the address %p. rtGraphMakeBuffer makes a buffer of it.",
          graph_.nameOf(node_).c_str(), operand.pointer);
    }
    out_ += "\"buffer\": " + number(operand.buffer);
    if (operand.offset != 0) out_ += ", \"offset\": " + number(operand.offset);
    return Status();
  }

  Status quoted(std::string_view text, const char* what) {
    RT_CHECK_ARG(appendQuoted(&out_, text), "The %s is not UTF-8: it cannot be written to a file.", what);
    return Status();
  }

  std::string& out_;
  const Sources& sources_;
  const Graph& graph_;
  const std::string indent_;
  uint32_t node_ = 0;
};

}  // namespace

Status writeFile(std::string* text, const Graph& graph) {
  std::lock_guard lock(graph.mutex());
  Sources collected;
  collect(&collected, graph);
  const std::vector<SourcePointer>& sources = collected.list;
  *text = "{\n  \"format\": \"";
  text->append(kFileFormat).append("\",\n  \"version\": ").append(number(kFileVersion)).append(",\n  \"modules\": [");
  for (size_t i = 0; i < sources.size(); ++i) {
    *text += i == 0 ? "\n    {\"source\": " : ",\n    {\"source\": ";
    bool fits = appendQuoted(text, sources[i]->text);
    if (!sources[i]->options.empty()) {
      *text += ", \"options\": ";
      fits = fits && appendQuoted(text, sources[i]->options);
    }
    RT_CHECK_ARG(fits, "The source or the options of module %zu are not UTF-8: they cannot be written to a file.", i);
    *text += '}';
  }
  *text += sources.empty() ? "],\n" : "\n  ],\n";
  RT_TRY(GraphWriter(*text, collected, graph, 1).write());
  *text += "\n}\n";
  return Status();
}

}  // namespace manyrt::graph
