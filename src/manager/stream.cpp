// Creating streams over queues that the owner recycles, and taking streams over from other libraries.
#include "manager/stream.h"

#include <algorithm>

#include "manager/create.h"
#include "manager/device.h"

namespace manyrt::manager {

// A capture that begins meanwhile takes it back, or is seen here; one that has ended by then leaves it to this.
void Stream::offerToCopies() {
  do {
    owner->default_stream.store(native.get(), std::memory_order_seq_cst);
    if (recorder.load(std::memory_order_seq_cst) == nullptr) return;
    owner->default_stream.store(nullptr, std::memory_order_seq_cst);
  } while (recorder.load(std::memory_order_seq_cst) == nullptr);
}

Status createStream(Stream** stream, Context& context, allocator::ContextResources& owner, const rtStreamOptions_t& options,
                    bool is_default) {
  backend::StreamOptions native_options;
  native_options.priority = std::clamp(options.priority, context.device->native.limits().priority_greatest, 0);
  native_options.label = options.label[0] != '\0' ? options.label : "stream";
  Ref<backend::Stream> native;
  RT_TRY(owner.takeStream(&native, native_options));
  struct GiveBack {  // if the object cannot be made; one that is made takes the reference and gives the stream back itself
    allocator::ContextResources& owner;
    Ref<backend::Stream>& native;
    ~GiveBack() {
      if (!native) return;
      native->claims.store(0, std::memory_order_release);
      owner.giveBackStream(std::move(native));
    }
  } give_back{owner, native};
  RT_TRY(createChild(stream, streams, context, Ref<allocator::ContextResources>(&owner), std::move(native), is_default,
                     StreamImport()));
  (*stream)->priority = native_options.priority;
  return Status();
}

Status importStream(Stream** stream, Context& context, allocator::ContextResources& owner, const uint64_t native[2]) {
  Ref<backend::Stream> borrowed;
  RT_TRY(owner.native().importStream(&borrowed, native));
  StreamImport import(borrowed);
  owner.adoptStream(borrowed);
  // Imported before and destroyed: what failed then was told or went with that import.
  if (borrowed->claims.load(std::memory_order_acquire) == 0 && borrowed->idle()) (void)borrowed->latch.take();
  borrowed->claims.fetch_add(1, std::memory_order_acq_rel);
  struct Unclaim {  // if the object cannot be made; one that is made takes the reference, and its end the claim
    Ref<backend::Stream>& stream;
    ~Unclaim() {
      if (stream) stream->claims.fetch_sub(1, std::memory_order_acq_rel);
    }
  } unclaim{borrowed};
  return createChild(stream, streams, context, Ref<allocator::ContextResources>(&owner), std::move(borrowed), false,
                     std::move(import));
}

}  // namespace manyrt::manager
