// Makes a plan: flattens the graph, then finds kernels, order and memory. Refuses nodes that cannot run in the context.
#include "graph/plan/plan.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

#include "base/text.h"
#include "graph/model/params.h"
#include "graph/plan/branches.h"
#include "graph/plan/built_sources.h"
#include "ops/launch.h"

namespace manyrt::graph {
namespace {

// Makes one list of steps from a graph and all its child graphs.
class Flattener {
 public:
  Flattener(std::vector<Step>& steps, std::vector<Buffer>& buffers) : steps_(steps), buffers_(buffers) {}

  // The meaning of a graph's value in the plan: one of its values, or bytes.
  struct ValuePlace {
    uint32_t value = kNone;
    std::vector<unsigned char> bytes;
  };

  // `places`: the memory of each buffer of the graph in the plan, `values`: what its values are. `entry`: steps that come
  // before all of the graph. `top`: the node of the outermost graph that contains it; kNone: it is that graph. Returns the
  // steps after which all of the graph is done.
  std::vector<uint32_t> add(const Graph& graph, const std::vector<Operand>& places, const std::vector<ValuePlace>& values,
                            const std::vector<uint32_t>& entry, uint32_t top) {
    const std::vector<Node>& nodes = graph.nodes();
    Before before(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) before[i] = nodes[i].before;
    std::vector<std::vector<uint32_t>> ends(nodes.size());
    std::vector<bool> followed(nodes.size());
    for (uint32_t node : sequenceOf(before)) {
      std::vector<uint32_t> waits = nodes[node].before.empty() ? entry : std::vector<uint32_t>();
      for (uint32_t first : nodes[node].before) {
        followed[first] = true;
        waits.insert(waits.end(), ends[first].begin(), ends[first].end());
      }
      std::sort(waits.begin(), waits.end());
      waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
      const uint32_t of = top == kNone ? node : top;
      if (const ChildNode* child = std::get_if<ChildNode>(&nodes[node].work)) {
        ends[node] = add(*child->graph, childPlaces(*child, places), childValues(*child, values), waits, of);
        continue;
      }
      Step step;
      step.node = of;
      step.own = top == kNone;
      step.work = nodes[node].work;
      forEachOperand(step.work, [&](Operand& operand) { operand = translated(operand, places); });
      if (KernelNode* kernel = std::get_if<KernelNode>(&step.work)) translate(kernel, values);
      step.before = std::move(waits);
      ends[node] = {static_cast<uint32_t>(steps_.size())};
      steps_.push_back(std::move(step));
    }
    std::vector<uint32_t> last;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!followed[i]) last.insert(last.end(), ends[i].begin(), ends[i].end());
    }
    return nodes.empty() ? entry : last;
  }

 private:
  static Operand translated(const Operand& operand, const std::vector<Operand>& places) {
    if (operand.buffer == kNone) return operand;
    Operand result = places[operand.buffer];
    if (result.buffer != kNone) {
      result.offset += operand.offset;
    } else {
      result.pointer = static_cast<char*>(result.pointer) + operand.offset;
    }
    return result;
  }

  static void translate(KernelNode* kernel, const std::vector<ValuePlace>& values) {
    for (KernelArgument& argument : kernel->arguments) {
      if (argument.value == kNone) continue;
      const ValuePlace& place = values[argument.value];
      argument.value = place.value;
      if (place.value == kNone) memcpy(kernel->values.data() + argument.offset, place.bytes.data(), argument.size);
    }
  }

  // A value without a binding keeps its first bytes.
  static std::vector<ValuePlace> childValues(const ChildNode& child, const std::vector<ValuePlace>& values) {
    std::vector<ValuePlace> result(child.graph->values().size());
    for (size_t i = 0; i < result.size(); ++i) result[i].bytes = child.graph->values()[i].initial;
    for (const ValueBinding& binding : child.values) {
      result[binding.value] = binding.outer == kNone ? ValuePlace{kNone, binding.bytes} : values[binding.outer];
    }
    return result;
  }

