// Expressions as C++ text. Scalars become plain C++, and operations on vectors become calls of the prelude's functions. No text
// depends on how C++ would choose an overload.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "compiler/lowering/cpp/text.h"
#include "compiler/parser/half.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

constexpr uint64_t kMaxGaps = 1 << 20;  // elements that an initialiser leaves out and C++ has to be told of

bool isComparison(Op op) { return op >= Op::kLess && op <= Op::kNotEqual; }

}  // namespace

std::string CppText::literal(const Expr& e) const {
  // The text has exactly the type and the bits of the literal. The lowest integers are differences, because C++ has no negative
  // literals. Floating ones are hexadecimal, so that nothing is rounded.
  char text[64];
  const Type* type = e.type.type;
  if (isHalf(type)) return prelude_.type(type) + "{" + std::to_string(halfBits(e.real)) + "}";
  if (type->isFloating()) {
    const bool single = type->scalar == Scalar::kFloat;
    if (std::isinf(e.real)) return single ? "__builtin_inff()" : "__builtin_inf()";
    if (std::isnan(e.real)) return single ? "__builtin_nanf(\"\")" : "__builtin_nan(\"\")";
    snprintf(text, sizeof text, single ? "%af" : "%a", single ? static_cast<double>(static_cast<float>(e.real)) : e.real);
    return text[0] == '-' ? "(" + std::string(text) + ")" : text;
  }
  if (type->kind == TypeKind::kPointer) return "(" + typeName(e.type) + ")" + std::to_string(e.integer);
  const Scalar scalar = type->kind == TypeKind::kEnum ? Scalar::kInt : type->scalar;
  switch (scalar) {
    case Scalar::kBool:
      return e.integer != 0 ? "true" : "false";
    case Scalar::kInt: {
      const int32_t value = static_cast<int32_t>(e.integer);
      if (value == INT32_MIN) return "(-2147483647 - 1)";
      return value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value);
    }
    case Scalar::kUInt:
      return std::to_string(static_cast<uint32_t>(e.integer)) + "u";
    case Scalar::kLong: {
      const int64_t value = static_cast<int64_t>(e.integer);
      if (value == INT64_MIN) return "(-9223372036854775807l - 1)";
      return value < 0 ? "(" + std::to_string(value) + "l)" : std::to_string(value) + "l";
    }
    case Scalar::kULong:
      return std::to_string(e.integer) + "ul";
    case Scalar::kChar:
      return "((signed char)" + std::to_string(static_cast<int8_t>(e.integer)) + ")";
    case Scalar::kUChar:
      return "((unsigned char)" + std::to_string(static_cast<uint8_t>(e.integer)) + ")";
    case Scalar::kShort:
      return "((short)" + std::to_string(static_cast<int16_t>(e.integer)) + ")";
    default:
      return "((unsigned short)" + std::to_string(static_cast<uint16_t>(e.integer)) + ")";
  }
}

// A scalar's value as one of another type.
std::string CppText::converted(const Type* to, const Type* from, const std::string& value) {
  if (from == to) return value;
  if (isHalf(to)) {
    const bool wide = from->kind == TypeKind::kScalar && from->scalar == Scalar::kDouble;
    return prelude_.toHalf(wide ? Scalar::kDouble : Scalar::kFloat) + "(" + value + ")";
  }
  const std::string whole = isHalf(from) ? prelude_.halfToFloat() + "(" + value + ")" : "(" + value + ")";
  return "(" + typeName(QualType{to}) + ")" + whole;
}

std::string CppText::convert(const Expr& e) {
  const Type* to = e.type.type;
  const Type* from = e.a->type.type;
  if (from->isArray()) {
    if (to->isPointer()) {
      if (to->inner.type == from->inner.type) return expression(*e.a);  // C++ decays it too
      return "(" + typeName(e.type) + ")(" + expression(*e.a) + ")";
    }
  }
  if (to->isVoid()) return "(void)(" + expression(*e.a) + ")";
  if (to->isVector()) {
    if (from->isVector()) return expression(*e.a);  // only to its own type: others take a call of convert_
    return prelude_.splat(to) + "(" + converted(to->element, from, expression(*e.a)) + ")";
  }
  if (from == to && !to->isPointer()) return expression(*e.a);
  if (to->isRecord()) return expression(*e.a);
  if (e.a->kind == ExprKind::kLiteral && from->isInteger() && to->isInteger() && to->scalar >= Scalar::kInt &&
      from->isSigned() && static_cast<int64_t>(e.a->integer) >= 0 && static_cast<int64_t>(e.a->integer) <= INT32_MAX) {
    Expr same = *e.a;
    same.type = e.type;
    return literal(same);
  }
  if (isHalf(to) && e.a->kind == ExprKind::kLiteral && from->isFloating()) {
    Expr same = *e.a;
    same.type = e.type;
    return literal(same);
  }
  if (isHalf(from) || isHalf(to)) return converted(to, from, expression(*e.a));
  return "(" + typeName(e.type.unqualified()) + ")(" + expression(*e.a) + ")";
}

