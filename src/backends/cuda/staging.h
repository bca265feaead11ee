// Copies between pageable host memory and a device, from some size on. Each worker is a thread with a native stream and four
// pinned slots. Workers take pieces from a common counter, so that the copies to pinned memory keep up with the bus. One such
// copy at a time; slots are made at the first one and kept.
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
  // Below these the driver's own way is as good.
  static constexpr uint64_t kMinToDevice = 1 << 20, kMinToHost = 2 << 20;
  static bool takes(uint64_t size, bool to_device) { return size >= (to_device ? kMinToDevice : kMinToHost); }

  explicit Staging(Context& context);
  ~Staging();

  // In the order of `stream`, which may be known to have no work. Returns when the host's side has been read or written. The
  // context is current.
  Status copy(void* dst, const void* src, uint64_t size, bool to_device, NativeStream stream, bool idle);

 private:
  static constexpr uint64_t kSlotBytes = 2 << 20;
  static constexpr int kSlots = 4;
  // How a copy is cut: `workers` at most take pieces of `piece` bytes.
  struct Cut {
    uint64_t piece;
    size_t workers;
  };
  static Cut cutOf(uint64_t size, bool to_device);
  struct Worker;
  struct Work;

  Status prepare(size_t workers);
  void copyPieces(Worker& worker, Work& work);

  Context& context_;
  Ranked<std::mutex, LockRank::kCudaStaging> mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Ranked<std::mutex, LockRank::kCudaStagingWork> work_mutex_;
  ConditionVariable left_;  // a worker has left a copy, or the list of jobs
  Work* open_ = nullptr;    // the copy that workers may join; under work_mutex_
};

}  // namespace manyrt::cuda
