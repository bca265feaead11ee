// Images: PTX, cubins and fat binaries that the device takes, and those that it does not. A refusal tells of the device, of the
// image and what the driver's own compiler said. NVRTC makes them, so that the same tests run on a GPU.
#include <cstdint>
#include <string>

#include "support/cuda_images.h"
#include "support/device_test.h"
#include "support/simulated_cuda.h"

namespace rttest {
namespace {

constexpr char kSource[] = "extern \"C\" __global__ void store(unsigned* out, unsigned value) { *out = value; }\n";

class CudaImages : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!nvrtc_.here()) GTEST_SKIP() << "NVRTC was not found, which makes the images";
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    ASSERT_RT_OK(rtDeviceGetProperties(&properties, device_));
    own_ = properties.architecture;
    ASSERT_EQ(own_.substr(0, 3), "sm_");
    number_ = std::stoi(own_.substr(3));
    other_number_ = number_ / 10 == 8 ? 90 : 80;
    other_ = "sm_" + std::to_string(other_number_);
  }

  std::string ptx() { return nvrtc_.ptx(kSource, "compute_" + own_.substr(3)); }

  rtStatus_t load(rtModule_t* module, const std::string& image, int32_t format) {
    rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
    options.format = format;
    options.name = "an image";
    return rtModuleLoadData(module, image.data(), image.size(), &options, context_);
  }

  void expectRuns(const std::string& image, int32_t format) {
    Module module;
    Memory out;
    rtKernel_t kernel = nullptr;
    uint32_t seen = 0;
    ASSERT_FALSE(image.empty());
    ASSERT_RT_OK(load(module.out(), image, format));
    ASSERT_RT_OK(rtModuleGetKernel(&kernel, "store", module));
    ASSERT_RT_OK(rtMalloc(out.out(), sizeof seen, context_));
    ASSERT_RT_OK(launchOver(kernel, stream_, 1, 1, out.as<void>(), 1234u));
    ASSERT_RT_OK(rtMemcpyAsync(&seen, out, sizeof seen, RT_MEMCPY_DEFAULT, stream_));
    ASSERT_RT_OK(rtStreamSynchronize(stream_));
    EXPECT_EQ(seen, 1234u);
  }

  // Refused with all these words; the device goes on.
  void expectRefused(const std::string& image, int32_t format, const std::vector<std::string>& words) {
    Module module;
    ASSERT_FALSE(image.empty());
    EXPECT_RT(RT_ERROR_INVALID_IMAGE, load(module.out(), image, format));
    EXPECT_EQ(module.get(), nullptr);
    const std::string message = lastMessage();
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << " in: " << message;
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
  }

  std::string forBoth() const { return "The image is for " + other_ + "; " + GetParam() + " is " + own_ + "."; }

  Nvrtc nvrtc_;
  std::string own_, other_;  // "sm_90": the device's, and one of another generation
  int number_ = 0, other_number_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, CudaImages, testing::Values("cuda:0"), testName);

TEST_P(CudaImages, PtxCubinsAndFatBinariesOfTheDeviceRun) {
  const std::string cubin = nvrtc_.cubin(kSource, own_), other = nvrtc_.cubin(kSource, other_);
  for (int32_t format : {RT_IMAGE_AUTO, RT_IMAGE_CUBIN}) expectRuns(cubin, format);
  for (int32_t format : {RT_IMAGE_AUTO, RT_IMAGE_PTX}) expectRuns(ptx(), format);
  const std::string both = fatbin({{static_cast<uint32_t>(other_number_), other}, {static_cast<uint32_t>(number_), cubin}});
  for (int32_t format : {RT_IMAGE_AUTO, RT_IMAGE_FATBIN}) expectRuns(both, format);
}

