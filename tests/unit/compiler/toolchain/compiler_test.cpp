// The search for a compiler, and what compile() makes of good sources, bad ones, and compilers that misbehave. The latter
// are small scripts.
#include "compiler/toolchain/compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "base/fault.h"
#include "children.h"
#include "compiler/image.h"
#include "compiler/toolchain/process.h"
#include "support/native_compiler.h"
#include "unit/compiler/temporary.h"

namespace manyrt::compiler {
namespace {

constexpr char kGood[] = "extern \"C\" __attribute__((visibility(\"default\"))) int answer() { return 42; }\n";

class CompilerTest : public TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    environment("RT_CC", nullptr);
    std::filesystem::create_directory(path("tmp"));
    environment("TMPDIR", path("tmp").c_str());
  }
  void TearDown() override { EXPECT_TRUE(std::filesystem::is_empty(path("tmp"))) << "something was left over"; }

  Status build(const std::string& text, std::vector<std::string> flags = {"-O2", "-fPIC"}) {
    Compiler compiler;
    RT_TRY(findCompiler(&compiler));
    log.clear();
    return compile(&object, &log, compiler, CompileJob{{text}, std::move(flags)});
  }
  // With a script in place of the compiler.
  Status buildWith(const std::string& script) {
    environment("RT_CC", write("compiler", "#!/bin/sh\n" + script, 0700).c_str());
    return build(kGood);
  }
  int call(const char* name) {
    Ref<Object> loaded;
    Status status = Object::load(&loaded, object.data(), object.size(), "test");
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return -1;
    auto function = reinterpret_cast<int (*)()>(loaded->symbol(name));
    return function == nullptr ? -2 : function();
  }
  bool haveCompiler() {
    Compiler compiler;
    return findCompiler(&compiler).ok();
  }

  std::vector<unsigned char> object;
  std::string log;
};

#define NEED_COMPILER() \
  if (!haveCompiler()) GTEST_SKIP() << "no C++ compiler is installed"

TEST_F(CompilerTest, TheUsualNamesAreTakenInTheirOrder) {
  environment("PATH", (path("a") + ":" + path("b")).c_str());
  std::filesystem::create_directories(path("a"));
  std::filesystem::create_directories(path("b"));
  write("a/clang++", "#!/bin/sh\n", 0700);
  write("b/c++", "#!/bin/sh\n", 0700);
  Compiler compiler;
  ASSERT_TRUE(findCompiler(&compiler).ok());
  EXPECT_EQ(compiler.path, path("b/c++"));
  write("a/g++", "no program", 0600);
  write("b/g++", "#!/bin/sh\n", 0700);
  environment("PATH", (path("b") + ":" + path("a")).c_str());
  ASSERT_TRUE(findCompiler(&compiler).ok());
  EXPECT_EQ(compiler.path, path("b/g++"));
}

// Writes a zig that keeps what it was asked, one word a line, and is g++ in all else.
std::string zigThatIsGcc(const std::string& kept) {
  return "#!/bin/sh\nprintf '%s\\n' \"$@\" >>" + kept + "\n[ \"$1\" = c++ ] || exit 3\nshift\n" +
         "for word; do shift; case $word in -mcpu=x86_64*|-mcpu=baseline) ;; *) set -- \"$@\" \"$word\" ;; esac; done\n" +
         "exec g++ \"$@\"\n";
}

TEST_F(CompilerTest, ZigIsAskedAsTheSeveralProgramsThatItIs) {
  NEED_COMPILER();
  std::filesystem::create_directories(path("zig_folder"));
  environment("RT_CC", write("zig_folder/zig", zigThatIsGcc(path("asked")), 0700).c_str());
  const Status status = build(kGood, {"-O2", "-fPIC", "-march=x86-64-v3"});
  ASSERT_TRUE(status.ok()) << status.message() << log;
  EXPECT_EQ(call("answer"), 42);
  std::ifstream kept(path("asked"));
  std::vector<std::string> words;
  for (std::string word; std::getline(kept, word);) words.push_back(word);
  ASSERT_GE(words.size(), 3u);
  EXPECT_EQ(words[0], "c++");
  EXPECT_EQ(words[1], "-fno-sanitize=undefined");
  EXPECT_EQ(std::count(words.begin(), words.end(), "-mcpu=x86_64_v3"), 1);
  EXPECT_EQ(std::count(words.begin(), words.end(), "-march=x86-64-v3"), 0);
}

