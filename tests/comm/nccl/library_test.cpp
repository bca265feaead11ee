// What is said where NCCL is missing, too old, or something else. Each case is a process of its own, as the library looks once.
#include "comm/nccl/devices.h"

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

TEST_F(NcclLibraryTest, WithoutNcclThePackageIsNamed) {
  if (!simulatedNccl().here() || dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL) != nullptr) GTEST_SKIP() << "NCCL is here";
  EXPECT_EXIT(createAndTell(nullptr, nullptr, "nccl"), testing::ExitedWithCode(0), "not installed.*package libnccl2");
}

TEST_F(NcclLibraryTest, AnUnknownEngineIsRefused) {
  EXPECT_EXIT(createAndTell(std::getenv("RT_NCCL"), nullptr, "smoke"), testing::ExitedWithCode(2),
              "RT_COMM_ENGINE=smoke is no engine; in_process and nccl are");
}

}  // namespace
}  // namespace commtest
