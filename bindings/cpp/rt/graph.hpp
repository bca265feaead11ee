// SPDX-License-Identifier: Apache-2.0
//
// Graphs: Graph says what runs, CapturePlan how it runs in one context, GraphExec runs it many times. Nodes and buffers are
// references that belong to their graph. A graph is built here node by node, or comes from StreamRef::endCapture.
#ifndef MANYRT_RT_GRAPH_HPP_
#define MANYRT_RT_GRAPH_HPP_

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "kernel.hpp"

namespace rt {

class GraphNode : public Borrowed<rtGraphNode_t> {
 public:
  using Borrowed::Borrowed;

  template <class E = DefaultMode>
  Outcome<E, rtGraphNodeType> type(E = {}) const {
    std::int32_t type = 0;
    const rtStatus_t status = rtGraphNodeGetType(&type, get());
    return detail::give<E, rtGraphNodeType>(status, type);
  }
};

class GraphBuffer : public Borrowed<rtGraphBuffer_t> {
 public:
  using Borrowed::Borrowed;

  template <class E = DefaultMode>
  Outcome<E, rtGraphBufferInfo_t> info(E = {}) const {
    return detail::fetchStruct<E>(rtGraphBufferInfo_t RT_GRAPH_BUFFER_INFO_INIT, rtGraphBufferGetInfo, get());
  }
};

/** A number, or other bytes, that a graph names and that arguments of any number of kernels are. */
class GraphValue : public Borrowed<rtGraphValue_t> {
 public:
  using Borrowed::Borrowed;

  template <class E = DefaultMode>
  Outcome<E, rtGraphValueInfo_t> info(E = {}) const {
    return detail::fetchStruct<E>(rtGraphValueInfo_t RT_GRAPH_VALUE_INFO_INIT, rtGraphValueGetInfo, get());
  }
};

/** A value of a type, for parameters of exactly this type. */
template <class T>
class GraphValueOf : public GraphValue {
 public:
  static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
  using Type = T;
  using GraphValue::GraphValue;
};

/** Memory that a node names: a place in a buffer of the graph, or memory that is there already. */
struct GraphMemory : rtGraphOperand_t {
  /** used: bytes that the node uses from `offset` on; 0: up to the end of the buffer. */
  GraphMemory(const GraphBuffer& graphBuffer, std::uint64_t byteOffset = 0, std::uint64_t used = 0) noexcept
      : rtGraphOperand_t{graphBuffer.get(), byteOffset, nullptr}, bytes(used) {}
  /** A Buffer, a DeviceSpan, a Span or a container of the host; it outlives the last launch. */
  template <class M, class = decltype(std::declval<M&>().data())>
  GraphMemory(M& memory) noexcept
      : rtGraphOperand_t{nullptr, 0, const_cast<void*>(static_cast<const void*>(memory.data()))},
        bytes(detail::viewOf(memory).bytes()),
        constant(std::is_const_v<typename decltype(detail::viewOf(memory))::element_type>),
        closed(detail::isClosed(memory)) {}
  /** The same for what is const or a temporary; a container of the host is a source alone then. */
  template <class M, class = decltype(std::declval<const M&>().data())>
  GraphMemory(const M& memory) noexcept
      : rtGraphOperand_t{nullptr, 0, const_cast<void*>(static_cast<const void*>(memory.data()))},
        bytes(detail::viewOf(memory).bytes()),
        constant(std::is_const_v<typename decltype(detail::viewOf(memory))::element_type>),
        closed(detail::isClosed(memory)) {}

  std::uint64_t bytes;
  /** True if its elements are const: nodes read it and do not write to it. */
  bool constant = false;
  /** True for a Buffer that was closed or moved from, which nodes refuse. */
  bool closed = false;
};

namespace detail {

/** The address of memory that nodes may write to or only read: the role of a graph's buffer says which. */
template <class S>
void* addressOf(const S& span) noexcept {
  return const_cast<void*>(static_cast<const void*>(span.data()));
}

}  // namespace detail

/** Which nodes come before a node: those that are named, or by default those that follow from what nodes read and write. */
class Dependencies {
 public:
  Dependencies() noexcept = default;
  Dependencies(std::initializer_list<GraphNode> nodes) : Dependencies(std::vector<GraphNode>(nodes)) {}
  Dependencies(const std::vector<GraphNode>& nodes) : inferred_(false) {
    for (const GraphNode& node : nodes) nodes_.push_back(node.get());
  }
  static Dependencies none() { return Dependencies(std::vector<GraphNode>()); }

