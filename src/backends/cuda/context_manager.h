// Contexts of CUDA: ownership domains over a device's primary context. Each has the streams, events, buffers and modules of
// one owner; the native context is shared, and stays until the process ends.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/event_manager.h"
#include "backends/cuda/graph_manager.h"
#include "backends/cuda/module_manager.h"
#include "backends/cuda/staging.h"
#include "backends/cuda/stream_manager.h"
#include "base/lock_order.h"

namespace manyrt::cuda {

class Device;

class Context final : public backend::Context, private host_threads::Job {
 public:
  static Status create(Ref<backend::Context>* context, Device& device, const backend::ContextOptions& options);
  ~Context() override;

  Status createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) override;
  void renewStream(backend::Stream& stream, const backend::StreamOptions& options) override;
  Status createPoint(Ref<backend::Point>* point, bool timed) override { return events_->createPoint(point, timed); }
  Status createHostKernel(Ref<backend::Kernel>* kernel, const rtHostKernel_t& host) override;
  backend::ModuleLoader* modules() override { return &modules_; }
  backend::ReplayMaker* replays() override { return &replays_; }
  Status allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) override;
  void release(const backend::Memory& memory) override;
  Status registerHost(void* pointer, uint64_t size, void** device_pointer) override;
  void unregisterHost(void* pointer, uint64_t size) override;
  Status enablePeer(backend::Context& peer) override;
  void native(uint64_t out[2]) override;
  Status importStream(Ref<backend::Stream>* stream, const uint64_t native[2]) override;
  Status importPoint(Ref<backend::Point>* point, const uint64_t native[2]) override;
  Status importMemory(backend::Memory* memory, const uint64_t native[2], uint64_t size) override;
  void nativePoint(backend::Point& point, uint64_t out[2]) override;

  Device& device() const { return device_; }
  NativeContext native() const { return native_; }
  const Ref<EventManager>& events() const { return events_; }
  backend::WaitPolicy policy() const { return events_->policy(); }
  ModuleManager& moduleManager() { return modules_; }
  Staging& staging() { return staging_; }

  void add(Stream& stream);
  void remove(Stream& stream);
  std::vector<Ref<Stream>> streams();  // throws bad_alloc
  void nameRunning(std::string* names);
  void deviceLost();  // everything that waits here is told, on a thread of the library

 private:
  Context(Device& device, NativeContext native, Ref<EventManager> events)
      : device_(device), native_(native), events_(std::move(events)), modules_(*this), replays_(*this), staging_(*this) {}
  void run() override;
  void recycle() override;

  Device& device_;
  const NativeContext native_;
  const Ref<EventManager> events_;
  ModuleManager modules_;
  ReplayMaker replays_;
  Staging staging_;
  Ranked<std::mutex, LockRank::kCudaContext> mutex_;
  std::vector<Stream*> streams_;
  std::atomic<bool> told_{false};
  bool ending_ = false;  // nobody has it any more: the job is its end
};

}  // namespace manyrt::cuda
