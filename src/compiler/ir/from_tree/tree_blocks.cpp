// Statements that something jumps into, as blocks. A block begins where control may come in: at labels, and where an open if or
// loop joins. It ends in the next one, or in the number of another one for the switch around. So no control is irreducible, and
// statements of a block that nothing jumps into stay structured.
//
//   next = 1; loop { switch (next) { case 1: ... case 2: ... break } continue }
#include "compiler/ir/from_tree/statement_reader.h"

namespace manyrt::compiler::ir {

uint32_t StatementReader::blockOf(const Stmt& label) {
  const auto [at, is_new] = label_blocks_.try_emplace(&label, 0);
  if (is_new) at->second = stack_.newBlock();
  return at->second;
}

// Statements that hold nothing but jumps to the label that the last one begins with: one region, which they leave.
void StatementReader::skip(const Stmt& compound, const JumpPlan::Range& range) {
  stack_.push(ControlStack::Around::kSkip).last = range.skips;
  Instruction* made = out().add(Opcode::kSwitch, {out().constant({Kind::kI32}, 0)});
  Region* around = out().region();
  made->cases.emplace_back();
  made->otherwise = 0;
  out().enter(made);
  for (size_t k = range.first; k < range.last; ++k) statement(*compound.body[k]);
  if (out().reached()) out().end(Opcode::kLeave);
  out().moveTo(around);
  stack_.pop();
  statement(*compound.body[range.last]);
}

void StatementReader::blocks(const Stmt* const* statements, size_t count) {
  const size_t own = stack_.size();
  stack_.push(ControlStack::Around::kBlocks);
  Object* next = out().slot("", 4, 4);
  const Type number{Kind::kI32};
  const uint32_t first = stack_.newBlock();
  out().store(out().constant(number, first), out().address(next), 4, false);
  Instruction* made = out().add(Opcode::kLoop, {});
  Region* around = out().region();
  Region* body = out().enter(made);
  Value* chosen = out().load(out().address(next), number, 4, false);
  out().store(out().constant(number, 0), out().address(next), 4, false);
  stack_[own].blocks = out().add(Opcode::kSwitch, {chosen});
  stack_[own].next = next;
  stack_[own].first = statements[0];
  stack_[own].last = statements[count - 1];
  stack_.begin(first);
  for (size_t k = 0; k < count; ++k) part(*statements[k]);
  if (out().reached()) out().end(Opcode::kBreak);
  out().moveTo(body);
  out().end(Opcode::kContinue);
  out().enter(made);
  out().end(Opcode::kNext);
  out().moveTo(around);
  stack_.pop();
}

void StatementReader::part(const Stmt& s) {
  if (plan_.isOpen(s)) {
    open(s);
  } else {
    statement(s);
  }
}

void StatementReader::open(const Stmt& s) {
  if (!reader_.why().empty()) return;
  out().where = s.where;
  switch (s.kind) {
    case StmtKind::kCompound:
      for (const Stmt* inner : s.body) part(*inner);
      break;
    case StmtKind::kIf:
      openBranch(s);
      break;
    case StmtKind::kFor:
    case StmtKind::kWhile:
    case StmtKind::kDo:
      openLoop(s);
      break;
    case StmtKind::kSwitch:
      openSwitch(s);
      break;
    default:  // a label
      if (s.kind != StmtKind::kLabel || plan_.isTarget(s)) stack_.begin(blockOf(s));
      if (s.first != nullptr) part(*s.first);
      break;
  }
}

void StatementReader::jumpIf(const Expr& condition, bool wanted, uint32_t block) {
  Instruction* made = out().add(Opcode::kIf, {reader_.truth(condition)});
  Region* around = out().region();
  for (const bool side : {true, false}) {
    out().enter(made);
    if (side == wanted) {
      stack_.jump(block);
    } else {
      out().end(Opcode::kYield);
    }
  }
  out().moveTo(around);
}

void StatementReader::openBranch(const Stmt& s) {
  const uint32_t end = stack_.newBlock(), other = s.second != nullptr ? stack_.newBlock() : end;
  jumpIf(*s.a, false, other);
  part(*s.first);
  if (s.second != nullptr) {
    stack_.jump(end);
    stack_.begin(other);
    part(*s.second);
  }
  stack_.begin(end);
}

void StatementReader::openLoop(const Stmt& s) {
  const uint32_t head = stack_.newBlock(), end = stack_.newBlock();
  const uint32_t step = s.kind == StmtKind::kWhile ? head : stack_.newBlock();
  if (s.init != nullptr) statement(*s.init);
  stack_.begin(head);
  if (s.kind != StmtKind::kDo && s.a != nullptr) jumpIf(*s.a, false, end);
  ControlStack::Entry& entry = stack_.push(ControlStack::Around::kOpen);
  entry.at_break = end;
  entry.at_continue = step;
  part(*s.first);
  stack_.pop();
  if (step != head) stack_.begin(step);
  if (s.kind == StmtKind::kDo) {
    jumpIf(*s.a, true, head);
  } else {
    if (s.b != nullptr) reader_.value(*s.b);
    stack_.jump(head);
  }
  stack_.begin(end);
}

// A structured switch says which block comes next. Labels in a row are one block.
void StatementReader::openSwitch(const Stmt& s) {
  const uint32_t end = stack_.newBlock();
  Instruction* made = out().add(Opcode::kSwitch, {reader_.value(*s.a)});
  Region* around = out().region();
  const size_t own = stack_.blocks();
  const auto comesNext = [&](uint32_t block) {
    out().enter(made);
    out().store(out().constant({Kind::kI32}, block), out().address(stack_[own].next), 4, false);
    out().end(Opcode::kLeave);
    made->cases.emplace_back();
  };
  const Stmt* before = nullptr;
  for (const Stmt* label : plan_.casesOf(s)) {
    const bool is_default = label->kind == StmtKind::kDefault;
    if (before == nullptr || before->first != label) comesNext(blockOf(*label));
    if (is_default) {
      made->otherwise = static_cast<int32_t>(made->cases.size() - 1);
    } else {
      made->cases.back().push_back(label->integer & maskOf(valueType(s.a->type.type).kind));
    }
    before = label;
  }
  if (made->otherwise < 0) {
    comesNext(end);
    made->otherwise = static_cast<int32_t>(made->cases.size() - 1);
  }
  out().moveTo(around);
  stack_.go(own);
  stack_.push(ControlStack::Around::kOpen).at_break = end;
  part(*s.first);
  stack_.pop();
  stack_.begin(end);
}

// The innermost blocks with the label inside are those that it begins one of.
void StatementReader::jumpTo(const Stmt& jump) {
  const Stmt& label = plan_.labelOf(jump);
  for (size_t at = stack_.size(); at-- > 0;) {
    const ControlStack::Entry& entry = stack_[at];
    if (entry.kind == ControlStack::Around::kSkip && entry.last == &label) {
      stack_.goTo({ControlStack::Target::Kind::kEnd, at, 0});
      return;
    }
    if (entry.kind == ControlStack::Around::kBlocks && plan_.isInside(label, *entry.first, *entry.last)) {
      stack_.goTo({ControlStack::Target::Kind::kBlock, at, blockOf(label)});
      return;
    }
  }
  reader_.refuse(jump.where, "a goto that is outside of the blocks of its label");
}

}  // namespace manyrt::compiler::ir
