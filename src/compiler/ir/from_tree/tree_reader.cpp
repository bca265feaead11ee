// Programs and functions: storage for every variable, parameters, and what constants begin as.
#include "compiler/ir/from_tree/tree_reader.h"

#include <algorithm>

#include "compiler/ir/from_tree/from_tree.h"
#include "compiler/ir/from_tree/statement_reader.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler::ir {

bool fromTree(Module* module, Program& program, std::string* why) {
  TreeReader reader(*module, program);
  const bool good = reader.readProgram();
  *why = reader.why();
  return good;
}

void TreeReader::refuse(Location where, const char* form) {
  if (why_.empty()) why_ = "line " + std::to_string(where.line) + ": " + form;
}

Object* TreeReader::makeObject(const std::string& name, QualType type, uint32_t alignment, AddressSpace space) {
  const uint32_t aligned = std::max(alignment, alignmentOf(type));
  if (space == AddressSpace::kPrivate) return out().slot(name, sizeOf(type), aligned);
  Object* object = module_.makeObject();
  object->name = name;
  object->size = sizeOf(type);
  object->alignment = aligned;
  object->space = space;
  object->id = static_cast<uint32_t>(module_.objects.size());
  module_.objects.push_back(object);
  return object;
}

Object* TreeReader::storageOf(const Variable& variable) {
  const auto [at, is_new] = storage_.emplace(&variable, nullptr);
  if (!is_new) return at->second;
  AddressSpace space = variable.type.space;
  if (variable.is_parameter || (space != AddressSpace::kLocal && space != AddressSpace::kConstant))
    space = AddressSpace::kPrivate;
  at->second = makeObject(variable.name, variable.type, variable.alignment, space);
  at->second->variable = &variable;
  return at->second;
}

Place TreeReader::placeOf(const Variable& variable) {
  Object* object = storageOf(variable);
  return {out().address(object), variable.type.type, object->alignment, variable.type.is_volatile, nullptr, 0};
}

Function* TreeReader::declare(const compiler::Function& function) {
  Function* made = module_.makeFunction();
  made->name = function.name;
  made->is_kernel = function.is_kernel;
  std::copy(std::begin(function.required_group_size), std::end(function.required_group_size), made->group_size);
  made->body = module_.makeRegion(nullptr);
  const auto add = [&](Type type, const std::string& name, uint64_t bytes) {
    made->body->parameters.push_back(module_.makeValue(*made, type, nullptr));
    made->parameter_names.push_back(name);
    made->parameter_bytes.push_back(bytes);
  };
  if (function.result->isRecord()) {
    add(Type::pointer(AddressSpace::kPrivate), "", sizeOf(function.result));  // where the result goes
  } else {
    made->result = valueType(function.result.type);
  }
  for (const Variable* parameter : function.parameters) {
    add(valueType(parameter->type.type), parameter->name, parameter->type->isRecord() ? sizeOf(parameter->type) : 0);
  }
  functions_[&function] = made;
  return made;
}

void TreeReader::readFunction(const compiler::Function& function) {
  Function& made = *functions_[&function];
  Writer writer(module_, made);
  writer_ = &writer;
  writer.where = function.where;
  const size_t hidden = function.result->isRecord() ? 1 : 0;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const Variable& parameter = *function.parameters[i];
    store({writer.address(storageOf(parameter)), parameter.type.type, alignmentOf(parameter.type), false, nullptr, 0},
          made.body->parameters[i + hidden]);
  }
  StatementReader(*this, function).statement(*function.body);
  // A helper whose end is reached without a value has none that a program may use.
  if (writer.reached()) {
    std::vector<Value*> result;
    if (!made.result.isVoid()) result.push_back(writer.constant(made.result, 0));
    writer.end(Opcode::kReturn, result);
  }
  writer_ = nullptr;
}

// The initial values of constants, also of those that a function declares: stores in the order of the source.
void TreeReader::readConstants() {
  std::vector<const Variable*> constants;
  std::set<const Variable*> exported;
  for (const Declaration& declaration : program_.declarations) {
    if (declaration.kind == Declaration::Kind::kVariable) {
      constants.push_back(declaration.variable);
      exported.insert(declaration.variable);
    }
    if (declaration.kind != Declaration::Kind::kFunction || declaration.function->body == nullptr) continue;
    visitStatements(declaration.function->body, [&](Stmt& inner) {
      for (const Variable* variable : inner.variables) {
        if (variable->type.space == AddressSpace::kConstant) constants.push_back(variable);
      }
    });
  }
  if (constants.empty()) return;
  Function* function = module_.makeFunction();
  function->name = "constants";
  function->body = module_.makeRegion(nullptr);
  Writer writer(module_, *function);
  writer_ = &writer;
  for (const Variable* variable : constants) {
    writer.where = variable->where;
    Object* object = storageOf(*variable);
    object->is_exported = exported.contains(variable);
    if (variable->initializer == nullptr) continue;
    initialize({writer.address(object), variable->type.type, object->alignment, false, nullptr, 0}, *variable->initializer);
  }
  writer.end(Opcode::kReturn);
  writer_ = nullptr;
  module_.constants = function;
}

bool TreeReader::readProgram() {
  for (const compiler::Function& function : program_.functions()) {
    if (function.body != nullptr) module_.functions.push_back(declare(function));
  }
  readConstants();
  for (const compiler::Function& function : program_.functions()) {
    if (function.body == nullptr || !why_.empty()) continue;
    readFunction(function);
  }
  return why_.empty();
}

}  // namespace manyrt::compiler::ir
