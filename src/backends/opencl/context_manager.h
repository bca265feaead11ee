// Contexts of OpenCL: ownership domains over a device's one cl_context. Each has the streams, events, buffers and modules of
// one owner.
#pragma once

#include <mutex>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/event_manager.h"
#include "backends/opencl/module_manager.h"
#include "backends/opencl/replay_manager.h"
#include "base/lock_order.h"

namespace manyrt::opencl {

class Device;
class Stream;

class Context final : public backend::Context {
 public:
  static Status create(Ref<backend::Context>* context, Device& device, const backend::ContextOptions& options);
  ~Context() override;

  Status createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) override;
  void renewStream(backend::Stream& stream, const backend::StreamOptions& options) override;
  Status createPoint(Ref<backend::Point>* point, bool timed) override { return events_->createPoint(point, timed); }
  Status createHostKernel(Ref<backend::Kernel>* kernel, const rtHostKernel_t& host) override;
  backend::ReplayMaker* replays() override { return &replays_; }
  backend::ModuleLoader* modules() override { return &modules_; }
  Status allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) override;
  void release(const backend::Memory& memory) override;
  Status registerHost(void* pointer, uint64_t size, void** device_pointer) override;
  void unregisterHost(void*, uint64_t) override {}
  void native(uint64_t out[2]) override;
  Status importStream(Ref<backend::Stream>* stream, const uint64_t native[2]) override;
  Status importPoint(Ref<backend::Point>* point, const uint64_t native[2]) override;
  Status importMemory(backend::Memory* memory, const uint64_t native[2], uint64_t size) override;
  void nativePoint(backend::Point& point, uint64_t out[2]) override;

  Device& device() const { return device_; }
  cl_context native() const { return native_; }
  const Ref<EventManager>& events() const { return events_; }
  backend::WaitPolicy policy() const { return events_->policy(); }

  void add(Stream& stream);
  void remove(Stream& stream);
  std::vector<Ref<Stream>> streams();  // throws bad_alloc
  void deviceLost();                   // whoever sleeps here looks again
  void settle(Deadline deadline);      // at exit: what is enqueued ends

 private:
  Context(Device& device, cl_context native, Ref<EventManager> events)
      : device_(device), native_(native), events_(std::move(events)), modules_(device), replays_(device) {}

  Device& device_;
  const cl_context native_;  // the device's
  const Ref<EventManager> events_;
  ModuleManager modules_;
  ReplayMaker replays_;
  Ranked<std::mutex, LockRank::kClContext> mutex_;
  std::vector<Stream*> streams_;
};

}  // namespace manyrt::opencl
