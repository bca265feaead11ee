// Modules and their kernels, each of one context.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "objects.h"
#include "unit.h"

namespace manyrt::simulated {

struct KernelFunction {
  Context& context;
  std::shared_ptr<Unit> unit;
  const Unit::Kernel* kernel;
  std::atomic<int> most_dynamic_bytes;

  int mostThreads() const;
};

struct Module {
  Module(Context& its_context, std::shared_ptr<Unit> its_unit);
  ~Module();

  Context& context;
  const std::shared_ptr<Unit> unit;
  std::vector<NativeFunction> functions;  // as the unit's kernels
};

Table<KernelFunction, NativeFunction>& functions();
int liveModules();
void removeModulesOf(Context& context);

}  // namespace manyrt::simulated
