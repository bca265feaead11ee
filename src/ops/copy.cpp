// Checks bounds, overlap, direction and reach of copies and fills before it submits them.
#include "ops/copy.h"

#include <memory>
#include <new>
#include <optional>

#include "allocator/block_lease.h"
#include "allocator/host_writes.h"
#include "base/checked.h"
#include "base/fault.h"
#include "base/log.h"
#include "manager/context.h"
#include "manager/current_context.h"
#include "manager/device.h"
#include "manager/library.h"
#include "ops/bridge.h"
#include "ops/range.h"
#include "ops/staged_source.h"
#include "ops/wait.h"

namespace manyrt::ops {
namespace {

using Number = unsigned long long;

struct Checked {
  Range dst;
  Range src;
};

Status checkKind(int32_t kind, const Range& dst, const Range& src) {
  if (kind == RT_MEMCPY_DEFAULT) return Status();
  static constexpr const char* kNames[] = {"DEFAULT", "HOST_TO_HOST", "HOST_TO_DEVICE", "DEVICE_TO_HOST", "DEVICE_TO_DEVICE"};
  RT_CHECK_ARG(kind >= RT_MEMCPY_DEFAULT && kind <= RT_MEMCPY_DEVICE_TO_DEVICE, "%d is no copy kind: RT_MEMCPY_* goes to %d.",
               kind, RT_MEMCPY_DEVICE_TO_DEVICE);
  bool to_device = kind == RT_MEMCPY_HOST_TO_DEVICE || kind == RT_MEMCPY_DEVICE_TO_DEVICE;
  bool from_device = kind == RT_MEMCPY_DEVICE_TO_HOST || kind == RT_MEMCPY_DEVICE_TO_DEVICE;
  RT_CHECK_ARG(to_device ? dst.deviceSide() : dst.hostSide(), "RT_MEMCPY_%s contradicts the destination, which is %s memory.",
               kNames[kind], to_device ? "host" : "device");
  RT_CHECK_ARG(from_device ? src.deviceSide() : src.hostSide(), "RT_MEMCPY_%s contradicts the source, which is %s memory.",
               kNames[kind], from_device ? "host" : "device");
  return Status();
}

// `copy` is normalised and not empty.
Status check(const CopyArguments& copy, Checked* ranges) {
  uint64_t dst_span = copy.width, src_span = copy.width;
  if (copy.height != 1) {
    RT_CHECK_ARG(!spanOverflows(copy.dst_pitch, copy.width, copy.height, &dst_span) &&
                     !spanOverflows(copy.src_pitch, copy.width, copy.height, &src_span),
                 "A copy of %llu rows of %llu bytes leaves the address space.", static_cast<Number>(copy.height),
                 static_cast<Number>(copy.width));
  }
  RT_TRY(findRange(&ranges->dst, copy.dst, dst_span, "destination"));
  RT_TRY(findRange(&ranges->src, copy.src, src_span, "source"));
  return checkCopy(copy, ranges->dst, ranges->src);
}

// A copy of device memory needs a stream of either side.
Status checkSides(const Checked& ranges, manager::Stream& stream) {
  bool any = !ranges.dst.deviceSide() && !ranges.src.deviceSide();
  bool owns = ranges.dst.resources() == stream.resources.get() || ranges.src.resources() == stream.resources.get();
  if (any || owns) return Status();
  const Range& held = ranges.dst.deviceSide() ? ranges.dst : ranges.src;
  return Status::error(RT_ERROR_WRONG_CONTEXT,
                       "The stream belongs to the %s; the memory belongs to %s: a copy needs a stream of either side.",
                       stream.context->name().c_str(), holderOf(*held.allocation.region).c_str());
}

// For a side that the stream cannot reach.
[[gnu::noinline]] Status beyondReach(const Range& range, const manager::Stream& stream) {
  return Status::error(RT_ERROR_NOT_SUPPORTED, "The device of the stream, %s, cannot reach the memory at %p, which is of %s.",
                       stream.context->device->name().c_str(), reinterpret_cast<void*>(range.address),
                       range.known() ? holderOf(*range.allocation.region).c_str() : "the program");
}

Status checkRoute(const Route& route, const Checked& ranges, const manager::Stream& stream) {
  if (route.kind != Route::kNone) return Status();
  const Range& beyond = copyable(ranges.dst, *stream.resources) ? ranges.src : ranges.dst;
  return beyondReach(beyond, stream);
}

backend::Copy native(const CopyArguments& copy, int32_t kind) {
  return {copy.dst, copy.src, copy.width, copy.height, copy.dst_pitch, copy.src_pitch, kind};
}
backend::Copy native(const CopyArguments& copy, const Checked& ranges) {
  return native(copy, copyKind(ranges.dst, ranges.src));
}

// `given` is the copy that a capture records, which may have begun meanwhile; `copy` is the one that the stream does.
Status submit(const CopyArguments& given, const CopyArguments& copy, const Checked& ranges, const Route& route,
              manager::Stream& stream) {
  RT_TRY(checkRoute(route, ranges, stream));
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->copy(stream, native(given, ranges), given.kind);
  Status status = route.kind == Route::kOwn ? stream.native->copy(native(copy, ranges))
                                            : copyAcross(native(copy, ranges), ranges.dst, ranges.src, route, stream);
  noteUse(ranges.dst, stream);  // also after a failure: the driver may have got a part of the work
  noteUse(ranges.src, stream);
  if (status.ok()) [[likely]]
    traceSubmission(stream);
  return status;
}

// The default stream of the context that owns the range. Null: that context is destroyed.
Status streamOfContext(const Range& range, manager::Stream** stream) {
  *stream = nullptr;
  manager::Context* context = manager::contexts.find(toBits(range.resources()->contextHandle()));
  if (context == nullptr || context->resourcesIfStarted() != range.resources()) return Status();
  return context->defaultStream(stream);
}

// The stream that does a synchronous copy.
Status streamFor(const Range& dst, const Range& src, manager::Stream** stream) {
  for (const Range* range : {&dst, &src}) {
    if (!range->deviceSide()) continue;
    RT_TRY(streamOfContext(*range, stream));
    if (*stream != nullptr) return Status();
  }
  return manager::resolve(stream, nullptr, "stream");
}

Status checkNotCapturing(const manager::Stream& stream) {
  if (stream.recorder.load(std::memory_order_acquire) == nullptr) [[likely]]
    return Status();
  return captureUnsafe("The default stream that would do the work is capturing: a synchronous call cannot be part of a graph.");
}

Status finish(manager::Stream& stream, epoch::Guard& guard) { return synchronize(stream, Deadline::never(), false, guard); }

// Short enough for a copy under the caller's epoch guard, since a reset or a shutdown on another thread waits for guards.
bool isShort(const CopyArguments& copy) {
  constexpr uint64_t kShortBytes = 1 << 20;
  return copy.width <= kShortBytes && (copy.height == 1 || copy.height <= kShortBytes / copy.width);
}

// One side of a short copy. `resources`: of its context, if it is device or shared memory. False: this path cannot take it.
[[gnu::always_inline]] inline bool findEnd(const void* pointer, uint64_t size, allocator::ContextResources** resources) {
  *resources = nullptr;
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (address == 0 || address + size < address) return false;
  allocator::Region* region = allocator::address_map::find(pointer);
  if (region == nullptr) return true;  // the program's own memory
  allocator::Block* block = region->blockAt(address);
  if (block == nullptr || block->state.load(std::memory_order_acquire) != allocator::Block::kLive) return false;
  const uint64_t offset = address - region->addressOf(*block);
  if (offset >= block->size || size > block->size - offset || !region->memory().host_visible) return false;
  if (region->memory().kind != RT_MEMORY_HOST) *resources = &region->resources();
  return true;
}

// The fast path of a synchronous copy, without a Status. It takes one short row with both sides within the host's reach, if the
// default stream of a context that owns a side is idle. False: nothing was done, and the full path does the copy or refuses it.
[[gnu::hot]] bool copyAtOnce(const CopyArguments& copy) {
  constexpr uint64_t kShortBytes = 1 << 20;
  if (copy.height != 1 || copy.width - 1 >= kShortBytes) return false;
  if (allocator::HostWrites::any()) return false;  // one of them may write to the source
  allocator::ContextResources *to, *from;
  if (!findEnd(copy.dst, copy.width, &to) || !findEnd(copy.src, copy.width, &from)) return false;
  const uintptr_t dst = reinterpret_cast<uintptr_t>(copy.dst), src = reinterpret_cast<uintptr_t>(copy.src);
  if ((dst > src ? dst - src : src - dst) < copy.width) return false;
  const int32_t kind = copyKind(to != nullptr, from != nullptr);
  if (copy.kind != RT_MEMCPY_DEFAULT && copy.kind != kind) return false;
  allocator::ContextResources* resources = to != nullptr ? to : from;
  if (resources == nullptr || resources->device().isLost() || trace::timesWork()) return false;
  // Acquire pairs with Stream::offerToCopies: the stream is complete. A capture of it clears this pointer before it records
  // work; the caller's guard keeps the stream.
  backend::Stream* stream = resources->default_stream.load(std::memory_order_acquire);
  return stream != nullptr && stream->copyNow(native(copy, kind));
}

// ---- Sources in pageable memory: read before the call returns ----

// Waits for earlier copies that still write to the source, since their bytes have to be read. Leaves the guard meanwhile and
// sets `waited`: then the caller looks the ranges up again.
Status awaitWritesTo(const Range& source, epoch::Guard& guard, bool* waited) {
  std::vector<allocator::Stamp> stamps = allocator::hostWritesTo(source.address, source.address + source.size);
  std::erase_if(stamps, [](const allocator::Stamp& stamp) { return stamp.passed(); });
  *waited = !stamps.empty();
  for (const allocator::Stamp& stamp : stamps) {
    if (!stamp.stream->isInsideTask()) continue;
    return Status::error(RT_ERROR_BUSY,
                         "An earlier copy of a stream still writes to the source at %p: a host function of that stream cannot "
                         "wait for it.",
                         reinterpret_cast<void*>(source.address));
  }
  if (!*waited) return Status();
  guard.leave();
  for (const allocator::Stamp& stamp : stamps) (void)stamp.stream->wait(stamp.serial, Deadline::never());
  stamps.clear();
  guard.enter();
  return Status();
}

// Submits a copy whose source the stream reads later, and waits: the source stays unchanged meanwhile. The stream's failure
// stays latched.
Status submitAndWait(const CopyArguments& copy, const Checked& ranges, const Route& route, manager::Stream& stream,
                     epoch::Guard& guard) {
  if (stream.native->isInsideTask()) {
    return Status::error(RT_ERROR_BUSY,
                         "The copies of the stream from pageable memory hold %llu bytes of staging memory at most: this one of "
                         "%llu rows of %llu bytes has to wait for the stream, and a host function cannot wait for its own.",
                         static_cast<Number>(manager::StagedBytes::kMax), static_cast<Number>(copy.height),
                         static_cast<Number>(copy.width));
  }
  Status status = submit(copy, copy, ranges, route, stream);  // waits also after a failure: the driver may have got a part
  const uint64_t serial = stream.native->submitted();
  Lease<manager::Stream> lease(&stream);
  guard.leave();
  (void)lease->native->wait(serial, Deadline::never());
  guard.enter();
  if (status.ok()) status = lease->native->latch.get();
  if (status.ok()) status = lease->device.lost();
  guard.leave();  // the last lease may release much: it is dropped outside the guard
  lease = Lease<manager::Stream>();
  guard.enter();
  return status;
}

// Keeps the stream and the destination of a long copy while the guard is left.
class Kept {
 public:
  Kept(manager::Stream& stream, epoch::Guard& guard) : guard_(guard), stream_(&stream) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {  // the last lease may release much: it is dropped outside the guard
    guard_.leave();
    stream_ = Lease<manager::Stream>();
    destination_ = allocator::BlockLease();
    guard_.enter();
  }
  Status take(void* destination) {
    if (allocator::BlockLease::take(&destination_, destination)) return Status();
    return Status::error(RT_ERROR_INVALID_VALUE, "The destination at %p is being freed by another thread.", destination);
  }

