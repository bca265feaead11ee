// Reads parameters. Every refusal names the field and the limit that it met.
#include "graph/model/params.h"

#include <cstring>

#include "base/checked.h"
#include "base/text.h"
#include "manager/current_context.h"
#include "ops/launch.h"

namespace manyrt::graph {
namespace {

using Number = unsigned long long;

Status checkKind(int32_t kind) {
  RT_CHECK_ARG(kind >= RT_MEMCPY_DEFAULT && kind <= RT_MEMCPY_DEVICE_TO_DEVICE, "%d is no copy kind: RT_MEMCPY_* goes to %d.",
               kind, RT_MEMCPY_DEVICE_TO_DEVICE);
  return Status();
}

uint32_t sizeOf(uint32_t value, const Graph& graph) {
  std::lock_guard lock(graph.mutex());
  return graph.values()[value].size;
}

// Where the bytes of each argument are. Few need no memory.
class ArgumentPointers {
 public:
  explicit ArgumentPointers(KernelNode& node) {
    if (node.arguments.size() > kFew) many_.resize(node.arguments.size());
    for (size_t i = 0; i < node.arguments.size(); ++i) data()[i] = node.values.data() + node.arguments[i].offset;
  }
  void** data() { return many_.empty() ? few_ : many_.data(); }

 private:
  static constexpr size_t kFew = 32;
  void* few_[kFew];
  std::vector<void*> many_;
};

Status readArgument(KernelNode* node, const rtGraphArg_t& given, size_t index, const Graph& graph) {
  KernelArgument argument;
  argument.kind = given.kind;
  argument.offset = static_cast<uint32_t>(node->values.size());  // of 16 bytes each at least: there are 256 at most
  const unsigned char* value = nullptr;
  size_t local = given.size;
  switch (given.kind) {
    case RT_ARG_VALUE:
      RT_CHECK_ARG(given.value != nullptr, "args[%zu].value is NULL: a value argument points to its bytes.", index);
      RT_CHECK_ARG(given.size != 0 && given.size <= backend::kMaxArgumentBytes, "args[%zu] has %llu bytes; it takes 1 to %u.",
                   index, static_cast<Number>(given.size), backend::kMaxArgumentBytes);
      argument.size = static_cast<uint32_t>(given.size);
      value = static_cast<const unsigned char*>(given.value);
      break;
    case RT_ARG_GRAPH_VALUE: {
      const std::string word = "args[" + std::to_string(index) + "].value";
      rtGraphValue_t named = nullptr;
      memcpy(&named, &given.value, sizeof named);
      RT_TRY(readValue(&argument.value, named, graph, word.c_str()));
      argument.kind = RT_ARG_VALUE;
      argument.size = sizeOf(argument.value, graph);
      RT_CHECK_ARG(given.size == 0 || given.size == argument.size,
                   "args[%zu] has %llu byte%s and the value that it names %u: it takes that or 0.", index,
                   static_cast<Number>(given.size), plural(given.size), argument.size);
      break;
    }
    case RT_ARG_POINTER:
      RT_CHECK_ARG((given.access & ~uint32_t{RT_GRAPH_READ | RT_GRAPH_WRITE}) == 0,
                   "args[%zu].access is 0x%x; it is RT_GRAPH_READ, RT_GRAPH_WRITE or both.", index, given.access);
      argument.size = sizeof(void*);
      argument.bytes = given.size;
      if (given.access != 0) argument.access = given.access;
      if (!readOperand(&argument.memory, given.memory, graph, "memory").ok()) {  // once more, for the sentence
        argument.memory = Operand();
        RT_TRY(readOperand(&argument.memory, given.memory, graph, ("args[" + std::to_string(index) + "].memory").c_str()));
      }
      value = reinterpret_cast<const unsigned char*>(&argument.memory.pointer);
      break;
    case RT_ARG_LOCAL:
      argument.size = sizeof(size_t);
      value = reinterpret_cast<const unsigned char*>(&local);
      break;
    default:
      return Status::error(RT_ERROR_INVALID_VALUE, "args[%zu].kind is %d; RT_ARG_* goes to %d.", index, given.kind,
                           RT_ARG_GRAPH_VALUE);
  }
  node->values.resize(node->values.size() + (argument.size + 15) / 16 * 16);
  if (value != nullptr) memcpy(node->values.data() + argument.offset, value, argument.size);
  node->arguments.push_back(std::move(argument));
  return Status();
}

}  // namespace

Status readBuffer(uint32_t* index, rtGraphBuffer_t handle, const Graph& graph, const char* word) {
  const manager::GraphBuffer* buffer = manager::graph_buffers.find(toBits(handle));
  if (buffer == nullptr) return manager::invalidHandle(toBits(handle), RT_HANDLE_GRAPH_BUFFER, word);
  RT_CHECK_ARG(buffer->content.get() == &graph, "The %s is a buffer of another graph.", word);
  *index = buffer->index;
  return Status();
}

Status readValue(uint32_t* index, rtGraphValue_t handle, const Graph& graph, const char* word) {
  const manager::GraphValue* value = manager::graph_values.find(toBits(handle));
  if (value == nullptr) return manager::invalidHandle(toBits(handle), RT_HANDLE_GRAPH_VALUE, word);
  RT_CHECK_ARG(value->content.get() == &graph, "The %s is a value of another graph.", word);
  *index = value->index;
  return Status();
}

Status readOperand(Operand* operand, const rtGraphOperand_t& given, const Graph& graph, const char* word) {
  if (given.buffer != nullptr) {
    RT_CHECK_ARG(given.pointer == nullptr, "The %s has a buffer and a pointer: only one of them is meant.", word);
    operand->offset = given.offset;
    return readBuffer(&operand->buffer, given.buffer, graph, word);
  }
  RT_CHECK_ARG(given.offset == 0, "The %s has an offset of %llu bytes and no buffer.", word, static_cast<Number>(given.offset));
  RT_CHECK_ARG(allocator::BlockLease::take(&operand->lease, given.pointer),
               "The %s at %p is not inside a live allocation: it was freed, or lies beside one.", word, given.pointer);
  operand->pointer = given.pointer;
  return Status();
}

Status readNodes(std::vector<uint32_t>* indices, const rtGraphNode_t* nodes, uint32_t count, const Graph& graph,
                 const char* argument) {
  indices->reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const manager::GraphNode* node = manager::graph_nodes.find(toBits(nodes[i]));
    if (node == nullptr) return manager::invalidHandle(toBits(nodes[i]), RT_HANDLE_GRAPH_NODE, argument);
    RT_CHECK_ARG(node->content.get() == &graph, "%s[%u] is a node of another graph.", argument, i);
    indices->push_back(node->index);
  }
  return Status();
}

