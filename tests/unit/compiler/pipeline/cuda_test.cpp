// Builds for CUDA around a stand-in for NVRTC (fake_nvrtc.c): how it is found, what it is asked, and what its failures become.
// Also what is built how often. That real NVRTC takes the code is tested in tests/kernels.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/fault.h"
#include "compiler/cache/cache.h"
#include "compiler/cache/cuda_entry.h"
#include "compiler/toolchain/nvrtc.h"
#include "rt.h"
#include "support/cuda_build.h"
#include "unit/compiler/temporary.h"
#include "unit/compiler/toolchain/fake_nvrtc.h"

namespace manyrt::compiler {
namespace {

namespace fs = std::filesystem;

constexpr char kSource[] =
    "__kernel void fill(__global int* out, __local int* l, int value) { out[0] = value + VALUE; l[0] = 1; }\n";

class CudaBuildTest : public TemporaryTest {
 protected:
  void SetUp() override {
    TemporaryTest::SetUp();
    environment("RT_CACHE_DIR", path("cache").c_str());
    environment("FAKE_NVRTC", nullptr);
    environment("FAKE_NVRTC_MAJOR", nullptr);
    environment("FAKE_NVRTC_ARCHITECTURES", nullptr);
    use(FAKE_NVRTC_PATH);
  }
  // A copy of its own for each test: the library keeps what it has opened, and what it has built.
  void use(const char* original) {
    fs::remove(path("libnvrtc.so.13"));
    fs::copy_file(original, path("libnvrtc.so.13"));
    environment("RT_NVRTC", path("libnvrtc.so.13").c_str());
  }
  int compiles() const {
    void* handle = dlopen(path("libnvrtc.so.13").c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle == nullptr) return -1;
    const auto count = reinterpret_cast<int (*)()>(dlsym(handle, "fakeNvrtcCompiles"));
    const int result = count();
    dlclose(handle);
    return result;
  }
  Status build(const std::string& source, const char* options = "-DVALUE=1") {
    BuildRequest request;
    request.source = source;
    request.options = options;
    return buildInto(&image, buildForCuda, target, request);
  }
  Status compile(const std::string& source, const char* options = "", std::vector<Header> headers = {}) {
    BuildRequest request;
    request.source = source;
    request.options = options;
    request.headers = std::move(headers);
    return buildInto(&image, compileCuda, target, request);
  }
  std::string code() const { return std::string(reinterpret_cast<const char*>(image.code.data())); }
  bool asked(const std::string& option) const { return (code() + "\n").find("\n" + option + "\n") != std::string::npos; }
  size_t entries() const { return entriesIn("cache"); }

