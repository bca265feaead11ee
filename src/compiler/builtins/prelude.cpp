// Types and operators of the prelude: vectors as structs of lanes, and one function for each operation on them. What overflows
// wraps, what divides never traps. Built-in functions are in the files prelude_*.cpp beside this one.
#include "compiler/builtins/prelude.h"

#include "compiler/builtins/prelude_text.h"
#include "compiler/parser/operator.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

constexpr char kPrologue[] = "#define mrt_fn static inline __attribute__((always_inline, unused))\n";
// Constants of CUDA are initialised before anything runs: what is called there has to be constexpr.
constexpr char kCudaPrologue[] = "#define mrt_fn static __device__ __forceinline__ constexpr\n";
constexpr char kQuickPrologue[] = "#define mrt_fn static inline\n";

const char* opName(Op op) {
  switch (op) {
    case Op::kAdd:
      return "add";
    case Op::kSub:
      return "sub";
    case Op::kMul:
      return "mul";
    case Op::kDiv:
      return "div";
    case Op::kRem:
      return "rem";
    case Op::kShl:
      return "shl";
    case Op::kShr:
      return "shr";
    case Op::kBitAnd:
      return "and";
    case Op::kBitOr:
      return "or";
    case Op::kBitXor:
      return "xor";
    case Op::kLess:
      return "lt";
    case Op::kGreater:
      return "gt";
    case Op::kLessEqual:
      return "le";
    case Op::kGreaterEqual:
      return "ge";
    case Op::kEqual:
      return "eq";
    case Op::kNotEqual:
      return "ne";
    case Op::kLogicalAnd:
      return "land";
    case Op::kLogicalOr:
      return "lor";
    case Op::kMinus:
      return "neg";
    case Op::kBitNot:
      return "not";
    case Op::kLogicalNot:
      return "lnot";
    case Op::kPreIncrement:
      return "preinc";
    case Op::kPreDecrement:
      return "predec";
    case Op::kPostIncrement:
      return "postinc";
    case Op::kPostDecrement:
      return "postdec";
    default:
      return "plus";
  }
}

std::string spaced(Op op) { return std::string(" ") + spell(op) + " "; }

bool isTruth(Op op) { return op >= Op::kLess && op <= Op::kLogicalOr; }

std::string cast(Scalar scalar, const std::string& value) { return std::string("(") + cppName(scalar) + ")(" + value + ")"; }

std::string truth(Op op, const std::string& a, const std::string& b) {  // as 0 or 1, without branches
  if (op == Op::kLogicalAnd) return "(" + a + " != 0) & (" + b + " != 0)";
  if (op == Op::kLogicalOr) return "(" + a + " != 0) | (" + b + " != 0)";
  return a + spaced(op) + b;
}

std::string laneList(const uint8_t* lanes, uint32_t count) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i) text += kLaneDigits[lanes[i] & 15];
  return text;
}

}  // namespace

bool Prelude::first(const std::string& name) {
  if (!defined_.insert(name).second) return false;
  if (text_.empty())
    text_ = dialect_ == Dialect::kCuda ? kCudaPrologue : dialect_ == Dialect::kHostQuick ? kQuickPrologue : kPrologue;
  return true;
}

std::string Prelude::type(const Type* type) {
  if (type->isVoid()) return "void";
  if (type->kind == TypeKind::kEvent) {
    if (first("mrt_event")) text_ += "using mrt_event = unsigned long;\n";
    return "mrt_event";
  }
  if (!type->isVector()) {
    const Scalar scalar = elementOf(type);
    if (scalar == Scalar::kHalf && first("mrt_half")) text_ += "struct mrt_half { unsigned short bits; };\n";
    return cppName(scalar);
  }
  std::string name = "mrt_" + idOf(type);
  if (first(name)) {
    const uint32_t lanes = type->count == 3 ? 4 : type->count;
    text_ += "struct alignas(" + std::to_string(lanes * scalarSize(type->scalar)) + ") " + name + " { " +
             std::string(cppName(type->scalar)) + " " +
             listed(type->count, [](uint32_t i) { return std::string("s") + kLaneDigits[i]; }) + "; };\n";
  }
  return name;
}

std::string Prelude::make(const Type* vector, const std::vector<const Type*>& parts) {
  std::string name = "mrt_make_" + idOf(vector);
  std::string parameters;
  std::string values;
  bool scalars = true;
  for (const Type* part : parts) scalars = scalars && !part->isVector();
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string parameter = "a" + std::to_string(i);
    if (!scalars) name += "_" + idOf(parts[i]);
    parameters += (i == 0 ? "" : ", ") + type(parts[i]) + " " + parameter;
    values += (i == 0 ? "" : ", ") + listed(parts[i]->lanes(), [&](uint32_t k) { return lane(parameter, parts[i], k); });
  }
  return define(name, type(vector), parameters, [&] { return "return {" + values + "};"; });
}