Status checkArguments(const KernelNode& node, const backend::Kernel& kernel) {
  const std::vector<backend::Argument>& wanted = kernel.arguments();
  if (node.arguments.size() != wanted.size()) return ops::wrongCount(kernel, node.arguments.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const KernelArgument& argument = node.arguments[i];
    static constexpr const char* kWords[] = {"a value", "an address", "local memory"};
    RT_CHECK_ARG(argument.kind == wanted[i].kind, "Argument %zu of the kernel \"%s\" is %s; %s was given.", i, kernel.name(),
                 kWords[wanted[i].kind], kWords[argument.kind]);
    RT_CHECK_ARG(argument.size == wanted[i].size, "Argument %zu of the kernel \"%s\" has %u byte%s; %u %s given.", i,
                 kernel.name(), wanted[i].size, plural(wanted[i].size), argument.size, were(argument.size));
  }
  return Status();
}

Status checkLaunch(KernelNode& node) {
  ArgumentPointers arguments(node);
  const backend::Launch launch{{node.grid[0], node.grid[1], node.grid[2]},
                               {node.group[0], node.group[1], node.group[2]},
                               node.local_bytes,
                               node.cooperative,
                               arguments.data(),
                               {node.offset[0], node.offset[1], node.offset[2]}};
  return ops::checkLaunch(*node.kernel, launch);
}

Status readKernel(KernelNode* node, const rtGraphKernelParams_t& params, const Graph& graph) {
  RT_CHECK_ARG((params.kernel != nullptr) != (params.name != nullptr), "A kernel node has a kernel or a name: %s given.",
               params.kernel != nullptr ? "both were" : "neither was");
  RT_CHECK_ARG((params.flags & ~uint32_t{RT_LAUNCH_COOPERATIVE}) == 0, "The flags 0x%x of a launch are unknown.", params.flags);
  RT_CHECK_ARG(params.args != nullptr || params.arg_count == 0, "%u argument%s %s given; args is NULL.", params.arg_count,
               plural(params.arg_count), were(params.arg_count));
  RT_CHECK_ARG(params.arg_count <= backend::kMaxArguments, "%u arguments are too many: a kernel takes %u at most.",
               params.arg_count, backend::kMaxArguments);
  const auto zero = [](const uint32_t(&sizes)[3]) { return sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0; };
  const bool defaults = zero(params.grid) && zero(params.group);  // of zeros: 1 x 1 x 1, as a KernelNode has it
  for (int i = 0; i < 3 && !defaults; ++i) {
    node->grid[i] = params.grid[i];
    node->group[i] = params.group[i];
    RT_CHECK_ARG(params.group[i] != 0, "A work-group of %u x %u x %u work-items has no work-items.", params.group[0],
                 params.group[1], params.group[2]);
  }
  node->local_bytes = params.local_bytes;
  node->cooperative = (params.flags & RT_LAUNCH_COOPERATIVE) != 0;
  std::copy_n(params.global_offset, 3, node->offset);
  if (params.kernel != nullptr) {
    manager::Kernel* kernel = manager::kernels.find(toBits(params.kernel));
    if (kernel == nullptr) return manager::invalidHandle(toBits(params.kernel), RT_HANDLE_KERNEL, "params.kernel");
    node->kernel = Lease<manager::Kernel>(kernel);
  } else {
    RT_CHECK_ARG(params.name[0] != '\0', "The name of a kernel has no letters.");
    node->name = params.name;
  }
  node->arguments.reserve(params.arg_count);
  node->values.reserve(size_t{16} * params.arg_count);  // enough for all but large values
  for (uint32_t i = 0; i < params.arg_count; ++i) RT_TRY(readArgument(node, params.args[i], i, graph));
  if (!node->kernel) return Status();
  RT_TRY(checkArguments(*node, *node->kernel->native));
  ArgumentPointers values(*node);  // of a buffer, NULL: its address is checked when it is bound
  return ops::checkAddresses(*node->kernel, values.data());
}

