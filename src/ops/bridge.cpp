// The two ways around a stream that cannot copy. Both keep the position of the copy in the order of the given stream. It
// records one point, after which the other streams begin. It waits for a second one, which is passed when they are done.
#include "ops/bridge.h"

#include <algorithm>
#include <memory>
#include <new>

#include "base/fault.h"
#include "base/host_threads.h"
#include "base/log.h"
#include "manager/device.h"

namespace manyrt::ops {
namespace {

using allocator::ContextResources;

// The position of a copy in the order of the given stream, between two points.
struct Handoff {
  Ref<backend::Point> begin;  // null: the stream was idle
  Ref<backend::Point> done;   // of no backend: the end of the copy passes it
};

// After success `done` must be passed in any case: the stream waits for it. It does so even if it fails meanwhile, so that
// memory which is freed in its order stays untouched until the copy is over.
Status handOver(Handoff* handoff, manager::Stream& stream) {
  RT_TRY(host_threads::reserve());
  if (fault::fails("bridge point")) throw std::bad_alloc();
  handoff->done = Ref<backend::Point>::adopt(new backend::Point);
  if (!stream.native->idle()) {
    RT_TRY(stream.resources->native().createPoint(&handoff->begin, false));
    RT_TRY(stream.native->record(handoff->begin));
  }
  return stream.native->wait(handoff->done, backend::Skip::kNever);
}

backend::StreamOptions optionsFor(const ContextResources& resources, int32_t priority) {
  backend::StreamOptions options;
  options.priority = std::clamp(priority, resources.device().limits().priority_greatest, 0);
  options.label = "copies for others";
  return options;
}

// A copy on one stream of another context. The point that this stream records after the copy passes `done`.
class LentCopy final : private backend::Waiter, private host_threads::Job {
 public:
  static Status start(const backend::Copy& copy, const Range& dst, const Range& src, ContextResources& lender,
                      manager::Stream& stream) {
    if (fault::fails("bridge")) throw std::bad_alloc();
    std::unique_ptr<LentCopy> made(new LentCopy);
    RT_TRY(lender.lendStream(&made->stream_, stream.native.get(), optionsFor(lender, stream.priority)));
    struct Return {
      ContextResources& lender;
      const Ref<backend::Stream> stream;
      ~Return() { lender.returnStream(*stream); }
    } lent{lender, made->stream_};
    RT_TRY(lender.native().createPoint(&made->end_, false));
    RT_TRY(handOver(&made->handoff_, stream));
    Status status = made->order(copy);
    // Both sides note the lent stream, also the lender's own: the given stream may fail before it has waited.
    for (const Range* range : {&dst, &src}) {
      if (range->known()) range->allocation.region->noteUse(lent.stream, lent.stream->submitted());
    }
    made.release()->settle(status.ok());
    return status;
  }

 private:
  Status order(const backend::Copy& copy) {
    if (handoff_.begin) RT_TRY(stream_->wait(handoff_.begin));
    RT_TRY(stream_->copy(copy));
    return stream_->record(end_);
  }
  void settle(bool ordered) {
    if (!ordered) {
      host_threads::submit(this);
      return;
    }
    // A driver may pass a point on a thread that must not call it: all but `done` is released here.
    stream_ = nullptr;
    handoff_.begin = nullptr;
    const Ref<backend::Point> end = std::move(end_);
    if (!end->subscribe(this)) passed(*end);
  }
  void passed(backend::Point& end) override {
    handoff_.done->complete(end.status(), 0);
    delete this;
  }
  // The caller knows that the submission failed. The submitted part has to end before the given stream goes on.
  void run() override {
    (void)stream_->wait(stream_->submitted(), Deadline::never());
    handoff_.done->complete(Status(), 0);
    delete this;
  }

  Handoff handoff_;
  Ref<backend::Stream> stream_;
  Ref<backend::Point> end_;
};

// A stream for one copy, which completes its work before it is given back.
class Side {
 public:
  explicit Side(ContextResources& resources) : resources_(resources) {}
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() {
    if (!stream_) return;
    (void)stream_->wait(stream_->submitted(), Deadline::never());
    stream_->claims.store(0, std::memory_order_release);
    resources_.giveBackStream(std::move(stream_));
  }
  Status take(int32_t priority) { return resources_.takeStream(&stream_, optionsFor(resources_, priority)); }
  // Submits the copy, and a point after it.
  Status copy(const backend::Copy& copy, Ref<backend::Point>* point) {
    RT_TRY(stream_->copy(copy));
    RT_TRY(resources_.native().createPoint(point, false));
    return stream_->record(*point);
  }
  Status wait(Ref<backend::Point> point) { return stream_->wait(std::move(point)); }

 private:
  ContextResources& resources_;
  Ref<backend::Stream> stream_;
};

// Pinned pieces of a context.
class Pieces {
 public:
  explicit Pieces(ContextResources& resources) : resources_(resources) {}
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  ~Pieces() {
    while (count_ > 0) resources_.giveBackStaging(memory_[--count_]);
  }
  // One would do: where there is no memory for more the copy is slower.
  Status take(uint64_t wanted) {
    while (count_ < wanted && count_ < ContextResources::kStagingPieces) {
      Status status = resources_.takeStaging(&memory_[count_]);
      if (!status.ok()) return count_ > 0 ? Status() : status;
      ++count_;
    }
    return Status();
  }
  uint32_t count() const { return count_; }
  void* at(uint64_t turn) const { return memory_[turn % count_].address; }

