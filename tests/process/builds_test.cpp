// Many builds in one call, each test in a process of its own: how many compilers they take, and what the cache has. Compilers
// fail, and the library shuts down meanwhile. The compilers are scripts around the real one.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/process.h"
#include "unit/compiler/temporary.h"

namespace rttest {
namespace {

class ManyBuildsTest : public manyrt::compiler::TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    for (const char* name : {"cache", "tmp"}) ASSERT_EQ(mkdir(path(name).c_str(), 0700), 0);
  }
  // A compiler that does `first`, with its arguments as $*. Its time of change is part of the cache's keys.
  void writeCompiler(const std::string& first) {
    compiler_ = write("compiler", "#!/bin/sh\n" + first + "\nexec g++ \"$@\"\n", 0700);
  }
  Outcome start(const std::vector<std::string>& words, const char* cache) {
    std::vector<std::string> command = {PROCESS_CHILD};
    command.insert(command.end(), words.begin(), words.end());
    return run(command, {{"RT_CC", compiler_},
                         {"RT_CACHE_DIR", cache},
                         {"TMPDIR", path("tmp")},
                         {"RT_CPU_BUILD", "tiered"},
                         {"RT_CPU_SANITIZE", "off"},  // code for a sanitizer is compiled for each module alone
                         {"RT_DEVICE", "cpu"},
                         {"RT_DISABLE", "cuda,opencl"}});
  }
  size_t linesOf(const char* name) {
    std::ifstream file(path(name));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }

 private:
  std::string compiler_;
};

TEST_F(ManyBuildsTest, AThousandSourcesAreBuiltAtOnce) {
  const Outcome outcome = run({PROCESS_CHILD, "thousand_builds"}, {{"RT_CACHE_DIR", "off"},
                                                                   {"TMPDIR", path("tmp")},
                                                                   {"RT_CPU_BUILD", "tiered"},
                                                                   {"RT_CPU_SANITIZE", "off"},
                                                                   {"RT_DEVICE", "cpu"},
                                                                   {"RT_DISABLE", "cuda,opencl"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(entriesIn("tmp"), 0u);
}

TEST_F(ManyBuildsTest, OneProcessorTakesFewCompilersAndTheCacheNone) {
  const std::string note =
      "case \"$*\" in *-Og*) echo quick >>" + path("quick") + " ;; *) echo optimised >>" + path("optimised") + " ;; esac";
  writeCompiler(note);
  const Outcome first = start({"many_builds", "built"}, path("cache").c_str());
  EXPECT_EQ(first.exit_code, 0) << first.text();
  EXPECT_EQ(first.out + first.err, "");
  EXPECT_GE(linesOf("quick"), 1u);
  EXPECT_LE(linesOf("quick"), 4u) << "for 24 sources";
  EXPECT_EQ(linesOf("optimised"), 24u);
  EXPECT_EQ(entriesIn("cache"), 24u);
  const Outcome second = start({"many_builds", "cached"}, path("cache").c_str());
  EXPECT_EQ(second.exit_code, 0) << second.text();
  EXPECT_LE(linesOf("quick"), 4u);
  EXPECT_EQ(linesOf("optimised"), 24u);
  const Outcome third = start({"many_builds", "built"}, "off");
  EXPECT_EQ(third.exit_code, 0) << third.text();
  EXPECT_EQ(linesOf("optimised"), 48u);
}

TEST_F(ManyBuildsTest, WhereACompilerFailsOverSeveralEachHasOneOfItsOwn) {
  const std::string refuse = "if grep -q mrt_unit__1 unit0.cpp; then echo no room; exit 1; fi";
  writeCompiler(refuse);
  const Outcome outcome = start({"many_builds", "built"}, "off");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_NE(outcome.err.find("modules could not be compiled at once, and is compiled one by one: "), std::string::npos)
      << outcome.text();
  EXPECT_EQ(entriesIn("tmp"), 0u);
}

TEST_F(ManyBuildsTest, AnImageHasTheOptimisedCodeOrTheSource) {
  writeCompiler(":");
  Outcome outcome = start({"images_of_many", "good"}, "off");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out + outcome.err, "");
  writeCompiler("case \"$*\" in *-O3* | *-O1*) exit 1 ;; esac");
  outcome = start({"images_of_many", "fails"}, "off");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
}

TEST_F(ManyBuildsTest, AShutdownMeanwhileIsTheStatusOfEach) {
  const std::string hold = ": >" + path("begun") + "; while test ! -e " + path("go") + "; do sleep 0.01; done";
  writeCompiler(hold);
  const Outcome outcome = start({"shutdown_while_many_are_built", path("begun"), path("go")}, "off");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_EQ(entriesIn("tmp"), 0u);
}

}  // namespace
}  // namespace rttest