  const rtGraphNode_t* data() const noexcept { return nodes_.data(); }
  std::uint32_t count() const noexcept { return inferred_ ? RT_INFERRED : static_cast<std::uint32_t>(nodes_.size()); }

 private:
  std::vector<rtGraphNode_t> nodes_;
  bool inferred_ = true;
};

/** A dependency: `to` waits for `from`. */
struct GraphEdge {
  GraphNode from;
  GraphNode to;
};

class Graph : public Owner<Borrowed<rtGraph_t>, rtGraphDestroy> {
 public:
  using Owner::Owner;

  template <class E = DefaultMode>
  static Outcome<E, Graph> create(E = {}) {
    return detail::fetch<E, Graph>(rtGraphCreate);
  }
  /** Makes a graph of what save() gave; it belongs to no context. */
  template <class E = DefaultMode>
  static Outcome<E, Graph> load(const std::string& file, E = {}) {
    return detail::fetch<E, Graph>(rtGraphLoad, file.data(), file.size());
  }
  template <class E = DefaultMode>
  Outcome<E, Graph> clone(E = {}) const {
    return detail::fetch<E, Graph>(rtGraphClone, get());
  }
  /** The graph as JSON (docs/graph-file.md); NOT_SUPPORTED where a node means something in this process alone. */
  template <class E = DefaultMode>
  Outcome<E, std::string> save(E = {}) const {
    return detail::fetchText<E>(rtGraphSave, false, get());
  }
  /** The graph for Graphviz. */
  template <class E = DefaultMode>
  Outcome<E, std::string> dot(E = {}) const {
    return detail::fetchText<E>(rtGraphExportDot, true, get());
  }

  /** Memory that is named before it is known; bytes are its maximum. */
  template <class E = DefaultMode>
  Outcome<E, GraphBuffer> addBuffer(std::uint64_t bytes, rtGraphBufferRole role, const std::string& name = {}, E = {}) const {
    return detail::fetch<E, GraphBuffer>(rtGraphAddBuffer, bytes, role, name.c_str(), get());
  }
  /** A value that is bound once for all nodes that use it. */
  template <class T, class E = DefaultMode>
  Outcome<E, GraphValueOf<T>> addValue(const std::string& name = {}, E = {}) const {
    return detail::fetch<E, GraphValueOf<T>>(rtGraphAddValue, sizeof(T), static_cast<const void*>(nullptr), name.c_str(),
                                             get());
  }
  /** The same; it is `initial` until it is bound. */
  template <class T, class E = DefaultMode>
  Outcome<E, GraphValueOf<T>> addValueWith(const T& initial, const std::string& name = {}, E = {}) const {
    return detail::fetch<E, GraphValueOf<T>>(rtGraphAddValue, sizeof(T), static_cast<const void*>(&initial), name.c_str(),
                                             get());
  }
  /** Turns the addresses of a range that nodes name into places of a new buffer. */
  template <class M, class E = DefaultMode>
  Outcome<E, GraphBuffer> makeBuffer(M&& memory, rtGraphBufferRole role, const std::string& name = {}, E = {}) const {
    const auto range = detail::viewOf(memory);
    return detail::fetch<E, GraphBuffer>(rtGraphMakeBuffer, detail::addressOf(range), range.bytes(), role, name.c_str(), get());
  }

