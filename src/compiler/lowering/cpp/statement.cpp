// Statements and declarations as C++ text. Where control may jump over a declaration, which C allows and C++ does not, the
// declaration has no initialiser and an assignment follows.
#include <utility>

#include "compiler/lowering/cpp/text.h"

namespace manyrt::compiler {

void CppText::declareVariable(const Variable& variable, std::string* out) {
  const std::string own = name(variable);
  if (variable.type.space == AddressSpace::kLocal) return;  // the kernel's head has bound it
  if (variable.type.space == AddressSpace::kConstant && !variable.type->isPointer()) {
    if (!is_bound || !is_bound(variable)) *out += constant(variable);
    return;
  }
  const bool bound = is_bound && is_bound(variable);
  if (!bound) {
    if (variable.alignment > alignmentOf(variable.type)) *out += "alignas(" + std::to_string(variable.alignment) + ") ";
    *out += declare(variable.type, own);
  }
  if (variable.initializer == nullptr) {
    *out += bound ? "" : "; ";
    return;
  }
  const Expr& value = *variable.initializer;
  const bool in_braces = value.kind == ExprKind::kInitializer || value.kind == ExprKind::kString;
  if (!bound && !may_jump) {
    *out += " = " + initializer(value) + "; ";
    return;
  }
  if (!bound) *out += "; ";
  if (in_braces && (variable.type->isArray() || variable.type->isRecord() || variable.type->isVector())) {
    *out += "{ " + declare(variable.type, "mrt_b") + " = " + initializer(value) + "; __builtin_memcpy(&" + own +
            ", &mrt_b, sizeof mrt_b); } ";
  } else {
    *out += own + " = " + initializer(value) + "; ";
  }
}

void CppText::body(const Stmt* inner, std::string* out) {
  *out += "{ ";
  statement(*inner, out);
  *out += "} ";
}

void CppText::statement(const Stmt& s, std::string* out) {
  // Each C statement becomes the same statement of C++. Names are unique and scopes the same. Three things differ: bodies get
  // braces, a `for` gets a block for its declaration, and jumps of a switch may pass declarations.
  if (s.kind != StmtKind::kCompound) line(s.where, out);
  switch (s.kind) {
    case StmtKind::kCompound:
      *out += "{ ";
      for (const Stmt* inner : s.body) statement(*inner, out);
      *out += "} ";
      break;
    case StmtKind::kDeclare:
      for (const Variable* variable : s.variables) declareVariable(*variable, out);
      break;
    case StmtKind::kExpr:
      *out += expression(*s.a) + "; ";
      break;
    case StmtKind::kIf:
      *out += "if (" + expression(*s.a) + ") ";
      body(s.first, out);
      if (s.second != nullptr) {
        *out += "else ";
        body(s.second, out);
      }
      break;
    case StmtKind::kFor: {
      *out += "{ ";
      if (s.init != nullptr) statement(*s.init, out);
      if (s.unroll >= 0) {
        *out += "\n#pragma " + unroll_words + (s.unroll == 0 ? unroll_freely : std::to_string(s.unroll)) + "\n";
      }
      *out += "for (; " + (s.a != nullptr ? expression(*s.a) : std::string()) + "; " +
              (s.b != nullptr ? expression(*s.b) : std::string()) + ") ";
      body(s.first, out);
      *out += "} ";
      break;
    }
    case StmtKind::kWhile:
      *out += "while (" + expression(*s.a) + ") ";
      body(s.first, out);
      break;
    case StmtKind::kDo:
      *out += "do ";
      body(s.first, out);
      *out += "while (" + expression(*s.a) + "); ";
      break;
    case StmtKind::kSwitch: {
      *out += "switch (" + expression(*s.a) + ") ";
      const bool jumps = std::exchange(may_jump, true);
      body(s.first, out);
      may_jump = jumps;
      break;
    }
    case StmtKind::kCase:
    case StmtKind::kDefault:
      if (s.kind == StmtKind::kCase) {
        *out += "case " + std::to_string(static_cast<int64_t>(s.integer)) + "l: ";
      } else {
        *out += "default: ";
      }
      if (s.first != nullptr) statement(*s.first, out);
      *out += "; ";
      break;
    case StmtKind::kBreak:
      *out += "break; ";
      break;
    case StmtKind::kContinue:
      *out += "continue; ";
      break;
    case StmtKind::kReturn:
      *out += s.a != nullptr ? "return " + expression(*s.a) + "; " : "return; ";
      break;
    case StmtKind::kGoto:
      *out += "goto L_" + std::string(s.label) + "; ";
      break;
    case StmtKind::kLabel:
      *out += "L_" + std::string(s.label) + ": ; ";
      if (s.first != nullptr) statement(*s.first, out);
      break;
    case StmtKind::kEmpty:
      *out += "; ";
      break;
  }
}

}  // namespace manyrt::compiler
