// Every kernel file of the tree through real NVRTC, where that is installed: for the oldest architecture that it knows and for
// a new one. Nothing is run. A planted mistake is found at the same place as on the CPU, before NVRTC is asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "compiler/build.h"
#include "compiler/toolchain/nvrtc.h"
#include "support/cuda_build.h"

namespace manyrt::compiler {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> filesIn(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(SOURCE_FOLDER) + "/" + folder)) {
    if (entry.path().extension() == ".cl") found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> goodFiles() {
  std::vector<std::string> all;
  for (const char* folder : {"tests/kernels/language", "tests/kernels/classes", "examples", "benchmarks/kernels"}) {
    const std::vector<std::string> found = filesIn(folder);
    EXPECT_FALSE(found.empty()) << folder;
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::string contentOf(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

class CudaSources : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(setenv("RT_CACHE_DIR", "off", 1), 0);
    NvrtcLibrary library;
    const Status status = findNvrtc(&library, 0);
    if (!status.ok()) GTEST_SKIP() << status.message();
  }
  Status build(const std::string& file, const CudaTarget& target, const char* options) {
    const std::string source = contentOf(file);
    BuildRequest request;
    request.source = source;
    request.name = file.c_str();
    request.options = options;
    return buildInto(&image, buildForCuda, target, request);
  }
  // All files, or those whose number in the list leaves `part` when it is divided by two.
  void buildAll(const CudaTarget& target, const char* options, std::optional<size_t> part = std::nullopt) {
    const std::vector<std::string> files = goodFiles();
    for (size_t i = 0; i < files.size(); ++i) {
      if (part && i % 2 != *part) continue;
      const std::string& file = files[i];
      const Status status = build(file, target, options);
      EXPECT_TRUE(status.ok()) << file << ": " << status.message() << "\n" << image.log;
      EXPECT_TRUE(image.is_cubin) << file;
      EXPECT_FALSE(image.kernels.empty()) << file;
      const std::string code(image.code.begin(), image.code.end());
      for (const CudaKernel& kernel : image.kernels) {
        EXPECT_NE(code.find(".text." + kernel.symbol), std::string::npos) << file << ": " << kernel.name;
      }
      for (const CudaGlobal& global : image.globals) {
        EXPECT_NE(code.find(global.symbol), std::string::npos) << file << ": " << global.name;
      }
    }
  }
  CudaImage image;
};

// CLASSES: what examples/digits passes to its own file.
TEST_F(CudaSources, EveryFileCompilesForComputeCapability90) { buildAll({9, 0, 0}, "-DCLASSES=10"); }
TEST_F(CudaSources, EverySecondFileCompilesForComputeCapability75) { buildAll({7, 5, 0}, "-DCLASSES=10", 0); }
TEST_F(CudaSources, TheOthersCompileWithRelaxedMathAndWithoutOptimisation) {
  buildAll({8, 0, 0}, "-DCLASSES=10 -cl-fast-relaxed-math -cl-opt-disable -g", 1);
}

TEST_F(CudaSources, ANewerDeviceGetsPtx) {
  const Status status = build(std::string(SOURCE_FOLDER) + "/examples/heat.cl", {99, 9, 0}, "");
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_FALSE(image.is_cubin);
  EXPECT_NE(std::string(image.code.begin(), image.code.end()).find(".version"), std::string::npos);
}

// All that packed.cl touches lies in packed records: a wider access would be a fault of the GPU wherever it is not aligned.
TEST_F(CudaSources, PackedRecordsAreReadAndWrittenByBytes) {
  const Status status = build(std::string(SOURCE_FOLDER) + "/tests/kernels/language/packed.cl", {99, 9, 0}, "");
  ASSERT_TRUE(status.ok()) << status.message() << image.log;
  std::istringstream lines(std::string(image.code.begin(), image.code.end()));
  size_t bytes = 0;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(" \t"));
    const bool is_access = line.starts_with("ld.") || line.starts_with("st.");
    const bool is_argument = line.starts_with("ld.param") && line.find("_param_") != std::string::npos;
    if (!is_access || is_argument) continue;
    const bool is_byte =
        line.find(".b8") < line.find('[') || line.find(".u8") < line.find('[') || line.find(".s8") < line.find('[');
    EXPECT_TRUE(is_byte) << line;
    bytes += is_byte;
  }
  EXPECT_GT(bytes, 100u);
}

TEST_F(CudaSources, MistakesHaveTheSamePlaceAsOnTheCpu) {
  for (const std::string& file : filesIn("tests/kernels/errors")) {
    EXPECT_EQ(build(file, {9, 0, 0}, "").code(), RT_ERROR_BUILD_FAILED) << file;
    const std::string source = contentOf(file);
    BuildRequest request;
    request.source = source;
    request.name = file.c_str();
    Ref<Object> object;
    std::string log;
    const Status status = buildForCpu(&object, &log, request);
    if (status.code() == RT_ERROR_COMPILER_NOT_FOUND) GTEST_SKIP() << status.message();
    EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED) << file;
    EXPECT_EQ(image.log, log) << file;
  }
}

TEST_F(CudaSources, CudaSourcesCompile) {
  BuildRequest request;
  request.source = "#include \"half.h\"\nextern \"C\" __global__ void f(float* a) { a[threadIdx.x] *= HALF; }\n";
  request.headers = {{"half.h", "#define HALF 0.5f\n"}};
  Status status = buildInto(&image, compileCuda, {9, 0, 0}, request);
  ASSERT_TRUE(status.ok()) << status.message() << image.log;
  EXPECT_TRUE(image.is_cubin);
  request.source = "extern \"C\" __global__ void f(float* a) {\n  a[0] = b;\n}\n";
  status = buildInto(&image, compileCuda, {9, 0, 0}, request);
  EXPECT_EQ(status.code(), RT_ERROR_BUILD_FAILED);
  EXPECT_EQ(image.log.substr(0, 20), "kernel.cu(2): error:") << image.log;
  request.options = "--no-such-option";
  EXPECT_EQ(buildInto(&image, compileCuda, {9, 0, 0}, request).code(), RT_ERROR_INVALID_VALUE);
}

TEST_F(CudaSources, ThreadsCompileDifferentSourcesAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int k = 0; k < 4; ++k) {
        const std::string value = std::to_string(4 * i + k);
        const std::string source = "__kernel void f_" + value + "(__global int* a) { a[get_global_id(0)] = " + value + "; }";
        BuildRequest request;
        request.source = source;
        CudaImage own;
        const Status status = buildInto(&own, buildForCuda, {9, 0, 0}, request);
        ASSERT_TRUE(status.ok()) << status.message() << own.log;
        EXPECT_NE(std::string(own.code.begin(), own.code.end()).find("f_" + value + "_kernel"), std::string::npos);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Nested as deep as the front end allows: what NVRTC makes of it is another matter, but it ends, with a status.
TEST_F(CudaSources, DeepNestingEnds) {
  std::string source = "__kernel void f(__global int* a) { a[0] = ";
  for (int i = 0; i < 200; ++i) source += "(a[0] + ";
  source += "1" + std::string(200, ')') + "; }";
  BuildRequest request;
  request.source = source;
  const Status status = buildInto(&image, buildForCuda, {9, 0, 0}, request);
  EXPECT_TRUE(status.ok()) << status.message() << image.log;
}

}  // namespace
}  // namespace manyrt::compiler
