// Launching callbacks, calling each once, and the look-out for a device that died under them.
#include "backends/cuda/callbacks.h"

#include <climits>
#include <utility>

#include "backends/cuda/current.h"
#include "backends/cuda/device_manager.h"
#include "backends/cuda/error.h"
#include "base/clock.h"
#include "base/futex.h"

namespace manyrt::cuda {
namespace {
constexpr uint64_t kLookNanoseconds = 20'000'000;
}

Callbacks::~Callbacks() {
  for (uint32_t left; (left = busy_.load(std::memory_order_acquire)) != 0;) (void)futexWait(&busy_, left, Deadline::never());
  deleteFinished();
  if (probe_ != nullptr) (void)table().cudaStreamDestroy(probe_);
}

Status Callbacks::start(NativeContext context) {
  context_ = context;
  Current current(context);
  const Error error = RT_CUDA_CALL(cudaStreamCreateWithPriority, &probe_, kStreamNonBlocking, 0);
  return error == kSuccess ? Status() : device_.failed("cudaStreamCreateWithPriority", error);
}

void Callbacks::deleteAll(Callback* list) {
  while (list != nullptr) {
    Callback* next = list->next_;
    delete list;
    list = next;
  }
}

void Callbacks::deleteFinished() {
  Callback* list;
  {
    std::lock_guard lock(mutex_);
    list = std::exchange(finished_, nullptr);
  }
  deleteAll(list);
}

Status Callbacks::launch(NativeStream stream, Callback* callback) {
  deleteFinished();
  if (Status status = host_threads::reserve(); !status.ok()) {  // for the look-out
    delete callback;
    return status;
  }
  callback->home_ = this;
  bool watch = false;
  {
    std::lock_guard lock(mutex_);
    callback->next_ = pending_;
    if (pending_ != nullptr) pending_->previous_ = callback;
    pending_ = callback;
    busy_.fetch_add(1, std::memory_order_relaxed);
    watch = !watching_;
    watching_ = true;
    if (watch) busy_.fetch_add(1, std::memory_order_relaxed);
  }
  if (watch) host_threads::submit(this);
  const Error error = RT_CUDA_CALL(cudaLaunchHostFunc, stream, onDriverThread, callback);
  if (error == kSuccess) return Status();
  if (callback->claimed_.exchange(true)) return device_.failed("cudaLaunchHostFunc", error);  // lost() was called
  finish(callback);
  return device_.failed("cudaLaunchHostFunc", error);
}

void Callbacks::onDriverThread(void* user) {
  auto* callback = static_cast<Callback*>(user);
  if (callback->claimed_.exchange(true)) return;
  callback->reached();
  callback->home_->finish(callback);
}

void Callbacks::finish(Callback* callback) {
  {
    std::lock_guard lock(mutex_);
    (callback->previous_ == nullptr ? pending_ : callback->previous_->next_) = callback->next_;
    if (callback->next_ != nullptr) callback->next_->previous_ = callback->previous_;
    callback->previous_ = nullptr;
    callback->next_ = finished_;
    finished_ = callback;
  }
  std::atomic<uint32_t>* busy = &busy_;
  if (busy->fetch_sub(1, std::memory_order_acq_rel) == 1) futexWake(busy, INT_MAX);
}

void Callbacks::deviceLost(const Status& status) {
  for (;;) {
    Callback* claimed = nullptr;
    {
      std::lock_guard lock(mutex_);
      for (Callback* each = pending_; each != nullptr && claimed == nullptr; each = each->next_) {
        if (!each->claimed_.exchange(true)) claimed = each;
      }
      if (claimed == nullptr) return;
      // Taken out and never deleted: the driver still has its address.
      (claimed->previous_ == nullptr ? pending_ : claimed->previous_->next_) = claimed->next_;
      if (claimed->next_ != nullptr) claimed->next_->previous_ = claimed->previous_;
    }
    claimed->lost(status);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) futexWake(&busy_, INT_MAX);
  }
}

void Callbacks::run() {
  std::atomic<uint32_t> never{0};
  Callback* finished = nullptr;
  for (;;) {
    (void)futexWait(&never, 0, Deadline::after(kLookNanoseconds));
    {
      std::lock_guard lock(mutex_);
      if (pending_ == nullptr) {
        watching_ = false;
        finished = std::exchange(finished_, nullptr);
        break;
      }
    }
    if (device_.isLost()) {
      deviceLost(device_.lost());
      continue;
    }
    Current current(context_);
    const Error error = table().cuStreamQuery(probe_);
    if (error != kSuccess && error != kNotReady) (void)device_.failed("cuStreamQuery", error);
  }
  std::atomic<uint32_t>* busy = &busy_;
  if (busy->fetch_sub(1, std::memory_order_acq_rel) == 1) futexWake(busy, INT_MAX);
  deleteAll(finished);  // what they hold may be the last of this object's owner
}

}  // namespace manyrt::cuda
