// Streams: a native stream that serves one handle at a time. A destroyed stream gives it back, and its work goes on.
#pragma once

#include <string>
#include <utility>

#include "manager/child.h"
#include "manager/recorder.h"
#include "manager/staged_bytes.h"
#include "manager/tables.h"

namespace manyrt::manager {

// Ends the import of a native stream, once. Empty for a stream of the library's own.
class StreamImport {
 public:
  StreamImport() = default;
  explicit StreamImport(Ref<backend::Stream> stream) : stream_(std::move(stream)) {}
  StreamImport(StreamImport&& other) noexcept : stream_(std::move(other.stream_)) { other.stream_ = nullptr; }
  StreamImport& operator=(StreamImport&&) = delete;
  ~StreamImport() { end(); }
  explicit operator bool() const { return static_cast<bool>(stream_); }
  // The program may destroy the native stream from here on.
  void end() {
    if (Ref<backend::Stream> stream = std::exchange(stream_, nullptr)) stream->endImport();
  }

 private:
  Ref<backend::Stream> stream_;
};

struct Stream : Child {
  Stream(Context& owner_context, Ref<allocator::ContextResources> context_resources, Ref<backend::Stream> native_stream,
         bool default_stream, StreamImport stream_import)
      : Child(owner_context, std::move(context_resources), !default_stream),
        native(std::move(native_stream)),
        device(resources->device()),
        is_default(default_stream),
        imported(static_cast<bool>(stream_import)),
        import(std::move(stream_import)) {}
  ~Stream() {
    if (!imported) resources->giveBackStream(std::move(native));
  }

  // Shows the published default stream to short copies, which find its native stream in the context's resources; not while it
  // captures.
  void offerToCopies();

  // Names the stream in messages: its label in quotes, else its handle.
  std::string name() const;

  Ref<backend::Stream> native;
  backend::Device& device;  // of its context
  const bool is_default;
  const bool imported;
  StreamImport import;  // ended when the handle is closed
  int32_t priority = 0;
  char label[64] = "";  // from the options
  // Set by the beginning of a capture (seq_cst) and cleared at its end (acq_rel). An acquire load pairs with both: a session
  // that is found is complete, and work that finds none comes after the capture's last node. A load that only refuses the call
  // where there is one is relaxed, since it uses nothing of the session.
  std::atomic<Recorder*> recorder{nullptr};  // while it captures; read under a guard
  StagedBytes staged;
};

Status createStream(Stream** stream, Context& context, allocator::ContextResources& resources, const rtStreamOptions_t& options,
                    bool is_default);
Status importStream(Stream** stream, Context& context, allocator::ContextResources& resources, const uint64_t native[2]);

}  // namespace manyrt::manager
