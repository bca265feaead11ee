// Reads a graph file. The reader checks members, types and ranges. graph/model/params and the graph check each node as a whole,
// as they do for a node of rt.h, and the message names the node.
#include <iterator>
#include <limits>

#include "base/checked.h"
#include "graph/file/file.h"
#include "graph/file/json.h"
#include "graph/model/params.h"

namespace manyrt::graph {
namespace {

using Source = std::shared_ptr<const manager::KernelSource>;
template <size_t N>
using Keys = std::array<const char*, N>;

// Closes the handles of a graph that was read by half.
struct Unfinished {
  Ref<Graph> graph = Ref<Graph>::adopt(new Graph);
  HandleBits bits = 0;  // of the whole
  ~Unfinished() {
    if (bits != 0) {
      manager::closeHandle(bits);
    } else if (graph) {
      graph->handleClosed();
    }
  }
};

Status at(const Field& field, const Status& status) {
  return status.ok() ? Status() : field.refuseAs(status.code(), status.message());
}

template <size_t N>
Status wordOf(const Field& field, const char* const (&words)[N], int32_t* out) {
  std::string_view word;
  RT_TRY(field.word(&word));
  std::string all;
  for (size_t i = 0; i < N; ++i) {
    if (words[i] == nullptr) continue;
    if (word == words[i]) {
      *out = static_cast<int32_t>(i);
      return Status();
    }
    all += (all.empty() ? "" : ", ") + std::string(words[i]);
  }
  return field.refuse("One of %s is expected.", all.c_str());
}

Status optional(const Field& field, uint64_t* out) { return field.present() ? field.number(out, 0, UINT64_MAX) : Status(); }

template <class Number>
Status triple(const Field& field, Number (&out)[3], Number least) {
  if (field.present() && field.kind() == Json::Kind::kArray && field.count() != 3) {
    return field.refuse("3 numbers are expected; here are %u.", field.count());
  }
  size_t i = 0;
  if (!field.present()) return field.refuse("This member is missing: 3 numbers are expected.");
  return field.elements([&](const Field& each) { return each.number(&out[i++], least, std::numeric_limits<Number>::max()); });
}

Status readModules(std::vector<Source>* modules, const Field& field) {
  if (!field.present()) return Status();
  return field.elements([&](const Field& each) -> Status {
    static constexpr Keys<2> kKeys = {"source", "options"};
    auto parts = Field::fields<2>(each);
    RT_TRY(each.members(&parts, kKeys));
    auto source = std::make_shared<manager::KernelSource>();
    RT_TRY(parts[0].text(&source->text));
    if (parts[1].present()) RT_TRY(parts[1].text(&source->options));
    modules->push_back(std::move(source));
    return Status();
  });
}

// Reads the graph of the file, or a child graph.
class GraphReader {
 public:
  GraphReader(Graph& graph, const std::vector<Source>& modules) : graph_(graph), modules_(modules) {}

  Status read(const Field& buffers, const Field& values, const Field& nodes) {
    if (values.present()) {
      const Status read = values.elements([&](const Field& each) { return value(each); });
      RT_TRY(read);
    }
    if (buffers.present()) {
      const Status read = buffers.elements([&](const Field& each) { return buffer(each); });
      RT_TRY(read);
    }
    if (!nodes.present()) return nodes.refuse("This member is missing: a list is expected.");
    uint32_t number = 0;
    if (nodes.kind() == Json::Kind::kArray) count_ = nodes.count();
    const Status read = nodes.elements([&](const Field& each) { return node(each, number++); });
    RT_TRY(read);
    return at(nodes, graph_.addLater(later_));
  }
  rtGraphBuffer_t handle(uint32_t buffer) const { return handles_[buffer]; }
  uint32_t bufferCount() const { return static_cast<uint32_t>(handles_.size()); }
  rtGraphValue_t valueHandle(uint32_t value) const { return values_[value]; }
  uint32_t valueCount() const { return static_cast<uint32_t>(values_.size()); }

 private:
  Status buffer(const Field& field) {
    static constexpr Keys<5> kKeys = {"name", "role", "bytes", "type", "shape"};
    auto parts = Field::fields<5>(field);
    RT_TRY(field.members(&parts, kKeys));
    Buffer made;
    if (parts[0].present()) RT_TRY(parts[0].text(&made.name));
    RT_TRY(wordOf(parts[1], kRoleWords, &made.role));
    RT_TRY(parts[2].number(&made.size, 1, kMaxBuffer));
    RT_TRY(shape(&made, parts[3], parts[4]));
    HandleBits bits = 0;
    RT_TRY(at(field, graph_.addBuffer(&bits, std::move(made))));
    handles_.push_back(reinterpret_cast<rtGraphBuffer_t>(bits));
    return Status();
  }

