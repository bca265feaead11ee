// How far the CPU's functions of float are from the true values, in units of the last place: over every float, or every n-th.
// Prints a table of function, limit of OpenCL, largest error and where that is. docs/kernels.md has what it said of all floats.
// Usage: function_errors [--step N] [--only NAME]... [--options BUILD_OPTIONS] [--limits OPENCL|OWN]
// Exit status: 0 all keep the limits, 1 some do not, 2 not usable. The true values are the C library's for double; where
// function_reference.cpp has shown that an error is small, they are not asked.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "function_reference.h"
#include "rt.h"

namespace {

constexpr double kPi = 3.14159265358979323846;

// The sine of half turns: the C library has no such functions. Arguments are floats, so that what is left of whole turns is
// exact.
double sinpi(double x) {
  double t = x - 2 * std::rint(x / 2);
  if (std::fabs(t) > 0.5) t = std::copysign(1, t) - t;
  const double r = std::sin(t * kPi);
  return r == 0 ? std::copysign(r, x) : r;
}
double cospi(double x) {
  const double t = std::fabs(x - 2 * std::rint(x / 2));
  return t <= 0.25 ? std::cos(t * kPi) : t < 0.75 ? std::sin((0.5 - t) * kPi) : -std::cos((1 - t) * kPi);
}
bool isEven(double whole) { return std::rint(whole / 2) * 2 == whole; }
double tanpi(double x) {
  const double n = std::rint(x), t = x - n;
  if (!(std::fabs(x) < INFINITY)) return NAN;
  if (t == 0) return std::copysign(0.0, isEven(n) ? x : -x);
  if (std::fabs(t) == 0.5) return isEven(std::floor(x)) ? INFINITY : -INFINITY;
  return std::fabs(t) <= 0.25 ? std::tan(t * kPi) : std::copysign(1 / std::tan((0.5 - std::fabs(t)) * kPi), t);
}
double powr(double x, double y) {
  const bool limit = x == 0 || x == INFINITY;
  if (!(x >= 0) || y != y || (limit && y == 0) || (x == 1 && std::isinf(y))) return NAN;
  return std::pow(std::fabs(x), y);
}
// In long double: 1/n as a double would be off by too much.
double rootn(double x, double n) {
  const bool odd = std::fmod(n, 2) != 0;
  if (n == 0 || (x < 0 && !odd)) return NAN;
  const double r = static_cast<double>(std::pow(std::fabs(static_cast<long double>(x)), 1 / static_cast<long double>(n)));
  return odd ? std::copysign(r, x) : r;
}

using Unary = double (*)(double);
using Binary = double (*)(double, double);

// `own`: what this library promises, where OpenCL allows more.
struct Function {
  const char* name;
  double limit, own;
  Unary one;
  Binary two = nullptr;
  bool whole = false;  // the second argument is an int
};

const Function kFunctions[] = {
    {"exp", 3, 1.1, [](double x) { return std::exp(x); }},
    {"exp2", 3, 1.1, [](double x) { return std::exp2(x); }},
    {"exp10", 3, 1, [](double x) { return std::pow(10.0, x); }},
    {"expm1", 3, 1, [](double x) { return std::expm1(x); }},
    {"log", 3, 1, [](double x) { return std::log(x); }},
    {"log2", 3, 1, [](double x) { return std::log2(x); }},
    {"log10", 3, 1, [](double x) { return std::log10(x); }},
    {"log1p", 2, 1, [](double x) { return std::log1p(x); }},
    {"sin", 4, 2.2, [](double x) { return std::sin(x); }},
    {"cos", 4, 2.2, [](double x) { return std::cos(x); }},
    {"tan", 5, 1, [](double x) { return std::tan(x); }},
    {"sinpi", 4, 1, sinpi},
    {"cospi", 4, 1, cospi},
    {"tanpi", 6, 1, tanpi},
    {"asin", 4, 1, [](double x) { return std::asin(x); }},
    {"acos", 4, 1, [](double x) { return std::acos(x); }},
    {"atan", 5, 1, [](double x) { return std::atan(x); }},
    {"asinpi", 5, 1, [](double x) { return std::asin(x) / kPi; }},
    {"acospi", 5, 1, [](double x) { return std::acos(x) / kPi; }},
    {"atanpi", 5, 1, [](double x) { return std::atan(x) / kPi; }},
    {"sinh", 4, 1, [](double x) { return std::sinh(x); }},
    {"cosh", 4, 1, [](double x) { return std::cosh(x); }},
    {"tanh", 5, 3.3, [](double x) { return std::tanh(x); }},
    {"asinh", 4, 1, [](double x) { return std::asinh(x); }},
    {"acosh", 4, 1, [](double x) { return std::acosh(x); }},
    {"atanh", 5, 1, [](double x) { return std::atanh(x); }},
    {"cbrt", 2, 1, [](double x) { return std::cbrt(x); }},
    {"erf", 16, 3.3, [](double x) { return std::erf(x); }},
    {"erfc", 16, 1, [](double x) { return std::erfc(x); }},
    {"rsqrt", 2, 2, [](double x) { return 1 / std::sqrt(x); }},
    {"pow", 16, 1, nullptr, [](double x, double y) { return std::pow(x, y); }},
    {"powr", 16, 1, nullptr, powr},
    {"pown", 16, 1, nullptr, [](double x, double y) { return std::pow(x, y); }, true},
    {"rootn", 16, 1, nullptr, rootn, true},
    {"atan2", 6, 1, nullptr, [](double y, double x) { return std::atan2(y, x); }},
    {"atan2pi", 6, 1, nullptr, [](double y, double x) { return std::atan2(y, x) / kPi; }},
    {"hypot", 4, 1, nullptr, [](double x, double y) { return std::hypot(x, y); }},
};

float fromBits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

uint32_t mixed(uint32_t x) {  // a permutation without much order
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// The second argument for a first one: half of them such that powers stay finite.
uint32_t secondBits(uint32_t first, bool whole) {
  const uint32_t bits = mixed(first * 2654435761u + 12345u);
  if (whole) return (bits & 1) != 0 ? static_cast<uint32_t>(static_cast<int32_t>(bits) >> 25) : bits;
  return (bits & 1) != 0 ? (bits & 0x807fffffu) | ((120u + (bits >> 23) % 14u) << 23) : bits;
}

// In units of the last place of the float next to the true value; negative: a special value is wrong.
double errorOf(float got, double expected) {
  const float rounded = static_cast<float>(expected);
  if (expected != expected) return got != got ? 0 : -1;
  if (std::isinf(rounded) && std::isinf(got)) return (got > 0) == (rounded > 0) ? 0 : -1;
  if (expected == 0) return got == 0 && std::signbit(got) == std::signbit(rounded) ? 0 : -1;
  if (std::isinf(rounded) || std::isinf(got) || got != got) return -1;
  int exponent = 0;
  (void)std::frexp(expected, &exponent);
  const int unit = (exponent < -125 ? -125 : exponent) - 24;
  return std::ldexp(std::fabs(static_cast<double>(got) - expected), -unit);
}

[[noreturn]] void fail(const char* what) {
  char message[400] = "";
  (void)rtGetLastErrorMessage(message, sizeof message, nullptr);
  std::fprintf(stderr, "function_errors: %s: %s\n", what, message);
  std::exit(2);
}

void check(rtStatus_t status, const char* what) {
  if (status < 0) fail(what);
}

class Measure {
 public:
  Measure(rtContext_t context, uint32_t step, const std::string& options) : context_(context), step_(step), options_(options) {
    check(rtContextGetDefaultStream(&stream_, context), "a stream");
    check(rtMalloc(&x_, kChunk * sizeof(uint32_t), context), "memory");
    check(rtMalloc(&y_, kChunk * sizeof(uint32_t), context), "memory");
    check(rtMalloc(&out_, kChunk * sizeof(float), context), "memory");
  }

  ~Measure() {
    for (void* pointer : {x_, y_, out_}) (void)rtFree(pointer);
  }
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;

  // False: beyond `limit`, or a special value is wrong.
  bool run(const Function& function, double limit) {
    build(function);
    double worst = 0;
    uint32_t x_worst = 0, y_worst = 0;
    uint64_t wrong = 0;
    std::vector<uint32_t> x(kChunk), y(kChunk);
    std::vector<float> got(kChunk), near(kChunk);
    std::vector<double> wide(kChunk), expected(kChunk);
    for (uint64_t start = 0; start < (uint64_t{1} << 32); start += uint64_t{kChunk} * step_) {
      uint32_t count = 0;
      for (uint64_t at = start; count < kChunk && at < (uint64_t{1} << 32); at += step_, ++count) {
        x[count] = static_cast<uint32_t>(at);
        if (function.two != nullptr) y[count] = secondBits(x[count], function.whole);
        wide[count] = static_cast<double>(fromBits(x[count]));
      }
      compute(x, y, function.two != nullptr, &got);
      const bool quickly = function.one != nullptr && reference::fill(function.name, expected.data(), wide.data(), count);
      if (quickly) reference::errors(near.data(), got.data(), expected.data(), count, 0.6);
      for (uint32_t i = 0; i < count; ++i) {
        if (quickly && static_cast<double>(near[i]) <= worst - 1e-4) continue;
        const double second = function.whole ? static_cast<int32_t>(y[i]) : static_cast<double>(fromBits(y[i]));
        const double argument = static_cast<double>(fromBits(x[i]));
        const double error = errorOf(got[i], function.two != nullptr ? function.two(argument, second) : function.one(argument));
        if (error < 0 && wrong++ == 0) {
          std::printf("%s(%a, %a) is %a\n", function.name, argument, second, static_cast<double>(got[i]));
        }
        if (error <= worst) continue;
        worst = error;
        x_worst = x[i];
        y_worst = y[i];
      }
    }
    std::printf("| %s | %g | %.4f | %a", function.name, function.limit, worst, static_cast<double>(fromBits(x_worst)));
    if (function.whole) std::printf(", %d", static_cast<int>(y_worst));
    if (function.two != nullptr && !function.whole) std::printf(", %a", static_cast<double>(fromBits(y_worst)));
    std::printf(" |%s\n", wrong != 0 ? " special values are wrong" : worst > limit ? " beyond its limit" : "");
    std::fflush(stdout);
    (void)rtModuleDestroy(module_);
    return wrong == 0 && worst <= limit;
  }

 private:
  static constexpr uint32_t kChunk = 1 << 18, kGroup = 256;

  void build(const Function& function) {
    const std::string second = function.two == nullptr ? "" : function.whole ? ", (int)y[i]" : ", as_float(y[i])";
    const std::string source =
        std::string("kernel void run(global const uint* x, global const uint* y, global float* out) {\n") +
        "  const int i = get_global_id(0);\n  out[i] = " + function.name + "(as_float(x[i])" + second + ");\n}\n";
    check(rtModuleCreateFromSource(&module_, source.c_str(), options_.c_str(), context_), function.name);
    check(rtModuleGetKernel(&kernel_, "run", module_), function.name);
  }

  void compute(const std::vector<uint32_t>& x, const std::vector<uint32_t>& y, bool two, std::vector<float>* got) {
    check(rtMemcpy(x_, x.data(), kChunk * sizeof(uint32_t), RT_MEMCPY_DEFAULT), "a copy");
    if (two) check(rtMemcpy(y_, y.data(), kChunk * sizeof(uint32_t), RT_MEMCPY_DEFAULT), "a copy");
    void* args[] = {&x_, &y_, &out_};
    check(rtLaunchKernel(kernel_, kChunk / kGroup, 1, 1, kGroup, 1, 1, 0, stream_, args, 3), "a launch");
    check(rtStreamSynchronize(stream_), "a launch");
    check(rtMemcpy(got->data(), out_, kChunk * sizeof(float), RT_MEMCPY_DEFAULT), "a copy");
  }

  rtContext_t context_;
  uint32_t step_;
  std::string options_;
  rtStream_t stream_ = nullptr;
  rtModule_t module_ = nullptr;
  rtKernel_t kernel_ = nullptr;
  void *x_ = nullptr, *y_ = nullptr, *out_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  uint32_t step = 40009;
  std::vector<std::string> only;
  std::string options;
  bool own = true;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i];
    if (word == "--step") step = static_cast<uint32_t>(std::strtoul(argv[i + 1], nullptr, 10));
    if (word == "--only") only.emplace_back(argv[i + 1]);
    if (word == "--options") options = argv[i + 1];
    if (word == "--limits") own = std::strcmp(argv[i + 1], "OWN") == 0;
  }
  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  check(rtDeviceGetByName(&device, "cpu"), "the CPU");
  check(rtContextCreate(&context, nullptr, device), "the CPU");
  bool kept = step != 0;
  std::printf("| function | limit | error | at |\n| --- | --- | --- | --- |\n");
  if (kept) {
    Measure measure(context, step, options);
    for (const Function& function : kFunctions) {
      bool wanted = only.empty();
      for (const std::string& name : only) wanted = wanted || name == function.name;
      if (wanted) kept = measure.run(function, own ? function.own : function.limit) && kept;
    }
  }
  check(rtContextDestroy(context), "the end");
  return kept ? 0 : 1;
}
