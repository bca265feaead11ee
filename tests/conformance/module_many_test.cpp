// Many modules of one call, on every device that builds kernels: what is built, and what one failure leaves of the others.
// Processes, caches and compilers are in tests/process/builds_test.cpp.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "support/capable_devices.h"

namespace rttest {
namespace {

// Sources that a compiler is given together: helpers of one name, local memory and barriers, constants, several kernels.
std::string sourceOf(uint32_t number) {
  const std::string n = std::to_string(number);
  const std::string helper = "uint help(uint x) { return x * 3 + " + n + "; }\n";
  switch (number % 5) {
    case 0:
      return helper + "__kernel void run(__global uint* out) { out[get_global_id(0)] = help(get_global_id(0)); }\n";
    case 1:
      return helper +
             "__kernel void run(__global uint* out) {\n"
             "  __local uint all[16];\n"
             "  const uint i = get_local_id(0);\n"
             "  all[i] = get_global_id(0);\n"
             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
             "  out[get_global_id(0)] = help(all[15 - i] + 2 * i - 15);\n"
             "}\n";
    case 2:
      return "__constant uint table[4] = {" + n + ", 3, 2, 1};\n" + helper +
             "__kernel void other(__global uint* out) { out[0] = table[3]; }\n"
             "__kernel void run(__global uint* out) { out[get_global_id(0)] = help(get_global_id(0)) - " +
             n + " + table[0]; }\n";
    case 3:
      return helper +
             "__kernel void run(__global uint* out) {\n"
             "  const float4 x = (float4)(get_global_id(0), 1, 2, 3);\n"
             "  out[get_global_id(0)] = help((uint)fma(x, (float4)(1), (float4)(0)).x);\n"
             "}\n";
    default:
      return "typedef struct { uint a, b; } Pair;\n" + helper +
             "__kernel void run(__global uint* out) {\n"
             "  const Pair pair = {help(get_global_id(0)), 0};\n"
             "  atomic_xchg(&out[get_global_id(0)], pair.a + pair.b);\n"
             "}\n";
  }
}

constexpr char kBad[] = "__kernel void run(__global uint* out) {\n  out[0] = absent;\n}\n";

// While one stands, builds find nothing in the folder of compiled kernels.
class NoCache {
 public:
  NoCache() {
    const char* const before = std::getenv("RT_CACHE_DIR");
    if (before != nullptr) before_ = before;
    setenv("RT_CACHE_DIR", "off", 1);
  }
  ~NoCache() {
    if (before_.empty()) {
      unsetenv("RT_CACHE_DIR");
    } else {
      setenv("RT_CACHE_DIR", before_.c_str(), 1);
    }
  }
  NoCache(const NoCache&) = delete;
  NoCache& operator=(const NoCache&) = delete;

 private:
  std::string before_;
};

class ModuleManyTest : public DeviceTest {
 protected:
  static constexpr uint32_t kItems = 32;

