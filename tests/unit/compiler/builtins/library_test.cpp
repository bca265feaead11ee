// The library of built-in functions as what it is meant to be: C++ that a compiler reads as it stands, with a text for each
// function of the table, and a table of which each line is understood. What the functions compute the tests of the prelude
// check.
#include "compiler/builtins/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "compiler/builtins/prototype.h"

// Kernels are compiled without these warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#include "compiler/builtins/library/atomic.h"
#include "compiler/builtins/library/common.h"
#include "compiler/builtins/library/convert.h"
#include "compiler/builtins/library/geometric.h"
#include "compiler/builtins/library/half.h"
#include "compiler/builtins/library/integer.h"
#include "compiler/builtins/library/math.h"

// What the compiler of a kernel has instructions or libm for.
namespace manyrt::library {
template <Floating T>
T fabs(T x) {
  return x < 0 ? -x : x;
}
template <Floating T>
T sqrt(T x) {
  return static_cast<T>(__builtin_sqrt(x));
}
template <Floating T>
T fused(T a, T b, T c) {
  return a * b + c;
}
}  // namespace manyrt::library

namespace manyrt::compiler {
namespace {

TEST(LibraryTest, ItsFilesAreCppThatRuns) {
  EXPECT_EQ(library::clamp(7, 1, 3), 3);
  EXPECT_EQ(library::clamp(-2.5, -1.0, 1.0), -1.0);
  EXPECT_EQ(library::smoothstep(0.0f, 2.0f, 1.0f), 0.5f);
  EXPECT_EQ(library::abs(static_cast<signed char>(-128)), 128);
  EXPECT_EQ(library::add_sat(2147483647, 1), 2147483647);
  EXPECT_EQ(library::mul_hi(1ul << 63, 6ul), 3ul);
  EXPECT_EQ(library::clz(static_cast<short>(1)), 15);
  EXPECT_EQ(library::upsample(static_cast<unsigned char>(1), static_cast<unsigned char>(2)), 0x102);
  EXPECT_EQ(library::select(1, 2, -1), 2);
  EXPECT_EQ(library::bitselect(0.0f, -1.0f, -0.0f), -0.0f);
  EXPECT_EQ(library::half_to_float(library::half_from_double_e(65504)), 65504.0f);
  EXPECT_EQ(library::half_from_float_p(1e-8f).bits, 1);
  const library::Vector<float, 2> sides = {3e30f, 4e30f};
  EXPECT_FLOAT_EQ(library::length(sides), 5e30f);
  EXPECT_EQ(library::convert_sat_rtz<unsigned char>(300.5f), 255);
  EXPECT_EQ(library::convert_rtz<float>(0x7fffffffffffffffl), 0x1.fffffep62f);
  volatile int shared = 4;
  EXPECT_EQ(library::atomic_max(&shared, 9), 4);
  EXPECT_EQ(shared, 9);
}

TEST(LibraryTest, ItsLimitsAreThoseOfTheTypes) {
  EXPECT_EQ(library::largest<signed char>, 127);
  EXPECT_EQ(library::smallest<long>, INT64_MIN);
  EXPECT_EQ(library::largest<unsigned long>, UINT64_MAX);
  EXPECT_EQ(library::smallest<unsigned short>, 0);
}

TEST(LibraryTest, EachPrototypeIsUnderstood) {
  const std::string_view text = libraryText("prototypes.cl");
  const std::string_view table = text.substr(text.find("\n#"));  // behind the head
  size_t prototypes = 0;
  for (const BuiltinFunction& function : builtinFunctions()) {
    EXPECT_NE(function.has_own_rules, !function.prototypes.empty()) << function.name;
    prototypes += function.has_own_rules ? 1 : function.prototypes.size();
    for (const Prototype& each : function.prototypes) {
      EXPECT_NE(each.result.type, TypeWord::kOwnRule) << function.name;
    }
  }
  EXPECT_EQ(prototypes, static_cast<size_t>(std::count(table.begin(), table.end(), ';')));
}

TEST(LibraryTest, EachFunctionOfTheTableHasItsText) {
  const std::set<std::string_view> written = {"any", "all", "prefetch"};  // by the prelude, for each number of lanes
  for (const BuiltinFunction& function : builtinFunctions()) {
    const bool by_lanes = function.kind == BuiltinKind::kPure || function.kind == BuiltinKind::kMemory;
    if (function.has_own_rules || function.is_family || written.contains(function.name)) continue;
    if (!by_lanes && function.kind != BuiltinKind::kFence) continue;
    EXPECT_TRUE(hasLibraryFunction(function.name)) << function.name;
    const TypeSet* set = function.prototypes[0].set;
    const bool integers = set != nullptr && (set->scalars >> static_cast<uint32_t>(Scalar::kInt) & 1) != 0;
    EXPECT_NE(findLibraryFunction(function.name, integers ? Scalar::kInt : Scalar::kFloat, 3, false), nullptr) << function.name;
  }
  for (const char* name : {"add", "sub", "and", "or", "xor", "inc", "dec", "xchg", "cmpxchg", "min", "max"}) {
    EXPECT_TRUE(hasLibraryFunction(std::string("atomic_") + name)) << name;
  }
}

}  // namespace
}  // namespace manyrt::compiler

#pragma GCC diagnostic pop
