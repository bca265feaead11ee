// The library of built-in functions as what it is meant to be: C++ that a compiler reads as it stands. It has a text for each
// function of the table, and each line of the table is understood. The tests of the prelude check the functions' results.
#include "compiler/builtins/library.h"

#include <gtest/gtest.h>

#include <algorithm>
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
#pragma GCC diagnostic ignored "-Wmissing-braces"
#include "compiler/builtins/library/atomic.h"
#include "compiler/builtins/library/common.h"
#include "compiler/builtins/library/convert.h"
#include "compiler/builtins/library/elementary/angle.h"
#include "compiler/builtins/library/elementary/exp.h"
#include "compiler/builtins/library/elementary/wide_angle.h"
#include "compiler/builtins/library/elementary/wide_power.h"
#include "compiler/builtins/library/geometric.h"
#include "compiler/builtins/library/half.h"
#include "compiler/builtins/library/integer.h"
#include "compiler/builtins/library/math.h"
#include "compiler/builtins/library/operators.h"
#include "compiler/builtins/library/vector.h"

// Functions for which the compiler of a kernel has instructions or libm.
namespace manyrt::library {
template <Reals T>
T fabs(T x) {
  return x < 0 ? -x : x;
}
template <Reals T>
T sqrt(T x) {
  return static_cast<T>(__builtin_sqrt(x));
}
template <Reals T>
T rint(T x) {
  return static_cast<T>(__builtin_rint(x));
}
template <Reals T>
T copysign(T x, T y) {
  return static_cast<T>(__builtin_copysign(x, y));
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
  EXPECT_EQ(library::exp(0.0f), 1.0f);
  EXPECT_EQ(library::pow(-2.0f, 3.0f), -8.0f);
  EXPECT_EQ(library::sin(0x1p100f), static_cast<float>(__builtin_sin(0x1p100)));
  EXPECT_EQ(library::bitselect(0.0f, -1.0f, -0.0f), -0.0f);
  EXPECT_EQ(library::half_to_float(library::to_half(65504.0)), 65504.0f);
  EXPECT_EQ(library::to_half_rtp(1e-8f).bits, 1);
  const library::Vector2<float> sides = {{3e30f, 4e30f}};
  EXPECT_FLOAT_EQ(library::length(sides), 5e30f);
  EXPECT_EQ(library::convert_sat_rtz<unsigned char>(300.5f), 255);
  EXPECT_EQ(library::convert_rtz<float>(0x7fffffffffffffffl), 0x1.fffffep62f);
  EXPECT_EQ(library::convert_rtz<double>(3.5f), 3.5);
  EXPECT_EQ(library::convert_sat<unsigned char>(-7l), 0);
  EXPECT_EQ((library::convert_sat_rtn<signed char>(300u)), 127);
  EXPECT_EQ(library::convert_sat<long>(static_cast<short>(-5)), -5);
  volatile int shared = 4;
  EXPECT_EQ(library::atomic_max(&shared, 9), 4);
  EXPECT_EQ(shared, 9);
}

// Each component by itself, and all components folded: what the packs of the library's text mean to a compiler.
TEST(LibraryTest, ItsVectorsAreCppThatRuns) {
  using library::Vector3;
  const Vector3<int> a = {{7, -2147483647 - 1, 5}}, b = {{2, -1, 0}};
  EXPECT_EQ(library::divide(a, b).s[0], 3);
  EXPECT_EQ(library::divide(a, b).s[1], a.s[1]);
  EXPECT_EQ(library::divide(a, b).s[2], 5);
  EXPECT_EQ(library::add(a, b).s[1], 2147483647);
  EXPECT_EQ(library::less(b, a).s[0], -1);
  EXPECT_EQ(library::shift_all_left(b, 33ul).s[0], 4);
  Vector3<int> stepped = b;
  EXPECT_EQ(library::post_decrement(stepped).s[2], 0);
  EXPECT_EQ(stepped.s[2], -1);
  EXPECT_EQ(library::any(b), 1);
  EXPECT_EQ(library::all(b), 0);
  const library::Vector2<unsigned> mask = {{5, 2}};
  EXPECT_EQ(library::shuffle(library::Vector4<int>{{10, 11, 12, 13}}, mask).s[0], 11);
  EXPECT_EQ(library::shuffle2(library::Vector2<int>{{10, 11}}, library::Vector2<int>{{12, 13}}, mask).s[1], 12);
  const int memory[] = {0, 0, 0, 1, 2, 3};
  EXPECT_EQ((library::vload<int, 0, 1, 2>(1, memory).s[2]), 3);
  library::half halves[4] = {};
  library::vstorea_half_rte(library::Vector2<float>{{1, 2}}, 1, halves);
  EXPECT_EQ((library::vloada_half<float, 0, 1>(1, halves).s[1]), 2);
  EXPECT_EQ(library::as<unsigned>(1.0f), 0x3f800000u);
}

TEST(LibraryTest, ItsLimitsAreThoseOfTheTypes) {
  EXPECT_EQ(library::largest<signed char>, 127);
  EXPECT_EQ(library::smallest<long>, INT64_MIN);
  EXPECT_EQ(library::largest<unsigned long>, UINT64_MAX);
  EXPECT_EQ(library::smallest<unsigned short>, 0);
}

TEST(LibraryTest, WhatAProgramGetsAsItStandsHasNoHead) {
  EXPECT_TRUE(libraryBody("print.h").starts_with("#define mrt_print_fn"));
  EXPECT_TRUE(libraryBody("lanes/lanes.h").starts_with("template <int N>\nstruct mrt_lanes {"));
  EXPECT_TRUE(libraryBody("lanes/nothing.h").empty());
}

TEST(LibraryTest, EachPrototypeIsUnderstood) {
  const std::string_view text = libraryText("prototypes.cl");
  const std::string_view table = text.substr(text.find("\n#"));  // after the head
  size_t prototypes = 0;
  for (const BuiltinFunction& function : builtinFunctions()) {
    EXPECT_NE(function.has_own_rules, !function.prototypes.empty()) << function.name;
    const bool counts = function.components == 0 || function.components == 4;  // else its name is made of the same line
    if (counts) prototypes += function.has_own_rules ? 1 : function.prototypes.size();
    for (const Prototype& each : function.prototypes) {
      EXPECT_NE(each.result.type, TypeWord::kOwnRule) << function.name;
    }
  }
  EXPECT_EQ(prototypes, static_cast<size_t>(std::count(table.begin(), table.end(), ';')));
}

TEST(LibraryTest, NamesSayTheirComponentsAsTheSpecificationDoes) {
  for (const char* name : {"vload2", "vload16", "vload_half", "vloada_half3", "vstore_half8_rtn", "vstorea_half_rte"}) {
    EXPECT_NE(findBuiltinFunction(name), nullptr) << name;
  }
  for (const char* name : {"vload", "vload5", "vloadn", "vstore4_rte", "vload_half2_rtz", "vstore_half_rtn4"}) {
    EXPECT_EQ(findBuiltinFunction(name), nullptr) << name;
  }
  EXPECT_EQ(findBuiltinFunction("vstore_half8_rtn")->common, "vstore_half_rtn");
}

TEST(LibraryTest, WorkItemFunctionsStandInTheOrderOfTheirNumbers) {
  EXPECT_EQ(findBuiltinFunction("get_global_id")->work_item, WorkItem::kGlobalId);
  EXPECT_EQ(findBuiltinFunction("get_local_id")->work_item, WorkItem::kLocalId);
  EXPECT_EQ(findBuiltinFunction("get_group_id")->work_item, WorkItem::kGroupId);
  EXPECT_EQ(findBuiltinFunction("get_global_size")->work_item, WorkItem::kGlobalSize);
  EXPECT_EQ(findBuiltinFunction("get_local_size")->work_item, WorkItem::kLocalSize);
  EXPECT_EQ(findBuiltinFunction("get_num_groups")->work_item, WorkItem::kNumGroups);
  EXPECT_EQ(findBuiltinFunction("get_global_offset")->work_item, WorkItem::kGlobalOffset);
  EXPECT_EQ(findBuiltinFunction("get_work_dim")->work_item, WorkItem::kWorkDim);
  EXPECT_EQ(findBuiltinFunction("get_global_linear_id")->work_item, WorkItem::kGlobalLinearId);
  EXPECT_EQ(findBuiltinFunction("get_local_linear_id")->work_item, WorkItem::kLocalLinearId);
  EXPECT_EQ(findBuiltinFunction("get_enqueued_local_size")->work_item, WorkItem::kEnqueuedLocalSize);
}

TEST(LibraryTest, EachConversionHasOneText) {
  constexpr Scalar kScalars[] = {Scalar::kChar, Scalar::kUChar, Scalar::kShort, Scalar::kUShort, Scalar::kInt,
                                 Scalar::kUInt, Scalar::kLong,  Scalar::kULong, Scalar::kFloat,  Scalar::kDouble};
  for (const Scalar to : kScalars) {
    for (const Scalar from : kScalars) {
      for (const char* rounding : {"", "_rte", "_rtz", "_rtp", "_rtn"}) {
        const std::string name = std::string("convert") + rounding, saturating = std::string("convert_sat") + rounding;
        EXPECT_NE(findLibraryFunction(name, {to, 1, from}, false), nullptr) << name << scalarName(to) << scalarName(from);
        if (to < Scalar::kHalf) {
          EXPECT_NE(findLibraryFunction(saturating, {to, 1, from}, false), nullptr) << scalarName(to) << scalarName(from);
        }
      }
    }
  }
}

TEST(LibraryTest, EachFunctionOfTheTableHasItsText) {
  for (const BuiltinFunction& function : builtinFunctions()) {
    const bool by_components = function.kind == BuiltinKind::kPure || function.kind == BuiltinKind::kMemory;
    if (function.has_own_rules || (!by_components && function.kind != BuiltinKind::kFence)) continue;
    if (function.name == "dot_acc_sat") continue;  // the parser makes it one of packed bytes
    EXPECT_TRUE(hasLibraryFunction(function.common)) << function.name;
    const TypeSet* set = function.prototypes[0].set;
    const bool integers = set != nullptr && (set->scalars >> static_cast<uint32_t>(Scalar::kInt) & 1) != 0;
    const TypeWord result = function.prototypes[0].result.type;
    const Scalar scalar = integers || (set == nullptr && result == TypeWord::kInt) ? Scalar::kInt
                          : set == nullptr && result == TypeWord::kUint            ? Scalar::kUInt
                                                                                   : Scalar::kFloat;
    const LibraryTypes types{scalar, 3};
    EXPECT_NE(findLibraryFunction(function.common, types, false), nullptr) << function.name;
  }
  for (const char* name : {"add", "sub", "and", "or", "xor", "inc", "dec", "xchg", "cmpxchg", "min", "max"}) {
    EXPECT_TRUE(hasLibraryFunction(std::string("atomic_") + name)) << name;
  }
}

}  // namespace
}  // namespace manyrt::compiler

#pragma GCC diagnostic pop
