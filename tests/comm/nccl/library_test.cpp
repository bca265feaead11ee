// The sentences where NCCL is missing, too old, or something else. Each case is a process of its own, as the library looks
// once.
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <utility>

#include "comm/nccl/devices.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they have a dlopen of their own
#define HIDES_NCCL

namespace {
const char* hidden = nullptr;  // a name that the loader does not find
thread_local bool hid = false;
std::atomic<char* (*)()> next_error{nullptr};  // found before a call that may fail, whose text a dlsym would clear
}  // namespace

// It is for the whole program and its libraries, in place of the C library's.
extern "C" void* dlopen(const char* file, int mode) {
  static auto* const next = reinterpret_cast<void* (*)(const char*, int)>(dlsym(RTLD_NEXT, "dlopen"));
  if (next_error.load() == nullptr) next_error = reinterpret_cast<char* (*)()>(dlsym(RTLD_NEXT, "dlerror"));
  hid = hidden != nullptr && file != nullptr && strcmp(file, hidden) == 0;
  return hid ? nullptr : next(file, mode);
}

extern "C" char* dlerror() {
  static char text[] = "libnccl.so.2: cannot open shared object file: No such file or directory";
  if (std::exchange(hid, false)) return text;
  char* (*const next)() = next_error;
  return next == nullptr ? nullptr : next();
}
#endif

namespace commtest {
namespace {

class NcclLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (rttest::cudaDeviceCount() < 1) GTEST_SKIP() << "no CUDA device";
  }
};

// Creates a communicator and exits with 0 where that fails with BACKEND_UNAVAILABLE; the sentence goes to stderr.
[[noreturn]] void createAndTell(const char* nccl, const char* version, const char* engine) {
  if (nccl == nullptr) (void)unsetenv("RT_NCCL");
  if (nccl != nullptr) (void)setenv("RT_NCCL", nccl, 1);
  if (version != nullptr) (void)setenv("SIMULATED_NCCL_VERSION", version, 1);
  (void)setenv("RT_COMM_ENGINE", engine, 1);
  rtDevice_t device = nullptr;
  rtContext_t context = nullptr;
  rtComm_t comm = nullptr;
  if (rtDeviceGetByName(&device, "cuda:0") != RT_SUCCESS || rtContextCreate(&context, nullptr, device) != RT_SUCCESS) _exit(3);
  const rtStatus_t code = rtCommCreateAll(&comm, nullptr, &context, 1);
  fprintf(stderr, "%s: %s\n", rtGetErrorName(code), code == RT_SUCCESS ? "" : lastMessage().c_str());
  _exit(code == RT_ERROR_BACKEND_UNAVAILABLE ? 0 : code == RT_SUCCESS ? 1 : 2);
}

TEST_F(NcclLibraryTest, AFileThatIsNotThereIsSaid) {
  EXPECT_EXIT(createAndTell("/nonexistent/libnccl.so", nullptr, "nccl"), testing::ExitedWithCode(0),
              "RT_NCCL=/nonexistent/libnccl.so cannot be opened");
}

TEST_F(NcclLibraryTest, AnotherLibraryIsSaid) {
  EXPECT_EXIT(createAndTell("libc.so.6", nullptr, "nccl"), testing::ExitedWithCode(0), "libc.so.6 has no nccl.*2.18 or later");
}

TEST_F(NcclLibraryTest, AnOldVersionIsSaid) {
  if (!simulatedNccl().here()) GTEST_SKIP() << "NCCL does not change its version";
  EXPECT_EXIT(createAndTell(std::getenv("RT_NCCL"), "21602", "nccl"), testing::ExitedWithCode(0),
              "is NCCL 2.16; the engine needs 2.18 or later");
}

// The loader of the child finds a file of NCCL's name first that is no library, so that NCCL is hidden where it is installed.
TEST_F(NcclLibraryTest, WhereNcclDoesNotLoadThePackageIsNamed) {
  char folder[] = "/tmp/manyrt-nccl-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string file = std::string(folder) + "/libnccl.so.2";
  std::ofstream(file) << "no library";
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  const std::string kept = before == nullptr ? "" : before;
  ASSERT_EQ(setenv("LD_LIBRARY_PATH", (std::string(folder) + ":" + kept).c_str(), 1), 0);
  EXPECT_EXIT(
      createAndTell(nullptr, nullptr, "nccl"), testing::ExitedWithCode(0),
      "NCCL .libnccl.so.2. did not load: .*libnccl.so.2: file too short. It is in NVIDIA's package libnccl2; RT_NCCL may "
      "name a file");
  (void)(before == nullptr ? unsetenv("LD_LIBRARY_PATH") : setenv("LD_LIBRARY_PATH", kept.c_str(), 1));
  (void)unlink(file.c_str());
  (void)rmdir(folder);
}

#ifdef HIDES_NCCL
TEST_F(NcclLibraryTest, WithoutNcclThePackageIsNamed) {
  EXPECT_EXIT(
      {
        hidden = "libnccl.so.2";
        createAndTell(nullptr, nullptr, "nccl");
      },
      testing::ExitedWithCode(0),
      "NCCL .libnccl.so.2. is not installed. It is in NVIDIA's package libnccl2; RT_NCCL may name a file");
}
#endif

TEST_F(NcclLibraryTest, AnUnknownEngineIsRefused) {
  EXPECT_EXIT(createAndTell(std::getenv("RT_NCCL"), nullptr, "smoke"), testing::ExitedWithCode(2),
              "RT_COMM_ENGINE=smoke is no engine; in_process, nccl, shared_memory and mpi are");
}

}  // namespace
}  // namespace commtest