 private:
  epoch::Guard& guard_;
  Lease<manager::Stream> stream_;
  allocator::BlockLease destination_;
};

// Copies at once if the stream is idle. False: it has work.
bool copyIdle(const CopyArguments& copy, const Checked& ranges, manager::Stream& stream, epoch::Guard& guard, Status* status) {
  const backend::Copy work = native(copy, ranges);
  if (isShort(copy)) return stream.native->copyAndRead(work, status);
  struct Away {
    explicit Away(epoch::Guard& left) : guard(left) { guard.leave(); }
    ~Away() { guard.enter(); }  // also after an exception
    epoch::Guard& guard;
  } away(guard);
  return stream.native->copyAndRead(work, status);
}

// The context with a pool of memory that the copying stream reaches: the stream's own, or the lender's. Null: that context is
// destroyed.
manager::Context* stagingContext(const Route& route, manager::Stream& stream) {
  if (route.kind == Route::kOwn) return stream.context.get();
  return manager::contexts.find(toBits(route.lender->contextHandle()));
}

// The source has been read when this returns. An idle stream copies at once. Else the rows go into staging memory, which the
// stream reads in its order. Without staging memory the call waits for the stream. A long copy leaves the guard while it reads,
// and `kept` holds the stream and the destination meanwhile.
Status copyFromPageable(const CopyArguments& copy, const Checked& ranges, const Route& route, manager::Stream& stream,
                        epoch::Guard& guard) {
  std::optional<Kept> kept;
  if (!isShort(copy)) RT_TRY(kept.emplace(stream, guard).take(copy.dst));
  Status status;
  if (route.kind == Route::kOwn && copyIdle(copy, ranges, stream, guard, &status)) {
    // rtShutdown may have ended the library while the guard was left: no part of the copy may be in flight then.
    if (kept && !manager::library::running()) (void)stream.native->wait(stream.native->submitted(), Deadline::never());
    noteUse(ranges.dst, stream);
    if (status.ok()) traceSubmission(stream);
    return status;
  }
  std::optional<StagedSource> source(std::in_place, stream);
  manager::Context* context = stagingContext(route, stream);
  const bool waits = context == nullptr || !source->take(copy, *context);
  if (log::wanted(RT_LOG_DEBUG)) {
    log::write(RT_LOG_DEBUG, "A copy of %llu bytes from pageable memory after unfinished work %s.",
               static_cast<Number>(copy.width * copy.height),
               waits ? "waits for its stream: there is no staging memory for it" : "reads its source into staging memory now");
  }
  if (waits) {
    source.reset();  // before the guard is left, since the stream may end meanwhile
    return submitAndWait(copy, ranges, route, stream, guard);
  }
  if (kept) guard.leave();
  const CopyArguments staged = source->read(copy);
  if (kept) {
    guard.enter();
    if (!manager::library::running())
      return manager::library::start();  // rtShutdown has not waited for this copy: it is refused
  }
  Checked places = ranges;
  RT_TRY(findRange(&places.src, staged.src, copy.width * copy.height, "source"));
  return submit(copy, staged, places, route, stream);
}

using HostWrite = std::unique_ptr<allocator::HostWrites::Write>;

// Called before the copy is submitted: after the submission nothing may fail.
Status prepareHostWrite(const Range& dst, HostWrite* write) {
  if (fault::fails("host write")) throw std::bad_alloc();
  *write = std::make_unique<allocator::HostWrites::Write>();
  (*write)->begin = dst.address;
  (*write)->end = dst.address + dst.size;
  return Status();
}

void noteHostWrite(HostWrite write, manager::Stream& stream) {
  write->stamp = {stream.native, stream.native->submitted()};
  if (!write->stamp.passed()) stream.resources->hostWrites().add(std::move(write));
}

// Whether memory has outlived its context: then no stream of that exists.
bool orphan(const Range& range) {
  return range.known() && manager::contexts.find(toBits(range.resources()->contextHandle())) == nullptr;
}

}  // namespace

bool overlap(const CopyArguments& copy, uint64_t dst_span, uint64_t src_span) {
  uintptr_t dst = reinterpret_cast<uintptr_t>(copy.dst), src = reinterpret_cast<uintptr_t>(copy.src);
  if (dst >= src + src_span || src >= dst + dst_span) return false;
  if (copy.height == 1 || copy.dst_pitch != copy.src_pitch) return true;
  uint64_t distance = dst > src ? dst - src : src - dst;
  uint64_t rows = distance / copy.dst_pitch, columns = distance % copy.dst_pitch;
  if (rows < copy.height && columns < copy.width) return true;
  return rows + 1 < copy.height && copy.dst_pitch - columns < copy.width;
}

bool overlap(const CopyArguments& copy, const Range& dst, const Range& src) { return overlap(copy, dst.size, src.size); }

Status checkCopy(const CopyArguments& copy, const Range& dst, const Range& src) {
  RT_CHECK_ARG(!overlap(copy, dst, src), "The source at %p and the destination at %p of a copy of %llu bytes overlap.",
               copy.src, copy.dst, static_cast<Number>(copy.width));
  return checkKind(copy.kind, dst, src);
}

Status normalise(CopyArguments* copy) {
  RT_CHECK_ARG(copy->height == 0 || (copy->dst_pitch >= copy->width && copy->src_pitch >= copy->width),
               "A row of %llu bytes does not fit between rows %llu (destination) and %llu (source) bytes apart.",
               static_cast<Number>(copy->width), static_cast<Number>(copy->dst_pitch), static_cast<Number>(copy->src_pitch));
  if (copy->height == 1) copy->dst_pitch = copy->src_pitch = copy->width;
  if (copy->height > 1 && copy->dst_pitch == copy->width && copy->src_pitch == copy->width) {
    uint64_t bytes;
    RT_CHECK_ARG(!mulOverflows(copy->width, copy->height, &bytes),
                 "A copy of %llu rows of %llu bytes leaves the address space.", static_cast<Number>(copy->height),
                 static_cast<Number>(copy->width));
    copy->width = copy->dst_pitch = copy->src_pitch = bytes;
    copy->height = 1;
  }
  return Status();
}

Status copyAsync(const CopyArguments& copy, manager::Stream& stream, epoch::Guard& guard) {
  RT_TRY(submittable(stream));
  if (copy.width == 0 || copy.height == 0) {
    return checkKind(copy.kind < 0 || copy.kind > RT_MEMCPY_DEVICE_TO_DEVICE ? copy.kind : RT_MEMCPY_DEFAULT, Range(), Range());
  }
  Checked ranges;
  RT_TRY(check(copy, &ranges));
  // A capture records the address of a source and reads nothing.
  const bool captures = stream.recorder.load(std::memory_order_acquire) != nullptr;
  if (!ranges.src.known() && !captures && allocator::HostWrites::any()) {
    const Lease<manager::Stream> lease(&stream);
    bool waited = false;
    RT_TRY(awaitWritesTo(ranges.src, guard, &waited));
    if (waited) RT_TRY(check(copy, &ranges));
  }
  RT_TRY(checkSides(ranges, stream));
  const Route route = findRoute(ranges.dst, ranges.src, *stream.resources);
  HostWrite write;
  if (!ranges.dst.known() && !captures && route.kind != Route::kNone) RT_TRY(prepareHostWrite(ranges.dst, &write));
  Status status = ranges.src.known() || captures || route.kind == Route::kNone
                      ? submit(copy, copy, ranges, route, stream)
                      : copyFromPageable(copy, ranges, route, stream, guard);
  if (write != nullptr) noteHostWrite(std::move(write), stream);
  return status;
}

Status copy(const CopyArguments& copy, epoch::Guard& guard) {
  if (copyAtOnce(copy)) return Status();
  if (copy.width == 0 || copy.height == 0) {
    return checkKind(copy.kind < 0 || copy.kind > RT_MEMCPY_DEVICE_TO_DEVICE ? copy.kind : RT_MEMCPY_DEFAULT, Range(), Range());
  }
  Checked ranges;
  RT_TRY(check(copy, &ranges));
  if (!ranges.src.known() && allocator::HostWrites::any()) {
    bool waited = false;
    RT_TRY(awaitWritesTo(ranges.src, guard, &waited));
    if (waited) RT_TRY(check(copy, &ranges));
  }
  manager::Stream* stream;
  RT_TRY(streamFor(ranges.dst, ranges.src, &stream));
  RT_TRY(submittable(*stream));
  RT_TRY(checkNotCapturing(*stream));
  if (!orphan(ranges.dst) && !orphan(ranges.src)) RT_TRY(checkSides(ranges, *stream));
  const Route route = findRoute(ranges.dst, ranges.src, *stream->resources);
  const bool at_once = route.kind == Route::kOwn && isShort(copy) && !trace::timesWork();
  if (at_once && stream->native->copyNow(native(copy, ranges))) return Status();
  if (stream->native->isInsideTask()) {
    return Status::error(RT_ERROR_BUSY, "A host function cannot wait for its own stream: it would never end.");
  }
  RT_TRY(submit(copy, copy, ranges, route, *stream));
  return finish(*stream, guard);
}

namespace {

Status checkFill(const FillArguments& fill, Range* range, backend::Fill* out) {
  bool size_known = fill.pattern_size == 1 || fill.pattern_size == 2 || fill.pattern_size == 4 || fill.pattern_size == 8 ||
                    fill.pattern_size == 16;
  RT_CHECK_ARG(size_known, "A pattern of %llu bytes cannot be filled with: it has 1, 2, 4, 8 or 16.",
               static_cast<Number>(fill.pattern_size));
  RT_CHECK_ARG(reinterpret_cast<uintptr_t>(fill.dst) % fill.pattern_size == 0,
               "The destination %p is not aligned to the pattern of %llu bytes.", fill.dst,
               static_cast<Number>(fill.pattern_size));
  uint64_t width, span;
  RT_CHECK_ARG(!mulOverflows(fill.pattern_size, fill.count, &width), "%llu patterns of %llu bytes leave the address space.",
               static_cast<Number>(fill.count), static_cast<Number>(fill.pattern_size));
  RT_CHECK_ARG(fill.height <= 1 || fill.pitch >= width, "A row of %llu bytes does not fit between rows %llu bytes apart.",
               static_cast<Number>(width), static_cast<Number>(fill.pitch));
  RT_CHECK_ARG(!spanOverflows(fill.pitch, width, fill.height, &span), "A fill of %llu rows leaves the address space.",
               static_cast<Number>(fill.height));
  out->dst = fill.dst;
  out->pattern_size = static_cast<uint32_t>(fill.pattern_size);
  out->width = width;
  out->height = fill.height;
  out->pitch = fill.height <= 1 ? width : fill.pitch;
  if (span == 0) return Status();
  RT_CHECK_ARG(fill.pattern != nullptr, "The pattern is NULL.");
  __builtin_memcpy(out->pattern, fill.pattern, fill.pattern_size);
  RT_TRY(findRange(range, fill.dst, span, "destination"));
  RT_CHECK_ARG(range->known(), "The destination %p of the fill is not memory of the library: fills take no other.", fill.dst);
  return Status();
}

[[gnu::noinline]] Status otherContext(const Range& range, const manager::Stream& stream) {
  return Status::error(RT_ERROR_WRONG_CONTEXT, "The memory at %p belongs to %s; the stream belongs to the %s.",
                       reinterpret_cast<void*>(range.address), holderOf(*range.allocation.region).c_str(),
                       stream.context->name().c_str());
}

Status checkFillReach(const Range& range, manager::Stream& stream) {
  if (range.deviceSide() && range.resources() != stream.resources.get() && !orphan(range)) {
    return otherContext(range, stream);
  }
  if (range.known() && !reachable(*range.allocation.region, stream)) {
    return beyondReach(range, stream);
  }
  return Status();
}

}  // namespace

Status fillAsync(const FillArguments& fill, manager::Stream& stream) {
  RT_TRY(submittable(stream));
  Range range;
  backend::Fill native_fill;
  RT_TRY(checkFill(fill, &range, &native_fill));
  if (native_fill.width == 0 || native_fill.height == 0) return Status();
  RT_TRY(checkFillReach(range, stream));
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->fill(stream, native_fill);
  Status status = stream.native->fill(native_fill);
  noteUse(range, stream);  // also after a failure: the driver may have got a part of the work
  if (status.ok()) traceSubmission(stream);
  return status;
}

Status fill(const FillArguments& fill, epoch::Guard& guard) {
  Range range;
  backend::Fill native_fill;
  RT_TRY(checkFill(fill, &range, &native_fill));
  if (native_fill.width == 0 || native_fill.height == 0) return Status();
  manager::Stream* stream;
  RT_TRY(streamOfContext(range, &stream));  // also for pinned memory, which a stream of another device may not reach
  if (stream == nullptr) RT_TRY(manager::resolve(&stream, nullptr, "stream"));
  RT_TRY(checkNotCapturing(*stream));
  if (stream->native->isInsideTask()) {
    return Status::error(RT_ERROR_BUSY, "A host function cannot wait for its own stream: it would never end.");
  }
  RT_TRY(fillAsync(fill, *stream));
  return finish(*stream, guard);
}

Status prefetchAsync(const void* pointer, uint64_t size, manager::Device* destination, manager::Stream& stream) {
  RT_TRY(submittable(stream));
  if (size == 0) return Status();
  Range range;
  RT_TRY(findRange(&range, pointer, size, "range"));
  RT_CHECK_ARG(range.known(), "The address %p is inside no allocation of the library.", pointer);
  if (range.resources() != stream.resources.get()) {
    return otherContext(range, stream);
  }
  RT_CHECK_ARG(destination == nullptr || &destination->native == &stream.resources->device(),
               "The destination %s is neither the host nor the stream's device, %s.", destination->name().c_str(),
               stream.context->device->name().c_str());
  if (manager::Recorder* recorder = stream.recorder.load(std::memory_order_acquire)) [[unlikely]]
    return recorder->prefetch(stream, pointer, size, destination == nullptr);
  RT_TRY(stream.native->prefetch(pointer, size, destination == nullptr));
  traceSubmission(stream);
  return Status();
}

}  // namespace manyrt::ops