 private:
  ContextResources& resources_;
  backend::Memory memory_[ContextResources::kStagingPieces];
  uint32_t count_ = 0;
};

// Cuts a copy into parts that fit a piece: whole rows if one fits, else parts of one row.
class Parts {
 public:
  explicit Parts(const backend::Copy& copy) : copy_(copy) {}
  uint64_t count() const {
    const uint64_t bytes = ContextResources::kStagingBytes;
    if (copy_.width > bytes) return copy_.height * ((copy_.width + bytes - 1) / bytes);
    return (copy_.height + bytes / copy_.width - 1) / (bytes / copy_.width);
  }
  // The copy from the source into the piece, and that from there to the destination. False: there are no more.
  bool next(void* piece, backend::Copy* in, backend::Copy* out) {
    if (row_ == copy_.height) return false;
    const uint64_t width = std::min(copy_.width - column_, ContextResources::kStagingBytes);
    const uint64_t rows = width < copy_.width ? 1 : std::min(copy_.height - row_, ContextResources::kStagingBytes / width);
    void* dst = static_cast<char*>(copy_.dst) + row_ * copy_.dst_pitch + column_;
    const void* src = static_cast<const char*>(copy_.src) + row_ * copy_.src_pitch + column_;
    const bool to_device = copy_.kind == RT_MEMCPY_HOST_TO_DEVICE || copy_.kind == RT_MEMCPY_DEVICE_TO_DEVICE;
    const bool from_device = copy_.kind >= RT_MEMCPY_DEVICE_TO_HOST;
    *in = {piece, src, width, rows, width, copy_.src_pitch, copyKind(false, from_device)};
    *out = {dst, piece, width, rows, copy_.dst_pitch, width, copyKind(to_device, false)};
    column_ += width;
    if (column_ == copy_.width) {
      column_ = 0;
      row_ += rows;
    }
    return true;
  }

 private:
  const backend::Copy copy_;
  uint64_t row_ = 0, column_ = 0;
};

// A copy in pieces through pinned memory, on a thread of the library. It takes streams and pieces after the first point alone,
// so that waiting copies hold none.
class StagedCopy final : private backend::Waiter, private host_threads::Job {
 public:
  static Status start(const backend::Copy& copy, const Range& dst, const Range& src, manager::Stream& stream) {
    if (fault::fails("bridge")) throw std::bad_alloc();
    std::unique_ptr<StagedCopy> made(new StagedCopy(copy, *dst.resources(), *src.resources(), stream.priority));
    RT_TRY(handOver(&made->handoff_, stream));
    made.release()->begin();
    return Status();
  }

 private:
  StagedCopy(const backend::Copy& copy, ContextResources& to, ContextResources& from, int32_t priority)
      : copy_(copy), to_(&to), from_(&from), priority_(priority) {}

  void begin() {
    const Ref<backend::Point> begin = handoff_.begin;
    if (!begin || !begin->subscribe(this)) host_threads::submit(this);
  }
  void passed(backend::Point&) override { host_threads::submit(this); }
  void run() override {
    Status status = handoff_.begin ? handoff_.begin->status() : Status();
    try {
      if (status.ok()) status = copyParts();
    } catch (const std::bad_alloc&) {  // on a thread of the library; the given stream gets the failure
      status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
    handoff_.done->complete(std::move(status), 0);
    delete this;
  }

  // A ring of pieces: the reader fills one while the writer empties earlier ones. A piece is filled again when its last write
  // has passed. Declared in this order, so that the sides complete their work before the pieces go back.
  Status copyParts() {
    Parts parts(copy_);
    Pieces pieces(*from_);
    RT_TRY(pieces.take(parts.count()));
    Side writer(*to_), reader(*from_);
    RT_TRY(reader.take(priority_));
    RT_TRY(writer.take(priority_));
    Ref<backend::Point> read, written[ContextResources::kStagingPieces];
    backend::Copy in, out;
    uint64_t turn = 0;
    for (; parts.next(pieces.at(turn), &in, &out); ++turn) {
      RT_TRY(await(&written[turn % pieces.count()]));
      RT_TRY(reader.copy(in, &read));
      RT_TRY(writer.wait(std::move(read)));
      RT_TRY(writer.copy(out, &written[turn % pieces.count()]));
    }
    for (Ref<backend::Point>& point : written) RT_TRY(await(&point));
    return Status();
  }
  // Waits until a piece is free again.
  static Status await(Ref<backend::Point>* point) {
    const Ref<backend::Point> written = std::move(*point);
    if (!written) return Status();
    (void)written->wait(Deadline::never(), backend::WaitPolicy::kDefault);
    return written->status();
  }

  const backend::Copy copy_;
  const Ref<ContextResources> to_, from_;
  const int32_t priority_;
  Handoff handoff_;
};

bool readsHostMemory(const ContextResources& resources) { return resources.device().limits().copies_host; }

}  // namespace

Route findRoute(const Range& dst, const Range& src, ContextResources& own) {
  if (copyable(dst, own) && copyable(src, own)) return {Route::kOwn};
  for (ContextResources* resources : {dst.resources(), src.resources()}) {
    if (resources != nullptr && copyable(dst, *resources) && copyable(src, *resources)) return {Route::kLent, resources};
  }
  const bool staged = dst.known() && src.known() && readsHostMemory(*dst.resources()) && readsHostMemory(*src.resources());
  return {staged ? Route::kStaged : Route::kNone};
}

Status copyAcross(const backend::Copy& copy, const Range& dst, const Range& src, Route route, manager::Stream& stream) {
  log::write(RT_LOG_DEBUG, "A copy of %llu bytes between devices goes through %s.",
             static_cast<unsigned long long>(copy.width * copy.height),
             route.kind == Route::kLent ? "a stream of the other context" : "staging memory of the host");
  return route.kind == Route::kLent ? LentCopy::start(copy, dst, src, *route.lender, stream)
                                    : StagedCopy::start(copy, dst, src, stream);
}

}  // namespace manyrt::ops
