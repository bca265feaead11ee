// The state of from_tree.h's work on one function. Its parts: tree_reader.cpp the program, functions and types;
// tree_statement.cpp control; tree_place.cpp what has an address; tree_expression.cpp values;
// tree_assign.cpp what changes a place; tree_call.cpp calls.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/from_tree/operations.h"
#include "compiler/ir/module.h"
#include "compiler/ir/writer.h"
#include "compiler/lowering/cpp/contraction.h"
#include "compiler/parser/ast.h"

namespace manyrt::compiler::ir {

// Where a value lies. A swizzle of several components is a place in the vector around it.
struct Place {
  Value* address = nullptr;
  const compiler::Type* type = nullptr;  // of the value; of the vector, where there are components
  uint32_t alignment = 1;
  bool is_volatile = false;
  const uint8_t* components = nullptr;
  uint32_t count = 0;
};

class TreeReader {
 public:
  TreeReader(Module& module, Program& program) : module_(module), program_(program), contraction_(program.tokens) {}

  bool readProgram();
  const std::string& why() const { return why_; }

 private:
  using Expr = compiler::Expr;

  // tree_reader.cpp
  void refuse(Location where, const char* form);
  Function* declare(const compiler::Function& function);
  void readFunction(const compiler::Function& function);
  void readConstants();
  Object* makeObject(const std::string& name, QualType type, uint32_t alignment, AddressSpace space);
  Object* storageOf(const Variable& variable);

  // tree_statement.cpp
  void statement(const Stmt& statement);
  void declareVariable(const Variable& variable);
  void branch(const Stmt& statement);
  void loop(const Stmt& statement);
  void choose(const Stmt& statement);
  void give(const Stmt& statement);
  void leaveUnless(const Expr& condition);

  // tree_place.cpp
  Place place(const Expr& expression);
  Place subscript(const Expr& expression);
  Value* elementAddress(Value* pointer, const Expr& index, uint64_t size, bool backwards);
  Value* load(const Place& place);
  void store(const Place& place, Value* value);
  void initialize(const Place& place, const Expr& value);
  void fillIn(const Place& place, const Expr& braces);
  Place stored(Value* value, QualType type);  // a value in a slot of its own

  // tree_expression.cpp
  Value* value(const Expr& expression);  // null of void
  Value* truth(const Expr& expression);
  Value* binary(const Expr& expression);
  Value* pointerBinary(const Expr& expression);
  Value* logical(const Expr& expression);
  Value* conditional(const Expr& expression);
  Value* unary(const Expr& expression);
  Value* vectorLiteral(const Expr& expression);
  Value* fused(const Fused& fused, Value* addend);

  // tree_assign.cpp
  Value* assign(const Expr& expression);
  Value* step(const Expr& expression);

  // tree_call.cpp
  Value* call(const Expr& expression);
  Value* builtinCall(const Expr& expression);
  Value* memoryBuiltin(const Expr& expression);
  Value* vectorMemory(const Expr& expression, bool is_store);
  Value* sineAndCosine(const Expr& e);
  Value* generalBuiltin(const Expr& expression, std::vector<Value*> arguments, std::vector<QualType> types);

  Writer& out() { return *writer_; }

  Module& module_;
  Program& program_;
  const Contraction contraction_;
  Writer* writer_ = nullptr;
  const compiler::Function* reading_ = nullptr;
  std::map<const Variable*, Object*> storage_;
  std::map<const compiler::Function*, Function*> functions_;
  std::map<std::string_view, Object*> strings_;
  uint32_t switches_ = 0;  // around the statement, inside of the innermost loop
  std::string why_;
};

}  // namespace manyrt::compiler::ir
