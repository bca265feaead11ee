// The geometric functions. Those without fast_ in their names scale their vectors by a power of two where squares would leave
// the range of the type; selects instead of branches keep loops over them open to the vectoriser.
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_text.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

// Squares of what lies between `low` and `high` and their sums are exact enough; above and below, the factors bring them there.
struct Range {
  const char *low, *high, *up, *down, *undo_up, *undo_down;
};
constexpr Range kFloatRange = {"0x1p-40f", "0x1p60f", "0x1p86f", "0x1p-70f", "0x1p-86f", "0x1p70f"};
constexpr Range kDoubleRange = {"0x1p-300", "0x1p500", "0x1p600", "0x1p-600", "0x1p-600", "0x1p600"};

// m: the greatest magnitude; k: what to multiply by.
std::string scaling(const Type* type) {
  const bool single = elementOf(type) == Scalar::kFloat;
  const std::string name = cppName(elementOf(type));
  const std::string magnitude = single ? "__builtin_fabsf(" : "__builtin_fabs(";
  const Range& range = single ? kFloatRange : kDoubleRange;
  std::string text = name + " m = " + magnitude + lane("a", type, 0) + ")";
  for (uint32_t i = 1; i < type->lanes(); ++i) {
    const std::string next = magnitude + lane("a", type, i) + ")";
    text.append("; m = m < ").append(next).append(" ? ").append(next).append(" : m");
  }
  return text + "; " + name + " k = m < " + range.low + " ? " + range.up + " : m > " + range.high + " ? " + range.down +
         " : 1; ";
}

// The lanes f(0), f(1), ... as what a vector, or a scalar, is initialised with.
template <typename Function>
std::string value(const Type* type, Function f) {
  return type->isVector() ? "{" + listed(type->count, f) + "}" : f(0);
}

std::string scaled(const Type* type) {
  return (type->isVector() ? "mrt_" + idOf(type) : cppName(elementOf(type))) +
         " v = " + value(type, [&](uint32_t i) { return lane("a", type, i) + " * k"; }) + "; ";
}

}  // namespace

std::string Prelude::sumOfProducts(const Type* type, const std::string& a, const std::string& b) {
  std::string text = lane(a, type, 0) + " * " + lane(b, type, 0);
  for (uint32_t i = 1; i < type->lanes(); ++i) {
    text = multiplyAddLane(elementOf(type)) + "(" + lane(a, type, i) + ", " + lane(b, type, i) + ", " + text + ")";
  }
  return text;
}

std::string Prelude::lengthBody(const Type* type) {
  const bool single = elementOf(type) == Scalar::kFloat;
  if (!type->isVector()) return single ? "return __builtin_fabsf(a);" : "return __builtin_fabs(a);";
  const Range& range = single ? kFloatRange : kDoubleRange;
  return scaling(type) + scaled(type) + "return (m < " + range.low + " ? " + range.undo_up + " : m > " + range.high + " ? " +
         range.undo_down + " : 1) * " + (single ? "__builtin_sqrtf(" : "__builtin_sqrt(") + sumOfProducts(type, "v", "v") +
         ");";
}

// An infinite lane counts as one and finite ones beside it as zero.
std::string Prelude::normalizeBody(const Type* type) {
  const std::string element = cppName(elementOf(type));
  const std::string suffix = elementOf(type) == Scalar::kFloat ? "f" : "";
  const std::string most = largest(elementOf(type));
  const auto part = [&](uint32_t i) {
    const std::string a = lane("a", type, i);
    return a + " != " + a + " ? " + a + " : __builtin_copysign" + suffix + "(__builtin_fabs" + suffix + "(" + a + ") > " +
           most + " ? 1 : 0, " + a + ")";
  };
  return scaling(type) + scaled(type) + "if (m > " + most + ") v = " + value(type, part) + "; " + element +
         " r = " + sumOfProducts(type, "v", "v") + "; if (r == 0) return a; r = 1 / __builtin_sqrt" + suffix + "(r); " +
         returned(type, [&](uint32_t i) { return lane("v", type, i) + " * r"; });
}

std::string Prelude::fastNormalizeBody(const Type* type) {
  return "float r = " + sumOfProducts(type, "a", "a") + "; r = r == 0 ? 1 : 1 / __builtin_sqrtf(r); " +
         returned(type, [&](uint32_t i) { return lane("a", type, i) + " * r"; });
}

std::string Prelude::crossBody(const Type* type) {
  const std::string less = multiplyAdd(Fused::Kind::kSubtract, types_.scalar(elementOf(type)));
  const auto part = [&](const char* i, const char* k) {
    return less + "(a.s" + i + ", b.s" + k + ", a.s" + k + " * b.s" + i + ")";
  };
  return "return {" + part("1", "2") + ", " + part("2", "0") + ", " + part("0", "1") + (type->count == 4 ? ", 0};" : "};");
}

std::string Prelude::geometric(const std::string& name, const Type* operand) {
  const std::string vector = type(operand);
  const std::string scalar = cppName(elementOf(operand));
  const std::string own = "mrt_" + name + "_" + idOf(operand);
  const std::string both = vector + " a, " + vector + " b";
  if (name == "dot") return define(own, scalar, both, [&] { return "return " + sumOfProducts(operand, "a", "b") + ";"; });
  if (name == "cross") return define(own, vector, both, [&] { return crossBody(operand); });
  if (name == "length") return define(own, scalar, vector + " a", [&] { return lengthBody(operand); });
  if (name == "normalize") return define(own, vector, vector + " a", [&] { return normalizeBody(operand); });
  if (name == "fast_normalize") return define(own, vector, vector + " a", [&] { return fastNormalizeBody(operand); });
  if (name == "fast_length") {
    return define(own, scalar, vector + " a",
                  [&] { return "return __builtin_sqrtf(" + sumOfProducts(operand, "a", "a") + ");"; });
  }
  return define(own, scalar, both, [&] {  // distance, fast_distance
    const std::string difference =
        value(operand, [&](uint32_t i) { return lane("a", operand, i) + " - " + lane("b", operand, i); });
    return "return " + geometric(name == "distance" ? "length" : "fast_length", operand) + "(" + difference + ");";
  });
}

}  // namespace manyrt::compiler
