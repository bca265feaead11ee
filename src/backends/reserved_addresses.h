// Addresses for memory that the host cannot touch: reserved ranges without access, and the object behind each range. A read
// or a write by the host faults at once. For backends whose memory has no addresses of its own. Any thread may call.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

#include "base/lock_order.h"

namespace manyrt::backend {

class ReservedAddresses {
 public:
  // Aligned to a power of two; null without memory. `backing` is the backend's own.
  void* reserve(uint64_t size, uint64_t alignment, void* backing);
  void* release(void* address);  // of reserve(); the backing object
  // The object behind the range around an address, and how far inside that lies; null: it is in none.
  void* find(const void* address, uint64_t* offset);

 private:
  struct Range {
    uint64_t size;
    void* backing;
    void* mapped;  // what the system gave, from which the aligned range was cut
    uint64_t mapped_size;
  };
  Ranked<std::mutex, LockRank::kReservedAddresses> mutex_;
  std::map<uintptr_t, Range> ranges_;  // by first address
};

}  // namespace manyrt::backend
