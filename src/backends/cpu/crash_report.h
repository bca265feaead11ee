// The kernel that a thread runs, for the report of a crash (base/crash.h). It is a record on the thread's stack, which costs a
// launch some stores. Ranges of groups and the nodes of graphs have one.
#pragma once

#include <cstdint>

#include "backends/cpu/kernel.h"
#include "base/crash.h"
#include "compiler/unit.h"

namespace manyrt::cpu {

// A thread runs one kernel at a time: at the end it runs none.
class RunningKernel : public crash::Running {
 public:
  explicit RunningKernel(const HostKernel& kernel) : Running{describe}, kernel_(&kernel) {
    group.item[0] = compiler::kNoItem;
    crash::say(this);
  }
  ~RunningKernel() { crash::say(nullptr); }
  RunningKernel(const RunningKernel&) = delete;
  RunningKernel& operator=(const RunningKernel&) = delete;

  compiler::UnitGroup group;  // what the kernel is called with; changes from call to call

 private:
  static bool describe(const Running& running, const crash::Fault& fault, crash::Text& text);

  const HostKernel* const kernel_;
};

// Appends the kernel, the line, the group and the item as far as they are known.
void describeKernel(const HostKernel& kernel, const compiler::UnitGroup& group, const crash::Fault& fault, crash::Text& text);

}  // namespace manyrt::cpu
