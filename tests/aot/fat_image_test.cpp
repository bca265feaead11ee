// Images with many parts on every device: the best part runs without the library's compiler, with the same bits as from source;
// parts for others are passed over, in any order; what fits nowhere is refused with the list of parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "aot/program.h"
#include "backends/module_image.h"
#include "compiler/unit.h"
#include "support/device_test.h"

namespace manyrt::aot {
namespace {

using backend::BuiltPart;
using backend::ImagePart;
using backend::ModuleImage;
using backend::PartKind;
using namespace rttest;
using rttest::Module;

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* earlier = getenv(name)) earlier_ = std::make_unique<std::string>(earlier);
    setenv(name, value, 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (earlier_ != nullptr) {
      setenv(name_, earlier_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }

 private:
  const char* const name_;
  std::unique_ptr<std::string> earlier_;
};

struct NoCompiler {
  Variable cache{"RT_CACHE_DIR", "off"}, cpu{"RT_CC", "/nonexistent/compiler"}, cuda{"RT_NVRTC", "/nonexistent/nvrtc"};
};

std::vector<BuiltPart> partsOf(const std::string& bytes) {
  ModuleImage image;
  std::vector<BuiltPart> parts;
  EXPECT_TRUE(ModuleImage::read(&image, bytes, "test").ok());
  for (const ImagePart& part : image.parts()) {
    parts.push_back({static_cast<PartKind>(part.kind), part.form, std::string(part.target), std::string(part.data)});
  }
  return parts;
}

class FatImageTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device takes no programs";
  }
  bool isCpu() const { return GetParam() == "cpu"; }
  bool isOpenCl() const { return GetParam().find("opencl") == 0; }

  // All targets that can be built here.
  static std::vector<std::string> everything() {
    std::vector<std::string> words = {"opencl"};
    std::vector<uint32_t> architectures;
    std::string path, levels = "cpu:native";
    for (const compiler::CpuLevel& level : compiler::cpuLevels()) levels += "," + level.name;
    words.push_back(levels);
    if (compiler::cudaArchitectures(&architectures, &path).ok()) words.emplace_back("cuda:sm_75,sm_80,sm_90,ptx");
    return words;
  }
  static std::string imageOf(const std::vector<std::string>& words, bool with_source, std::vector<std::string> options = {}) {
    std::string bytes;
    EXPECT_EQ(built(&bytes, programOf(kSource, std::move(options)), words, with_source), "");
    return bytes;
  }
  rtStatus_t load(rtModule_t* module, std::string_view bytes) {
    return rtModuleLoadData(module, bytes.data(), bytes.size(), nullptr, context_);
  }
  static int32_t originOf(rtModule_t module) {
    rtModuleInfo_t info = RT_MODULE_INFO_INIT;
    EXPECT_RT_OK(rtModuleGetInfo(&info, module));
    return info.origin;
  }
  // The results of both kernels, as bits.
  std::vector<uint32_t> run(rtModule_t module) {
    rtKernel_t first = nullptr, rooted = nullptr;
    std::vector<uint32_t> seen(2 * kCount);
    Memory out;
    EXPECT_RT_OK(rtModuleGetKernel(&first, "first", module));
    EXPECT_RT_OK(rtModuleGetKernel(&rooted, "rooted", module));
    EXPECT_RT_OK(rtMalloc(out.out(), seen.size() * sizeof(uint32_t), context_));
    EXPECT_RT_OK(launchOver(first, stream_, kCount / 8, 8, out.as<void>(), 7u));
    EXPECT_RT_OK(launchOver(rooted, stream_, kCount / 8, 8, static_cast<void*>(out.as<uint32_t>() + kCount), 1.5f));
    EXPECT_RT_OK(rtMemcpyAsync(seen.data(), out, seen.size() * sizeof(uint32_t), RT_MEMCPY_DEFAULT, stream_));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    return seen;
  }
  std::vector<uint32_t> runSource(const char* options = nullptr) {
    Module module;
    EXPECT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, options, context_));
    EXPECT_RT_OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
    return run(module);
  }
};
INSTANTIATE_TEST_SUITE_P(, FatImageTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(FatImageTest, OneImageRunsOnEveryDeviceWithTheBitsOfItsSource) {
  const std::vector<uint32_t> expected = runSource("-DSCALE=3");
  const std::string bytes = imageOf(everything(), false, {"-DSCALE=3"});
  const NoCompiler none;
  Module module;
  ASSERT_RT_OK(load(module.out(), bytes));
  EXPECT_EQ(originOf(module), RT_MODULE_ORIGIN_IMAGE);
  EXPECT_RT_OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, 0));
  EXPECT_EQ(run(module), expected);
}

TEST_P(FatImageTest, TheOrderOfPartsDoesNotMatter) {
  const std::vector<uint32_t> expected = runSource();
  std::vector<BuiltPart> parts = partsOf(imageOf(everything(), true));
  std::reverse(parts.begin(), parts.end());
  const NoCompiler none;
  Module module;
  ASSERT_RT_OK(load(module.out(), backend::writeModuleImage(parts)));
  EXPECT_EQ(originOf(module), RT_MODULE_ORIGIN_IMAGE);
  EXPECT_EQ(run(module), expected);
}

