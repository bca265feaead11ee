// Names, types, declarations and helper functions of a program as C++ text; expressions and statements have files of their own.
#include "compiler/lowering/cpp/text.h"

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr uint32_t kInlineAlways = 400;  // nodes of a helper that is always inlined, so that loops around it vectorise

uint32_t countNodes(const Function& function) {
  uint32_t count = 0;
  visitExpressions(function.body, [&](Expr&) { ++count; });
  return count;
}

}  // namespace

CppText::CppText(Program& program, const Sources& sources, Prelude& prelude, Diagnostics& diagnostics)
    : program_(program), sources_(sources), prelude_(prelude), diagnostics_(diagnostics), contraction_(program.tokens) {}

std::string CppText::identifier(const std::string& name) { return name.empty() ? "unnamed" : name; }

std::string CppText::fieldName(const Record& record, uint32_t field) { return record.fields[field].name + "_"; }

std::string CppText::baseName(const Type* type) const {
  if (type->isRecord()) return name(*type->record);
  if (type->kind == TypeKind::kEnum) return "int";
  return prelude_.type(type);
}

std::string CppText::declare(QualType type, const std::string& declared) const {
  switch (type->kind) {
    case TypeKind::kPointer: {
      std::string inner = "*" + std::string(type.is_restrict ? "__restrict " : "") + declared;
      if (type->inner->isArray() || type->inner->isFunction()) inner = "(" + inner + ")";
      return declare(type->inner, inner);
    }
    case TypeKind::kArray:
      return declare(
          type->inner,
          declared + "[" + (type->length == Type::kUnknownLength ? std::string() : std::to_string(type->length)) + "]");
    default: {
      std::string base = baseName(type.type);
      // A half is a struct, which C++ copies from no volatile object.
      if (type.is_volatile && type->isScalar() && !isHalf(type.type)) base = "volatile " + base;
      return declared.empty() ? base : base + " " + declared;
    }
  }
}

std::string CppText::reference(QualType type, const std::string& declared) const {
  return declare(type, type->isArray() ? "(&" + declared + ")" : "&" + declared);
}

std::string CppText::forwards() const {
  std::string text;
  for (const Record& record : program_.types.records()) text += (record.is_union ? "union " : "struct ") + name(record) + ";\n";
  return text;
}

std::string CppText::record(const Record& record) const {
  const std::string limit = record.field_limit == 0 ? "" : "\n#pragma pack(push, " + std::to_string(record.field_limit) + ")\n";
  std::string text = limit + (record.is_union ? "union " : "struct ");
  if (record.packed) text += "__attribute__((packed)) ";
  if (record.asked_alignment != 0) text += "__attribute__((aligned(" + std::to_string(record.asked_alignment) + "))) ";
  text += name(record) + " {\n";
  for (uint32_t i = 0; i < record.fields.size(); ++i) {
    const Field& field = record.fields[i];
    const bool packed = record.packed || field.packed;
    const uint32_t alignment = packed ? field.alignment : std::max(field.alignment, field.type_alignment);
    if (field.packed || isLowered(field)) text += "__attribute__((packed)) ";
    if (alignment != 0) {
      const uint32_t least = record.field_limit == 0 ? alignment : std::min(alignment, record.field_limit);
      text += "__attribute__((aligned(" + std::to_string(least) + "))) ";
    }
    if (field.name.empty() && field.type->isRecord()) {  // an unnamed member: given a name, which every step to it prints
      text += "  " + declare(field.type, "unnamed_" + std::to_string(i)) + ";\n";
    } else {
      text += "  " + declare(field.type, fieldName(record, i)) + ";\n";
    }
  }
  text += limit.empty() ? "};\n" : "};\n#pragma pack(pop)\n";
  return text + "static_assert(sizeof(" + name(record) + ") == " + std::to_string(record.size) + ", \"layout\");\n";
}

bool CppText::usesItem(const Function& function) {
  if (item.empty()) return false;
  auto [at, is_new] = uses_item_.emplace(&function, false);
  if (!is_new) return at->second;
  bool uses = false;
  for (const Builtin* builtin : function.builtins) {
    uses = uses || (asks_item ? asks_item(*builtin)
                              : builtin->kind == BuiltinKind::kWorkItem || builtin->kind == BuiltinKind::kGroupCopy ||
                                    builtin->kind == BuiltinKind::kSubGroup);
  }
  for (const Function* callee : function.callees) uses = uses || usesItem(*callee);
  return uses_item_[&function] = uses;
}

std::string CppText::signature(const Function& function) {
  std::string text = name(function) + "(";
  bool first = true;
  if (usesItem(function)) {
    text += "mrt_item mrt_i";
    first = false;
  }
  for (const Variable* parameter : function.parameters) {
    text += first ? "" : ", ";
    text += declare(parameter->type, name(*parameter));
    first = false;
  }
  return helper_words + declare(function.result, text + ")");
}

std::string CppText::definition(const Function& function) {
  const bool always = countNodes(function) <= kInlineAlways;
  std::string text = place(function) + (always ? inline_words : "");
  text += signature(function) + " ";
  inBody(function, &text);
  return text + "\n";
}

void CppText::inBody(const Function& function, std::string* out) {
  const bool jumps = std::exchange(may_jump, function.has_goto);
  statement(*function.body, out);
  may_jump = jumps;
}

std::string CppText::constant(const Variable& variable) {
  std::string text = constant_words + declare(variable.type, name(variable));
  if (variable.alignment > alignmentOf(variable.type)) text = "alignas(" + std::to_string(variable.alignment) + ") " + text;
  if (variable.initializer != nullptr) return text + " = " + initializer(*variable.initializer) + ";\n";
  return text + " = {};\n";
}

std::string CppText::place(const Function& function) const {
  std::string text = "\n";
  line(function.where, &text);
  if (fault::fails("kernels.text")) text += "mrt_spoiled ";  // what no compiler takes
  return text;
}

void CppText::line(Location where, std::string* out) const {
  if (where.line == 0) return;
  if (!out->empty() && out->back() != '\n') *out += '\n';
  *out += "#line " + std::to_string(where.line) + " \"";
  for (char letter : sources_.name(where.file)) {
    if (letter == '"' || letter == '\\') *out += '\\';
    if (static_cast<unsigned char>(letter) >= ' ') *out += letter;
  }
  *out += "\"\n";
}

}  // namespace manyrt::compiler