std::string Prelude::splat(const Type* vector) {
  const std::string parameter = std::string(cppName(vector->scalar)) + " a";
  return define("mrt_splat_" + idOf(vector), type(vector), parameter,
                [&] { return "return {" + listed(vector->count, [](uint32_t) { return std::string("a"); }) + "};"; });
}

std::string Prelude::unary(Op op, const Type* operand) {
  const Scalar scalar = elementOf(operand);
  const Type* result = operand;
  if (op == Op::kLogicalNot) result = types_.vector(operand->isVector() ? signedOf(scalar) : Scalar::kInt, operand->lanes());
  const auto one = [&](uint32_t i) {
    std::string a = lane("a", operand, i);
    if (op == Op::kLogicalNot) return operand->isVector() ? cast(signedOf(scalar), "-(" + a + " == 0)") : a + " == 0";
    if (op == Op::kBitNot) return cast(scalar, "~" + a);
    if (op != Op::kMinus) return a;
    return isFloat(scalar) ? "-" + a : cast(scalar, std::string("0u - (") + promotedUnsigned(scalar) + ")" + a);
  };
  return define(std::string("mrt_") + opName(op) + "_" + idOf(operand), type(result), type(operand) + " a",
                [&] { return returned(result, one); });
}

// Quotient or remainder. By zero: of one. The lowest value by -1: itself, which is what wrapping gives, and remainder 0.
std::string Prelude::wholeDivision(Op op, Scalar scalar) {
  const std::string name = cppName(scalar);
  return define(std::string("mrt_") + opName(op) + "_" + scalarName(scalar), name, name + " a, " + name + " b", [&] {
    std::string text = name + " d = b == 0 ? (" + name + ")1 : b; return ";
    if (isSignedInteger(scalar) && scalarSize(scalar) >= 4) {
      const std::string wrapped = op == Op::kRem ? "0" : cast(scalar, std::string("0 - (") + promotedUnsigned(scalar) + ")a");
      text += "d == -1 ? " + wrapped + " : ";
    }
    return text + cast(scalar, std::string("a") + spaced(op) + "d") + ";";
  });
}

// One lane's result as an expression of its type. Signed integers are computed as unsigned ones, which wrap.
std::string Prelude::laneOperation(Op op, Scalar scalar, const std::string& a, const std::string& b) {
  const std::string wide = promotedUnsigned(scalar);
  switch (op) {
    case Op::kDiv:
    case Op::kRem:
      if (!isFloat(scalar)) return wholeDivision(op, scalar) + "(" + a + ", " + b + ")";
      return a + spaced(op) + b;
    case Op::kShl:
    case Op::kShr: {
      const std::string amount = "(" + b + " & " + std::to_string(bitsOf(scalar) - 1) + ")";
      if (op == Op::kShr) return cast(scalar, a + " >> " + amount);
      return cast(scalar, "(" + wide + ")" + a + " << " + amount);
    }
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
      if (isFloat(scalar)) return a + spaced(op) + b;
      return cast(scalar, "(" + wide + ")" + a + spaced(op) + "(" + wide + ")" + b);
    default:
      return cast(scalar, a + spaced(op) + b);
  }
}

std::string Prelude::binary(Op op, const Type* operand, const Type* amount) {
  const Scalar scalar = elementOf(operand);
  const bool shift = op == Op::kShl || op == Op::kShr;
  if (!operand->isVector() && (op == Op::kDiv || op == Op::kRem) && !isFloat(scalar)) return wholeDivision(op, scalar);
  const Type* right = shift ? amount : operand;
  const Type* result = operand;
  if (isTruth(op)) result = types_.vector(operand->isVector() ? signedOf(scalar) : Scalar::kInt, operand->lanes());
  std::string name = std::string("mrt_") + opName(op) + "_" + idOf(operand);
  if (right != operand) name += "_" + idOf(right);
  const auto one = [&](uint32_t i) {
    const std::string a = lane("a", operand, i);
    const std::string b = lane("b", right, i);
    if (!isTruth(op)) return laneOperation(op, scalar, a, b);
    return operand->isVector() ? cast(signedOf(scalar), "-(" + truth(op, a, b) + ")") : truth(op, a, b);
  };
  return define(name, type(result), type(operand) + " a, " + type(right) + " b", [&] { return returned(result, one); });
}

// A macro: the surroundings of each use are the same at every level of optimisation, and none of it is left to inlining.
std::string Prelude::multiplyAddLane(Scalar scalar) {
  const bool single = scalar == Scalar::kFloat;
  const std::string name = single ? "mrt_fused_float" : "mrt_fused_double";
  if (first(name)) {
    text_ += std::string("#if defined(") + (single ? "__FP_FAST_FMAF" : "__FP_FAST_FMA") + ") || defined(__FMA__)\n#define " +
             name + "(a, b, c) __builtin_fma" + (single ? "f" : "") + "((a), (b), (c))\n#else\n#define " + name +
             "(a, b, c) ((a) * (b) + (c))\n#endif\n";
  }
  return name;
}

