// Making contexts, lending what belongs to one, and telling all of it that the device has died.
#include "backends/cuda/context.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "backends/cuda/current.h"
#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "backends/cuda/memory.h"
#include "base/log.h"

namespace manyrt::cuda {

Status Context::create(Ref<backend::Context>* out, Device& device, const backend::ContextOptions& options) {
  RT_TRY(device.lost());
  // A loss may be found when there is no memory for a thread any more.
  RT_TRY(host_threads::reserve());  // for telling
  NativeContext native = nullptr;
  // The primary context, which the runtime and other libraries in the process use too. Memory can be shared with them so.
  RT_TRY(device.primary(&native));
  Ref<EventPool> events;
  RT_TRY(EventPool::create(&events, device, native, options.wait));
  Ref<Context> context = Ref<Context>::adopt(new Context(device, native, std::move(events)));
  device.add(*context);
  *out = std::move(context);
  return Status();
}

Context::Context(Device& device, NativeContext native, Ref<EventPool> events)
    : driver::Context(device, events->policy()),
      native_(native),
      events_(std::move(events)),
      modules_(*this),
      replays_(*this),
      staging_(*this) {}

Device& Context::device() const { return static_cast<Device&>(driver::Context::device()); }

Status Context::createStream(Ref<backend::Stream>* stream, const backend::StreamOptions& options) {
  return Stream::create(stream, *this, options);
}

Status Context::allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) {
  Current current(native_);
  return allocateBuffer(memory, device(), kind, size, alignment);
}

void Context::release(const backend::Memory& memory) {
  Current current(native_);
  releaseBuffer(memory, device());
}

Status Context::add(void* pointer, uint64_t size, void** device_pointer) {
  Current current(native_);
  return registerRange(device(), pointer, size, device_pointer);
}

void Context::remove(void* pointer, uint64_t) {
  Current current(native_);
  const Error error = table().cudaHostUnregister(pointer);
  // At exit the runtime may be gone before a context is: then it has unregistered everything itself.
  if (error == kSuccess || error == kUnloading) return;
  const Status status = device().failed("cudaHostUnregister", error);
  if (!device().isLost())
    log::write(RT_LOG_ERROR, "Host memory stays registered with cuda:%d: %s", device().ordinal(), status.message());
}

backend::AddressRanges* Context::addressRanges() { return device().ranges(); }

// Plain memory and ranges are two matters for the driver.
Status Context::enablePeer(backend::Context& peer) {
  const Device& other = static_cast<Context&>(peer).device();
  // Ranges first: if they cannot be reached, nothing has been switched on.
  if (other.ranges() != nullptr) RT_TRY(other.ranges()->giveAccess(device()));
  Current current(native_);
  const Error error = RT_CUDA_CALL(cudaDeviceEnablePeerAccess, other.ordinal(), 0);
  if (error == kSuccess) return Status();
  Status status = device().failed("cudaDeviceEnablePeerAccess", error);
  return error == kPeerAccessEnabled ? Status() : status;
}

void Context::native(uint64_t out[2]) {
  out[0] = reinterpret_cast<uintptr_t>(native_);
  out[1] = 0;
}

Status Context::importStream(Ref<backend::Stream>* stream, const uint64_t native[2]) {
  Current current(native_);
  // 0 is the legacy default stream, as the runtime has it.
  auto borrowed = reinterpret_cast<NativeStream>(native[0] == 0 ? kLegacyStream : native[0]);
  // A stream of another context would be accepted by some calls and refused by others, so it is refused here.
  NativeContext owner = nullptr;
  RT_CUDA_TRY(cuStreamGetCtx, borrowed, &owner);
  if (owner != native_) {
    return Status::error(RT_ERROR_NOT_FOUND, "The CUDA stream 0x%llx belongs to another context than that of cuda:%d.",
                         static_cast<unsigned long long>(native[0]), device().ordinal());
  }
  for (Ref<driver::Stream>& own : streams()) {  // one of ours: what it holds back stays in order
    if (!static_cast<Stream&>(*own).importAgain(borrowed)) continue;
    *stream = std::move(own);
    return Status();
  }
  return Stream::import(stream, *this, borrowed);
}

Status Context::importPoint(Ref<backend::Point>* point, const uint64_t native[2]) {
  if (native[0] == 0) return Status::error(RT_ERROR_NOT_FOUND, "0 is no CUDA event.");
  return events_->importPoint(point, reinterpret_cast<NativeEvent>(native[0]));
}

Status Context::importMemory(backend::Memory* memory, const uint64_t native[2], uint64_t size) {
  Current current(native_);
  return importBuffer(memory, device(), native[0], size);
}

void Context::nativePoint(backend::Point& point, uint64_t out[2]) {
  auto& own = static_cast<Point&>(point);
  // From now on the event may not be recorded in place: the program may wait for its present record.
  own.noteExported();
  out[0] = reinterpret_cast<uintptr_t>(own.event());
  out[1] = 0;
}

void Context::deviceLost() {
  // As a job: the caller may hold locks that telling the callbacks takes.
  if (told_.exchange(true)) return;
  // run() takes this reference over.
  retain();
  host_threads::submit(this);
}

// The thread that finds a device lost holds references to its contexts while it tells them. It may be the one that runs this
// context's Callbacks, whose destructor waits for that job. So a context of a lost device ends as a job of its own.
void Context::recycle() {
  ending_ = true;
  if (told_.load()) return host_threads::submit(this);
  delete this;
}

void Context::run() {
  if (ending_) {
    delete this;
    return;
  }
  const Ref<Context> self = Ref<Context>::adopt(this);
  // First the callbacks: the device calls them no more, and streams may wait for what they do.
  events_->callbacks().deviceLost(device().lost());
  wakeStreams();
}

}  // namespace manyrt::cuda
