// Jumps by one terminator where that reaches the target, and else by notes over the loops and switches that stand between.
#include "compiler/ir/from_tree/control_stack.h"

#include <algorithm>
#include <utility>

namespace manyrt::compiler::ir {
namespace {

using Around = ControlStack::Around;

constexpr size_t kNoEntry = ~size_t{0};
// From block to block by `fallthrough`; beyond it by the loop around, since passes look for the next region among all.
constexpr size_t kMostFalling = 500;

bool isLoop(Around kind) { return kind == Around::kLoop || kind == Around::kBlocks; }
bool isSwitch(Around kind) { return kind == Around::kSwitch || kind == Around::kSkip || kind == Around::kBlocks; }

}  // namespace

ControlStack::Entry& ControlStack::push(Around kind) {
  Entry& entry = entries_.emplace_back();
  entry.kind = kind;
  entry.id = ++ids_;
  if (out_.reached()) {
    entry.around = out_.region();
    entry.at = out_.region()->body.size();
  }
  return entry;
}

void ControlStack::pop() {
  const Entry done = std::move(entries_.back());
  entries_.pop_back();
  if (done.passing.empty() || done.around == nullptr) return;
  std::vector<Instruction*>& body = out_.region()->body;
  const auto is_note = [](const Target& target) { return target.kind != Target::Kind::kBlock; };
  if (std::any_of(done.passing.begin(), done.passing.end(), is_note)) {
    // There is no note before it begins.
    const ptrdiff_t before = static_cast<ptrdiff_t>(body.size());
    write(note_, 0);
    std::rotate(body.begin() + static_cast<ptrdiff_t>(done.at), body.begin() + before, body.end());
  }
  for (const Target& target : done.passing) {
    Value* slot = out_.load(out_.address(slotOf(target)), {ir::Kind::kI32}, 4, false);
    const uint32_t wanted = is_note(target) ? noteOf(target) : 0;
    Value* passes = out_.compare(is_note(target) ? Opcode::kEq : Opcode::kNe, slot, out_.constant(slot->type, wanted));
    Instruction* made = out_.add(Opcode::kIf, {passes});
    Region* around = out_.region();
    out_.enter(made);
    goOn(target);
    out_.enter(made);
    out_.end(Opcode::kYield);
    out_.moveTo(around);
  }
}

size_t ControlStack::blocks() const {
  size_t at = entries_.size();
  while (entries_[--at].kind != Around::kBlocks) {
  }
  return at;
}

void ControlStack::breakOut() {
  size_t at = entries_.size();
  while (entries_[--at].kind == Around::kSkip || entries_[at].kind == Around::kBlocks) {
  }
  const Entry& entry = entries_[at];
  if (entry.kind == Around::kOpen) {
    jump(entry.at_break);
  } else {
    goTo({Target::Kind::kEnd, at, 0});
  }
}

void ControlStack::continueLoop() {
  size_t at = entries_.size();
  do {
    --at;
  } while (entries_[at].kind != Around::kLoop && entries_[at].at_continue == 0);
  const Entry& entry = entries_[at];
  if (entry.kind == Around::kOpen) {
    jump(entry.at_continue);
  } else {
    goTo({Target::Kind::kStep, at, 0});
  }
}

uint32_t ControlStack::noteOf(const Target& target) const {
  return 2 * entries_[target.entry].id + (target.kind == Target::Kind::kStep ? 1 : 0);
}

Object* ControlStack::slotOf(const Target& target) {
  if (target.kind == Target::Kind::kBlock) return entries_[target.entry].next;
  if (note_ == nullptr) note_ = out_.slot("", 4, 4);
  return note_;
}

void ControlStack::write(Object* slot, uint32_t number) {
  out_.store(out_.constant({ir::Kind::kI32}, number), out_.address(slot), 4, false);
}

// Whether one terminator goes to the target, where `loop` and `choice` are the innermost to end.
bool ControlStack::endsBy(const Target& target, size_t loop, size_t choice, Opcode* by) const {
  switch (target.kind) {
    case Target::Kind::kBlock:  // after the switch its loop goes on
      *by = choice == target.entry ? Opcode::kLeave : Opcode::kContinue;
      return choice == target.entry || loop == target.entry;
    case Target::Kind::kEnd: {
      const bool of_loop = entries_[target.entry].kind == Around::kLoop;
      *by = of_loop ? Opcode::kBreak : Opcode::kLeave;
      return target.entry == (of_loop ? loop : choice);
    }
    default:
      *by = Opcode::kContinue;
      return target.entry == loop;
  }
}

void ControlStack::goTo(const Target& target) {
  if (!out_.reached()) return;
  size_t loop = kNoEntry, choice = kNoEntry;
  for (size_t at = 0; at < entries_.size(); ++at) {
    if (isLoop(entries_[at].kind)) loop = at;
    if (isSwitch(entries_[at].kind)) choice = at;
  }
  Opcode by;
  const bool is_direct = endsBy(target, loop, choice, &by);
  if (target.kind == Target::Kind::kBlock) {
    write(slotOf(target), target.block);
  } else if (!is_direct) {
    write(slotOf(target), noteOf(target));
  }
  goOn(target);
}

void ControlStack::goOn(const Target& target) {
  size_t loop = kNoEntry, choice = kNoEntry;
  for (size_t at = 0; at < entries_.size(); ++at) {
    if (isLoop(entries_[at].kind)) loop = at;
    if (isSwitch(entries_[at].kind)) choice = at;
  }
  Opcode by;
  if (endsBy(target, loop, choice, &by)) {
    out_.end(by);
    return;
  }
  // The outermost that stands between. After the switch of blocks their loop goes on, so that the loop ends instead.
  const bool loop_between = loop != kNoEntry && loop > target.entry,
             choice_between = choice != kNoEntry && choice > target.entry;
  bool by_loop = !choice_between || (loop_between && loop <= choice);
  if (!by_loop && entries_[choice].kind == Around::kBlocks) by_loop = true;
  Entry& ended = entries_[by_loop ? loop : choice];
  if (std::find(ended.passing.begin(), ended.passing.end(), target) == ended.passing.end()) ended.passing.push_back(target);
  out_.end(by_loop ? Opcode::kBreak : Opcode::kLeave);
}

void ControlStack::jump(uint32_t block) { goTo({Target::Kind::kBlock, blocks(), block}); }

void ControlStack::go(size_t entry) {
  if (out_.reached()) goOn({Target::Kind::kBlock, entry, 0});
}

void ControlStack::begin(uint32_t block) {
  Instruction& choice = *entries_[blocks()].blocks;
  const bool is_first = choice.regions.empty();
  if (!is_first && out_.region() == choice.regions.back() && out_.region()->body.empty()) {
    choice.cases.back().push_back(block);
    return;
  }
  if (!is_first && out_.reached()) {
    if (choice.regions.size() < kMostFalling) {
      out_.end(Opcode::kFallThrough);
    } else {
      jump(block);
    }
  }
  out_.enter(&choice);
  choice.cases.push_back({block});
}

}  // namespace manyrt::compiler::ir
