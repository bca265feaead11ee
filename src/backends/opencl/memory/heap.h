// Roots: what OpenCL calls a buffer, and pools cut blocks from. An address of the library is a root and an offset. Each has
// addresses in the window, or, where it stands for memory of the host, the host's.
#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "backends/opencl/declarations.h"
#include "backends/opencl/memory/parts.h"
#include "base/lock_order.h"
#include "base/status.h"

namespace manyrt::opencl {

class Root {
 public:
  Root(cl_mem given, uint64_t bytes) : memory(given), size(bytes) {}  // may throw std::bad_alloc
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;
  ~Root();  // releases the cl_mem, which the driver keeps for as long as its commands need it

  const cl_mem memory;  // owned
  const uint64_t size;
  const Ref<Parts> parts = Ref<Parts>::adopt(new Parts);
  uintptr_t address = 0;         // of the first byte
  const uint64_t id = nextId();  // of all roots there ever were: a cl_mem comes again

 private:
  static uint64_t nextId();
};

// A place inside a root.
struct Location {
  Root* root = nullptr;  // null: an address that is the driver's or the host's own
  uint64_t offset = 0;
};

// In the window, at any time.
Location locationOf(const void* address);

// Roots over memory of the host, which kernels of one device may be given: looked up under a lock.
class HostRoots {
 public:
  Status add(Root* root);  // at root->address
  Root* remove(uintptr_t address);
  Location find(const void* address) const;

 private:
  mutable Ranked<std::mutex, LockRank::kClHeap> mutex_;
  std::map<uintptr_t, Root*> roots_;
};

// A root of new memory of the device, with addresses in the window. `host`: what a cl_mem of CL_MEM_USE_HOST_PTR lies over, or
// null.
Status createRoot(Root** root, cl_context context, uint64_t size, uint64_t alignment, void* host);
// A root over a cl_mem of the program, which is retained.
Status borrowRoot(Root** root, cl_mem memory, uint64_t size);
void destroyRoot(Root* root);  // of the window

}  // namespace manyrt::opencl
