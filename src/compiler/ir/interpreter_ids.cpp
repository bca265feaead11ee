// One line for each id and size; dimensions that there are not have those of OpenCL.
#include "compiler/ir/interpreter_ids.h"

namespace manyrt::compiler::ir {

uint64_t workItem(const Run& run, const uint64_t group[3], const uint64_t local[3], WorkItem which, uint64_t d) {
  const auto size = [&](uint64_t of) { return uint64_t{run.group_size[of]}; };
  const auto count = [&](uint64_t of) { return uint64_t{run.group_count[of]}; };
  const auto global = [&](uint64_t of) { return group[of] * size(of) + local[of]; };
  const bool inside = d < 3;
  switch (which) {
    case WorkItem::kGlobalId:
      return inside ? run.global_offset[d] + global(d) : 0;
    case WorkItem::kLocalId:
      return inside ? local[d] : 0;
    case WorkItem::kGroupId:
      return inside ? group[d] : 0;
    case WorkItem::kGlobalSize:
      return inside ? count(d) * size(d) : 1;
    case WorkItem::kLocalSize:
    case WorkItem::kEnqueuedLocalSize:
      return inside ? size(d) : 1;
    case WorkItem::kNumGroups:
      return inside ? count(d) : 1;
    case WorkItem::kGlobalOffset:
      return inside ? run.global_offset[d] : 0;
    case WorkItem::kWorkDim:
      return count(2) * size(2) > 1 ? 3 : count(1) * size(1) > 1 ? 2 : 1;
    case WorkItem::kGlobalLinearId:
      return (global(2) * count(1) * size(1) + global(1)) * count(0) * size(0) + global(0);
    case WorkItem::kLocalLinearId:
      return (local[2] * size(1) + local[1]) * size(0) + local[0];
    case WorkItem::kFirstGlobalId:
      return inside ? run.global_offset[d] + group[d] * size(d) : 0;
    case WorkItem::kNone:
      break;
  }
  return 0;
}

size_t strideOf(const Run& run, size_t d) {
  return d == 0 ? 1 : d == 1 ? run.group_size[0] : size_t{run.group_size[0]} * run.group_size[1];
}

uint64_t idOf(const Run& run, size_t item, size_t d) { return item / strideOf(run, d) % run.group_size[d]; }

std::vector<size_t> vectorsTogether(const Run& run, const Instruction& items, size_t item) {
  const size_t d = items.jam_dimension, stride = strideOf(run, d), id = idOf(run, item, d);
  const size_t step = d == items.dimension ? items.lanes : 1, count = items.jam * step, begin = id - id % count;
  std::vector<size_t> firsts;
  if (begin + count > run.group_size[d]) return firsts;
  for (size_t k = 0; k < items.jam; ++k) firsts.push_back(item - id * stride + (begin + k * step) * stride);
  return firsts;
}

}  // namespace manyrt::compiler::ir
