// Declarations at program scope: functions and kernels with the rules for their parameters, constants, typedefs.
#include <algorithm>

#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

// Two declarations of one array, of which one does not know the length.
bool isSameButLength(QualType a, QualType b) {
  return a->isArray() && b->isArray() && a->inner == b->inner &&
         (a->length == Type::kUnknownLength || b->length == Type::kUnknownLength);
}

}  // namespace

bool Parser::checkObject(QualType type, std::string_view name, Location where) {
  std::string text = "The parameter";
  if (!name.empty()) text.assign("\"").append(name).append("\"");
  const Type* element = elementType(type.type);
  if (element->isVoid()) {
    diagnostics_.error(where, "%s cannot have the type void, which has no values. Did you mean a pointer?", text.c_str());
    return false;
  }
  if ((element->kind == TypeKind::kScalar || element->isVector()) && element->scalar == Scalar::kHalf && !half_arithmetic_) {
    diagnostics_.error(where,
                       "%s cannot have the type %s: half is for memory alone. Use a float, with vload_half and vstore_half, or "
                       "enable cl_khr_fp16 where the device has it.",
                       text.c_str(), spell(QualType{element}).c_str());
    return false;
  }
  if (element->kind == TypeKind::kEvent && type.space != AddressSpace::kPrivate) {
    diagnostics_.error(where, "%s cannot be %s: an event_t lives in a private variable of a function.", text.c_str(),
                       spaceName(type.space));
    return false;
  }
  return true;
}

// The alignment that the typedef in `specifiers` gives to `type`, declared with it. It gives none to pointers.
uint32_t Parser::typedefAlignment(const Specifiers& specifiers, QualType type) {
  return elementType(type.type) == elementType(specifiers.type.type) ? specifiers.type_alignment : 0;
}

bool Parser::declareType(const Specifiers& specifiers, const Declarator& declarator) {
  if (specifiers.is_static || specifiers.is_extern || specifiers.is_inline || specifiers.is_kernel) {
    diagnostics_.error(specifiers.where, "A typedef has no other storage class: leave the word away.");
    return false;
  }
  Symbol symbol;
  symbol.kind = Symbol::Kind::kType;
  symbol.type = declarator.type;
  symbol.where = declarator.where;
  symbol.alignment = std::max(specifiers.alignment, declarator.alignment);
  if (symbol.alignment == 0) symbol.alignment = typedefAlignment(specifiers, declarator.type);
  symbol.is_word_size = specifiers.is_word_size && elementType(declarator.type.type)->isInteger();
  return declare(declarator.name, symbol);
}

bool Parser::agrees(const Function& function, const Specifiers& specifiers, const Declarator& declarator) {
  const char* name = function.name.c_str();
  const uint32_t* size = specifiers.required_group_size;
  if (function.type != declarator.type.type) {
    diagnostics_.error(declarator.where, "\"%s\" is \"%s\" here and \"%s\" where it was declared before.", name,
                       spell(declarator.type).c_str(), spell(QualType{function.type}).c_str());
  } else if (size[0] != 0 && function.required_group_size[0] != 0 &&
             !std::equal(size, size + 3, function.required_group_size)) {
    diagnostics_.error(declarator.where, "\"%s\" has another reqd_work_group_size than where it was declared before.", name);
  } else {
    return true;
  }
  diagnostics_.note(function.where, "This is its other declaration.");
  return false;
}

