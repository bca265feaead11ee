// Runs what the prelude writes. Functions of it are put in loops over arrays, compiled by a compiler that the test finds,
// loaded, and called with the test's values. Tests that use it run once for each compiler; some also with the text that CUDA
// gets, and the host's functions in the places of CUDA's.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/builtins/builtins.h"
#include "compiler/builtins/prelude.h"
#include "compiler/lowering/cuda/names.h"
#include "cuda_stand_in.h"
#include "support/native_compiler.h"

namespace manyrt::compiler {

// The flags that the text promises to compile with, and those that the CPU's builds use.
inline constexpr char kStrictFlags[] =
    "-std=c++17 -O3 -Wall -Wextra -Werror -ffp-contract=off -fno-math-errno -fno-trapping-math";

inline std::string findProgram(const std::string& name) {
  const char* path = getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

// A folder that goes with its content.
class Folder {
 public:
  Folder() : path_(testing::TempDir() + "prelude_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "There is no folder like " << path_ << ".";
  }
  ~Folder() {
    for (const char* name : {"text.cpp", "text.so", "log"}) unlink(file(name).c_str());
    rmdir(path_.c_str());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string contentOf(const std::string& file) {
  std::ifstream stream(file);
  std::stringstream content;
  content << stream.rdbuf();
  return content.str();
}

// Compiles text.cpp of the folder; what the compiler said goes into `log`.
inline bool compileText(const Folder& folder, const std::string& compiler, const std::string& text, const std::string& flags,
                        std::string* log) {
  std::ofstream(folder.file("text.cpp")) << text;
  const std::string command = "'" + compiler + "' " + flags + " -o '" + folder.file("text.so") + "' '" +
                              folder.file("text.cpp") + "' >'" + folder.file("log") + "' 2>&1";
  const bool good = system(command.c_str()) == 0;
  *log = contentOf(folder.file("log"));
  return good;
}

inline constexpr char kForCuda[] = "cuda";  // instead of a compiler's name

class PreludeLoops : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* name = forCuda() ? "g++" : GetParam();
    compiler_ = findProgram(name);
    if (compiler_.empty()) GTEST_SKIP() << "There is no " << name << " in PATH.";
    if (!rttest::compilesForHere(compiler_)) GTEST_SKIP() << compiler_ << " compiles for another kind of processor.";
  }
  void TearDown() override {
    if (object_ != nullptr) dlclose(object_);
  }

  static bool forCuda() { return std::string(GetParam()) == kForCuda; }
  const Type* vector(Scalar scalar, uint32_t components) { return types_.vector(scalar, components); }
  QualType value(Scalar scalar, uint32_t components = 1) { return QualType{types_.vector(scalar, components)}; }
  QualType pointer(QualType pointee) { return QualType{types_.pointer(pointee)}; }

  // A loop that calls `function`; its number is what `run` takes. Pointer parameters are given element i of their array.
  size_t add(const std::string& function, const Type* result, const std::vector<QualType>& parameters) {
    const std::string name = "loop" + std::to_string(loops_);
    std::string text = "extern \"C\" void " + name + "(void* r, void* const* a, long n) { (void)r; (void)a; ";
    std::string values;
    for (size_t k = 0; k < parameters.size(); ++k) {
      const bool by_address = parameters[k]->isPointer();
      const std::string type = prelude_.type(by_address ? parameters[k]->inner.type : parameters[k].type);
      const std::string array = "p" + std::to_string(k);
      text += type + "* " + array + " = (" + type + "*)a[" + std::to_string(k) + "]; ";
      values += (k == 0 ? "" : ", ") + std::string(by_address ? "&" : "") + array + "[i]";
    }
    const std::string type = prelude_.type(result);
    if (!result->isVoid()) text += type + "* q = (" + type + "*)r; ";
    text += "for (long i = 0; i < n; ++i) " + std::string(result->isVoid() ? "" : "q[i] = ") + function + "(" + values;
    loop_text_ += text + "); }\n";
    return loops_++;
  }

  // The same for a built-in function with arguments of these types.
  size_t addCall(const std::string& name, const std::vector<QualType>& arguments) {
    const Builtin* builtin = builtins_.find(name);
    QualType result;
    std::vector<QualType> parameters;
    std::string why;
    if (builtin == nullptr || !builtins_.resolve(&result, &parameters, &why, *builtin, arguments)) {
      ADD_FAILURE() << name << ": " << why;
      return 0;
    }
    return add(prelude_.builtin(*builtin, result, parameters), result.type, parameters);
  }

  void build(const std::string& more_flags = NATIVE_PROCESSOR_FLAG) {
    std::string log;
    std::string flags = std::string(forCuda() ? kCudaFlags : kStrictFlags) + " -shared -fPIC " + more_flags;
    std::string text = prelude_.text() + loop_text_;
    if (forCuda()) {
      std::vector<std::string> unknown;
      text = kCudaStandIn + cudaText(text, &unknown);
      ASSERT_TRUE(unknown.empty()) << unknown[0];
    }
    ASSERT_TRUE(compileText(folder_, compiler_, text, flags, &log)) << log;
    object_ = dlopen(folder_.file("text.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(object_, nullptr) << dlerror();
  }

  void run(size_t loop, void* result, std::vector<const void*> arguments, size_t count) {
    using Loop = void (*)(void*, const void* const*, long);
    const Loop function = reinterpret_cast<Loop>(dlsym(object_, ("loop" + std::to_string(loop)).c_str()));
    ASSERT_NE(function, nullptr);
    function(result, arguments.data(), static_cast<long>(count));
  }

  template <typename Function>
  Function symbol(const std::string& name) {
    void* found = dlsym(object_, name.c_str());
    EXPECT_NE(found, nullptr) << name;
    return reinterpret_cast<Function>(found);
  }

  std::string compiler_;
  TypeTable types_;
  Builtins builtins_{types_};
  Prelude prelude_{types_, forCuda() ? Dialect::kCuda : Dialect::kHost};
  std::string loop_text_;

 private:
  Folder folder_;
  size_t loops_ = 0;
  void* object_ = nullptr;
};

// Values of a floating type where functions change their ways, and many others, always the same.
template <typename T>
std::vector<T> specialReals() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {0,
                           Limits::denorm_min(),
                           Limits::min() / 3,
                           Limits::min(),
                           Limits::epsilon(),
                           T(0.1),
                           T(0.25),
                           T(0.5),
                           std::nextafter(T(0.5), T(0)),
                           T(0.75),
                           std::nextafter(T(1), T(0)),
                           1,
                           std::nextafter(T(1), T(2)),
                           T(1.5),
                           2,
                           T(2.5),
                           3,
                           T(3.5),
                           4,
                           7,
                           10,
                           100,
                           T(127.5),
                           T(255.5),
                           1000,
                           T(8388607.5),
                           T(16777216),
                           T(2147483648.0),
                           T(4294967296.0),
                           T(9223372036854775808.0),
                           T(1e30),
                           Limits::max() / 2,
                           Limits::max(),
                           Limits::infinity()};
  const size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  return values;
}

template <typename T>
std::vector<T> manyReals(size_t count) {
  std::vector<T> values = specialReals<T>();
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> narrow(-20, 20);
  std::uniform_real_distribution<double> wide(-std::numeric_limits<T>::max_exponent, std::numeric_limits<T>::max_exponent);
  for (size_t i = 0; i < count; ++i) {
    values.push_back(static_cast<T>(narrow(random)));
    const T magnitude = static_cast<T>(std::exp2(static_cast<long double>(wide(random))));
    values.push_back(i % 2 == 0 ? magnitude : -magnitude);
  }
  return values;
}

template <typename T>
std::vector<T> manyIntegers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  if (sizeof(T) == 1) {
    for (int i = Limits::min(); i <= Limits::max(); ++i) values.push_back(static_cast<T>(i));
    return values;
  }
  for (int i = 0; i < 5; ++i) {
    for (T base : {T(Limits::min()), T(Limits::max() - 4), T(Limits::max() / 2), T(Limits::min() / 2), T(0), T(-5), T(100)}) {
      values.push_back(static_cast<T>(base + i));
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 30; ++i) values.push_back(static_cast<T>(random() >> (i * 2)));
  return values;
}

// How many units in the last place of T lie between a result and the exact value.
template <typename T>
double unitsBetween(T result, long double exact) {
  if (std::isnan(exact) || std::isnan(result)) return std::isnan(exact) && std::isnan(result) ? 0 : INFINITY;
  if (static_cast<long double>(result) == exact) return 0;
  using Limits = std::numeric_limits<T>;
  const long double beyond = std::ldexp(1.0L, Limits::max_exponent);  // what infinity counts as
  const auto finite = [&](long double x) { return std::fabs(x) > beyond ? std::copysign(beyond, x) : x; };
  const int exponent = exact == 0 ? Limits::min_exponent : std::ilogb(finite(exact)) + 1;
  const int unit = (exponent < Limits::min_exponent ? Limits::min_exponent : exponent) - Limits::digits;
  return static_cast<double>(std::fabs(finite(result) - finite(exact)) / std::ldexp(1.0L, unit));
}

template <typename T>
constexpr Scalar kRealOf = sizeof(T) == 4 ? Scalar::kFloat : Scalar::kDouble;

#define MANYRT_FOR_EACH_COMPILER(Suite)                                                                    \
  INSTANTIATE_TEST_SUITE_P(Compilers, Suite, testing::Values("g++", "clang++"), [](const auto& compiler) { \
    return std::string(compiler.param) == "g++" ? std::string("gcc") : std::string("clang");               \
  })

#define MANYRT_FOR_CUDA(Suite) \
  INSTANTIATE_TEST_SUITE_P(Cuda, Suite, testing::Values(kForCuda), [](const auto&) { return std::string("text"); })

}  // namespace manyrt::compiler
