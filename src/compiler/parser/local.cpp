// Declarations in functions: variables of each address space with the rules for where they may stand, typedefs, prototypes.
#include <algorithm>

#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {

bool Parser::checkLocalStorage(const Specifiers& specifiers, const Declarator& declarator) {
  const std::string name(declarator.name);
  if (specifiers.is_kernel || specifiers.is_inline) {
    diagnostics_.error(declarator.where, "\"%s\" is a variable; kernel and inline are for functions.", name.c_str());
  } else if (specifiers.is_static) {
    diagnostics_.error(declarator.where,
                       "\"%s\" cannot be static in a function: declare a __constant at program scope, or pass a pointer.",
                       name.c_str());
  } else if (specifiers.is_extern) {
    diagnostics_.error(declarator.where, "\"%s\" cannot be extern in a function: declare it at program scope.", name.c_str());
  } else {
    return true;
  }
  return false;
}

bool Parser::checkLocalSpace(const Variable& variable) {
  const AddressSpace space = variable.type.space;
  const char* name = variable.name.c_str();
  if (space == AddressSpace::kPrivate) return true;
  if (space == AddressSpace::kGlobal) {
    diagnostics_.error(variable.where, "\"%s\" cannot be __global in a function: only what pointers point to can be.", name);
  } else if (!function_->is_kernel) {
    diagnostics_.error(
        variable.where, "\"%s\" cannot be %s in the function \"%s\", which is no kernel: %s.", name, spaceName(space),
        function_->name.c_str(),
        space == AddressSpace::kLocal ? "declare it in the kernel and pass a __local pointer" : "declare it at program scope");
  } else if (scopes_.size() != kFunctionScope + 1) {
    diagnostics_.error(variable.where, "\"%s\" is %s and stands in an inner block: move it to the outermost one of the kernel.",
                       name, spaceName(space));
  } else {
    return true;
  }
  return false;
}

bool Parser::initializeLocal(Variable* variable) {
  const AddressSpace space = variable->type.space;
  // An array of unknown length gets its length from the initialiser, so that it alone may be incomplete until then. Constants
  // need a constant initialiser; local variables cannot have one, because no work-item would be the one to run it.
  const bool is_array = variable->type->isArray() && variable->type->length == Type::kUnknownLength;
  const char* name = variable->name.c_str();
  if (!is_array && !isComplete(variable->type)) {
    diagnostics_.error(variable->where, "\"%s\" has the incomplete type \"%s\".", name, spell(variable->type).c_str());
    return false;
  }
  if (!at("=")) {
    if (is_array) {
      diagnostics_.error(variable->where, "The array \"%s\" needs a size or an initialiser.", name);
      return false;
    }
    if (space == AddressSpace::kConstant) {
      diagnostics_.error(variable->where, "The constant \"%s\" needs an initialiser: it cannot be written later.", name);
      return false;
    }
    return true;
  }
  if (space == AddressSpace::kLocal) {
    diagnostics_.error(peek().where,
                       "The __local variable \"%s\" cannot have an initialiser: assign in one work-item and wait at "
                       "a barrier.",
                       name);
    return false;
  }
  next();
  QualType type = variable->type;
  Expr* initializer = parseInitializer(&type, name);
  if (initializer == nullptr) return false;
  variable->type = type;
  if (space == AddressSpace::kConstant && !isConstant(*initializer)) {
    diagnostics_.error(initializer->where, "The initialiser of the constant \"%s\" must be constant itself.", name);
    return true;
  }
  variable->initializer = initializer;
  return true;
}

bool Parser::declareLocal(Stmt* statement, const Specifiers& specifiers, Declarator& declarator) {
  if (specifiers.is_typedef) return declareType(specifiers, declarator);
  if (declarator.type->isFunction()) {
    if (specifiers.is_static) {
      diagnostics_.error(declarator.where, "The function \"%s\" cannot be declared static in a function.",
                         std::string(declarator.name).c_str());
      return false;
    }
    return declareFunction(specifiers, declarator) != nullptr;
  }
  if (!checkLocalStorage(specifiers, declarator) || !checkObject(declarator.type, declarator.name, declarator.where)) {
    return false;
  }
  Variable* variable = program_.makeVariable();
  variable->name = declarator.name;
  variable->type = declarator.type;
  variable->where = declarator.where;
  variable->function = function_;
  variable->is_named = specifiers.may_be_unused;
  variable->alignment = std::max({specifiers.type_alignment, specifiers.alignment, declarator.alignment});
  Symbol symbol;
  symbol.variable = variable;
  symbol.where = declarator.where;
  if (!declare(declarator.name, symbol) || !checkLocalSpace(*variable) || !initializeLocal(variable)) return false;
  statement->variables.push_back(variable);
  variables_of_function_.push_back(variable);
  if (variable->type.space == AddressSpace::kLocal) function_->locals.push_back(variable);
  return true;
}

Stmt* Parser::parseLocalDeclaration() {
  const size_t begin = at_;
  Stmt* statement = program_.make(StmtKind::kDeclare);
  statement->where = peek().where;
  Specifiers specifiers;
  if (!parseSpecifiers(&specifiers)) return nullptr;
  if (accept(";")) {
    const bool declares = specifiers.type->isRecord() || specifiers.type->kind == TypeKind::kEnum;
    if (!declares) diagnostics_.warning(specifiers.where, "This declaration declares nothing.");
    return finish(statement, begin);
  }
  bool complete = true;
  do {
    Declarator declarator;
    if (!parseDeclarator(&declarator, specifiers, false)) {
      if (!declarator.name.empty()) undeclared_.insert(declarator.name);  // its absence is no error of its own
      return nullptr;
    }
    Specifiers own = specifiers;
    if (!parseAttributes(&own, &declarator.alignment, nullptr)) return nullptr;
    if (declareLocal(statement, own, declarator)) continue;
    if (!goesOn()) return nullptr;
    complete = false;  // the declarators after this one are declared, so that no error is about their absence
  } while (accept(","));
  if (!complete) return nullptr;
  if (at("{")) {
    diagnostics_.error(peek().where, "A function cannot be defined in a function: move it to program scope.");
    return nullptr;
  }
  if (!expect(";", "the declaration")) return nullptr;
  return finish(statement, begin);
}

}  // namespace manyrt::compiler