  /** The launch of a kernel, by the C struct: a handle or a name that is found when a plan is made. */
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addKernel(const rtGraphKernelParams_t& params, const Dependencies& after = {}, E = {}) const {
    return add<E>(rtGraphAddKernelNode, params, after);
  }
  /** The launch of a typed kernel. A pointer parameter takes a GraphBuffer too, one to const reads only; any other parameter
   *  takes a GraphValueOf its type too, or a GraphValue of its size. */
  template <class... Parameters, class... Arguments>
  Outcome<DefaultMode, GraphNode> addKernel(const KernelFunction<Parameters...>& function, const Range& range,
                                            const Dependencies& after, const Arguments&... arguments) const {
    return addTyped<DefaultMode>(function, range, after, arguments...);
  }
  /** The same, with a Result. */
  template <class... Parameters, class... Arguments>
  Result<GraphNode> addKernel(NoThrow, const KernelFunction<Parameters...>& function, const Range& range,
                              const Dependencies& after, const Arguments&... arguments) const {
    return addTyped<NoThrow>(function, range, after, arguments...);
  }
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addCopy(const GraphMemory& dst, const GraphMemory& src, std::uint64_t bytes,
                                const Dependencies& after = {}, rtMemcpyKind kind = RT_MEMCPY_DEFAULT, E = {}) const {
    const Result<void> fits = checkSides(dst, &src);
    if (!fits) return detail::refuse<E, GraphNode>(fits.failure());
    rtGraphMemcpyParams_t params = RT_GRAPH_MEMCPY_PARAMS_INIT;
    params.kind = kind;
    params.dst = dst;
    params.src = src;
    params.size = bytes;
    return add<E>(rtGraphAddMemcpyNode, params, after);
  }
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addCopyRows(const rtGraphMemcpy2DParams_t& params, const Dependencies& after = {}, E = {}) const {
    return add<E>(rtGraphAddMemcpy2DNode, params, after);
  }
  /** Sets `count` elements to `value`, which has 1, 2, 4, 8 or 16 bytes. */
  template <class T, class E = DefaultMode>
  Outcome<E, GraphNode> addFill(const GraphMemory& dst, const T& value, std::uint64_t count, const Dependencies& after = {},
                                E = {}) const {
    static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) & (sizeof(T) - 1)) == 0 && sizeof(T) <= 16);
    const Result<void> fits = checkSides(dst, nullptr);
    if (!fits) return detail::refuse<E, GraphNode>(fits.failure());
    rtGraphFillParams_t params = RT_GRAPH_FILL_PARAMS_INIT;
    params.pattern_size = sizeof(T);
    std::memcpy(params.pattern, &value, sizeof(T));
    params.dst = dst;
    params.count = count;
    return add<E>(rtGraphAddFillNode, params, after);
  }
  /** A function of the host, called once for each launch as StreamRef::call calls it, and kept until graph, plans and execs are
   *  gone. */
  template <class F, class E = DefaultMode>
  Outcome<E, GraphNode> addHost(F&& function, const Dependencies& after = {}, E = {}) const {
    using Call = detail::HostCall<std::decay_t<F>>;
    std::unique_ptr<Call> call(new (std::nothrow) Call{std::forward<F>(function)});
    if (call == nullptr) return detail::refuse<E, GraphNode>(RT_ERROR_OUT_OF_MEMORY, "No memory for a host function.");
    rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
    params.function = &Call::run;
    params.release = &Call::release;
    params.user = call.get();
    const Result<GraphNode> node = add<NoThrow>(rtGraphAddHostNode, params, after);
    if (node) (void)call.release();
    return detail::finish<E>(node);
  }
  /** A function that submits work to the driver's own stream; it throws nothing. */
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addNative(const rtGraphNativeParams_t& params, const Dependencies& after = {}, E = {}) const {
    return add<E>(rtGraphAddNativeNode, params, after);
  }
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addEmpty(const Dependencies& after, E = {}) const {
    return detail::fetch<E, GraphNode>(rtGraphAddEmptyNode, after.data(), after.count(), get());
  }
  /** Another graph as one node; `bindings` says what its buffers are in this one. */
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addChild(const Borrowed<rtGraph_t>& graph, Span<const rtGraphBinding_t> bindings = {},
                                 const Dependencies& after = {}, E = {}) const {
    rtGraphChildParams_t params = RT_GRAPH_CHILD_PARAMS_INIT;
    params.graph = graph.get();
    params.bindings = bindings.data();
    params.binding_count = static_cast<std::uint32_t>(bindings.size());
    return add<E>(rtGraphAddChildGraphNode, params, after);
  }
  /** The same by the C struct, which has what the graph's values are too. */
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addChild(const rtGraphChildParams_t& params, const Dependencies& after = {}, E = {}) const {
    return add<E>(rtGraphAddChildGraphNode, params, after);
  }
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addEventRecord(const EventRef& event, const Dependencies& after = {}, E = {}) const {
    return add<E>(rtGraphAddEventRecordNode, eventParams(event), after);
  }
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addEventWait(const EventRef& event, const Dependencies& after = {}, E = {}) const {
    return add<E>(rtGraphAddEventWaitNode, eventParams(event), after);
  }
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addFenceSignal(const FenceRef& fence, std::uint64_t value, const Dependencies& after = {},
                                       E = {}) const {
    return add<E>(rtGraphAddFenceSignalNode, fenceParams(fence, value), after);
  }
  template <class E = DefaultMode>
  Outcome<E, GraphNode> addFenceWait(const FenceRef& fence, std::uint64_t value, const Dependencies& after = {}, E = {}) const {
    return add<E>(rtGraphAddFenceWaitNode, fenceParams(fence, value), after);
  }

  template <class E = DefaultMode>
  Outcome<E, void> addDependency(const GraphNode& from, const GraphNode& to, E = {}) const {
    const rtGraphNode_t first = from.get(), second = to.get();
    return detail::done<E>(rtGraphAddDependencies(&first, &second, 1, get()));
  }
  template <class E = DefaultMode>
  Outcome<E, void> removeDependency(const GraphNode& from, const GraphNode& to, E = {}) const {
    const rtGraphNode_t first = from.get(), second = to.get();
    return detail::done<E>(rtGraphRemoveDependencies(&first, &second, 1, get()));
  }
  /** In the order in which they were added. */
  template <class E = DefaultMode>
  Outcome<E, std::vector<GraphNode>> nodes(E = {}) const {
    return list<E, GraphNode>(rtGraphGetNodes);
  }
  template <class E = DefaultMode>
  Outcome<E, std::vector<GraphBuffer>> buffers(E = {}) const {
    return list<E, GraphBuffer>(rtGraphGetBuffers);
  }
  template <class E = DefaultMode>
  Outcome<E, std::vector<GraphValue>> values(E = {}) const {
    return list<E, GraphValue>(rtGraphGetValues);
  }
  template <class E = DefaultMode>
  Outcome<E, std::vector<GraphEdge>> edges(E = {}) const {
    std::uint32_t count = 0;
    rtStatus_t status = rtGraphGetEdges(nullptr, nullptr, 0, &count, get());
    std::vector<rtGraphNode_t> from(count), to(count);
    if (status >= 0) status = rtGraphGetEdges(from.data(), to.data(), count, &count, get());
    std::vector<GraphEdge> edges;
    // Another thread may have removed some between the two calls.
    for (std::size_t i = 0; i < std::min<std::size_t>(count, from.size()); ++i)
      edges.push_back({GraphNode(from[i]), GraphNode(to[i])});
    return detail::give<E, std::vector<GraphEdge>>(status, std::move(edges));
  }

 private:
  static Result<void> checkSides(const GraphMemory& dst, const GraphMemory* src) {
    if (dst.closed) return detail::closedBuffer("The destination of a node");
    if (src != nullptr && src->closed) return detail::closedBuffer("The source of a node");
    if (!dst.constant) return {};
    return Failure{RT_ERROR_INVALID_VALUE, "The destination of a node is const, or a temporary of the host."};
  }
  static rtGraphEventParams_t eventParams(const EventRef& event) noexcept {
    rtGraphEventParams_t params = RT_GRAPH_EVENT_PARAMS_INIT;
    params.event = event.get();
    return params;
  }
  static rtGraphFenceParams_t fenceParams(const FenceRef& fence, std::uint64_t value) noexcept {
    rtGraphFenceParams_t params = RT_GRAPH_FENCE_PARAMS_INIT;
    params.fence = fence.get();
    params.value = value;
    return params;
  }

  template <class E, class... Parameters, class... Arguments>
  Outcome<E, GraphNode> addTyped(const KernelFunction<Parameters...>& function, const Range& range, const Dependencies& after,
                                 const Arguments&... arguments) const;

  template <class E, class P>
  Outcome<E, GraphNode> add(rtStatus_t (*function)(rtGraphNode_t*, const P*, const rtGraphNode_t*, std::uint32_t, rtGraph_t),
                            const P& params, const Dependencies& after) const {
    return detail::fetch<E, GraphNode>(function, &params, after.data(), after.count(), get());
  }

  template <class E, class T, class H>
  Outcome<E, std::vector<T>> list(rtStatus_t (*function)(H*, std::uint32_t, std::uint32_t*, rtGraph_t)) const {
    std::uint32_t count = 0;
    rtStatus_t status = function(nullptr, 0, &count, get());
    std::vector<H> handles(count);
    if (status >= 0) status = function(handles.data(), count, &count, get());
    if (count < handles.size()) handles.resize(count);
    return detail::give<E, std::vector<T>>(status, std::vector<T>(handles.begin(), handles.end()));
  }
};

