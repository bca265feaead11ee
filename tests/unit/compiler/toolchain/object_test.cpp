// Loading machine code: many objects that are told apart, none that is damaged, and no descriptor left over.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "compiler/image.h"
#include "compiler/toolchain/compiler.h"
#include "compiler/toolchain/elf.h"
#include "unit/compiler/temporary.h"

namespace manyrt::compiler {
namespace {

using Bytes = std::vector<unsigned char>;

class ObjectTest : public TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    Compiler compiler;
    if (!findCompiler(&compiler).ok()) GTEST_SKIP() << "no C++ compiler is installed";
    first_ = build(1);
    second_ = build(2);
  }

  static Bytes build(int number) {
    Compiler compiler;
    Bytes object;
    std::string log;
    EXPECT_TRUE(findCompiler(&compiler).ok());
    const std::string text =
        "static int count = " + std::to_string(number * 1000) +
        ";\nextern \"C\" __attribute__((visibility(\"default\"))) int next() { return ++count; }\n" +
        "extern \"C\" __attribute__((visibility(\"default\"))) const int number = " + std::to_string(number) + ";\n";
    EXPECT_TRUE(compile(&object, &log, compiler, CompileJob{{text}, {"-O1", "-fPIC"}}).ok()) << log;
    return object;
  }
  static Ref<Object> load(const Bytes& bytes) {
    Ref<Object> object;
    const Status status = Object::load(&object, bytes.data(), bytes.size(), "test");
    EXPECT_TRUE(status.ok()) << status.message();
    return object;
  }
  static int next(const Ref<Object>& object) { return reinterpret_cast<int (*)()>(object->symbol("next"))(); }

  Bytes first_, second_;
};

TEST_F(ObjectTest, SymbolsAreFoundAndOthersAreNull) {
  const Ref<Object> object = load(first_);
  EXPECT_EQ(*static_cast<int*>(object->symbol("number")), 1);
  EXPECT_EQ(object->symbol("count"), nullptr);
  EXPECT_EQ(object->symbol("nothing of this name"), nullptr);
}

TEST_F(ObjectTest, EachLoadIsALibraryOfItsOwn) {
  const Ref<Object> a = load(first_), b = load(first_), c = load(second_);
  EXPECT_EQ(next(a), 1001);
  EXPECT_EQ(next(a), 1002);
  EXPECT_EQ(next(b), 1001);
  EXPECT_EQ(next(c), 2001);
}

TEST_F(ObjectTest, AThousandLoadsAreToldApartAndLeaveNothing) {
  const Ref<Object> kept = load(second_);
  const size_t before = openDescriptors();
  for (int i = 0; i < 500; ++i) {
    const Ref<Object> a = load(first_), b = load(second_);
    ASSERT_EQ(*static_cast<int*>(a->symbol("number")), 1) << i;
    ASSERT_EQ(*static_cast<int*>(b->symbol("number")), 2) << i;
    ASSERT_EQ(next(a), 1001) << i;
  }
  EXPECT_EQ(openDescriptors(), before);
}

std::string pathOf(const Ref<Object>& object) {
  Dl_info about = {};
  EXPECT_NE(dladdr(object->symbol("number"), &about), 0);
  return about.dli_fname;
}