TEST_F(CompilerTest, ZigIsTheLastOfTheUsualNames) {
  environment("PATH", folder().c_str());
  write("zig", "#!/bin/sh\n", 0700);
  Compiler compiler;
  ASSERT_TRUE(findCompiler(&compiler).ok());
  EXPECT_EQ(compiler.path, path("zig"));
  EXPECT_EQ(compiler.words.front(), "c++");
  write("clang++", "#!/bin/sh\n", 0700);
  environment("PATH", (folder() + ":" + folder()).c_str());
  ASSERT_TRUE(findCompiler(&compiler).ok());
  EXPECT_EQ(compiler.path, path("clang++"));
  EXPECT_TRUE(compiler.words.empty());
}

TEST_F(CompilerTest, ZigGetsAFolderWhereHomeHasNone) {
  environment("PATH", folder().c_str());
  environment("ZIG_GLOBAL_CACHE_DIR", nullptr);
  environment("XDG_CACHE_HOME", nullptr);
  write("zig", "#!/bin/sh\n", 0700);
  const auto asked = [](const Compiler& compiler) {
    std::string found;
    for (const std::string& each : compiler.environment) {
      if (each.starts_with("ZIG_GLOBAL_CACHE_DIR=")) found = each.substr(each.find('=') + 1);
    }
    return found;
  };
  Compiler compiler;
  environment("HOME", nullptr);
  ASSERT_TRUE(findCompiler(&compiler).ok());
  EXPECT_TRUE(asked(compiler).starts_with(path("tmp") + "/")) << asked(compiler);
  environment("HOME", folder().c_str());
  ASSERT_TRUE(findCompiler(&compiler).ok());
  EXPECT_EQ(asked(compiler), "");
  environment("ZIG_GLOBAL_CACHE_DIR", path("own").c_str());
  ASSERT_TRUE(findCompiler(&compiler).ok());
  EXPECT_EQ(asked(compiler), path("own"));
}

TEST_F(CompilerTest, WithoutACompilerTheMessageSaysWhatToInstall) {
  environment("PATH", folder().c_str());
  Compiler compiler;
  const Status status = findCompiler(&compiler);
  EXPECT_EQ(status.code(), RT_ERROR_COMPILER_NOT_FOUND);
  EXPECT_NE(std::string(status.message()).find("apt install g++"), std::string::npos) << status.message();
  EXPECT_NE(std::string(status.message()).find(folder()), std::string::npos) << status.message();
}

TEST_F(CompilerTest, ACompilerThatIsAskedForByNameIsNotExchangedForAnother) {
  Compiler compiler;
  for (const char* name : {"no-such-compiler", "/no/such/compiler", "./no-such-compiler", "g++ -m32"}) {
    environment("RT_CC", name);
    const Status status = findCompiler(&compiler);
    EXPECT_EQ(status.code(), RT_ERROR_COMPILER_NOT_FOUND) << name;
    EXPECT_NE(std::string(status.message()).find(name), std::string::npos) << status.message();
  }
}

TEST_F(CompilerTest, FoldersThatAreNotAbsoluteAreNotSearched) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder());
  write("g++", "#!/bin/sh\n", 0700);
  environment("PATH", ":.:tmp/..:");
  Compiler compiler;
  EXPECT_EQ(findCompiler(&compiler).code(), RT_ERROR_COMPILER_NOT_FOUND);
  std::filesystem::current_path(before);
}

