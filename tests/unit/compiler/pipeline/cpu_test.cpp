// The pipeline of buildForCpu: what is built once, what comes from the cache, and what makes another key.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstring>
#include <functional>
#include <set>
#include <thread>

#include "base/fault.h"
#include "compiler/build.h"
#include "compiler/cache/cache.h"
#include "compiler/pipeline/background.h"
#include "compiler/toolchain/compiler.h"
#include "compiler/unit.h"
#include "rt.h"
#include "unit/compiler/temporary.h"

namespace manyrt::compiler {
namespace {

namespace fs = std::filesystem;

constexpr char kSource[] =
    "__kernel void fill(__global int* out, int value) {\n"
    "  out[get_global_id(0)] = value + VALUE;\n"
    "}\n";

class BuildTest : public TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    environment("RT_CC", nullptr);
    environment("RT_CACHE_DIR", path("cache").c_str());
    Compiler compiler;
    if (!findCompiler(&compiler).ok()) GTEST_SKIP() << "no C++ compiler is installed";
  }
  void TearDown() override {
    object = nullptr;
    settle();
    TemporaryTest::TearDown();
  }
  static void settle() { EXPECT_TRUE(background::awaitIdle(60'000)); }  // better code is there, and in the cache

  Status build(const std::string& source, const char* options = "", std::vector<Header> headers = {}, const char* name = "") {
    BuildRequest request;
    request.source = source;
    request.options = options;
    request.name = name;
    request.headers = std::move(headers);
    object = nullptr;
    log.clear();
    return buildForCpu(&object, &log, request);
  }
  // The first kernel, run for one group of eight items.
  int run(int value) {
    if (!object) return -1;
    const auto* module = static_cast<const rtHostModule_t*>(object->symbol(kModuleSymbol));
    if (module == nullptr || module->kernel_count == 0) return -2;
    int out[8] = {};
    int* pointer = out;
    void* args[2] = {&pointer, &value};
    UnitGroup group{};
    for (int i = 0; i < 3; ++i) group.group_count[i] = group.group_size[i] = 1;
    group.group_size[0] = 8;
    module->kernels[0].function(&group, args);
    for (int i = 1; i < 8; ++i) EXPECT_EQ(out[i], out[0]);
    return out[0];
  }
  size_t entries() const { return entriesIn("cache"); }

  Ref<Object> object;
  std::string log;
};

TEST_F(BuildTest, ASourceBecomesCodeThatRuns) {
  const Status status = build(kSource, "-DVALUE=2");
  ASSERT_TRUE(status.ok()) << status.message() << log;
  EXPECT_EQ(run(40), 42);
  settle();
  EXPECT_EQ(run(40), 42);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(BuildTest, WhatIsLoadedAlreadyIsShared) {
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok()) << log;
  const Ref<Object> first = object;
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok());
  EXPECT_EQ(object.get(), first.get());
  ASSERT_TRUE(build(kSource, "-DVALUE=3").ok());
  EXPECT_NE(object.get(), first.get());
  EXPECT_EQ(run(40), 43);
}

// The fault point spoils the text of one function after the other. Where that was optimised code, simple code takes its place.
TEST_F(BuildTest, WhatACompilerRefusesOfAnAcceptedSourceIsADefectAndSaysWhere) {
  const std::string source =
      "int twice(int x) {\n  return 2 * x;\n}\n\n__kernel void fill(__global int* out, int value) {\n"
      "  out[get_global_id(0)] = twice(value);\n}\n";
  for (const char* mode : {"quick", "optimized"}) {
    environment("RT_CPU_BUILD", mode);
    std::set<std::string> places;
    uint32_t replaced = 0;
    for (uint64_t k = 1; k < 400; ++k) {
      fault::arm(k, false);
      const Status status = build(source, ("-DK=" + std::to_string(k)).c_str(), {}, "spoiled.cl");  // not the last one's key
      if (fault::disarm() < k) break;
      if (strcmp(fault::lastFault(), "kernels.text") != 0) continue;
      if (status.ok()) {  // or it was the text of the form that this mode does not compile
        replaced += log.find("simple code runs instead") != log.npos ? 1 : 0;
        EXPECT_EQ(run(21), 42);
        continue;
      }
      const std::string said = status.message();
      EXPECT_EQ(status.code(), RT_ERROR_INTERNAL) << said;
      EXPECT_NE(said.find("a defect of manyrt"), std::string::npos) << said;
      EXPECT_NE(said.find("\"spoiled.cl\""), std::string::npos) << said;
      EXPECT_NE(said.find("mrt_spoiled"), std::string::npos) << said;  // the compiler's own words
      const size_t at = said.find(" at spoiled.cl:");
      ASSERT_NE(at, std::string::npos) << said;
      places.insert(said.substr(at, said.find(':', at + 16) - at));
    }
    if (strcmp(mode, "optimized") == 0) {
      EXPECT_EQ(places, std::set<std::string>());
      EXPECT_GE(replaced, 1u) << "the kernel, which its helper is a part of";
    } else {
      EXPECT_EQ(places, (std::set<std::string>{" at spoiled.cl:1", " at spoiled.cl:5"}));
    }
  }
}

// A thread that cannot be started leaves a stack of the build's own, however small the caller's is, and however deep the
// source.
TEST_F(BuildTest, ADeepSourceIsBuiltWhereNoThreadCanBeStarted) {
  std::string source = "__kernel void fill(__global int* out, int value) { out[get_global_id(0)] = value";
  for (int i = 0; i < 990; ++i) source += " + 1";
  source += "; }\n";
  environment("RT_CPU_BUILD", "quick");
  struct Call {
    std::function<Status()> build;
    Status status;
    bool had_no_thread;
  } call{[&] { return build(source); }, Status(), false};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* user) -> void* {
                  Call& given = *static_cast<Call*>(user);
                  for (uint64_t k = 1; k < 16 && !given.had_no_thread; ++k) {
                    fault::arm(k, false);
                    given.status = given.build();
                    fault::disarm();
                    given.had_no_thread = strcmp(fault::lastFault(), "thread") == 0;
                  }
                  return nullptr;
                },
                &call),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_TRUE(call.had_no_thread);
  ASSERT_TRUE(call.status.ok()) << call.status.message() << log;
  EXPECT_EQ(run(10), 1000);
}

