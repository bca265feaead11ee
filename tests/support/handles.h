// Owners of handles and memory for tests, and Gate, which holds a stream back until the test opens it. All of them clean up
// when an assertion leaves the test early: a gate opens itself, so that nothing waits for it for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "rt.h"

namespace rttest {

template <typename Handle, rtStatus_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { (void)reset(); }

  rtStatus_t reset() {
    Handle handle = std::exchange(handle_, nullptr);
    return handle == nullptr ? static_cast<rtStatus_t>(RT_SUCCESS) : destroy(handle);
  }
  Handle release() { return std::exchange(handle_, nullptr); }
  Handle get() const { return handle_; }
  operator Handle() const { return handle_; }  // NOLINT: a test reads better without get()
  Handle* out() {
    (void)reset();
    return &handle_;
  }

 private:
  Handle handle_ = nullptr;
};

using Context = Owned<rtContext_t, rtContextDestroy>;
using Stream = Owned<rtStream_t, rtStreamDestroy>;
using Event = Owned<rtEvent_t, rtEventDestroy>;
using Fence = Owned<rtFence_t, rtFenceDestroy>;
using Pool = Owned<rtMemPool_t, rtMemPoolDestroy>;
using Kernel = Owned<rtKernel_t, rtKernelDestroy>;
using Module = Owned<rtModule_t, rtModuleDestroy>;
using Graph = Owned<rtGraph_t, rtGraphDestroy>;
using CapturePlan = Owned<rtCapturePlan_t, rtCapturePlanDestroy>;
using GraphExec = Owned<rtGraphExec_t, rtGraphExecDestroy>;

class Memory : public Owned<void*, rtFree> {
 public:
  using Owned::Owned;
  template <typename T = unsigned char>
  T* as(size_t offset_bytes = 0) const {
    return reinterpret_cast<T*>(static_cast<unsigned char*>(get()) + offset_bytes);
  }
};

// A fence that the host signals. Streams that were closed with it run nothing until open().
class Gate {
 public:
  explicit Gate(rtContext_t context) : status_(rtFenceCreate(fence_.out(), 0, context)) {}
  ~Gate() { (void)open(); }

  rtStatus_t close(rtStream_t stream) { return status_ != RT_SUCCESS ? status_ : rtStreamWaitFence(fence_, 1, stream); }
  rtStatus_t open() {
    if (std::exchange(opened_, true) || status_ != RT_SUCCESS) return RT_SUCCESS;
    return rtFenceSignal(1, fence_);
  }
  rtFence_t fence() const { return fence_; }

 private:
  Fence fence_;
  rtStatus_t status_;  // of making the fence
  bool opened_ = false;
};

// A handle of no object: neither null nor one that the library has ever given out.
template <typename Handle>
Handle garbage() {
  return reinterpret_cast<Handle>(static_cast<uintptr_t>(0x5A5A1234DEADBEE0u));
}

inline uint64_t liveHandles(int32_t kind = RT_HANDLE_ALL) {
  uint64_t count = 0;
  (void)rtGetLiveHandleCount(&count, kind);
  return count;
}

}  // namespace rttest
