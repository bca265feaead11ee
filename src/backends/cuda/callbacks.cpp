// Launching callbacks, calling each once, and watching for the loss of the device while any is pending.
#include "backends/cuda/callbacks.h"

#include <climits>
#include <utility>

#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "base/clock.h"
#include "base/os/futex.h"

namespace manyrt::cuda {
namespace {
constexpr uint64_t kLookNanoseconds = 20'000'000;
}

Callbacks::~Callbacks() {
  // Acquire pairs with the decrement in leave(), the last access of each callback and of run() to this object.
  for (uint32_t left; (left = busy_.load(std::memory_order_acquire)) != 0;) (void)futexWait(&busy_, left, Deadline::never());
  deleteFinished();
  if (probe_ == nullptr) return;
  Current current(context_);
  (void)table().cudaStreamDestroy(probe_);
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

Status Callbacks::launch(NativeStream stream, std::unique_ptr<Callback>* given) {
  // A finished callback may hold the last reference to a stream or a task, and CUDA's thread may make no call of CUDA. So
  // callbacks are deleted here, on a thread of the program or the library.
  deleteFinished();
  RT_TRY(host_threads::reserve());  // for run()
  Callback* callback = given->get();
  // Pending before the driver has it: the driver may call it, and the device may be lost, before its call returns. claimed_
  // decides between the two, and this call's own failure. busy_ is raised relaxed: the mutex orders it before the decrements,
  // and the owner cannot end during this call.
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
  // Outside the mutex. If the device is lost, the driver calls no callback at all: only the watch finds that out.
  if (watch) host_threads::submit(this);
  const Error error = RT_CUDA_CALL(cudaLaunchHostFunc, stream, onDriverThread, callback);
  if (error != kSuccess && !callback->claimed_.exchange(true)) {
    {
      std::lock_guard lock(mutex_);
      unlink(callback);
    }
    Status status = device_.failed("cudaLaunchHostFunc", error);
    leave();
    return status;
  }
  (void)given->release();  // where it failed, lost() has been called
  return Status();
}

void Callbacks::onDriverThread(void* user) {
  auto* callback = static_cast<Callback*>(user);
  // Claimed already: the device was reported lost meanwhile, and lost() has been called instead.
  if (callback->claimed_.exchange(true)) return;
  callback->reached();
  callback->home_->finish(callback);
}

void Callbacks::unlink(Callback* callback) {
  (callback->previous_ == nullptr ? pending_ : callback->previous_->next_) = callback->next_;
  if (callback->next_ != nullptr) callback->next_->previous_ = callback->previous_;
  callback->previous_ = callback->next_ = nullptr;
}

// After the decrement of the last one the owner may delete this object, so the wake-up uses the address alone.
void Callbacks::leave() {
  std::atomic<uint32_t>* busy = &busy_;
  if (busy->fetch_sub(1, std::memory_order_acq_rel) == 1) futexWake(busy, INT_MAX);
}

void Callbacks::finish(Callback* callback) {
  {
    std::lock_guard lock(mutex_);
    unlink(callback);
    callback->next_ = finished_;
    finished_ = callback;
  }
  leave();
}

void Callbacks::deviceLost(const Status& status) {
  static std::atomic<Callback*> abandoned{nullptr};  // for good, of all devices: the driver may still have their addresses
  // One at a time, and lost() without the mutex: it may launch or end other callbacks. A claimed callback is never deleted,
  // since the driver may still call it; onDriverThread() then finds it claimed. The list is only pushed to, so relaxed order is
  // enough.
  for (;;) {
    Callback* claimed = nullptr;
    {
      std::lock_guard lock(mutex_);
      for (Callback* each = pending_; each != nullptr && claimed == nullptr; each = each->next_) {
        if (!each->claimed_.exchange(true)) claimed = each;
      }
      if (claimed == nullptr) return;
      unlink(claimed);
    }
    claimed->next_ = abandoned.load(std::memory_order_relaxed);
    while (!abandoned.compare_exchange_weak(claimed->next_, claimed, std::memory_order_relaxed)) {
    }
    claimed->lost(status);
    leave();
  }
}

// One look, then it queues up again: where no further thread can be had, what the callbacks have queued runs in between.
void Callbacks::run() {
  std::atomic<uint32_t> never{0};
  (void)futexWait(&never, 0, Deadline::after(kLookNanoseconds));
  Callback* finished = nullptr;
  bool pending = true;
  {
    std::lock_guard lock(mutex_);
    // Under the mutex that launch() takes, so that either this watch sees its callback or it starts another one.
    if (pending_ == nullptr) {
      watching_ = pending = false;
      finished = std::exchange(finished_, nullptr);
    }
  }
  if (!pending) {
    leave();
    deleteAll(finished);  // what they hold may be the last of this object's owner
    return;
  }
  if (device_.isLost()) {
    deviceLost(device_.lost());
  } else {
    Current current(context_);
    const Error error = table().cuStreamQuery(probe_);
    // A stream without work: any error is the context's, and told so.
    if (error != kSuccess && error != kNotReady) (void)device_.failed("cuStreamQuery", error);
  }
  host_threads::submit(this);
}

}  // namespace manyrt::cuda
