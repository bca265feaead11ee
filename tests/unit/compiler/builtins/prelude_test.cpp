// Vectors: their layout, literals, operators and swizzles; that every function of the language compiles; and that loops over
// the simple ones become vector instructions.
#include "compiler/builtins/prelude.h"

#include <algorithm>
#include <set>

#include "prelude_loops.h"

namespace manyrt::compiler {
namespace {

class PreludeTest : public PreludeLoops {
 protected:
  std::vector<int> ints(size_t loop, const std::vector<const void*>& arguments, size_t components) {
    alignas(64) int result[16] = {};
    run(loop, result, arguments, 1);
    return std::vector<int>(result, result + components);
  }
};

constexpr Scalar kNumbers[] = {Scalar::kChar, Scalar::kUChar, Scalar::kShort, Scalar::kUShort, Scalar::kInt,
                               Scalar::kUInt, Scalar::kLong,  Scalar::kULong, Scalar::kFloat,  Scalar::kDouble};
constexpr uint32_t kComponents[] = {2, 3, 4, 8, 16};

TEST_P(PreludeTest, EveryFunctionOfTheLanguageCompilesForEveryType) {
  size_t functions = 0;
  std::set<std::string> names;
  builtins_.takeHalves(true);
  for (const std::string& name : Builtins::names()) {
    const Builtin* builtin = builtins_.find(name);
    if (builtin->kind == BuiltinKind::kWorkItem || builtin->kind == BuiltinKind::kBarrier ||
        builtin->kind == BuiltinKind::kGroupCopy || builtin->kind == BuiltinKind::kSubGroup) {
      continue;
    }
    for (const BuiltinForm& form : builtins_.forms(*builtin)) {
      const Type* first = form.parameters.empty() ? nullptr : form.parameters[0].type;
      const bool is_of_bytes = name.starts_with("dot") && first->isVector() && scalarSize(first->scalar) == 1;
      if (is_of_bytes) continue;  // the parser makes these products of packed bytes
      const std::string function = prelude_.builtin(*builtin, form.result, form.parameters);
      if (!function.starts_with("__builtin_")) names.insert(function);  // the compiler has those
      ++functions;
    }
  }
  EXPECT_GT(functions, 9000u);
  // A name that nothing defines would compile as long as it is not called.
  std::istringstream lines(prelude_.text());
  for (std::string line; std::getline(lines, line);) {
    const size_t open = line.find('(');
    const size_t space = line.rfind(' ', open);
    if (line.compare(0, 7, "mrt_fn ") == 0) names.erase(line.substr(space + 1, open - space - 1));
  }
  EXPECT_TRUE(names.empty()) << *names.begin();
  build();
}

TEST_P(PreludeTest, EveryReinterpretationCompiles) {
  std::vector<const Type*> types;
  for (Scalar scalar : kNumbers) {
    types.push_back(types_.scalar(scalar));
    for (uint32_t components : kComponents) types.push_back(vector(scalar, components));
  }
  size_t count = 0;
  for (const Type* to : types) {
    for (const Type* from : types) {
      if (sizeOf(QualType{to}) != sizeOf(QualType{from})) continue;
      const Builtin* builtin = builtins_.find("as_" + spell(QualType{to}));
      ASSERT_NE(builtin, nullptr);
      prelude_.builtin(*builtin, QualType{to}, {QualType{from}});
      ++count;
    }
  }
  EXPECT_GT(count, 400u);
  build("");
}

TEST_P(PreludeTest, EveryOperatorOfEveryVectorCompiles) {
  for (Scalar scalar : kNumbers) {
    const bool real = scalar >= Scalar::kFloat;
    for (uint32_t components : kComponents) {
      const Type* type = vector(scalar, components);
      for (int number = static_cast<int>(Op::kAdd); number <= static_cast<int>(Op::kLogicalOr); ++number) {
        const Op op = static_cast<Op>(number);
        const bool whole = op == Op::kRem || (op >= Op::kShl && op <= Op::kBitXor);
        if (real && whole) continue;
        prelude_.binary(op, type, type);
        if (op == Op::kShl || op == Op::kShr) prelude_.binary(op, type, types_.scalar(Scalar::kULong));
      }
      for (Op op : {Op::kMinus, Op::kLogicalNot, Op::kBitNot}) {
        if (!real || op != Op::kBitNot) prelude_.unary(op, type);
      }
      for (Op op : {Op::kPreIncrement, Op::kPreDecrement, Op::kPostIncrement, Op::kPostDecrement}) prelude_.step(op, type);
      prelude_.splat(type);
      prelude_.make(type, std::vector<const Type*>(components, types_.scalar(scalar)));
      for (uint32_t size : {1u, 2u, 4u, 8u}) {
        const Scalar condition = size == 1   ? Scalar::kChar
                                 : size == 2 ? Scalar::kUShort
                                 : size == 4 ? Scalar::kInt
                                             : Scalar::kLong;
        if (size == scalarSize(scalar)) prelude_.select(type, vector(condition, components));
      }
    }
  }
  build("");
}

TEST_P(PreludeTest, VectorsHaveTheSizesOfTheLanguage) {
  for (Scalar scalar : kNumbers) {
    for (uint32_t components : kComponents) {
      const Type* type = vector(scalar, components);
      const std::string name = prelude_.type(type);
      const std::string size = std::to_string(sizeOf(QualType{type}));
      loop_text_ += "static_assert(sizeof(" + name + ") == " + size + " && alignof(" + name + ") == " + size + ", \"\");\n";
      loop_text_ += "static_assert(__is_trivially_copyable(" + name + "), \"\");\n";
    }
  }
  build("");
}

TEST_P(PreludeTest, LiteralsTakeTheirPartsInOrder) {
  const Type* four = vector(Scalar::kInt, 4);
  const Type* two = vector(Scalar::kInt, 2);
  const Type* one = types_.scalar(Scalar::kInt);
  const size_t made = add(prelude_.make(four, {one, two, one}), four, {QualType{one}, QualType{two}, QualType{one}});
  const size_t splat = add(prelude_.splat(four), four, {QualType{one}});
  ASSERT_NO_FATAL_FAILURE(build());
  const int a = 1, d = 4;
  alignas(8) const int bc[2] = {2, 3};
  EXPECT_EQ(ints(made, {&a, bc, &d}, 4), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(ints(splat, {&d}, 4), (std::vector<int>{4, 4, 4, 4}));
}

TEST_P(PreludeTest, SwizzlesReadAndWriteTheirComponents) {
  const Type* four = vector(Scalar::kInt, 4);
  const Type* three = vector(Scalar::kInt, 3);
  const Type* two = vector(Scalar::kInt, 2);
  const uint8_t zyx[] = {2, 1, 0}, xxww[] = {0, 0, 3, 3}, wy[] = {3, 1}, y[] = {1};
  const size_t reversed = add(prelude_.swizzle(four, zyx, 3), three, {QualType{four}});
  const size_t doubled = add(prelude_.swizzle(four, xxww, 4), four, {QualType{four}});
  const size_t single = add(prelude_.swizzle(four, y, 1), types_.scalar(Scalar::kInt), {QualType{four}});
  const size_t set = add(prelude_.setSwizzle(four, wy, 2), two, {QualType{four}, QualType{two}});
  ASSERT_NO_FATAL_FAILURE(build());
  alignas(16) int v[4] = {10, 11, 12, 13};
  EXPECT_EQ(ints(reversed, {v}, 3), (std::vector<int>{12, 11, 10}));
  EXPECT_EQ(ints(doubled, {v}, 4), (std::vector<int>{10, 10, 13, 13}));
  EXPECT_EQ(ints(single, {v}, 1), std::vector<int>{11});
  alignas(8) const int values[2] = {1, 2};
  EXPECT_EQ(ints(set, {v, values}, 2), (std::vector<int>{1, 2}));
  EXPECT_EQ(std::vector<int>(v, v + 4), (std::vector<int>{10, 2, 12, 1}));
}

TEST_P(PreludeTest, OperatorsOfIntegersWrapAndCompareToMinusOne) {
  const Type* type = vector(Scalar::kInt, 2);
  struct Row {
    Op op;
    int a, b, expected;
  };
  const Row rows[] = {{Op::kAdd, INT32_MAX, 1, INT32_MIN},
                      {Op::kSub, INT32_MIN, 1, INT32_MAX},
                      {Op::kMul, 65536, 65536, 0},
                      {Op::kDiv, -7, 2, -3},
                      {Op::kRem, -7, 2, -1},
                      {Op::kDiv, INT32_MIN, -1, INT32_MIN},
                      {Op::kShl, 1, 33, 2},
                      {Op::kShr, -8, 1, -4},
                      {Op::kBitAnd, 12, 10, 8},
                      {Op::kBitOr, 12, 10, 14},
                      {Op::kBitXor, 12, 10, 6},
                      {Op::kLess, 1, 2, -1},
                      {Op::kGreater, 1, 2, 0},
                      {Op::kLessEqual, 2, 2, -1},
                      {Op::kGreaterEqual, 1, 2, 0},
                      {Op::kEqual, 2, 2, -1},
                      {Op::kNotEqual, 2, 2, 0},
                      {Op::kLogicalAnd, 4, 2, -1},
                      {Op::kLogicalAnd, 4, 0, 0},
                      {Op::kLogicalOr, 0, 2, -1},
                      {Op::kLogicalOr, 0, 0, 0}};
  std::vector<size_t> loops;
  for (const Row& row : rows) loops.push_back(add(prelude_.binary(row.op, type, type), type, {QualType{type}, QualType{type}}));
  ASSERT_NO_FATAL_FAILURE(build("-fsanitize=undefined -fsanitize-undefined-trap-on-error"));
  for (size_t i = 0; i < loops.size(); ++i) {
    alignas(8) const int a[2] = {rows[i].a, 6}, b[2] = {rows[i].b, 3};
    EXPECT_EQ(ints(loops[i], {a, b}, 1)[0], rows[i].expected) << static_cast<int>(rows[i].op) << " row " << i;
  }
}

TEST_P(PreludeTest, NarrowComponentsWrapInTheirOwnWidth) {
  const Type* chars = vector(Scalar::kChar, 2);
  const Type* shorts = vector(Scalar::kUShort, 2);
  const size_t add_chars = add(prelude_.binary(Op::kAdd, chars, chars), chars, {QualType{chars}, QualType{chars}});
  const size_t shift = add(prelude_.binary(Op::kShl, chars, chars), chars, {QualType{chars}, QualType{chars}});
  const size_t square = add(prelude_.binary(Op::kMul, shorts, shorts), shorts, {QualType{shorts}, QualType{shorts}});
  const size_t divide = add(prelude_.binary(Op::kDiv, chars, chars), chars, {QualType{chars}, QualType{chars}});
  ASSERT_NO_FATAL_FAILURE(build("-fsanitize=undefined -fsanitize-undefined-trap-on-error"));
  alignas(2) const int8_t a[2] = {127, -128}, b[2] = {1, -1};
  alignas(2) int8_t r[2] = {};
  run(add_chars, r, {a, b}, 1);
  EXPECT_EQ(r[0], -128);
  EXPECT_EQ(r[1], 127);
  alignas(2) const int8_t nine[2] = {9, 8}, one[2] = {1, 1};
  run(shift, r, {one, nine}, 1);  // amounts are taken modulo eight
  EXPECT_EQ(r[0], 2);
  EXPECT_EQ(r[1], 1);
  run(divide, r, {a, b}, 1);
  EXPECT_EQ(r[1], -128);
  alignas(4) const uint16_t big[2] = {65535, 300};
  alignas(4) uint16_t s[2] = {};
  run(square, s, {big, big}, 1);
  EXPECT_EQ(s[0], 1);
  EXPECT_EQ(s[1], static_cast<uint16_t>(90000));
}

TEST_P(PreludeTest, UnaryOperatorsAndStepsOfVectors) {
  const Type* type = vector(Scalar::kInt, 2);
  const Type* real = vector(Scalar::kFloat, 2);
  const size_t minus = add(prelude_.unary(Op::kMinus, type), type, {QualType{type}});
  const size_t invert = add(prelude_.unary(Op::kBitNot, type), type, {QualType{type}});
  const size_t no = add(prelude_.unary(Op::kLogicalNot, real), type, {QualType{real}});
  const size_t before = add(prelude_.step(Op::kPreIncrement, type), type, {QualType{type}});
  const size_t after = add(prelude_.step(Op::kPostDecrement, type), type, {QualType{type}});
  ASSERT_NO_FATAL_FAILURE(build());
  alignas(8) int v[2] = {INT32_MIN, 5};
  EXPECT_EQ(ints(minus, {v}, 2), (std::vector<int>{INT32_MIN, -5}));
  EXPECT_EQ(ints(invert, {v}, 2), (std::vector<int>{INT32_MAX, -6}));
  alignas(8) const float reals[2] = {0, 0.5f};
  EXPECT_EQ(ints(no, {reals}, 2), (std::vector<int>{-1, 0}));
  EXPECT_EQ(ints(before, {v}, 2), (std::vector<int>{INT32_MIN + 1, 6}));
  EXPECT_EQ(v[1], 6);
  EXPECT_EQ(ints(after, {v}, 2), (std::vector<int>{INT32_MIN + 1, 6}));
  EXPECT_EQ(v[1], 5);
}

TEST_P(PreludeTest, SelectionsOfVectorsLookAtSigns) {
  const Type* type = vector(Scalar::kInt, 4);
  const Type* condition = vector(Scalar::kUInt, 4);
  const size_t loop = add(prelude_.select(type, condition), type, {QualType{condition}, QualType{type}, QualType{type}});
  ASSERT_NO_FATAL_FAILURE(build());
  alignas(16) const uint32_t c[4] = {0xffffffffu, 0, 1, 0x80000000u};
  alignas(16) const int a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  EXPECT_EQ(ints(loop, {c, a, b}, 4), (std::vector<int>{1, 6, 7, 4}));
}

TEST_P(PreludeTest, WhatIsAskedTwiceIsWrittenOnce) {
  const Type* type = vector(Scalar::kFloat, 4);
  EXPECT_EQ(prelude_.binary(Op::kAdd, type, type), prelude_.binary(Op::kAdd, type, type));
  const size_t size = prelude_.text().size();
  prelude_.type(type);
  prelude_.binary(Op::kAdd, type, type);
  EXPECT_EQ(prelude_.text().size(), size);
}

TEST_P(PreludeTest, NothingIsWrittenBeforeItIsAskedFor) { EXPECT_TRUE(prelude_.text().empty()); }

#if defined(__x86_64__)
// With AVX2 and FMA, as any processor of the last ten years has them.
TEST_P(PreludeTest, LoopsOverSimpleFunctionsAreVectorised) {
  if (std::string(GetParam()) != "g++") GTEST_SKIP() << "The remarks that are read here are gcc's.";
  const QualType f = value(Scalar::kFloat), d = value(Scalar::kDouble), i = value(Scalar::kInt), u = value(Scalar::kUInt);
  const std::pair<const char*, std::vector<QualType>> calls[] = {
      {"mad", {f, f, f}},
      {"fma", {f, f, f}},
      {"fabs", {f}},
      {"floor", {f}},
      {"ceil", {f}},
      {"trunc", {f}},
      {"rint", {f}},
      {"round", {f}},
      {"sqrt", {f}},
      {"rsqrt", {f}},
      {"fmin", {f, f}},
      {"fmax", {d, d}},
      {"min", {f, f}},
      {"max", {i, i}},
      {"clamp", {f, f, f}},
      {"clamp", {u, u, u}},
      {"mix", {f, f, f}},
      {"step", {f, f}},
      {"smoothstep", {f, f, f}},
      {"sign", {f}},
      {"degrees", {f}},
      {"copysign", {f, f}},
      {"isnan", {f}},
      {"isless", {f, f}},
      {"isfinite", {f}},
      {"signbit", {f}},
      {"select", {f, f, i}},
      {"bitselect", {f, f, f}},
      {"abs", {i}},
      {"abs_diff", {u, u}},
      {"add_sat", {u, u}},
      {"hadd", {i, i}},
      {"mul24", {i, i}},
      {"rotate", {u, u}},
      {"mul_hi", {u, u}},
      {"fdim", {f, f}},
      {"convert_int_rte", {f}},
      {"convert_uchar_sat", {f}},
      {"convert_float", {i}},
      {"convert_int_sat", {f}},
      {"as_uint", {f}},
      {"native_divide", {f, f}},
      {"maxmag", {f, f}},
      {"convert_short_sat", {i}},
  };
  std::vector<size_t> loops;
  for (const auto& [name, arguments] : calls) loops.push_back(addCall(name, arguments));
  const std::string text = prelude_.text() + loop_text_;
  std::string remarks;
  const Folder folder;
  const std::string flags = std::string(kStrictFlags) + " -shared -fPIC -march=x86-64-v3 -fno-ipa-icf -fopt-info-vec-optimized";
  ASSERT_TRUE(compileText(folder, compiler_, text, flags, &remarks)) << remarks;
  for (size_t k = 0; k < loops.size(); ++k) {
    const size_t at = text.find(" loop" + std::to_string(k) + "(");
    const long line = std::count(text.begin(), text.begin() + static_cast<long>(at), '\n') + 1;
    const std::string remark = ":" + std::to_string(line) + ":";
    bool vectorised = false;
    std::istringstream lines(remarks);
    for (std::string one; std::getline(lines, one);) {
      vectorised = vectorised || (one.find(remark) != std::string::npos && one.find("loop vectorized") != std::string::npos);
    }
    EXPECT_TRUE(vectorised) << calls[k].first << " number " << k;
  }
}
#endif

MANYRT_FOR_EACH_COMPILER(PreludeTest);

}  // namespace
}  // namespace manyrt::compiler