// The operation on operands of one type, given as text.
std::string CppText::arithmetic(Op op, const Type* type, const Type* amount, const std::string& a, const std::string& b) {
  if (type->isVector() || needsCare(op, type)) return prelude_.binary(op, type, amount) + "(" + a + ", " + b + ")";
  return "(" + a + " " + spell(op) + " " + b + ")";
}

std::string CppText::unary(const Expr& e) {
  const bool is_struct = e.a->type->isVector() || isHalf(e.a->type.type);
  if (e.op >= Op::kPreIncrement && is_struct) return vectorStep(e);
  const std::string a = expression(*e.a);
  if (is_struct && e.op != Op::kAddressOf) {
    if (e.op == Op::kPlus) return a;
    return prelude_.unary(e.op, e.a->type.type) + "(" + a + ")";
  }
  if (e.op >= Op::kPreIncrement && e.a->type->isScalar() && e.a->type->scalar == Scalar::kBool) {  // C++ has no such steps
    const bool up = e.op == Op::kPreIncrement || e.op == Op::kPostIncrement;
    const bool before = e.op == Op::kPostIncrement || e.op == Op::kPostDecrement;
    const std::string after = up ? "true" : "!mrt_o";
    return "[](volatile bool& mrt_b) { const bool mrt_o = mrt_b; mrt_b = " + after + "; return " + (before ? "mrt_o" : after) +
           "; }(" + a + ")";
  }
  if (e.op == Op::kPostIncrement || e.op == Op::kPostDecrement) return "(" + a + ")" + spell(e.op);
  return "(" + std::string(spell(e.op)) + " " + a + ")";
}

std::string CppText::fused(const Fused& fused, const std::string& addend) {
  return prelude_.multiplyAdd(fused.kind, fused.product->type.type) + "(" + expression(*fused.product->a) + ", " +
         expression(*fused.product->b) + ", " + addend + ")";
}

std::string CppText::binary(const Expr& e) {
  if (const Fused with = contraction_.ofBinary(e); with.kind != Fused::Kind::kNone) {
    return fused(with, expression(*with.addend));
  }
  const Type* type = e.a->type.type;
  if ((needsCare(e.op, type) && !isPlainDivisor(e.op, *e.b)) || type->isVector()) {
    if (e.op != Op::kComma) {
      const Type* amount = e.op == Op::kShl || e.op == Op::kShr ? e.b->type.type : type;
      return prelude_.binary(e.op, type, amount) + "(" + expression(*e.a) + ", " + expression(*e.b) + ")";
    }
  }
  const std::string a = expression(*e.a);
  const std::string b = expression(*e.b);
  if (e.op == Op::kSub && type->isPointer() && e.b->type->isPointer()) return "(long)(" + a + " - " + b + ")";
  if (isComparison(e.op) && type->isPointer() && e.b->type->isPointer()) {
    return "((const void*)(" + a + ") " + spell(e.op) + " (const void*)(" + b + "))";
  }
  if (e.op == Op::kComma) return "((void)(" + a + "), " + b + ")";
  if (isHalf(type)) {  // a comparison
    const std::string value = prelude_.halfToFloat();
    return "(" + value + "(" + a + ") " + spell(e.op) + " " + value + "(" + b + "))";
  }
  return "(" + a + " " + spell(e.op) + " " + b + ")";
}

std::string CppText::vectorLiteral(const Expr& e) {
  const Type* type = e.type.type;
  if (e.arguments.size() == 1) {
    const Expr& only = *e.arguments[0];
    if (only.type->isVector()) return expression(only);
    return prelude_.splat(type) + "(" + expression(only) + ")";
  }
  std::vector<const Type*> parts;
  std::string values;
  for (const Expr* argument : e.arguments) {
    parts.push_back(argument->type.type);
    values += (values.empty() ? "" : ", ") + expression(*argument);
  }
  return prelude_.make(type, parts) + "(" + values + ")";
}

