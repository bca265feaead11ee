// Modules, what holds on every device: arguments that are refused, formats, files, and what a device without
// RT_CAPABILITY_KERNELS answers.
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>

#include "support/device_test.h"

namespace rttest {
namespace {

constexpr char kSource[] = "__kernel void nothing(void) {}\n";

class ModuleTest : public DeviceTest {
 protected:
  // A file of this test alone, removed with it.
  class File {
   public:
    explicit File(const std::string& text) {
      const int descriptor = mkstemp(path_.data());
      EXPECT_GE(descriptor, 0);
      EXPECT_EQ(write(descriptor, text.data(), text.size()), static_cast<ssize_t>(text.size()));
      close(descriptor);
    }
    ~File() { unlink(path_.c_str()); }
    const char* path() const { return path_.c_str(); }

   private:
    std::string path_ = testing::TempDir() + "manyrt-module-XXXXXX";
  };

  rtStatus_t load(const void* image, size_t size, int32_t format) {
    rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
    options.format = format;
    Module module;
    return rtModuleLoadData(module.out(), image, size, &options, context_);
  }
  // The status on this device of a call that would otherwise be refused for `code`.
  rtStatus_t orUnsupported(rtStatus_t code) const { return has(RT_CAPABILITY_KERNELS) ? code : RT_ERROR_NOT_SUPPORTED; }
};
INSTANTIATE_TEST_SUITE_P(, ModuleTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(ModuleTest, ADeviceWithoutTheCapabilityTakesNoPrograms) {
  if (has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device takes programs";
  const File file(kSource);
  rtModule_t module = garbage<rtModule_t>();
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtModuleCreateFromSource(&module, kSource, nullptr, context_));
  EXPECT_EQ(module, nullptr);
  EXPECT_NE(lastMessage().find(GetParam()), std::string::npos) << "names the device: " << lastMessage();
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtModuleLoadData(&module, kSource, sizeof kSource, nullptr, context_));
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtModuleLoadFile(&module, file.path(), nullptr, context_));
}

TEST_P(ModuleTest, NullArgumentsAreRefused) {
  rtModule_t module = garbage<rtModule_t>();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleCreateFromSource(nullptr, kSource, nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleCreateFromSource(&module, nullptr, nullptr, context_));
  EXPECT_EQ(module, nullptr);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleCreateFromSource(&module, kSource, nullptr, garbage<rtContext_t>()));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(nullptr, kSource, sizeof kSource, nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(&module, nullptr, 8, nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(&module, kSource, 0, nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadFile(nullptr, "x", nullptr, context_));
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadFile(&module, nullptr, nullptr, context_));
}

TEST_P(ModuleTest, HandlesOfOtherKindsAreRefused) {
  const auto wrong = reinterpret_cast<rtModule_t>(stream_.get());
  for (rtModule_t module : {static_cast<rtModule_t>(nullptr), wrong, garbage<rtModule_t>()}) {
    rtKernel_t kernel = garbage<rtKernel_t>();
    uint32_t count = 7;
    void* pointer = &count;
    uint64_t bytes = 7;
    uint64_t native[2] = {7, 7};
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetKernel(&kernel, "iota", module));
    EXPECT_EQ(kernel, nullptr);
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetKernelByIndex(&kernel, 0, module));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetKernelCount(&count, module));
    EXPECT_EQ(count, 0u);
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetGlobal(&pointer, &bytes, "counter", module));
    EXPECT_EQ(pointer, nullptr);
    EXPECT_EQ(bytes, 0u);
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetBuildLog(nullptr, 0, nullptr, module));
    EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetNative(native, module));
    EXPECT_EQ(native[0] + native[1], 0u);
    if (module != nullptr) {
      EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleDestroy(module));
    }
  }
  EXPECT_RT_OK(rtModuleDestroy(nullptr));
}

TEST_P(ModuleTest, AWaitEndsWhenTheCodeThatStaysIsThere) {
  if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device takes no programs";
  Module module;
  ASSERT_RT_OK(rtModuleCreateFromSource(
      module.out(), "__kernel void only_here(__global int* x) { x[get_global_id(0)] += 3; }\n", nullptr, context_));
  EXPECT_RT_OK(rtModuleWait(module, RT_MODULE_READY, 0));
  EXPECT_RT_OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  EXPECT_RT_OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, 0)) << "and stays";
}

TEST_P(ModuleTest, AModuleMayHaveItsOwnTier) {
  if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device takes no programs";
  const char* const source = "__kernel void tiers(__global int* x) { x[get_global_id(0)] += 11; }\n";
  Module quick, optimized, refused;
  ASSERT_RT_OK(rtModuleCreateFromSource(quick.out(), source, "-rt-tier=quick", context_));
  ASSERT_RT_OK(rtModuleCreateFromSource(optimized.out(), source, "-rt-tier=optimized", context_));
  rtModuleInfo_t info = RT_MODULE_INFO_INIT;
  ASSERT_RT_OK(rtModuleGetInfo(&info, optimized));
  EXPECT_EQ(info.state, RT_MODULE_OPTIMIZED);
  ASSERT_RT_OK(rtModuleGetInfo(&info, quick));
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  ASSERT_RT_OK(rtDeviceGetProperties(&properties, device_));
  const bool has_tiers = properties.backend == RT_BACKEND_CPU;
  EXPECT_EQ(info.state, has_tiers ? RT_MODULE_READY : RT_MODULE_OPTIMIZED) << "none is to follow";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleCreateFromSource(refused.out(), source, "-rt-tier=slow", context_));
}