std::string Prelude::multiplyAdd(Fused::Kind kind, const Type* operand) {
  const std::string one = multiplyAddLane(elementOf(operand));
  const auto signs = [&](const std::string& a, const std::string& b, const std::string& c) {
    return one + "(" + (kind == Fused::Kind::kNegate ? "-" : "") + a + ", " + b + ", " +
           (kind == Fused::Kind::kSubtract ? "-" : "") + c + ")";
  };
  const char* word = kind == Fused::Kind::kAdd ? "" : kind == Fused::Kind::kSubtract ? "less_" : "minus_";
  const std::string name = std::string("mrt_fuse_") + word + idOf(operand);
  if (!operand->isVector()) {
    if (kind == Fused::Kind::kAdd) return one;
    if (first(name)) text_ += "#define " + name + "(a, b, c) " + signs("(a)", "b", "(c)") + "\n";
    return name;
  }
  const std::string vector = type(operand);
  return define(name, vector, vector + " a, " + vector + " b, " + vector + " c", [&] {
    return returned(operand,
                    [&](uint32_t i) { return signs(lane("a", operand, i), lane("b", operand, i), lane("c", operand, i)); });
  });
}

std::string Prelude::step(Op op, const Type* operand) {
  const std::string name = type(operand);
  const bool adds = op == Op::kPreIncrement || op == Op::kPostIncrement;
  const bool old = op == Op::kPostIncrement || op == Op::kPostDecrement;
  return define(std::string("mrt_") + opName(op) + "_" + idOf(operand), name, name + "& a", [&] {
    const std::string one = operand->isVector() ? splat(operand) + "(1)" : "1";
    const std::string value = binary(adds ? Op::kAdd : Op::kSub, operand, operand) + "(a, " + one + ")";
    return old ? name + " v = a; a = " + value + "; return v;" : "return a = " + value + ";";
  });
}

std::string Prelude::swizzle(const Type* vector, const uint8_t* lanes, uint32_t count) {
  const Type* result = types_.vector(vector->scalar, count);
  return define("mrt_swz_" + idOf(vector) + "_" + laneList(lanes, count), type(result), type(vector) + " a",
                [&] { return returned(result, [&](uint32_t i) { return lane("a", vector, lanes[i]); }); });
}

std::string Prelude::setSwizzle(const Type* vector, const uint8_t* lanes, uint32_t count) {
  const Type* value = types_.vector(vector->scalar, count);
  return define("mrt_set_" + idOf(vector) + "_" + laneList(lanes, count), type(value),
                type(vector) + "& a, " + type(value) + " b", [&] {
                  std::string text;
                  // Backwards: a fourth lane of three is then overwritten by the one that it stands in for.
                  for (uint32_t i = count; i-- > 0;) text += lane("a", vector, lanes[i]) + " = " + lane("b", value, i) + "; ";
                  return text + "return b;";
                });
}

std::string Prelude::stepSwizzle(Op op, const Type* vector, const uint8_t* lanes, uint32_t count) {
  const Type* part = types_.vector(vector->scalar, count);
  const std::string own = type(part);
  return define(std::string("mrt_") + opName(op) + "_" + idOf(vector) + "_" + laneList(lanes, count), own, type(vector) + "& a",
                [&] {
                  return own + " b = " + swizzle(vector, lanes, count) + "(a); const " + own + " r = " + step(op, part) +
                         "(b); " + setSwizzle(vector, lanes, count) + "(a, b); return r;";
                });
}

std::string Prelude::packed(const Type* of) {
  const std::string own = type(of);
  std::string name = "mrt_packed_" + idOf(of);
  if (first(name)) text_ += "struct __attribute__((packed, may_alias)) " + name + " { " + own + " v; };\n";
  return name;
}

std::string Prelude::select(const Type* result, const Type* condition) {
  const std::string parameters = type(condition) + " c, " + type(result) + " a, " + type(result) + " b";
  const auto one = [&](uint32_t i) {
    const std::string test =
        condition->isVector() ? std::string("(") + cppName(signedOf(condition->scalar)) + ")" + lane("c", condition, i) + " < 0"
                              : "c != 0";
    return test + " ? " + lane("a", result, i) + " : " + lane("b", result, i);
  };
  return define("mrt_sel_" + idOf(result) + "_" + idOf(condition), type(result), parameters,
                [&] { return returned(result, one); });
}

std::string Prelude::convert(const Type* to, const Type* from) {
  const Scalar target = elementOf(to);
  const Scalar source = elementOf(from);
  const auto one = [&](uint32_t i) {
    std::string a = lane("a", from, i);
    if (target == source) return a;
    if (target == Scalar::kHalf) {
      const Scalar real = source == Scalar::kFloat ? Scalar::kFloat : Scalar::kDouble;
      return toHalf(real, 'e') + "(" + cast(real, a) + ")";
    }
    const std::string value = source == Scalar::kHalf ? halfToFloat() + "(" + a + ")" : a;
    return target == Scalar::kBool ? value + " != 0" : cast(target, value);
  };
  return define("mrt_to_" + idOf(to) + "_" + idOf(from), type(to), type(from) + " a", [&] { return returned(to, one); });
}

}  // namespace manyrt::compiler
