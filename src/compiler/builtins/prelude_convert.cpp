// Conversions between numbers: convert_ with every rounding and saturation, as_, and half precision, which exists in memory
// alone. What C++'s own conversion does is written here, the others are functions of the library.
#include "compiler/builtins/prelude.h"
#include "compiler/builtins/prelude_text.h"

namespace manyrt::compiler {

using namespace prelude;

namespace {

// Bits of the magnitude: 7 of char, 64 of ulong.
uint32_t valueBits(Scalar scalar) { return bitsOf(scalar) - (isSignedInteger(scalar) ? 1 : 0); }

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

}  // namespace

std::string Prelude::convertedLane(const Builtin& builtin, Scalar to, Scalar from) {
  const char rounding = builtin.rounding;
  if (isFloat(from) && !isFloat(to)) {
    const char direction = rounding != 0 ? rounding : 'z';
    return libraryFunction(std::string(builtin.saturate ? "convert_sat_rt" : "convert_rt") + direction, {to, 1, from});
  }
  const bool exact = !isFloat(to) || (isFloat(from) ? from <= to : valueBits(from) <= (to == Scalar::kFloat ? 24u : 53u));
  if (!exact && rounding != 0 && rounding != 'e') {
    return libraryFunction(std::string("convert_rt") + rounding, {to, 1, from});
  }
  const bool saturate = builtin.saturate && !isFloat(to);
  const std::string own = std::string("mrt_convert_") + scalarName(to) + "_" + scalarName(from) + (saturate ? "_sat" : "");
  return define(own, cppName(to), std::string(cppName(from)) + " a",
                [&] { return saturate ? clampedInteger(to, from) : std::string("return (") + cppName(to) + ")a;"; });
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
  return libraryFunction("half_to_float", {Scalar::kFloat});
}

std::string Prelude::toHalf(Scalar from, char rounding) {
  type(types_.scalar(Scalar::kHalf));
  return libraryFunction(std::string("half_from_") + scalarName(from) + '_' + (rounding == 0 ? 'e' : rounding), {from});
}

}  // namespace manyrt::compiler
