// Types and operators of the prelude. Vectors are structs of components. The text of literals and swizzles follows from the
// components that a program names; operators are functions of library/operators.h.
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

struct Operator {
  Op op;
  const char* function;  // of library/operators.h
};
constexpr Operator kOperators[] = {{Op::kAdd, "add"},
                                   {Op::kSub, "subtract"},
                                   {Op::kMul, "multiply"},
                                   {Op::kDiv, "divide"},
                                   {Op::kRem, "modulo"},
                                   {Op::kShl, "shift_left"},
                                   {Op::kShr, "shift_right"},
                                   {Op::kBitAnd, "bit_and"},
                                   {Op::kBitOr, "bit_or"},
                                   {Op::kBitXor, "bit_xor"},
                                   {Op::kLess, "less"},
                                   {Op::kGreater, "greater"},
                                   {Op::kLessEqual, "less_equal"},
                                   {Op::kGreaterEqual, "greater_equal"},
                                   {Op::kEqual, "equal"},
                                   {Op::kNotEqual, "not_equal"},
                                   {Op::kLogicalAnd, "logical_and"},
                                   {Op::kLogicalOr, "logical_or"},
                                   {Op::kMinus, "negate"},
                                   {Op::kBitNot, "bit_not"},
                                   {Op::kLogicalNot, "logical_not"},
                                   {Op::kPreIncrement, "pre_increment"},
                                   {Op::kPreDecrement, "pre_decrement"},
                                   {Op::kPostIncrement, "post_increment"},
                                   {Op::kPostDecrement, "post_decrement"}};

std::string functionOf(Op op) {
  for (const Operator& each : kOperators) {
    if (each.op == op) return each.function;
  }
  return "";
}

std::string componentList(const uint8_t* components, uint32_t count) {
  std::string text;
  for (uint32_t i = 0; i < count; ++i) text += kComponentDigits[components[i] & 15];
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
  if (!defined_.contains(name)) this->type(type->element);
  if (first(name)) {
    const uint32_t components = type->count == 3 ? 4 : type->count;
    text_ += "struct alignas(" + std::to_string(components * scalarSize(type->scalar)) + ") " + name + " { " +
             std::string(cppName(type->scalar)) + " " +
             listed(type->count, [](uint32_t i) { return std::string("s") + kComponentDigits[i]; }) + "; };\n";
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
    values +=
        (i == 0 ? "" : ", ") + listed(parts[i]->components(), [&](uint32_t k) { return component(parameter, parts[i], k); });
  }
  return define(name, type(vector), parameters, [&] { return "return {" + values + "};"; });
}

std::string Prelude::splat(const Type* vector) {
  const std::string parameter = type(vector->element) + " a";
  return define("mrt_splat_" + idOf(vector), type(vector), parameter,
                [&] { return "return {" + listed(vector->count, [](uint32_t) { return std::string("a"); }) + "};"; });
}

std::string Prelude::unary(Op op, const Type* type) {
  return libraryFunction(functionOf(op), {type->scalar, type->components()});
}

std::string Prelude::binary(Op op, const Type* type, const Type* amount) {
  const LibraryTypes types{elementOf(type), type->components(), elementOf(amount)};
  const bool shifts = op == Op::kShl || op == Op::kShr;
  if (shifts && amount->components() != type->components()) {
    return libraryFunction(op == Op::kShl ? "shift_all_left" : "shift_all_right", types);
  }
  return libraryFunction(functionOf(op), types);
}

// A macro: the surroundings of each use are the same at every level of optimisation, and none of it is left to inlining.
std::string Prelude::multiplyAddComponent(Scalar scalar) {
  const bool single = scalar == Scalar::kFloat;
  const std::string name = single ? "mrt_fused_float" : "mrt_fused_double";
  if (first(name)) {
    text_ += std::string("#if defined(") + (single ? "__FP_FAST_FMAF" : "__FP_FAST_FMA") + ") || defined(__FMA__)\n#define " +
             name + "(a, b, c) __builtin_fma" + (single ? "f" : "") + "((a), (b), (c))\n#else\n#define " + name +
             "(a, b, c) ((a) * (b) + (c))\n#endif\n";
  }
  return name;
}

std::string Prelude::multiplyAdd(Fused::Kind kind, const Type* type) {
  const Scalar scalar = elementOf(type);
  if (type->isVector()) {
    const char* name = kind == Fused::Kind::kAdd        ? "multiply_add"
                       : kind == Fused::Kind::kSubtract ? "multiply_subtract"
                                                        : "subtract_product";
    return libraryFunction(name, {scalar, type->count});
  }
  const std::string one = multiplyAddComponent(scalar);
  if (kind == Fused::Kind::kAdd) return one;
  const bool subtracts = kind == Fused::Kind::kSubtract;
  const std::string name = std::string("mrt_fuse_") + (subtracts ? "less_" : "minus_") + scalarName(scalar);
  if (first(name)) {
    text_ += "#define " + name + "(a, b, c) " + one + (subtracts ? "((a), b, -(c))\n" : "(-(a), b, (c))\n");
  }
  return name;
}

std::string Prelude::step(Op op, const Type* type) {
  return libraryFunction(functionOf(op), {elementOf(type), type->components()});
}

std::string Prelude::swizzle(const Type* vector, const uint8_t* components, uint32_t count) {
  const Type* result = types_.vector(vector->scalar, count);
  return define("mrt_swz_" + idOf(vector) + "_" + componentList(components, count), type(result), type(vector) + " a",
                [&] { return returned(result, [&](uint32_t i) { return component("a", vector, components[i]); }); });
}

std::string Prelude::setSwizzle(const Type* vector, const uint8_t* components, uint32_t count) {
  const Type* value = types_.vector(vector->scalar, count);
  return define("mrt_set_" + idOf(vector) + "_" + componentList(components, count), type(value),
                type(vector) + "& a, " + type(value) + " b", [&] {
                  std::string text;
                  // Backwards: a fourth component of three is then overwritten by the one that it stands in for.
                  for (uint32_t i = count; i-- > 0;)
                    text += component("a", vector, components[i]) + " = " + component("b", value, i) + "; ";
                  return text + "return b;";
                });
}

std::string Prelude::stepSwizzle(Op op, const Type* vector, const uint8_t* components, uint32_t count) {
  const Type* part = types_.vector(vector->scalar, count);
  const std::string own = type(part);
  return define("mrt_" + functionOf(op) + "_" + idOf(vector) + "_" + componentList(components, count), own,
                type(vector) + "& a", [&] {
                  return own + " b = " + swizzle(vector, components, count) + "(a); const " + own + " r = " + step(op, part) +
                         "(b); " + setSwizzle(vector, components, count) + "(a, b); return r;";
                });
}

std::string Prelude::packed(const Type* of) {
  const std::string own = type(of);
  std::string name = "mrt_packed_" + idOf(of);
  if (first(name)) text_ += "struct __attribute__((packed, may_alias)) " + name + " { " + own + " v; };\n";
  return name;
}

std::string Prelude::select(const Type* result, const Type* condition) {
  return libraryFunction("choose", {result->scalar, result->count, condition->scalar});
}

std::string Prelude::halfToFloat() { return libraryFunction("half_to_float", {Scalar::kFloat}); }
std::string Prelude::toHalf(Scalar from) { return libraryFunction("to_half", {from}); }

}  // namespace manyrt::compiler
