// The state of from_tree.h's work on one function: its storage and expressions; StatementReader has the statements. Its parts:
// tree_reader.cpp the program, functions and types; tree_place.cpp what has an address; tree_expression.cpp values;
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

  using Expr = compiler::Expr;

  bool readProgram();
  const std::string& why() const { return why_; }

  void refuse(Location where, const char* form);

  // For the statements of the function that is being read.
  Writer& out() { return *writer_; }
  Object* storageOf(const Variable& variable);
  Place placeOf(const Variable& variable);
  Value* value(const Expr& expression);  // null of void
  Value* truth(const Expr& expression);
  void initialize(const Place& place, const Expr& value);

 private:
  // tree_reader.cpp
  Function* declare(const compiler::Function& function);
  void readFunction(const compiler::Function& function);
  void readConstants();
  Object* makeObject(const std::string& name, QualType type, uint32_t alignment, AddressSpace space);

  // tree_place.cpp
  Place place(const Expr& expression);
  Place subscript(const Expr& expression);
  Value* elementAddress(Value* pointer, const Expr& index, uint64_t size, bool backwards);
  Value* load(const Place& place);
  void store(const Place& place, Value* value);
  void fillIn(const Place& place, const Expr& braces);
  Place stored(Value* value, QualType type);  // a value in a slot of its own

  // tree_expression.cpp
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

  // tree_call.cpp, tree_subgroup.cpp
  Value* call(const Expr& expression);
  Value* builtinCall(const Expr& expression);
  Value* memoryBuiltin(const Expr& expression);
  Value* vectorMemory(const Expr& expression, bool is_store);
  Value* sineAndCosine(const Expr& e);
  Value* subGroupBuiltin(const Expr& expression);
  Value* subGroupPlace(const std::string& name);
  Value* ofBallot(const Expr& expression);
  Value* generalBuiltin(const Expr& expression, std::vector<Value*> arguments, std::vector<QualType> types);

  Module& module_;
  Program& program_;
  const Contraction contraction_;
  Writer* writer_ = nullptr;
  std::map<const Variable*, Object*> storage_;
  std::map<const compiler::Function*, Function*> functions_;
  std::map<std::string_view, Object*> strings_;
  std::string why_;
};

}  // namespace manyrt::compiler::ir
