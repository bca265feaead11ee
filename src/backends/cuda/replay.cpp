// Making native graphs, launching them, and giving nodes other parameters. Steps that CUDA's nodes cannot do are not taken.
// Copies of pageable memory go through pinned memory in pieces. For copies of managed memory that the host may not share at
// any time, a node would have to be told the side. Fills with patterns of more than four bytes are several commands.
// Prefetches that do something have no kind of node.
#include "backends/cuda/replay.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "backends/cuda/context.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "backends/cuda/kernel.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/native_work.h"
#include "backends/traced.h"

namespace manyrt::cuda {
namespace {

using Work = backend::ReplayStep::Work;

bool isManaged(const void* pointer) {
  PointerAttributes facts = {};
  // Memory that CUDA does not know is a failure in older runtimes. The runtime keeps that, and the program must not find it.
  if (table().cudaPointerGetAttributes(&facts, pointer) == kSuccess) return facts.type == kMemoryManaged;
  (void)table().cudaGetLastError();
  return false;
}

// The bytes after which the pattern repeats.
uint32_t period(const backend::Fill& fill) {
  uint32_t size = fill.pattern_size;
  // Sizes are powers of two, so that halves are enough.
  while (size > 1 && memcmp(fill.pattern, fill.pattern + size / 2, size / 2) == 0) size /= 2;
  return size;
}

FillNodeParameters parametersOf(const backend::Fill& fill) {
  const uint32_t size = std::min(fill.pattern_size, 4u);  // a wider pattern repeats after four bytes: it was taken
  FillNodeParameters parameters{};
  parameters.dst = reinterpret_cast<DriverAddress>(fill.dst);
  parameters.pitch = fill.height == 1 ? 0 : fill.pitch;
  parameters.element_size = size;
  memcpy(&parameters.value, fill.pattern, size);
  parameters.width = fill.width / size;
  parameters.height = fill.height;
  return parameters;
}

CopyNodeParameters parametersOf(const backend::Copy& copy) {
  CopyNodeParameters parameters{};
  // Unified addresses: the driver finds out by itself on which side the memory is.
  parameters.src.type = parameters.dst.type = kCopyUnified;
  parameters.src.device = reinterpret_cast<DriverAddress>(copy.src);
  parameters.src.pitch = copy.src_pitch;
  parameters.dst.device = reinterpret_cast<DriverAddress>(copy.dst);
  parameters.dst.pitch = copy.dst_pitch;
  parameters.width = copy.width;
  parameters.height = copy.height;
  parameters.depth = 1;
  return parameters;
}

// Which kind of node the work is: that of the variant, or 0 where nothing is to be done.
size_t kindOf(const Work& work) {
  if (const auto* copy = std::get_if<backend::Copy>(&work); copy != nullptr && copy->width * copy->height == 0) return 0;
  if (const auto* fill = std::get_if<backend::Fill>(&work); fill != nullptr && fill->width * fill->height == 0) return 0;
  return std::holds_alternative<backend::PrefetchStep>(work) ? 0 : work.index();
}

// The parameters of a kernel node. CUDA copies what they name.
class KernelParameters {
 public:
  explicit KernelParameters(const backend::KernelStep& step) : parameters_(static_cast<Kernel&>(*step.kernel), step.launch) {
    auto& kernel = static_cast<Kernel&>(*step.kernel);
    const backend::Launch& launch = step.launch;
    native_.function = kernel.function();
    memcpy(native_.grid, launch.grid, sizeof native_.grid);
    memcpy(native_.block, launch.group, sizeof native_.block);
    native_.shared_bytes = parameters_.dynamicBytes();
    native_.parameters = parameters_.native();
  }
  KernelParameters(const KernelParameters&) = delete;
  KernelParameters& operator=(const KernelParameters&) = delete;
  const KernelNodeParameters* native() const { return &native_; }

