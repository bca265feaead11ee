// What the compiler's driver says that it would start: reading it, remembering it, and compiling by it, with compilers that
// are scripts where they have to misbehave.
#include "compiler/toolchain/driver.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "children.h"
#include "compiler/image.h"
#include "support/native_compiler.h"
#include "unit/compiler/temporary.h"

namespace manyrt::compiler {
namespace {

constexpr char kGood[] = "extern \"C\" __attribute__((visibility(\"default\"))) int answer() { return 42; }\n";
constexpr char kWithMath[] =
    "extern \"C\" float sinhf(float); extern \"C\" float expf(float);\n"
    "extern \"C\" __attribute__((visibility(\"default\"))) int answer() { volatile float x = 0;\n"
    "  return 41 + (int)(sinhf(x) + expf(x)); }\n";

class DriverTest : public TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    environment("RT_CC", nullptr);
    std::filesystem::create_directory(path("tmp"));
    environment("TMPDIR", path("tmp").c_str());
  }
  void TearDown() override { EXPECT_TRUE(std::filesystem::is_empty(path("tmp"))) << "something was left behind"; }

  void use(const std::string& name) {
    environment("RT_CC", name.c_str());
    const Status status = findCompiler(&compiler);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  void useScript(const std::string& name, const std::string& text) { use(write(name, "#!/bin/sh\n" + text, 0700)); }
  UnitCommands ask() { return DriverQuestion(compiler, flags).answer(); }
  Status build(std::vector<std::string> texts, UnitCommands commands) {
    log.clear();
    return compile(&object, &log, compiler, CompileJob{std::move(texts), flags, 0, -1, std::move(commands)});
  }
  Status build(const char* text = kGood) { return build({text}, ask()); }
  // A driver that would start a script in place of cc1plus, and another one in place of the assembler.
  void useParts(const std::string& compile, const std::string& assemble) {
    write("cc1plus", "#!/bin/sh\n" + compile, 0700);
    write("as", "#!/bin/sh\n" + assemble, 0700);
    useScript("driver", "echo call >> " + path("calls") + "\necho COLLECT_GCC=$0\necho ' " + path("cc1plus") +
                            " unit.cpp -o - |'\necho ' " + path("as") + " -o unit.o'\nexit 0\n");
    ASSERT_TRUE(ask().known());
  }
  int call() {
    Ref<Object> loaded;
    Status status = Object::load(&loaded, object.data(), object.size(), "test");
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok()) return -1;
    auto function = reinterpret_cast<int (*)()>(loaded->symbol("answer"));
    return function == nullptr ? -2 : function();
  }
  size_t asked() const {
    const std::string calls = read(path("calls"));
    return static_cast<size_t>(std::count(calls.begin(), calls.end(), '\n'));
  }

  Compiler compiler;
  std::vector<std::string> flags = {"-O2", "-pipe", "-fPIC"};
  std::vector<unsigned char> object;
  std::string log;
};

// GCC's own driver, or none.
#define NEED_GCC() \
  use("g++");      \
  if (HasFatalFailure() || !ask().known()) GTEST_SKIP() << "g++ is no driver of GCC's here"

constexpr char kAnswer[] =
    "Using built-in specs.\nCOLLECT_GCC=/usr/bin/g++\nOFFLOAD_TARGET_DEFAULT=1\nTarget: x86_64-linux-gnu\n"
    "COLLECT_GCC_OPTIONS='-O2' '-pipe' '-c' '-o' 'unit.o'\n"
    " /usr/lib/gcc/12/cc1plus -quiet unit.cpp \"-march=native\" \"-DA=\\\"\\$\\\\\" -dumpbase unit.cpp -O2 -o - |\n"
    " /usr/bin/as --64 -o unit.o\n"
    "COMPILER_PATH=/usr/lib/gcc/12/\n";

UnitCommands readAnswer(const std::string& answer) {
  Compiler compiler;
  compiler.path = "/usr/bin/g++";
  compiler.search_path = "/no/such/folder";
  return readDriverAnswer(answer, compiler);
}