namespace detail {

/** One argument of a kernel node. `value` is what a launch would pass, and lives as long as the struct. */
template <class P, class A>
rtGraphArg_t graphArgument(const A& argument, const std::uint64_t& value) {
  rtGraphArg_t arg{describe<P>().kind, 0, 0, nullptr, {nullptr, 0, nullptr}};
  if constexpr (IsLocal<P>::value) {
    arg.size = valueOf<P>(argument);
  } else if constexpr (std::is_pointer_v<P>) {
    arg.access = std::is_const_v<std::remove_pointer_t<P>> ? RT_GRAPH_READ : RT_GRAPH_READ | RT_GRAPH_WRITE;
    if constexpr (std::is_convertible_v<const A&, GraphMemory>) {
      const GraphMemory memory(argument);
      arg.memory = memory;
      arg.size = memory.bytes;
    } else {
      arg.memory.pointer = const_cast<void*>(static_cast<const void*>(valueOf<P>(argument)));
    }
  } else if constexpr (std::is_base_of_v<GraphValue, A>) {
    arg.kind = RT_ARG_GRAPH_VALUE;
    arg.size = sizeof(P);
    arg.value = argument.get();
  } else {
    arg.size = sizeof(P);
    arg.value = sizeof(P) <= sizeof(value) ? static_cast<const void*>(&value) : static_cast<const void*>(&argument);
  }
  return arg;
}

template <class P, class A>
std::uint64_t bitsOf(const A& argument) {
  std::uint64_t bits = 0;
  if constexpr (!IsLocal<P>::value && !std::is_pointer_v<P> && sizeof(P) <= sizeof(bits) && !std::is_base_of_v<GraphValue, A>) {
    const P value = static_cast<P>(argument);
    std::memcpy(&bits, &value, sizeof(P));
  }
  return bits;
}

template <class P, class A>
bool writesConstant(const A& argument) noexcept {
  if constexpr (std::is_pointer_v<P> && std::is_same_v<A, GraphMemory>) {
    return argument.constant && !std::is_const_v<std::remove_pointer_t<P>>;
  } else {
    (void)argument;
    return false;
  }
}

template <class P, class A>
constexpr bool graphTakes() {
  if constexpr (std::is_pointer_v<P> && (std::is_same_v<A, GraphBuffer> || std::is_same_v<A, GraphMemory>)) {
    return true;
  } else if constexpr (std::is_base_of_v<GraphValue, A>) {
    return !IsLocal<P>::value && !std::is_pointer_v<P> && (std::is_same_v<A, GraphValue> || std::is_same_v<A, GraphValueOf<P>>);
  } else {
    return takes<P, A>();
  }
}

}  // namespace detail

