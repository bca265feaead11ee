// Large copies between pageable host memory and a device. Each worker is a thread with a native stream and four pinned slots.
// Workers take pieces from a common counter, so that the copies to pinned memory keep up with the bus. One such copy at a
// time; slots are made at the first one and kept.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/cuda/declarations.h"
#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/status.h"

namespace manyrt::cuda {

class Context;

class Staging {
 public:
  static constexpr uint64_t kMinBytes = 4 << 20;  // below, the driver's own way is as good

  explicit Staging(Context& context);
  ~Staging();

  // In the order of `stream`. Returns when the host's side has been read or written. The context is current.
  Status copy(void* dst, const void* src, uint64_t size, bool to_device, NativeStream stream);

 private:
  static constexpr uint64_t kSlotBytes = 2 << 20, kSmallPiece = 1 << 20;
  static constexpr int kSlots = 4;
  struct Worker;
  struct Work;

  Status prepare(size_t workers);
  void copyPieces(Worker& worker, Work& work);

  Context& context_;
  Ranked<std::mutex, LockRank::kCudaStaging> mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace manyrt::cuda