TEST_F(BuildTest, WithoutAThreadAndAStackThereIsNoBuild) {
  fault::arm(1, true);
  const Status status = build(kSource, "-DVALUE=2");
  fault::disarm();
  EXPECT_EQ(status.code(), RT_ERROR_OUT_OF_MEMORY);
}

TEST_F(BuildTest, TheCacheServesWithoutTheCompiler) {
  Compiler compiler;
  ASSERT_TRUE(findCompiler(&compiler).ok());
  const std::string script = "#!/bin/sh\n[ -e " + path("broken") + " ] && exit 1\nexec " + compiler.path + " \"$@\"\n";
  environment("RT_CC", write("compiler", script, 0700).c_str());
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok()) << log;
  settle();
  object = nullptr;
  write("broken", "", 0600);  // from here on the compiler fails
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok());
  EXPECT_EQ(run(1), 3);
  EXPECT_EQ(build(kSource, "-DVALUE=7").code(), RT_ERROR_BUILD_FAILED);
}

TEST_F(BuildTest, ADamagedEntryIsBuiltAgain) {
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok()) << log;
  settle();
  object = nullptr;
  for (const auto& entry : fs::directory_iterator(path("cache"))) fs::resize_file(entry.path(), entry.file_size() / 2);
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok());
  EXPECT_EQ(run(1), 3);
}

TEST_F(BuildTest, AnEntryThatIsWholeButNoObjectIsBuiltAgain) {
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok()) << log;
  settle();
  object = nullptr;
  Digest key{};
  for (const auto& entry : fs::directory_iterator(path("cache"))) {
    const std::string name = entry.path().filename().string();
    for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
  }
  for (const std::string& wrong :
       {std::string(), std::string("abc"), std::string(4, '\xff'), std::string("\0\0\0\0rubbish", 11)}) {
    cache::store(cache::directory(), key, wrong.data(), wrong.size());
    ASSERT_TRUE(build(kSource, "-DVALUE=2").ok());
    EXPECT_EQ(run(1), 3);
    object = nullptr;
  }
}

TEST_F(BuildTest, WithoutACacheBuildsWork) {
  environment("RT_CACHE_DIR", "off");
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok()) << log;
  EXPECT_EQ(run(1), 3);
  object = nullptr;
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok()) << log;
  EXPECT_EQ(entries(), 0u);
}