  std::vector<Operand> childPlaces(const ChildNode& child, const std::vector<Operand>& places) {
    const std::vector<Buffer>& buffers = child.graph->buffers();
    std::vector<Operand> result(buffers.size());
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].role == RT_GRAPH_BUFFER_TEMPORARY) {
        result[i].buffer = static_cast<uint32_t>(buffers_.size());
        buffers_.push_back(buffers[i]);
      } else {  // the memory that a capture has recorded, if no binding below replaces it
        result[i].pointer = buffers[i].recorded;
        result[i].lease = buffers[i].lease;
      }
    }
    for (const Binding& binding : child.bindings) result[binding.buffer] = translated(binding.memory, places);
    return result;
  }

  std::vector<Step>& steps_;
  std::vector<Buffer>& buffers_;
};

int32_t verdictOf(const Work& work) {
  const bool native = std::holds_alternative<EmptyNode>(work) || std::holds_alternative<KernelNode>(work) ||
                      std::holds_alternative<CopyNode>(work) || std::holds_alternative<FillNode>(work) ||
                      std::holds_alternative<MemoryNode>(work) || std::holds_alternative<PrefetchNode>(work);
  return native ? RT_VERDICT_NATIVE : RT_VERDICT_HOST;
}

Status findByName(manager::Kernel** kernel, const std::string& name, const std::vector<Lease<manager::Module>>& modules) {
  for (const Lease<manager::Module>& module : modules) {
    const size_t index = module->native->find(name);
    if (index == module->native->kernels().size()) continue;
    *kernel = manager::kernels.find(module->kernels[index]);
    if (*kernel == nullptr) return Status::error(RT_ERROR_INVALID_HANDLE, "A module was destroyed during the call.");
    return Status();
  }
  constexpr size_t kMaxTold = 8;
  std::string told;
  for (size_t i = 0; i < modules.size() && i < kMaxTold; ++i) told += " " + modules[i]->native->whatItHas();
  return Status::error(RT_ERROR_NOT_FOUND, "There is no kernel \"%s\" in the %zu module%s that %s given to the plan.%s",
                       name.c_str(), modules.size(), plural(modules.size()), were(modules.size()), told.c_str());
}

}  // namespace

namespace {

// A value that no kernel gets is most likely a mistake: an argument has bytes of its own where the value was meant.
Status checkValuesUsed(const Graph& graph, const std::vector<Step>& steps) {
  std::vector<bool> used(graph.values().size());
  for (const Step& step : steps) {
    const KernelNode* kernel = std::get_if<KernelNode>(&step.work);
    if (kernel == nullptr) continue;
    for (const KernelArgument& argument : kernel->arguments) {
      if (argument.value != kNone) used[argument.value] = true;
    }
  }
  for (uint32_t i = 0; i < used.size(); ++i) {
    RT_CHECK_ARG(used[i], "The %s is used by no node of the graph: leave it out, or name it in an argument.",
                 graph.valueName(i).c_str());
  }
  return Status();
}

}  // namespace

void flatten(const Graph& graph, std::vector<Step>* steps, std::vector<Buffer>* buffers) {
  *buffers = graph.buffers();
  std::vector<Operand> places(buffers->size());
  for (uint32_t i = 0; i < places.size(); ++i) places[i].buffer = i;
  std::vector<Flattener::ValuePlace> values(graph.values().size());
  for (uint32_t i = 0; i < values.size(); ++i) values[i].value = i;
  (void)Flattener(*steps, *buffers).add(graph, places, values, {}, kNone);
}

Status Plan::create(Ref<Plan>* out, const Request& request, epoch::Guard& guard) {
  Ref<Plan> plan = Ref<Plan>::adopt(new Plan);
  plan->source_ = Ref<Graph>(&request.graph);
  plan->graph_ = request.graph.snapshot(false);
  {
    std::lock_guard lock(request.graph.mutex());
    for (const Node& node : request.graph.nodes()) plan->handles_.push_back(node.handle);
  }
  plan->handles_.resize(plan->graph_->nodes().size());  // another thread may have added nodes after the snapshot
  const Graph& graph = *plan->graph_;
  if (const HandleBits bound = graph.context(); bound != 0 && bound != request.context.bits) {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "The graph is bound to %s, by the %s; the plan is for the %s.",
                         manager::contextText(bound).c_str(), graph.boundBy().c_str(), request.context.name().c_str());
  }
  flatten(graph, &plan->steps_, &plan->buffers_);
  RT_TRY(checkValuesUsed(graph, plan->steps_));
  BuiltSources built;
  RT_TRY(built.build(plan->steps_, graph, request.context, request.resources, guard));
  RT_TRY(plan->findKernels(request, built));
  RT_TRY(plan->order(request.max_branches == 0 ? kDefaultBranches : request.max_branches));
  *out = std::move(plan);
  return Status();
}

