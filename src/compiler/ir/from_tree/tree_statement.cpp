// Structured statements. Statements after a jump are read all the same and go nowhere (Writer). A for is a loop whose step is
// its third expression; a while and a do have their condition as an if that breaks.
#include <utility>

#include "compiler/ir/from_tree/statement_reader.h"

namespace manyrt::compiler::ir {

void StatementReader::statement(const Stmt& s) {
  if (!reader_.why().empty()) return;
  out().where = s.where;
  if (plan_.isRoot(s)) {
    const Stmt* only = &s;
    blocks(&only, 1);
    return;
  }
  switch (s.kind) {
    case StmtKind::kCompound:
      compound(s);
      break;
    case StmtKind::kDeclare:
      for (const Variable* variable : s.variables) declareVariable(*variable);
      break;
    case StmtKind::kExpr:
      reader_.value(*s.a);
      break;
    case StmtKind::kIf:
      branch(s);
      break;
    case StmtKind::kFor:
    case StmtKind::kWhile:
    case StmtKind::kDo:
      loop(s);
      break;
    case StmtKind::kSwitch:
      choose(s);
      break;
    case StmtKind::kBreak:
      stack_.breakOut();
      break;
    case StmtKind::kContinue:
      stack_.continueLoop();
      break;
    case StmtKind::kReturn:
      give(s);
      break;
    case StmtKind::kGoto:
      jumpTo(s);
      break;
    case StmtKind::kEmpty:
      break;
    case StmtKind::kCase:
    case StmtKind::kDefault:
    case StmtKind::kLabel:
      if (s.first != nullptr) statement(*s.first);
      break;
  }
}

void StatementReader::compound(const Stmt& s) {
  size_t next = 0;
  for (const JumpPlan::Range& range : plan_.rangesOf(s)) {
    while (next < range.first) statement(*s.body[next++]);
    if (range.skips != nullptr) {
      skip(s, range);
    } else {
      blocks(s.body.data() + range.first, range.last + 1 - range.first);
    }
    next = range.last + 1;
  }
  while (next < s.body.size()) statement(*s.body[next++]);
}

void StatementReader::declareVariable(const Variable& variable) {
  const Object* object = reader_.storageOf(variable);
  if (variable.initializer == nullptr || object->space != AddressSpace::kPrivate) return;
  reader_.initialize(reader_.placeOf(variable), *variable.initializer);
}

void StatementReader::branch(const Stmt& s) {
  Instruction* made = out().add(Opcode::kIf, {reader_.truth(*s.a)});
  Region* around = out().region();
  for (const Stmt* side : {s.first, s.second}) {
    out().enter(made);
    if (side != nullptr) statement(*side);
    if (out().reached()) out().end(Opcode::kYield);
  }
  out().moveTo(around);
}

// if (condition) {} else { break }
void StatementReader::leaveUnless(const Expr& condition) {
  Instruction* made = out().add(Opcode::kIf, {reader_.truth(condition)});
  Region* around = out().region();
  out().enter(made);
  out().end(Opcode::kYield);
  out().enter(made);
  out().end(Opcode::kBreak);
  out().moveTo(around);
}

void StatementReader::loop(const Stmt& s) {
  if (s.init != nullptr) statement(*s.init);
  stack_.push(ControlStack::Around::kLoop);
  Instruction* made = out().add(Opcode::kLoop, {});
  Region* around = out().region();
  out().enter(made);
  if (s.kind != StmtKind::kDo && s.a != nullptr) leaveUnless(*s.a);
  statement(*s.first);
  if (out().reached()) out().end(Opcode::kContinue);
  out().enter(made);
  if (s.kind == StmtKind::kDo) leaveUnless(*s.a);
  if (s.b != nullptr) reader_.value(*s.b);
  out().end(Opcode::kNext);
  out().moveTo(around);
  stack_.pop();
}

// The statements of a switch's block are cut at its labels; each part falls through to the next one.
void StatementReader::choose(const Stmt& s) {
  stack_.push(ControlStack::Around::kSwitch);
  Instruction* made = out().add(Opcode::kSwitch, {reader_.value(*s.a)});
  Region* around = out().region();
  std::vector<const Stmt*> parts = s.first->kind == StmtKind::kCompound
                                       ? std::vector<const Stmt*>(s.first->body.begin(), s.first->body.end())
                                       : std::vector<const Stmt*>{s.first};
  const auto is_label = [&](const Stmt* part) {
    return part->kind == StmtKind::kCase || part->kind == StmtKind::kDefault ||
           (part->kind == StmtKind::kLabel && !plan_.isTarget(*part));
  };
  bool in_part = false, part_is_empty = false;
  for (const Stmt* part : parts) {
    for (; part != nullptr && is_label(part); part = part->first) {
      if (part->kind == StmtKind::kLabel) continue;
      if (!in_part || !part_is_empty) {
        if (in_part && out().reached()) out().end(Opcode::kFallThrough);
        out().enter(made);
        made->cases.emplace_back();
        in_part = part_is_empty = true;
      }
      if (part->kind == StmtKind::kDefault) {
        made->otherwise = static_cast<int32_t>(made->cases.size() - 1);
      } else {
        made->cases.back().push_back(part->integer & maskOf(valueType(s.a->type.type).kind));
      }
    }
    if (part == nullptr) continue;
    if (!in_part) continue;  // before the first label nothing runs; what is declared there gets its room when it is used
    part_is_empty = false;
    statement(*part);
  }
  if (in_part && out().reached()) out().end(Opcode::kLeave);
  out().moveTo(around);
  stack_.pop();
}

void StatementReader::give(const Stmt& s) {
  if (s.a == nullptr) {
    out().end(Opcode::kReturn);
    return;
  }
  Value* result = reader_.value(*s.a);
  if (function_.result->isRecord()) {
    out().copy(out().function().body->parameters[0], result, sizeOf(function_.result));
    result = nullptr;
  }
  out().end(Opcode::kReturn, result == nullptr ? std::vector<Value*>{} : std::vector<Value*>{result});
}

}  // namespace manyrt::compiler::ir