TEST_P(ModuleTest, InfoTellsWhichCodeRunsAndWhereItCameFrom) {
  if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device takes no programs";
  const char* const source = "__kernel void asked(__global int* x) { x[get_global_id(0)] += 5; }\n__kernel void more() {}\n";
  Module module, again;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), source, nullptr, context_));
  rtModuleInfo_t info = RT_MODULE_INFO_INIT;
  ASSERT_RT_OK(rtModuleGetInfo(&info, module));
  EXPECT_STREQ(info.name, "kernel.cl");
  EXPECT_EQ(info.kernel_count, 2u);
  // The second of two devices of one kind takes the code that was built for the first.
  EXPECT_TRUE(info.origin == RT_MODULE_ORIGIN_BUILD || info.origin == RT_MODULE_ORIGIN_CACHE ||
              info.origin == RT_MODULE_ORIGIN_PROCESS)
      << info.origin;
  EXPECT_TRUE(info.state == RT_MODULE_QUICK || info.state == RT_MODULE_OPTIMIZED) << info.state;
  EXPECT_GT(info.load_ns, 0u);
  ASSERT_RT_OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, RT_TIMEOUT_INFINITE));
  ASSERT_RT_OK(rtModuleGetInfo(&info, module));
  EXPECT_EQ(info.state, RT_MODULE_OPTIMIZED);
  ASSERT_RT_OK(rtModuleCreateFromSource(again.out(), source, nullptr, context_));
  ASSERT_RT_OK(rtModuleGetInfo(&info, again));
  EXPECT_EQ(info.origin, RT_MODULE_ORIGIN_PROCESS);
  checkResult<rtModuleInfo_t>(RT_MODULE_INFO_INIT, [&](rtModuleInfo_t* out) { return rtModuleGetInfo(out, module); });
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetInfo(&info, nullptr));
}

TEST_P(ModuleTest, AWaitForAStateThatThereIsNotIsRefused) {
  if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device takes no programs";
  Module module;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, nullptr, context_));
  for (int32_t state : {RT_MODULE_INVALID + 0, RT_MODULE_OPTIMIZED + 1, INT32_MAX, INT32_MIN}) {
    EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleWait(module, state, 0)) << state;
  }
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleWait(nullptr, RT_MODULE_READY, 0));
}

TEST_P(ModuleTest, UnknownFormatsAndFieldsAreRefused) {
  for (int32_t format : {-1, RT_IMAGE_MANYRT + 1, INT32_MAX, INT32_MIN}) {
    EXPECT_RT(RT_ERROR_INVALID_VALUE, load(kSource, sizeof kSource, format)) << format;
  }
  rtModule_t module = nullptr;
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.reserved = 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(&module, kSource, sizeof kSource, &options, context_));
  options.reserved = 0;
  options.flags = 1;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(&module, kSource, sizeof kSource, &options, context_));
  options.flags = 0;
  options.struct_size = offsetof(rtModuleOptions_t, tier) - 1;  // its size in the first release
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(&module, kSource, sizeof kSource, &options, context_));
}

TEST_P(ModuleTest, AFormatThatTheDeviceDoesNotTakeIsNotSupportedAndNamed) {
  static constexpr struct {
    int32_t format;
    const char* word;
  } kFormats[] = {{RT_IMAGE_CUDA_CXX, "CUDA_CXX"}, {RT_IMAGE_PTX, "PTX"},     {RT_IMAGE_CUBIN, "CUBIN"},
                  {RT_IMAGE_FATBIN, "FATBIN"},     {RT_IMAGE_SPIRV, "SPIRV"}, {RT_IMAGE_OPENCL_BINARY, "OPENCL_BINARY"}};
  int32_t backend = 0;
  ASSERT_RT_OK(rtDeviceGetBackend(&backend, nullptr, device_));
  if (backend != RT_BACKEND_CPU) GTEST_SKIP() << "the formats are those of the CPU";
  for (const auto& each : kFormats) {
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, load(kSource, sizeof kSource, each.format));
    EXPECT_NE(lastMessage().find(each.word), std::string::npos) << lastMessage();
    EXPECT_NE(lastMessage().find(GetParam()), std::string::npos) << lastMessage();
  }
}

