// Functions of double hold their digits, also with options that let a compiler take sums in another order. Terms that make up
// for roundings would be zero then. And powers that a double holds are exact, as programs that cast them to integers expect.
#include <cmath>

#include "source_test.h"

namespace rttest {
namespace {

using Wide = long double;

struct FunctionOfDoubles {
  const char* call;  // of x and y
  Wide (*expected)(Wide x, Wide y);
  double low, high;  // of x
};

const FunctionOfDoubles kFunctions[] = {
    {"exp(x)", [](Wide x, Wide) { return std::exp(x); }, -700, 700},
    {"exp2(x)", [](Wide x, Wide) { return std::exp2(x); }, -1000, 1000},
    {"expm1(x)", [](Wide x, Wide) { return std::expm1(x); }, -2, 2},
    {"log(x)", [](Wide x, Wide) { return std::log(x); }, 1e-3, 1000},
    {"log1p(x)", [](Wide x, Wide) { return std::log1p(x); }, -0.9, 5},
    {"sin(x)", [](Wide x, Wide) { return std::sin(x); }, -10000, 10000},
    {"cos(x)", [](Wide x, Wide) { return std::cos(x); }, -10000, 10000},
    {"tan(x)", [](Wide x, Wide) { return std::tan(x); }, -10000, 10000},
    {"asin(x)", [](Wide x, Wide) { return std::asin(x); }, -1, 1},
    {"acos(x)", [](Wide x, Wide) { return std::acos(x); }, -1, 1},
    {"atan(x)", [](Wide x, Wide) { return std::atan(x); }, -30, 30},
    {"atan2(x, y)", [](Wide x, Wide y) { return std::atan2(x, y); }, -30, 30},
    {"sinh(x)", [](Wide x, Wide) { return std::sinh(x); }, -30, 30},
    {"cosh(x)", [](Wide x, Wide) { return std::cosh(x); }, -30, 30},
    {"tanh(x)", [](Wide x, Wide) { return std::tanh(x); }, -10, 10},
    {"asinh(x)", [](Wide x, Wide) { return std::asinh(x); }, -1000, 1000},
    {"acosh(x)", [](Wide x, Wide) { return std::acosh(x); }, 1, 1000},
    {"atanh(x)", [](Wide x, Wide) { return std::atanh(x); }, -0.99, 0.99},
    {"cbrt(x)", [](Wide x, Wide) { return std::cbrt(x); }, -1000, 1000},
    {"pow(x, y)", [](Wide x, Wide y) { return std::pow(x, y); }, 1e-3, 30},
    {"erf(x)", [](Wide x, Wide) { return std::erf(x); }, -4, 4},
    {"erfc(x)", [](Wide x, Wide) { return std::erfc(x); }, -4, 20},
};

class DoubleTest : public SourceTest {
 protected:
  bool isCpu() const {
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    EXPECT_RT_OK(rtDeviceGetProperties(&properties, device_));
    return properties.backend == RT_BACKEND_CPU;
  }

  void holdsDigits(const char* options) {
    constexpr size_t kCount = 4096 - 5;
    std::string source;
    for (size_t f = 0; f < std::size(kFunctions); ++f) {
      source +=
          "kernel void f" + std::to_string(f) +
          "(global const double* a, global const double* b, global double* out, int count) {\n"
          "  const int i = get_global_id(0);\n  if (i >= count) return;\n  const double x = a[i], y = b[i];\n  out[i] = " +
          kFunctions[f].call + ";\n}\n";
    }
    ASSERT_RT_OK(rtModuleCreateFromSource(module_.out(), source.c_str(), options, context_));
    Random random(7);
    for (size_t f = 0; f < std::size(kFunctions); ++f) {
      const auto& [call, expected, low, high] = kFunctions[f];
      std::vector<double> x(kCount), y(kCount);
      for (size_t i = 0; i < kCount; ++i) {
        x[i] = low + (high - low) * (random.bits() / 0x1p32);
        y[i] = 120 * (random.bits() / 0x1p32) - 60;
      }
      const Buffer<double> a = buffer(x), b = buffer(y), out = buffer(std::vector<double>(kCount, -1.0));
      run(("f" + std::to_string(f)).c_str(), {64}, {64}, a, b, out, int32_t{kCount});
      const std::vector<double> got = out.read();
      for (size_t i = 0; i < kCount; ++i) {
        const Wide want = expected(x[i], y[i]);
        ASSERT_LE(std::fabs(got[i] - want), 16 * std::fabs(want) * 0x1p-52L)
            << call << ' ' << options << ": " << x[i] << ", " << y[i];
      }
    }
    ASSERT_RT_OK(module_.reset());
  }
};
INSTANTIATE_TEST_SUITE_P(, DoubleTest, testing::ValuesIn(kernelDevices()), testName);

TEST_P(DoubleTest, FunctionsHoldTheirDigits) {
  if (!has(RT_CAPABILITY_DOUBLE)) GTEST_SKIP() << "the device has no double";
  holdsDigits("");
  if (!isCpu()) return;  // what other options cost is a driver's own
  for (const char* options : {"-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations", "-cl-mad-enable", "-cl-opt-disable"}) {
    holdsDigits(options);
  }
}

TEST_P(DoubleTest, WholePowersAreExact) {
  if (!has(RT_CAPABILITY_DOUBLE)) GTEST_SKIP() << "the device has no double";
  if (!isCpu()) GTEST_SKIP() << "OpenCL allows 16 units in the last place";
  std::vector<double> x, y, expected;
  for (int base = -40; base <= 40; ++base) {
    double power = 1;
    for (int exponent = 0; std::fabs(power) < 0x1p53 && exponent < 60; ++exponent, power *= base) {
      x.push_back(base);
      y.push_back(exponent);
      expected.push_back(power);
    }
  }
  const int32_t count = static_cast<int32_t>(x.size());
  const Buffer<double> a = buffer(x), b = buffer(y);
  for (const char* type : {"double", "double4"}) {
    const std::string vector = type, dot = vector == "double" ? "" : ".z";
    const std::string source =
        "kernel void powers(global const double* x, global const double* y, global double* out, int count) {\n"
        "  const int i = get_global_id(0);\n"
        "  if (i < count) out[i] = pow((" +
        vector + ")(x[i]), (" + vector + ")(y[i]))" + dot + ";\n}\n";
    ASSERT_RT_OK(rtModuleCreateFromSource(module_.out(), source.c_str(), "", context_));
    const Buffer<double> out = buffer(std::vector<double>(x.size(), -1.0));
    run("powers", {static_cast<uint32_t>((x.size() + 63) / 64)}, {64}, a, b, out, count);
    expectEqual(out.read(), expected, type);
    ASSERT_RT_OK(module_.reset());
  }
}

}  // namespace
}  // namespace rttest
