// Computes integer constant expressions (sizes of arrays, case labels, enumerators) as the device would. No arithmetic
// overflows here. Also decides which initialisers are constant.
#include <string>

#include "compiler/parser/parser_state.h"

namespace manyrt::compiler {
namespace {

// Values are kept as 64 bits; of narrower types sign- or zero-extended by the type.
int64_t wrap(uint64_t bits, const Type* type) {
  const Scalar scalar = type->kind == TypeKind::kEnum ? Scalar::kInt : type->scalar;
  switch (scalar) {
    case Scalar::kBool:
      return bits != 0;
    case Scalar::kChar:
      return static_cast<int8_t>(bits);
    case Scalar::kUChar:
      return static_cast<uint8_t>(bits);
    case Scalar::kShort:
      return static_cast<int16_t>(bits);
    case Scalar::kUShort:
      return static_cast<uint16_t>(bits);
    case Scalar::kInt:
      return static_cast<int32_t>(bits);
    case Scalar::kUInt:
      return static_cast<uint32_t>(bits);
    default:
      return static_cast<int64_t>(bits);
  }
}

enum class Trouble : uint8_t { kNone, kNotConstant, kDivision };

class Evaluator {
 public:
  // `known`: values of variables, found here or before.
  explicit Evaluator(std::map<const Variable*, int64_t>& known) : known_(known) {}
  bool run(int64_t* value, const Expr& expression);
  Trouble trouble() const { return trouble_; }

 private:
  // A chain of constants that are made of each other is followed this far.
  static constexpr uint32_t kMaxVariables = 64;

  bool fail(Trouble trouble) {
    trouble_ = trouble;
    return false;
  }
  bool unary(int64_t* value, const Expr& expression);
  bool binary(int64_t* value, const Expr& expression);
  bool arithmetic(int64_t* value, const Expr& expression, int64_t a, int64_t b);
  bool converted(int64_t* value, const Expr& expression);
  bool variable(int64_t* value, const Expr& expression);

