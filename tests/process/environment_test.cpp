// Environment variables, each in a process of its own: RT_DEVICE, RT_LOG, RT_TRACE, RT_PROFILE, RT_LEAK_REPORT, RT_CPU_THREADS,
// RT_DISABLE, RT_MEMORY_DEBUG.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/json.h"
#include "support/process.h"

namespace rttest {
namespace {

Outcome child(std::vector<std::string> words, const Environment& environment) {
  words.insert(words.begin(), PROCESS_CHILD);
  return run(words, environment);
}

// A file of this test that is gone afterwards.
class TemporaryFile {
 public:
  TemporaryFile() : path_(testing::TempDir() + "manyrt_trace_" + std::to_string(getpid()) + ".json") {
    std::remove(path_.c_str());
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }
  std::string contents() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(TraceTest, IsCompleteJsonWithALanePerStreamAfterExitAndAfterShutdown) {
  for (const char* end : {"exit", "shutdown"}) {
    SCOPED_TRACE(end);
    TemporaryFile file;
    const Outcome outcome = child({"work", end}, {{"RT_TRACE", file.path()}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    const std::string text = file.contents();
    EXPECT_TRUE(isJson(text)) << text.substr(0, 2000);
    EXPECT_TRUE(contains(text, "traced_kernel")) << "each kernel by its name";
    EXPECT_TRUE(contains(text, "lane \\\"two\\\"")) << "the lane of a stream has its label";
    EXPECT_TRUE(contains(text, "thread_name")) << "lanes are named";
    EXPECT_TRUE(contains(text, "rtMemcpyAsync") || contains(text, "memcpy") || contains(text, "copy")) << "copies";
    EXPECT_TRUE(contains(text, "\"ph\":\"s\"") && contains(text, "\"ph\":\"f\"")) << "arrows from call to work";
    EXPECT_TRUE(contains(text, "\"ph\":\"C\"")) << "a counter of live bytes";
  }
}

TEST(TraceTest, AFullDiskOrAMissingFolderFailsNoCall) {
  for (const char* path : {"/dev/full", "/nonexistent/folder/trace.json", "/"}) {
    SCOPED_TRACE(path);
    for (const char* end : {"exit", "shutdown"}) {
      const Outcome outcome = child({"work", end}, {{"RT_TRACE", path}});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
      EXPECT_TRUE(contains(outcome.err, "RT_TRACE") || contains(outcome.err, path)) << "logged: " << outcome.err;
      EXPECT_EQ(outcome.out, "");
    }
  }
}

// Beyond the limit the kernel sends SIGXFSZ, which would end the program.
TEST(TraceTest, TheLargestSizeOfAFileEndsTheTraceAndNotTheProgram) {
  for (const char* end : {"exit", "shutdown"}) {
    SCOPED_TRACE(end);
    TemporaryFile file;
    const Outcome outcome =
        run({"/bin/sh", "-c", "ulimit -f 1 && exec \"$0\" work \"$1\"", PROCESS_CHILD, end}, {{"RT_TRACE", file.path()}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_TRUE(contains(outcome.err, file.path()) && contains(outcome.err, "too large")) << "logged: " << outcome.err;
    const size_t size = file.contents().size();
    EXPECT_TRUE(size == 512 || size == 1024) << "what fits is written: " << size;
  }
}

TEST(ProfileTest, IsATableOnStderrAfterExitAndAfterShutdown) {
  for (const char* end : {"exit", "shutdown"}) {
    SCOPED_TRACE(end);
    const Outcome outcome = child({"work", end}, {{"RT_PROFILE", "1"}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_EQ(outcome.out, "");
    for (const char* part : {"manyrt: profile\n", "kernels of cpu\n", "traced_kernel", "fill", "calls\n", "rtLaunchKernel"}) {
      EXPECT_TRUE(contains(outcome.err, part)) << part << " in: " << outcome.err;
    }
  }
}

TEST(ProfileTest, AFileIsJsonAndStderrStaysEmpty) {
  TemporaryFile file;
  const Outcome outcome = child({"work", "exit"}, {{"RT_PROFILE", file.path()}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(isJson(file.contents())) << file.contents();
  EXPECT_TRUE(contains(file.contents(), "\"name\":\"traced_kernel\",\"count\":20,")) << file.contents();
}

TEST(ProfileTest, AFullDiskOrAMissingFolderFailsNoCall) {
  for (const char* path : {"/dev/full", "/nonexistent/folder/profile.json", "/"}) {
    SCOPED_TRACE(path);
    const Outcome outcome = child({"work", "shutdown"}, {{"RT_PROFILE", path}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_TRUE(contains(outcome.err, std::string("The profile ") + path)) << "logged: " << outcome.err;
  }
}

TEST(ProfileTest, ZeroIsOff) {
  const Outcome outcome = child({"work", "exit"}, {{"RT_PROFILE", "0"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.err, "");
}

// A forked child has neither the file nor the sums.
TEST(ProfileTest, AForkedChildWritesNothing) {
  for (const char* scenario : {"fork_child_exits_normally", "fork_while_threads_use_the_library"}) {
    SCOPED_TRACE(scenario);
    TemporaryFile file;
    const Outcome outcome = child({scenario}, {{"RT_PROFILE", "1"}, {"RT_TRACE", file.path()}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_TRUE(isJson(file.contents())) << file.contents().substr(0, 2000);
    const size_t first = outcome.err.find("manyrt: profile");
    EXPECT_NE(first, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("manyrt: profile", first + 1), std::string::npos) << outcome.err;
  }
}

TEST(LeakReportTest, NamesTheHandlesByKindAndAllocationsBySizeAndLabelThatAreAliveAtShutdown) {
  Outcome outcome = child({"leak", "leak"}, {{"RT_LEAK_REPORT", "1"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  for (const char* kind : {"context", "stream", "event", "fence", "pool", "kernel", "allocation"}) {
    EXPECT_TRUE(contains(outcome.err, kind)) << kind << " in: " << outcome.err;
  }
  EXPECT_EQ(outcome.out, "");
  outcome = child({"leak", "labelled"}, {{"RT_LEAK_REPORT", "1"}});
  EXPECT_TRUE(contains(outcome.err, "manyrt: leak: 21 allocations not destroyed\nmanyrt: leak:   3000000 bytes at 0x"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, ", \"the largest\"\nmanyrt: leak:   1000 bytes at 0x")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "manyrt: leak:   5000 bytes in 5 more\n")) << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "allocated by")) << outcome.err;
  outcome = child({"leak", "labelled"}, {{"RT_LEAK_REPORT", "1"}, {"RT_MEMORY_DEBUG", "1"}});
  EXPECT_TRUE(contains(outcome.err, ", \"the largest\"\nmanyrt: leak:     allocated by thread ")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, " in rtMallocWithOptions+0x")) << outcome.err;
  outcome = child({"leak", "leak"}, {});
  EXPECT_EQ(outcome.err, "") << "only when asked for";
  outcome = child({"leak", "nothing"}, {{"RT_LEAK_REPORT", "1"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_FALSE(contains(outcome.err, "stream")) << outcome.err;
}

TEST(DefaultDeviceTest, RtDeviceNamesItAndAnAbsentOneIsNotFound) {
  Outcome outcome = child({"default_device"}, {{"RT_DEVICE", "nowhere:3"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out, "RT_ERROR_NOT_FOUND \nRT_ERROR_NOT_FOUND\n") << "never a fallback";
  outcome = child({"default_device"}, {{"RT_DEVICE", "null:0"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out, "RT_SUCCESS null:0\nRT_SUCCESS\n");
  outcome = child({"default_device"}, {{"RT_DEVICE", "cpu"}});
  EXPECT_EQ(outcome.out, "RT_SUCCESS cpu\nRT_SUCCESS\n") << outcome.text();
  outcome = child({"default_device"}, {{"RT_DEVICE", ""}});
  EXPECT_TRUE(contains(outcome.out, "RT_SUCCESS ")) << "set to nothing counts as not set: " << outcome.text();
}

TEST(CpuThreadsTest, SetsTheThreadsThatRunKernels) {
  for (const char* count : {"1", "2", "7"}) {
    const Outcome outcome = child({"cpu_threads"}, {{"RT_CPU_THREADS", count}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_EQ(outcome.out, std::string(count) + "\n");
  }
  for (const char* wrong : {"many", "0", "-3", "2x", "99999999999999999999"}) {
    SCOPED_TRACE(wrong);
    const Outcome outcome = child({"cpu_threads"}, {{"RT_CPU_THREADS", wrong}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
    EXPECT_TRUE(contains(outcome.err, "RT_CPU_THREADS")) << "a value that is no such number is logged: " << outcome.err;
  }
}

TEST(CpuThreadsTest, AWorkerThatWaitsLeavesTheOnlyProcessorToTheProgram) {
  for (const char* count : {"1", "4"}) {
    const Outcome outcome = child({"one_processor"}, {{"RT_CPU_THREADS", count}, {"RT_DISABLE", "cuda,opencl"}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
#if !defined(MANYRT_SANITIZE_ADDRESS) && !defined(MANYRT_SANITIZE_THREAD)  // where commands take a worker longer
    EXPECT_LT(std::atoi(outcome.out.c_str()), 20) << "percent of the time: 4 to 7, and 36 to 59 where a worker spins";
#endif
  }
}

TEST(DisableTest, BackendsThatAreDisabledSayWhy) {
  const Outcome outcome = child({"backends"}, {{"RT_DISABLE", "cuda,opencl"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("cpu ", 0) == 0) {
      EXPECT_TRUE(contains(line, "cpu 1 RT_SUCCESS")) << line;
    } else {
      EXPECT_TRUE(contains(line, " 0 RT_ERROR_BACKEND_UNAVAILABLE")) << line;
      EXPECT_TRUE(contains(line, "RT_DISABLE")) << line;
    }
  }
}

TEST(DisableTest, AnUnknownWordIsToldWithTheNearestKnownOne) {
  const Outcome outcome = child({"backends"}, {{"RT_DISABLE", "cuad,opencl,cuda"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.err,
            "manyrt: warning: RT_DISABLE names \"cuad\", which is unknown; \"cuda\" is near. cpu, cuda, opencl, null and cupti "
            "are known.\n");
}

TEST(ConfigTest, AMisspeltVariableIsToldWithTheNearestKnownOne) {
  const Outcome outcome =
      child({"backends"}, {{"RT_MEM_DEBUG", "1"}, {"RT_STRCIT", "1"}, {"RT_THING_OF_ANOTHER", "1"}, {"RT_OS", "1"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_TRUE(contains(outcome.err, "manyrt: warning: RT_MEM_DEBUG is no variable of manyrt; RT_MEMORY_DEBUG is near.\n"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "manyrt: warning: RT_STRCIT is no variable of manyrt; RT_STRICT is near.\n"))
      << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "RT_THING")) << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "RT_OS")) << outcome.err;
}

TEST(LogTest, LevelsAndTheCallback) {
  Outcome outcome = child({"work"}, {{"RT_LOG", "debug"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.out, "") << "the library never prints to stdout";
  outcome = child({"leak", "leak"}, {{"RT_LOG", "none"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_EQ(outcome.err, "");
  outcome = child({"work"}, {{"RT_LOG", "loud"}});
  EXPECT_EQ(outcome.exit_code, 0) << "a wrong value fails no call: " << outcome.text();
  outcome = child({"log_callback"}, {{"RT_LEAK_REPORT", "1"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_TRUE(contains(outcome.out, "stream") || contains(outcome.err, "stream")) << outcome.text();
}

TEST(LogTest, LevelDebugTellsWhatCostsTime) {
#if defined(MANYRT_SANITIZE_THREAD)
  GTEST_SKIP() << "a compiler in each run";
#endif
  Outcome outcome = child({"slow_decisions"}, {{"RT_LOG", "debug"}, {"RT_CACHE_DIR", "off"}, {"RT_CPU_BUILD", "quick"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
  EXPECT_TRUE(contains(outcome.err, "The kernel \"leaves\" runs its work-items on fibers, which is slower: "))
      << outcome.text();
  EXPECT_TRUE(contains(outcome.err,
                       "A copy of 4096 bytes from pageable memory after unfinished work reads its source into "
                       "staging memory now."))
      << outcome.text();
  outcome = child({"slow_decisions"}, {{"RT_LOG", "info"}, {"RT_CACHE_DIR", "off"}, {"RT_CPU_BUILD", "quick"}});
  EXPECT_FALSE(contains(outcome.err, "fibers") || contains(outcome.err, "pageable")) << outcome.text();
}

TEST(MemoryDebugTest, NewMemoryIsFilledWithAPattern) {
  const Outcome outcome = child({"memory_debug"}, {{"RT_MEMORY_DEBUG", "1"}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text();
}

}  // namespace
}  // namespace rttest