TEST_P(FatImageTest, WhatHasNoPartIsBuiltFromItsSourceOrRefusedWithTheList) {
  const std::vector<std::string> others = isCpu() ? std::vector<std::string>{"opencl"} : std::vector<std::string>{"cpu"};
  Module module;
  ASSERT_RT_OK(load(module.out(), imageOf(others, true)));
  EXPECT_NE(originOf(module), RT_MODULE_ORIGIN_IMAGE);
  EXPECT_EQ(run(module), runSource());
  ASSERT_RT_OK(module.reset());
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, load(module.out(), imageOf(others, false)));
  const std::string message = lastMessage(), part = isCpu() ? "opencl text addresses, opencl text offsets" : "cpu ";
  EXPECT_NE(message.find("it has " + part), std::string::npos) << message;
}

TEST_P(FatImageTest, ADamagedPartEndsTheLoadAndOneForOthersDoesNotMatter) {
  const std::string bytes = imageOf(isCpu() ? std::vector<std::string>{"cpu", "opencl"} : everything(), false);
  ModuleImage image;
  ASSERT_TRUE(ModuleImage::read(&image, bytes, "test").ok());
  for (const ImagePart& part : image.parts()) {
    const bool own = part.kind == static_cast<uint32_t>(isCpu()      ? PartKind::kCpu
                                                        : isOpenCl() ? PartKind::kOpenCl
                                                                     : PartKind::kCuda);
    std::string changed = bytes;
    changed[static_cast<size_t>(part.data.data() - bytes.data()) + part.data.size() / 2] ^= 0x20;
    Module module;
    const rtStatus_t status = load(module.out(), changed);
    if (own) {
      EXPECT_TRUE(status == RT_SUCCESS || status == RT_ERROR_INVALID_IMAGE) << ModuleImage::nameOf(part);
    } else {
      EXPECT_EQ(status, RT_SUCCESS) << ModuleImage::nameOf(part);
    }
    if (own && isCpu()) {
      EXPECT_EQ(status, RT_ERROR_INVALID_IMAGE);
    }
  }
}

TEST_P(FatImageTest, EightThreadsLoadOneImageAtOnce) {
  const std::string bytes = imageOf(everything(), false);
  const std::vector<uint32_t> expected = runSource();
  std::vector<Module> modules(8);
  std::vector<std::thread> threads;
  for (Module& module : modules) {
    threads.emplace_back([&] { EXPECT_RT_OK(rtModuleLoadData(module.out(), bytes.data(), bytes.size(), nullptr, context_)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (Module& module : modules) EXPECT_EQ(run(module), expected);
}

TEST_P(FatImageTest, CodeOfEachLevelComputesTheSame) {
  if (!isCpu()) GTEST_SKIP() << "a rule of parts for the CPU";
  const std::vector<uint32_t> expected = runSource();
  for (const compiler::CpuLevel& level : compiler::cpuLevels()) {
    const std::string bytes = imageOf({"cpu:" + level.name}, false);
    std::string why_not;
    Module module;
    const NoCompiler none;
    const rtStatus_t status = load(module.out(), bytes);
    if (compiler::suitsCpu(level.target, &why_not) == 0) {
      EXPECT_EQ(status, RT_ERROR_NOT_SUPPORTED) << level.name;
      EXPECT_NE(lastMessage().find(why_not), std::string::npos) << lastMessage();
      continue;
    }
    ASSERT_RT_OK(status) << level.name;
    EXPECT_EQ(run(module), expected) << level.name;
  }
}

// Parts of one image that are different programs, so that the result tells which one was taken.
TEST_P(FatImageTest, TheBestPartForTheProcessorIsTaken) {
  if (!isCpu()) GTEST_SKIP() << "a rule of parts for the CPU";
  std::vector<BuiltPart> parts;
  std::string why_not;
  uint32_t best = 0, best_scale = 0, scale = 10;
  for (const compiler::CpuLevel& level : compiler::cpuLevels()) {
    parts.push_back(partsOf(imageOf({"cpu:" + level.name}, false, {"-DSCALE=" + std::to_string(++scale)}))[0]);
    const uint32_t rank = compiler::suitsCpu(level.target, &why_not);
    if (rank <= best) continue;
    best = rank;
    best_scale = scale;
  }
  // One for a processor that has not been made: every bit that a word can ask for.
  BuiltPart later = parts.back();
  const size_t features = later.target.rfind(' ') + 1;
  later.target.replace(features, later.target.find('.', features) - features, "ffffffff");
  parts.push_back(std::move(later));
  do {
    Module module;
    ASSERT_RT_OK(load(module.out(), backend::writeModuleImage(parts)));
    EXPECT_EQ(run(module)[1], best_scale + 7);
    std::rotate(parts.begin(), parts.begin() + 1, parts.end());
  } while (++scale < 16);
  parts.erase(std::remove_if(parts.begin(), parts.end(),
                             [&](const BuiltPart& part) { return compiler::suitsCpu(part.target, &why_not) != 0; }),
              parts.end());
  ASSERT_FALSE(parts.empty());
  Module module;
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, load(module.out(), backend::writeModuleImage(parts)));
  EXPECT_NE(lastMessage().find("does not have"), std::string::npos) << lastMessage();
}

}  // namespace
}  // namespace manyrt::aot