  Status value(const Field& field) {
    static constexpr Keys<3> kKeys = {"name", "bytes", "value"};
    auto parts = Field::fields<3>(field);
    RT_TRY(field.members(&parts, kKeys));
    Value made;
    if (parts[0].present()) RT_TRY(parts[0].text(&made.name));
    RT_TRY(parts[1].number(&made.size, 1, backend::kMaxArgumentBytes));
    if (parts[2].present()) {
      RT_TRY(parts[2].hex(&made.initial, backend::kMaxArgumentBytes));
      if (made.initial.size() != made.size) {
        return parts[2].refuse("Here are %zu bytes; the value has %u.", made.initial.size(), made.size);
      }
    }
    HandleBits bits = 0;
    RT_TRY(at(field, graph_.addValue(&bits, std::move(made))));
    values_.push_back(reinterpret_cast<rtGraphValue_t>(bits));
    return Status();
  }

  // Type and shape of the elements, for programs that fill and read the buffer; the library does not use them.
  static Status shape(Buffer* buffer, const Field& type, const Field& list) {
    if (!type.present()) return list.present() ? list.refuse("A shape needs a type beside it.") : Status();
    std::string_view word;
    RT_TRY(type.word(&word));
    uint64_t bytes = scalarSize(word);
    if (bytes == 0) return type.refuse("One of i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 is expected.");
    buffer->type = word;
    if (!list.present()) return list.refuse("This member is missing: a type has a shape beside it.");
    const Status read = list.elements([&](const Field& each) -> Status {
      uint64_t extent = 0;
      RT_TRY(each.number(&extent, 1, UINT64_MAX));
      if (mulOverflows(bytes, extent, &bytes)) return each.refuse("The shape leaves the address space.");
      buffer->shape.push_back(extent);
      return Status();
    });
    RT_TRY(read);
    if (bytes == buffer->size) return Status();
    return list.refuse("The shape has %llu bytes and the buffer %llu.", static_cast<unsigned long long>(bytes),
                       static_cast<unsigned long long>(buffer->size));
  }

  Status node(const Field& field, uint32_t number) {
    struct Kind {
      const char* word;
      Status (GraphReader::*read)(const Field&, Work*, uint32_t);
    };
    static constexpr Kind kKinds[] = {{"kernel", &GraphReader::kernel},       {"copy", &GraphReader::copy},
                                      {"rectangle", &GraphReader::rectangle}, {"fill", &GraphReader::fill},
                                      {"graph", &GraphReader::child},         {"empty", &GraphReader::empty}};
    static constexpr const char* kWords[] = {"kernel", "copy", "rectangle", "fill", "graph", "empty"};
    static_assert(std::size(kKinds) == std::size(kWords));
    int32_t kind = 0;
    const Field word = field.member("kind");
    RT_TRY(wordOf(word, kWords, &kind));
    before_.nodes.clear();
    Work work;
    RT_TRY((this->*kKinds[kind].read)(field, &work, number));
    return at(field, graph_.add(&handle_, nullptr, std::move(work), before_));
  }

  Status dependencies(const Field& field, uint32_t number) {
    if (!field.present()) return Status();
    return field.elements([&](const Field& each) -> Status {
      uint32_t first = 0;
      RT_TRY(each.number(&first, 0, count_ - 1));
      if (first == number) return each.refuse("A node cannot come after itself.");
      if (first < number) {
        before_.nodes.push_back(first);
      } else {
        later_.emplace_back(first, number);
      }
      return Status();
    });
  }

  Status bufferIndex(rtGraphBuffer_t* out, const Field& field) const {
    if (handles_.empty()) return field.refuse("The graph has no buffers.");
    uint32_t index = 0;
    RT_TRY(field.number(&index, 0, bufferCount() - 1));
    *out = handles_[index];
    return Status();
  }

  Status valueHandle(rtGraphValue_t* out, const Field& field) const {
    if (values_.empty()) return field.refuse("The graph has no values.");
    uint32_t index = 0;
    RT_TRY(field.number(&index, 0, valueCount() - 1));
    *out = values_[index];
    return Status();
  }

  Status operand(rtGraphOperand_t* out, const Field& field) const {
    static constexpr Keys<2> kKeys = {"buffer", "offset"};
    auto parts = Field::fields<2>(field);
    RT_TRY(field.members(&parts, kKeys));
    RT_TRY(bufferIndex(&out->buffer, parts[0]));
    return optional(parts[1], &out->offset);
  }

