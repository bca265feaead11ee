// Reserved addresses and mappings: what CUDA's manual allows works, and what it forbids is refused and counted.
#include "self_test.h"

namespace manyrt::simulated {
namespace {

constexpr size_t kGranule = size_t{2} << 20;

class VirtualMemoryTest : public SimulatedTest {
 protected:
  void SetUp() override {
    SimulatedTest::SetUp();
    ASSERT_EQ(cu().MemAddressReserve(&base_, 4 * kGranule, kGranule, 0, 0), kSuccess);
    ASSERT_EQ(base_ % kGranule, 0u);
  }
  void TearDown() override {
    EXPECT_EQ(cudaStreamSynchronize(stream_), kSuccess);
    if (mapped_ != 0) {
      EXPECT_EQ(cu().MemUnmap(base_, mapped_), kSuccess);
    }
    EXPECT_EQ(cu().MemAddressFree(base_, 4 * kGranule), kSuccess);
    EXPECT_EQ(simulatedCudaLive("reservation"), 0);
    SimulatedTest::TearDown();
  }
  static MemoryProperties properties(int device = 0) {
    MemoryProperties made = {};
    made.type = kAllocationPinned;
    made.location = {kLocationDevice, device};
    return made;
  }
  static Error giveAccess(DriverAddress address, size_t size, int device) {
    const MemoryAccess access = {{kLocationDevice, device}, kAccessReadWrite};
    return cu().MemSetAccess(address, size, &access, 1);
  }
  // So many granules from the beginning, each of a memory of its own.
  void map(size_t granules) {
    const MemoryProperties of_device = properties();
    for (size_t i = 0; i < granules; ++i) {
      MemoryHandle handle = 0;
      ASSERT_EQ(cu().MemCreate(&handle, kGranule, &of_device, 0), kSuccess);
      ASSERT_EQ(cu().MemMap(base_ + i * kGranule, kGranule, 0, handle, 0), kSuccess);
      ASSERT_EQ(cu().MemRelease(handle), kSuccess);
    }
    mapped_ = granules * kGranule;
  }
  static size_t freeBytes() {
    size_t free_bytes = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free_bytes, &total), kSuccess);
    return free_bytes;
  }

  DriverAddress base_ = 0;
  size_t mapped_ = 0;
};

TEST_F(VirtualMemoryTest, MappingsSideBySideAreOneRangeForCopiesAndFills) {
  const size_t before = freeBytes();
  map(2);
  EXPECT_EQ(freeBytes(), before - 2 * kGranule);
  ASSERT_EQ(giveAccess(base_, 2 * kGranule, 0), kSuccess);
  ASSERT_EQ(cu().MemsetD32Async(base_, 7, 2 * kGranule / 4, stream_), kSuccess);
  EXPECT_EQ(read(reinterpret_cast<int*>(base_ + kGranule - 8), 4), std::vector<int>(4, 7)) << "across the border";
  PointerAttributes facts = {};
  ASSERT_EQ(cudaPointerGetAttributes(&facts, reinterpret_cast<void*>(base_ + kGranule)), kSuccess);
  EXPECT_EQ(facts.type, kMemoryDevice);
  EXPECT_EQ(facts.device, 0);
  DriverAddress piece = 0;
  size_t size = 0;
  ASSERT_EQ(cu().MemGetAddressRange(&piece, &size, base_ + kGranule + 5), kSuccess);
  EXPECT_EQ(piece, base_ + kGranule);
  EXPECT_EQ(size, kGranule) << "of one mapping";
  MemoryHandle handle = 0;
  EXPECT_EQ(cu().MemRetainAllocationHandle(&handle, reinterpret_cast<void*>(base_ + 5)), kSuccess);
  ASSERT_EQ(cu().MemUnmap(base_, 2 * kGranule), kSuccess);
  mapped_ = 0;
  EXPECT_EQ(freeBytes(), before - kGranule) << "the handle keeps one of them";
  EXPECT_EQ(cu().MemRelease(handle), kSuccess);
  EXPECT_EQ(freeBytes(), before);
  EXPECT_EQ(cu().MemsetD32Async(base_, 7, 1, stream_), kInvalidValue) << "nothing is mapped there";
  EXPECT_EQ(simulatedCudaViolations(), 0);
}

TEST_F(VirtualMemoryTest, NoDeviceReachesAMappingWithoutAccess) {
  map(2);
  EXPECT_EQ(cu().MemsetD32Async(base_, 1, 1, stream_), kInvalidValue);
  std::vector<int> host(2);
  EXPECT_EQ(cudaMemcpyAsync(host.data(), reinterpret_cast<void*>(base_), 8, kCopyDefault, stream_), kInvalidValue);
  EXPECT_EQ(simulatedCudaViolations(), 1) << "the copy";
  ASSERT_EQ(giveAccess(base_, kGranule, 0), kSuccess);
  EXPECT_EQ(cu().MemsetD32Async(base_, 1, kGranule / 4, stream_), kSuccess);
  EXPECT_EQ(cu().MemsetD32Async(base_ + kGranule - 4, 1, 2, stream_), kInvalidValue) << "the second one has none";
}

