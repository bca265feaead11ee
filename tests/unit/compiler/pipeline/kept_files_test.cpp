// Builds for debuggers and profilers: what is kept and where, and that names of any kind leave the results as they are.
#include "compiler/pipeline/kept_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>
#include <vector>

#include "backends/cpu/fiber.h"
#include "compiler/build.h"
#include "compiler/pipeline/background.h"
#include "compiler/toolchain/compiler.h"
#include "rt.h"
#include "unit/compiler/temporary.h"

namespace manyrt::compiler {
namespace {

// Names that mean something in C++, names of the library's, one name for several variables that cross a barrier.
constexpr char kNames[] =
    "int namespace(int this) {\n  int f_x_1 = this, class = 1;\n  return f_x_1 + class;\n}\n"
    "__kernel void fill(__global int* out, int value) {\n"
    "  __local int part[8];\n"
    "  int mrt_l0 = get_local_id(0), template = namespace(value);\n"
    "  for (int i = 0; i < 2; ++i) { part[mrt_l0] = template + i; barrier(CLK_LOCAL_MEM_FENCE); template += part[7 - mrt_l0]; "
    "barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  for (int i = 0; i < 3; ++i) { int value = i; barrier(CLK_LOCAL_MEM_FENCE); template += value; }\n"
    "  value += 1;\n  { int new = template + value; out[get_global_id(0)] = new; }\n"
    "}\n";
// Names twice in one block of the IR, whose uses overlap: their blocks have to lie in one another.
constexpr char kOverlapping[] =
    "__kernel void fill(__global int* out, int value) {\n  int sum = 0;\n"
    "  { int a = value; int b = a + 1; int c = a * b; sum += b - c; int d = c; sum += d; }\n"
    "  { int c = value; int a = c - 1; int d = a * c; int b = d + a; sum += b; a = b; sum -= a + d; }\n"
    "  for (int a = 0; a < 2; ++a) { int b = sum; int a = b + value; sum = a; }\n"
    "  out[get_global_id(0)] = sum;\n}\n";
constexpr char kPlain[] = "__kernel void fill(__global int* out, int value) {\n  out[get_global_id(0)] = value + 2;\n}\n";

class KeptFilesTest : public TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
#if defined(MANYRT_SANITIZE_ADDRESS) || defined(MANYRT_SANITIZE_THREAD)
    GTEST_SKIP() << "reports of sanitizers have lines without kept files";
#endif
    environment("RT_CC", nullptr);
    environment("RT_CACHE_DIR", path("cache").c_str());
    Compiler compiler;
    if (!findCompiler(&compiler).ok()) GTEST_SKIP() << "no C++ compiler is installed";
  }
  void TearDown() override {
    object = nullptr;
    EXPECT_TRUE(background::awaitIdle(60'000));
    TemporaryTest::TearDown();
  }
  Status build(const char* source, const char* options = "") {
    BuildRequest request;
    request.source = source;
    request.options = options;
    object = nullptr;
    log.clear();
    return buildForCpu(&object, &log, request);
  }
  int run(int value) {
    const auto* module = static_cast<const rtHostModule_t*>(object->symbol(kModuleSymbol));
    std::vector<uint64_t> memory(1024);
    int out[8] = {};
    int* pointer = out;
    if (auto* fibers = static_cast<const FiberCalls**>(object->symbol(kFibersSymbol))) *fibers = &cpu::fibers::kCalls;
    void* args[2] = {&pointer, &value};
    UnitGroup group{};
    for (int i = 0; i < 3; ++i) group.group_count[i] = group.group_size[i] = 1;
    group.group_size[0] = 8;
    group.local_memory = memory.data();
    module->kernels[0].function(&group, args);
    for (int i = 1; i < 8; ++i) EXPECT_EQ(out[i], out[0]);
    return out[0];
  }
  // The files of all builds below a folder.
  std::set<std::string> filesIn(const std::string& folder) {
    std::set<std::string> names;
    if (!std::filesystem::exists(folder)) return names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) names.insert(entry.path().filename());
    }
    return names;
  }

  Ref<Object> object;
  std::string log;
};

TEST_F(KeptFilesTest, NamesOfAnyKindLeaveTheResult) {
  for (const char* source : {kNames, kOverlapping}) {
    environment("RT_CPU_DEBUG", nullptr);
    ASSERT_TRUE(build(source).ok()) << log;
    const int expected = run(5);
    environment("RT_CPU_DEBUG", "1");
    const Status status = build(source);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(log.find("names of the library's"), std::string::npos) << log;
    EXPECT_EQ(run(5), expected);
    EXPECT_EQ(object->tier(), Object::Tier::kQuick);
  }
}

TEST_F(KeptFilesTest, SourceTextAndObjectOfADebuggedBuildAreKept) {
  environment("RT_CPU_DEBUG", "1");
  ASSERT_TRUE(build(kPlain).ok()) << log;
  EXPECT_EQ(run(40), 42);
  EXPECT_EQ(filesIn(path("cache/debug")), (std::set<std::string>{"kernel.cl", "unit0.cpp", "quick.so"}));
  EXPECT_EQ(entriesIn("cache"), 1u) << "nothing but this folder";
  environment("RT_CPU_DEBUG", path("own").c_str());
  ASSERT_TRUE(build(kPlain).ok()) << log;
  EXPECT_EQ(filesIn(path("own")), (std::set<std::string>{"kernel.cl", "unit0.cpp", "quick.so"}));
}

TEST_F(KeptFilesTest, AProfiledBuildKeepsBothFormsAndTheCacheGivesThemBack) {
  environment("RT_CPU_PERF", path("own").c_str());
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_TRUE(build(kPlain).ok()) << log;
    EXPECT_EQ(run(40), 42);
    EXPECT_TRUE(background::awaitIdle(60'000));
    const std::set<std::string> files = filesIn(path("own"));
    EXPECT_EQ(files.count("optimised.so"), 1u);
    EXPECT_EQ(files.count("kernel.cl"), 1u);
    object = nullptr;
    std::filesystem::remove_all(path("own"));
  }
}

TEST_F(KeptFilesTest, AFolderThatCannotBeMadeFailsNoBuild) {
  environment("RT_CPU_DEBUG", "/proc/nothing/here");
  ASSERT_TRUE(build(kPlain).ok()) << log;
  EXPECT_EQ(run(40), 42);
}

TEST_F(KeptFilesTest, TheOldestFoldersGo) {
  environment("RT_CPU_DEBUG", path("own").c_str());
  ASSERT_EQ(mkdir(path("own").c_str(), 0700), 0);
  for (int i = 0; i < 80; ++i) ASSERT_EQ(mkdir(path("own/old" + std::to_string(i)).c_str(), 0700), 0);
  ASSERT_TRUE(build(kPlain).ok()) << log;
  EXPECT_LE(entriesIn("own"), 64u);
  EXPECT_EQ(run(40), 42);
}

}  // namespace
}  // namespace manyrt::compiler