TEST_P(ModuleTest, FormatsAreToldFromTheBytes) {
  std::string cubin = std::string("\177ELF\2\1\1", 7) + std::string(57, '\0');
  cubin[18] = static_cast<char>(190);
  const std::string ptx = ".version 7.0\n.target sm_70\n";
  const struct {
    std::string bytes;
    const char* word;  // null: not told to be of a format that the CPU does not take
  } kImages[] = {{cubin, "CUBIN"},
                 {std::string("\x50\xed\x55\xba\1\0", 6), "FATBIN"},
                 {std::string("\x03\x02\x23\x07\0\0\1\0", 8), "SPIRV"},
                 {std::string("\x07\x23\x02\x03\0\1\0\0", 8), "SPIRV"},
                 {ptx, "PTX"},
                 {ptx + '\0', "PTX"},
                 {"//\n// Generated by a compiler\n\n/* of\nPTX */ \t\r\n" + ptx, "PTX"},
                 {"// .version 7.0\nkernel void k() {}", nullptr},
                 {"/* .version 7.0 */", nullptr},
                 {"/* .version 7.0", nullptr},
                 {"/*/.version */", nullptr},
                 {"// .version", nullptr},
                 {"", nullptr},
                 {"\x50\xed\x55", nullptr},
                 {"\177ELF", nullptr}};
  int32_t backend = 0;
  ASSERT_RT_OK(rtDeviceGetBackend(&backend, nullptr, device_));
  if (backend != RT_BACKEND_CPU) GTEST_SKIP() << "the images are those of the CPU";
  for (const auto& image : kImages) {
    SCOPED_TRACE(image.bytes);
    const rtStatus_t status = load(image.bytes.data(), image.bytes.size(), RT_IMAGE_AUTO);
    if (image.word == nullptr) {
      EXPECT_NE(status, RT_ERROR_NOT_SUPPORTED) << lastMessage();
      continue;
    }
    EXPECT_EQ(status, RT_ERROR_NOT_SUPPORTED);
    EXPECT_NE(lastMessage().find(std::string("format ") + image.word), std::string::npos) << lastMessage();
  }
}

TEST_P(ModuleTest, BytesThatAreNoProgramAreAnInvalidImage) {
  const std::string zeros(100, '\0');
  const std::string middle = std::string("__kernel") + '\0' + "void nothing() {}";
  EXPECT_RT(orUnsupported(RT_ERROR_INVALID_IMAGE), load(zeros.data(), zeros.size(), RT_IMAGE_AUTO));
  EXPECT_RT(orUnsupported(RT_ERROR_INVALID_IMAGE), load(middle.data(), middle.size(), RT_IMAGE_AUTO));
  EXPECT_RT(orUnsupported(RT_ERROR_INVALID_IMAGE), load(middle.data(), middle.size(), RT_IMAGE_OPENCL_C));
  EXPECT_RT(orUnsupported(RT_ERROR_INVALID_VALUE), load(kSource, SIZE_MAX, RT_IMAGE_AUTO)) << "found before anything is read";
  EXPECT_RT(orUnsupported(RT_ERROR_INVALID_VALUE), load(kSource, size_t{1} << 40, RT_IMAGE_HOST_OBJECT));
}

TEST_P(ModuleTest, AFileThatCannotBeReadIsAnIoError) {
  const std::string folder = testing::TempDir();
  const std::string missing = folder + "manyrt-no-such-file";
  const std::string pipe = folder + "manyrt-module-pipe-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  rtModule_t module = garbage<rtModule_t>();
  EXPECT_RT(orUnsupported(RT_ERROR_IO), rtModuleLoadFile(&module, missing.c_str(), nullptr, context_));
  EXPECT_EQ(module, nullptr);
  if (has(RT_CAPABILITY_KERNELS)) {
    EXPECT_NE(lastMessage().find(missing), std::string::npos) << lastMessage();
  }
  EXPECT_RT(orUnsupported(RT_ERROR_IO), rtModuleLoadFile(&module, folder.c_str(), nullptr, context_));
  EXPECT_RT(orUnsupported(RT_ERROR_IO), rtModuleLoadFile(&module, "", nullptr, context_));
  EXPECT_RT(orUnsupported(RT_ERROR_IO), rtModuleLoadFile(&module, pipe.c_str(), nullptr, context_)) << "and nothing waits";
  unlink(pipe.c_str());
}

TEST_P(ModuleTest, HeadersAndOptionsAreLookedAtBeforeABuild) {
  if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device loads no modules";
  const char* names[] = {"a.h", nullptr};
  const char* empty[] = {"", ""};
  const char* texts[] = {"", ""};
  rtModule_t module = nullptr;
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  const auto create = [&] { return rtModuleLoadData(&module, kSource, sizeof kSource, &options, context_); };
  options.header_count = 2;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create());
  options.header_names = names;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create());
  options.headers = texts;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create()) << "a name is NULL";
  options.header_names = texts;
  options.headers = names;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create()) << "a name is empty";
  options.header_names = empty;
  options.header_count = UINT32_MAX;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create());
  options = RT_MODULE_OPTIONS_INIT;
  const std::string endless(size_t{2} << 20, 'x');
  options.build_options = endless.c_str();
  EXPECT_RT(RT_ERROR_INVALID_VALUE, create());
  EXPECT_EQ(module, nullptr);
}

}  // namespace
}  // namespace rttest
