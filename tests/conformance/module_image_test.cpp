// Images of modules on every device: an image runs as the module that it is of, without a compiler; what has no part for a
// device is built from its source or refused with what there is; damage is told, wherever it is.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "support/device_test.h"
#include "support/threads.h"

namespace rttest {
namespace {

constexpr char kSource[] =
    "#ifndef SCALE\n"
    "#define SCALE 2\n"
    "#endif\n"
    "__kernel void first(__global uint* out, uint add) { out[get_global_id(0)] = (uint)get_global_id(0) * SCALE + add; }\n"
    "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void turned(__global uint* out, __local uint* part) {\n"
    "  const uint l = get_local_id(0);\n"
    "  part[l] = out[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = part[15 - l];\n"
    "}\n";
constexpr uint32_t kCount = 64;

// For the time of a test; builds read them again each time.
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

// Neither a compiler nor what one has left: a module comes from its image alone. The compiler of an OpenCL driver stays.
struct NoCompiler {
  Variable cache{"RT_CACHE_DIR", "off"}, cpu{"RT_CC", "/nonexistent/compiler"}, cuda{"RT_NVRTC", "/nonexistent/nvrtc"};
};

class ModuleImageTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!has(RT_CAPABILITY_KERNELS)) GTEST_SKIP() << "the device takes no programs";
  }

  static std::string imageOf(rtModule_t module, uint32_t flags = 0) {
    rtImageOptions_t options = RT_IMAGE_OPTIONS_INIT;
    options.flags = flags;
    size_t needed = 0, again = 0;
    EXPECT_RT_OK(rtModuleGetImage(nullptr, 0, &needed, &options, module));
    std::string bytes(needed, '\0');
    EXPECT_RT_OK(rtModuleGetImage(bytes.data(), bytes.size(), &again, &options, module));
    EXPECT_EQ(again, needed);
    return bytes;
  }
  std::string imageOfSource(uint32_t flags = 0, const char* options = nullptr) {
    Module module;
    EXPECT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, options, context_));
    return imageOf(module, flags);
  }
  rtStatus_t load(rtModule_t* module, std::string_view bytes) {
    return rtModuleLoadData(module, bytes.data(), bytes.size(), nullptr, context_);
  }
  // The results of the kernels of kSource, on this device.
  std::vector<uint32_t> run(rtModule_t module) {
    rtKernel_t first = nullptr, turned = nullptr;
    std::vector<uint32_t> seen(kCount);
    Memory out;
    EXPECT_RT_OK(rtModuleGetKernel(&first, "first", module));
    EXPECT_RT_OK(rtModuleGetKernel(&turned, "turned", module));
    EXPECT_RT_OK(rtMalloc(out.out(), kCount * sizeof(uint32_t), context_));
    EXPECT_RT_OK(launchOver(first, stream_, kCount / 16, 16, out.as<void>(), 7u));
    EXPECT_RT_OK(launchOver(turned, stream_, kCount / 16, 16, out.as<void>(), size_t{16 * sizeof(uint32_t)}));
    EXPECT_RT_OK(rtMemcpyAsync(seen.data(), out, kCount * sizeof(uint32_t), RT_MEMCPY_DEFAULT, stream_));
    EXPECT_RT_OK(rtStreamSynchronize(stream_));
    return seen;
  }
  static std::vector<uint32_t> expected(uint32_t scale) {
    std::vector<uint32_t> values(kCount);
    for (uint32_t i = 0; i < kCount; ++i) values[i] = (i / 16 * 16 + 15 - i % 16) * scale + 7;
    return values;
  }
  int32_t originOf(rtModule_t module) {
    rtModuleInfo_t info = RT_MODULE_INFO_INIT;
    EXPECT_RT_OK(rtModuleGetInfo(&info, module));
    return info.origin;
  }
};
INSTANTIATE_TEST_SUITE_P(, ModuleImageTest, testing::ValuesIn(deviceNames()), testName);