  // Reads one argument: null, which is a null address; a buffer; a value, as bytes or as a number of a type; local memory; or a
  // named value of the graph.
  Status argument(rtGraphArg_t* out, std::vector<unsigned char>* value, const Field& field) const {
    *out = {};
    if (field.isNull()) {
      out->kind = RT_ARG_POINTER;
      return Status();
    }
    static constexpr Keys<17> kKeys = {"buffer", "value", "local", "named", "i8",  "u8",     "i16",   "u16",   "i32",
                                       "u32",    "i64",   "u64",   "f32",   "f64", "offset", "bytes", "access"};
    constexpr size_t kNamed = 3, kOffset = 14, kBytes = 15, kAccess = 16;
    auto parts = Field::fields<17>(field);
    RT_TRY(field.members(&parts, kKeys));
    // The keys before kOffset are the forms of an argument, of which exactly one must be there. The others belong to a buffer.
    size_t chosen = kOffset, forms = 0;
    for (size_t i = 0; i < kOffset; ++i) {
      if (!parts[i].present()) continue;
      chosen = i;
      ++forms;
    }
    if (forms != 1)
      return field.refuse("One of buffer, value, local, named or a type as i32 is expected; here are %zu.", forms);
    for (size_t i = kOffset; i <= kAccess && chosen != 0; ++i) {
      if (parts[i].present()) return parts[i].refuse("Only a buffer has this.");
    }
    if (chosen == 0) {
      out->kind = RT_ARG_POINTER;
      RT_TRY(bufferIndex(&out->memory.buffer, parts[0]));
      RT_TRY(optional(parts[kOffset], &out->memory.offset));
      RT_TRY(optional(parts[kBytes], &out->size));
      int32_t access = RT_GRAPH_READ | RT_GRAPH_WRITE;
      if (parts[kAccess].present()) RT_TRY(wordOf(parts[kAccess], kAccessWords, &access));
      out->access = static_cast<uint32_t>(access);
    } else if (chosen == 2) {
      out->kind = RT_ARG_LOCAL;
      RT_TRY(parts[2].number(&out->size, 0, UINT64_MAX));
    } else if (chosen == kNamed) {
      out->kind = RT_ARG_GRAPH_VALUE;
      rtGraphValue_t named = nullptr;
      RT_TRY(valueHandle(&named, parts[kNamed]));
      out->value = named;
    } else {
      out->kind = RT_ARG_VALUE;
      if (chosen == 1) {
        RT_TRY(parts[1].hex(value, backend::kMaxArgumentBytes));
      } else {
        value->resize(scalarSize(kKeys[chosen]));
        RT_TRY(parts[chosen].scalar(value->data(), kKeys[chosen]));
      }
      out->size = value->size();
    }
    return Status();
  }

