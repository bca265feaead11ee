// Creates streams over native streams that the context reuses, and imports streams of other libraries.
#include "manager/stream.h"

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "manager/create.h"
#include "manager/device.h"

namespace manyrt::manager {

// Against a capture that begins or ends on another thread. Its attach() stores `recorder` and then clears `default_stream`;
// this stores `default_stream` and then reads `recorder`, all seq_cst. So one of the two sees the other, and the pointer is
// cleared. If the capture has ended by the second look, the pointer is offered again.
void Stream::offerToCopies() {
  do {
    resources->default_stream.store(native.get(), std::memory_order_seq_cst);
    if (recorder.load(std::memory_order_seq_cst) == nullptr) return;
    resources->default_stream.store(nullptr, std::memory_order_seq_cst);
  } while (recorder.load(std::memory_order_seq_cst) == nullptr);
}

std::string Stream::name() const {
  if (label[0] != '\0') return "\"" + std::string(label) + "\"";
  char handle[24];
  snprintf(handle, sizeof handle, "%p", reinterpret_cast<void*>(bits));
  return handle;
}

Status createStream(Stream** stream, Context& context, allocator::ContextResources& resources, const rtStreamOptions_t& options,
                    bool is_default) {
  backend::StreamOptions native_options;
  native_options.priority = std::clamp(options.priority, context.device->native.limits().priority_greatest, 0);
  native_options.label = options.label[0] != '\0' ? options.label : "stream";
  Ref<backend::Stream> native;
  RT_TRY(resources.takeStream(&native, native_options));
  struct GiveBack {  // for a failure; a complete object takes the reference, and gives the stream back itself
    allocator::ContextResources& resources;
    Ref<backend::Stream>& native;
    ~GiveBack() {
      if (!native) return;
      native->claims.store(0, std::memory_order_release);
      resources.giveBackStream(std::move(native));
    }
  } give_back{resources, native};
  copyLetters(native->track.context, sizeof native->track.context, context.options.label);  // it has no work yet
  RT_TRY(createChild(stream, streams, context, Ref<allocator::ContextResources>(&resources), std::move(native), is_default,
                     StreamImport()));
  (*stream)->priority = native_options.priority;
  copyLetters((*stream)->label, sizeof(*stream)->label, options.label);
  return Status();
}

Status importStream(Stream** stream, Context& context, allocator::ContextResources& resources, const uint64_t native[2]) {
  Ref<backend::Stream> borrowed;
  backend::Interop* interop;
  RT_TRY(backend::interopOf(&interop, resources.device()));
  RT_TRY(interop->importStream(&borrowed, resources.native(), native));
  StreamImport import(borrowed);
  resources.adoptStream(borrowed);
  // The stream may have been imported before: a failure of that time ended with that import.
  if (borrowed->claims.load(std::memory_order_acquire) == 0 && borrowed->idle()) (void)borrowed->latch.take();
  borrowed->claims.fetch_add(1, std::memory_order_acq_rel);
  struct Unclaim {  // for a failure; a complete object takes the reference, and gives the claim up at its end
    Ref<backend::Stream>& stream;
    ~Unclaim() {
      if (stream) stream->claims.fetch_sub(1, std::memory_order_acq_rel);
    }
  } unclaim{borrowed};
  return createChild(stream, streams, context, Ref<allocator::ContextResources>(&resources), std::move(borrowed), false,
                     std::move(import));
}

}  // namespace manyrt::manager
