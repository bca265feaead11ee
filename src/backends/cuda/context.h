// Contexts of CUDA: ownership domains over a device's primary context. Each has the streams, events, buffers and modules of
// one owner; the native context is shared, and stays until the process ends.
#pragma once

#include "backends/cuda/event_pool.h"
#include "backends/cuda/module.h"
#include "backends/cuda/replay.h"
#include "backends/cuda/staging.h"
#include "backends/driver/context.h"
#include "base/host_threads.h"

namespace manyrt::cuda {

class Device;

class Context final : public driver::Context, private backend::HostRegistration, private host_threads::Job {
 public:
  using driver::Context::add;
  static Status create(Ref<backend::Context>* context, Device& device, const backend::ContextOptions& options);

  Status createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) override;
  Status createPoint(Ref<backend::Point>* point, bool timed) override { return events_->createPoint(point, timed); }
  backend::Counts pointCounts() override { return events_->counts(); }
  backend::ModuleLoader* modules() override { return &modules_; }
  backend::ReplayMaker* replays() override { return &replays_; }
  backend::HostRegistration* hostRegistration() override { return this; }
  Status allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) override;
  void release(const backend::Memory& memory) override;
  backend::AddressRanges* addressRanges() override;
  Status enablePeer(backend::Context& peer) override;
  void native(uint64_t out[2]) override;
  void nativePoint(backend::Point& point, uint64_t out[2]) override;

  // For the device's interop.
  Status importStream(Ref<backend::Stream>* stream, const uint64_t native[2]);
  Status importPoint(Ref<backend::Point>* point, const uint64_t native[2]);
  Status importMemory(backend::Memory* memory, const uint64_t native[2], uint64_t size);

  Device& device() const;
  NativeContext native() const { return native_; }
  const Ref<EventPool>& events() const { return events_; }
  ModuleLoader& loader() { return modules_; }
  Staging& staging() { return staging_; }

  void deviceLost() override;  // tells everything that waits here, on a thread of the library

 private:
  Context(Device& device, NativeContext native, Ref<EventPool> events);
  Status add(void* pointer, uint64_t size, void** device_pointer) override;
  void remove(void* pointer, uint64_t size) override;
  void run() override;
  void recycle() override;

  const NativeContext native_;
  const Ref<EventPool> events_;
  ModuleLoader modules_;
  ReplayMaker replays_;
  Staging staging_;
  std::atomic<bool> told_{false};
  bool ending_ = false;  // the last reference is gone: the job is its end
};

}  // namespace manyrt::cuda
