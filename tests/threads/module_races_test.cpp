// Modules destroyed by one thread while others launch their kernels and ask them questions. A call works or returns
// RT_ERROR_INVALID_HANDLE, and accepted work runs to its end in code that stays loaded.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/device_test.h"
#include "support/simulated_cuda.h"
#include "support/threads.h"

namespace rttest {
namespace {

class ModuleRaces : public DeviceTest {
 protected:
  static constexpr int kSlots = 4;
  static constexpr int kModuleRounds = kRounds / 5;

  // The image of a host module on the CPU. Elsewhere that of a source, which is built at the first time and found in the cache
  // then.
  static std::string image() {
    if (GetParam() != "cpu") return kSource;
    std::ifstream file(HOST_MODULE_PATH, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  static rtStatus_t load(rtModule_t* module, const std::string& bytes, rtContext_t context) {
    return GetParam() == "cpu" ? rtModuleLoadData(module, bytes.data(), bytes.size(), nullptr, context)
                               : rtModuleCreateFromSource(module, bytes.c_str(), nullptr, context);
  }
  static constexpr char kSource[] =
      "__constant uint counter[2] = {1, 2};\n"
      "__kernel void iota(__global uint* out, uint count, uint base) {\n"
      "  const uint i = get_global_id(0);\n"
      "  if (i < count) out[i] = base + i;\n"
      "}\n"
      "__kernel void constants(__global uint* out) { out[0] = counter[out[1] & 1]; }\n";
};

std::vector<std::string> moduleDevices() {
  std::vector<std::string> names = {"cpu"};
  for (std::string& name : cudaDevices(1)) names.push_back(std::move(name));
  return names;
}
INSTANTIATE_TEST_SUITE_P(, ModuleRaces, testing::ValuesIn(moduleDevices()), testName);

TEST_P(ModuleRaces, ModulesAreDestroyedWhileTheyAreUsed) {
  std::atomic<rtModule_t> slots[kSlots] = {};
  const std::string bytes = image();
  onThreads([&](int index) {
    Allowed allowed{RT_ERROR_INVALID_HANDLE};
    Random random(index + 500);
    Stream stream;
    Memory memory;
    EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    EXPECT_RT_OK(rtMallocHost(memory.out(), 64 * sizeof(uint32_t), context_));
    for (uint32_t round = 0; round < kModuleRounds; ++round) {
      std::atomic<rtModule_t>& slot = slots[random.below(kSlots)];
      const rtModule_t module = slot.load();
      switch (module == nullptr ? 0 : random.below(6)) {
        case 0: {
          Module made;
          EXPECT_RT_OK(load(made.out(), bytes, context_));
          EXPECT_RT_OK(rtModuleDestroy(slot.exchange(made.release())));
          break;
        }
        case 1: {
          uint32_t count = 0;
          rtKernel_t kernel = nullptr;
          rtKernelArgInfo_t info = RT_KERNEL_ARG_INFO_INIT;
          if (CALL(allowed, rtModuleGetKernelCount(&count, module))) {
            EXPECT_GE(count, 2u);
          }
          if (CALL(allowed, rtModuleGetKernelByIndex(&kernel, 0, module))) CALL(allowed, rtKernelGetArgInfo(&info, 0, kernel));
          break;
        }
        case 2: {
          void* pointer = nullptr;
          uint64_t size = 0;
          char log[8];
          CALL(allowed, rtModuleGetGlobal(&pointer, &size, "counter", module));
          CALL(allowed, rtModuleGetBuildLog(log, sizeof log, nullptr, module));
          break;
        }
        default: {
          rtKernel_t kernel = nullptr;
          if (!CALL(allowed, rtModuleGetKernel(&kernel, "iota", module))) break;
          CALL(allowed, rtKernelDestroy(kernel));
          if (!CALL(allowed, launchOver(kernel, stream, 8, 8, memory.as<uint32_t>(), 64u, round))) break;
          EXPECT_RT_OK(rtStreamSynchronize(stream));
          EXPECT_EQ(memory.as<uint32_t>()[0], round);
          EXPECT_EQ(memory.as<uint32_t>()[63], round + 63);
        }
      }
    }
  });
  for (std::atomic<rtModule_t>& slot : slots) EXPECT_RT_OK(rtModuleDestroy(slot.load()));
  EXPECT_RT_OK(rtContextSynchronize(context_));
  EXPECT_EQ(liveHandles(RT_HANDLE_MODULE), 0u);
}

// A folder for the cache: what appears in it says that better code is about to be taken up.
class CacheFolder {
 public:
  CacheFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "manyrt-swap-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    setenv("RT_CACHE_DIR", path_.c_str(), 1);
  }
  ~CacheFolder() {
    unsetenv("RT_CACHE_DIR");
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  bool filled() const {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(path_, none)) {
      if (entry.path().filename().string().size() == 64) return true;
    }
    return false;
  }

 private:
  std::string path_;
};

TEST_P(ModuleRaces, LaunchesGoOverToBetterCodeInTheirMiddle) {
  static int runs = 0;  // of the test: a source that the process has had is not built again
  const std::string source =
      "__kernel void waves(__global float* out, uint count, float by) {\n"
      "  uint i = get_global_id(0);\n"
      "  float sum = " +
      std::to_string(++runs) +
      ";\n"
      "  for (uint k = 0; k < count; ++k) sum += by * (float)(i + k);\n"
      "  out[i] = sum;\n"
      "}\n";
  const CacheFolder folder;
  Module module;
  const rtStatus_t status = rtModuleCreateFromSource(module.out(), source.c_str(), nullptr, context_);
  if (status == RT_ERROR_COMPILER_NOT_FOUND) GTEST_SKIP() << "no C++ compiler is installed";
  ASSERT_RT_OK(status);
  std::atomic<uint32_t> after{0};  // launches since the better code was seen
  onThreads([&](int) {
    constexpr uint32_t kItems = 64 * 64;
    Stream stream;
    Memory memory;
    rtKernel_t kernel = nullptr;
    EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    EXPECT_RT_OK(rtMallocHost(memory.out(), kItems * sizeof(float), context_));
    EXPECT_RT_OK(rtModuleGetKernel(&kernel, "waves", module));
    std::vector<float> first;
    while (after.load() < 100) {
      EXPECT_RT_OK(launchOver(kernel, stream, 64, 64, memory.as<float>(), 100u, 0.3f));
      EXPECT_RT_OK(rtStreamSynchronize(stream));
      const std::vector<float> got(memory.as<float>(), memory.as<float>() + kItems);
      if (first.empty()) first = got;
      EXPECT_EQ(got, first);
      if (HasFailure()) return;
      if (after.load() != 0 || folder.filled()) ++after;
    }
  });
  EXPECT_RT_OK(module.reset());
}

// Calls with the same sources share each build, whichever of them has begun it, and none waits for one that waits for it.
TEST_P(ModuleRaces, CallsForManyModulesShareTheirBuilds) {
  static int runs = 0;  // of the test: a source that the process has had is not built again
  constexpr int kSources = 12;
  ++runs;
  std::vector<std::string> texts;
  for (int i = 0; i < kSources; ++i) {
    const std::string value = std::to_string(1000 * runs + i);
    texts.push_back(i == 7 ? "__kernel void iota(__global uint* out) { out[0] = absent; }\n"
                           : "__kernel void iota(__global uint* out, uint count, uint base) {\n"
                             "  out[get_global_id(0)] = base + count * " +
                                 value + ";\n}\n");
  }
  onThreads([&](int index) {
    std::vector<const char*> sources;
    for (int i = 0; i < kSources; ++i) sources.push_back(texts[static_cast<size_t>((i + index * 5) % kSources)].c_str());
    rtModule_t modules[kSources];
    rtStatus_t statuses[kSources];
    EXPECT_RT(RT_ERROR_BUILD_FAILED, rtModuleBuildMany(modules, statuses, sources.data(), kSources, nullptr, context_));
    Stream stream;
    Memory memory;
    EXPECT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
    EXPECT_RT_OK(rtMallocHost(memory.out(), 64 * sizeof(uint32_t), context_));
    for (int i = 0; i < kSources; ++i) {
      const int source = (i + index * 5) % kSources;
      EXPECT_EQ(statuses[i], source == 7 ? RT_ERROR_BUILD_FAILED : RT_SUCCESS);
      EXPECT_EQ(modules[i] == nullptr, source == 7);
      rtKernel_t kernel = nullptr;
      if (modules[i] == nullptr) continue;
      EXPECT_RT_OK(rtModuleGetKernel(&kernel, "iota", modules[i]));
      EXPECT_RT_OK(launchOver(kernel, stream, 8, 8, memory.as<uint32_t>(), 2u, 5u));
      EXPECT_RT_OK(rtStreamSynchronize(stream));
      EXPECT_EQ(memory.as<uint32_t>()[63], 5u + 2 * static_cast<uint32_t>(1000 * runs + source));
      EXPECT_RT_OK(rtModuleDestroy(modules[i]));
    }
  });
}

// The better code of one program comes to lie where the code of another has just been unloaded by another thread.
TEST_P(ModuleRaces, CodeIsLoadedWhereOtherCodeWas) {
  const CacheFolder folder;
  Stream stream;
  Memory memory;
  ASSERT_RT_OK(rtStreamCreate(stream.out(), nullptr, context_));
  ASSERT_RT_OK(rtMallocHost(memory.out(), 64 * sizeof(int), context_));
  for (int round = 0; round < 10; ++round) {
    const std::string source = "__kernel void f(__global int* out, __local int* all) {\n  int k = " + std::to_string(round) +
                               ";\nagain:\n  all[get_local_id(0)] = k;\n  barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "  out[get_global_id(0)] = all[0];\n  if (++k < 20) goto again;\n}\n";
    Module improved, plain;
    const rtStatus_t status = rtModuleCreateFromSource(improved.out(), source.c_str(), nullptr, context_);
    if (status == RT_ERROR_COMPILER_NOT_FOUND) GTEST_SKIP() << "no C++ compiler is installed";
    ASSERT_RT_OK(status);
    ASSERT_RT_OK(rtModuleCreateFromSource(plain.out(), source.c_str(), "-cl-opt-disable", context_));
    ASSERT_RT_OK(plain.reset());
    rtKernel_t kernel = nullptr;
    ASSERT_RT_OK(rtModuleGetKernel(&kernel, "f", improved));
    memset(memory.get(), 0, 64 * sizeof(int));
    void* out = memory.get();
    size_t local = 16 * sizeof(int);
    void* args[] = {&out, &local};
    ASSERT_RT_OK(rtLaunchKernel(kernel, 4, 1, 1, 16, 1, 1, 0, stream, args, 2));
    ASSERT_RT_OK(rtStreamSynchronize(stream));
    EXPECT_EQ(memory.as<int>()[63], 19);
  }
}

TEST_P(ModuleRaces, AContextIsDestroyedWhileModulesAreMadeInIt) {
  const std::string bytes = image();
  for (int round = 0; round < kModuleRounds / 10 + 1; ++round) {
    Context context;
    ASSERT_RT_OK(rtContextCreate(context.out(), nullptr, device_));
    const rtContext_t shared = context;
    onThreads(
        [&](int index) {
          Allowed allowed{RT_ERROR_INVALID_HANDLE};
          if (index == 0) {
            CALL(allowed, rtContextDestroy(context.release()));
            return;
          }
          rtModule_t module = nullptr;
          if (CALL(allowed, load(&module, bytes, shared))) {
            CALL(allowed, rtModuleDestroy(module));
          }
        },
        4);
  }
  EXPECT_EQ(liveHandles(RT_HANDLE_MODULE), 0u);
}

}  // namespace
}  // namespace rttest
