// The two tiers of buildForCpu: quick code first, better code later. Compilers fail, objects go early, or memory is short. The
// compilers that misbehave are scripts around the real one.
#include "compiler/pipeline/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <latch>
#include <mutex>
#include <thread>

#include "base/fault.h"
#include "base/handles/epoch.h"
#include "base/log.h"
#include "compiler/build.h"
#include "compiler/toolchain/compiler.h"
#include "compiler/unit.h"
#include "rt.h"
#include "unit/compiler/temporary.h"

namespace manyrt::compiler {
namespace {

namespace fs = std::filesystem;

constexpr char kSource[] =
    "__kernel void sums(__global float* out, float value) {\n"
    "  uint i = get_global_id(0);\n"
    "  float sum = 0.1f;\n"
    "  for (uint k = 0; k < 9; ++k) sum += value * (float)(i + k);\n"
    "  out[i] = sum;\n"
    "}\n";

class TiersTest : public TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    environment("RT_CC", nullptr);
    environment("RT_CPU_BUILD", nullptr);
    environment("RT_CACHE_DIR", path("cache").c_str());
    environment("TMPDIR", folder().c_str());
    if (!findCompiler(&compiler).ok()) GTEST_SKIP() << "no C++ compiler is installed";
    (void)log::setCallback(&TiersTest::keep, this, RT_LOG_WARNING);
  }
  void TearDown() override {
    object = nullptr;
    EXPECT_TRUE(settle());
    (void)log::setCallback(nullptr, nullptr, RT_LOG_WARNING);
    TemporaryTest::TearDown();
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder(), none)) {  // of the compilers
      EXPECT_EQ(entry.path().filename().string().find("manyrt-"), std::string::npos) << entry.path();
    }
  }
  static void keep(int32_t, const char* message, void* user) {
    TiersTest& test = *static_cast<TiersTest*>(user);
    std::lock_guard lock(test.mutex);
    test.logged += message;
  }
  static bool settle() { return background::awaitIdle(60'000); }

  Status build(const std::string& source = kSource, const char* options = "") {
    BuildRequest request;
    request.source = source;
    request.options = options;
    object = nullptr;
    words.clear();
    epoch::Scope scope;  // as a call of a program: what it logs has been said when it returns
    return buildForCpu(&object, &words, request);
  }
  // A compiler that does `instead` where it is asked for optimised code.
  void compilerWith(const std::string& instead) {
    const std::string script =
        "#!/bin/sh\ncase \"$*\" in\n*-O3* | *-O1*) " + instead + " ;;\nesac\nexec " + compiler.path + " \"$@\"\n";
    environment("RT_CC", write("compiler", script, 0700).c_str());
  }
  const KernelCode* better() const { return object->better().load(); }
  static std::vector<float> call(rtHostKernelFunction_t function) {
    std::vector<float> out(37, -1);
    float* pointer = out.data();
    float value = 0.3f;
    void* args[2] = {&pointer, &value};
    UnitGroup group{};
    for (int i = 0; i < 3; ++i) group.group_count[i] = group.group_size[i] = 1;
    group.group_size[0] = 37;
    alignas(64) static char arena[16 << 10];  // more than any of the kernels here keeps for its items
    group.local_memory = arena;
    function(&group, args);
    return out;
  }
  rtHostKernelFunction_t first() const {
    return static_cast<const rtHostModule_t*>(object->symbol(kModuleSymbol))->kernels[0].function;
  }
  size_t entries() const {
    size_t count = 0;
    std::error_code none;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(path("cache"), none)) ++count;
    return count;
  }

  Compiler compiler;
  Ref<Object> object;
  std::string words;  // of the build
  std::mutex mutex;
  std::string logged;
};