TEST_F(CompilerTest, AnotherFileOfTheSameNameIsAnotherCompiler) {
  environment("PATH", folder().c_str());
  write("g++", "#!/bin/sh\n", 0700);
  Compiler first, second;
  ASSERT_TRUE(findCompiler(&first).ok());
  write("g++", "#!/bin/sh\nexit 1\n", 0700);
  ASSERT_TRUE(findCompiler(&second).ok());
  EXPECT_EQ(first.path, second.path);
  EXPECT_NE(first.identity, second.identity);
}

TEST_F(CompilerTest, ACompilerAfterAWrapperCountsToo) {
  std::filesystem::create_directories(path("wrap"));
  environment("PATH", (path("wrap") + ":" + folder()).c_str());
  write("wrap/g++", "#!/bin/sh\n", 0700);
  write("g++", "#!/bin/sh\n", 0700);
  Compiler first, second;
  ASSERT_TRUE(findCompiler(&first).ok());
  write("g++", "#!/bin/sh\nexit 1\n", 0700);
  ASSERT_TRUE(findCompiler(&second).ok());
  EXPECT_NE(first.identity, second.identity);
}

TEST_F(CompilerTest, AGoodSourceBecomesAnObjectThatRuns) {
  NEED_COMPILER();
  const Status status = build(kGood);
  ASSERT_TRUE(status.ok()) << status.message() << log;
  EXPECT_EQ(log, "");
  EXPECT_EQ(call("answer"), 42);
}

TEST_F(CompilerTest, MathFunctionsAndTheCompilersOwnLibraryAreLinked) {
  NEED_COMPILER();
  const Status status = build(
      "extern \"C\" double cos(double);\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) int viaMath() { volatile double x = 0; return (int)cos(x); }\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) int viaOwn() {\n"
      "  volatile unsigned __int128 a = (unsigned __int128)77 << 70, b = (unsigned __int128)7 << 70; return (int)(a / b); }\n");
  ASSERT_TRUE(status.ok()) << status.message() << log;
  EXPECT_EQ(call("viaMath"), 1);
  EXPECT_EQ(call("viaOwn"), 11);
  ASSERT_TRUE(
      build("extern \"C\" float sinhf(float);\n"
            "extern \"C\" __attribute__((visibility(\"default\"))) int f() { volatile float x = 0; return (int)sinhf(x); }\n")
          .ok());
  EXPECT_EQ(call("f"), 0);
}

TEST_F(CompilerTest, EveryInstalledCompilerBuilds) {
  for (const char* name : {"g++", "clang++"}) {
    environment("RT_CC", name);
    Compiler compiler;
    if (!findCompiler(&compiler).ok() || !rttest::compilesForHere(compiler.path)) continue;
    const Status status = build(kGood);
    ASSERT_TRUE(status.ok()) << name << ": " << status.message() << log;
    EXPECT_EQ(call("answer"), 42) << name;
  }
}

TEST_F(CompilerTest, ABadSourceFailsWithTheCompilersWordsAndTheUsersLines) {
  NEED_COMPILER();
  const Status status = build("#line 7 \"mine.cl\"\nint f() { return nowhere; }\n");
  EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(log.find("mine.cl:7:"), std::string::npos) << log;
  EXPECT_NE(log.find("nowhere"), std::string::npos) << log;
  EXPECT_TRUE(object.empty());
}

TEST_F(CompilerTest, LoadingWhatRelaxedFlagsBuiltLeavesTheFloatingPointModeAlone) {
  NEED_COMPILER();
  ASSERT_TRUE(build(kGood, {"-O3", "-fPIC", "-funsafe-math-optimizations", "-fassociative-math", "-ffinite-math-only"}).ok())
      << log;
#if defined(__x86_64__)
  const unsigned before = _mm_getcsr();
  EXPECT_EQ(call("answer"), 42);
  EXPECT_EQ(_mm_getcsr(), before);
#else
  volatile float tiny = 1e-40f;
  EXPECT_EQ(call("answer"), 42);
  EXPECT_NE(tiny * 0.5f, 0.0f);
#endif
}