template <class E, class... Parameters, class... Arguments>
Outcome<E, GraphNode> Graph::addTyped(const KernelFunction<Parameters...>& function, const Range& range,
                                      const Dependencies& after, const Arguments&... arguments) const {
  static_assert(sizeof...(Arguments) == sizeof...(Parameters), "the kernel has another number of arguments");
  static_assert((detail::graphTakes<Parameters, Arguments>() && ...),
                "an argument has not exactly the type of the kernel's parameter: write 2.0f for float, 2u for uint32_t");
  const std::size_t closed = detail::firstClosed(arguments...);
  if (closed < sizeof...(Arguments)) return detail::refuse<E, GraphNode>(detail::closedArgument(closed));
  if ((detail::writesConstant<Parameters>(arguments) || ...)) {
    return detail::refuse<E, GraphNode>(RT_ERROR_INVALID_VALUE, "A kernel node writes to a GraphMemory that is const.");
  }
  const auto size = range.resolve(function.kernel().get(), 0);
  if (!size) return detail::refuse<E, GraphNode>(size.failure());
  const std::uint64_t bits[] = {detail::bitsOf<Parameters>(arguments)..., 0};
  std::size_t next = 0;
  const rtGraphArg_t args[] = {detail::graphArgument<Parameters>(arguments, bits[next++])..., rtGraphArg_t{}};
  rtGraphKernelParams_t params = RT_GRAPH_KERNEL_PARAMS_INIT;
  params.kernel = function.kernel().get();
  params.args = args;
  params.arg_count = sizeof...(Parameters);
  std::copy(size->first.begin(), size->first.end(), params.grid);
  std::copy(size->second.begin(), size->second.end(), params.group);
  for (std::size_t i = 0; i < 3; ++i) params.global_offset[i] = range.offset()[i];
  return addKernel<E>(params, after);
}