Function* Parser::declareFunction(const Specifiers& specifiers, Declarator& declarator) {
  const std::string name(declarator.name);
  if (name == "main") {
    diagnostics_.error(declarator.where, "A function of OpenCL C cannot be called main: choose another name.");
    return nullptr;
  }
  const QualType result = declarator.type->inner;
  if (!result->isVoid() && !checkObject(result, declarator.name, declarator.where)) return nullptr;
  Scope& program = scopes_[kProgramScope];
  const auto known = program.names.find(declarator.name);
  Function* function = nullptr;
  if (known != program.names.end() && known->second.kind == Symbol::Kind::kFunction) {
    function = known->second.function;
    if (!agrees(*function, specifiers, declarator)) return nullptr;
  } else {
    function = program_.makeFunction();
    function->name = name;
    function->type = declarator.type.type;
    function->result = function->type->inner;
    function->where = declarator.where;
    function->parameters = declarator.parameters;
  }
  Symbol symbol;
  symbol.kind = Symbol::Kind::kFunction;
  symbol.function = function;
  symbol.where = declarator.where;
  // A prototype inside a function means the function of program scope, and is known there from now on.
  if (scopes_.size() > kProgramScope + 1) program.names.emplace(declarator.name, symbol);
  const auto here = scope().names.find(declarator.name);
  const bool is_declared = here != scope().names.end() && here->second.function == function;
  if (!is_declared && !declare(declarator.name, symbol)) return nullptr;

  function->name_tokens.push_back(declarator.name_token);
  function->is_kernel |= specifiers.is_kernel;
  function->is_inline |= specifiers.is_inline;
  if (specifiers.required_group_size[0] != 0) {
    std::copy_n(specifiers.required_group_size, 3, function->required_group_size);
  }
  if (specifiers.is_kernel && specifiers.is_static) {
    diagnostics_.error(declarator.where, "The kernel \"%s\" cannot be static: the program that launches it must find it.",
                       name.c_str());
  }
  if (specifiers.kernel_attribute != nullptr && !function->is_kernel) {
    diagnostics_.error(declarator.where, "The attribute %s is for kernels: write __kernel before \"%s\".",
                       specifiers.kernel_attribute, name.c_str());
  }
  const bool is_open = function->body == nullptr && function != function_;  // else its parameters are its definition's
  if (is_open && declarator.is_function) function->parameters = declarator.parameters;
  if (is_open && function->is_kernel) checkKernel(*function);
  return function;
}

void Parser::checkKernel(const Function& function) {
  const char* name = function.name.c_str();
  if (!function.result->isVoid()) {
    diagnostics_.error(function.where,
                       "The kernel \"%s\" returns \"%s\"; kernels return void and write results through pointers.", name,
                       spell(function.result).c_str());
  }
  // Host and device must agree on the bytes of each argument, and only the device may follow a pointer. The first reason is
  // enough.
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const Variable& parameter = *function.parameters[i];
    const Type* type = parameter.type.type;
    const char* reason = nullptr;
    if (type->isPointer()) {
      const Type* target = elementType(type->inner.type);
      if (type->inner.space == AddressSpace::kPrivate) {
        reason = "points to private memory: write __global, __constant or __local before its type";
      } else if (target->isPointer()) {
        reason = "points to pointers: pass indices instead of the inner pointers";
      }
    } else if (type->isRecord()) {
      const RecordTraits traits = record_traits_[type->record];
      if (traits.has_pointer) {
        reason = "contains a pointer: give the pointer a parameter of its own";
      } else if (traits.has_unfit) {
        reason =
            "contains bool, half, size_t or its kin, whose sizes host and device may see differently: use int, uint or ulong";
      }
    } else if (type->kind == TypeKind::kScalar && type->scalar == Scalar::kBool) {
      reason = "is a bool, whose size host and device may see differently: use int or uint";
    } else if (word_size_parameters_.contains(&parameter)) {
      reason = "is size_t or its kin, whose size host and device may see differently: use ulong, long or uint";
    } else if (type->kind == TypeKind::kEvent) {
      reason = "is an event_t, which lives in functions alone";
    }
    if (reason == nullptr) continue;
    diagnostics_.error(parameter.where.line != 0 ? parameter.where : function.where, "Parameter %zu of the kernel \"%s\" %s.",
                       i + 1, name, reason);
  }
}

bool Parser::parseDefinition(Function* function, Declarator& declarator, uint32_t first) {
  const Location where = declarator.where;
  Function discarded;  // takes the body of what has no place in the program, so that errors in it are found
  bool keeps = function != nullptr;
  if (keeps && function->body != nullptr) {
    diagnostics_.error(where, "\"%s\" is defined a second time.", function->name.c_str());
    diagnostics_.note(function->where, "This is its other definition.");
    keeps = false;
  } else if (keeps && !declarator.is_function) {
    diagnostics_.error(where, "The definition of \"%s\" needs a list of parameters of its own.", function->name.c_str());
    keeps = false;
  }
  if (!keeps) {
    discarded.result = declarator.type->inner;
    discarded.name = declarator.name;
    discarded.parameters = declarator.parameters;
    discarded.is_kernel = function != nullptr && function->is_kernel;
    function = &discarded;
  }
  for (size_t i = 0; i < function->parameters.size(); ++i) {
    Variable* parameter = function->parameters[i];
    parameter->function = keeps ? function : nullptr;
    if (parameter->name.empty()) {
      diagnostics_.error(parameter->where, "Parameter %zu of \"%s\" needs a name in the definition.", i + 1,
                         function->name.c_str());
    } else if (!isComplete(parameter->type)) {
      diagnostics_.error(parameter->where, "The parameter \"%s\" has the incomplete type \"%s\".", parameter->name.c_str(),
                         spell(parameter->type).c_str());
    }
  }
  if (!function->result->isVoid() && !isComplete(function->result)) {
    diagnostics_.error(where, "\"%s\" returns the incomplete type \"%s\".", function->name.c_str(),
                       spell(function->result).c_str());
  }
  function->where = where;
  function->head = {first, static_cast<uint32_t>(at_)};
  function->name_token = declarator.name_token;
  function->open_token = declarator.open_token;
  function->parameter_tokens = declarator.parameter_tokens;
  function->body_token = static_cast<uint32_t>(at_);
  const bool parsed = parseFunctionBody(function);
  if (!keeps) return parsed;
  program_.declarations.push_back({Declaration::Kind::kFunction, nullptr, nullptr, function});
  if (function->is_kernel) program_.kernels.push_back(function);
  return parsed;
}