TEST_F(CompilerTest, ACompilerThatGivesUpIsAFailureWithItsStatusAndOutput) {
  const Status status = buildWith("echo to stdout; echo to stderr >&2; exit 3\n");
  EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(std::string(status.message()).find("exit status 3"), std::string::npos) << status.message();
  EXPECT_EQ(log, "to stdout\nto stderr\n");
}

TEST_F(CompilerTest, ACompilerThatCrashesIsAFailureWithItsSignal) {
  const Status status = buildWith("kill -SEGV $$\n");
  EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(std::string(status.message()).find("signal 11"), std::string::npos) << status.message();
}

// A compiler that has a fault of its own at one level of optimisation, as gcc 12 has over some kernels.
TEST_F(CompilerTest, ASourceThatTheCompilerBreaksDownOverIsCompiledOnceMore) {
  NEED_COMPILER();
  Compiler real;
  ASSERT_TRUE(findCompiler(&real).ok());
  const struct {
    const char *name, *fault;
    bool again;
  } kFaults[] = {{"gcc", "echo 'x.cpp:1:1: internal compiler error: in f, at g.cc:7'; exit 1", true},
                 {"clang", "echo 'PLEASE submit a bug report to https://example.org' >&2; exit 70", true},
                 {"a signal", "kill -SEGV $$", true},
                 {"an error of the source", "echo 'x.cpp:1:1: error: no'; exit 1", false},
                 {"no memory", "kill -KILL $$", false}};
  for (const auto& fault : kFaults) {
    const std::string calls = path("calls");
    const std::string script = "#!/bin/sh\necho call >> " + calls + "\ncase \"$*\" in *-O1*) exec " + real.path +
                               " \"$@\";; *-c*) " + fault.fault + ";; esac\nexec " + real.path + " \"$@\"\n";
    environment("RT_CC", write("compiler", script, 0700).c_str());
    for (const char* simpler : {"-O1", "-O0", ""}) {
      Compiler compiler;
      ASSERT_TRUE(findCompiler(&compiler).ok());
      log.clear();
      std::filesystem::remove(calls);
      CompileJob job{{kGood}, {"-O2", "-fPIC"}};
      job.simpler = simpler;
      const Status status = compile(&object, &log, compiler, job);
      const bool built = fault.again && job.simpler == "-O1";
      EXPECT_EQ(status.code(), built ? RT_SUCCESS : RT_ERROR_BUILD_FAILED) << fault.name << simpler << status.message();
      if (built) {
        EXPECT_EQ(call("answer"), 42);
      }
      const std::string called = read(calls);
      EXPECT_EQ(std::count(called.begin(), called.end(), '\n'), fault.again && simpler[0] != '\0' ? 2 : 1)
          << fault.name << simpler;
    }
  }
}

TEST_F(CompilerTest, ACompilerThatHangsIsKilledWithAllThatItStarted) {
  environment("RT_CC_TIMEOUT", "1");
  const Status status = buildWith("sleep 1000 &\necho $! > " + path("pid") + "\nwait\nsleep 1000\n");
  EXPECT_EQ(status.code(), RT_ERROR_TIMEOUT);
  EXPECT_NE(std::string(status.message()).find("after 1 seconds"), std::string::npos) << status.message();
  const pid_t pid = std::stoi(read(path("pid")));
  // Killed already; another process's child now, which may not have reaped it yet.
  for (int i = 0; i < 5000 && read("/proc/" + std::to_string(pid) + "/stat").find(" S ") != std::string::npos; ++i)
    usleep(1000);
  EXPECT_EQ(read("/proc/" + std::to_string(pid) + "/stat").find(" S "), std::string::npos);
}

TEST_F(CompilerTest, WhatACompilerLeavesRunningIsEndedAndNotWaitedFor) {
  environment("RT_CC_TIMEOUT", "100");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(buildWith("sleep 1000 &\nexit 1\n").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(90));  // it holds the output open for longer
}