  void TearDown() override {
    clear();
    DeviceTest::TearDown();
  }
  void clear() {
    for (const rtModule_t module : modules_) EXPECT_RT_OK(rtModuleDestroy(module));
    modules_.clear();
  }
  rtStatus_t build(const std::vector<const char*>& sources, const std::vector<const rtModuleOptions_t*>& options = {}) {
    clear();
    modules_.assign(sources.size(), garbage<rtModule_t>());
    statuses_.assign(sources.size(), 7);
    return rtModuleBuildMany(modules_.data(), statuses_.data(), sources.data(), static_cast<uint32_t>(sources.size()),
                             options.empty() ? nullptr : options.data(), context_);
  }
  // Whether a module is that of sourceOf(number).
  void expectRuns(rtModule_t module, uint32_t number) {
    std::vector<uint32_t> values(kItems);
    Memory memory;
    rtKernel_t kernel = nullptr;
    ASSERT_NE(module, nullptr);
    ASSERT_RT_OK(rtModuleGetKernel(&kernel, "run", module));
    ASSERT_RT_OK(rtMalloc(memory.out(), kItems * 4, context_));
    ASSERT_RT_OK(launchOver(kernel, stream_, kItems / 16, 16, memory.as<uint32_t>()));
    ASSERT_RT_OK(rtMemcpyAsync(values.data(), memory.get(), kItems * 4, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    for (uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(values[i], i * 3 + number) << "item " << i << " of source " << number;
  }
  std::vector<rtModule_t> modules_;
  std::vector<rtStatus_t> statuses_;
};
INSTANTIATE_TEST_SUITE_P(, ModuleManyTest, testing::ValuesIn(devicesWith({RT_CAPABILITY_KERNELS})), testName);

TEST_P(ModuleManyTest, EachSourceIsAModuleOfItsOwn) {
  const NoCache none;  // all of them are built
  // Drivers take a tenth of a second for each.
  const uint32_t count = GetParam() == "cpu" ? 23 : 6;
  std::vector<std::string> texts;
  std::vector<const char*> sources;
  for (uint32_t i = 0; i < count; ++i) texts.push_back(sourceOf(i));
  for (const std::string& text : texts) sources.push_back(text.c_str());
  sources.push_back("");  // a program without kernels
  ASSERT_RT_OK(build(sources));
  EXPECT_EQ(statuses_, std::vector<rtStatus_t>(count + 1, RT_SUCCESS));
  for (uint32_t i = 0; i < count; ++i) {
    expectRuns(modules_[i], i);
    uint32_t kernels = 0;
    rtModuleInfo_t info = RT_MODULE_INFO_INIT;
    EXPECT_RT_OK(rtModuleGetKernelCount(&kernels, modules_[i]));
    EXPECT_EQ(kernels, i % 5 == 2 ? 2u : 1u);
    EXPECT_RT_OK(rtModuleGetInfo(&info, modules_[i]));
    EXPECT_STREQ(info.name, "kernel.cl");
    EXPECT_GT(info.load_ns, 0u);
  }
  uint32_t kernels = 1;
  EXPECT_RT_OK(rtModuleGetKernelCount(&kernels, modules_[count]));
  EXPECT_EQ(kernels, 0u);
  // Where quick code runs first: the code that stays gives the same results.
  for (uint32_t i = 0; i < count; ++i) {
    EXPECT_RT_OK(rtModuleWait(modules_[i], RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
    expectRuns(modules_[i], i);
  }
}

TEST_P(ModuleManyTest, EachSourceHasOptionsAndANameOfItsOwn) {
  const char* const source =
      "#include \"base.h\"\n"
      "__kernel void run(__global uint* out) { out[get_global_id(0)] = get_global_id(0) * 3 + BASE + MORE; }\n";
  const char* const header_name = "base.h";
  const char* const headers[] = {"#define BASE 100\n", "#define BASE 200\n"};
  rtModuleOptions_t options[2] = {RT_MODULE_OPTIONS_INIT, RT_MODULE_OPTIONS_INIT};
  for (int i = 0; i < 2; ++i) {
    options[i].name = i == 0 ? "first.cl" : "second.cl";
    options[i].build_options = i == 0 ? "-DMORE=1" : "-DMORE=2";
    options[i].header_count = 1;
    options[i].header_names = &header_name;
    options[i].headers = &headers[i];
  }
  options[1].format = RT_IMAGE_OPENCL_C;
  const std::string plain = sourceOf(0);
  ASSERT_RT_OK(build({source, plain.c_str(), source}, {&options[0], nullptr, &options[1]}));
  expectRuns(modules_[0], 101);
  expectRuns(modules_[1], 0);
  expectRuns(modules_[2], 202);
  rtModuleInfo_t info = RT_MODULE_INFO_INIT;
  EXPECT_RT_OK(rtModuleGetInfo(&info, modules_[2]));
  EXPECT_STREQ(info.name, "second.cl");
}

TEST_P(ModuleManyTest, OneThatFailsLeavesTheOthers) {
  const std::string good[] = {sourceOf(0), sourceOf(1)};
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.name = "bad.cl";
  for (size_t place = 0; place < 3; ++place) {
    std::vector<const char*> sources = {good[0].c_str(), good[1].c_str()};
    std::vector<const rtModuleOptions_t*> all = {nullptr, nullptr};
    sources.insert(sources.begin() + static_cast<ptrdiff_t>(place), kBad);
    all.insert(all.begin() + static_cast<ptrdiff_t>(place), &options);
    EXPECT_RT(RT_ERROR_BUILD_FAILED, build(sources, all));
    const std::string message = lastMessage();
    const std::string begin = "Source " + std::to_string(place) + " of 3 (\"bad.cl\"): ";
    EXPECT_NE(message.find(begin), std::string::npos) << message;
    EXPECT_NE(message.find("absent"), std::string::npos) << "the compiler's log: " << message;
    for (size_t i = 0, number = 0; i < 3; ++i) {
      EXPECT_EQ(statuses_[i], i == place ? RT_ERROR_BUILD_FAILED : RT_SUCCESS) << place << " " << i;
      if (i == place) {
        EXPECT_EQ(modules_[i], nullptr);
      } else {
        expectRuns(modules_[i], static_cast<uint32_t>(number++));
      }
    }
  }
}

TEST_P(ModuleManyTest, TheFirstOfSeveralFailuresIsTheOneThatIsTold) {
  const std::string good = sourceOf(0);
  rtModuleOptions_t wrong = RT_MODULE_OPTIONS_INIT, binary = RT_MODULE_OPTIONS_INIT, unknown = RT_MODULE_OPTIONS_INIT;
  wrong.build_options = "-no-such-option";
  binary.format = RT_IMAGE_MANYRT;
  unknown.format = 77;
  const char* const source = good.c_str();
  EXPECT_RT(RT_ERROR_INVALID_VALUE,
            build({source, nullptr, kBad, source, source, source}, {nullptr, nullptr, nullptr, &wrong, &binary, &unknown}));
  EXPECT_EQ(statuses_, (std::vector<rtStatus_t>{RT_SUCCESS, RT_ERROR_INVALID_VALUE, RT_ERROR_BUILD_FAILED,
                                                RT_ERROR_INVALID_VALUE, RT_ERROR_INVALID_VALUE, RT_ERROR_INVALID_VALUE}));
  EXPECT_NE(lastMessage().find("Source 1 of 6, the first of 5 that failed: The source is NULL."), std::string::npos)
      << lastMessage();
  expectRuns(modules_[0], 0);
  for (size_t i = 1; i < 6; ++i) EXPECT_EQ(modules_[i], nullptr);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, build({source}, {&binary}));
  EXPECT_NE(lastMessage().find("rtModuleLoadData"), std::string::npos) << lastMessage();
}

TEST_P(ModuleManyTest, TheSameSourceManyTimesIsAsManyModules) {
  const std::string one = sourceOf(1), other = sourceOf(2);
  ASSERT_RT_OK(build({one.c_str(), one.c_str(), other.c_str(), one.c_str()}));
  EXPECT_NE(modules_[0], modules_[1]);
  EXPECT_RT_OK(rtModuleDestroy(modules_[0]));
  modules_[0] = nullptr;
  expectRuns(modules_[1], 1);
  expectRuns(modules_[2], 2);
  expectRuns(modules_[3], 1);
  // The same that fails: each is told.
  EXPECT_RT(RT_ERROR_BUILD_FAILED, build({kBad, kBad}));
  EXPECT_EQ(statuses_, std::vector<rtStatus_t>(2, RT_ERROR_BUILD_FAILED));
}

TEST_P(ModuleManyTest, ModulesMayEndInAnyOrderRightAfter) {
  constexpr uint32_t kFirst = 100, kCount = 5, kKept = 3;
  std::vector<std::string> texts;
  std::vector<const char*> sources;
  for (uint32_t i = 0; i < kCount; ++i) texts.push_back(sourceOf(kFirst + i));
  for (const std::string& text : texts) sources.push_back(text.c_str());
  ASSERT_RT_OK(build(sources));
  Memory memory;
  rtKernel_t kernel = nullptr;
  ASSERT_RT_OK(rtMalloc(memory.out(), kItems * 4, context_));
  ASSERT_RT_OK(rtModuleGetKernel(&kernel, "run", modules_[0]));
  ASSERT_RT_OK(launchOver(kernel, stream_, kItems / 16, 16, memory.as<uint32_t>()));
  for (const size_t i : {0, 4, 1, 2}) {
    EXPECT_RT_OK(rtModuleDestroy(modules_[i]));
    modules_[i] = nullptr;
  }
  expectRuns(modules_[kKept], kFirst + kKept);
  // Sources that lived a moment ago, and one that still does.
  std::reverse(sources.begin(), sources.end());
  const rtModule_t kept = std::exchange(modules_[kKept], nullptr);
  ASSERT_RT_OK(build(sources));
  for (uint32_t i = 0; i < kCount; ++i) expectRuns(modules_[i], kFirst + kCount - 1 - i);
  expectRuns(kept, kFirst + kKept);
  EXPECT_RT_OK(rtModuleDestroy(kept));
}

TEST_P(ModuleManyTest, ACallThatIsRefusedGivesNothing) {
  const std::string text = sourceOf(0);
  const char* const sources[] = {text.c_str(), text.c_str()};
  rtModule_t modules[2] = {garbage<rtModule_t>(), garbage<rtModule_t>()};
  rtStatus_t statuses[2] = {7, 7};
  const auto expectNothing = [&](rtStatus_t status) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(modules[i], nullptr);
      EXPECT_EQ(statuses[i], status);
      modules[i] = garbage<rtModule_t>();
      statuses[i] = 7;
    }
  };
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleBuildMany(modules, statuses, nullptr, 2, nullptr, context_));
  expectNothing(RT_ERROR_INVALID_VALUE);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleBuildMany(modules, statuses, sources, 2, nullptr, garbage<rtContext_t>()));
  expectNothing(RT_ERROR_INVALID_HANDLE);
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleBuildMany(nullptr, statuses, sources, 2, nullptr, context_));
  EXPECT_EQ(statuses[1], RT_ERROR_INVALID_VALUE);
  statuses[1] = 7;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleBuildMany(modules, statuses, sources, 0, nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleBuildMany(modules, statuses, sources, 65537, nullptr, context_));
  EXPECT_EQ(statuses[1], 7) << "arrays of an impossible length are not written";
  // Statuses are optional.
  ASSERT_RT_OK(rtModuleBuildMany(modules, nullptr, sources, 2, nullptr, nullptr));
  for (const rtModule_t module : modules) EXPECT_RT_OK(rtModuleDestroy(module));
}

}  // namespace
}  // namespace rttest