bool Parser::declareProgramVariable(const Specifiers& specifiers, Declarator& declarator) {
  const std::string name(declarator.name);
  QualType type = declarator.type;
  if (specifiers.is_kernel || specifiers.is_inline) {
    diagnostics_.error(declarator.where, "\"%s\" is a variable; kernel and inline are for functions.", name.c_str());
    return false;
  }
  if (type.space != AddressSpace::kConstant) {
    diagnostics_.error(declarator.where,
                       type->isPointer() ? "The pointer \"%s\" stands at program scope and must be constant itself: write "
                                           "__constant after the \"*\"."
                                         : "\"%s\" stands at program scope, where all variables are __constant: write "
                                           "__constant before its type, or make it a parameter.",
                       name.c_str());
  } else if (!checkObject(type, declarator.name, declarator.where)) {
    return false;
  }
  Variable* variable = nullptr;
  // A constant may be declared more than once. A later declaration may give the length that an earlier one left open.
  const auto known = scope().names.find(declarator.name);
  if (known != scope().names.end() && known->second.kind == Symbol::Kind::kVariable) {
    variable = known->second.variable;
    if (variable->type != type && !isSameButLength(variable->type, type)) {
      diagnostics_.error(declarator.where, "\"%s\" is \"%s\" here and \"%s\" where it was declared before.", name.c_str(),
                         spell(type).c_str(), spell(variable->type).c_str());
      diagnostics_.note(variable->where, "This is its other declaration.");
      return false;
    }
  } else {
    variable = program_.makeVariable();
    variable->name = name;
    variable->type = type;
    variable->where = declarator.where;
    Symbol symbol;
    symbol.variable = variable;
    symbol.where = declarator.where;
    if (!declare(declarator.name, symbol)) return false;
  }
  // The strictest of all declarations holds.
  variable->alignment = std::max({variable->alignment, specifiers.type_alignment, specifiers.alignment, declarator.alignment});
  if (!accept("=")) {
    if (specifiers.is_extern || variable->initializer != nullptr) {
      if (variable->initializer == nullptr) externs_.push_back(variable);
      return true;
    }
    diagnostics_.error(declarator.where, "The constant \"%s\" needs an initialiser: it cannot be written later.", name.c_str());
    return true;
  }
  if (variable->initializer != nullptr) {
    diagnostics_.error(declarator.where, "\"%s\" is defined a second time.", name.c_str());
    diagnostics_.note(variable->where, "This is its other definition.");
  }
  // An array without a length is completed by its initialiser, so that it need not be complete yet.
  const bool is_array = type->isArray() && type->length == Type::kUnknownLength;
  if (!is_array && !isComplete(type)) {
    diagnostics_.error(declarator.where, "\"%s\" has the incomplete type \"%s\".", name.c_str(), spell(type).c_str());
    return false;
  }
  Expr* initializer = parseInitializer(&type, variable->name.c_str());
  if (initializer == nullptr) return false;
  if (!isConstant(*initializer)) {
    diagnostics_.error(initializer->where, "The initialiser of the constant \"%s\" must be constant itself.", name.c_str());
    return true;
  }
  variable->initializer = initializer;
  // The type is taken again: the initialiser may have given the array its length.
  variable->type = type;
  program_.declarations.push_back({Declaration::Kind::kVariable, nullptr, variable, nullptr});
  return true;
}

void Parser::checkExterns() {
  for (const Variable* variable : externs_) {
    if (variable->initializer != nullptr) continue;
    diagnostics_.error(variable->where, "\"%s\" is declared extern and never defined in this program.", variable->name.c_str());
  }
}

}  // namespace manyrt::compiler