TEST_F(TiersTest, BetterCodeComesWithTheSameBitsAndGoesIntoTheCache) {
  ASSERT_TRUE(build().ok()) << words;
  const std::vector<float> quick = call(first());
  ASSERT_TRUE(settle());
  ASSERT_NE(better(), nullptr);
  EXPECT_NE(better()[0].function, first());
  const std::vector<float> good = call(better()[0].function);
  EXPECT_EQ(memcmp(quick.data(), good.data(), quick.size() * sizeof(float)), 0);
  EXPECT_EQ(entries(), 1u);
  ASSERT_TRUE(build().ok());
  EXPECT_EQ(better(), nullptr) << "it is the better one: from the cache";
  EXPECT_EQ(call(first()), good);
}

TEST_F(TiersTest, AProgramMayWaitForOptimisedCodeOrDoWithoutIt) {
  environment("RT_CPU_BUILD", "optimized");
  ASSERT_TRUE(build().ok()) << words;
  EXPECT_EQ(entries(), 1u);
  const std::vector<float> good = call(first());
  environment("RT_CPU_BUILD", "quick");
  ASSERT_TRUE(build().ok()) << words;
  ASSERT_TRUE(settle());
  EXPECT_EQ(better(), nullptr);
  EXPECT_EQ(entries(), 2u) << "under a key of its own";
  EXPECT_EQ(call(first()), good);
  environment("RT_CPU_BUILD", "fast");
  ASSERT_TRUE(build().ok());
  EXPECT_NE(logged.find("RT_CPU_BUILD=fast"), std::string::npos) << logged;
}

TEST_F(TiersTest, WhatHasOneFormIsBuiltAtOnce) {
  for (const char* options :
       {"-cl-opt-disable", "-g", "-cl-fast-relaxed-math", "-cl-no-signed-zeros", "-cl-finite-math-only"}) {
    const size_t before = entries();
    ASSERT_TRUE(build(kSource, options).ok()) << words;
    const size_t folders = strcmp(options, "-g") == 0 && fs::exists(path("cache/debug")) ? 1 : 0;  // for debuggers
    EXPECT_EQ(entries(), before + 1 + folders) << options;
    ASSERT_TRUE(settle());
    EXPECT_EQ(better(), nullptr) << options;
  }
}

TEST_F(TiersTest, AnObjectThatGoesEarlyLeavesBetterCodeInTheCache) {
  ASSERT_TRUE(build().ok()) << words;
  object = nullptr;
  ASSERT_TRUE(settle());
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(logged, "");
}

