// Addresses of a device that get memory in granules and lose it again, by the driver's virtual memory calls. One object serves
// all contexts of a device. Switched off by RT_CUDA_MEMORY=plain, and absent where the driver or the device has no such calls.
//
// Peer access of the runtime (cudaDeviceEnablePeerAccess) does not cover this memory. A device reaches it once it was given
// access. That holds for parts that have memory by then, and for all that get it later.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/declarations.h"
#include "base/lock_order.h"

namespace manyrt::cuda {

class Device;

class Ranges final : public backend::AddressRanges {
 public:
  static std::unique_ptr<Ranges> open(Device& device);  // null: there are none

  Status reserve(backend::Memory* memory, uint64_t size) override;
  bool commits(int32_t kind) const override { return kind == RT_MEMORY_DEVICE; }
  uint64_t granule() const override { return granule_; }
  uint64_t largestBlock() const override { return kLargestBlock; }
  bool givesPagesAtTouch() const override { return false; }
  Status commit(const backend::Memory& memory, uint64_t offset, uint64_t size) override;
  void decommit(const backend::Memory& memory, uint64_t offset, uint64_t size) override;

  void release(const backend::Memory& memory);  // with what still has memory
  // Lets kernels and copies of another device use this device's ranges. Quick when it has been done.
  Status giveAccess(const Device& peer);

 private:
  // Which granules of a reservation have memory.
  using Committed = std::vector<bool>;

  Ranges(Device& device, uint64_t granule, bool rdma) : device_(device), granule_(granule), rdma_(rdma) {}
  MemoryProperties propertiesOf() const;
  Status failed(const char* call, Error error, uint64_t size);
  // Under the lock.
  Error mapGranule(DriverAddress address, const char** call) const;
  void unmap(DriverAddress address, uint64_t size);
  template <class Body>
  Error forRuns(DriverAddress base, const Committed& committed, Body body) const;

  static constexpr int32_t kMostDevices = 64;
  // 5 ms for the first block of the size on an H100, 20 us a granule; cudaMalloc takes 0.1 to 0.8 ms for any size.
  static constexpr uint64_t kLargestBlock = uint64_t{256} << 20;

  Device& device_;
  const uint64_t granule_;
  const bool rdma_;
  // Bit by ordinal: the devices with access, beside this one. Release when all has been done for a device.
  std::atomic<uint64_t> reach_{0};
  Ranked<std::mutex, LockRank::kCudaRanges> mutex_;  // held across calls of the driver, which takes them one by one
  MemoryAccess accesses_[kMostDevices];              // what new memory gets; this device first
  size_t access_count_ = 0;
  std::map<DriverAddress, Committed> reservations_;
};

}  // namespace manyrt::cuda