TEST(DriverAnswerTest, TheTwoCommandsAreRead) {
  const UnitCommands commands = readAnswer(kAnswer);
  const std::vector<std::string> compile = {
      "/usr/lib/gcc/12/cc1plus", "-quiet", "unit.cpp", "-march=native", "-DA=\"$\\", "-dumpbase", "unit.cpp", "-O2", "-o", "-"};
  const std::vector<std::string> assemble = {"/usr/bin/as", "--64", "-o", "unit.o"};
  EXPECT_EQ(commands.compile, compile);
  EXPECT_EQ(commands.assemble, assemble);
}

TEST(DriverAnswerTest, WhatHasAnotherFormIsNotUnderstood) {
  const struct {
    const char *from, *to;
  } kDamages[] = {{"COLLECT_GCC=/usr/bin/g++", "COLLECT_GCC=g++"},
                  {"COLLECT_GCC=/usr/bin/g++\n", ""},
                  {" -o - |", " -o -"},
                  {" -o - |", " -o /tmp/a.s |"},
                  {" -o - |\n", " -o - |\n as -o unit.o |\n"},
                  {"unit.cpp", "kernel.cpp"},
                  {" -o unit.o\n", " -o other.o\n"},
                  {" /usr/bin/as", " as"},
                  {" /usr/bin/as", " ../as"},
                  {" /usr/bin/as --64 -o unit.o\n", ""},
                  {" /usr/bin/as --64 -o unit.o\n", " \n"},
                  {"\"-march=native\"", "\"-march=native"}};
  for (const auto& damage : kDamages) {
    std::string answer = kAnswer;
    for (size_t at = 0; (at = answer.find(damage.from, at)) != std::string::npos; at += strlen(damage.to)) {
      answer.replace(at, strlen(damage.from), damage.to);
    }
    ASSERT_NE(answer, kAnswer) << damage.from;
    EXPECT_FALSE(readAnswer(answer).known()) << answer;
  }
  for (const char* answer :
       {"", "\n", " ", " \n \n", "COLLECT_GCC=/usr/bin/g++", " |\n |\n", "clang version 14.0.6\n \"a\" \"b\"\n"}) {
    EXPECT_FALSE(readAnswer(answer).known()) << answer;
  }
}

TEST_F(DriverTest, WhatIsStartedDirectlyMakesTheSameBytes) {
  NEED_GCC();
  const std::vector<std::string> texts = {kWithMath, "extern \"C\" int other() { return 1; }\n"};
  ASSERT_TRUE(build(texts, {}).ok()) << log;
  const std::vector<unsigned char> by_driver = object;
  const Status status = build(texts, ask());
  ASSERT_TRUE(status.ok()) << status.message() << log;
  EXPECT_EQ(object, by_driver);
  EXPECT_EQ(log, "");
  EXPECT_EQ(call(), 42);
}

TEST_F(DriverTest, ABadSourceFailsWithTheCompilersWordsAndTheUsersLines) {
  NEED_GCC();
  const char* wrong = "#line 7 \"mine.cl\"\nint f() { return nowhere; }\n";
  EXPECT_EQ(build({wrong}, {}).code(), RT_ERROR_BUILD_FAILED);
  const std::string by_driver = log;
  const Status status = build(wrong);
  EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(std::string(status.message()).find("exit status 1"), std::string::npos) << status.message();
  EXPECT_NE(log.find("mine.cl:7:"), std::string::npos) << log;
  EXPECT_EQ(log, by_driver);
  EXPECT_TRUE(object.empty());
}

TEST_F(DriverTest, ACompilerThatCrashesIsAFailureThoughItsAssemblerIsContent) {
  useParts("echo '.globl answer'; echo words >&2; kill -SEGV $$\n", "exec as \"$@\"\n");
  const Status status = build();
  EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(std::string(status.message()).find("signal 11"), std::string::npos) << status.message();
  EXPECT_EQ(log, "words\n");
}

