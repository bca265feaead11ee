// A capture plan: how a graph runs in one context. It finds kernels, flattens child graphs, reduces dependencies, and gives
// each step an order and a branch, and each temporary an offset. A plan never changes; execs share it.
#pragma once

#include <vector>

#include "base/handles/epoch.h"
#include "graph/memory/memory_plan.h"
#include "graph/model/graph.h"
#include "manager/context.h"
#include "manager/module.h"

namespace manyrt::graph {

struct Step {
  uint32_t node;                 // of the graph; the steps of a child graph have the node of the child graph
  bool own;                      // the step is the node itself, not a part of a child graph
  Work work;                     // kernels are found; buffers are those of the plan
  std::vector<uint32_t> before;  // earlier steps, reduced
  uint32_t branch = 0;
  uint32_t level = 0;
  int32_t verdict = RT_VERDICT_NATIVE;
};

// Makes one list of steps from a graph and all its child graphs, in one order: smallest node first. `buffers` has those of the
// graph, then the temporaries of child graphs. Throws bad_alloc.
void flatten(const Graph& graph, std::vector<Step>* steps, std::vector<Buffer>* buffers);

class BuiltSources;

class Plan final : public RefCounted {
 public:
  static constexpr uint32_t kMaxBranches = 64, kDefaultBranches = 4, kMaxModules = 4096;
  struct Request {
    Graph& graph;  // as it is now
    manager::Context& context;
    allocator::ContextResources& resources;
    std::vector<Lease<manager::Module>> modules;
    uint32_t max_branches;  // 0: kDefaultBranches
  };
  // Under the guard, which is left if a source of the graph has to be built; the context is pinned. Throws bad_alloc.
  static Status create(Ref<Plan>* plan, const Request& request, epoch::Guard& guard);
  static Plan& of(const manager::CapturePlan& plan) { return static_cast<Plan&>(*plan.content); }

  const Graph& graph() const { return *graph_; }    // a copy that never changes
  const Graph& source() const { return *source_; }  // the graph that it was made from, to know its nodes
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Buffer>& buffers() const { return buffers_; }  // the graph's, then temporaries of child graphs
  HandleBits handleOf(uint32_t node) const { return handles_[node]; }
  uint32_t branches() const { return branches_; }
  uint32_t levels() const { return levels_; }
  const MemoryPlan& memory() const { return memory_; }
  uint64_t offsetOf(uint32_t buffer) const { return memory_.offsets[buffer]; }  // of a temporary
  uint64_t memoryOffset(const Step& step) const;  // the lowest one that the step uses; UINT64_MAX: none
  struct Use {                                    // by steps
    uint32_t first = UINT32_MAX, last = 0;
  };
  Use useOf(uint32_t buffer) const { return uses_[buffer]; }       // first above last: no step names it
  uint32_t stepOf(uint32_t node) const { return step_of_[node]; }  // kNone: a child graph, whose steps are others
  uint64_t dependencies() const;

 private:
  Status findKernels(const Request& request, const BuiltSources& built);
  Status order(uint32_t max_branches);
  Status placeTemporaries(const Before& before);

  Ref<Graph> graph_, source_;
  std::vector<HandleBits> handles_;
  std::vector<Step> steps_;
  std::vector<Buffer> buffers_;
  std::vector<Use> uses_;          // by buffer
  std::vector<uint32_t> step_of_;  // by node
  uint32_t branches_ = 0, levels_ = 0;
  MemoryPlan memory_;
};

}  // namespace manyrt::graph
