// The whole prelude for CUDA: every function for every type has a form there, and NVRTC takes it, where it is installed.
#include <gtest/gtest.h>

#include "compiler/builtins/builtins.h"
#include "compiler/builtins/prelude.h"
#include "compiler/lowering/cuda/names.h"
#include "unit/compiler/toolchain/nvrtc.h"

namespace manyrt::compiler {
namespace {

constexpr Scalar kNumbers[] = {Scalar::kChar, Scalar::kUChar, Scalar::kShort, Scalar::kUShort, Scalar::kInt,
                               Scalar::kUInt, Scalar::kLong,  Scalar::kULong, Scalar::kFloat,  Scalar::kDouble};
constexpr uint32_t kComponents[] = {1, 2, 3, 4, 8, 16};

class CudaPreludeTest : public testing::Test {
 protected:
  void addFunctions() {
    builtins_.takeHalves(true);
    for (const std::string& name : Builtins::names()) {
      const Builtin* builtin = builtins_.find(name);
      if (builtin->kind == BuiltinKind::kWorkItem || builtin->kind == BuiltinKind::kBarrier ||
          builtin->kind == BuiltinKind::kGroupCopy || builtin->kind == BuiltinKind::kPrint ||
          (builtin->kind == BuiltinKind::kSubGroup && name.starts_with("get_"))) {
        continue;
      }
      for (const BuiltinForm& form : builtins_.forms(*builtin)) {
        prelude_.builtin(*builtin, form.result, form.parameters);
        ++functions_;
      }
    }
  }
  void addReinterpretations() {
    for (const Scalar to : kNumbers) {
      for (const Scalar from : kNumbers) {
        for (const uint32_t components : kComponents) addReinterpretation(types_.vector(to, components), from);
      }
    }
  }
  void addReinterpretation(const Type* to, Scalar scalar) {
    for (const uint32_t components : kComponents) {
      const Type* from = types_.vector(scalar, components);
      if (sizeOf(QualType{to}) != sizeOf(QualType{from})) continue;
      prelude_.builtin(*builtins_.find("as_" + spell(QualType{to})), QualType{to}, {QualType{from}});
    }
  }
  void addConversions() {
    prelude_.halfToFloat();
    prelude_.toHalf(Scalar::kFloat);
    prelude_.toHalf(Scalar::kDouble);
  }
  void addOperators() {
    for (const Scalar scalar : kNumbers) {
      for (const uint32_t components : kComponents) addOperators(types_.vector(scalar, components), scalar >= Scalar::kFloat);
    }
  }
  void addOperators(const Type* type, bool real) {
    for (int number = static_cast<int>(Op::kAdd); number <= static_cast<int>(Op::kLogicalOr); ++number) {
      const Op op = static_cast<Op>(number);
      const bool whole = op == Op::kRem || (op >= Op::kShl && op <= Op::kBitXor);
      if (!real || !whole) prelude_.binary(op, type, type);
    }
    for (const Op op : {Op::kPreIncrement, Op::kPostDecrement}) prelude_.step(op, type);
    if (type->isVector()) prelude_.splat(type);
  }

  TypeTable types_;
  Builtins builtins_{types_};
  Prelude prelude_{types_, Dialect::kCuda};
  size_t functions_ = 0;
};

TEST_F(CudaPreludeTest, EveryFunctionAndOperatorCompiles) {
  addFunctions();
  EXPECT_GT(functions_, 9000u);
  addReinterpretations();
  addConversions();
  addOperators();
  std::vector<std::string> unknown;
  const std::string text = cudaText(prelude_.text(), &unknown);
  EXPECT_TRUE(unknown.empty()) << unknown[0];

  NvrtcLibrary library;
  std::string why;
  if (!test::findRealNvrtc(&library, &why)) GTEST_SKIP() << why;
  NvrtcJob job;
  job.text = text + "extern \"C\" __global__ void last(int* a) { a[0] = 1; }\n";
  job.name = "prelude.cu";
  job.options = {"--std=c++20", "--device-int128", "--disable-warnings"};
  CudaImage image;
  const Status status = compileWithNvrtc(&image, library, {9, 0, 0}, job);
  EXPECT_TRUE(status.ok()) << status.message() << "\n" << image.log.substr(0, 4000);
}

TEST_F(CudaPreludeTest, NamesInQuotesAndLinesAreLeftAlone) {
  std::vector<std::string> unknown;
  const std::string text =
      cudaText("#line 1 \"__builtin_sin\"\nf(\"__builtin_\\\"cos\", '\"', __builtin_cosf(my__builtin_x), __builtin_strange())",
               &unknown);
  EXPECT_EQ(text, "#line 1 \"__builtin_sin\"\nf(\"__builtin_\\\"cos\", '\"', cosf(my__builtin_x), __builtin_strange())");
  EXPECT_EQ(unknown, std::vector<std::string>{"__builtin_strange"});
}

TEST_F(CudaPreludeTest, WhatANameNeedsIsDefinedOnce) {
  std::vector<std::string> unknown;
  const std::string text = cudaText("__builtin_inff() + __builtin_inff()", &unknown);
  EXPECT_EQ(text.find("float mrt_inff()"), text.rfind("float mrt_inff()"));
  EXPECT_NE(text.find("mrt_inff() + mrt_inff()"), std::string::npos);
}

}  // namespace
}  // namespace manyrt::compiler
