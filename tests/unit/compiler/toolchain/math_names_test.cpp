// The names of libm as a file of their own, and what a linker makes of it.
#include "compiler/toolchain/math_names.h"

#include <dlfcn.h>

#include <chrono>
#include <cstring>

#include "compiler/image.h"
#include "compiler/toolchain/compiler.h"
#include "compiler/toolchain/elf.h"
#include "unit/compiler/temporary.h"

namespace manyrt::compiler {
namespace {

// Of some there are two versions in the C library, of some one, and some are variants that are chosen when they are loaded.
constexpr const char* kNames[] = {"expf", "exp",   "powf", "pow",  "log2f",  "sinf",
                                  "cos",  "sinhf", "erff", "fmaf", "hypotf", "ldexpf"};

bool has(const std::vector<unsigned char>& file, const std::string& text) {
  const std::string all(file.begin(), file.end());
  return all.find(std::string(1, '\0') + text + std::string(1, '\0')) != std::string::npos;
}

TEST(MathNamesTest, NamesThatLibmHasNotAreLeftOut) {
  bool understood = false;
  EXPECT_TRUE(mathNames({}, &understood).empty());
  EXPECT_TRUE(understood);
  EXPECT_TRUE(mathNames({"k_f_update_60", "", "printf", "exp_"}, &understood).empty());
  const std::vector<unsigned char> file = mathNames({"k_f_update_60", "expf", "malloc"}, &understood);
  EXPECT_TRUE(has(file, "expf"));
  EXPECT_TRUE(has(file, "libm.so.6"));
  EXPECT_FALSE(has(file, "malloc"));
  EXPECT_FALSE(has(file, "k_f_update_60"));
}

TEST(MathNamesTest, NoFunctionIsForgotten) {
  bool understood = false;
  const std::vector<unsigned char> file = mathNames({std::begin(kNames), std::end(kNames)}, &understood);
  for (const char* name : kNames) EXPECT_TRUE(has(file, name)) << name;
}

class MathLinkTest : public TemporaryTest {};

TEST_F(MathLinkTest, AKernelGetsTheFunctionsOfTheNewestVersion) {
  environment("RT_CC", nullptr);
  Compiler compiler;
  if (!findCompiler(&compiler).ok()) GTEST_SKIP() << "no C++ compiler is installed";
  std::string text;
  for (const char* name : kNames) {
    text += std::string("extern \"C\" void ") + name + "();\nextern \"C\" __attribute__((visibility(\"default\"))) void* of_" +
            name + "() { return (void*)" + name + "; }\n";
  }
  std::vector<unsigned char> bytes;
  std::string log;
  const Status status = compile(&bytes, &log, compiler, CompileJob{{text}, {"-O1", "-fPIC", "-fno-builtin", "-w"}});
  ASSERT_TRUE(status.ok()) << status.message() << log;
  Ref<Object> object;
  ASSERT_TRUE(Object::load(&object, bytes.data(), bytes.size(), "test").ok());
  void* library = dlopen("libm.so.6", RTLD_LAZY);
  ASSERT_NE(library, nullptr);
  for (const char* name : kNames) {
    auto* function = reinterpret_cast<void* (*)()>(object->symbol((std::string("of_") + name).c_str()));
    ASSERT_NE(function, nullptr) << name;
    EXPECT_EQ(function(), dlsym(library, name)) << name;
  }
  dlclose(library);
}

// GNU ld goes round for ever over names that are there twice: the driver would link in the end, after the linker's time.
TEST_F(MathLinkTest, UnitsMayCallTheSameFunctions) {
  environment("RT_CC", nullptr);
  Compiler compiler;
  if (!findCompiler(&compiler).ok()) GTEST_SKIP() << "no C++ compiler is installed";
  std::vector<std::string> texts;
  for (const char* unit : {"first", "second", "third"}) {
    texts.push_back("extern \"C\" { double sin(double); double pow(double, double); float sinf(float); float expf(float); }\n" +
                    std::string("extern \"C\" __attribute__((visibility(\"default\"))) double ") + unit +
                    "(double x) { return sin(x) + pow(x, x) + sinf(x) + expf(x); }\n");
  }
  std::vector<unsigned char> bytes;
  std::string log;
  const auto began = std::chrono::steady_clock::now();
  const Status status = compile(&bytes, &log, compiler, CompileJob{texts, {"-O1", "-fPIC", "-fno-builtin"}});
  ASSERT_TRUE(status.ok()) << status.message() << log;
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(9));
  Ref<Object> object;
  ASSERT_TRUE(Object::load(&object, bytes.data(), bytes.size(), "test").ok());
  EXPECT_NE(object->symbol("third"), nullptr);
}

}  // namespace
}  // namespace manyrt::compiler
