// Functions that CUDA calls on a thread of its own when a stream has come to them (cudaLaunchHostFunc): reached(). They may
// make no CUDA call there, and are never called once the device has died. So a thread of the library looks at the device
// every few milliseconds while any is pending, and calls lost() instead.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "backends/cuda/declarations.h"
#include "base/host_threads.h"
#include "base/lock_order.h"
#include "base/status.h"

namespace manyrt::cuda {

class Device;

class Callback {
 public:
  virtual ~Callback() = default;
  // Exactly one of these, once.
  virtual void reached() = 0;                   // on CUDA's thread: no CUDA call, nothing that blocks
  virtual void lost(const Status& status) = 0;  // on a thread of the library

 private:
  friend class Callbacks;
  std::atomic<bool> claimed_{false};
  class Callbacks* home_ = nullptr;
  Callback* previous_ = nullptr;
  Callback* next_ = nullptr;
};

class Callbacks final : private host_threads::Job {
 public:
  explicit Callbacks(Device& device) : device_(device) {}
  ~Callbacks() override;  // waits for those that are pending

  Status start(NativeContext context);  // before anything else

  // After what the stream has. Takes the callback, which is deleted after its call; a failure leaves it with the caller,
  // uncalled. The context is current.
  Status launch(NativeStream stream, std::unique_ptr<Callback>* callback);
  void deviceLost(const Status& status);  // calls lost() of all that are pending

 private:
  static void onDriverThread(void* callback);
  void unlink(Callback* callback);  // under the mutex: not pending any more
  void finish(Callback* callback);
  void leave();  // one less of busy_
  static void deleteAll(Callback* list);
  void deleteFinished();
  void run() override;  // looks whether the device is alive

  Device& device_;
  NativeContext context_ = nullptr;
  NativeStream probe_ = nullptr;  // nothing runs there: it is asked whether the context is alive
  Ranked<std::mutex, LockRank::kCudaCallbacks> mutex_;
  Callback* pending_ = nullptr;
  Callback* finished_ = nullptr;  // to be deleted on a thread that may call CUDA
  bool watching_ = false;
  std::atomic<uint32_t> busy_{0};  // pending callbacks, and the job that looks; a futex
};

}  // namespace manyrt::cuda