Status readCopy(CopyNode* node, const rtGraphMemcpyParams_t& params, const Graph& graph) {
  RT_TRY(checkKind(params.kind));
  RT_CHECK_ARG(params.size != 0, "A copy of 0 bytes does nothing: leave the node out.");
  node->kind = params.kind;
  node->width = node->dst_pitch = node->src_pitch = params.size;
  RT_TRY(readOperand(&node->dst, params.dst, graph, "params.dst"));
  return readOperand(&node->src, params.src, graph, "params.src");
}

Status readCopy2D(CopyNode* node, const rtGraphMemcpy2DParams_t& params, const Graph& graph) {
  RT_TRY(checkKind(params.kind));
  RT_CHECK_ARG(params.width != 0 && params.height != 0, "A copy of %llu rows of %llu bytes does nothing: leave the node out.",
               static_cast<Number>(params.height), static_cast<Number>(params.width));
  RT_CHECK_ARG(params.dst_pitch >= params.width && params.src_pitch >= params.width,
               "A row of %llu bytes does not fit between rows %llu (destination) and %llu (source) bytes apart.",
               static_cast<Number>(params.width), static_cast<Number>(params.dst_pitch), static_cast<Number>(params.src_pitch));
  uint64_t span;
  RT_CHECK_ARG(!spanOverflows(params.dst_pitch, params.width, params.height, &span) &&
                   !spanOverflows(params.src_pitch, params.width, params.height, &span),
               "A copy of %llu rows of %llu bytes leaves the address space.", static_cast<Number>(params.height),
               static_cast<Number>(params.width));
  node->kind = params.kind;
  node->rectangle = true;
  node->width = params.width;
  node->height = params.height;
  node->dst_pitch = params.dst_pitch;
  node->src_pitch = params.src_pitch;
  RT_TRY(readOperand(&node->dst, params.dst, graph, "params.dst"));
  return readOperand(&node->src, params.src, graph, "params.src");
}

Status readFill(FillNode* node, const rtGraphFillParams_t& params, const Graph& graph) {
  const uint32_t size = params.pattern_size;
  RT_CHECK_ARG(size == 1 || size == 2 || size == 4 || size == 8 || size == 16,
               "A pattern of %u bytes cannot be filled with: it has 1, 2, 4, 8 or 16.", size);
  RT_CHECK_ARG(params.count != 0, "A fill of 0 patterns does nothing: leave the node out.");
  node->height = params.height == 0 ? 1 : params.height;
  uint64_t width, span;
  RT_CHECK_ARG(!mulOverflows(size, params.count, &width), "%llu patterns of %u bytes leave the address space.",
               static_cast<Number>(params.count), size);
  RT_CHECK_ARG(node->height == 1 || params.pitch >= width, "A row of %llu bytes does not fit between rows %llu bytes apart.",
               static_cast<Number>(width), static_cast<Number>(params.pitch));
  RT_CHECK_ARG(!spanOverflows(params.pitch, width, node->height, &span), "A fill of %llu rows leaves the address space.",
               static_cast<Number>(node->height));
  node->pattern_size = size;
  memcpy(node->pattern, params.pattern, size);
  node->count = params.count;
  node->pitch = node->height == 1 ? width : params.pitch;
  RT_TRY(readOperand(&node->dst, params.dst, graph, "params.dst"));
  const uint64_t place = node->dst.buffer != kNone ? node->dst.offset : reinterpret_cast<uintptr_t>(node->dst.pointer);
  RT_CHECK_ARG(place % size == 0 && (node->height == 1 || node->pitch % size == 0),
               "The destination is not aligned to the pattern of %u bytes.", size);
  return Status();
}

