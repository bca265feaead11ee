// Making contexts, lending what belongs to one, and telling all of it that the device has died.
#include "backends/cuda/context_manager.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "backends/cuda/buffer_manager.h"
#include "backends/cuda/current.h"
#include "backends/cuda/device_manager.h"
#include "backends/cuda/error.h"
#include "base/log.h"

namespace manyrt::cuda {

Status Context::create(Ref<backend::Context>* out, Device& device, const backend::ContextOptions& options) {
  RT_TRY(device.lost());
  RT_TRY(host_threads::reserve());  // for telling
  NativeContext native = nullptr;
  RT_TRY(device.primary(&native));
  Ref<EventManager> events;
  RT_TRY(EventManager::create(&events, device, native, options.wait));
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
      "The kernel \"%s\" is a function of the program, which a GPU cannot run (RT_CAPABILITY_HOST_KERNELS is 0).",
      host.name != nullptr ? host.name : "");
}

Status Context::allocate(backend::Memory* memory, int32_t kind, uint64_t size, uint64_t alignment) {
  Current current(native_);
  return allocateBuffer(memory, device_, kind, size, alignment);
}

void Context::release(const backend::Memory& memory) {
  Current current(native_);
  releaseBuffer(memory, device_);
}

Status Context::registerHost(void* pointer, uint64_t size, void** device_pointer) {
  Current current(native_);
  return registerRange(device_, pointer, size, device_pointer);
}

void Context::unregisterHost(void* pointer, uint64_t) {
  Current current(native_);
  const Error error = table().cudaHostUnregister(pointer);
  if (error == kSuccess || error == kUnloading) return;
  const Status status = device_.failed("cudaHostUnregister", error);
  if (!device_.isLost())
    log::write(RT_LOG_ERROR, "Host memory stays registered with cuda:%d: %s", device_.ordinal(), status.message());
}

Status Context::enablePeer(backend::Context& peer) {
  Current current(native_);
  const Error error = RT_CUDA_CALL(cudaDeviceEnablePeerAccess, static_cast<Context&>(peer).device_.ordinal(), 0);
  if (error == kSuccess) return Status();
  const Status status = device_.failed("cudaDeviceEnablePeerAccess", error);
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
  NativeContext owner = nullptr;
  RT_CUDA_TRY(cuStreamGetCtx, borrowed, &owner);
  if (owner != native_) {
    return Status::error(RT_ERROR_NOT_FOUND, "The CUDA stream 0x%llx belongs to another context than that of cuda:%d.",
                         static_cast<unsigned long long>(native[0]), device_.ordinal());
  }
  for (Ref<Stream>& own : streams()) {  // one of ours: what it holds back stays in order
    if (!own->importAgain(borrowed)) continue;
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
  return importBuffer(memory, device_, native[0], size);
}

void Context::nativePoint(backend::Point& point, uint64_t out[2]) {
  auto& own = static_cast<Point&>(point);
  own.noteExported();
  out[0] = reinterpret_cast<uintptr_t>(own.event());
  out[1] = 0;
}

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

void Context::nameRunning(std::string* names) {
  std::lock_guard lock(mutex_);
  for (const Stream* stream : streams_) {
    const char* kernel = stream->runningKernel();
    if (kernel == nullptr || strstr(names->c_str(), kernel) != nullptr) continue;
    *names += (names->empty() ? "the kernel \"" : " or \"") + std::string(kernel) + "\"";
  }
}

void Context::deviceLost() {
  if (told_.exchange(true)) return;
  retain();
  host_threads::submit(this);
}

// Who finds a device lost holds its contexts while it tells them, and may be the look-out of this one's callbacks, for whose
// end its destructor waits.
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
  events_->callbacks().deviceLost(device_.lost());
  try {
    for (const Ref<Stream>& stream : streams()) stream->deviceLost();
  } catch (const std::bad_alloc&) {  // their own calls tell them
  }
}

}  // namespace manyrt::cuda