TEST_F(BuildTest, AFailureHasTheUsersNameLineAndColumn) {
  const Status status = build("\n__kernel void f() {\n  nowhere = 1;\n}\n", "", {}, "mine.cl");
  EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(log.find("mine.cl:3:3: error"), std::string::npos) << log;
  EXPECT_FALSE(object);
  EXPECT_EQ(build("#error no\n").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(log.find("kernel.cl:1:"), std::string::npos) << log;
  EXPECT_EQ(build(kSource, "-no-such-option").code(), RT_ERROR_INVALID_VALUE);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(BuildTest, WarningsComeFromTheCacheToo) {
  const std::string source = "#warning look here\n__kernel void f(__global int* out, int v) { out[get_global_id(0)] = v; }\n";
  ASSERT_TRUE(build(source).ok()) << log;
  const std::string first = log;
  EXPECT_NE(first.find("look here"), std::string::npos);
  object = nullptr;
  ASSERT_TRUE(build(source).ok());
  EXPECT_EQ(log, first) << "from the cache";
  const Ref<Object> kept = object;
  ASSERT_TRUE(build(source).ok());
  EXPECT_EQ(log, first) << "from the list of what is loaded";
  ASSERT_TRUE(build(source, "-w").ok());
  EXPECT_EQ(log, "");
  EXPECT_EQ(build(source, "-Werror").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(log.find("look here"), std::string::npos);
}

TEST_F(BuildTest, HeadersInMemoryAreInTheKey) {
  const std::string source = std::string("#include \"value.h\"\n") + kSource;
  ASSERT_TRUE(build(source, "", {{"value.h", "#define VALUE 5\n"}}).ok()) << log;
  EXPECT_EQ(run(1), 6);
  ASSERT_TRUE(build(source, "", {{"value.h", "#define VALUE 6\n"}}).ok()) << log;
  EXPECT_EQ(run(1), 7);
}

TEST_F(BuildTest, FilesThatAreIncludedAreInTheKeyHoweverTheWordIsSpelled) {
  for (const char* directive : {"#include", "#inc\\\nlude", "#  include", "%:include", "#inc\\\r\nlu\\\nde"}) {
    const std::string source = std::string(directive) + " \"value.h\"\n" + kSource;
    const std::string options = "-I " + folder();
    write("value.h", "#define VALUE 5\n");
    ASSERT_TRUE(build(source, options.c_str()).ok()) << directive << log;
    EXPECT_EQ(run(1), 6);
    write("value.h", "#define VALUE 6\n");
    ASSERT_TRUE(build(source, options.c_str()).ok()) << directive << log;
    EXPECT_EQ(run(1), 7) << directive;
  }
}

TEST_F(BuildTest, ThreadsThatAskAtOnceShareOneBuild) {
  std::vector<std::thread> threads;
  Ref<Object> objects[8];
  for (Ref<Object>& mine : objects) {
    threads.emplace_back([&mine] {
      BuildRequest request;
      request.source = kSource;
      request.options = "-DVALUE=11";
      std::string words;
      (void)buildForCpu(&mine, &words, request);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Ref<Object>& mine : objects) {
    ASSERT_TRUE(mine);
    EXPECT_EQ(mine.get(), objects[0].get());
  }
}

TEST_F(BuildTest, ThreadsThatBuildAndDropDoNotMeetADeadObject) {
  std::vector<std::thread> threads;
  std::atomic<int> bad{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&bad] {
      for (int i = 0; i < 50; ++i) {
        BuildRequest request;
        request.source = kSource;
        request.options = "-DVALUE=11";
        std::string words;
        Ref<Object> mine;
        if (!buildForCpu(&mine, &words, request).ok() || mine->symbol(kModuleSymbol) == nullptr) ++bad;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bad, 0);
}

TEST_F(BuildTest, ThreadsThatAskForABadSourceAllGetItsLog) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&good] {
      BuildRequest request;
      request.source = "__kernel void f() { nowhere = 1; }\n";
      std::string words;
      Ref<Object> mine;
      const Status status = buildForCpu(&mine, &words, request);
      if (status.code() == RT_ERROR_BUILD_FAILED && words.find("nowhere") != std::string::npos) ++good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8);
}

}  // namespace
}  // namespace manyrt::compiler