 private:
  KernelNodeParameters native_{};
  Parameters parameters_;
};

}  // namespace

bool ReplayMaker::takes(const Work& work) {
  if (std::holds_alternative<backend::KernelStep>(work) || std::holds_alternative<backend::NativeStep>(work)) return true;
  Current current(context_.native());
  const bool shared = context_.device().managedIsConcurrent();
  if (const auto* copy = std::get_if<backend::Copy>(&work)) {
    for (const void* side : {static_cast<const void*>(copy->dst), copy->src}) {
      // These copies go another way, as the head says.
      if (isPageable(side) || (!shared && isManaged(side))) return false;
    }
  }
  if (const auto* fill = std::get_if<backend::Fill>(&work)) return period(*fill) <= 4;
  if (const auto* prefetch = std::get_if<backend::PrefetchStep>(&work)) return !shared || !isManaged(prefetch->address);
  return true;
}

Status ReplayMaker::record(Ref<backend::NativeWork>* work, const backend::NativeCall& submit) {
  return NativeWork::record(work, context_, submit);
}

// ---- Making ----

Replay::Replay(Context& context) : context_(&context) {}

Replay::~Replay() {
  Current current(context_->native());
  if (exec_ != nullptr) (void)table().cuGraphExecDestroy(exec_);  // launches in flight keep what they need
  if (graph_ != nullptr) (void)table().cuGraphDestroy(graph_);
  for (NativeEvent event : timeline_events_) context_->device().timeline().give(event);
}

Status Replay::create(Ref<backend::Replay>* out, Context& context, std::span<const backend::ReplayStep> steps) {
  Ref<Replay> replay = Ref<Replay>::adopt(new Replay(context));
  RT_TRY(replay->build(steps));
  *out = std::move(replay);
  return Status();
}

Status Replay::build(std::span<const backend::ReplayStep> steps) {
  Current current(context_->native());
  nodes_.reserve(steps.size());
  const bool traced = trace::timesWork();
  const bool by_records = trace::timesAllWork();  // as Stream::records()
  if (by_records) context_->device().timeline().look();
  // Only without CUPTI: nodes for events make each launch longer.
  has_times_ = traced && !(by_records && context_->device().timeline().activities() != nullptr) &&
               table().cuGraphAddEventRecordNode != nullptr && table().cuGraphExecEventRecordNodeSetEvent != nullptr;
  RT_CUDA_TRY(cuGraphCreate, &graph_, 0);
  std::vector<NativeNode> before;
  for (const backend::ReplayStep& step : steps) {
    before.clear();
    for (uint32_t earlier : step.before) before.push_back(nodes_[earlier].last());
    Node* const node = &nodes_.emplace_back();
    if (traced) describe(*node, step.work);
    node->branch = static_cast<uint16_t>(step.branch);
    RT_TRY(has_times_ ? addTimed(node, step, before) : add(node, step.work, before));
  }
  // The graph stays: the executable one is changed by naming nodes of it.
  RT_CUDA_TRY(cuGraphInstantiateWithFlags, &exec_, graph_, 0);
  return Status();
}

Replay::MemoryKind Replay::memoryKindOf(const void* pointer) {
  PointerAttributes facts = {};
  if (table().cudaPointerGetAttributes(&facts, pointer) == kSuccess) return {facts.type, facts.device};
  (void)table().cudaGetLastError();
  return {};
}

Status Replay::add(Node* node, const Work& work, const std::vector<NativeNode>& before) {
  const NativeNode* first = before.empty() ? nullptr : before.data();
  // One branch for each kind of node. The node keeps what change() compares with, and references to what a launch uses.
  node->kind = kindOf(work);
  if (node->kind == 0) {
    RT_CUDA_TRY(cuGraphAddEmptyNode, &node->native, graph_, first, before.size());
  } else if (const auto* step = std::get_if<backend::KernelStep>(&work)) {
    node->kernel = Ref<backend::Kernel>(step->kernel);
    // The last kernel's: a loss of the device names one of the graph's.
    kept_name_ = static_cast<Kernel&>(*step->kernel).keptName();
    const KernelParameters parameters(*step);
    RT_CUDA_TRY(cuGraphAddKernelNode, &node->native, graph_, first, before.size(), parameters.native());
  } else if (const auto* copy = std::get_if<backend::Copy>(&work)) {
    node->dst = memoryKindOf(copy->dst);
    node->src = memoryKindOf(copy->src);
    // Flat copies have a call that can change them later. Others become a new replay.
    node->flat = copy->height == 1;
    if (node->flat) {
      RT_CUDA_TRY(cudaGraphAddMemcpyNode1D, &node->native, graph_, first, before.size(), copy->dst, copy->src, copy->width,
                  kCopyDefault);
    } else {
      const CopyNodeParameters parameters = parametersOf(*copy);
      RT_CUDA_TRY(cuGraphAddMemcpyNode, &node->native, graph_, first, before.size(), &parameters, context_->native());
    }
  } else if (const auto* native = std::get_if<backend::NativeStep>(&work)) {
    node->recorded = Ref<backend::NativeWork>(native->work);
    RT_CUDA_TRY(cuGraphAddChildGraphNode, &node->native, graph_, first, before.size(),
                static_cast<NativeWork&>(*native->work).graph());
  } else {
    const auto& fill = std::get<backend::Fill>(work);
    node->is_fill = true;
    node->dst = memoryKindOf(fill.dst);
    const FillNodeParameters parameters = parametersOf(fill);
    RT_CUDA_TRY(cuGraphAddMemsetNode, &node->native, graph_, first, before.size(), &parameters, context_->native());
  }
  return Status();
}

// ---- Times ----

// The node between two that record events. These belong to the device: each launch brings its own.
Status Replay::addTimed(Node* node, const backend::ReplayStep& step, const std::vector<NativeNode>& before) {
  if (kindOf(step.work) == 0) return add(node, step.work, before);
  Timeline& timeline = context_->device().timeline();
  NativeEvent event = nullptr;
  if (!timeline.take(&event)) return add(node, step.work, before);
  const NativeNode* const first = before.empty() ? nullptr : before.data();
  // Times are no part of the work: any failure here leaves the node without them.
  const bool begun = table().cuGraphAddEventRecordNode(&node->begin, graph_, first, before.size(), event) == kSuccess;
  if (!begun) {
    node->begin = nullptr;
    timeline.give(event);
    return add(node, step.work, before);
  }
  timeline_events_.push_back(event);
  RT_TRY(add(node, step.work, {node->begin}));
  // The same event at both ends is a stand-in: giveEvents() sets two others before each launch.
  if (table().cuGraphAddEventRecordNode(&node->end, graph_, &node->native, 1, event) != kSuccess) node->end = nullptr;
  return Status();
}

void Replay::describe(Node& node, const backend::ReplayStep::Work& work) {
  node.traced = backend::describe(work);
  node.traced.in_graph = true;
  node.described = true;
}

// Native functions have nodes that are not known here.
void Replay::describeNodes(RecordedWork* span) const {
  std::vector<RecordedWork::Node> nodes;
  bool has_more = false;
  nodes.reserve(nodes_.size());
  for (const Node& node : nodes_) {
    if (node.recorded) has_more = true;
    if (node.kind == 0 || node.recorded || !node.enabled) continue;
    RecordedWork::Node& told = nodes.emplace_back();
    told.described = node.described;
    if (node.described) {
      told.work = node.traced;
    } else if (!node.kernel) {
      told.work.kind = node.is_fill ? trace::Kind::kFill : trace::Kind::kCopy;
    }
    if (node.kernel) {
      const auto& kernel = static_cast<const Kernel&>(*node.kernel);
      told.symbol = trace::keep(kernel.symbol().c_str());
      if (!node.described) told.work = backend::describe(kernel, backend::Launch{});
    }
    told.work.lane = node.branch;
  }
  span->setGraph(std::move(nodes), has_more);
}

// A launch in flight has the events of its time.
std::unique_ptr<TimedWork> Replay::giveEvents(uint64_t serial) {
  std::unique_ptr<TimedWork> given(new (std::nothrow)
                                       TimedWork(context_->device().timeline(), context_->native(), serial, true));
  if (given == nullptr) return nullptr;
  const auto set = table().cuGraphExecEventRecordNodeSetEvent;
  for (const Node& node : nodes_) {
    if (node.end == nullptr) continue;
    trace::Work work = node.traced;
    work.lane = node.branch;
    TimedWork::Piece* const piece = given->add(work);
    if (piece == nullptr || set(exec_, node.begin, piece->begin) != kSuccess || set(exec_, node.end, piece->end) != kSuccess) {
      // Some nodes have got its events. They stay with the graph, as another launch must not find them in use.
      given->abandon();
      return nullptr;
    }
    piece->tells = node.enabled;
  }
  return given;
}

// ---- Changing ----

// A launch that is held back has yet to be given to the driver, with what it was launched with.
Status Replay::change(bool* changed, uint32_t step, const Work& work) {
  *changed = false;
  Node& node = nodes_[step];
  const size_t kind = kindOf(work);
  // Another kind of work is another kind of node, which an executable graph cannot get. The caller makes a new replay.
  if (isHeldBack() || (kind != 0 && node.kind != kind)) return Status();
  *changed = true;
  if (node.kind == 0) return Status();
  if (const auto* native = std::get_if<backend::NativeStep>(&work)) {
    *changed = node.recorded.get() == native->work;  // other work is another graph
    return Status();
  }
  Current current(context_->native());
  // The node stays and is switched off: a later change may need it again.
  if (kind == 0) return enable(node, false);
  RT_TRY(set(changed, node, work));
  if (*changed && node.described) describe(node, work);
  return *changed ? enable(node, true) : Status();
}

// Which nodes act: of kernels, copies and fills. Launches in flight are not concerned.
Status Replay::enable(Node& node, bool enabled) {
  if (node.enabled == enabled) return Status();
  RT_CUDA_TRY(cuGraphNodeSetEnabled, exec_, node.native, enabled ? 1u : 0u);
  node.enabled = enabled;
  return Status();
}

Status Replay::set(bool* changed, Node& node, const Work& work) {
  const char* call = "";
  Error error = kSuccess;
  if (const auto* step = std::get_if<backend::KernelStep>(&work)) {
    const KernelParameters parameters(*step);
    call = "cuGraphExecKernelNodeSetParams";
    error = RT_CUDA_CALL(cuGraphExecKernelNodeSetParams, exec_, node.native, parameters.native());
    if (error == kSuccess) node.kernel = Ref<backend::Kernel>(step->kernel);
  } else if (const auto* copy = std::get_if<backend::Copy>(&work)) {
    // CUDA binds a node to the kinds of memory and the devices that it was made with.
    *changed = node.flat && copy->height == 1 && node.dst == memoryKindOf(copy->dst) && node.src == memoryKindOf(copy->src);
    if (!*changed) return Status();
    call = "cudaGraphExecMemcpyNodeSetParams1D";
    error =
        RT_CUDA_CALL(cudaGraphExecMemcpyNodeSetParams1D, exec_, node.native, copy->dst, copy->src, copy->width, kCopyDefault);
  } else {
    const auto& fill = std::get<backend::Fill>(work);
    *changed = node.dst == memoryKindOf(fill.dst);
    if (!*changed) return Status();
    const FillNodeParameters parameters = parametersOf(fill);
    call = "cuGraphExecMemsetNodeSetParams";
    error = RT_CUDA_CALL(cuGraphExecMemsetNodeSetParams, exec_, node.native, &parameters, context_->native());
  }
  // The caller then makes a new replay, so this is no failure of the program's call.
  if (error == kInvalidValue) {  // other resources than the node has: documented, and left to the driver to tell
    *changed = false;
    if (strncmp(call, "cuda", 4) == 0) (void)table().cudaGetLastError();
    return Status();
  }
  return error == kSuccess ? Status() : failure(call, error);
}

}  // namespace manyrt::cuda
