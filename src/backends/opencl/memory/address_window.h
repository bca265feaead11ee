// Addresses for memory that has none: one range of the address space, reserved and without access. So an address in it equals
// none of the host's, and a stray access faults at once. A page table tells, without a lock, which root stands behind an
// address. One window serves all devices, for as long as the process lives.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "base/lock_order.h"

namespace manyrt::opencl {

class Root;

class AddressWindow {
 public:
  static AddressWindow& instance();

  // A range for the root, aligned to `alignment` (a power of two); 0 where the window is full or could not be reserved.
  uintptr_t reserve(Root* root, uint64_t size, uint64_t alignment);
  void release(uintptr_t address);  // of reserve()

  // Counts the changes to the roots behind addresses: a cached lookup is still valid while the count is the same.
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
  void noteChange() { generation_.fetch_add(1, std::memory_order_acq_rel); }

  bool contains(uintptr_t address) const { return address - base_ < bytes_; }
  // The root behind an address; null: none. The caller knows that it is not released meanwhile.
  Root* find(uintptr_t address) const {
    return contains(address) ? pages_[(address - base_) >> kPageBits].load(std::memory_order_acquire) : nullptr;
  }

 private:
  AddressWindow();
  static constexpr int kPageBits = 21;
  static constexpr uint64_t kPage = uint64_t{1} << kPageBits;

  uintptr_t base_ = 0;
  uint64_t bytes_ = 0;
  std::atomic<Root*>* pages_ = nullptr;
  std::atomic<uint64_t> generation_{0};
  Ranked<std::mutex, LockRank::kClAddressWindow> mutex_;  // of the two maps
  std::map<uintptr_t, uint64_t> free_;                    // first address, bytes
  std::map<uintptr_t, uint64_t> taken_;
};

}  // namespace manyrt::opencl
