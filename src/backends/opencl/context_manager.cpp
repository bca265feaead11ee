// Making contexts, lending what belongs to one, and looking at what is to be borrowed from somebody else.
#include "backends/opencl/context_manager.h"

#include <new>

#include "backends/opencl/buffer_manager.h"
#include "backends/opencl/device_manager.h"
#include "backends/opencl/error.h"
#include "backends/opencl/stream_manager.h"

namespace manyrt::opencl {

Status Context::create(Ref<backend::Context>* out, Device& device, const backend::ContextOptions& options) {
  RT_TRY(device.lost());
  RT_TRY(host_threads::reserve());  // for telling
  cl_context native = nullptr;
  RT_TRY(device.context(&native));
  if (fault::fails("opencl.context")) return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  Ref<EventManager> events = Ref<EventManager>::adopt(new EventManager(device, options.wait));
  Ref<Context> context = Ref<Context>::adopt(new Context(device, native, std::move(events)));
  device.add(*context);
  *out = std::move(context);
  return Status();
}

Context::~Context() { device_.remove(*this); }

Status Context::createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) {
  return Stream::create(stream, *this, options);
}

void Context::renewStream(backend::Stream& stream, const backend::StreamOptions& options) {
  static_cast<Stream&>(stream).renew(options);
}

Status Context::createHostKernel(Ref<backend::Kernel>*, const rtHostKernel_t& host) {
  return Status::error(
      RT_ERROR_NOT_SUPPORTED,
      "The kernel \"%s\" is a function of the program, which OpenCL cannot run (RT_CAPABILITY_HOST_KERNELS is 0).",
      host.name != nullptr ? host.name : "");
}

Status Context::allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) {
  return allocateBuffer(memory, device_, kind, size, alignment);
}

void Context::release(const backend::Memory& memory) { releaseBuffer(memory, device_); }

Status Context::registerHost(void* pointer, uint64_t size, void**) {
  return Status::error(RT_ERROR_NOT_SUPPORTED, "The %llu bytes at %p cannot be registered: OpenCL pins only what it allocates.",
                       static_cast<unsigned long long>(size), pointer);
}

void Context::native(uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(native_);
  out[1] = 0;
}

Status Context::importStream(Ref<backend::Stream>* stream, const uint64_t native[2]) {
  auto borrowed = reinterpret_cast<cl_command_queue>(native[0]);
  RT_CHECK_ARG(borrowed != nullptr, "The native object is 0, which is no cl_command_queue.");
  cl_context owner = nullptr;
  cl_command_queue_properties properties = 0;
  RT_CL_TRY(clGetCommandQueueInfo, borrowed, CL_QUEUE_CONTEXT, sizeof owner, &owner, nullptr);
  RT_CL_TRY(clGetCommandQueueInfo, borrowed, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr);
  if (owner != native_) {
    return Status::error(RT_ERROR_NOT_FOUND, "The cl_command_queue belongs to another cl_context than that of opencl:%d.",
                         device_.ordinal());
  }
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "A stream is in order, the cl_command_queue is not.");
  }
  for (Ref<Stream>& own : streams()) {  // one of ours: what it holds back stays in order
    if (!own->isOn(borrowed)) continue;
    *stream = std::move(own);
    return Status();
  }
  return Stream::import(stream, *this, borrowed);
}

Status Context::importPoint(Ref<backend::Point>* point, const uint64_t native[2]) {
  return events_->importPoint(point, native);
}

Status Context::importMemory(backend::Memory* memory, const uint64_t native[2], uint64_t size) {
  return importBuffer(memory, device_, native, size);
}

void Context::nativePoint(backend::Point& point, uint64_t out[2]) { events_->nativePoint(static_cast<Point&>(point), out); }

void Context::add(Stream& stream) {
  std::lock_guard lock(mutex_);
  streams_.push_back(&stream);
}

void Context::remove(Stream& stream) {
  std::lock_guard lock(mutex_);
  std::erase(streams_, &stream);
}

std::vector<Ref<Stream>> Context::streams() {
  std::lock_guard lock(mutex_);
  std::vector<Ref<Stream>> alive;
  alive.reserve(streams_.size());
  for (Stream* stream : streams_) {
    if (stream->tryRetain()) alive.push_back(Ref<Stream>::adopt(stream));
  }
  return alive;
}

void Context::settle(Deadline deadline) {
  try {
    for (const Ref<Stream>& stream : streams()) stream->settle(deadline);
  } catch (const std::bad_alloc&) {  // at exit, without memory: the driver sees to it
  }
}

void Context::deviceLost() {
  try {
    for (const Ref<Stream>& stream : streams()) stream->deviceLost();
  } catch (const std::bad_alloc&) {  // their own calls tell them
  }
}

}  // namespace manyrt::opencl