  std::map<const Variable*, int64_t>& known_;
  uint32_t variables_ = 0;
  Trouble trouble_ = Trouble::kNone;
};

bool Evaluator::run(int64_t* value, const Expr& expression) {
  if (!expression.type->isInteger()) return fail(Trouble::kNotConstant);
  switch (expression.kind) {
    case ExprKind::kLiteral:
      *value = wrap(expression.integer, expression.type.type);
      return true;
    case ExprKind::kVariable:
      return variable(value, expression);
    case ExprKind::kUnary:
      return unary(value, expression);
    case ExprKind::kBinary:
      return binary(value, expression);
    case ExprKind::kConditional:
      return expression.a->type->isInteger() && run(value, *expression.a) &&
             run(value, *value != 0 ? *expression.b : *expression.c);
    case ExprKind::kCast:
    case ExprKind::kConvert:
      return converted(value, expression);
    default:
      return fail(Trouble::kNotConstant);
  }
}

bool Evaluator::variable(int64_t* value, const Expr& expression) {
  const Variable& variable = *expression.variable;
  const bool fixed = variable.type.is_const || variable.type.space == AddressSpace::kConstant;
  if (!fixed || variable.type.is_volatile || variable.is_parameter || variable.initializer == nullptr) {
    return fail(Trouble::kNotConstant);
  }
  const auto found = known_.find(&variable);
  if (found != known_.end()) {
    *value = found->second;
    return true;
  }
  if (variables_ == kMaxVariables) return fail(Trouble::kNotConstant);
  ++variables_;
  const bool constant = run(value, *variable.initializer);
  --variables_;
  if (!constant) return false;
  *value = wrap(static_cast<uint64_t>(*value), expression.type.type);
  known_.emplace(&variable, *value);
  return true;
}

bool Evaluator::converted(int64_t* value, const Expr& expression) {
  const Expr& from = *expression.a;
  const Type* to = expression.type.type;
  const bool to_bool = to->kind == TypeKind::kScalar && to->scalar == Scalar::kBool;
  if (from.kind == ExprKind::kLiteral && from.type->isFloating()) {
    // Written this way round a NaN is outside too.
    if (!(from.real > -9223372036854775808.0 && from.real < 18446744073709551616.0)) return fail(Trouble::kNotConstant);
    if (to_bool) {
      *value = from.real != 0;
    } else {
      const uint64_t bits =
          from.real < 0 ? static_cast<uint64_t>(static_cast<int64_t>(from.real)) : static_cast<uint64_t>(from.real);
      *value = wrap(bits, to);
    }
    return true;
  }
  if (!run(value, from)) return false;
  *value = to_bool ? *value != 0 : wrap(static_cast<uint64_t>(*value), to);
  return true;
}

bool Evaluator::unary(int64_t* value, const Expr& expression) {
  if (!run(value, *expression.a)) return false;
  const uint64_t bits = static_cast<uint64_t>(*value);
  switch (expression.op) {
    case Op::kPlus:
      return true;
    case Op::kMinus:
      *value = wrap(0 - bits, expression.type.type);
      return true;
    case Op::kBitNot:
      *value = wrap(~bits, expression.type.type);
      return true;
    case Op::kLogicalNot:
      *value = bits == 0;
      return true;
    default:
      return fail(Trouble::kNotConstant);
  }
}

bool Evaluator::binary(int64_t* value, const Expr& expression) {
  if (expression.op == Op::kComma) return fail(Trouble::kNotConstant);
  int64_t a;
  if (!run(&a, *expression.a)) return false;
  const bool logical = expression.op == Op::kLogicalAnd || expression.op == Op::kLogicalOr;
  if (logical && (a != 0) == (expression.op == Op::kLogicalOr)) {  // the other side does not count
    *value = a != 0;
    return true;
  }
  int64_t b;
  if (!run(&b, *expression.b)) return false;
  if (logical) {
    *value = b != 0;
    return true;
  }
  return arithmetic(value, expression, a, b);
}

bool divide(uint64_t* bits, bool remainder, bool is_signed, int64_t a, int64_t b) {
  if (b == 0) return false;
  if (!is_signed) {
    *bits =
        remainder ? static_cast<uint64_t>(a) % static_cast<uint64_t>(b) : static_cast<uint64_t>(a) / static_cast<uint64_t>(b);
  } else if (b == -1) {  // the smallest value has no negative
    *bits = remainder ? 0 : 0 - static_cast<uint64_t>(a);
  } else {
    *bits = static_cast<uint64_t>(remainder ? a % b : a / b);
  }
  return true;
}

bool Evaluator::arithmetic(int64_t* value, const Expr& expression, int64_t a, int64_t b) {
  // Unsigned 64-bit arithmetic cannot overflow, and its low bits are right for every narrower type: wrap() cuts and extends
  // them at the end. Only comparison, division and shifts to the right depend on the sign.
  const bool is_signed = expression.a->type->isSigned();
  const uint64_t x = static_cast<uint64_t>(a);
  const uint64_t y = static_cast<uint64_t>(b);
  const uint64_t amount = y % (8 * sizeOf(expression.a->type));  // OpenCL C shifts by the amount modulo the width
  const bool less = is_signed ? a < b : x < y;
  uint64_t bits = 0;
  switch (expression.op) {
    case Op::kAdd:
      bits = x + y;
      break;
    case Op::kSub:
      bits = x - y;
      break;
    case Op::kMul:
      bits = x * y;
      break;
    case Op::kDiv:
    case Op::kRem:
      if (!divide(&bits, expression.op == Op::kRem, is_signed, a, b)) return fail(Trouble::kDivision);
      break;
    case Op::kShl:
      bits = x << amount;
      break;
    case Op::kShr:
      bits = is_signed ? static_cast<uint64_t>(a >> amount) : x >> amount;
      break;
    case Op::kBitAnd:
      bits = x & y;
      break;
    case Op::kBitOr:
      bits = x | y;
      break;
    case Op::kBitXor:
      bits = x ^ y;
      break;
    case Op::kLess:
      bits = less;
      break;
    case Op::kGreater:
      bits = !less && a != b;
      break;
    case Op::kLessEqual:
      bits = less || a == b;
      break;
    case Op::kGreaterEqual:
      bits = !less;
      break;
    case Op::kEqual:
      bits = a == b;
      break;
    case Op::kNotEqual:
      bits = a != b;
      break;
    default:
      return fail(Trouble::kNotConstant);
  }
  *value = wrap(bits, expression.type.type);
  return true;
}

bool isDivision(const Expr& expression) {
  return expression.kind == ExprKind::kBinary && (expression.op == Op::kDiv || expression.op == Op::kRem) &&
         expression.type->isInteger();
}

bool isSplat(const Expr& expression) {
  if (!expression.type->isVector()) return false;
  if (expression.kind == ExprKind::kVectorLiteral) return expression.arguments.size() == 1;
  return (expression.kind == ExprKind::kConvert || expression.kind == ExprKind::kCast) && !expression.a->type->isVector();
}

// Lvalues whose address is known before the program runs.
bool hasConstantAddress(const ExpressionBuilder& builder, bool (ExpressionBuilder::*is_constant)(const Expr&) const,
                        const Expr& object) {
  const Expr* at = &object;
  while (at->kind == ExprKind::kMember) at = at->a;
  switch (at->kind) {
    case ExprKind::kString:
      return true;
    case ExprKind::kVariable:
      return at->variable->type.space == AddressSpace::kConstant;
    case ExprKind::kSubscript:
      return (builder.*is_constant)(*at->a) && (builder.*is_constant)(*at->b);
    case ExprKind::kUnary:
      return at->op == Op::kDereference && (builder.*is_constant)(*at->a);
    default:
      return false;
  }
}

}  // namespace

bool ExpressionBuilder::evaluate(int64_t* value, const Expr& expression) const {
  return Evaluator(constants_).run(value, expression);
}

bool ExpressionBuilder::isConstant(const Expr& expression) const {
  int64_t number;
  for (const Expr* argument : expression.arguments) {
    if (!isConstant(*argument)) return false;
  }
  switch (expression.kind) {
    case ExprKind::kLiteral:
    case ExprKind::kString:
    case ExprKind::kVectorLiteral:
    case ExprKind::kInitializer:
      return true;
    case ExprKind::kVariable:  // an initialiser in constant space was found constant when it was declared
      return expression.variable->type.space == AddressSpace::kConstant && expression.variable->initializer != nullptr &&
             !expression.type->isArray() && !expression.type->isRecord();
    case ExprKind::kCompoundLiteral:
      return isConstant(*expression.a);
    case ExprKind::kCast:
    case ExprKind::kConvert:
      if (expression.a->type->isArray()) return hasConstantAddress(*this, &ExpressionBuilder::isConstant, *expression.a);
      return isConstant(*expression.a);
    case ExprKind::kUnary:
      if (expression.op == Op::kAddressOf) return hasConstantAddress(*this, &ExpressionBuilder::isConstant, *expression.a);
      return expression.op >= Op::kPlus && expression.op <= Op::kLogicalNot && isConstant(*expression.a);
    case ExprKind::kBinary:
      if (!isConstant(*expression.a)) return false;
      if (!expression.type->isVector() && evaluate(&number, expression)) return true;
      if (isDivision(expression) && evaluate(&number, *expression.b) && number == 0) return false;
      return isConstant(*expression.b);
    case ExprKind::kConditional:
      if (expression.a->type->isVector() || !isConstant(*expression.a)) return false;
      if (evaluate(&number, *expression.a)) return isConstant(number != 0 ? *expression.b : *expression.c);
      return isConstant(*expression.b) && isConstant(*expression.c);
    case ExprKind::kSwizzle:
      return isSplat(*expression.a) && isConstant(*expression.a);
    default:
      return false;
  }
}

bool Parser::parseIntegerConstant(int64_t* value, const char* what) {
  Expr* expression = parseConditional();
  if (expression == nullptr) return false;
  if (!expression->type->isInteger()) {
    diagnostics_.error(expression->where, "An integer is needed as %s; this is %s.", what,
                       spell(expression->type.unqualified()).c_str());
    return false;
  }
  Evaluator evaluator(constants_);
  if (evaluator.run(value, *expression)) return true;
  const bool divides = evaluator.trouble() == Trouble::kDivision;
  diagnostics_.error(expression->where, "An integer constant is needed as %s; this %s.", what,
                     divides ? "divides by zero" : "is known only when the program runs");
  return false;
}

}  // namespace manyrt::compiler