TEST_F(DriverTest, AnAssemblerThatGoesAwayIsBlamedAndNotTheCompilerThatWritesToIt) {
  useParts("while :; do echo nop; done\n", "echo full >&2\nexit 3\n");
  const Status status = build();
  EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(std::string(status.message()).find("exit status 3"), std::string::npos) << status.message();
  EXPECT_NE(log.find("full\n"), std::string::npos) << log;
}

TEST_F(DriverTest, ACompilerThatHangsIsKilledWithAllThatItStarted) {
  useParts("sleep 1000 &\necho $! > " + path("pid") + "\nwait\n", "exec cat\n");
  environment("RT_CC_TIMEOUT", "1");
  ASSERT_TRUE(findCompiler(&compiler).ok());
  EXPECT_EQ(build().code(), RT_ERROR_TIMEOUT);
  const std::string stat = "/proc/" + std::to_string(std::stoi(read(path("pid")))) + "/stat";
  for (int i = 0; i < 5000 && read(stat).find(" S ") != std::string::npos; ++i) usleep(1000);
  EXPECT_EQ(read(stat).find(" S "), std::string::npos);
}

TEST_F(DriverTest, FilesOfAnAssemblerAreLimited) {
  useParts("exit 0\n", "trap '' XFSZ\nhead -c 300000000 /dev/zero > unit0.o && exit 0\nwc -c < unit0.o\nexit 5\n");
  const Status status = build();
  EXPECT_NE(std::string(status.message()).find("exit status 5"), std::string::npos) << status.message();
  EXPECT_NE(log.find("268435456"), std::string::npos) << log;
}

TEST_F(DriverTest, AnAnswerIsAskedForOnce) {
  useScript("driver", "echo call >> " + path("calls") + "\nexit 0\n");
  EXPECT_FALSE(ask().known());
  EXPECT_FALSE(ask().known());
  EXPECT_EQ(asked(), 1u);
  flags.emplace_back("-g");
  EXPECT_FALSE(ask().known());
  EXPECT_EQ(asked(), 2u) << "for other flags again";
  useScript("driver", "echo call >> " + path("calls") + "\nexit 1\n");
  EXPECT_FALSE(ask().known());
  EXPECT_EQ(asked(), 3u) << "it is another driver";
}

TEST_F(DriverTest, AnAnswerHoldsForAsLongAsTheProgramsAreTheSame) {
  useParts("exit 1\n", "exit 1\n");
  EXPECT_TRUE(ask().known());
  EXPECT_EQ(asked(), 1u);
  write("cc1plus", "#!/bin/sh\nexit 0\n\n", 0700);
  EXPECT_TRUE(ask().known());
  EXPECT_EQ(asked(), 2u);
  std::filesystem::remove(path("as"));
  EXPECT_EQ(build().code(), RT_ERROR_COMPILER_NOT_FOUND);
}

TEST_F(DriverTest, ADriverThatTalksNonsenseCompiles) {
  use("g++");
  const std::string real = compiler.path;
  for (const char* nonsense : {"echo nonsense", "exit 3", "kill -SEGV $$", "echo ' a b |'; echo ' c'", "echo COLLECT_GCC=$0",
                               "head -c 1000000 /dev/zero"}) {
    SCOPED_TRACE(nonsense);
    useScript("driver", "if [ \"$1\" = '-###' ]; then " + std::string(nonsense) + "; exit 0; fi\nexec " + real + " \"$@\"\n");
    EXPECT_FALSE(ask().known());
    const Status status = build();
    ASSERT_TRUE(status.ok()) << status.message() << log;
    EXPECT_EQ(call(), 42);
  }
}

TEST_F(DriverTest, ADriverThatDoesNotAnswerCompiles) {
  use("g++");
  const std::string real = compiler.path;
  environment("RT_CC_TIMEOUT", "20");
  useScript("driver", "if [ \"$1\" = '-###' ]; then sleep 1000; fi\nexec " + real + " \"$@\"\n");
  const Status status = build();
  ASSERT_TRUE(status.ok()) << status.message() << log;
  EXPECT_EQ(call(), 42);
}

