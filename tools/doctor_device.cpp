// The self-test of a device: copies in all directions, a kernel that is built from source, work-groups with barriers and local
// memory. Everything is compared with what the host computes.
#include <chrono>
#include <cstring>
#include <numeric>

#include "check.h"
#include "doctor.h"
#include "units.h"

namespace doctor {
namespace {

constexpr uint32_t kGroup = 64, kGroups = 4096, kItems = kGroup * kGroups;
constexpr uint64_t kBytes = uint64_t{kItems} * sizeof(uint32_t);
constexpr uint64_t kPatience = 60'000'000'000;  // nanoseconds: a device that takes longer for a megabyte hangs

// Each group turns its items round by way of local memory.
constexpr const char* kSource =
    "__kernel void self_test(__global const uint* in, __global uint* out, __local uint* group) {\n"
    "  const uint item = get_local_id(0), size = get_local_size(0);\n"
    "  group[item] = in[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = group[size - 1 - item] * 2654435761u + get_group_id(0);\n"
    "}\n";

uint32_t expectedAt(const std::vector<uint32_t>& in, uint32_t item) {
  const uint32_t group = item / kGroup;
  return in[group * kGroup + (kGroup - 1 - item % kGroup)] * 2654435761u + group;
}

void hostKernel(const rtHostGroup_t* group, void* const* args) {
  const uint32_t* in = *static_cast<const uint32_t* const*>(args[0]);
  uint32_t* out = *static_cast<uint32_t* const*>(args[1]);
  const uint32_t first = group->group_id[0] * kGroup;
  for (uint32_t i = 0; i < kGroup; ++i) out[first + i] = in[first + kGroup - 1 - i] * 2654435761u + group->group_id[0];
}

class DeviceTest {
 public:
  explicit DeviceTest(rtDevice_t device) : in_(kItems), out_(kItems) {
    std::iota(in_.begin(), in_.end(), 12345u);
    CHECK(rtContextGetPrimary(&context_, device));
    CHECK(rtStreamCreate(&stream_, nullptr, context_));
    CHECK(rtMalloc(&source_, kBytes, context_));
    CHECK(rtMalloc(&target_, kBytes, context_));
  }
  ~DeviceTest() {
    (void)rtFree(source_);
    (void)rtFree(target_);
    (void)rtStreamDestroy(stream_);
  }
  DeviceTest(const DeviceTest&) = delete;
  DeviceTest& operator=(const DeviceTest&) = delete;

  // There, to another place on the device, and back.
  bool copies() {
    CHECK(rtMemcpyAsync(source_, in_.data(), kBytes, RT_MEMCPY_HOST_TO_DEVICE, stream_));
    CHECK(rtMemcpyAsync(target_, source_, kBytes, RT_MEMCPY_DEVICE_TO_DEVICE, stream_));
    CHECK(rtMemcpyAsync(out_.data(), target_, kBytes, RT_MEMCPY_DEVICE_TO_HOST, stream_));
    CHECK(rtStreamSynchronizeFor(kPatience, stream_));
    return in_ == out_;
  }

  // The status of a build that fails; what else fails is thrown.
  rtStatus_t build(rtKernel_t* kernel) {
    rtModule_t module = nullptr;
    const rtStatus_t status = rtModuleCreateFromSource(&module, kSource, nullptr, context_);
    if (status < 0) return status;
    CHECK(rtModuleGetKernel(kernel, "self_test", module));
    return status;
  }

  rtKernel_t makeHostKernel() {
    rtHostArg_t args[2] = {};
    for (rtHostArg_t& each : args) each = {sizeof(void*), RT_ARG_POINTER};
    rtHostKernel_t host = RT_HOST_KERNEL_INIT;
    host.function = hostKernel;
    host.args = args;
    host.arg_count = 2;
    rtKernel_t kernel = nullptr;
    CHECK(rtKernelCreateFromHost(&kernel, &host, context_));
    return kernel;
  }

  bool runs(rtKernel_t kernel, bool has_local) {
    CHECK(rtMemcpy(source_, in_.data(), kBytes, RT_MEMCPY_HOST_TO_DEVICE));
    CHECK(rtMemset(target_, 0, kBytes));
    size_t local = kGroup * sizeof(uint32_t);
    void* args[] = {&source_, &target_, &local};
    CHECK(rtLaunchKernel(kernel, kGroups, 1, 1, kGroup, 1, 1, 0, stream_, args, has_local ? 3 : 2));
    CHECK(rtStreamSynchronizeFor(kPatience, stream_));
    CHECK(rtMemcpy(out_.data(), target_, kBytes, RT_MEMCPY_DEVICE_TO_HOST));
    for (uint32_t i = 0; i < kItems; ++i) {
      if (out_[i] != expectedAt(in_, i)) return false;
    }
    return true;
  }

 private:
  rtContext_t context_ = nullptr;
  rtStream_t stream_ = nullptr;
  void *source_ = nullptr, *target_ = nullptr;
  std::vector<uint32_t> in_, out_;
};

std::string lastSentence() {
  char message[1024] = "";
  (void)rtGetLastErrorMessage(message, sizeof message, nullptr);
  return message;
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool can(rtDevice_t device, int32_t capability) {
  int32_t has = 0;
  CHECK(rtDeviceHasCapability(&has, capability, device));
  return has != 0;
}

}  // namespace

std::vector<Finding> examineDevice(rtDevice_t device, const std::string& backend, const Distribution& distribution) {
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  CHECK(rtDeviceGetProperties(&properties, device));
  const std::string id = properties.id;
  std::vector<Finding> findings;
  const auto add = [&](Level level, const std::string& text, const std::string& advice = "") {
    findings.push_back({backend, level, id + ": " + text, advice});
  };
  add(Level::kFine, std::string(properties.name) + ", " + bytesText(properties.memory_bytes));
  try {
    DeviceTest test(device);
    const bool copied = test.copies();
    add(copied ? Level::kFine : Level::kProblem,
        copied ? "copies of " + bytesText(kBytes) + " there, on the device and back"
               : "copies leave other bytes than the host's",
        copied ? "" : "please report it, with the output of manyrt info");
    if (!can(device, RT_CAPABILITY_KERNELS)) return findings;
    const auto begin = std::chrono::steady_clock::now();
    rtKernel_t kernel = nullptr;
    const rtStatus_t status = test.build(&kernel);
    const double seconds = secondsSince(begin);
    const bool has_compiler = status != RT_ERROR_COMPILER_NOT_FOUND;
    if (status < 0 && has_compiler) {
      add(Level::kProblem, "a kernel does not build: " + lastSentence(), "RT_LOG=debug manyrt doctor says more");
      return findings;
    }
    if (!has_compiler) {
      const bool is_cuda = properties.backend == RT_BACKEND_CUDA;
      add(Level::kNote,
          "kernels are built from source only with a compiler; images of manyrt cc run without: " + lastSentence(),
          "install one: " + adviceFor(distribution, is_cuda ? Needed::kNvrtc : Needed::kCompiler));
      if (!can(device, RT_CAPABILITY_HOST_KERNELS)) return findings;
      kernel = test.makeHostKernel();
    }
    const bool right = test.runs(kernel, has_compiler);
    const std::string what =
        has_compiler ? "a kernel from source (ready after " + secondsText(seconds) + ") " : "a host kernel ";
    add(right ? Level::kFine : Level::kProblem,
        what + (right ? "computes what the host does" : "computes other numbers than the host"),
        right ? "" : "please report it, with the output of manyrt info");
  } catch (const Failure& failure) {
    add(Level::kProblem, failure.what());
  }
  return findings;
}

}  // namespace doctor
