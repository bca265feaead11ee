// Contexts of OpenCL: ownership domains over a device's one cl_context. Each has the streams, events, buffers and modules of
// one owner.
#pragma once

#include "backends/driver/context.h"
#include "backends/opencl/program/module.h"
#include "backends/opencl/replay/replay.h"
#include "backends/opencl/stream/point.h"

namespace manyrt::opencl {

enum class Settle : bool;

class Device;

class Context final : public driver::Context {
 public:
  static Status create(Ref<backend::Context>* context, Device& device, const backend::ContextOptions& options);

  Status createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) override;
  Status createPoint(Ref<backend::Point>* point, bool timed) override { return points_->createPoint(point, timed); }
  backend::Counts pointCounts() override { return points_->counts(); }
  backend::ReplayMaker* replays() override { return &replays_; }
  backend::ModuleLoader* modules() override { return &modules_; }
  Status allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) override;
  void release(const backend::Memory& memory) override;
  void native(uint64_t out[2]) override;
  void nativePoint(backend::Point& point, uint64_t out[2]) override;

  // For the device's interop.
  Status importStream(Ref<backend::Stream>* stream, const uint64_t native[2]);
  Status importPoint(Ref<backend::Point>* point, const uint64_t native[2]);
  Status importMemory(backend::Memory* memory, const uint64_t native[2], uint64_t size);

  Device& device() const;
  cl_context native() const { return native_; }
  const Ref<PointPool>& points() const { return points_; }
  void settle(Deadline deadline, Settle how);  // at exit: what is enqueued ends

 private:
  Context(Device& device, cl_context native, Ref<PointPool> points);

  const cl_context native_;  // the device's
  const Ref<PointPool> points_;
  ModuleLoader modules_;
  ReplayMaker replays_;
};

}  // namespace manyrt::opencl
