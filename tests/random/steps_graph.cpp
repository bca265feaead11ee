// Graphs that are built by hand: buffers, nodes, dependencies given or inferred, child graphs; their plans, bindings and
// changes.
#include <algorithm>

#include "random/actor.h"
#include "random/callbacks.h"
#include "random/steps.h"

namespace rtrandom {
namespace {

constexpr size_t kMaxExecutables = 8;

bool conflicts(const Op& earlier, const Op& later) {
  const auto touches = [](const Op& op, unsigned memory) {
    return (op.writes() && op.dst == memory) || (op.reads() && op.src == memory) ||
           (op.type == OpType::kSum && op.other == memory);
  };
  return (earlier.writes() && touches(later, earlier.dst)) || (later.writes() && touches(earlier, later.dst));
}

// Memory of the context's device for a graph's buffer; each is bound to one buffer alone.
std::vector<BufferRef> candidates(const Actor& actor, const Executable& executable, size_t size) {
  std::vector<BufferRef> found;
  for (const BufferRef& buffer : actor.buffers) {
    const auto& bound = executable.recording.buffers;
    if (buffer->isDevice() && buffer->context == executable.context && buffer->size() >= size &&
        std::find(bound.begin(), bound.end(), buffer) == bound.end()) {
      found.push_back(buffer);
    }
  }
  return found;
}

void addMemory(Executable* executable, size_t size, int32_t role) {
  rtGraphOperand_t memory = {nullptr, 0, nullptr};
  OK(rtGraphAddBuffer, &memory.buffer, uint64_t{size}, role, nullptr, executable->graph);
  executable->memory.push_back(memory);
  Operand operand;
  operand.size = size;
  operand.device = operand.home = operand.kernel = true;
  operand.constant = role == RT_GRAPH_BUFFER_INPUT || role == RT_GRAPH_BUFFER_CONSTANT;
  executable->operands.push_back(operand);
  executable->roles.push_back(role);
}

void addOp(Executable* executable, const Op& op) {
  Recording& recording = executable->recording;
  std::vector<rtGraphNode_t> dependencies;
  for (size_t i = 0; i < recording.ops.size(); ++i) {
    if (conflicts(recording.ops[i], op)) dependencies.push_back(executable->nodes[i]);
  }
  dependencies.erase(std::unique(dependencies.begin(), dependencies.end()), dependencies.end());
  rtGraphNode_t node = nullptr;
  const rtStatus_t status =
      addNode(&node, op, executable->memory, executable->context->kernels, executable->by_name,
              executable->inferred || dependencies.empty() ? nullptr : dependencies.data(),
              executable->inferred ? RT_INFERRED : static_cast<uint32_t>(dependencies.size()), executable->graph);
  if (status != RT_SUCCESS) {
    fail("a valid node for %s returned %s: %s", nameOf(op.type), rtGetErrorName(status), lastMessage().c_str());
  }
  executable->nodes.push_back(node);
  recording.ops.push_back(op);
}

// A function that is called at each launch, after everything that comes before it, and released once at the end.
void addHostNode(Actor& actor, Executable* executable) {
  Recording& recording = executable->recording;
  recording.host_calls.push_back(std::make_unique<HostCall>());
  HostCall* call = recording.host_calls.back().get();
  call->op.type = OpType::kHostFunction;
  call->seed = actor.rng.next();
  rtGraphHostParams_t params = RT_GRAPH_HOST_PARAMS_INIT;
  params.function = runHostFunction;
  params.user = call;
  params.release = countRelease;
  counts().releases_due.fetch_add(1);
  rtGraphNode_t node = nullptr;
  const rtGraphNode_t last = executable->nodes.empty() ? nullptr : executable->nodes.back();
  OK(rtGraphAddHostNode, &node, &params, executable->inferred || last == nullptr ? nullptr : &last,
     executable->inferred ? RT_INFERRED : (last == nullptr ? 0u : 1u), executable->graph);
  executable->nodes.push_back(node);
  recording.ops.push_back(call->op);
}

// Another graph of the same context as one node, its buffers bound to this graph's.
void addChild(Actor& actor, Executable* executable) {
  Recording& recording = executable->recording;
  for (const auto& other : actor.executables) {
    if (other->captured || other->graph == nullptr || other->context != executable->context || executable->by_name ||
        other->by_name || other->event != nullptr || other->wanted != nullptr || other->told != nullptr ||
        other->recording.buffers.size() > recording.buffers.size()) {
      continue;
    }
    const Recording& inner = other->recording;
    const size_t bound = inner.buffers.size();
    std::vector<rtGraphBinding_t> bindings(bound);
    bool fits = inner.hostFunctions() == 0;
    for (size_t i = 0; i < bound; ++i) {
      fits = fits && other->operands[i].size <= executable->operands[i].size && !executable->operands[i].constant;
      bindings[i].buffer = other->memory[i].buffer;
      bindings[i].memory = executable->memory[i];
    }
    if (!fits) continue;
    // The child's temporaries are temporaries of the model, after this graph's.
    std::vector<unsigned> place(bound + inner.temporaries.size());
    for (size_t i = 0; i < place.size(); ++i) {
      place[i] = static_cast<unsigned>(i < bound ? i : recording.buffers.size() + recording.temporaries.size() + i - bound);
    }
    std::vector<Op> ops = other->graph_ops;
    std::vector<rtGraphNode_t> dependencies;
    for (Op& op : ops) {
      op.dst = place[op.dst];
      op.src = place[op.src];
      op.other = place[op.other];
      for (size_t i = 0; i < recording.ops.size(); ++i) {
        if (conflicts(recording.ops[i], op)) dependencies.push_back(executable->nodes[i]);
      }
    }
    std::sort(dependencies.begin(), dependencies.end());
    dependencies.erase(std::unique(dependencies.begin(), dependencies.end()), dependencies.end());
    for (const auto& temporary : inner.temporaries) recording.temporaries.emplace_back(temporary.size());
    rtGraphChildParams_t params = RT_GRAPH_CHILD_PARAMS_INIT;
    params.graph = other->graph;
    params.bindings = bindings.data();
    params.binding_count = static_cast<uint32_t>(bound);
    rtGraphNode_t node = nullptr;
    OK(rtGraphAddChildGraphNode, &node, &params, executable->inferred || dependencies.empty() ? nullptr : dependencies.data(),
       executable->inferred ? RT_INFERRED : static_cast<uint32_t>(dependencies.size()), executable->graph);
    executable->children.push_back(node);
    for (const Op& op : ops) {
      executable->nodes.push_back(node);
      recording.ops.push_back(op);
    }
    return;
  }
}

// A node that the other ones wait for, or that waits for all of them: what streams and the host meet.
void addFirstNode(Executable* executable) {
  OK(rtFenceCreate, &executable->wanted, uint64_t{0}, executable->context->handle);
  rtGraphFenceParams_t params = RT_GRAPH_FENCE_PARAMS_INIT;
  params.fence = executable->wanted;
  params.value = 1;
  rtGraphNode_t wait = nullptr;
  OK(rtGraphAddFenceWaitNode, &wait, &params, nullptr, 0u, executable->graph);
  std::vector<rtGraphNode_t> nodes = executable->nodes;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const std::vector<rtGraphNode_t> from(nodes.size(), wait);
  OK(rtGraphAddDependencies, from.data(), nodes.data(), static_cast<uint32_t>(nodes.size()), executable->graph);
}

void addLastNode(Executable* executable, bool event) {
  std::vector<rtGraphNode_t> nodes = executable->nodes;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  rtGraphNode_t node = nullptr;
  if (event) {
    OK(rtEventCreate, &executable->event, nullptr, executable->context->handle);
    rtGraphEventParams_t params = RT_GRAPH_EVENT_PARAMS_INIT;
    params.event = executable->event;
    OK(rtGraphAddEventRecordNode, &node, &params, nodes.data(), static_cast<uint32_t>(nodes.size()), executable->graph);
  } else {
    OK(rtFenceCreate, &executable->told, uint64_t{0}, executable->context->handle);
    rtGraphFenceParams_t params = RT_GRAPH_FENCE_PARAMS_INIT;
    params.fence = executable->told;
    params.value = 1;
    OK(rtGraphAddFenceSignalNode, &node, &params, nodes.data(), static_cast<uint32_t>(nodes.size()), executable->graph);
  }
}

// Fills of temporaries define what is read later; rows and functions have no other parameters.
bool mayVary(const Executable& executable, const Op& op) {
  const bool first_fill = op.dst >= executable.recording.buffers.size() && op.type == OpType::kMemset;
  return !first_fill && op.type != OpType::kCopy2D && op.type != OpType::kHostFunction && op.dst < executable.operands.size();
}

// All parameters for those of a graph of the same nodes: its own, a copy of it, or one with other places and values.
void update(Actor& actor, Executable* executable) {
  Recording& recording = executable->recording;
  if (actor.rng.chance(50)) {
    rtGraph_t copy = nullptr;
    if (actor.rng.chance(50)) OK(rtGraphClone, &copy, executable->graph);
    OK(rtGraphExecUpdate, copy != nullptr ? copy : executable->graph, executable->exec);
    OK(rtGraphDestroy, copy);
    recording.ops = executable->graph_ops;
    return;
  }
  const bool others = executable->event != nullptr || executable->wanted != nullptr || executable->told != nullptr;
  if (executable->inferred || others || !executable->children.empty() || recording.hostFunctions() != 0) return;
  Executable similar;
  similar.context = executable->context;
  similar.by_name = executable->by_name;
  OK(rtGraphCreate, &similar.graph);
  for (size_t i = 0; i < executable->operands.size(); ++i) {
    addMemory(&similar, executable->operands[i].size, executable->roles[i]);
  }
  for (const Op& op : executable->graph_ops) {
    Op other = op;
    if (mayVary(*executable, op) && actor.rng.chance(50) && !vary(actor.rng, executable->operands, &other)) other = op;
    addOp(&similar, other);
  }
  OK(rtGraphExecUpdate, similar.graph, executable->exec);
  OK(rtGraphDestroy, similar.graph);
  recording.ops = similar.recording.ops;
}

void plan(Actor& actor, Executable* executable) {
  rtCapturePlanOptions_t options = RT_CAPTURE_PLAN_OPTIONS_INIT;
  options.max_streams = static_cast<uint32_t>(actor.rng.below(6));
  if (executable->by_name) {
    options.modules = &executable->context->kernels.module;
    options.module_count = 1;
  }
  rtCapturePlan_t made = nullptr;
  OK(rtCapturePlanCreate, &made, &options, executable->graph, executable->context->handle);
  rtCapturePlanInfo_t info = RT_CAPTURE_PLAN_INFO_INIT;
  OK(rtCapturePlanGetInfo, &info, made);
  if (info.temporary_bytes_live > info.temporary_bytes || info.temporary_bytes > info.temporary_bytes_without_reuse) {
    fail("a plan takes %llu bytes, %llu live, %llu without reuse.", static_cast<unsigned long long>(info.temporary_bytes),
         static_cast<unsigned long long>(info.temporary_bytes_live),
         static_cast<unsigned long long>(info.temporary_bytes_without_reuse));
  }
  for (uint32_t i = 0; i < info.step_count; ++i) {
    rtCapturePlanStep_t step = RT_CAPTURE_PLAN_STEP_INIT;
    OK(rtCapturePlanGetStep, &step, i, made);
  }
  OK(rtGraphExecCreate, &executable->exec, made);
  OK(rtCapturePlanDestroy, made);
}

}  // namespace

void stepBuildGraph(Actor& actor) {
  if (actor.executables.size() >= kMaxExecutables) return;
  auto made = std::make_unique<Executable>();
  Executable* executable = made.get();
  executable->context = actor.anyContext();
  executable->inferred = actor.rng.chance(40);
  executable->by_name = executable->context->kernels.module != nullptr && actor.rng.chance(30);
  Recording& recording = executable->recording;
  for (size_t count = actor.rng.range(1, 3); count > 0; --count) {
    const auto found = candidates(actor, *executable, 1);
    if (found.empty()) break;
    recording.buffers.push_back(found[actor.rng.below(found.size())]);
  }
  if (recording.buffers.empty()) return;
  OK(rtGraphCreate, &executable->graph);
  for (const BufferRef& buffer : recording.buffers) {
    const size_t size = actor.rng.chance(50) ? buffer->size() : actor.rng.range(1, buffer->size());
    addMemory(executable, size,
              actor.rng.chance(70) ? RT_GRAPH_BUFFER_OUTPUT
                                   : (actor.rng.chance(50) ? RT_GRAPH_BUFFER_INPUT : RT_GRAPH_BUFFER_CONSTANT));
  }
  for (size_t count = actor.rng.below(3); count > 0; --count) {
    const size_t size = actor.rng.size(1 << 13);
    addMemory(executable, size, RT_GRAPH_BUFFER_TEMPORARY);
    recording.temporaries.emplace_back(size);
    Op fill;
    fill.type = OpType::kMemset;
    fill.dst = fill.src = fill.other = static_cast<unsigned>(executable->memory.size() - 1);
    fill.size = size;
    fill.value = actor.rng.word();
    addOp(executable, fill);
  }
  for (size_t count = actor.rng.range(1, 14); count > 0; --count) {
    Op op;
    if (actor.rng.chance(5)) {
      addHostNode(actor, executable);
    } else if (actor.rng.chance(10)) {
      addChild(actor, executable);
    } else if (generate(actor.rng, executable->operands, executable->context->kernels, &op) && op.type != OpType::kNative) {
      if (executable->by_name && op.type == OpType::kHostKernel) continue;
      addOp(executable, op);
    }
  }
  executable->graph_ops = recording.ops;
  if (!executable->inferred && !recording.ops.empty()) {
    if (actor.rng.chance(25)) addFirstNode(executable);
    if (actor.rng.chance(50)) addLastNode(executable, actor.rng.chance(60));
  }
  actor.payDebts();
  plan(actor, executable);
  for (size_t i = 0; i < recording.buffers.size(); ++i) {
    OK(rtGraphExecBindBuffer, executable->memory[i].buffer, recording.buffers[i]->address, executable->exec);
    ++recording.buffers[i]->graphs;
  }
  actor.executables.push_back(std::move(made));
}

// Binds other memory or exchanges the parameters of a node, with launches in flight.
void stepChangeExec(Actor& actor) {
  if (actor.executables.empty()) return;
  Executable& executable = *actor.executables[actor.rng.below(actor.executables.size())];
  if (executable.captured || executable.graph == nullptr) return;
  Recording& recording = executable.recording;
  if (actor.rng.chance(30)) return update(actor, &executable);
  if (actor.rng.chance(50)) {
    const size_t index = actor.rng.below(recording.buffers.size());
    const auto found = candidates(actor, executable, executable.operands[index].size);
    if (found.empty()) return;
    const BufferRef& next = found[actor.rng.below(found.size())];
    OK(rtGraphExecBindBuffer, executable.memory[index].buffer, next->address, executable.exec);
    --recording.buffers[index]->graphs;
    recording.buffers[index] = next;
    ++next->graphs;
    return;
  }
  if (executable.inferred || recording.ops.empty()) return;  // other places may need other dependencies
  const size_t index = actor.rng.below(recording.ops.size());
  Op op = recording.ops[index];
  const auto& children = executable.children;
  const bool child = std::find(children.begin(), children.end(), executable.nodes[index]) != children.end();
  if (child || !mayVary(executable, op) || !vary(actor.rng, executable.operands, &op)) return;
  const rtStatus_t status = setParams(executable.nodes[index], op, executable.memory, executable.context->kernels,
                                      executable.by_name, executable.exec);
  if (status != RT_SUCCESS) {
    fail("valid parameters for %s returned %s: %s", nameOf(op.type), rtGetErrorName(status), lastMessage().c_str());
  }
  recording.ops[index] = op;
}

}  // namespace rtrandom