  CudaTarget target{9, 0, 13000};
  CudaImage image;
};

TEST_F(CudaBuildTest, ASourceBecomesAnImageWithItsKernels) {
  const Status status = build(kSource);
  ASSERT_TRUE(status.ok()) << status.message() << image.log;
  EXPECT_TRUE(image.is_cubin);
  EXPECT_TRUE(asked("--gpu-architecture=sm_90")) << code();
  EXPECT_EQ(code().substr(0, 10), "kernel.cl\n");
  ASSERT_EQ(image.kernels.size(), 1u);
  EXPECT_EQ(image.kernels[0].name, "fill");
  EXPECT_EQ(image.kernels[0].localArguments(), std::vector<uint32_t>{1});
  EXPECT_NE(image.log.find("a remark of the compiler"), std::string::npos);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(CudaBuildTest, OptionsBecomeNvrtcs) {
  ASSERT_TRUE(build(kSource, "-DVALUE=1").ok());
  for (const char* option :
       {"--use_fast_math", "--fmad=false", "--ftz=true", "--prec-div=false", "--ptxas-options=-O0", "--generate-line-info"}) {
    EXPECT_FALSE(asked(option)) << option;
  }
  ASSERT_TRUE(build(kSource, "-DVALUE=1 -cl-fast-relaxed-math").ok());
  EXPECT_TRUE(asked("--use_fast_math"));
  ASSERT_TRUE(build(kSource, "-DVALUE=1 -cl-unsafe-math-optimizations").ok());
  EXPECT_TRUE(asked("--prec-div=false") && asked("--prec-sqrt=false"));
  ASSERT_TRUE(build(kSource, "-DVALUE=1 -cl-denorms-are-zero -cl-opt-disable -g").ok());
  EXPECT_TRUE(asked("--ftz=true") && asked("--ptxas-options=-O0") && asked("--generate-line-info"));
  ASSERT_TRUE(build("#pragma OPENCL FP_CONTRACT OFF\n" + std::string(kSource)).ok());
  EXPECT_TRUE(asked("--fmad=false"));
}

TEST_F(CudaBuildTest, ADeviceThatNvrtcDoesNotKnowGetsPtx) {
  target = {12, 1, 13000};
  ASSERT_TRUE(build(kSource).ok());
  EXPECT_FALSE(image.is_cubin);
  EXPECT_TRUE(asked("--gpu-architecture=compute_90"));
  EXPECT_EQ(image.code.back(), 0);
  target = {8, 6, 13000};
  ASSERT_TRUE(build(kSource).ok());
  EXPECT_TRUE(asked("--gpu-architecture=compute_80"));
}

TEST_F(CudaBuildTest, ADeviceThatIsTooOldIsRefused) {
  target = {5, 2, 13000};
  const Status status = build(kSource);
  EXPECT_EQ(status.code(), RT_ERROR_NOT_SUPPORTED);
  EXPECT_NE(std::string(status.message()).find("75 and newer, and the device has 52"), std::string::npos) << status.message();
}

TEST_F(CudaBuildTest, MistakesAreFoundWithoutNvrtc) {
  ASSERT_TRUE(build(kSource).ok());
  const int before = compiles();
  EXPECT_EQ(build("__kernel void f(__global int* a) {\n  a[0] = b;\n}").code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(image.log.substr(0, 23), "kernel.cl:2:10: error: ");
  EXPECT_EQ(compiles(), before);
}

TEST_F(CudaBuildTest, WhatIsAskedForAgainIsNotCompiledAgain) {
  ASSERT_TRUE(build(kSource).ok());
  const CudaImage first = image;
  ASSERT_TRUE(build(kSource).ok());
  EXPECT_EQ(compiles(), 1);
  EXPECT_EQ(image.code, first.code);
  EXPECT_EQ(image.log, first.log);
  ASSERT_TRUE(build(kSource, "-DVALUE=2").ok());
  target.major = 8;
  ASSERT_TRUE(build(kSource).ok());
  EXPECT_EQ(compiles(), 3);
  EXPECT_EQ(entries(), 3u);
}

TEST_F(CudaBuildTest, TheCacheServesWithoutOpeningNvrtc) {
  ASSERT_TRUE(build(kSource).ok());
  const CudaImage first = image;
  // Images that are kept in this process go; after that, nothing could be opened any more.
  for (int i = 0; i < 70; ++i) ASSERT_TRUE(build(kSource, ("-DVALUE=" + std::to_string(100 + i)).c_str()).ok());
  const int before = compiles();
  environment("FAKE_NVRTC", "compile");
  ASSERT_TRUE(build(kSource).ok());
  EXPECT_EQ(compiles(), before);
  EXPECT_EQ(writeCudaEntry(image), writeCudaEntry(first));
}

TEST_F(CudaBuildTest, AnotherNvrtcIsAnotherKey) {
  ASSERT_TRUE(build(kSource).ok());
  fs::last_write_time(path("libnvrtc.so.13"), fs::file_time_type::clock::now() - std::chrono::hours(1));
  ASSERT_TRUE(build(kSource).ok());
  EXPECT_EQ(entries(), 2u);
}

TEST_F(CudaBuildTest, DamagedEntriesAreBuiltAgain) {
  ASSERT_TRUE(build(kSource).ok());
  Digest key{};
  for (const auto& entry : fs::directory_iterator(path("cache"))) {
    const std::string name = entry.path().filename().string();
    for (size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
  }
  for (const std::string& wrong : {std::string(), std::string("abc"), std::string(64, '\xff')}) {
    for (int i = 0; i < 70; ++i) ASSERT_TRUE(build(kSource, ("-DVALUE=" + std::to_string(100 + i)).c_str()).ok());
    cache::store(cache::directory(), key, wrong.data(), wrong.size());
    const int before = compiles();
    ASSERT_TRUE(build(kSource).ok());
    EXPECT_EQ(compiles(), before + 1);
  }
}

TEST_F(CudaBuildTest, ThreadsThatAskAtOnceShareOneBuild) {
  environment("RT_CACHE_DIR", "off");
  std::vector<std::thread> threads;
  std::vector<CudaImage> images(6);
  for (CudaImage& one : images) {
    threads.emplace_back([&] {
      BuildRequest request;
      request.source = kSource;
      request.options = "-DVALUE=7";
      EXPECT_TRUE(buildInto(&one, buildForCuda, target, request).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(compiles(), 1);
  for (const CudaImage& one : images) EXPECT_EQ(one.code, images[0].code);
}

// ---- What NVRTC refuses ----

TEST_F(CudaBuildTest, FailuresOfNvrtcHaveTheirStatus) {
  environment("FAKE_NVRTC", "compile");
  EXPECT_EQ(build(kSource).code(), RT_ERROR_BUILD_FAILED);
  EXPECT_NE(image.log.find("kernel.cl(3): error: too much shared memory"), std::string::npos);
  environment("FAKE_NVRTC", "memory");
  EXPECT_EQ(build(kSource).code(), RT_ERROR_OUT_OF_MEMORY);
  environment("FAKE_NVRTC", "broken");
  EXPECT_EQ(build(kSource).code(), RT_ERROR_BUILD_FAILED);
  environment("FAKE_NVRTC", nullptr);
  EXPECT_TRUE(build(kSource).ok());
  EXPECT_EQ(entries(), 1u);
}

TEST_F(CudaBuildTest, MissingBuiltinsAreSaidToBeMissing) {
  environment("FAKE_NVRTC", "builtins");
  const Status status = build(kSource);
  EXPECT_EQ(status.code(), RT_ERROR_COMPILER_NOT_FOUND);
  EXPECT_NE(std::string(status.message()).find("libnvrtc-builtins"), std::string::npos) << status.message();
}

TEST_F(CudaBuildTest, AnUnknownOptionIsRefusedByName) {
  const Status ours = build(kSource, "-cl-bogus");
  EXPECT_EQ(ours.code(), RT_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(ours.message()).find("-cl-bogus"), std::string::npos);
  environment("FAKE_NVRTC", "option");
  const Status theirs = compile("__global__ void f() {}", "--that");
  EXPECT_EQ(theirs.code(), RT_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(theirs.message()).find("--that"), std::string::npos);
}

// ---- Where it is ----

TEST_F(CudaBuildTest, ABrokenPathIsNotReplaced) {
  environment("RT_NVRTC", path("nowhere.so").c_str());
  const Status status = build(kSource);
  EXPECT_EQ(status.code(), RT_ERROR_COMPILER_NOT_FOUND);
  EXPECT_NE(std::string(status.message()).find("nowhere.so"), std::string::npos) << status.message();
  environment("RT_NVRTC", "libnvrtc-missing.so");
  EXPECT_EQ(build(kSource).code(), RT_ERROR_COMPILER_NOT_FOUND);
}

TEST_F(CudaBuildTest, AFileThatIsNoLibraryIsSaidToBeNone) {
  environment("RT_NVRTC", write("text.so", "this is no library").c_str());
  const Status status = build(kSource);
  EXPECT_EQ(status.code(), RT_ERROR_COMPILER_NOT_FOUND);
  EXPECT_NE(std::string(status.message()).find("Install NVRTC"), std::string::npos) << status.message();
}

TEST_F(CudaBuildTest, ALibraryWithoutAFunctionIsNamedWithIt) {
  use(FAKE_NVRTC_WITHOUT_CUBIN_PATH);
  const Status status = build(kSource);
  EXPECT_EQ(status.code(), RT_ERROR_COMPILER_NOT_FOUND);
  EXPECT_NE(std::string(status.message()).find("nvrtcGetCUBIN"), std::string::npos) << status.message();
}

TEST_F(CudaBuildTest, AnOldVersionIsRefused) {
  environment("FAKE_NVRTC_MAJOR", "11");
  const Status status = build(kSource);
  EXPECT_EQ(status.code(), RT_ERROR_COMPILER_NOT_FOUND);
  EXPECT_NE(std::string(status.message()).find("NVRTC 11.0"), std::string::npos) << status.message();
}

TEST_F(CudaBuildTest, ItIsFoundInTheLoadersFoldersAndTheDriverSaysWhichFirst) {
  environment("RT_NVRTC", nullptr);
  environment("LD_LIBRARY_PATH", folder().c_str());
  NvrtcLibrary library;
  ASSERT_TRUE(findNvrtc(&library, 13000).ok());
  EXPECT_EQ(library.path, path("libnvrtc.so.13"));
  EXPECT_NE(library.identity.find("libnvrtc.so.13 "), std::string::npos);
  fs::copy_file(FAKE_NVRTC_PATH, path("libnvrtc.so.12"));
  ASSERT_TRUE(findNvrtc(&library, 12080).ok());
  EXPECT_EQ(library.path, path("libnvrtc.so.12"));
  ASSERT_TRUE(findNvrtc(&library, 0).ok());
  EXPECT_EQ(library.path, path("libnvrtc.so.13"));
}

TEST_F(CudaBuildTest, WhatTheProcessHasLoadedIsFoundByItsName) {
  environment("RT_NVRTC", "libfake_nvrtc_by_name.so");
  NvrtcLibrary library;
  if (dlopen(FAKE_NVRTC_BY_NAME_PATH, RTLD_NOW | RTLD_NOLOAD) == nullptr) {  // not of an earlier round
    EXPECT_EQ(findNvrtc(&library, 0).code(), RT_ERROR_COMPILER_NOT_FOUND);
  }
  void* handle = dlopen(FAKE_NVRTC_BY_NAME_PATH, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  const Status status = findNvrtc(&library, 0);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(fs::equivalent(library.path, FAKE_NVRTC_BY_NAME_PATH)) << library.path;
  EXPECT_FALSE(library.identity.empty());
  dlclose(handle);
}

// ---- CUDA C++ ----

TEST_F(CudaBuildTest, CudaSourcesGoThroughAsTheyAre) {
  ASSERT_TRUE(compile("__global__ void f() {}", "--fmad=false '-DA=b c'").ok()) << image.log;
  EXPECT_EQ(code().substr(0, 10), "kernel.cu\n");
  EXPECT_TRUE(asked("--gpu-architecture=sm_90") && asked("--fmad=false") && asked("-DA=b c"));
  EXPECT_FALSE(asked("--std=c++20"));
  EXPECT_TRUE(image.kernels.empty());
  EXPECT_EQ(entries(), 1u);
  ASSERT_TRUE(compile("__global__ void f() {}", "--fmad=false '-DA=b c'").ok());
  EXPECT_EQ(compiles(), 1);
}

TEST_F(CudaBuildTest, TheUsersArchitectureComesFirst) {
  ASSERT_TRUE(compile("__global__ void f() {}", "--gpu-architecture=compute_75").ok());
  EXPECT_FALSE(image.is_cubin);
  EXPECT_FALSE(asked("--gpu-architecture=sm_90"));
}

TEST_F(CudaBuildTest, WhatMayIncludeFilesIsNotKept) {
  for (int i = 1; i <= 2; ++i) {
    ASSERT_TRUE(compile("#include \"one.h\"\n__global__ void f() {}", "", {{"one.h", "int a;"}}).ok());
    EXPECT_EQ(compiles(), i);
  }
  EXPECT_EQ(entries(), 0u);
}

// ---- Faults ----

// Whatever fails, the build either works or says why; and afterwards it works.
TEST_F(CudaBuildTest, EveryFaultIsSurvived) {
  int number = 0;
  for (uint64_t k = 1; k < 200; ++k) {
    const std::string options = "-DVALUE=" + std::to_string(1000 + number++);
    fault::arm(k, false);
    const Status status = build(kSource, options.c_str());
    const std::string what = fault::lastFault();
    const uint64_t passed = fault::disarm();
    if (!status.ok()) {
      EXPECT_NE(status.code(), RT_ERROR_INTERNAL) << what;
    } else {
      EXPECT_FALSE(image.code.empty()) << what;
      EXPECT_EQ(image.kernels.size(), 1u) << what;
    }
    ASSERT_TRUE(build(kSource, options.c_str()).ok()) << what;
    if (passed < k) return;
  }
  FAIL() << "there is no end of faults";
}

}  // namespace
}  // namespace manyrt::compiler
