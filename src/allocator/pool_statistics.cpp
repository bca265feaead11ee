// The statistics of a pool: its counters, and its regions and blocks as JSON.
#include <algorithm>
#include <cstdio>
#include <mutex>

#include "allocator/pool.h"

namespace manyrt::allocator {

uint64_t Pool::liveBytes() const {
  // Frees first: the allocations of all these frees are visible then, and the difference is never negative.
  uint64_t freed = own_.freedBytes();
  for (const StreamCache* cache = caches_.first(); cache != nullptr; cache = cache->next) freed += cache->counters.freedBytes();
  uint64_t allocated = own_.allocatedBytes();
  for (const StreamCache* cache = caches_.first(); cache != nullptr; cache = cache->next)
    allocated += cache->counters.allocatedBytes();
  return allocated - freed;
}

uint64_t Pool::liveCount() const {
  uint64_t frees = own_.frees();  // first, as in liveBytes()
  for (const StreamCache* cache = caches_.first(); cache != nullptr; cache = cache->next) frees += cache->counters.frees();
  uint64_t allocations = own_.allocations();
  for (const StreamCache* cache = caches_.first(); cache != nullptr; cache = cache->next)
    allocations += cache->counters.allocations();
  return allocations - frees;
}

// The peak lies below the sum of the streams' own peaks, and below the peak of the credit. Where one stream allocates, the
// first is exact; where several do, the second is too high by the slack of each at most.
uint64_t Pool::foldPeak() {
  const uint64_t live = liveBytes();
  int64_t peaks = own_.peak();
  own_.restartPeak();
  for (StreamCache* cache = caches_.first(); cache != nullptr; cache = cache->next) {
    std::lock_guard lock(cache->lock);
    peaks += cache->counters.peak();
    cache->counters.restartPeak();
  }
  const int64_t credits =
      credit_peak_.exchange(credit_.load(std::memory_order_relaxed), std::memory_order_relaxed);  // threads go on meanwhile
  const int64_t bound = std::max<int64_t>(std::min(peaks, credits), 0);
  // The streams' own peaks need not be at the same time, hence the smaller bound. The live bytes of this moment are a peak in
  // any case.
  peak_live_ = std::max({peak_live_, static_cast<uint64_t>(bound), live});
  return peak_live_;
}

void Pool::statistics(rtMemPoolStats_t* stats) {
  // Blocks that have passed are made ready first, so that pending bytes do not count work that is over.
  settled([&] {
    stats->peak_live_bytes = foldPeak();
    stats->live_bytes = liveBytes();
    stats->live_count = liveCount();
    stats->peak_live_bytes = std::max(stats->peak_live_bytes, stats->live_bytes);
    stats->reserved_bytes = reserved_;
    stats->peak_reserved_bytes = peak_reserved_;
    stats->pending_bytes = pending_bytes_ + leased_bytes_.load(std::memory_order_relaxed);
    stats->free_count = own_.frees();
    stats->allocation_count = own_.allocations();
    uint64_t fresh = own_.fresh();
    for (StreamCache* cache = caches_.first(); cache != nullptr; cache = cache->next) {
      std::lock_guard lock(cache->lock);
      stats->pending_bytes += cache->pendingBytes();
      stats->free_count += cache->counters.frees();
      stats->allocation_count += cache->counters.allocations();
      fresh += cache->counters.fresh();
    }
    stats->reuse_count = stats->allocation_count - fresh;
    stats->driver_allocation_count = driver_allocations_;
  });
}

void Pool::resetPeak() {
  std::lock_guard lock(lock_);
  (void)foldPeak();
  peak_live_ = liveBytes();
  peak_reserved_ = reserved_;
}

uint64_t Pool::unusedBytes() {
  uint64_t unused = 0;
  settled([&] { unused = unused_ + quarantined_bytes_; });
  return unused;
}

std::string Pool::json(const rtContextStats_t& context) {
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  statistics(&stats);
  std::string text;
  char line[256];
  auto add = [&](const char* format, auto... values) {
    snprintf(line, sizeof line, format, static_cast<unsigned long long>(values)...);
    text += line;
  };
  add("{\"kind\":%llu,\"live_bytes\":%llu,\"live_count\":%llu,\"reserved_bytes\":%llu,\"peak_live_bytes\":%llu,", kind(),
      stats.live_bytes, stats.live_count, stats.reserved_bytes, stats.peak_live_bytes);
  add("\"peak_reserved_bytes\":%llu,\"pending_bytes\":%llu,\"allocation_count\":%llu,\"free_count\":%llu,",
      stats.peak_reserved_bytes, stats.pending_bytes, stats.allocation_count, stats.free_count);
  add("\"streams\":{\"created\":%llu,\"recycled\":%llu,\"live\":%llu,\"native\":%llu},", context.streams_created,
      context.streams_recycled, context.streams_live, context.streams_native);
  add("\"events\":{\"created\":%llu,\"recycled\":%llu,\"live\":%llu},", context.events_created, context.events_recycled,
      context.events_live);
  add("\"points\":{\"created\":%llu,\"recycled\":%llu,\"live\":%llu,\"native\":%llu},", context.points_created,
      context.points_recycled, context.points_live, context.points_native);
  add("\"reuse_count\":%llu,\"driver_allocation_count\":%llu,\"regions\":[", stats.reuse_count, stats.driver_allocation_count);
  // Regions and blocks are read later than the statistics: work on other threads may have changed them in between.
  std::lock_guard lock(lock_);
  bool first_region = true;
  for (Region* list : {slabs_, large_, ranges_}) {
    for (Region* region = list; region != nullptr; region = region->next) {
      add(first_region ? "{\"base\":%llu,\"size\":%llu,\"block_size\":%llu,\"blocks\":["
                       : ",{\"base\":%llu,\"size\":%llu,\"block_size\":%llu,\"blocks\":[",
          region->begin(), region->committed, region->blockSize());
      first_region = false;
      bool first_block = true;
      const auto tell = [&](const Block& block) {
        uint32_t state = block.state.load(std::memory_order_relaxed);
        if (state == Block::kFree) return;  // blocks in quarantine are told as pending
        text += first_block ? "" : ",";
        first_block = false;
        add("{\"index\":%llu,\"size\":%llu,", block.index, block.size.load(std::memory_order_relaxed));
        text += state == Block::kPending || state == Block::kCached || state == Block::kQuarantined || block.freed_early
                    ? "\"state\":\"pending\""
                    : "\"state\":\"live\"";
        text += block.pinned ? ",\"pinned\":true}" : "}";
      };
      if (region->kind() == Region::Kind::kRange) region->range().forEach(tell);
      for (uint32_t i = 0; i < region->blockCount(); ++i) tell(region->block(i));
      text += "]}";
    }
  }
  text += "]}";
  return text;
}

}  // namespace manyrt::allocator