// Braces of C become braces of C++: in order, with what was left out written as {}.
std::string CppText::braces(const Expr& e) {
  const Type* type = e.type.type;
  std::string text = "{";
  if (type->isRecord() && type->record->is_union) {
    if (!e.arguments.empty()) {
      const uint32_t field = e.elements.back();
      const bool unnamed = type->record->fields[field].name.empty();
      text += "." + (unnamed ? "unnamed_" + std::to_string(field) : fieldName(*type->record, field)) + " = " +
              initializer(*e.arguments.back());
    }
    return text + "}";
  }
  uint64_t count = 0;
  for (uint32_t element : e.elements) count = element + uint64_t{1} > count ? element + uint64_t{1} : count;
  if (count > e.arguments.size() + kMaxGaps) {
    diagnostics_.error(e.where, "This initialiser leaves out more than %llu elements: assign to the elements instead.",
                       static_cast<unsigned long long>(kMaxGaps));
    return "{}";
  }
  std::vector<const Expr*> values(count, nullptr);
  for (size_t i = 0; i < e.arguments.size(); ++i) values[e.elements[i]] = e.arguments[i];
  for (uint64_t i = 0; i < count; ++i) {
    text += i == 0 ? "" : ", ";
    text += values[i] != nullptr ? initializer(*values[i]) : "{}";
  }
  return text + "}";
}

std::string CppText::initializer(const Expr& e) {
  if (e.kind != ExprKind::kInitializer) return expression(e);
  if (!e.type->isVector() && !e.type->isArray() && !e.type->isRecord()) {
    return e.arguments.empty() ? "{}" : initializer(*e.arguments[0]);
  }
  return braces(e);
}

std::string CppText::groupCopy(const Expr& e) {
  const Expr& dst = *e.arguments[0];
  const std::string element = typeName(dst.type->inner.unqualified());
  std::string text = "((" + first_item + ") ? [](" + element + "* mrt_d, const " + element + "* mrt_f, unsigned long mrt_n";
  const bool strided = e.builtin->name.find("strided") != std::string::npos;
  if (strided) {
    const bool gather = dst.type->inner.space == AddressSpace::kLocal;
    text += ", unsigned long mrt_t) { for (unsigned long mrt_k = 0; mrt_k < mrt_n; ++mrt_k) ";
    text += gather ? "mrt_d[mrt_k] = mrt_f[mrt_k * mrt_t]; }" : "mrt_d[mrt_k * mrt_t] = mrt_f[mrt_k]; }";
  } else {
    text += ") { __builtin_memcpy(mrt_d, mrt_f, mrt_n * sizeof *mrt_d); }";
  }
  text += "((" + element + "*)(" + expression(dst) + "), (const " + element + "*)(" + expression(*e.arguments[1]) + "), " +
          expression(*e.arguments[2]);
  if (strided) text += ", " + expression(*e.arguments[3]);
  return text + ") : (void)0, " + expression(*e.arguments[strided ? 4 : 3]) + ")";
}

// Where a work-item stands among the sub-groups, which are made of neighbours in the order of the local linear id.
std::string CppText::subGroupPlace(const std::string& name) const {
  const std::string whole = std::to_string(sub_group_items) + "u", index = work_item(WorkItem::kLocalLinearId, 0, "0");
  std::string items;
  for (int d = 0; d < 3; ++d) items += (d == 0 ? "" : " * ") + work_item(WorkItem::kLocalSize, d, "");
  if (name == "get_max_sub_group_size") return whole;
  if (name == "get_sub_group_id") return "((unsigned int)" + index + " / " + whole + ")";
  if (name == "get_sub_group_local_id") return "((unsigned int)" + index + " % " + whole + ")";
  if (name != "get_sub_group_size") return "(((unsigned int)(" + items + ") + " + whole + " - 1) / " + whole + ")";
  const std::string rest = "((unsigned int)(" + items + ") - (unsigned int)" + index + " / " + whole + " * " + whole + ")";
  return "(" + rest + " < " + whole + " ? " + rest + " : " + whole + ")";
}