/** Where a plan finds kernels that are named, and how many streams it may use (0: 4). */
struct CapturePlanOptions {
  std::vector<rtModule_t> modules;
  std::uint32_t maxStreams = 0;
};

class CapturePlan : public Owner<Borrowed<rtCapturePlan_t>, rtCapturePlanDestroy> {
 public:
  using Owner::Owner;

  /** Fixes how the graph runs in one context. Blocks where a source of a graph file is built. */
  template <class E = DefaultMode>
  static Outcome<E, CapturePlan> create(const Borrowed<rtGraph_t>& graph, const ContextRef& context = {},
                                        const CapturePlanOptions& options = {}, E = {}) {
    rtCapturePlanOptions_t native = RT_CAPTURE_PLAN_OPTIONS_INIT;
    native.module_count = static_cast<std::uint32_t>(options.modules.size());
    native.modules = options.modules.data();
    native.max_streams = options.maxStreams;
    return detail::fetch<E, CapturePlan>(rtCapturePlanCreate, &native, graph.get(), context.get());
  }
  template <class E = DefaultMode>
  Outcome<E, rtCapturePlanInfo_t> info(E = {}) const {
    return detail::fetchStruct<E>(rtCapturePlanInfo_t RT_CAPTURE_PLAN_INFO_INIT, rtCapturePlanGetInfo, get());
  }
  template <class E = DefaultMode>
  Outcome<E, rtCapturePlanStep_t> step(std::uint32_t index, E = {}) const {
    return detail::fetchStruct<E>(rtCapturePlanStep_t RT_CAPTURE_PLAN_STEP_INIT, rtCapturePlanGetStep, index, get());
  }
  template <class E = DefaultMode>
  Outcome<E, rtCapturePlanBuffer_t> buffer(std::uint32_t index, E = {}) const {
    return detail::fetchStruct<E>(rtCapturePlanBuffer_t RT_CAPTURE_PLAN_BUFFER_INIT, rtCapturePlanGetBuffer, index, get());
  }
};

class GraphExec : public Owner<Borrowed<rtGraphExec_t>, rtGraphExecDestroy> {
 public:
  using Owner::Owner;