TEST_P(ModuleImageTest, AnImageRunsAsTheModuleThatItIsOfWithoutACompiler) {
  Module built;
  ASSERT_RT_OK(rtModuleCreateFromSource(built.out(), kSource, "-DSCALE=3", context_));
  const std::string bytes = imageOf(built, RT_IMAGE_WITHOUT_SOURCE);
  EXPECT_EQ(bytes.find("#ifndef SCALE"), std::string::npos) << "it has no source";
  ASSERT_RT_OK(built.reset());
  const NoCompiler none;
  Module module;
  ASSERT_RT_OK(load(module.out(), bytes));
  EXPECT_EQ(originOf(module), RT_MODULE_ORIGIN_IMAGE);
  EXPECT_RT_OK(rtModuleWait(module, RT_MODULE_OPTIMIZED, 0)) << "the code that stays is there at once";
  EXPECT_EQ(run(module), expected(3));
  rtKernel_t kernel = nullptr;
  rtKernelInfo_t info = RT_KERNEL_INFO_INIT;
  rtKernelArgInfo_t argument = RT_KERNEL_ARG_INFO_INIT;
  ASSERT_RT_OK(rtModuleGetKernel(&kernel, "first", module));
  ASSERT_RT_OK(rtKernelGetInfo(&info, kernel));
  EXPECT_EQ(info.arg_count, 2u);
  ASSERT_RT_OK(rtKernelGetArgInfo(&argument, 1, kernel));
  EXPECT_STREQ(argument.name, "add");
  EXPECT_EQ(argument.address_space, RT_ADDRESS_SPACE_PRIVATE);
  ASSERT_RT_OK(rtKernelGetArgInfo(&argument, 0, kernel));
  EXPECT_EQ(argument.address_space, RT_ADDRESS_SPACE_GLOBAL);
  EXPECT_EQ(argument.access, RT_ACCESS_WRITE) << "the image has kept it";
  EXPECT_EQ(info.tier, RT_TIER_OPTIMIZED);
  EXPECT_EQ(imageOf(module), bytes) << "its own image is the same again";
}

TEST_P(ModuleImageTest, TheSameModuleGivesTheSameBytes) {
  Module module;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, nullptr, context_));
  const std::string bytes = imageOf(module);
  EXPECT_EQ(run(module), expected(2));
  EXPECT_EQ(imageOf(module), bytes) << "a launch changes nothing";
  if (GetParam().find("opencl") == 0) return;  // what a driver gives again is its own
  ASSERT_RT_OK(module.reset());
  const Variable cache("RT_CACHE_DIR", "off");
  EXPECT_EQ(imageOfSource(), bytes) << "built again";
}

TEST_P(ModuleImageTest, WhatHasNoPartForADeviceIsBuiltFromItsSourceOrRefusedWithWhatThereIs) {
  const std::string with = imageOfSource(0, "-DSCALE=5"), without = imageOfSource(RT_IMAGE_WITHOUT_SOURCE, "-DSCALE=5");
  for (const std::string& name : deviceNames()) {
    if (name.substr(0, name.find(':')) == GetParam().substr(0, GetParam().find(':'))) continue;
    rtDevice_t other = nullptr;
    Context context;
    Module module;
    int32_t takes = 0;
    ASSERT_RT_OK(rtDeviceGetByName(&other, name.c_str()));
    ASSERT_RT_OK(rtDeviceHasCapability(&takes, RT_CAPABILITY_KERNELS, other));
    if (takes == 0) continue;
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, other));
    ASSERT_RT_OK(rtModuleLoadData(module.out(), with.data(), with.size(), nullptr, context));
    rtKernel_t kernel = nullptr;
    EXPECT_RT_OK(rtModuleGetKernel(&kernel, "turned", module));
    EXPECT_NE(originOf(module), RT_MODULE_ORIGIN_IMAGE);
    ASSERT_RT_OK(module.reset());
    EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtModuleLoadData(module.out(), without.data(), without.size(), nullptr, context));
    const std::string message = lastMessage();
    EXPECT_NE(message.find(name), std::string::npos) << message;
    EXPECT_NE(message.find("it has " + GetParam().substr(0, GetParam().find(':'))), std::string::npos) << message;
    ASSERT_RT_OK(context.reset());
  }
}

TEST_P(ModuleImageTest, DamageIsTold) {
  const std::string bytes = imageOfSource(RT_IMAGE_WITHOUT_SOURCE);
  for (size_t length = 1; length < bytes.size(); length += length < 400 ? 1 : 97) {
    Module module;
    const rtStatus_t status = load(module.out(), std::string_view(bytes).substr(0, length));
    // With less than its mark it is taken for text, which is no OpenCL C.
    ASSERT_TRUE(status == RT_ERROR_INVALID_IMAGE || (length < 8 && status < 0)) << length << ": " << rtGetErrorName(status);
  }
  for (size_t at = 8; at < bytes.size(); at += at < 400 ? 1 : 89) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    Module module;
    EXPECT_RT(RT_ERROR_INVALID_IMAGE, load(module.out(), changed)) << at;
    EXPECT_EQ(module.get(), nullptr);
  }
  Module module;
  EXPECT_RT_OK(load(module.out(), bytes)) << "the device goes on";
}

