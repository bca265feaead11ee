// Fault scenarios of modules: from data, from a file, from a source, and the launch of what is in them.
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "driver.h"

namespace rttest {
namespace {

using ModuleFaults = FaultTest;
INSTANTIATE_TEST_SUITE_P(, ModuleFaults, testing::Values("cpu"), testName);

using SourceFaults = FaultTest;
INSTANTIATE_TEST_SUITE_P(, SourceFaults, testing::ValuesIn(sourceDevices()), testName);

constexpr size_t kCount = 64;

// Finds the kernel and runs it on the world's pinned memory.
rtStatus_t runIota(World& w, rtModule_t module) {
  rtKernel_t kernel = nullptr;
  TRY(rtModuleGetKernel(&kernel, "iota", module));
  std::memset(w.host, 0, kCount * sizeof(uint32_t));
  TRY(launchOver(kernel, w.stream, 4, 16, w.host.as<void>(), static_cast<uint32_t>(kCount), 1u));
  TRY(rtStreamSynchronize(w.stream));
  return w.host.as<uint32_t>()[kCount - 1] == kCount ? RT_SUCCESS : RT_ERROR_INTERNAL;
}

TEST_P(ModuleFaults, LoadFile) {
  exhaust({"module of a file", [](World& w) {
             Module module;
             TRY(rtModuleLoadFile(module.out(), HOST_MODULE_PATH, nullptr, w.context));
             TRY(runIota(w, module));
             return module.reset();
           }});
}

TEST_P(ModuleFaults, LoadData) {
  static std::string image;
  std::ifstream file(HOST_MODULE_PATH, std::ios::binary);
  image.assign(std::istreambuf_iterator<char>(file), {});
  exhaust({"module of data", [](World& w) {
             Module module;
             TRY(rtModuleLoadData(module.out(), image.data(), image.size(), nullptr, w.context));
             TRY(runIota(w, module));
             return module.reset();
           }});
}

TEST_P(ModuleFaults, ScratchMemory) {
  exhaust({"a kernel with memory of its own", [](World& w) {
             Module module;
             rtKernel_t kernel = nullptr;
             TRY(rtModuleLoadFile(module.out(), HOST_MODULE_PATH, nullptr, w.context));
             TRY(rtModuleGetKernel(&kernel, "memory", module));
             TRY(launchOver(kernel, w.stream, 16, 100, size_t{30000}, w.host.as<void>()));
             TRY(rtStreamSynchronize(w.stream));
             return module.reset();
           }});
}

// After the first run the code comes from this process or from the cache; the compiler's own faults are tested beside it.
TEST_P(SourceFaults, CreateFromSource) {
  exhaust({"module of a source", [](World& w) {
             static constexpr char kSource[] =
                 "__kernel void iota(__global uint* out, uint count, uint base) {\n"
                 "  uint i = get_global_id(0);\n"
                 "  if (i < count) out[i] = base + i;\n"
                 "}\n";
             Module module;
             TRY(rtModuleCreateFromSource(module.out(), kSource, "-DUNUSED=1", w.context));
             TRY(runIota(w, module));
             return module.reset();
           }});
}

TEST_P(ModuleFaults, GettersOfModules) {
  exhaust({"getters of modules", [](World& w) {
             Module module;
             void* pointer = nullptr;
             uint64_t bytes = 0;
             uint32_t count = 0;
             rtKernel_t kernel = nullptr;
             char log[16];
             TRY(rtModuleLoadFile(module.out(), HOST_MODULE_PATH, nullptr, w.context));
             TRY(rtModuleGetGlobal(&pointer, &bytes, "counter", module));
             TRY(rtModuleGetKernelCount(&count, module));
             TRY(rtModuleGetKernelByIndex(&kernel, count - 1, module));
             TRY(rtModuleGetBuildLog(log, sizeof log, nullptr, module));
             return module.reset();
           }});
}

}  // namespace
}  // namespace rttest