namespace {

// Reads the meaning of a child's values: values of the graph that has the node, or bytes.
Status readChildValues(ChildNode* node, const rtGraphChildParams_t& params, const Graph& origin, const Graph& graph) {
  const std::vector<Value>& values = node->graph->values();
  RT_CHECK_ARG(params.reserved == 0, "The reserved field of the parameters is %u, not 0.", params.reserved);
  RT_CHECK_ARG(params.value_bindings != nullptr || params.value_binding_count == 0,
               "%u binding%s of values %s given; value_bindings is NULL.", params.value_binding_count,
               plural(params.value_binding_count), were(params.value_binding_count));
  RT_CHECK_ARG(params.value_binding_count <= values.size(), "%u binding%s of values %s given; the child graph has %zu value%s.",
               params.value_binding_count, plural(params.value_binding_count), were(params.value_binding_count), values.size(),
               plural(values.size()));
  std::vector<bool> bound(values.size());
  for (uint32_t i = 0; i < params.value_binding_count; ++i) {
    const rtGraphValueBinding_t& given = params.value_bindings[i];
    ValueBinding binding{};
    RT_TRY(readValue(&binding.value, given.value, origin, "value of a binding"));
    RT_CHECK_ARG(binding.value < values.size() && !bound[binding.value], "The child's %s is bound twice.",
                 node->graph->valueName(binding.value).c_str());
    const std::string name = node->graph->valueName(binding.value);
    bound[binding.value] = true;
    RT_CHECK_ARG((given.outer != nullptr) != (given.data != nullptr),
                 "The child's %s is a value of the graph or data: %s given.", name.c_str(),
                 given.outer != nullptr ? "both were" : "neither was");
    if (given.outer != nullptr) {
      RT_TRY(readValue(&binding.outer, given.outer, graph, "outer value of a binding"));
    } else {
      binding.outer = kNone;
      RT_CHECK_ARG(given.size == values[binding.value].size, "The child's %s has %u byte%s; %llu %s given.", name.c_str(),
                   values[binding.value].size, plural(values[binding.value].size), static_cast<Number>(given.size),
                   were(given.size));
      binding.bytes.assign(static_cast<const unsigned char*>(given.data),
                           static_cast<const unsigned char*>(given.data) + given.size);
    }
    node->values.push_back(std::move(binding));
  }
  for (uint32_t i = 0; i < values.size(); ++i) {
    RT_CHECK_ARG(bound[i] || !values[i].initial.empty(), "The child's %s is not bound.", node->graph->valueName(i).c_str());
  }
  return Status();
}

}  // namespace

Status readChild(ChildNode* node, const rtGraphChildParams_t& params, const Graph& graph) {
  const manager::Graph* child = manager::graphs.find(toBits(params.graph));
  if (child == nullptr) return manager::invalidHandle(toBits(params.graph), RT_HANDLE_GRAPH, "params.graph");
  RT_CHECK_ARG(params.bindings != nullptr || params.binding_count == 0, "%u binding%s %s given; bindings is NULL.",
               params.binding_count, plural(params.binding_count), were(params.binding_count));
  const Graph& origin = Graph::of(*child);
  node->graph = origin.snapshot(false);
  const std::vector<Buffer>& buffers = node->graph->buffers();
  RT_CHECK_ARG(params.binding_count <= buffers.size(), "%u binding%s %s given; the child graph has %zu buffer%s.",
               params.binding_count, plural(params.binding_count), were(params.binding_count), buffers.size(),
               plural(buffers.size()));
  std::vector<bool> bound(buffers.size());
  for (uint32_t i = 0; i < params.binding_count; ++i) {
    Binding binding;
    RT_TRY(readBuffer(&binding.buffer, params.bindings[i].buffer, origin, "buffer of a binding"));
    RT_CHECK_ARG(binding.buffer < buffers.size() && !bound[binding.buffer], "The child's %s is bound twice.",
                 node->graph->bufferName(binding.buffer).c_str());
    RT_CHECK_ARG(buffers[binding.buffer].role != RT_GRAPH_BUFFER_TEMPORARY, "The child's %s is a temporary: it is not bound.",
                 node->graph->bufferName(binding.buffer).c_str());
    bound[binding.buffer] = true;
    RT_TRY(readOperand(&binding.memory, params.bindings[i].memory, graph, "memory of a binding"));
    node->bindings.push_back(std::move(binding));
  }
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    RT_CHECK_ARG(bound[i] || buffers[i].role == RT_GRAPH_BUFFER_TEMPORARY || buffers[i].recorded != nullptr,
                 "The child's %s is not bound.", node->graph->bufferName(i).c_str());
  }
  return readChildValues(node, params, origin, graph);
}

}  // namespace manyrt::graph