TEST_P(ModuleImageTest, EightThreadsLoadOneImageFromMemoryThatCannotBeWritten) {
  const std::string bytes = imageOfSource(RT_IMAGE_WITHOUT_SOURCE);
  constexpr size_t kShift = 3;  // from a multiple of anything
  const size_t size = bytes.size() + kShift;
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  char* const begin = static_cast<char*>(mapped) + kShift;
  memcpy(begin, bytes.data(), bytes.size());
  ASSERT_EQ(mprotect(mapped, size, PROT_READ), 0);
  std::vector<Module> modules(8);
  std::vector<std::thread> threads;
  for (Module& module : modules) {
    threads.emplace_back([&] { EXPECT_RT_OK(rtModuleLoadData(module.out(), begin, bytes.size(), nullptr, context_)); });
  }
  for (std::thread& thread : threads) thread.join();
  munmap(mapped, size);
  for (Module& module : modules) EXPECT_EQ(run(module), expected(2));
}

TEST_P(ModuleImageTest, SourcesOptionsAndHeadersAreInside) {
  const std::string source = std::string("#include \"scale.h\"\n") + kSource;
  const char* const names[] = {"scale.h"};
  const char* const headers[] = {"#define SCALE WIDTH\n"};
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  options.build_options = "-DWIDTH=11";
  options.name = "ours.cl";
  options.header_count = 1;
  options.header_names = names;
  options.headers = headers;
  Module module, again;
  ASSERT_RT_OK(rtModuleLoadData(module.out(), source.data(), source.size(), &options, context_));
  const std::string bytes = imageOf(module);
  for (const char* word : {"ours.cl", "scale.h", "SCALE WIDTH", "-DWIDTH=11"}) {
    EXPECT_NE(bytes.find(word), std::string::npos) << word;
  }
  ASSERT_RT_OK(load(again.out(), bytes));
  rtModuleInfo_t info = RT_MODULE_INFO_INIT;
  ASSERT_RT_OK(rtModuleGetInfo(&info, again));
  EXPECT_STREQ(info.name, "ours.cl");
  EXPECT_EQ(run(again), expected(11));
}

TEST_P(ModuleImageTest, AFileOfAnImageIsLoaded) {
  const std::string bytes = imageOfSource();
  const std::string path =
      testing::TempDir() + "manyrt_image_" + std::to_string(getpid()) + "_" + testName({GetParam(), 0}) + ".rtm";
  std::ofstream(path, std::ios::binary) << bytes;
  Module module;
  EXPECT_RT_OK(rtModuleLoadFile(module.out(), path.c_str(), nullptr, context_));
  unlink(path.c_str());
  EXPECT_EQ(originOf(module), RT_MODULE_ORIGIN_IMAGE);
  EXPECT_EQ(run(module), expected(2));
}

TEST_P(ModuleImageTest, ArgumentsThatMeanNothingAreRefused) {
  Module module;
  ASSERT_RT_OK(rtModuleCreateFromSource(module.out(), kSource, nullptr, context_));
  const std::string bytes = imageOf(module);
  size_t needed = 7;
  char few[16] = "";
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetImage(nullptr, 1, &needed, nullptr, module));
  EXPECT_EQ(needed, 0u);
  EXPECT_RT(RT_ERROR_INVALID_HANDLE, rtModuleGetImage(few, sizeof few, &needed, nullptr, nullptr));
  rtImageOptions_t options = RT_IMAGE_OPTIONS_INIT;
  options.flags = 2;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleGetImage(few, sizeof few, &needed, &options, module));
  EXPECT_RT_OK(rtModuleGetImage(few, sizeof few, nullptr, nullptr, module)) << "a short buffer has the first bytes";
  EXPECT_EQ(std::string(few, sizeof few), bytes.substr(0, sizeof few));
  rtModuleOptions_t load_options = RT_MODULE_OPTIONS_INIT;
  load_options.build_options = "-DA=1";
  Module other;
  EXPECT_RT(RT_ERROR_INVALID_VALUE, rtModuleLoadData(other.out(), bytes.data(), bytes.size(), &load_options, context_))
      << "an image is not built";
  load_options = RT_MODULE_OPTIONS_INIT;
  load_options.format = RT_IMAGE_MANYRT;
  EXPECT_RT_OK(rtModuleLoadData(other.out(), bytes.data(), bytes.size(), &load_options, context_));
  EXPECT_RT(RT_ERROR_INVALID_IMAGE, rtModuleLoadData(other.out(), kSource, sizeof kSource, &load_options, context_))
      << "no image, whatever its format is said to be";
}

TEST_P(ModuleImageTest, CodeThatTheProgramGaveIsItsOwnImage) {
  if (GetParam() != "cpu") GTEST_SKIP() << "the suite of the backend loads machine code";
  Module module;
  size_t needed = 0;
  ASSERT_RT_OK(rtModuleLoadFile(module.out(), HOST_MODULE_PATH, nullptr, context_));
  EXPECT_RT(RT_ERROR_NOT_SUPPORTED, rtModuleGetImage(nullptr, 0, &needed, nullptr, module));
  EXPECT_NE(lastMessage().find("serves as its image"), std::string::npos) << lastMessage();
}

}  // namespace
}  // namespace rttest