TEST_P(CudaImages, MachineCodeTakesNoGlobalOffset) {
  Module module;
  Memory out;
  rtKernel_t kernel = nullptr;
  ASSERT_RT_OK(load(module.out(), ptx(), RT_IMAGE_PTX));
  ASSERT_RT_OK(rtModuleGetKernel(&kernel, "store", module));
  ASSERT_RT_OK(rtMalloc(out.out(), 4, context_));
  void* pointer = out.get();
  uint32_t value = 5;
  void* args[] = {&pointer, &value};
  const uint32_t one[3] = {1, 1, 1};
  rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
  ASSERT_RT_OK(rtLaunchKernelWithOptions(kernel, one, one, 0, &options, args, 2, stream_));
  options.global_offset[1] = 8;
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtLaunchKernelWithOptions(kernel, one, one, 0, &options, args, 2, stream_));
  EXPECT_NE(lastMessage().find("\"store\" takes no global offset (0, 8, 0 were given)"), std::string::npos) << lastMessage();
  ASSERT_RT_OK(rtStreamSynchronize(stream_));
}

TEST_P(CudaImages, CodeForAnotherArchitectureIsRefusedAndBothAreNamed) {
  const std::string other = nvrtc_.cubin(kSource, other_);
  expectRefused(other, RT_IMAGE_CUBIN, {"\"an image\"", forBoth(), "209"});
  expectRefused(fatbin({{static_cast<uint32_t>(other_number_), other}}), RT_IMAGE_FATBIN, {forBoth(), "209"});
}

TEST_P(CudaImages, CudaCxxBuiltForAnotherArchitectureIsRefusedAndBothAreNamed) {
  const std::string option = "--gpu-architecture=" + other_;
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.format = RT_IMAGE_CUDA_CXX;
  options.build_options = option.c_str();
  Module module;
  EXPECT_RT(RT_ERROR_INVALID_IMAGE, rtModuleLoadData(module.out(), kSource, sizeof kSource - 1, &options, context_));
  EXPECT_NE(lastMessage().find(forBoth()), std::string::npos) << lastMessage();
}

// An architecture that there is not: no compiler makes it, so it is written into a cubin's head, at the place of each form.
TEST_P(CudaImages, ACubinOfAnUnknownArchitectureIsRefused) {
  constexpr size_t kAbiVersion = 8, kFlags = 48;
  std::string cubin = nvrtc_.cubin(kSource, own_);
  ASSERT_GT(cubin.size(), kFlags + 4);
  cubin[kFlags + (cubin[kAbiVersion] == 7 ? 0 : 1)] = static_cast<char>(249);
  expectRefused(cubin, RT_IMAGE_CUBIN, {"The image is for sm_249; " + GetParam() + " is " + own_ + "."});
}

TEST_P(CudaImages, PtxForAnotherArchitectureIsRefusedWithTheDriversWords) {
  std::string text = ptx();
  const size_t at = text.find(".target " + own_);
  ASSERT_NE(at, std::string::npos) << text.substr(0, 500);
  text.replace(at, 8 + own_.size(), ".target sm_999");
  expectRefused(text, RT_IMAGE_PTX,
                {"The image is for PTX for sm_999; " + GetParam() + " is " + own_ + ".", "ptxas", "'sm_999'"});
}

TEST_P(CudaImages, PtxNewerThanTheDriverIsRefusedWithTheDriversWords) {
  std::string text = ptx();
  const size_t at = text.find(".version ");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, text.find('\n', at) - at, ".version 99.9");
  expectRefused(text, RT_IMAGE_PTX, {"222", "ptxas", "99.9"});
}

TEST_P(CudaImages, TheLogOfBrokenPtxStandsInTheMessage) {
  const std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry broken( {\n  ret;\n}\n";
  expectRefused(text, RT_IMAGE_PTX, {"\"an image\"", "ptxas application ptx input, line 4", "syntax error"});
  EXPECT_EQ(lastMessage().find("The image is for"), std::string::npos) << "it would run here: " << lastMessage();
  expectRefused("\n\n" + text, RT_IMAGE_AUTO, {"line 6"});
}

}  // namespace
}  // namespace rttest
