// The sources of a graph file, built for the context of a plan: each once, for all kernels that name it. The modules live as
// long as this; kernels that a plan has leased keep what they need. Made and used by Plan::create alone.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/handles/epoch.h"
#include "graph/plan/plan.h"
#include "manager/module.h"

namespace manyrt::graph {

class BuiltSources {
 public:
  BuiltSources() = default;
  BuiltSources(const BuiltSources&) = delete;
  BuiltSources& operator=(const BuiltSources&) = delete;
  ~BuiltSources();

  // Builds all sources of the steps. Leaves the guard meanwhile. A failure names the first node of the source. Throws
  // bad_alloc.
  Status build(const std::vector<Step>& steps, const Graph& graph, manager::Context& context,
               allocator::ContextResources& resources, epoch::Guard& guard);
  Status find(manager::Kernel** kernel, const KernelNode& node) const;

 private:
  struct Built {
    Lease<manager::Module> module;
    HandleBits bits = 0;
  };
  std::unordered_map<const manager::KernelSource*, Built> all_;  // by the source of steps, which the plan keeps
};

}  // namespace manyrt::graph