TEST_F(TiersTest, WhoAsksAgainMeanwhileGetsTheSameObject) {
  compilerWith("while test ! -e " + path("go") + "; do sleep 0.01; done");
  ASSERT_TRUE(build().ok()) << words;
  const Object* before = object.get();
  object = nullptr;
  ASSERT_TRUE(build().ok()) << words;
  EXPECT_EQ(object.get(), before);
  EXPECT_EQ(better(), nullptr);
  EXPECT_EQ(entries(), 0u);
  write("go", "");
  ASSERT_TRUE(settle());
  EXPECT_NE(better(), nullptr);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(TiersTest, ThreadsThatAskAtOnceShareBothTiers) {
  std::vector<std::thread> threads;
  Ref<Object> objects[8];
  for (Ref<Object>& mine : objects) {
    threads.emplace_back([&mine] {
      BuildRequest request;
      request.source = kSource;
      std::string log;
      (void)buildForCpu(&mine, &log, request);
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(settle());
  for (const Ref<Object>& mine : objects) {
    ASSERT_TRUE(mine);
    EXPECT_EQ(mine.get(), objects[0].get());
    EXPECT_NE(mine->better().load(), nullptr);
  }
  EXPECT_EQ(entries(), 1u);
}

// Threads of the library that stand still, so that work waits until they are let go.
class Blockers {
 public:
  explicit Blockers(uint32_t count) : standing_(count) {
    for (uint32_t i = 0; i < count; ++i) {
      const auto stand = [this](int) {
        standing_.count_down();
        gate_.wait();
      };
      EXPECT_TRUE(background::submit(stand).ok());
    }
    standing_.wait();  // else what is submitted next may come first
  }
  void release() { gate_.count_down(); }

 private:
  std::latch standing_, gate_{1};
};

TEST_F(TiersTest, TheMostUrgentWorkIsDoneFirstAndOfEqualsTheFirst) {
  ASSERT_GE(background::mostThreads(), 1u);
  Blockers until_the_end(background::mostThreads() - 1), first(1);
  std::mutex appending;
  std::string order;  // under it
  const auto add = [&](char name) {
    std::lock_guard lock(appending);
    order += name;
  };
  const auto submit = [&](char name, const std::atomic<uint64_t>* urgency) {
    EXPECT_TRUE(background::submit([&add, name](int) { add(name); }, [urgency] { return urgency->load(); }).ok());
  };
  // Threads that look for work ask at any time.
  const std::atomic<uint64_t> none = 0, some = 5, more = 9;
  std::atomic<uint64_t> late = 0;
  submit('a', &none);
  submit('b', &some);
  submit('c', &late);
  submit('d', &more);
  submit('e', &some);
  EXPECT_TRUE(background::submit([&add](int) { add('f'); }).ok());
  late = 7;  // it is asked when a thread looks for work
  first.release();
  const auto all_ran = [&] {
    std::lock_guard lock(appending);
    return order.size() == 6;
  };
  EXPECT_TRUE(background::await(all_ran, Deadline::after(60'000'000'000)));
  EXPECT_EQ(order, "dcbefa") << "what is not needed yet waits for a while";
  until_the_end.release();
  EXPECT_TRUE(settle());
}

TEST_F(TiersTest, WhatHasRunLongestIsOptimisedFirstAndWhatIsWaitedForBeforeIt) {
  environment("RT_CACHE_DIR", "off");
  compilerWith("for word do case $word in *.cpp) grep -o 'marker_[0-9]' \"$word\" | head -n 1 >>" + path("order") +
               " ;; esac; done");
  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  rtStream_t stream = nullptr;
  ASSERT_EQ(rtDeviceGetByName(&device, "cpu"), RT_SUCCESS);
  ASSERT_EQ(rtContextCreate(&context, nullptr, device), RT_SUCCESS);
  ASSERT_EQ(rtContextGetDefaultStream(&stream, context), RT_SUCCESS);
  Blockers until_the_end(background::mostThreads() - 1), first(1);
  rtModule_t modules[4];
  const uint32_t turns[4] = {1, 2'000'000, 1, 20'000'000};
  for (uint32_t i = 0; i < 4; ++i) {
    const std::string name = "marker_" + std::to_string(i);
    const std::string source = "__kernel void " + name +
                               "(__global uint* out, uint n) { uint s = n;\n"
                               "  for (uint k = 0; k < n; ++k) s = s * 5 + k;\n  out[0] = s; }";
    ASSERT_EQ(rtModuleCreateFromSource(&modules[i], source.c_str(), "", context), RT_SUCCESS);
    rtKernel_t kernel = nullptr;
    void* out = nullptr;
    ASSERT_EQ(rtModuleGetKernel(&kernel, name.c_str(), modules[i]), RT_SUCCESS);
    ASSERT_EQ(rtMalloc(&out, 4, context), RT_SUCCESS);
    uint32_t n = turns[i];
    void* args[] = {&out, &n};
    ASSERT_EQ(rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, args, 2), RT_SUCCESS);
    ASSERT_EQ(rtStreamSynchronize(stream), RT_SUCCESS);
    ASSERT_EQ(rtFree(out), RT_SUCCESS);
  }
  EXPECT_EQ(rtModuleWait(modules[2], RT_MODULE_OPTIMIZED, 0), RT_ERROR_TIMEOUT);  // from here on it is waited for
  first.release();
  const auto compiled = [&] {
    std::ifstream order(path("order"));
    std::string line, lines;
    while (std::getline(order, line)) lines += line.back();
    return lines;
  };
  EXPECT_TRUE(background::await([&] { return compiled().size() == 4; }, Deadline::after(60'000'000'000)));
  EXPECT_EQ(compiled(), "2310");
  until_the_end.release();
  ASSERT_TRUE(settle());
  for (rtModule_t module : modules) EXPECT_EQ(rtModuleDestroy(module), RT_SUCCESS);
  EXPECT_EQ(rtContextDestroy(context), RT_SUCCESS);
}

TEST_F(TiersTest, ACompilerThatFailsInTheBackgroundLeavesTheQuickCodeAndALine) {
  const std::string source = std::string("#warning look here\n") + kSource;
  environment("RT_CC_TIMEOUT", "1");
  for (const char* instead : {"echo no >&2; exit 3", "kill -SEGV $$", "sleep 1000", "exit 0"}) {
    SCOPED_TRACE(instead);
    compilerWith(instead);
    logged.clear();
    ASSERT_TRUE(build(source).ok()) << words;
    const std::string said = words;
    ASSERT_TRUE(settle());
    EXPECT_EQ(better(), nullptr);
    EXPECT_EQ(entries(), 0u);
    EXPECT_NE(logged.find("\"kernel.cl\" could not be made"), std::string::npos) << logged;
    EXPECT_EQ(call(first()).size(), 37u);
    const Ref<Object> kept = object;
    ASSERT_TRUE(build(source).ok());
    EXPECT_EQ(object.get(), kept.get());
    EXPECT_EQ(words, said) << "the log of a build does not change";
  }
}

TEST_F(TiersTest, ObjectsWithoutAThreadOrMemoryForBetterCodeStayAsTheyAre) {
  bool met_background = false;
  for (uint64_t k = 1; k < 40; ++k) {
    const std::string source = std::string(kSource) + "// " + std::to_string(k) + "\n";
    logged.clear();
    fault::arm(k, false);
    const Status status = build(source);
    const bool settled = settle();
    const uint64_t passed = fault::disarm();
    ASSERT_TRUE(settled);
    const std::string failed = fault::lastFault();
    if (passed < k) break;
    met_background = met_background || failed == "kernels.background";
    if (!status.ok()) continue;
    EXPECT_EQ(call(first()).size(), 37u) << failed;
    if (better() == nullptr) {
      EXPECT_NE(logged, "") << failed;
    }
  }
  EXPECT_TRUE(met_background);
}

TEST_F(TiersTest, HelpersOfUnitsInSeveralTextsAreFoundInEach) {
  std::string source = "__constant float table[4] = {1, 2, 3, 4};\nfloat helper(float a) { return a * table[1] + table[2]; }\n";
  for (int i = 0; i < 6; ++i) {
    source += "__kernel void k" + std::to_string(i) + "(__global float* out, float value) {\n" +
              "  uint i = get_global_id(0);\n  float4 v = (float4)(value, i, 1.0f, 2.0f);\n" +
              "  for (int k = 0; k < 5; ++k) v = v * v.yzwx + helper(v.x) * 0.001f;\n  out[i] = dot(v, v) + " +
              std::to_string(i) + ".0f;\n}\n";
  }
  ASSERT_TRUE(build(source).ok()) << words;
  ASSERT_TRUE(settle());
  ASSERT_NE(better(), nullptr);
  const auto* quick = static_cast<const rtHostModule_t*>(object->symbol(kModuleSymbol));
  ASSERT_EQ(quick->kernel_count, 6u);
  for (uint32_t i = 0; i < 6; ++i) {
    const std::vector<float> a = call(quick->kernels[i].function), b = call(better()[i].function);
    EXPECT_EQ(memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << i;
  }
}

}  // namespace
}  // namespace manyrt::compiler
