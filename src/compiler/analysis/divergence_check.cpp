// Values are kept by a hash of where they were seen, and compared with those of the item before and after as they come. Two
// places with one hash would be a wrong alarm, once in 10^6 runs of this size; none of them is passed over in silence.
#include "compiler/analysis/divergence_check.h"

namespace manyrt::compiler::analysis {
namespace {

uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

}  // namespace

DivergenceCheck::DivergenceCheck(const ir::Function& kernel, const Divergence& divergence, uint32_t dimension)
    : divergence_(divergence), dimension_(dimension) {
  note(*kernel.body, {});
}

void DivergenceCheck::note(const ir::Region& region, std::vector<const ir::Instruction*> loops) {
  if (region.owner != nullptr && region.owner->op == ir::Opcode::kLoop) loops.push_back(region.owner);
  for (const ir::Value* parameter : region.parameters) loops_[parameter] = loops;
  for (const ir::Instruction* i : region.body) {
    for (const ir::Value* result : i->results) loops_[result] = loops;
    for (const ir::Region* inner : i->regions) note(*inner, loops);
  }
}

void DivergenceCheck::compare(uint64_t lower, uint64_t upper, const ir::Value& value, Pace pace, const uint64_t item[3]) {
  ++compared_;
  const uint64_t mask = value.type.isVector() ? ~uint64_t{0} : ir::maskOf(value.type.kind);
  if (((upper - lower) & mask) == (static_cast<uint64_t>(pace.stride) & mask) || !wrong_.empty()) return;
  const uint32_t line = value.by != nullptr ? value.by->where.line : 0;
  wrong_ = "%" + std::to_string(value.id) + " of line " + std::to_string(line) + ", " + std::to_string(pace.stride) +
           " apart along dimension " + std::to_string(dimension_) + " it is said, is " + std::to_string(lower) + " and " +
           std::to_string(upper) + " at item " + std::to_string(item[0]) + ", " + std::to_string(item[1]) + ", " +
           std::to_string(item[2]) + " and its neighbour";
}

void DivergenceCheck::seen(const uint64_t group[3], const uint64_t item[3], const ir::Value& value,
                           const std::array<uint64_t, ir::kMaxComponents>& bits, const Turns& turns) {
  const Pace pace = divergence_.of(value);
  if (pace.isVarying() || found_.size() >= kMost) return;
  uint64_t where = mixed(0, reinterpret_cast<uintptr_t>(&value)), word = bits[0];
  for (int d = 0; d < 3; ++d) where = mixed(where, group[d]);
  for (uint32_t d = 0; d < 3; ++d) where = mixed(where, d == dimension_ ? 0 : item[d]);
  for (const ir::Instruction* loop : loops_.at(&value)) where = mixed(where, turns.at(loop));
  if (value.type.isVector()) {
    word = 0;
    for (uint32_t i = 0; i < value.type.components; ++i) word = mixed(word, bits[i]);
  }
  const uint64_t at = item[dimension_];
  found_[mixed(where, at)] = word;
  if (const auto before = found_.find(mixed(where, at - 1)); before != found_.end())
    compare(before->second, word, value, pace, item);
  if (const auto after = found_.find(mixed(where, at + 1)); after != found_.end())
    compare(word, after->second, value, pace, item);
}

}  // namespace manyrt::compiler::analysis
