// Tells the trace about memory of a pool. Called while the trace is on, also under locks of the pool and of its caches, before
// another thread can get the same bytes.
#include "allocator/pool.h"
#include "base/trace.h"

namespace manyrt::allocator {
namespace {

uint64_t trackOf(const backend::Stream* stream) { return stream == nullptr ? 0 : stream->track.number; }

const char* kindName(int32_t kind) { return kind == RT_MEMORY_DEVICE ? "device" : kind == RT_MEMORY_HOST ? "host" : "shared"; }

}  // namespace

uint64_t Pool::nextTraceNumber() {
  // Relaxed: numbers only have to differ.
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

void Pool::traceLiveBytes() const { trace::liveBytes(allocator::liveBytes()); }

void Pool::traceAllocation(const Region& region, const Block& block, const backend::Stream* stream) const {
  trace::memory(trace::Memory::kAllocate, number_, region.addressOf(block), block.size.load(std::memory_order_relaxed),
                trackOf(stream));
  traceLiveBytes();
}

void Pool::traceFree(const Region& region, const Block& block, const backend::Stream* stream) const {
  trace::memory(trace::Memory::kFree, number_, region.addressOf(block), block.size.load(std::memory_order_relaxed),
                trackOf(stream));
}

void Pool::traceRegion(const Region& region) const { traceCommitted(region, 0, region.memory().size); }

// Before the region leaves the address map: the driver may give the same addresses to another pool afterwards.
void Pool::traceReleased(const Region& region) {
  if (region.committed != 0) region.pool()->traceDecommitted(region, 0, region.committed);
}

void Pool::traceCommitted(const Region& region, uint64_t offset, uint64_t bytes) const {
  const rtDeviceProperties_t* properties = nullptr;
  const bool known = resources_->device().properties(&properties).ok();
  trace::memory(trace::Memory::kReserve, number_, region.begin() + offset, bytes, 0, known ? properties->id : "",
                kindName(options_.kind));
}

void Pool::traceDecommitted(const Region& region, uint64_t offset, uint64_t bytes) const {
  trace::memory(trace::Memory::kRelease, number_, region.begin() + offset, bytes, 0);
}

}  // namespace manyrt::allocator