std::string CppText::builtinCall(const Expr& e) {
  if (builtin_text) {
    if (std::string text = builtin_text(e); !text.empty()) return text;
  }
  if (e.builtin->kind == BuiltinKind::kSubGroup && e.builtin->name.starts_with("get_")) return subGroupPlace(e.builtin->name);
  switch (e.builtin->kind) {
    case BuiltinKind::kWorkItem: {
      if (e.arguments.empty()) return work_item(e.builtin->work_item, 0, "0");
      const Expr& dimension = behindConversions(*e.arguments[0]);
      if (dimension.kind == ExprKind::kLiteral) {
        const int number = dimension.integer > 2 ? 3 : static_cast<int>(dimension.integer);  // beyond: sizes 1, ids 0
        return work_item(e.builtin->work_item, number, "");
      }
      return work_item(e.builtin->work_item, -1, expression(*e.arguments[0]));
    }
    case BuiltinKind::kBarrier:
      return barrier_call ? barrier_call() : "(void)0";
    case BuiltinKind::kGroupCopy:
      return groupCopy(e);
    default: {
      std::vector<QualType> types;
      std::string values;
      for (const Expr* argument : e.arguments) {
        types.push_back(argument->type);
        values += (values.empty() ? "" : ", ") + expression(*argument);
      }
      return prelude_.builtin(*e.builtin, e.type, types) + "(" + values + ")";
    }
  }
}

std::string CppText::call(const Expr& e) {
  std::string text = name(*e.function) + "(";
  bool first = true;
  if (usesItem(*e.function)) {
    text += item;
    first = false;
  }
  for (const Expr* argument : e.arguments) {
    text += first ? "" : ", ";
    text += expression(*argument);
    first = false;
  }
  return text + ")";
}

std::string CppText::expression(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kLiteral:
      return literal(e);
    case ExprKind::kString:
      return std::string(e.text);
    case ExprKind::kVariable: {
      const Variable& v = *e.variable;
      if (v.type.space != AddressSpace::kConstant || v.is_parameter) return name(v);
      return "const_cast<" + reference(v.type, "") + ">(" + name(v) + ")";  // pointers carry no const here
    }
    case ExprKind::kUnary:
      return unary(e);
    case ExprKind::kBinary:
      return binary(e);
    case ExprKind::kAssign:
      return assign(e);
    case ExprKind::kConditional:
      if (e.a->type->isVector()) {
        return prelude_.select(e.type.type, e.a->type.type) + "(" + expression(*e.a) + ", " + expression(*e.b) + ", " +
               expression(*e.c) + ")";
      }
      return "(" + expression(*e.a) + " ? " + expression(*e.b) + " : " + expression(*e.c) + ")";
    case ExprKind::kCast:
    case ExprKind::kConvert:
      return convert(e);
    case ExprKind::kVectorLiteral:
      return vectorLiteral(e);
    case ExprKind::kCompoundLiteral:  // as a value: one that is used as an object has become a variable
      if (e.a->kind != ExprKind::kInitializer) return "(" + typeName(e.type.unqualified()) + ")(" + expression(*e.a) + ")";
      return expression(*e.a);
    case ExprKind::kInitializer:
      return declare(e.type.unqualified(), "") + initializer(e);
    case ExprKind::kCall:
      return call(e);
    case ExprKind::kBuiltinCall:
      return builtinCall(e);
    case ExprKind::kMember: {
      const Record& record = *e.a->type->record;
      const bool unnamed = record.fields[e.field].name.empty();
      return "(" + expression(*e.a) + ")." + (unnamed ? "unnamed_" + std::to_string(e.field) : fieldName(record, e.field));
    }
    case ExprKind::kSwizzle: {
      static constexpr char kComponent[] = "0123456789ABCDEF";
      if (!e.type->isVector()) return "(" + expression(*e.a) + ").s" + kComponent[e.components[0]];
      return prelude_.swizzle(e.a->type.type, e.components, e.type->components()) + "(" + expression(*e.a) + ")";
    }
    case ExprKind::kSubscript:
      if (e.a->type->isVector()) {
        const bool packed = isPackedStorage(*e.a);
        const std::string element = packed ? prelude_.packed(e.a->type->element) : prelude_.type(e.a->type->element);
        return "((" + element + "*)&" + expression(*e.a) + ")[" + expression(*e.b) + (packed ? "].v" : "]");
      }
      return "(" + expression(*e.a) + ")[" + expression(*e.b) + "]";
  }
  return "";
}

}  // namespace manyrt::compiler