// As a debugger does.
TEST_F(ObjectTest, ThePathOpensTheFileFromAnotherProcessUntilTheObjectIsUnloaded) {
  Ref<Object> object = load(first_);
  const std::string path = pathOf(object);
  const pid_t other = fork();
  if (other == 0) {
    closefrom(3);  // whatever number the file has, here it is another's
    int pipes[64];
    for (int i = 0; i < 64; i += 2) {
      if (pipe(pipes + i) != 0) _exit(2);
    }
    alarm(60);
    _exit(read(path) == std::string(first_.begin(), first_.end()) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0) << path;
  object = nullptr;
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST_F(ObjectTest, AForkedChildUsesWhatIsLoadedAndItsParentGone) {
  const Ref<Object> object = load(first_);
  int done[2];
  ASSERT_EQ(pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (fork() != 0) _exit(0);
    alarm(120);
    const bool right = next(object) == 1001 && object->symbol("next") != nullptr && next(load(second_)) == 2001;
    const char result = right ? 'y' : 'n';
    _exit(::write(done[1], &result, 1) == 1 ? 0 : 1);
  }
  close(done[1]);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  char result = 0;
  EXPECT_EQ(::read(done[0], &result, 1), 1);
  EXPECT_EQ(result, 'y');
  close(done[0]);
}

TEST_F(ObjectTest, ManyObjectsKeepAQuarterOfTheDescriptorsAndNoPathLeadsElsewhere) {
#if defined(MANYRT_SANITIZE_ADDRESS) || defined(MANYRT_SANITIZE_THREAD)
  GTEST_SKIP() << "a sanitizer reads the file of each object";
#endif
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 80;
  const size_t open_before = openDescriptors();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  {
    std::vector<Ref<Object>> objects;
    for (int i = 0; i < 300; ++i) objects.push_back(load(i % 2 == 0 ? first_ : second_));
    EXPECT_LE(openDescriptors(), open_before + 20);
    EXPECT_GE(openDescriptors(), open_before + 15);
    size_t reachable = 0;
    for (size_t i = 0; i < objects.size(); ++i) {
      ASSERT_EQ(next(objects[i]), i % 2 == 0 ? 1001 : 2001) << i;
      const std::string path = pathOf(objects[i]);
      if (access(path.c_str(), F_OK) != 0) continue;
      ++reachable;
      ASSERT_EQ(read(path),
                std::string(i % 2 == 0 ? first_.begin() : second_.begin(), i % 2 == 0 ? first_.end() : second_.end()));
    }
    EXPECT_EQ(reachable, openDescriptors() - open_before);
  }
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(openDescriptors(), open_before);
}

TEST_F(ObjectTest, NoObjectTakesAStandardDescriptor) {
  const int input = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  const Ref<Object> object = load(first_);
  EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1);
  if (input >= 0) {
    dup2(input, STDIN_FILENO);
    close(input);
  }
}

TEST_F(ObjectTest, TheCodeStaysUntilTheLastRefAndGoesWithIt) {
  auto mapped = [] {
    const std::string maps = read("/proc/self/maps");
    size_t count = 0;
    for (size_t at = maps.find("memfd:manyrt"); at != std::string::npos; at = maps.find("memfd:manyrt", at + 1)) ++count;
    return count;
  };
  const size_t before = mapped();
  Ref<Object> object = load(first_);
  Ref<Object> other = object;
  EXPECT_GT(mapped(), before);
  object = nullptr;
  EXPECT_EQ(next(other), 1001);
  static const Object* gone;
  gone = nullptr;
  other->watch([](const Object* dying) { gone = dying; });
  const Object* const address = other.get();
  other = nullptr;
  EXPECT_EQ(gone, address);
  EXPECT_EQ(mapped(), before);
}

TEST_F(ObjectTest, NoTruncatedImageIsLoaded) {
  for (size_t size = 0; size < first_.size(); size += size < 1024 ? 1 : 37) {
    Ref<Object> object;
    const Bytes part(first_.begin(), first_.begin() + static_cast<ptrdiff_t>(size));  // at its end, for the sanitizers
    const Status status = Object::load(&object, part.data(), part.size(), "part");
    ASSERT_EQ(status.code(), RT_ERROR_INVALID_IMAGE) << size;
    ASSERT_FALSE(object);
    ASSERT_NE(std::string(status.message()).find("\"part\" (" + std::to_string(size) + " bytes)"), std::string::npos)
        << status.message();
  }
}

TEST_F(ObjectTest, ForeignImagesAreRefusedWithTheReason) {
  auto refusal = [](const Bytes& bytes) {
    Ref<Object> object;
    const Status status = Object::load(&object, bytes.data(), bytes.size(), "test");
    EXPECT_EQ(status.code(), RT_ERROR_INVALID_IMAGE);
    return std::string(status.message());
  };
  Bytes changed = first_;
  changed[18] ^= 0xff;  // e_machine
  EXPECT_NE(refusal(changed).find("another machine"), std::string::npos);
  changed = first_;
  changed[EI_CLASS] = ELFCLASS32;
  EXPECT_NE(refusal(changed).find("another machine"), std::string::npos);
  changed = first_;
  changed[16] = ET_EXEC;
  EXPECT_NE(refusal(changed).find("type"), std::string::npos);
  changed = first_;
  changed[0] = 'x';
  EXPECT_NE(refusal(changed).find("no ELF file"), std::string::npos);
  EXPECT_NE(refusal({}).find("too short"), std::string::npos);
}

TEST_F(ObjectTest, HeadersWithRandomBytesAreRefusedOrHarmlessToTheCheck) {
  uint64_t seed = 12345;
  for (int i = 0; i < 20000; ++i) {
    Bytes changed = first_;
    for (int k = 0; k < 3; ++k) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      changed[(seed >> 33) % std::min<size_t>(changed.size(), 1024)] = static_cast<unsigned char>(seed >> 25);
    }
    (void)checkSharedObject(changed.data(), changed.size());
    std::vector<std::string> names;
    changed[16] = ET_REL;
    (void)checkRelocatable(&names, changed.data(), changed.size());
  }
}

TEST_F(ObjectTest, AnObjectThatNeedsAnUnknownSymbolIsRefusedByName) {
  Compiler compiler;
  Bytes bytes;
  std::string log;
  ASSERT_TRUE(findCompiler(&compiler).ok());
  const std::string text =
      "extern \"C\" int nobodyHasThis(); extern \"C\" __attribute__((visibility(\"default\"))) int f() { return "
      "nobodyHasThis(); }";
  ASSERT_TRUE(compile(&bytes, &log, compiler, CompileJob{{text}, {"-O1", "-fPIC"}}).ok()) << log;
  Ref<Object> object;
  const Status status = Object::load(&object, bytes.data(), bytes.size(), "test");
  EXPECT_EQ(status.code(), RT_ERROR_INVALID_IMAGE);
  EXPECT_NE(std::string(status.message()).find("nobodyHasThis"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace manyrt::compiler
