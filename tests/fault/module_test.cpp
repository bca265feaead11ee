// Fault scenarios of modules: from data, from a file, from a source, and the launch of what is in them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "base/fault.h"
#include "driver.h"
#include "support/cuda_images.h"

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

TEST_P(SourceFaults, ImageOfAModule) {
  exhaust({"a module of the image of a module", [](World& w) {
             Module built, module;
             size_t needed = 0;
             TRY(rtModuleCreateFromSource(
                 built.out(),
                 "__kernel void iota(__global uint* out, uint count, uint base) { out[get_global_id(0)] = base; }\n", nullptr,
                 w.context));
             TRY(rtModuleGetImage(nullptr, 0, &needed, nullptr, built));
             const std::unique_ptr<void, void (*)(void*)> image(std::malloc(needed), std::free);  // no fault of the library's
             TRY(rtModuleGetImage(image.get(), needed, &needed, nullptr, built));
             TRY(rtModuleLoadData(module.out(), image.get(), needed, nullptr, w.context));
             TRY(module.reset());
             return built.reset();
           }});
}

// Whatever one of the sources fails with, the call gives the others, and a module has all its kernels.
TEST_P(SourceFaults, ManyAtOnce) {
  exhaust({"many modules at once", [](World& w) {
             static const char* const sources[] = {
                 "__kernel void iota(__global uint* out, uint count, uint base) { out[get_global_id(0)] = base; }\n",
                 "__kernel void one(__global uint* out) { out[get_global_id(0)] = 1; }\n",
                 "__kernel void one(__global uint* out) { out[get_global_id(0)] = 1; }\n",
                 "__kernel void two(__global uint* out) { out[get_global_id(0)] = 2; }\n"};
             rtModule_t modules[4];
             rtStatus_t statuses[4];
             const rtStatus_t result = rtModuleBuildMany(modules, statuses, sources, 4, nullptr, w.context);
             rtStatus_t first = RT_SUCCESS, wrong = RT_SUCCESS;
             for (int i = 0; i < 4; ++i) {
               uint32_t count = 0;
               if (first == RT_SUCCESS) first = statuses[i];
               if ((statuses[i] == RT_SUCCESS) != (modules[i] != nullptr)) wrong = RT_ERROR_INTERNAL;
               if (modules[i] != nullptr && rtModuleGetKernelCount(&count, modules[i]) == RT_SUCCESS && count != 1)
                 wrong = RT_ERROR_INTERNAL;
               TRY(rtModuleDestroy(modules[i]));
             }
             return wrong != RT_SUCCESS ? wrong : first == result ? result : RT_ERROR_INTERNAL;
           }});
}

// The same where each run builds all, since its sources are new. It passes thousands of faults, of which some are tried.
TEST_P(ModuleFaults, ManyThatAreBuilt) {
  constexpr int kSources = 4;
  static int runs = 0;
  uint64_t faults = 0;
  for (const bool onwards : {false, true}) {
    for (uint64_t k = 1; !HasFailure(); k = k * 3 / 2 + 1) {
      char texts[kSources][128];
      const char* sources[kSources];
      rtModule_t modules[kSources];
      rtStatus_t statuses[kSources];
      ++runs;
      for (int i = 0; i < kSources; ++i) {
        std::snprintf(texts[i], sizeof texts[i], "__kernel void f(__global uint* out) { out[get_global_id(0)] = %d; }\n",
                      10 * runs + i);
        sources[i] = texts[i];
      }
      const uint64_t live = liveHandles();
      manyrt::fault::arm(k, onwards);
      const rtStatus_t result = rtModuleBuildMany(modules, statuses, sources, kSources, nullptr, world().context);
      const uint64_t met = manyrt::fault::disarm();
      const std::string what = manyrt::fault::lastFault();
      SCOPED_TRACE("fault " + std::to_string(k) + (onwards ? " onwards" : "") + " (" + what + ")");
      rtStatus_t first = RT_SUCCESS;
      for (int i = 0; i < kSources; ++i) {
        if (first == RT_SUCCESS) first = statuses[i];
        EXPECT_EQ(statuses[i] == RT_SUCCESS, modules[i] != nullptr) << i;
        EXPECT_TRUE(statuses[i] == RT_SUCCESS || statuses[i] == RT_ERROR_OUT_OF_MEMORY) << statuses[i] << " of " << i;
        EXPECT_RT_OK(rtModuleDestroy(modules[i]));
      }
      EXPECT_EQ(result, first);
      EXPECT_EQ(liveHandles(), live);
      ASSERT_RT_OK(rtModuleBuildMany(modules, statuses, sources, kSources, nullptr, world().context)) << lastMessage();
      for (const rtModule_t module : modules) {
        uint32_t count = 0;
        EXPECT_RT_OK(rtModuleGetKernelCount(&count, module));
        EXPECT_EQ(count, 1u);
        EXPECT_RT_OK(rtModuleDestroy(module));
      }
      if (what.empty()) break;
      faults = std::max(faults, met);
    }
  }
  RecordProperty("faults_passed", static_cast<int>(faults));
  EXPECT_GT(faults, 100u);
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

// ---- Images of CUDA ----

using CudaImageFaults = FaultTest;
INSTANTIATE_TEST_SUITE_P(, CudaImageFaults, testing::ValuesIn(cudaDevices(1)), testName);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CudaImageFaults);