  Status kernel(const Field& field, Work* work, uint32_t number) {
    static constexpr Keys<10> kKeys = {"kind",        "kernel",      "module",    "grid",  "group",
                                       "local_bytes", "cooperative", "arguments", "after", "offset"};
    auto parts = Field::fields<10>(field);
    RT_TRY(field.members(&parts, kKeys));
    rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
    std::string name;
    RT_TRY(parts[1].text(&name));
    params.name = name.c_str();
    Source source;
    if (parts[2].present()) {
      if (modules_.empty()) return parts[2].refuse("The file has no modules.");
      uint32_t module = 0;
      RT_TRY(parts[2].number(&module, 0, static_cast<uint32_t>(modules_.size() - 1)));
      source = modules_[module];
    }
    RT_TRY(triple(parts[3], params.grid, 0u));
    RT_TRY(triple(parts[4], params.group, 1u));
    if (parts[5].present()) RT_TRY(parts[5].number(&params.local_bytes, 0, UINT32_MAX));
    bool cooperative = false;
    if (parts[6].present()) RT_TRY(parts[6].boolean(&cooperative));
    params.flags = cooperative ? RT_LAUNCH_COOPERATIVE : 0;
    if (parts[9].present()) RT_TRY(triple(parts[9], params.global_offset, uint64_t{0}));
    std::vector<rtGraphArg_t> arguments;
    std::vector<std::vector<unsigned char>> values;
    if (parts[7].present()) {
      const Status read = parts[7].elements([&](const Field& each) -> Status {
        if (arguments.size() == backend::kMaxArguments) {
          return each.refuse("A kernel takes %u arguments at most.", backend::kMaxArguments);
        }
        return argument(&arguments.emplace_back(), &values.emplace_back(), each);
      });
      RT_TRY(read);
    }
    // argument() filled the bytes. They are pointed at here, where both lists have stopped growing.
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].kind == RT_ARG_VALUE) arguments[i].value = values[i].data();
    }
    params.args = arguments.data();
    params.arg_count = static_cast<uint32_t>(arguments.size());
    KernelNode& made = work->emplace<KernelNode>();
    RT_TRY(at(field, readKernel(&made, params, graph_)));
    made.source = std::move(source);
    return dependencies(parts[8], number);
  }

  Status direction(const Field& field, int32_t* out) const {
    return field.present() ? wordOf(field, kDirectionWords, out) : Status();
  }

  Status copy(const Field& field, Work* work, uint32_t number) {
    static constexpr Keys<6> kKeys = {"kind", "destination", "source", "bytes", "direction", "after"};
    auto parts = Field::fields<6>(field);
    RT_TRY(field.members(&parts, kKeys));
    rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
    RT_TRY(operand(&params.dst, parts[1]));
    RT_TRY(operand(&params.src, parts[2]));
    RT_TRY(parts[3].number(&params.size, 1, UINT64_MAX));
    RT_TRY(direction(parts[4], &params.kind));
    RT_TRY(at(field, readCopy(&work->emplace<CopyNode>(), params, graph_)));
    return dependencies(parts[5], number);
  }

  Status rectangle(const Field& field, Work* work, uint32_t number) {
    static constexpr Keys<9> kKeys = {"kind",         "destination", "source", "width", "height", "destination_pitch",
                                      "source_pitch", "direction",   "after"};
    auto parts = Field::fields<9>(field);
    RT_TRY(field.members(&parts, kKeys));
    rtGraphMemcpy2DParams_t params = RT_GRAPH_MEMCPY_2D_PARAMS_INIT;
    RT_TRY(operand(&params.dst, parts[1]));
    RT_TRY(operand(&params.src, parts[2]));
    RT_TRY(parts[3].number(&params.width, 1, UINT64_MAX));
    RT_TRY(parts[4].number(&params.height, 1, UINT64_MAX));
    RT_TRY(parts[5].number(&params.dst_pitch, 1, UINT64_MAX));
    RT_TRY(parts[6].number(&params.src_pitch, 1, UINT64_MAX));
    RT_TRY(direction(parts[7], &params.kind));
    RT_TRY(at(field, readCopy2D(&work->emplace<CopyNode>(), params, graph_)));
    return dependencies(parts[8], number);
  }

  Status fill(const Field& field, Work* work, uint32_t number) {
    static constexpr Keys<7> kKeys = {"kind", "destination", "pattern", "count", "height", "pitch", "after"};
    auto parts = Field::fields<7>(field);
    RT_TRY(field.members(&parts, kKeys));
    rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
    RT_TRY(operand(&params.dst, parts[1]));
    std::vector<unsigned char> pattern;
    RT_TRY(parts[2].hex(&pattern, sizeof params.pattern));
    params.pattern_size = static_cast<uint32_t>(pattern.size());
    std::copy(pattern.begin(), pattern.end(), params.pattern);
    RT_TRY(parts[3].number(&params.count, 1, UINT64_MAX));
    if (parts[4].present()) RT_TRY(parts[4].number(&params.height, 1, UINT64_MAX));
    RT_TRY(optional(parts[5], &params.pitch));
    RT_TRY(at(field, readFill(&work->emplace<FillNode>(), params, graph_)));
    return dependencies(parts[6], number);
  }

  Status empty(const Field& field, Work*, uint32_t number) {
    static constexpr Keys<2> kKeys = {"kind", "after"};
    auto parts = Field::fields<2>(field);
    RT_TRY(field.members(&parts, kKeys));
    return dependencies(parts[1], number);
  }

  Status child(const Field& field, Work* work, uint32_t number) {
    static constexpr Keys<5> kKeys = {"kind", "graph", "bindings", "after", "values"};
    auto parts = Field::fields<5>(field);
    RT_TRY(field.members(&parts, kKeys));
    static constexpr Keys<3> kGraphKeys = {"buffers", "nodes", "values"};
    auto inside = Field::fields<3>(parts[1]);
    RT_TRY(parts[1].members(&inside, kGraphKeys));
    Unfinished inner;
    // The child is complete before it becomes a node. If anything below fails, `inner` releases it.
    GraphReader reader(*inner.graph, modules_);
    RT_TRY(reader.read(inside[0], inside[2], inside[1]));
    RT_TRY(at(field, manager::createGraph(&inner.bits, Ref<manager::GraphContent>(inner.graph.get()))));
    std::vector<rtGraphBinding_t> bindings;
    if (parts[2].present()) {
      const Status read = parts[2].elements([&](const Field& each) -> Status {
        static constexpr Keys<3> kBindingKeys = {"child", "buffer", "offset"};
        auto binding = Field::fields<3>(each);
        RT_TRY(each.members(&binding, kBindingKeys));
        if (reader.bufferCount() == 0) return each.refuse("The child graph has no buffers.");
        uint32_t index = 0;
        RT_TRY(binding[0].number(&index, 0, reader.bufferCount() - 1));
        rtGraphBinding_t made{reader.handle(index), {nullptr, 0, nullptr}};
        RT_TRY(bufferIndex(&made.memory.buffer, binding[1]));
        RT_TRY(optional(binding[2], &made.memory.offset));
        bindings.push_back(made);
        return Status();
      });
      RT_TRY(read);
    }
    std::vector<rtGraphValueBinding_t> values;
    std::vector<std::vector<unsigned char>> bytes;
    if (parts[4].present()) RT_TRY(childValues(&values, &bytes, parts[4], reader));
    rtGraphChildParams_t params = RT_GRAPH_CHILD_PARAMS_INIT;
    params.value_bindings = values.data();
    params.value_binding_count = static_cast<uint32_t>(values.size());
    params.graph = reinterpret_cast<rtGraph_t>(inner.bits);
    params.bindings = bindings.data();
    params.binding_count = static_cast<uint32_t>(bindings.size());
    RT_TRY(at(field, readChild(&work->emplace<ChildNode>(), params, graph_)));
    return dependencies(parts[3], number);
  }

  // Reads the meaning of a child's values: a named value of this graph, or bytes, which `bytes` keeps.
  Status childValues(std::vector<rtGraphValueBinding_t>* out, std::vector<std::vector<unsigned char>>* bytes,
                     const Field& field, const GraphReader& child) const {
    const Status read = field.elements([&](const Field& each) -> Status {
      static constexpr Keys<3> kKeys = {"child", "named", "value"};
      auto parts = Field::fields<3>(each);
      RT_TRY(each.members(&parts, kKeys));
      if (child.valueCount() == 0) return each.refuse("The child graph has no values.");
      if (parts[1].present() == parts[2].present()) {
        return each.refuse("One of named and value is expected; here are %u.", parts[1].present() ? 2u : 0u);
      }
      uint32_t index = 0;
      RT_TRY(parts[0].number(&index, 0, child.valueCount() - 1));
      rtGraphValueBinding_t made{child.valueHandle(index), nullptr, nullptr, 0};
      std::vector<unsigned char>& data = bytes->emplace_back();
      if (parts[1].present()) RT_TRY(valueHandle(&made.outer, parts[1]));
      if (parts[2].present()) RT_TRY(parts[2].hex(&data, backend::kMaxArgumentBytes));
      out->push_back(made);
      return Status();
    });
    RT_TRY(read);
    for (size_t i = 0; i < out->size(); ++i) {  // here, where the lists have stopped growing
      if ((*out)[i].outer != nullptr) continue;
      (*out)[i].data = (*bytes)[i].data();
      (*out)[i].size = (*bytes)[i].size();
    }
    return Status();
  }

  Graph& graph_;
  const std::vector<Source>& modules_;
  std::vector<rtGraphBuffer_t> handles_;
  std::vector<rtGraphValue_t> values_;
  uint32_t count_ = 0;  // of nodes
  Graph::Dependencies before_;
  std::vector<std::pair<uint32_t, uint32_t>> later_;  // on nodes further down in the file
  HandleBits handle_ = 0;
};

}  // namespace

Status readFile(Ref<Graph>* graph, std::string_view text) {
  Json json;
  RT_TRY(json.parse(text));
  const Field root(json);
  static constexpr Keys<6> kKeys = {"format", "version", "modules", "buffers", "nodes", "values"};
  std::string_view format;
  const Field format_field = root.member("format"), version_field = root.member("version");
  RT_TRY(format_field.word(&format));
  if (format != kFileFormat) return format_field.refuse("This is no graph: \"%s\" is expected.", kFileFormat);
  uint32_t version = 0;
  RT_TRY(version_field.number(&version, 1, UINT32_MAX));
  if (version > kFileVersion) {
    return version_field.refuseAs(RT_ERROR_NOT_SUPPORTED, "The file is newer than this library, which reads version 1.");
  }
  auto parts = Field::fields<6>(root);
  RT_TRY(root.members(&parts, kKeys));
  std::vector<Source> modules;
  RT_TRY(readModules(&modules, parts[2]));
  Unfinished made;
  RT_TRY(GraphReader(*made.graph, modules).read(parts[3], parts[5], parts[4]));
  *graph = std::move(made.graph);
  return Status();
}

}  // namespace manyrt::graph
