// Nodes are the statements in the order of the source, so that what stands inside of one is a range of numbers. The work is
// linear in the statements, times how deep gotos stand in each other's surroundings, which the parser bounds.
#include "compiler/ir/from_tree/jump_plan.h"

#include <algorithm>
#include <utility>

namespace manyrt::compiler::ir {

JumpPlan::JumpPlan(const compiler::Function& function) {
  walk(*function.body, kNone, 0, kNone);
  const bool is_structured =
      gotos_.empty() && std::none_of(cases_.begin(), cases_.end(), [&](uint32_t c) { return isInner(c); });
  if (!is_structured) {
    for (uint32_t i = 0; i < nodes_.size(); ++i) numbers_.emplace(nodes_[i].statement, i);
    for (const uint32_t jump : gotos_) addGoto(jump);
    openCases();
    makeRanges();
  }
}

void JumpPlan::walk(const Stmt& s, uint32_t parent, uint32_t position, uint32_t around) {
  const uint32_t own = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({&s, parent, parent == kNone ? 0 : nodes_[parent].depth + 1, position, around, 0, {}});
  if (s.kind == StmtKind::kGoto) gotos_.push_back(own);
  if (s.kind == StmtKind::kCase || s.kind == StmtKind::kDefault) cases_.push_back(own);
  if (s.kind == StmtKind::kLabel) labels_.emplace(s.label, &s);
  uint32_t number = 0;
  for (const Stmt* inner : s.body) walk(*inner, own, number++, around);
  for (const Stmt* inner : {s.first, s.second}) {
    if (inner != nullptr) walk(*inner, own, 0, s.kind == StmtKind::kSwitch ? own : around);
  }
  nodes_[own].end = static_cast<uint32_t>(nodes_.size());
}

bool JumpPlan::isLabel(uint32_t node) const {
  const StmtKind kind = nodes_[node].statement->kind;
  return kind == StmtKind::kLabel || kind == StmtKind::kCase || kind == StmtKind::kDefault;
}

// A case that stands inside of another statement than the block of its switch and labels.
bool JumpPlan::isInner(uint32_t label) const {
  const uint32_t around = nodes_[label].around;
  uint32_t at = nodes_[label].parent;
  while (isLabel(at)) at = nodes_[at].parent;
  return at != around && (nodes_[at].parent != around || nodes_[at].statement->kind != StmtKind::kCompound);
}

void JumpPlan::openUpTo(uint32_t statement, uint32_t around) {
  for (; statement != around; statement = nodes_[statement].parent) nodes_[statement].flags.is_open = true;
}

void JumpPlan::addRoot(uint32_t statement) { nodes_[statement].flags.is_open = nodes_[statement].flags.is_root = true; }

// The parts of a switch are cut at its labels: blocks that have one of these inside are those of the switch.
uint32_t JumpPlan::liftedOverCases(uint32_t statement) const {
  const Node& node = nodes_[statement];
  if (node.parent != kNone && nodes_[node.parent].statement->kind == StmtKind::kSwitch) return node.parent;
  for (uint32_t at = statement; isLabel(at); ++at) {  // the statement of a label is the next node
    if (nodes_[at].statement->kind != StmtKind::kLabel) return nodes_[at].around;
  }
  return statement;
}

void JumpPlan::addGoto(uint32_t jump) {
  const Stmt* label = labels_.at(nodes_[jump].statement->label);
  const uint32_t target = numbers_.at(label);
  nodes_[target].flags.is_target = true;
  // From both up to what stands around both; `from` and `to` are its statements that have them.
  uint32_t a = jump, b = target, from = jump, to = target;
  while (a != b) {
    const bool first = nodes_[a].depth >= nodes_[b].depth, second = nodes_[b].depth >= nodes_[a].depth;
    if (first) from = std::exchange(a, nodes_[a].parent);
    if (second) to = std::exchange(b, nodes_[b].parent);
  }
  const uint32_t lifted = liftedOverCases(a);
  openUpTo(target, lifted);
  if (lifted != a || nodes_[a].statement->kind != StmtKind::kCompound) {
    addRoot(lifted);
    return;
  }
  uint32_t at = target;
  while (at != to && isLabel(nodes_[at].parent)) at = nodes_[at].parent;
  found_[a].push_back({nodes_[from].position, nodes_[to].position, label, at == to});
}

// A switch that is open has all its labels as places where blocks begin.
void JumpPlan::openCases() {
  for (const uint32_t label : cases_) {
    if (isInner(label)) addRoot(nodes_[label].around);
  }
  for (const uint32_t label : cases_) {
    const uint32_t around = nodes_[label].around;
    if (!nodes_[around].flags.is_open) continue;
    openUpTo(label, around);
    open_cases_[nodes_[around].statement].push_back(nodes_[label].statement);
  }
}

void JumpPlan::makeRanges() {
  for (auto& [compound, all] : found_) {
    std::sort(all.begin(), all.end(),
              [](const Found& a, const Found& b) { return std::min(a.from, a.to) < std::min(b.from, b.to); });
    std::vector<Range>& ranges = ranges_[nodes_[compound].statement];
    for (const Found& each : all) {
      const size_t first = std::min(each.from, each.to), last = std::max(each.from, each.to);
      const bool is_skip = each.from < each.to && each.is_alone && !isRoot(*each.label);
      const Stmt* skips = is_skip ? each.label : nullptr;
      if (ranges.empty() || first > ranges.back().last) {
        ranges.push_back({first, last, skips});
        continue;
      }
      ranges.back().last = std::max(ranges.back().last, last);
      if (skips != ranges.back().skips) ranges.back().skips = nullptr;
    }
  }
}

JumpPlan::Flags JumpPlan::flags(const Stmt& statement) const {
  const auto at = numbers_.find(&statement);
  return at == numbers_.end() ? Flags{} : nodes_[at->second].flags;
}

const std::vector<JumpPlan::Range>& JumpPlan::rangesOf(const Stmt& compound) const {
  static const auto* const kNoRanges = new std::vector<Range>;  // never destroyed: builds go on at the end of the process
  const auto at = ranges_.find(&compound);
  return at == ranges_.end() ? *kNoRanges : at->second;
}

const std::vector<const Stmt*>& JumpPlan::casesOf(const Stmt& open_switch) const {
  static const auto* const kNoCases = new std::vector<const Stmt*>;  // the same
  const auto at = open_cases_.find(&open_switch);
  return at == open_cases_.end() ? *kNoCases : at->second;
}

bool JumpPlan::isInside(const Stmt& statement, const Stmt& first, const Stmt& last) const {
  const uint32_t number = numbers_.at(&statement);
  return number >= numbers_.at(&first) && number < nodes_[numbers_.at(&last)].end;
}

}  // namespace manyrt::compiler::ir