TEST_F(CompilerTest, OutputIsKeptUpTo64KiBAndTheRestIsCounted) {
  const Status status = buildWith("head -c 10000000 /dev/zero | tr '\\0' 'x'\nexit 1\n");
  EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(log.substr(0, 65536), std::string(65536, 'x'));
  EXPECT_EQ(log.substr(65536), "\n(" + std::to_string(10'000'000 - 65536) + " bytes more are left out)\n");
}

TEST_F(CompilerTest, ACompilerThatWritesNothingOrRubbishIsAFailure) {
  EXPECT_EQ(buildWith("exit 0\n").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(buildWith("echo rubbish > unit0.o\n").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(buildWith(": > unit0.o\n").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(buildWith("mkfifo unit0.o\n").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(buildWith("ln -s /etc/passwd unit0.o\n").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(buildWith("mkdir -p unit0.o/a/b/c; echo x > unit0.o/a/b/c/d\n").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(buildWith("cp \"$0\" unit0.o\n").code(), RT_ERROR_BUILD_FAILED);
}

TEST_F(CompilerTest, FilesOfACompilerAreLimited) {
  const Status status = buildWith("trap '' XFSZ\nhead -c 300000000 /dev/zero > unit0.o && exit 0\nwc -c < unit0.o\nexit 5\n");
  EXPECT_NE(std::string(status.message()).find("exit status 5"), std::string::npos) << status.message();
  EXPECT_NE(log.find("268435456"), std::string::npos) << log;
}

TEST_F(CompilerTest, AProgramThatCannotBeStartedIsNoCompiler) {
  environment("RT_CC", write("compiler", "\x01\x02 no format of any system", 0700).c_str());
  EXPECT_EQ(build(kGood).code(), RT_ERROR_COMPILER_NOT_FOUND);
  environment("RT_CC", write("compiler", "#!/no/such/shell\n", 0700).c_str());
  EXPECT_EQ(build(kGood).code(), RT_ERROR_COMPILER_NOT_FOUND);
}

TEST_F(CompilerTest, TheChildSeesNeitherDescriptorsNorSignalsNorVariablesOfTheProgram) {
  const int open_descriptor = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  environment("SECRET_OF_THE_PROGRAM", "1");
  environment("CPATH", "/somewhere");
  signal(SIGUSR1, SIG_IGN);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  // The shell reads its own state itself: while it starts something else it blocks signals.
  EXPECT_EQ(buildWith("ls /proc/$$/fd\nwhile read -r line; do echo \"$line\"; done < /proc/$$/status\nenv\nulimit -c\nexit 1\n")
                .code(),
            RT_ERROR_BUILD_FAILED);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGUSR1, SIG_DFL);
  close(open_descriptor);
  EXPECT_EQ(log.find("SECRET"), std::string::npos) << log;
  EXPECT_EQ(log.find("CPATH"), std::string::npos) << log;
  EXPECT_NE(log.find("LC_ALL=C\n"), std::string::npos) << log;
  EXPECT_NE(log.find("SigBlk:\t0000000000000000"), std::string::npos) << log;
  EXPECT_NE(log.find("SigIgn:\t0000000000000000"), std::string::npos) << log;
  EXPECT_EQ(log.find("\n" + std::to_string(open_descriptor) + "\n"), std::string::npos) << log;
  EXPECT_TRUE(log.ends_with("\n0\n")) << log;
}

TEST_F(CompilerTest, NoDescriptorIsLeftOpen) {
  NEED_COMPILER();
  ASSERT_TRUE(build(kGood).ok());
  const size_t before = openDescriptors();
  ASSERT_TRUE(build(kGood).ok());
  (void)build("wrong");
  (void)buildWith("exit 1");
  EXPECT_EQ(openDescriptors(), before);
}

TEST_F(CompilerTest, AProgramThatIgnoresItsChildrenCanBuild) {
  NEED_COMPILER();
  signal(SIGCHLD, SIG_IGN);
  const Status good = build(kGood);
  EXPECT_TRUE(good.ok()) << good.message() << log;
  EXPECT_EQ(build("wrong").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(log.find("wrong"), std::string::npos) << log;
  signal(SIGCHLD, SIG_DFL);
}

TEST_F(CompilerTest, AHandlerThatWaitsForEveryChildDoesNoHarm) {
  NEED_COMPILER();
  signal(SIGCHLD, waitForEveryChild);
  for (int i = 0; i < 3; ++i) {
    const Status good = build(kGood);
    EXPECT_TRUE(good.ok()) << good.message() << log;
    EXPECT_EQ(build("wrong").code(), RT_ERROR_BUILD_FAILED);
  }
  signal(SIGCHLD, SIG_DFL);
}

TEST_F(CompilerTest, SeveralThreadsBuildAtOnce) {
  NEED_COMPILER();
  Compiler compiler;
  ASSERT_TRUE(findCompiler(&compiler).ok());
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      std::vector<unsigned char> result;
      std::string words;
      const std::string text =
          "extern \"C\" __attribute__((visibility(\"default\"))) int f() { return " + std::to_string(i) + "; }";
      if (!compile(&result, &words, compiler, CompileJob{{text}, {"-O1", "-fPIC"}}).ok()) return;
      Ref<Object> loaded;
      if (!Object::load(&loaded, result.data(), result.size(), "test").ok()) return;
      if (reinterpret_cast<int (*)()>(loaded->symbol("f"))() == i) ++good;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
}

TEST_F(CompilerTest, WithoutAFolderForFilesThereIsNoBuild) {
  NEED_COMPILER();
  fault::arm(1, true);  // every folder, those of the system too; and the memory for a sentence
  const Status status = build(kGood);
  fault::disarm();
  EXPECT_EQ(status.code(), RT_ERROR_IO);
}

// Where clone() is refused as emulators refuse it, posix_spawn starts the compiler.
TEST_F(CompilerTest, ProcessesStartWithoutCloneToo) {
  std::set<std::string> faults;
  for (uint64_t k = 1; k < 4; ++k) {
    ProcessJob job;
    job.arguments = {"/bin/sh", "-c", "pwd; ulimit -f; ulimit -c; exit 7"};
    job.environment = {"PATH=/usr/bin:/bin"};
    job.folder = path("tmp");
    job.milliseconds = 20'000;
    job.file_bytes = 1 << 20;
    job.output_bytes = 1 << 10;
    fault::arm(k, false);
    const ProcessResult result = runProcess(job);
    fault::disarm();
    faults.insert(fault::lastFault());
    if (strcmp(fault::lastFault(), "kernels.process") == 0) continue;
    EXPECT_EQ(result.end, ProcessResult::End::kExited) << fault::lastFault();
    EXPECT_EQ(result.code, 7);
    EXPECT_EQ(result.output.find(path("tmp") + "\n"), 0u) << result.output;
  }
  EXPECT_EQ(faults.count("kernels.clone"), 1u);
}

TEST_F(CompilerTest, ATemporaryFolderThatIsGoneIsReplacedByTheSystems) {
  NEED_COMPILER();
  environment("TMPDIR", path("nowhere").c_str());
  const Status status = build(kGood);
  EXPECT_TRUE(status.ok()) << status.message();
  const std::string file = path("file");
  std::ofstream(file) << "no folder";
  environment("TMPDIR", file.c_str());
  EXPECT_TRUE(build(kGood).ok());
}

TEST_F(CompilerTest, TheProcessorHasOneIdentity) {
  EXPECT_GT(cpuIdentity().size(), 8u);
  std::string other;
  std::thread([&] { other = cpuIdentity(); }).join();
  EXPECT_EQ(cpuIdentity(), other);
}

}  // namespace
}  // namespace manyrt::compiler
