// Memory that CUDA knows: of devices (a window of addresses each, and mappings), managed, pinned, registered, and the variables
// of modules.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device.h"

namespace manyrt::simulated {

enum class Kind { kDevice, kManaged, kHost, kRegistered, kVariable, kMapped };

struct Allocation {
  Allocation(uintptr_t its_base, size_t its_size, Kind its_kind, Context& its_context)
      : base(its_base), size(its_size), kind(its_kind), context(its_context) {}
  bool contains(uintptr_t address, size_t bytes) const {
    return address >= base && bytes <= size && address - base <= size - bytes;
  }

  const uintptr_t base;
  const size_t size;  // as asked for
  const Kind kind;
  Context& context;
  std::atomic<int> uses{0};  // by commands not yet completed
  std::atomic<bool> freed{false};
  std::atomic<uint64_t> access{0};  // of a mapping: the devices that may use it, by bit
};

std::shared_ptr<Allocation> allocationAt(uintptr_t address);  // null: ordinary memory of the host, or nothing
// All that a range lies in: one allocation, or several mappings side by side. Empty: not all of it is memory that CUDA knows.
std::vector<std::shared_ptr<Allocation>> allocationsOf(uintptr_t address, size_t bytes);
bool inDeviceWindow(uintptr_t address);  // of any device, allocated or not; or reserved

// Changes whenever anything is allocated or freed: a remembered result of allocationAt() holds only until then.
uint64_t memoryEpoch();

// Whether a kernel of this context may touch it.
bool mayAccess(Context& context, const Allocation& allocation);

// For mappings (virtual_memory.cpp).
bool takePhysical(int device, size_t size);  // false: out of memory
void givePhysical(int device, size_t size);
void addMapping(uintptr_t base, size_t size, Context& context);
void removeMapping(uintptr_t base);
void giveAccess(uintptr_t base, int device, bool on);

void addVariable(uintptr_t base, size_t size, Context& context);
void removeVariable(uintptr_t base);

void freeAllOf(Context& context);  // with the context
int liveMemory(bool of_host);      // allocations

inline uintptr_t addressOf(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

}  // namespace manyrt::simulated