TEST_F(DriverTest, AWrapperSeesEachCompilation) {
  use("g++");
  useScript("wrapper", "echo \"$@\" >> " + path("calls") + "\nexec " + compiler.path + " \"$@\"\n");
  EXPECT_FALSE(ask().known());
  ASSERT_TRUE(build().ok()) << log;
  EXPECT_EQ(call(), 42);
  EXPECT_NE(read(path("calls")).find("-o unit0.o unit0.cpp"), std::string::npos) << read(path("calls"));
}

TEST_F(DriverTest, CcacheSeesEachCompilation) {
  const std::vector<std::string> ccache = findPrograms("ccache", "/usr/local/bin:/usr/bin:/bin");
  if (ccache.empty()) GTEST_SKIP() << "no ccache is installed";
  const std::vector<std::string> behind = findPrograms("g++", "/usr/local/bin:/usr/bin:/bin");
  if (behind.empty() || !rttest::compilesForHere(behind[0])) GTEST_SKIP() << "ccache would find no g++ for this processor";
  environment("CCACHE_DIR", path("ccache").c_str());
  environment("CCACHE_DISABLE", nullptr);
  std::filesystem::create_symlink(ccache[0], path("g++"));
  use(path("g++"));
  EXPECT_FALSE(ask().known());
  ASSERT_TRUE(build().ok()) << log;
  EXPECT_EQ(call(), 42);
  EXPECT_GT(entriesIn("ccache"), 0u);
}

TEST_F(DriverTest, ClangIsRunAsItIs) {
  const std::vector<std::string> clang = findPrograms("clang++", "/usr/local/bin:/usr/bin:/bin");
  if (clang.empty() || !rttest::compilesForHere(clang[0])) GTEST_SKIP() << "no clang++ for this processor is installed";
  use("clang++");
  EXPECT_FALSE(ask().known());
  ASSERT_TRUE(build(kWithMath).ok()) << log;
  EXPECT_EQ(call(), 42);
}

TEST_F(DriverTest, ClangIsNotAsked) {
  useScript("clang++-99", "echo call >> " + path("calls") + "\nexit 1\n");
  std::filesystem::create_symlink(compiler.path, path("compiler"));
  use(path("compiler"));
  EXPECT_FALSE(ask().known());
  EXPECT_EQ(asked(), 0u);
}

TEST_F(DriverTest, AQuestionThatNobodyWaitsForIsEnded) {
  useScript("driver", "echo $$ > " + path("pid") + "\nsleep 1000\n");
  const size_t before = openDescriptors();
  pid_t pid = 0;
  {
    const DriverQuestion question(compiler, flags);
    while (read(path("pid")).find('\n') == std::string::npos) usleep(1000);
    pid = std::stoi(read(path("pid")));
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_NE(kill(pid, 0), 0);
  EXPECT_EQ(openDescriptors(), before);
}

TEST_F(DriverTest, NoDescriptorIsLeftOpen) {
  NEED_GCC();
  ASSERT_TRUE(build().ok());
  const size_t before = openDescriptors();
  ASSERT_TRUE(build().ok());
  (void)build("wrong");
  EXPECT_EQ(openDescriptors(), before);
}

TEST_F(DriverTest, AProgramThatIgnoresItsChildrenCanBuild) {
  NEED_GCC();
  signal(SIGCHLD, SIG_IGN);
  const Status good = build();
  EXPECT_TRUE(good.ok()) << good.message() << log;
  EXPECT_EQ(build("wrong").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(log.find("wrong"), std::string::npos) << log;
  signal(SIGCHLD, SIG_DFL);
}

// Half of a text is an object for an assembler; nobody says that the compiler failed.
TEST_F(DriverTest, AHandlerThatWaitsForEveryChildDoesNoHarm) {
  NEED_GCC();
  signal(SIGCHLD, waitForEveryChild);
  for (int i = 0; i < 3; ++i) {
    const Status good = build();
    EXPECT_TRUE(good.ok()) << good.message() << log;
    EXPECT_EQ(build("wrong").code(), RT_ERROR_BUILD_FAILED);
    EXPECT_NE(log.find("wrong"), std::string::npos) << log;
  }
  signal(SIGCHLD, SIG_DFL);
}

}  // namespace
}  // namespace manyrt::compiler
