// Conversions between numbers: convert_ with every rounding and saturation, as_, and half precision, which exists in memory
// alone. Exact in all roundings: where the hardware rounds to nearest, the result is compared with its source and moved.
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_text.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

// Bits of the magnitude: 7 of char, 64 of ulong.
uint32_t valueBits(Scalar scalar) { return bitsOf(scalar) - (isSignedInteger(scalar) ? 1 : 0); }

std::string power(uint32_t exponent, Scalar real) {
  return "0x1p" + std::to_string(exponent) + (real == Scalar::kFloat ? "f" : "");
}

// Integer to integer that keeps to the target's range. Bounds are only compared where the source can pass them.
std::string clampedInteger(Scalar to, Scalar from) {
  std::string value = "a";
  if (valueBits(from) > valueBits(to)) {
    value = "a > " + largest(to) + " ? " + largest(to) + " : a";
  }
  const bool passes_below = isSignedInteger(from) && (!isSignedInteger(to) || bitsOf(from) > bitsOf(to));
  if (passes_below) value = "a < " + smallest(to) + " ? " + smallest(to) + " : " + value;
  return std::string("return (") + cppName(to) + ")(" + value + ");";
}

// Real to integer. Narrow targets are clamped before the cast and go through int, which has an instruction; wide ones cannot
// represent their greatest value as a real.
std::string realToInteger(Scalar to, Scalar from, bool saturate, char rounding) {
  const std::string real = cppName(from);
  const std::string suffix = from == Scalar::kFloat ? "f" : "";
  std::string text;
  if (rounding == 'e') text = "a = __builtin_rint" + suffix + "(a); ";
  if (rounding == 'p') text = "a = __builtin_ceil" + suffix + "(a); ";
  if (rounding == 'n') text = "a = __builtin_floor" + suffix + "(a); ";
  const std::string target = std::string("(") + cppName(to) + ")";
  const std::string cast = bitsOf(to) <= 16 ? target + "(int)" : target;
  if (!saturate) return text + "return " + cast + "a;";
  const std::string high = power(valueBits(to), from);
  const std::string low = isSignedInteger(to) ? "-" + high : "0";
  if (bitsOf(to) <= 16) {
    text += "a = a == a ? a : 0; a = a < " + low + " ? " + low + " : a; ";
    return text + "a = a > " + largest(to) + " ? " + largest(to) + " : a; return " + cast + "a;";
  }
  return text + "return a != a ? 0 : a >= " + high + " ? " + largest(to) + " : a <= " + low + " ? " + smallest(to) + " : " +
         cast + "a;";
}

// r is the nearest value of the target to `exact`, an expression in a type that holds both: moves r by one unit where the
// rounding wants the other neighbour.
std::string movedToRounding(Scalar to, char rounding, const std::string& r, const std::string& exact, bool has_sign) {
  const std::string bits = cppName(signedOf(to));
  const std::string above = r + " > " + exact;
  const std::string below = r + " < " + exact;
  std::string text = bits + " i; __builtin_memcpy(&i, &r, sizeof i); ";
  if (rounding == 'z') text += "if (" + (has_sign ? exact + " < 0 ? " + below + " : " + above : above) + ") --i; ";
  // Upwards and downwards: towards larger bits on the far side of zero, and to the smallest subnormal from zero itself.
  if (rounding == 'p') text += "if (" + below + ") i = r == 0 ? 1 : r > 0 ? i + 1 : i - 1; ";
  if (rounding == 'n') text += "if (" + above + ") i = r == 0 ? " + smallest(signedOf(to)) + " + 1 : r > 0 ? i - 1 : i + 1; ";
  return text + "__builtin_memcpy(&r, &i, sizeof r); return r;";
}

std::string toReal(Scalar to, Scalar from, char rounding) {
  const std::string target = cppName(to);
  const bool exact = isFloat(from) ? from <= to : valueBits(from) <= (to == Scalar::kFloat ? 24u : 53u);
  if (exact || rounding == 0 || rounding == 'e') return "return (" + target + ")a;";
  const std::string text = target + " r = (" + target + ")a; ";
  if (isFloat(from)) return text + movedToRounding(to, rounding, "(double)r", "a", true);
  const std::string common = bitsOf(from) < 64 ? "(double)" : "(__int128)";
  return text + movedToRounding(to, rounding, common + "r", common + "a", isSignedInteger(from));
}

}  // namespace

std::string Prelude::convertedLane(const Builtin& builtin, Scalar to, Scalar from) {
  std::string own = std::string("mrt_convert_") + scalarName(to) + "_" + scalarName(from);
  const bool real_to_integer = isFloat(from) && !isFloat(to);
  const char rounding = isFloat(from) || isFloat(to) ? builtin.rounding : char{0};
  if (builtin.saturate) own += "_sat";
  if (rounding != 0) own += std::string("_") + rounding;
  return define(own, cppName(to), std::string(cppName(from)) + " a", [&] {
    if (real_to_integer) return realToInteger(to, from, builtin.saturate, rounding);
    if (isFloat(to)) return toReal(to, from, rounding);
    return builtin.saturate ? clampedInteger(to, from) : std::string("return (") + cppName(to) + ")a;";
  });
}

std::string Prelude::converted(const Builtin& builtin, const Type* from) {
  const Type* to = builtin.target;
  std::string one = convertedLane(builtin, elementOf(to), elementOf(from));
  if (!to->isVector()) return one;
  const std::string own = one + "_" + std::to_string(to->count);
  return define(own, type(to), type(from) + " a", [&] {
    return "return {" + listed(to->count, [&](uint32_t i) { return one + "(" + lane("a", from, i) + ")"; }) + "};";
  });
}

// Bits as another type: lane by lane where the lanes agree, which the compilers see through best; else as a block of memory,
// without the fourth lane that a vector of three does not have.
std::string Prelude::reinterpreted(const Type* to, const Type* from) {
  const std::string own = "mrt_as_" + idOf(to) + "_" + idOf(from);
  const std::string result = type(to);
  const bool same_lanes = to->lanes() == from->lanes();
  if (same_lanes && to->isVector()) {
    const std::string one = reinterpreted(to->element, from->element);
    return define(own, result, type(from) + " a", [&] {
      return "return {" + listed(to->count, [&](uint32_t i) { return one + "(" + lane("a", from, i) + ")"; }) + "};";
    });
  }
  return define(own, result, type(from) + " a", [&] {
    const uint32_t to_bytes = to->lanes() * scalarSize(elementOf(to));
    const uint32_t from_bytes = from->lanes() * scalarSize(elementOf(from));
    const uint32_t bytes = to_bytes < from_bytes ? to_bytes : from_bytes;
    return result + " r" + (to_bytes > bytes ? " = {}" : "") + "; __builtin_memcpy(&r, &a, " + std::to_string(bytes) +
           "); return r;";
  });
}

std::string Prelude::halfToFloat() {
  type(types_.scalar(Scalar::kHalf));
  return libraryFunction("half_to_float", Scalar::kFloat);
}

std::string Prelude::toHalf(Scalar from, char rounding) {
  type(types_.scalar(Scalar::kHalf));
  return libraryFunction(std::string("half_from_") + scalarName(from) + '_' + (rounding == 0 ? 'e' : rounding), from);
}

}  // namespace manyrt::compiler