TEST_F(VirtualMemoryTest, AccessOfPeersIsGivenByMappingAndNotByTheRuntime) {
  map(1);
  ASSERT_EQ(giveAccess(base_, kGranule, 0), kSuccess);
  NativeContext other = nullptr;
  ASSERT_EQ(cu().DevicePrimaryCtxRetain(&other, 1), kSuccess);
  ASSERT_EQ(cu().CtxPushCurrent(other), kSuccess);
  ASSERT_EQ(cudaDeviceEnablePeerAccess(0, 0), kSuccess);
  NativeStream there = makeStream();
  std::vector<int> host(1);
  auto* const memory = reinterpret_cast<void*>(base_);
  EXPECT_EQ(cudaMemcpyAsync(host.data(), memory, 4, kCopyDefault, there), kInvalidValue);
  EXPECT_EQ(simulatedCudaViolations(), 1);
  ASSERT_EQ(giveAccess(base_, kGranule, 1), kSuccess);
  EXPECT_EQ(cudaMemcpyAsync(host.data(), memory, 4, kCopyDefault, there), kSuccess);
  EXPECT_EQ(cu().MemsetD32Async(base_, 3, 1, there), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(there), kSuccess);
}

TEST_F(VirtualMemoryTest, MemoryEndsWhereTheDeviceDoes) {
  const MemoryProperties of_device = properties();
  MemoryHandle handle = 0;
  EXPECT_EQ(cu().MemCreate(&handle, freeBytes() + kGranule, &of_device, 0), kMemoryAllocation);
  void* rest = nullptr;
  ASSERT_EQ(cudaMalloc(&rest, freeBytes() - kGranule), kSuccess);
  ASSERT_EQ(cu().MemCreate(&handle, kGranule, &of_device, 0), kSuccess);
  MemoryHandle second = 0;
  EXPECT_EQ(cu().MemCreate(&second, kGranule, &of_device, 0), kMemoryAllocation) << "plain memory counts too";
  EXPECT_EQ(cu().MemRelease(handle), kSuccess);
  EXPECT_EQ(cudaFree(rest), kSuccess);
}

TEST_F(VirtualMemoryTest, MisuseIsCounted) {
  map(2);
  ASSERT_EQ(giveAccess(base_, 2 * kGranule, 0), kSuccess);
  const MemoryProperties of_device = properties();
  MemoryHandle handle = 0;
  int expected = 0;
  const auto refused = [&](Error error) {
    EXPECT_EQ(error, kInvalidValue) << "after " << expected;
    EXPECT_EQ(simulatedCudaViolations(), ++expected);
  };
  refused(cu().MemCreate(&handle, kGranule / 2, &of_device, 0));
  refused(cu().MemUnmap(base_, kGranule / 2));
  refused(cu().MemUnmap(base_ + 2 * kGranule, kGranule));
  refused(cu().MemUnmap(base_, 3 * kGranule));
  refused(giveAccess(base_ + kGranule / 2, kGranule, 0));
  refused(giveAccess(base_ + 2 * kGranule, kGranule, 0));
  refused(cu().MemAddressFree(base_, 4 * kGranule));
  refused(cu().MemAddressFree(base_, 2 * kGranule));
  refused(cu().MemRelease(12345));
  refused(cu().MemMap(base_ + 2 * kGranule, kGranule, 0, 12345, 0));
  ASSERT_EQ(cu().MemCreate(&handle, kGranule, &of_device, 0), kSuccess);
  refused(cu().MemMap(base_ + kGranule, kGranule, 0, handle, 0));
  refused(cu().MemMap(base_ + 4 * kGranule, kGranule, 0, handle, 0));
  refused(cu().MemMap(base_ + 2 * kGranule + kGranule / 2, kGranule, 0, handle, 0));
  refused(cu().MemMap(base_ + 2 * kGranule, 2 * kGranule, 0, handle, 0));
  ASSERT_EQ(cu().MemRelease(handle), kSuccess);
  DriverAddress odd = 0;
  refused(cu().MemAddressReserve(&odd, kGranule + 1, 0, 0, 0));
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(base_)), kInvalidValue) << "which is no violation";
}

TEST_F(VirtualMemoryTest, AKernelThatUsesWhatWasUnmappedFaults) {
  map(1);
  ASSERT_EQ(giveAccess(base_, kGranule, 0), kSuccess);
  const NativeModule module = load("extern \"C\" __global__ void put(int* out) { *out = 5; }\n");
  auto* out = reinterpret_cast<int*>(base_);
  ASSERT_EQ(launch(kernel(module, "put"), 1, 1, {&out}), kSuccess);
  EXPECT_EQ(read(out, 1), std::vector<int>(1, 5));
  ASSERT_EQ(cu().MemUnmap(base_, kGranule), kSuccess);
  mapped_ = 0;
  ASSERT_EQ(launch(kernel(module, "put"), 1, 1, {&out}), kSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), kIllegalAddress);
  simulatedCudaMendDevice(0);
}

}  // namespace
}  // namespace manyrt::simulated
