// Streams: a native queue leased to one handle. A destroyed stream gives its queue back; the work in it goes on.
#pragma once

#include "manager/child.h"
#include "manager/recorder.h"
#include "manager/staged_bytes.h"
#include "manager/tables.h"

namespace manyrt::manager {

struct Stream : Child {
  Stream(Context& owner_context, Ref<allocator::Owner> native_owner, Ref<backend::Stream> native_stream, bool default_stream,
         bool imported_stream)
      : Child(owner_context, std::move(native_owner), !default_stream),
        native(std::move(native_stream)),
        device(owner->device()),
        is_default(default_stream),
        imported(imported_stream) {}
  ~Stream() {
    if (!imported) owner->giveBackStream(std::move(native));
  }

  // The default stream, once it is the context's: short copies find its queue in the owner, but not while it captures.
  void offerToCopies();

  Ref<backend::Stream> native;
  backend::Device& device;  // the owner's
  const bool is_default;
  const bool imported;
  int32_t priority = 0;
  std::atomic<Recorder*> recorder{nullptr};  // while it captures; read under a guard
  StagedBytes staged;
};

Status createStream(Stream** stream, Context& context, allocator::Owner& owner, const rtStreamOptions_t& options,
                    bool is_default);
Status importStream(Stream** stream, Context& context, allocator::Owner& owner, const uint64_t native[2]);

}  // namespace manyrt::manager