constexpr char kCudaSource[] =
    "extern \"C\" __global__ void iota(unsigned* out, unsigned count, unsigned base) {\n"
    "  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < count) out[i] = base + i;\n"
    "}\n";

// "sm_90", for which images are made.
std::string architecture() {
  rtDevice_t device = nullptr;
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  EXPECT_RT_OK(rtDeviceGetByName(&device, "cuda:0"));
  EXPECT_RT_OK(rtDeviceGetProperties(&properties, device));
  return properties.architecture;
}

Scenario loading(const char* name, int32_t format, const std::string& image) {
  return {name, [format, &image](World& w) {
            rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
            options.format = format;
            Module module;
            TRY(rtModuleLoadData(module.out(), image.data(), image.size(), &options, w.context));
            TRY(runIota(w, module));
            return module.reset();
          }};
}

TEST_P(CudaImageFaults, Ptx) {
  const std::string image = Nvrtc().ptx(kCudaSource, "compute_" + architecture().substr(3));
  exhaust(loading("module of PTX", RT_IMAGE_PTX, image));
}

TEST_P(CudaImageFaults, Cubin) {
  const std::string image = Nvrtc().cubin(kCudaSource, architecture());
  exhaust(loading("module of a cubin", RT_IMAGE_CUBIN, image));
}

TEST_P(CudaImageFaults, Fatbin) {
  const uint32_t number = static_cast<uint32_t>(std::stoi(architecture().substr(3)));
  const std::string image = fatbin({{number, Nvrtc().cubin(kCudaSource, architecture())}});
  exhaust(loading("module of a fat binary", RT_IMAGE_FATBIN, image));
}

TEST_P(CudaImageFaults, CudaCxx) { exhaust(loading("module of CUDA C++", RT_IMAGE_CUDA_CXX, kCudaSource)); }

// A source that includes something is compiled each time, since the file may mean something else the next time.
TEST_P(CudaImageFaults, CudaCxxThatIsCompiledEachTime) {
  static const char* const kName = "value.h";
  static const char* const kText = "";
  static const std::string source = std::string("#include \"value.h\"\n") + kCudaSource;
  exhaust({"module of CUDA C++ that is compiled", [](World& w) {
             rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
             options.format = RT_IMAGE_CUDA_CXX;
             options.header_count = 1;
             options.header_names = &kName;
             options.headers = &kText;
             Module module;
             TRY(rtModuleLoadData(module.out(), source.data(), source.size(), &options, w.context));
             TRY(runIota(w, module));
             return module.reset();
           }});
}

// An image that is refused without a fault is refused with one, too, or there was no memory for it.
TEST_P(CudaImageFaults, ImagesThatAreRefused) {
  const std::string broken = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry broken( {\n}\n";
  std::string other = Nvrtc().ptx(kCudaSource, "compute_" + architecture().substr(3));
  other.replace(other.find(".target"), 13, ".target sm_999");
  for (const std::string& image : {broken, other}) {
    exhaust({"an image that is refused", [&image](World& w) {
               Module module;
               const rtStatus_t status = rtModuleLoadData(module.out(), image.data(), image.size(), nullptr, w.context);
               return status == RT_ERROR_INVALID_IMAGE ? RT_SUCCESS : status == RT_SUCCESS ? RT_ERROR_INTERNAL : status;
             }});
    if (HasFailure()) return;
  }
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
