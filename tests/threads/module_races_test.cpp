// Modules destroyed by one thread while others launch their kernels and ask them questions: a call works or returns
// RT_ERROR_INVALID_HANDLE, and what was accepted runs to its end in code that stays loaded.
#include <fstream>
#include <iterator>
#include <string>

#include "support/device_test.h"
#include "support/simulated_cuda.h"
#include "support/threads.h"

namespace rttest {
namespace {

class ModuleRaces : public DeviceTest {
 protected:
  static constexpr int kSlots = 4;
  static constexpr int kModuleRounds = kRounds / 5;

  // Of a host module on the CPU; elsewhere of a source, which is built at the first time and found in the cache then.
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
  if (cudaDeviceCount() != 0) names.emplace_back("cuda:0");
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
