// Memory, kernels and launches of one device.
#include "bench_device.h"

#include <algorithm>
#include <chrono>

#include "check.h"

namespace bench {
namespace {

constexpr uint32_t kGroup = 256, kTurns = 256, kChains = 8;
constexpr uint64_t kOptimizedWithin = 120'000'000'000;  // nanoseconds
constexpr const char* kSource =
    "__kernel void nothing(void) {}\n"
    "__kernel void triad(__global float* a, __global const float* b, __global const float* c, float s) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  a[i] = b[i] + s * c[i];\n"
    "}\n"
    // Eight chains for each item: no multiply-add waits for the one before.
    "__kernel void multiply_adds(__global float* a, float s) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  float x0 = i, x1 = i + 1, x2 = i + 2, x3 = i + 3, x4 = i + 4, x5 = i + 5, x6 = i + 6, x7 = i + 7;\n"
    "  for (int turn = 0; turn < TURNS; ++turn) {\n"
    "    x0 = fma(x0, s, s); x1 = fma(x1, s, s); x2 = fma(x2, s, s); x3 = fma(x3, s, s);\n"
    "    x4 = fma(x4, s, s); x5 = fma(x5, s, s); x6 = fma(x6, s, s); x7 = fma(x7, s, s);\n"
    "  }\n"
    "  a[i] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;\n"
    "}\n";

void hostNothing(const rtHostGroup_t*, void* const*) {}

}  // namespace

double secondsOf(Of of, double budget, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  const auto stretch = [&](uint64_t calls) {
    const auto begin = Clock::now();
    for (uint64_t i = 0; i < calls; ++i) call();
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  constexpr double kShortest = 1e-3;
  uint64_t calls = 1;
  double once = stretch(1);  // the first one warms up
  for (once = stretch(calls); once < kShortest && calls < uint64_t{1} << 30; once = stretch(calls)) calls *= 2;
  std::vector<double> times;
  double spent = 0;
  constexpr size_t kLeast = 3;
  while (times.size() < kLeast || spent < budget) {
    const double time = stretch(calls);
    spent += time;
    times.push_back(time / static_cast<double>(calls));
  }
  if (of == Of::kLeast) return *std::min_element(times.begin(), times.end());
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

Device::Device(rtDevice_t device, uint64_t bytes) : bytes_(bytes / (kGroup * sizeof(float)) * (kGroup * sizeof(float))) {
  CHECK(rtDeviceGetProperties(&properties_, device));
  try {
    CHECK(rtContextGetPrimary(&context_, device));
    CHECK(rtStreamCreate(&stream_, nullptr, context_));
    for (void*& block : blocks_) {
      CHECK(rtMalloc(&block, bytes_, context_));
      CHECK(rtMemset(block, 0, bytes_));
    }
    CHECK(rtMallocHost(&pinned_, bytes_, context_));
    std::fill_n(static_cast<char*>(pinned_), bytes_, '\1');
    int32_t has = 0;
    CHECK(rtDeviceHasCapability(&has, RT_CAPABILITY_KERNELS, device));
    if (has != 0) {
      buildKernels();
    } else {
      no_kernels_ = "The device has no kernels from source.";
    }
    CHECK(rtDeviceHasCapability(&has, RT_CAPABILITY_HOST_KERNELS, device));
    if (nothing_ == nullptr && has != 0) makeHostKernel();
  } catch (...) {
    release();
    throw;
  }
}

Device::~Device() { release(); }

void Device::release() {
  for (void* block : blocks_) (void)rtFree(block);
  (void)rtFree(pinned_);
  if (stream_ != nullptr) (void)rtStreamDestroy(stream_);
}

void Device::buildKernels() {
  rtModule_t module = nullptr;
  const std::string options = "-DTURNS=" + std::to_string(kTurns);
  const rtStatus_t status = rtModuleCreateFromSource(&module, kSource, options.c_str(), context_);
  if (status < 0) {  // the copies are measured all the same
    char message[1024] = "";
    (void)rtGetLastErrorMessage(message, sizeof message, nullptr);
    no_kernels_ = message;
    return;
  }
  CHECK(rtModuleWait(module, RT_MODULE_OPTIMIZED, kOptimizedWithin));
  CHECK(rtModuleGetKernel(&nothing_, "nothing", module));
  CHECK(rtModuleGetKernel(&triad_, "triad", module));
  CHECK(rtModuleGetKernel(&multiply_adds_, "multiply_adds", module));
}

void Device::makeHostKernel() {
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = hostNothing;
  host.name = "nothing";
  CHECK(rtKernelCreateFromHost(&nothing_, &host, context_));
}

void Device::copy(void* target, const void* source, uint64_t bytes, int32_t kind) const {
  CHECK(rtMemcpyAsync(target, source, bytes, kind, stream_));
  wait();
}

void Device::launchNothing() const { CHECK(rtLaunchKernel(nothing_, 1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0)); }

void Device::launchTriad() const {
  void* blocks[3] = {blocks_[0], blocks_[1], blocks_[2]};
  float scale = 3;
  void* args[] = {&blocks[0], &blocks[1], &blocks[2], &scale};
  const auto groups = static_cast<uint32_t>(bytes_ / sizeof(float) / kGroup);
  CHECK(rtLaunchKernel(triad_, groups, 1, 1, kGroup, 1, 1, 0, stream_, args, 4));
}

// As many items as keep the device busy, and no more than the block has room for.
static uint32_t computeGroups(uint64_t bytes, uint32_t units) {
  const uint64_t room = bytes / sizeof(float) / kGroup;
  return static_cast<uint32_t>(std::clamp<uint64_t>(uint64_t{units} * 64, 1, room));
}

void Device::launchMultiplyAdds() const {
  void* block = blocks_[0];
  float scale = 0.5F;
  void* args[] = {&block, &scale};
  CHECK(rtLaunchKernel(multiply_adds_, computeGroups(bytes_, properties_.compute_units), 1, 1, kGroup, 1, 1, 0, stream_, args,
                       2));
}

double Device::operations() const { return 2.0 * kChains * kTurns * kGroup * computeGroups(bytes_, properties_.compute_units); }

void Device::wait() const { CHECK(rtStreamSynchronize(stream_)); }

}  // namespace bench
