// Filling in trace::Work: texts are kept, because the kernel and its module may be gone when the work's times are known.
#include "backends/traced.h"

#include <algorithm>
#include <variant>

namespace manyrt::backend {

trace::Work describe(trace::Kind kind) {
  trace::Work work;
  work.kind = kind;
  return work;
}

trace::Work describe(const Kernel& kernel, const Launch& launch) {
  trace::Work work = describe(trace::Kind::kKernel);
  work.name = kernel.tracedName();
  work.module = kernel.tracedModule();
  work.tier = kernel.tier();
  if (trace::profiles()) {
    work.row = kernel.row();
    work.form = work.row != nullptr ? work.row->form : kernel.form(launch);
  }
  std::copy_n(launch.grid, 3, work.grid);
  std::copy_n(launch.group, 3, work.group);
  return work;
}

trace::Work describe(const Copy& copy) {
  trace::Work work = describe(trace::Kind::kCopy);
  work.copy = copy.kind;
  work.bytes = copy.width * copy.height;
  return work;
}

trace::Work describe(const Fill& fill) {
  trace::Work work = describe(trace::Kind::kFill);
  work.bytes = fill.width * fill.height;
  return work;
}

trace::Work describe(const ReplayStep::Work& work) {
  if (const auto* step = std::get_if<KernelStep>(&work)) return describe(*step->kernel, step->launch);
  if (const auto* copy = std::get_if<Copy>(&work)) return describe(*copy);
  if (const auto* fill = std::get_if<Fill>(&work)) return describe(*fill);
  return describe(std::holds_alternative<PrefetchStep>(work) ? trace::Kind::kPrefetch : trace::Kind::kTask);
}

}  // namespace manyrt::backend
