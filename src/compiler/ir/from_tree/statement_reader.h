// The statements of one function. Structured ones become regions (tree_statement.cpp); what gotos and inner cases jump into
// becomes blocks, in a loop round a switch over the number of the block that comes next (tree_blocks.cpp).
#pragma once

#include <unordered_map>

#include "compiler/ir/from_tree/control_stack.h"
#include "compiler/ir/from_tree/jump_plan.h"
#include "compiler/ir/from_tree/tree_reader.h"

namespace manyrt::compiler::ir {

class StatementReader {
 public:
  StatementReader(TreeReader& reader, const compiler::Function& function)
      : reader_(reader), function_(function), plan_(function), stack_(reader.out()) {}

  void statement(const Stmt& statement);

 private:
  using Expr = compiler::Expr;

  // tree_statement.cpp
  void compound(const Stmt& statement);
  void declareVariable(const Variable& variable);
  void branch(const Stmt& statement);
  void loop(const Stmt& statement);
  void choose(const Stmt& statement);
  void give(const Stmt& statement);
  void leaveUnless(const Expr& condition);

  // tree_blocks.cpp
  void skip(const Stmt& compound, const JumpPlan::Range& range);
  void blocks(const Stmt* const* statements, size_t count);
  void part(const Stmt& statement);  // of blocks
  void open(const Stmt& statement);
  void openBranch(const Stmt& statement);
  void openLoop(const Stmt& statement);
  void openSwitch(const Stmt& statement);
  void jumpIf(const Expr& condition, bool wanted, uint32_t block);
  void jumpTo(const Stmt& jump);
  uint32_t blockOf(const Stmt& label);

  Writer& out() { return reader_.out(); }

  TreeReader& reader_;
  const compiler::Function& function_;
  const JumpPlan plan_;
  ControlStack stack_;
  std::unordered_map<const Stmt*, uint32_t> label_blocks_;
};

}  // namespace manyrt::compiler::ir
