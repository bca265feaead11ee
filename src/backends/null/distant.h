// Memory that the host cannot touch, as a card's: its addresses are reserved and closed, the bytes lie elsewhere. Contexts
// of distant devices allocate it, their streams translate addresses; everybody else who follows one faults at once.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace manyrt::null {

class DistantMemory {
 public:
  void* allocate(uint64_t size, uint64_t alignment);  // a power of two; null without memory
  void release(void* address);
  // Where the byte at an address really is: an address that is none of these stays as it is.
  char* find(const void* address);

 private:
  struct Range {
    uint64_t size;
    char* bytes;
    void* reserved;  // what the system gave, from which the aligned address was cut
    uint64_t reserved_size;
  };
  std::mutex mutex_;
  std::map<uintptr_t, Range> ranges_;  // by first address
};

}  // namespace manyrt::null
