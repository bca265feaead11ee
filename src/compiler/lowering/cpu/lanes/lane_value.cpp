// Expressions for vectors of work-items. What has to happen in order is written as statements; what remains of an expression is
// the name of its value, or a text without effects.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

#include "compiler/builtins/lane_call.h"
#include "compiler/lowering/cpu/lanes/lane_text.h"
#include "compiler/lowering/cpu/tree_facts.h"
#include "compiler/parser/visit.h"

namespace manyrt::compiler {
namespace {

bool isComparison(Op op) { return op >= Op::kLess && op <= Op::kNotEqual; }
bool isLogical(Op op) { return op == Op::kLogicalAnd || op == Op::kLogicalOr; }
bool isBool(const Type* type) { return type->kind == TypeKind::kScalar && type->scalar == Scalar::kBool; }
std::string lowType(uint32_t bytes) { return bytes == 1 ? "unsigned char" : bytes == 2 ? "unsigned short" : "unsigned int"; }
bool holds(const Type* type, int64_t value) {
  const int bits = 8 * static_cast<int>(sizeOf(QualType{type}));
  const int64_t high = (int64_t{1} << (type->isSigned() ? bits - 1 : bits)) - 1;
  return value <= high && value >= (type->isSigned() ? -high - 1 : 0);
}

// A power of two as a divisor: what to multiply by, with the same result. Empty: another one, or no such number.
std::string exactInverse(const Expr& divisor, const Type* type) {
  const auto isOf = [](const Type* each, Scalar scalar) { return each->kind == TypeKind::kScalar && each->scalar == scalar; };
  int most = isOf(type, Scalar::kFloat) ? 126 : 1022;  // neither number is below what is normal, in no type on the way
  if (most == 1022 && !isOf(type, Scalar::kDouble)) return "";
  const Expr* inner = &divisor;
  for (; isConversion(*inner) && inner->type->isFloating(); inner = inner->a) {
    if (isOf(inner->type.type, Scalar::kFloat)) most = 126;
    if (!isOf(inner->type.type, Scalar::kFloat) && !isOf(inner->type.type, Scalar::kDouble)) return "";
  }
  const Expr& number = *inner;
  if (number.kind != ExprKind::kLiteral) return "";
  if (isOf(number.type.type, Scalar::kFloat)) most = 126;
  const double value = number.type->isFloating() ? number.real : static_cast<double>(number.integer);
  int exponent = 0;
  if (std::frexp(value, &exponent) != 0.5 || exponent - 1 > most || exponent - 1 < -most) return "";
  char text[32];
  snprintf(text, sizeof text, "0x1p%d%s", 1 - exponent, type->scalar == Scalar::kFloat ? "f" : "");
  return text;
}

// Of 64 bits: whether its text says that the upper 32 are no more than the sign of the lower ones, or nothing.
bool has32Bits(const Expr& e, bool with_sign) {
  if (int64_t number; literalValue(e, &number)) return with_sign ? number == static_cast<int32_t>(number) : number >> 32 == 0;
  if (e.kind == ExprKind::kCast || e.kind == ExprKind::kConvert) {
    if (!e.a->type->isInteger() || !e.a->type->isScalar()) return false;
    if (sizeOf(e.a->type) == 8) return has32Bits(*e.a, with_sign);
    return e.a->type->isSigned() ? with_sign : !with_sign || sizeOf(e.a->type) < 4;
  }
  if (with_sign || e.kind != ExprKind::kBinary) return false;
  if (e.op == Op::kBitAnd) return has32Bits(*e.a, false) || has32Bits(*e.b, false);
  const Expr& amount = behindConversions(*e.b);
  return e.op == Op::kShr && !e.type->isSigned() && amount.kind == ExprKind::kLiteral && amount.integer >= 32 &&
         amount.integer < 64;
}

bool isLocal(const Variable& variable) { return variable.type.space == AddressSpace::kLocal; }

// The types in which C computes: an integer of fewer bits as an int, two numbers in the type that holds most.
const Type* plainType(Scalar scalar) {
  static const std::array<Type, 12> kAll = [] {
    std::array<Type, 12> all;
    for (size_t i = 0; i < all.size(); ++i) {
      all[i].kind = TypeKind::kScalar;
      all[i].scalar = static_cast<Scalar>(i);
    }
    return all;
  }();
  return &kAll[static_cast<size_t>(scalar)];
}
Scalar scalarOf(const Type* type) { return type->kind == TypeKind::kEnum ? Scalar::kInt : type->scalar; }
const Type* promoted(const Type* type) { return plainType(std::max(scalarOf(type), Scalar::kInt)); }
const Type* commonType(const Type* a, const Type* b) {  // the ranks are in the order of the list
  return plainType(std::max({scalarOf(a), scalarOf(b), Scalar::kInt}));
}

}  // namespace

std::string LaneText::scalar(const Expr& e) {
  return isScalar(e) ? text_.expression(e) : refuse("it takes for one value what differs from item to item");
}

std::string LaneText::one(const Expr& e) {
  const std::string text = e.type->isPointer() ? "(unsigned long)(" + scalar(e) + ")" : scalar(e);
  return hasEffects(e) ? temporary(text) : text;
}

std::string LaneText::value(const Expr& e) {
  const Shape shape = shapes_.of(e);
  const std::string type = number(e.type.type);
  if (shape.isVarying()) return varying(e);
  const std::string first = one(e);
  if (shape.isUniform()) return "mrt_L::all<" + type + ">(" + first + ")";
  return "mrt_L::line<" + type + ">(" + first + ", (" + type + ")" + std::to_string(shape.stride) + "l)";
}

std::string LaneText::varying(const Expr& e) {
  if (const auto tile = tiles_.find(&e); tile != tiles_.end()) return tile->second;
  if (e.type->isPointer() && isDerived(e)) return temporary(address(pointer(e)));
  switch (e.kind) {
    case ExprKind::kVariable:
      if (isLocal(*e.variable) || shapes_.isObject(*e.variable)) return load(place(e), e.type.type);
      return text_.name(*e.variable);
    case ExprKind::kUnary: {
      if (e.op >= Op::kPreIncrement) return assign(e);
      if (e.op == Op::kDereference) return load(place(e), e.type.type);
      if (e.op == Op::kLogicalNot) return "(" + condition(e) + " & 1)";
      if (e.op == Op::kPlus) return value(*e.a);
      return "(" + std::string(spell(e.op)) + value(*e.a) + ")";
    }
    case ExprKind::kBinary:
      return binary(e);
    case ExprKind::kAssign:
      return assign(e);
    case ExprKind::kConditional:
      return chosen(e);
    case ExprKind::kCast:
    case ExprKind::kConvert:
      return convert(e);
    case ExprKind::kBuiltinCall:
      return call(e);
    case ExprKind::kCall: {
      const Parts result = inlined(e);
      return result.empty() ? "0" : result[0];
    }
    // One component. Of a vector in memory it is read alone; of a value the others are computed too and fall away.
    case ExprKind::kSwizzle: {
      const Expr* from = e.a;
      while (from->kind == ExprKind::kSwizzle) from = from->a;
      const bool in_memory =
          from->kind == ExprKind::kMember || from->kind == ExprKind::kSubscript ||
          (from->kind == ExprKind::kUnary && from->op == Op::kDereference) ||
          (from->kind == ExprKind::kVariable && (isLocal(*from->variable) || shapes_.isObject(*from->variable)));
      if (in_memory) return load(place(e), e.type.type);
      const Parts all = parts(*e.a);
      return all[std::min<size_t>(e.components[0], all.size() - 1)];
    }
    case ExprKind::kMember:
    case ExprKind::kSubscript:
      return load(place(e), e.type.type);
    default:
      return refuse("it has an expression without a form");
  }
}

std::string LaneText::arithmetic(Op op, const Type* type, const std::string& a, const std::string& b, const Expr* right,
                                 const Type* amount) {
  if (op == Op::kDiv && right != nullptr && type->isFloating()) {
    if (const std::string inverse = exactInverse(*right, type); !inverse.empty()) {
      return "(" + a + " * mrt_L::all<" + prelude_.type(type) + ">(" + inverse + "))";
    }
  }
  if (needsCare(op, type) && !(right != nullptr && isPlainDivisor(op, *right))) {
    if (op == Op::kShl || op == Op::kShr) {
      const std::string own = prelude_.type(type);
      const std::string by = prelude_.type(amount) == own ? b : "mrt_L::to<" + own + ">(" + b + ")";
      return "(" + a + " " + spell(op) + " (" + by + " & (" + own + ")" + std::to_string(sizeOf(QualType{type}) * 8 - 1) + "))";
    }
    if (sizeOf(QualType{type}) == 4) {
      return std::string(op == Op::kDiv ? "mrt_i_divide" : "mrt_i_remainder") + "<mrt_L::n>(" + a + ", " + b + ")";
    }
    const std::string one = prelude_.binary(op, type, type);
    return "mrt_L::each<" + prelude_.type(type) + ">([](auto mrt_a, auto mrt_b) __attribute__((always_inline)) { return " +
           one + "(mrt_a, mrt_b); }, " + a + ", " + b + ")";
  }
  if ((op == Op::kShl || op == Op::kShr) && amount != type) {
    return "(" + a + " " + spell(op) + " mrt_L::to<" + prelude_.type(type) + ">(" + b + "))";
  }
  return "(" + a + " " + spell(op) + " " + b + ")";
}

std::string LaneText::binary(const Expr& e) {
  if (const Fused with = contraction_.ofBinary(e); with.kind != Fused::Kind::kNone) {
    const std::string a = value(*with.product->a), b = value(*with.product->b), c = value(*with.addend);
    return "mrt_L::fused(" + std::string(with.kind == Fused::Kind::kNegate ? "-" : "") + a + ", " + b + ", " +
           (with.kind == Fused::Kind::kSubtract ? "-" : "") + c + ")";
  }
  if (isComparison(e.op) || isLogical(e.op)) return "(" + condition(e) + " & 1)";
  if (e.op == Op::kComma) {
    effect(*e.a);
    return value(*e.b);
  }
  if (e.a->type->isPointer()) return distance(e);
  const std::string a = value(*e.a);
  const std::string b = value(*e.b);
  if (e.op == Op::kMul && isInteger(e) && sizeOf(e.type) == 8) {
    if (has32Bits(*e.a, false) && has32Bits(*e.b, false)) return "mrt_wide_products<mrt_L::n, false>(" + a + ", " + b + ")";
    if (has32Bits(*e.a, true) && has32Bits(*e.b, true)) return "mrt_wide_products<mrt_L::n, true>(" + a + ", " + b + ")";
  }
  return arithmetic(e.op, e.a->type.type, a, b, e.b, e.b->type.type);
}

std::string LaneText::condition(const Expr& e) {
  if (shapes_.of(e).isUniform()) {
    return "(mrt_L::m{} - ((" + scalar(e) + ") ? 1 : 0))";
  }
  if (e.kind == ExprKind::kUnary && e.op == Op::kLogicalNot) return "(~" + condition(*e.a) + ")";
  if (e.kind == ExprKind::kConvert && e.a->type->isScalar() && e.type->isInteger() && e.a->type->isInteger() &&
      sizeOf(e.type) >= sizeOf(e.a->type)) {
    return condition(*e.a);
  }
  if (e.kind == ExprKind::kBinary && isLogical(e.op)) return lazily(e);
  if (const std::string line = comparedLine(e); !line.empty()) return line;
  return "mrt_L::mask(" + compared(e) + ")";
}

// A comparison, or one with zero, of the size of what is compared. What comes from bytes is compared as bytes.
std::string LaneText::compared(const Expr& e) {
  if (e.kind == ExprKind::kBinary && isComparison(e.op)) {
    const Expr *a = narrowOf(*e.a), *b = narrowOf(*e.b);
    const Type* narrow = a != nullptr ? a->type.type : b != nullptr ? b->type.type : nullptr;
    const auto fits = [&](const Expr& operand, const Expr* own) {
      if (own != nullptr) return prelude_.type(own->type.type) == prelude_.type(narrow);
      const auto number = constantOf(operand);
      return number && holds(narrow, *number);
    };
    if (narrow != nullptr && isInteger(*e.a) && isInteger(*e.b) && fits(*e.a, a) && fits(*e.b, b)) {
      const auto text = [&](const Expr& operand, const Expr* own) {
        return own != nullptr ? value(*own) : "mrt_L::all<" + prelude_.type(narrow) + ">(" + scalar(operand) + ")";
      };
      const std::string left = text(*e.a, a);
      return "(" + left + " " + spell(e.op) + " " + text(*e.b, b) + ")";
    }
    if (const std::string narrow_text = inFloat(e); !narrow_text.empty()) return narrow_text;
    const std::string left = hasEffects(*e.b) ? temporary(value(*e.a)) : value(*e.a);
    return "(" + left + " " + spell(e.op) + " " + value(*e.b) + ")";
  }
  if (e.kind == ExprKind::kBinary && e.op == Op::kBitAnd && isInteger(e)) {
    const Expr* other = constantOf(*e.b) ? narrowOf(*e.a) : constantOf(*e.a) ? narrowOf(*e.b) : nullptr;
    const auto bits = constantOf(constantOf(*e.b) ? *e.b : *e.a);
    const uint32_t bytes = other != nullptr ? static_cast<uint32_t>(sizeOf(other->type)) : 0;
    if (bytes != 0 && *bits >= 0 && *bits >> (8 * bytes) == 0 && followsFromLow(e, bytes)) {
      return "(" + low(e, bytes) + " != mrt_L::v<" + lowType(bytes) + ">{})";
    }
  }
  const std::string tested = value(e);
  return "(" + tested + " != " + lane(e.type.type) + "{})";
}

// The same where a choice between values is all that follows: a comparison keeps the size of what it compares.
std::string LaneText::test(const Expr& e) {
  const bool compares = e.kind == ExprKind::kBinary && isComparison(e.op) && !e.a->type->isPointer();
  const bool has_bits = e.kind == ExprKind::kBinary && e.op == Op::kBitAnd && isInteger(e);
  if (!(compares || has_bits) || shapes_.of(e).isUniform() || !comparedLine(e).empty()) return condition(e);
  return compared(e);
}

// Neighbouring numbers of 64 bits, compared with one that all lanes share; empty: something else.
std::string LaneText::comparedLine(const Expr& e) {
  if (e.kind != ExprKind::kBinary || !isComparison(e.op)) return "";
  if (!e.a->type->isInteger() || !e.a->type->isScalar() || sizeOf(e.a->type) != 8) return "";
  const Shape a = shapes_.of(*e.a), b = shapes_.of(*e.b);
  const auto is_line = [](const Shape& shape) { return shape.isLinear() && shape.stride == 1; };
  const bool left = is_line(a) && b.isUniform();
  if (!left && !(a.isUniform() && is_line(b))) return "";
  static constexpr Op kMirrored[] = {Op::kGreater, Op::kLess, Op::kGreaterEqual, Op::kLessEqual, Op::kEqual, Op::kNotEqual};
  const Op op = left ? e.op : kMirrored[static_cast<int>(e.op) - static_cast<int>(Op::kLess)];
  const bool negated = op == Op::kGreater || op == Op::kGreaterEqual || op == Op::kNotEqual;
  const char* name = op == Op::kLess || op == Op::kGreaterEqual ? "below"
                     : op == Op::kEqual || op == Op::kNotEqual  ? "same"
                                                                : "at_most";
  const Expr& first = left ? *e.a : *e.b;
  return std::string(negated ? "(~" : "(") + "mrt_L::" + name + "<" + prelude_.type(first.type.type) + ">(" + scalar(first) +
         ", " + scalar(left ? *e.b : *e.a) + "))";
}

// Whether all lanes may compute it, of what `before`, which has been computed, reads for all of them at one place.
bool LaneText::isSafeBehind(const Expr& e, const Expr& before) {
  if (hasEffects(e)) return false;
  const auto is_read = [](const Expr& each) {
    return each.kind == ExprKind::kSubscript || (each.kind == ExprKind::kUnary && each.op == Op::kDereference);
  };
  std::set<std::string> known;
  bool all_computed = true;
  visit(const_cast<Expr*>(&before), [&](Expr& each) {
    if (each.kind == ExprKind::kConditional || (each.kind == ExprKind::kBinary && isLogical(each.op))) all_computed = false;
    if (is_read(each) && shapes_.of(each).isUniform()) known.insert(text_.expression(each));
  });
  if (!all_computed) known.clear();
  bool safe = true;
  visit(const_cast<Expr*>(&e), [&](Expr& each) {
    if (each.kind == ExprKind::kCall) safe = false;
    if (is_read(each)) safe = safe && shapes_.of(each).isUniform() && known.count(text_.expression(each)) != 0;
  });
  return safe;
}

// && and ||: the right side runs for the lanes that need it, where running it for others might fail.
std::string LaneText::lazily(const Expr& e) {
  const bool both = e.op == Op::kLogicalAnd;
  if (isSafeBehind(*e.b, *e.a)) {
    const std::string a = condition(*e.a);
    return "(" + a + (both ? " & " : " | ") + condition(*e.b) + ")";
  }
  if (shapes_.of(*e.a).isUniform()) {  // all lanes need it, or none
    const std::string result = fresh("mrt_c"), left = temporary(scalar(*e.a));
    put("mrt_L::m " + result + " = mrt_L::m{}" + (both ? "" : " - 1") + ";\nif (" + (both ? "" : "!") + left + ") {\n");
    put(result + " = " + condition(*e.b) + ";\n}\n");
    return result;
  }
  const std::string outer = mask_;
  const std::string result = fresh("mrt_c"), own = fresh("mrt_m");
  const std::string left = temporary(condition(*e.a));
  put("mrt_L::m " + result + " = " + left + ";\n");
  put("{ mrt_L::m " + own + " = " + (outer.empty() ? "" : outer + " & ") + (both ? "" : "~") + left + ";\n");
  put("if (mrt_L::any(" + own + ")) {\n");
  mask_ = own;
  const std::string right = condition(*e.b);
  put(result + (both ? " = " + left + " & " : " = " + left + " | ") + right + ";\n");
  mask_ = outer;
  put("}");
  if (both) put(" else " + result + " = mrt_L::m{};\n");
  put("}\n");
  return result;
}

std::string LaneText::chosen(const Expr& e) {
  const std::string result = fresh("mrt_c");
  if (shapes_.of(*e.a).isUniform()) {
    put(lane(e.type.type) + " " + result + ";\nif (" + scalar(*e.a) + ") {\n");
    const std::string b = value(*e.b);
    put(result + " = " + b + ";\n} else {\n");
    const std::string c = value(*e.c);
    put(result + " = " + c + ";\n}\n");
    return result;
  }
  const std::string chosen = temporary(test(*e.a));
  if (isSafeForAllLanes(*e.b) && isSafeForAllLanes(*e.c)) {
    const std::string b = value(*e.b);
    return "mrt_L::pick(" + chosen + ", " + b + ", " + value(*e.c) + ")";
  }
  put(lane(e.type.type) + " " + result + " = {};\n");
  const std::string outer = mask_;
  const auto part = [&](const Expr& inner, const std::string& test) {
    const std::string own = fresh("mrt_m"), lanes = "mrt_L::mask(" + test + ")";
    put("{ mrt_L::m " + own + " = " + (outer.empty() ? lanes : outer + " & " + lanes) + ";\nif (mrt_L::any(" + own + ")) {\n");
    mask_ = own;
    const std::string found = value(inner);
    put(result + " = mrt_L::pick(" + own + ", " + found + ", " + result + ");\n}\n}\n");
    mask_ = outer;
  };
  part(*e.b, chosen);
  part(*e.c, "~" + chosen);
  return result;
}

std::string LaneText::convert(const Expr& e) {
  const Type* to = e.type.type;
  if (to->isVoid()) {
    effect(*e.a);
    return "0";
  }
  const std::string own = prelude_.type(to);
  if (isBool(to)) return "mrt_L::to<unsigned char>(" + condition(*e.a) + " & 1)";
  if (to->isPointer() || e.a->type->isPointer()) {  // numbers as addresses, and back
    const std::string inner = value(*e.a);
    return e.a->type->isPointer() && sizeOf(e.type) == 8 ? "((" + lane(to) + ")" + inner + ")"
                                                         : "mrt_L::to<" + number(to) + ">(" + inner + ")";
  }
  const uint32_t bytes = static_cast<uint32_t>(sizeOf(e.type));
  if (cutsOperand(e) && (followsFromLow(*e.a, bytes) || isChoice(*e.a))) return "((" + lane(to) + ")" + low(*e.a, bytes) + ")";
  const bool rounds = isScalarOf(e.type, Scalar::kFloat) && isScalarOf(e.a->type, Scalar::kDouble);
  if (const std::string narrow = rounds ? inFloat(*e.a) : ""; !narrow.empty()) return narrow;
  const std::string inner = value(*e.a);
  if (prelude_.type(e.a->type.type) == own) return inner;
  // Below AVX-512 an unsigned int takes eight instructions, and a signed one takes one.
  const bool is_unsigned = e.a->type->isInteger() && !e.a->type->isSigned() && sizeOf(e.a->type) == 4 && !e.a->type->isVector();
  if (to->isFloating() && is_unsigned && shapes_.of(*e.a).isVarying() && hasNoHighBit(*e.a)) {
    return "mrt_L::to<" + own + ">((mrt_L::v<int>)(" + inner + "))";
  }
  return "mrt_L::to<" + own + ">(" + inner + ")";
}

// What two doubles come to that are floats, where it is compared, or rounded to float at once. Empty: it is something else.
std::string LaneText::inFloat(const Expr& e) {
  if (!isOfFloatsAsDoubles(e)) return "";
  const auto text = [&](const Expr& operand) {
    if (const Expr* own = floatOperand(operand)) return value(*own);
    char number[32];
    snprintf(number, sizeof number, "%af", static_cast<double>(*floatNumber(operand)));
    return std::string("mrt_L::all<float>(") + number + ")";
  };
  const Type* const type = (floatOperand(*e.a) != nullptr ? floatOperand(*e.a) : floatOperand(*e.b))->type.type;
  const std::string left = text(*e.a);
  return arithmetic(e.op, type, left, text(*e.b), e.b, type);
}

// Of an integer that differs: one of two values that all lanes may compute, or whether something holds.
bool LaneText::isChoice(const Expr& e) const {
  if (!isInteger(e) || !shapes_.of(e).isVarying()) return false;
  if (e.kind == ExprKind::kBinary) return isComparison(e.op) && !e.a->type->isPointer();
  return e.kind == ExprKind::kConditional && !shapes_.of(*e.a).isUniform() && isSafeForAllLanes(*e.b) &&
         isSafeForAllLanes(*e.c);
}

// The low bytes of an integer, unsigned: operands are cut before, so that no vector is wider than what is wanted.
std::string LaneText::low(const Expr& e, uint32_t bytes) {
  const std::string own = lowType(bytes);
  const Shape shape = shapes_.of(e);
  if (!shape.isVarying()) {
    const std::string first = "(" + own + ")(" + one(e) + ")";
    if (shape.isUniform()) return "mrt_L::all<" + own + ">(" + first + ")";
    return "mrt_L::line<" + own + ">(" + first + ", (" + own + ")" + std::to_string(shape.stride) + "l)";
  }
  if (isChoice(e) && sizeOf(e.type) > bytes) {
    if (e.kind == ExprKind::kBinary) {
      const std::string truth = bytes == 1 ? "signed char" : bytes == 2 ? "short" : "int";
      return "((mrt_L::v<" + own + ">)mrt_L::to<" + truth + ">(" + test(e) + ") & 1)";
    }
    const std::string chosen = temporary(test(*e.a));
    const std::string b = low(*e.b, bytes);
    return "mrt_L::pick(" + chosen + ", " + b + ", " + low(*e.c, bytes) + ")";
  }
  if (!followsFromLow(e, bytes)) {
    const std::string whole = value(e);
    return sizeOf(e.type) == bytes ? "((mrt_L::v<" + own + ">)" + whole + ")" : "mrt_L::to<" + own + ">(" + whole + ")";
  }
  const std::string a = low(*e.a, bytes);
  if (e.kind == ExprKind::kCast || e.kind == ExprKind::kConvert) return a;
  if (e.kind == ExprKind::kUnary) return "(" + std::string(spell(e.op)) + a + ")";
  const std::string b = e.op == Op::kShl ? std::to_string(behindConversions(*e.b).integer) : low(*e.b, bytes);
  return "(" + a + " " + spell(e.op) + " " + b + ")";
}

std::string LaneText::call(const Expr& e) {
  if (e.builtin->kind == BuiltinKind::kAtomic) return atomic(e);
  if (e.builtin->kind == BuiltinKind::kWorkItem) return workItem(e);
  std::vector<std::string> given;
  std::vector<QualType> types;
  for (const Expr* argument : e.arguments) {
    if (argument->type->isVector() || e.builtin->kind == BuiltinKind::kMemory) {
      const Parts result = callParts(e);
      return result.empty() ? "0" : result[0];
    }
    const std::string each = value(*argument);
    given.push_back(hasEffects(*argument) ? temporary(each) : each);
    types.push_back(argument->type);
  }
  return laneCall(prelude_, *e.builtin, e.type, types, given);
}

// Of a dimension that is no constant.
std::string LaneText::workItem(const Expr& e) {
  const std::string own = prelude_.type(e.type.type), dimension = temporary(value(*e.arguments[0]));
  const WorkItem which = e.builtin->work_item;
  std::string result = "mrt_L::all<" + own + ">(" + text_.work_item(which, 3, "") + ")";
  for (int d = 3; d-- > 0;) {
    const std::string id = text_.work_item(which, d, "");
    const bool is_line =
        d == static_cast<int>(shapes_.along()) && (which == WorkItem::kGlobalId || which == WorkItem::kLocalId);
    const std::string lanes = is_line ? "mrt_L::line<" + own + ">(" + id + ", 1)" : "mrt_L::all<" + own + ">(" + id + ")";
    result = "mrt_L::pick(mrt_L::mask(" + dimension + " == " + std::to_string(d) + "), " + lanes + ", " + result + ")";
  }
  return temporary(result);
}

// One lane after the other, each with what an item would give.
std::string LaneText::atomic(const Expr& e) {
  const Place where = pointer(*e.arguments[0]);
  if (where.kind == Place::Kind::kOwn) return refuse("it has an atomic function on private memory");
  std::string address = where.pointer;
  std::vector<QualType> types;
  if (where.kind != Place::Kind::kOne) {
    const std::string at =
        where.kind == Place::Kind::kStep ? "mrt_i * (" + where.step + ")" : "(long)" + temporary(where.index) + "[mrt_i]";
    const std::string type = text_.typeName(e.arguments[0]->type.unqualified());
    address = "(" + type + ")((char*)(" + where.pointer + ") + " + at + " * " + where.scale + ")";
  }
  std::string values;
  for (size_t i = 0; i < e.arguments.size(); ++i) {
    types.push_back(e.arguments[i]->type);
    if (i == 0) continue;
    const Expr& argument = *e.arguments[i];
    if (shapes_.of(argument).isUniform()) {
      const std::string given = scalar(argument);
      values += ", " + (hasEffects(argument) ? temporary(given) : given);
    } else {
      values += ", " + temporary(value(argument)) + "[mrt_i]";
    }
  }
  const std::string function = prelude_.builtin(*e.builtin, e.type, types);
  const std::string one = function + "(" + address + values + ")";
  const bool nothing = e.type->isVoid();
  const std::string own = nothing ? "int" : prelude_.type(e.type.type);
  return temporary("mrt_L::each_on<" + own + ">(" + mask() + ", [&](int mrt_i) __attribute__((always_inline)) { " +
                   (nothing ? one + "; return 0; })" : "return " + one + "; })"));
}

// --- assignments

// `own`: the variable's name, or that of a component.
std::string LaneText::store(const Variable& variable, const std::string& own, const std::string& value) {
  return own + " = " + (isWhole(variable) ? value : "mrt_L::pick(" + mask_ + ", " + value + ", " + own + ")") + ";\n";
}

// c ? f() : g() of void.
void LaneText::chooseEffect(const Expr& e) {
  if (shapes_.of(*e.a).isUniform()) {
    put("if (" + scalar(*e.a) + ") {\n");
    effect(*e.b);
    put("} else {\n");
    effect(*e.c);
    put("}\n");
    return;
  }
  const std::string chosen = temporary(condition(*e.a)), outer = mask_;
  const auto part = [&](const Expr& inner, const std::string& lanes) {
    const std::string own = fresh("mrt_m");
    put("{ mrt_L::m " + own + " = " + (outer.empty() ? lanes : outer + " & " + lanes) + ";\nif (mrt_L::any(" + own + ")) {\n");
    mask_ = own;
    effect(inner);
    mask_ = outer;
    put("}\n}\n");
  };
  part(*e.b, chosen);
  part(*e.c, "~" + chosen);
}

void LaneText::effect(const Expr& e) {
  if (e.kind == ExprKind::kBinary && e.op == Op::kComma) {
    effect(*e.a);
    effect(*e.b);
    return;
  }
  if ((e.kind == ExprKind::kConvert || e.kind == ExprKind::kCast) && e.type->isVoid()) {
    effect(*e.a);
    return;
  }
  const Variable* variable = shapes_.changed(e);
  const bool steps = variable != nullptr && !shapes_.of(*variable).isVarying();
  if (steps || (shapes_.of(e).isUniform() && variable == nullptr)) {
    put(scalar(e) + ";\n");
    return;
  }
  if (!hasEffects(e)) return;
  if (e.kind == ExprKind::kConditional && e.type->isVoid()) return chooseEffect(e);
  if (e.type->isRecord()) {
    recordPlace(e);
    return;
  }
  if (e.type->isVector() || e.type->isVoid()) {
    parts(e);
    return;
  }
  const std::string result = value(e);
  if (result.find('(') != std::string::npos) put("(void)(" + result + ");\n");
}

// A variable, or a component of one.
std::string LaneText::componentName(const Expr& e) const {
  if (e.kind == ExprKind::kVariable) return text_.name(*e.variable);
  const Expr* from = &e;
  uint32_t component = 0;
  for (; from->kind == ExprKind::kSwizzle; from = from->a)
    component = std::min<uint32_t>(from->components[component], from->a->type->count - 1);
  return partNames(*from->variable)[component];
}

std::string LaneText::assign(const Expr& e) {
  const Expr& target = *e.a;
  const Type* type = target.type.type;
  const bool is_unary = e.kind == ExprKind::kUnary;
  const Variable* variable = shapes_.changed(e);
  const bool in_register = variable != nullptr;
  if (in_register && !shapes_.of(*variable).isVarying()) {  // inside something that varies
    const std::string done = one(e);
    const Shape shape = shapes_.of(e);
    const std::string own = number(type);
    if (shape.isUniform()) return "mrt_L::all<" + own + ">(" + done + ")";
    return "mrt_L::line<" + own + ">(" + done + ", (" + own + ")" + std::to_string(shape.stride) + "l)";
  }
  Place where;
  std::string before;
  const bool changes = is_unary || e.op != Op::kNone;
  // The right side first: it may change what the left side reads, and C leaves the order open.
  std::string right;
  const Fused with = is_unary ? Fused() : contraction_.ofAssign(e);
  std::string factors[2];
  if (with.kind != Fused::Kind::kNone) {
    factors[0] = temporary(value(*with.product->a));
    factors[1] = temporary(value(*with.product->b));
  } else if (!is_unary) {
    const bool plain_store = !in_register && !changes && shapes_.of(*e.b).isUniform();
    if (!plain_store) right = temporary(cutsOperand(e) ? low(*e.b, static_cast<uint32_t>(sizeOf(target.type))) : value(*e.b));
  }
  if (in_register) {
    before = componentName(target);
  } else {
    where = place(target);
    if (changes) before = temporary(load(where, type));
  }
  std::string after;
  if (is_unary) {
    const bool up = e.op == Op::kPreIncrement || e.op == Op::kPostIncrement;
    after = type->isPointer() ? sum(type, before, "mrt_L::all<long>(1)", !up)
                              : "(" + before + (up ? " + " : " - ") + "mrt_L::all<" + prelude_.type(type) + ">(1))";
  } else if (with.kind != Fused::Kind::kNone) {
    after = "mrt_L::fused(" + std::string(with.kind == Fused::Kind::kNegate ? "-" : "") + factors[0] + ", " + factors[1] +
            ", " + (with.kind == Fused::Kind::kSubtract ? "-" : "") + before + ")";
  } else if (changes && type->isPointer()) {
    after = sum(type, before, right, e.op == Op::kSub);
  } else if (changes && cutsOperand(e)) {
    const std::string own = "mrt_L::v<" + lowType(static_cast<uint32_t>(sizeOf(target.type))) + ">";
    after = "((" + lane(type) + ")((" + own + ")" + before + " " + spell(e.op) + " " + right + "))";
  } else if (changes) {
    // In the type that C computes in, then back.
    const Type* other = e.b->type.type;
    const bool shift = e.op == Op::kShl || e.op == Op::kShr;
    const Type* computed = shift ? promoted(type) : commonType(type, other);
    const std::string own = prelude_.type(type), wide = prelude_.type(computed);
    const std::string left = wide == own ? before : "mrt_L::to<" + wide + ">(" + before + ")";
    const std::string by = shift || prelude_.type(other) == wide ? right : "mrt_L::to<" + wide + ">(" + right + ")";
    after = arithmetic(e.op, computed, left, by, e.b, shift ? other : computed);
    if (wide != own) after = "mrt_L::to<" + own + ">(" + after + ")";
  } else {
    after = right;
  }
  const bool old = is_unary && (e.op == Op::kPostIncrement || e.op == Op::kPostDecrement);
  if (in_register) {
    const std::string kept = old ? temporary(before) : "";
    if (is_unary && !isWhole(*variable) && type->isInteger() && sizeOf(target.type) == 4) {  // a lane's mask is -1 or 0
      const bool up = e.op == Op::kPreIncrement || e.op == Op::kPostIncrement;
      put(before + (up ? " -= (" : " += (") + lane(type) + ")" + mask_ + ";\n");
    } else {
      put(store(*variable, before, after));
    }
    return old ? kept : before;
  }
  if (after.empty()) {
    const std::string given = temporary(one(*e.b));
    store(where, type, given, true);
    return "mrt_L::all<" + number(type) + ">(" + given + ")";
  }
  const std::string kept = temporary(after);
  store(where, type, kept, false);
  return old ? before : kept;
}

}  // namespace manyrt::compiler
