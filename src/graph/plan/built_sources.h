// The sources that a graph brings with it, built for the context of a plan: each once, whoever names it. The modules live as
// long as this; kernels that a plan has leased keep what they need. Made and used by Plan::create alone.
#pragma once

#include <string>
#include <vector>

#include "base/epoch.h"
#include "graph/plan/plan.h"
#include "manager/module.h"

namespace manyrt::graph {

class BuiltSources {
 public:
  BuiltSources() = default;
  BuiltSources(const BuiltSources&) = delete;
  BuiltSources& operator=(const BuiltSources&) = delete;
  ~BuiltSources();

  // All that steps name; leaves the guard while it builds. A failure names the first node that needs it. Throws bad_alloc.
  Status build(const std::vector<Step>& steps, const Graph& graph, manager::Context& context,
               allocator::ContextResources& owner, epoch::Guard& guard);
  Status find(manager::Kernel** kernel, const KernelNode& node) const;

 private:
  struct Built {
    const manager::KernelSource* source;  // of a step, which the plan keeps
    Lease<manager::Module> module;
    HandleBits bits;
  };
  std::vector<Built> all_;
};

}  // namespace manyrt::graph