  template <class E = DefaultMode>
  static Outcome<E, GraphExec> create(const Borrowed<rtCapturePlan_t>& plan, E = {}) {
    return detail::fetch<E, GraphExec>(rtGraphExecCreate, plan.get());
  }
  /** Plan and exec in one call; a null context: that of the captured stream. */
  template <class E = DefaultMode>
  static Outcome<E, GraphExec> create(const Borrowed<rtGraph_t>& graph, const ContextRef& context = {}, E = {}) {
    return detail::fetch<E, GraphExec>(rtGraphInstantiate, graph.get(), context.get());
  }
  /** Runs in the stream's order. */
  template <class E = DefaultMode>
  Outcome<E, void> launch(const StreamRef& stream = {}, E = {}) const {
    return detail::done<E>(rtGraphLaunch(get(), stream.get()));
  }
  /** Binds memory of at least the buffer's bytes, from the next launch on. It is a Buffer, a span or a container of the host,
   *  and outlives the launches. */
  template <class M, class E = DefaultMode>
  Outcome<E, void> bind(const GraphBuffer& buffer, M&& memory, E = {}) const {
    static_assert(detail::outlivesCall<M>(), "the memory to bind is a temporary, which ends before the launch");
    const Result<void> fits = checkBinding(buffer, memory, false);
    if (!fits) return detail::refuse<E, void>(fits.failure());
    return detail::done<E>(rtGraphExecBindBuffer(buffer.get(), detail::addressOf(detail::viewOf(memory)), get()));
  }
  /** Binds less memory than the buffer has: the bytes of `memory`. */
  template <class M, class E = DefaultMode>
  Outcome<E, void> bindRange(const GraphBuffer& buffer, M&& memory, E = {}) const {
    static_assert(detail::outlivesCall<M>(), "the memory to bind is a temporary, which ends before the launch");
    const Result<void> fits = checkBinding(buffer, memory, true);
    if (!fits) return detail::refuse<E, void>(fits.failure());
    const auto range = detail::viewOf(memory);
    return detail::done<E>(rtGraphExecBindBufferRange(buffer.get(), detail::addressOf(range), range.bytes(), get()));
  }
  /** Says what a value is for all nodes that use it, from the next launch on. */
  template <class T, class E = DefaultMode>
  Outcome<E, void> bind(const GraphValueOf<T>& value, const typename GraphValueOf<T>::Type& data, E = {}) const {
    return detail::done<E>(rtGraphExecBindValue(value.get(), &data, sizeof(T), get()));
  }
  /** The same for a value of a loaded graph, by its bytes: sizeof(T) is its size. */
  template <class T, class E = DefaultMode>
  Outcome<E, void> bindValue(const GraphValue& value, const T& data, E = {}) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
    return detail::done<E>(rtGraphExecBindValue(value.get(), &data, sizeof(T), get()));
  }
  /** Exchanges the parameters of a node, from the next launch on. Arguments may name buffers and values, and follow what is
   *  bound later. */
  template <class E = DefaultMode>
  Outcome<E, void> set(const GraphNode& node, const rtGraphKernelParams_t& params, E = {}) const {
    return detail::done<E>(rtGraphExecSetKernelParams(node.get(), &params, get()));
  }
  template <class E = DefaultMode>
  Outcome<E, void> set(const GraphNode& node, const rtGraphMemcpyParams_t& params, E = {}) const {
    return detail::done<E>(rtGraphExecSetMemcpyParams(node.get(), &params, get()));
  }
  template <class E = DefaultMode>
  Outcome<E, void> set(const GraphNode& node, const rtGraphMemcpy2DParams_t& params, E = {}) const {
    return detail::done<E>(rtGraphExecSetMemcpy2DParams(node.get(), &params, get()));
  }
  template <class E = DefaultMode>
  Outcome<E, void> set(const GraphNode& node, const rtGraphFillParams_t& params, E = {}) const {
    return detail::done<E>(rtGraphExecSetFillParams(node.get(), &params, get()));
  }
  /** Exchanges all parameters for those of a graph with the same nodes. */
  template <class E = DefaultMode>
  Outcome<E, void> update(const Borrowed<rtGraph_t>& graph, E = {}) const {
    return detail::done<E>(rtGraphExecUpdate(graph.get(), get()));
  }

 private:
  /** Facts that the library does not see: the part of an allocation that is meant, and that it is const. */
  template <class M>
  static Result<void> checkBinding(const GraphBuffer& buffer, M& memory, bool part) {
    if (detail::isClosed(memory)) return detail::closedBuffer("The memory to bind");
    const auto range = detail::viewOf(memory);
    const Result<rtGraphBufferInfo_t> info = buffer.info(noThrow);
    if (!info) return info.failure();
    const std::string name = "The buffer \"" + std::string(info->name) + "\"";
    if (!part && range.bytes() < info->size) {
      return Failure{RT_ERROR_INVALID_VALUE, name + " has " + std::to_string(info->size) + " bytes, the memory to bind " +
                                                 std::to_string(range.bytes()) + "; bindRange binds less."};
    }
    if (std::is_const_v<typename decltype(range)::element_type> && info->role == RT_GRAPH_BUFFER_OUTPUT) {
      return Failure{RT_ERROR_INVALID_VALUE, name + " is an output, the memory to bind is const."};
    }
    return {};
  }
};

}  // namespace rt

#endif  // MANYRT_RT_GRAPH_HPP_
