// Statements. What comes after a jump is read all the same and goes nowhere (Writer). A for is a loop whose step is its third
// expression; a while and a do have their condition as an if that breaks.
#include <utility>

#include "compiler/ir/from_tree/tree_reader.h"

namespace manyrt::compiler::ir {

void TreeReader::statement(const Stmt& s) {
  if (!why_.empty()) return;
  out().where = s.where;
  switch (s.kind) {
    case StmtKind::kCompound:
      for (const Stmt* inner : s.body) statement(*inner);
      break;
    case StmtKind::kDeclare:
      for (const Variable* variable : s.variables) declareVariable(*variable);
      break;
    case StmtKind::kExpr:
      value(*s.a);
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
      out().end(switches_ != 0 ? Opcode::kLeave : Opcode::kBreak);
      break;
    case StmtKind::kContinue:
      out().end(Opcode::kContinue);
      break;
    case StmtKind::kReturn:
      give(s);
      break;
    case StmtKind::kEmpty:
      break;
    case StmtKind::kCase:
    case StmtKind::kDefault:
      refuse(s.where, "a label of a switch inside of another statement");
      break;
    case StmtKind::kGoto:
      refuse(s.where, "goto");
      break;
    case StmtKind::kLabel:
      if (s.first != nullptr) statement(*s.first);
      break;
  }
}

void TreeReader::declareVariable(const Variable& variable) {
  Object* object = storageOf(variable);
  if (variable.initializer == nullptr || object->space != AddressSpace::kPrivate) return;
  initialize({out().address(object), variable.type.type, object->alignment, variable.type.is_volatile, nullptr, 0},
             *variable.initializer);
}

void TreeReader::branch(const Stmt& s) {
  Instruction* made = out().add(Opcode::kIf, {truth(*s.a)});
  Region* around = out().region();
  for (const Stmt* side : {s.first, s.second}) {
    out().enter(made);
    if (side != nullptr) statement(*side);
    if (out().reached()) out().end(Opcode::kYield);
  }
  out().moveTo(around);
}

// if (condition) {} else { break }
void TreeReader::leaveUnless(const Expr& condition) {
  Instruction* made = out().add(Opcode::kIf, {truth(condition)});
  Region* around = out().region();
  out().enter(made);
  out().end(Opcode::kYield);
  out().enter(made);
  out().end(Opcode::kBreak);
  out().moveTo(around);
}

void TreeReader::loop(const Stmt& s) {
  if (s.init != nullptr) statement(*s.init);
  const uint32_t switches = std::exchange(switches_, 0);
  Instruction* made = out().add(Opcode::kLoop, {});
  Region* around = out().region();
  out().enter(made);
  if (s.kind != StmtKind::kDo && s.a != nullptr) leaveUnless(*s.a);
  statement(*s.first);
  if (out().reached()) out().end(Opcode::kContinue);
  out().enter(made);
  if (s.kind == StmtKind::kDo) leaveUnless(*s.a);
  if (s.b != nullptr) value(*s.b);
  out().end(Opcode::kNext);
  out().moveTo(around);
  switches_ = switches;
}

// The statements of a switch's block are cut at its labels; each part falls through to the next one.
void TreeReader::choose(const Stmt& s) {
  Instruction* made = out().add(Opcode::kSwitch, {value(*s.a)});
  Region* around = out().region();
  ++switches_;
  std::vector<const Stmt*> parts = s.first->kind == StmtKind::kCompound
                                       ? std::vector<const Stmt*>(s.first->body.begin(), s.first->body.end())
                                       : std::vector<const Stmt*>{s.first};
  bool in_part = false, part_is_empty = false;
  for (const Stmt* part : parts) {
    while (part != nullptr && (part->kind == StmtKind::kCase || part->kind == StmtKind::kDefault)) {
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
      part = part->first;
    }
    if (part == nullptr) continue;
    if (!in_part) continue;  // before the first label nothing runs; what is declared there gets its room when it is used
    part_is_empty = false;
    statement(*part);
  }
  if (in_part && out().reached()) out().end(Opcode::kLeave);
  --switches_;
  out().moveTo(around);
}

void TreeReader::give(const Stmt& s) {
  if (s.a == nullptr) {
    out().end(Opcode::kReturn);
    return;
  }
  Value* result = value(*s.a);
  if (reading_->result->isRecord()) {
    out().copy(out().function().body->parameters[0], result, sizeOf(reading_->result));
    result = nullptr;
  }
  out().end(Opcode::kReturn, result == nullptr ? std::vector<Value*>{} : std::vector<Value*>{result});
}

}  // namespace manyrt::compiler::ir