Status Plan::findKernels(const Request& request, const BuiltSources& built) {
  std::unordered_map<std::string, manager::Kernel*> named;  // of the modules
  for (Step& step : steps_) {
    step.verdict = verdictOf(step.work);
    KernelNode* node = std::get_if<KernelNode>(&step.work);
    if (node == nullptr) continue;
    Status status;
    if (!node->kernel) {
      manager::Kernel* kernel = nullptr;
      if (node->source) {
        status = built.find(&kernel, *node);
      } else if (const auto [found, fresh] = named.try_emplace(node->name); fresh) {
        status = findByName(&kernel, node->name, request.modules);
        found->second = kernel;
      } else {
        kernel = found->second;
      }
      if (status.ok()) status = checkArguments(*node, *kernel->native);
      if (status.ok()) node->kernel = Lease<manager::Kernel>(kernel);
    }
    if (status.ok()) status = checkLaunch(*node);
    if (!status.ok()) return Status::error(status.code(), "%s: %s", graph_->nameOf(step.node).c_str(), status.message());
  }
  return Status();
}

Status Plan::order(uint32_t max_branches) {
  Before before(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) before[i] = steps_[i].before;
  const Before fewer = reduced(std::move(before));
  const std::vector<uint32_t> levels = levelsOf(fewer), branches = branchesOf(fewer, max_branches, &branches_);
  step_of_.assign(graph_->nodes().size(), kNone);
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].own) step_of_[steps_[i].node] = i;
    steps_[i].before = fewer[i];
    steps_[i].level = levels[i];
    steps_[i].branch = branches[i];
    levels_ = std::max(levels_, levels[i] + 1);
  }
  return placeTemporaries(fewer);
}

Status Plan::placeTemporaries(const Before& before) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 62;  // so that sums of rounded sizes do not wrap
  static_assert(kMaxBytes + kMaxBuffer < uint64_t{1} << 63);
  std::vector<Temporary> temporaries(buffers_.size(), Temporary{0, {}});
  uses_.resize(buffers_.size());
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < steps_.size(); ++i) {
    for (const Access& access : accessesOf(steps_[i].work).memory) {
      const uint32_t buffer = access.memory->buffer;
      if (buffer == kNone) continue;
      uses_[buffer].first = std::min(uses_[buffer].first, i);
      uses_[buffer].last = i;
      if (buffers_[buffer].role != RT_GRAPH_BUFFER_TEMPORARY) continue;
      if (temporaries[buffer].size == 0) bytes += temporaries[buffer].size = buffers_[buffer].size;
      if (bytes > kMaxBytes) {
        return Status::error(RT_ERROR_OUT_OF_MEMORY, "The temporaries up to the %s leave the address space.",
                             graph_->nameOf(steps_[i].node).c_str());
      }
      if (temporaries[buffer].users.empty() || temporaries[buffer].users.back() != i) temporaries[buffer].users.push_back(i);
    }
  }
  memory_ = planMemory(temporaries, before);
  return Status();
}

uint64_t Plan::memoryOffset(const Step& step) const {
  uint64_t lowest = UINT64_MAX;
  for (const Access& access : accessesOf(step.work).memory) {
    const uint32_t buffer = access.memory->buffer;
    if (buffer == kNone || buffers_[buffer].role != RT_GRAPH_BUFFER_TEMPORARY) continue;
    lowest = std::min(lowest, offsetOf(buffer) + access.memory->offset);
  }
  return lowest;
}

uint64_t Plan::dependencies() const {
  uint64_t count = 0;
  for (const Step& step : steps_) count += step.before.size();
  return count;
}

}  // namespace manyrt::graph
