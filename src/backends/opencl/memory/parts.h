// Parts of a root: the sub-buffers that a precompiled program is given for its pointers. NVIDIA's driver (580) ends the process
// where a part is released before a later one that overlaps it. So each region has one part, and parts that are no longer used
// are released from the newest on.
#pragma once

#include <list>
#include <mutex>

#include "backends/opencl/declarations.h"
#include "base/lock_order.h"
#include "base/ref.h"
#include "base/status.h"

namespace manyrt::opencl {

class Device;
class Parts;

struct Part {
  cl_mem memory = nullptr;
  uint64_t offset = 0, size = 0;
  uint32_t users = 0;  // under the mutex of the parts
  Parts* parts = nullptr;
};

// Made with its root; parts that are in use keep it when the root is gone.
class Parts final : public RefCounted {
 public:
  // Takes a part of `whole`, the root's own. One that is there already is shared.
  Status take(Part** part, Device& device, cl_mem whole, uint64_t offset, uint64_t size);
  static void giveBack(Part* part);

 private:
  void releaseUnused();

  Ranked<std::mutex, LockRank::kClParts> mutex_;
  std::list<Part> list_;  // in the order of their making
};

}  // namespace manyrt::opencl
