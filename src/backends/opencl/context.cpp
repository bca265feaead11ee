// Creating contexts, lending their native objects to the program, and checking native objects of the program before they are
// borrowed.
#include "backends/opencl/context.h"

#include <new>

#include "backends/opencl/backend.h"
#include "backends/opencl/device.h"
#include "backends/opencl/error.h"
#include "backends/opencl/memory/memory.h"
#include "backends/opencl/stream/stream.h"

namespace manyrt::opencl {

Status Context::create(Ref<backend::Context>* out, Device& device, const backend::ContextOptions& options) {
  RT_TRY(device.lost());
  // A device that is lost is told on a thread of the library. It must be there before anything can be lost.
  RT_TRY(host_threads::reserve());  // for telling
  cl_context native = nullptr;
  RT_TRY(device.context(&native));
  if (fault::fails("opencl.context")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Ref<PointPool> points = Ref<PointPool>::adopt(new PointPool(device, options.wait));
  Ref<Context> context = Ref<Context>::adopt(new Context(device, native, std::move(points)));
  device.add(*context);
  *out = std::move(context);
  return Status();
}

Context::Context(Device& device, cl_context native, Ref<PointPool> points)
    : driver::Context(device, points->policy()),
      native_(native),
      points_(std::move(points)),
      modules_(device),
      replays_(device) {}

Device& Context::device() const { return static_cast<Device&>(driver::Context::device()); }

Status Context::createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) {
  // A stream may have work when the main thread ends.
  waitAtExitOfMainThread();
  return Stream::create(stream, *this, options);
}

Status Context::allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) {
  return allocateBuffer(memory, device(), kind, size, alignment);
}

void Context::release(const backend::Memory& memory) { releaseBuffer(memory, device()); }

void Context::native(uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(native_);
  out[1] = 0;
}

Status Context::importStream(Ref<backend::Stream>* stream, const uint64_t native[2]) {
  auto borrowed = reinterpret_cast<cl_command_queue>(native[0]);
  RT_CHECK_ARG(borrowed != nullptr, "The native object is 0, which is no cl_command_queue.");
  // Objects of another cl_context are undefined behaviour in many drivers, so they are told apart here.
  cl_context owner = nullptr;
  cl_command_queue_properties properties = 0;
  RT_CL_TRY(clGetCommandQueueInfo, borrowed, CL_QUEUE_CONTEXT, sizeof owner, &owner, nullptr);
  RT_CL_TRY(clGetCommandQueueInfo, borrowed, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
  if (owner != native_) {
    return Status::error(RT_ERROR_NOT_FOUND, "The cl_command_queue belongs to another cl_context than that of opencl:%d.",
                         device().ordinal());
  }
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "A stream is in order, the cl_command_queue is not.");
  }
  for (Ref<driver::Stream>& own : streams()) {  // one of ours: what it holds back stays in order
    // A second stream on the same queue would not see the commands that the first one holds back.
    if (!static_cast<Stream&>(*own).isOn(borrowed)) continue;
    *stream = std::move(own);
    return Status();
  }
  return Stream::import(stream, *this, borrowed);
}

Status Context::importPoint(Ref<backend::Point>* point, const uint64_t native[2]) {
  return points_->importPoint(point, native);
}

Status Context::importMemory(backend::Memory* memory, const uint64_t native[2], uint64_t size) {
  return importBuffer(memory, device(), native, size);
}

void Context::nativePoint(backend::Point& point, uint64_t out[2]) { points_->nativePoint(static_cast<Point&>(point), out); }

void Context::settle(Deadline deadline, Settle how) {
  // The list is a copy, and copying it may need memory.
  try {
    for (const Ref<driver::Stream>& stream : streams()) static_cast<Stream&>(*stream).settle(deadline, how);
  } catch (const std::bad_alloc&) {  // at exit, without memory: the driver sees to it
  }
}

}  // namespace manyrt::opencl
