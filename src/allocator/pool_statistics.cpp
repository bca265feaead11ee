// The statistics of a pool: its counters, and its regions and blocks as JSON.
#include <cstdio>
#include <mutex>

#include "allocator/pool.h"

namespace manyrt::allocator {

void Pool::statistics(rtMemPoolStats_t* stats) {
  settled([&] {
    stats->live_bytes = liveBytes();
    stats->live_count = liveCount();
    stats->reserved_bytes = reserved_;
    stats->peak_live_bytes = peak_live_;
    stats->peak_reserved_bytes = peak_reserved_;
    stats->pending_bytes = pending_bytes_ + leased_bytes_;
    stats->allocation_count = allocations_;
    stats->free_count = frees_;
    stats->reuse_count = reuses_;
    stats->driver_allocation_count = driver_allocations_;
  });
}

void Pool::resetPeak() {
  std::lock_guard lock(lock_);
  peak_live_ = liveBytes();
  peak_reserved_ = reserved_;
}

uint64_t Pool::unusedBytes() {
  uint64_t unused = 0;
  settled([&] { unused = unused_; });
  return unused;
}

std::string Pool::json() {
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
  add("\"reuse_count\":%llu,\"driver_allocation_count\":%llu,\"regions\":[", stats.reuse_count, stats.driver_allocation_count);
  // Regions and blocks are read later than the statistics: work on other threads may have changed them in between.
  std::lock_guard lock(lock_);
  bool first_region = true;
  for (Region* list : {slabs_, large_}) {
    for (Region* region = list; region != nullptr; region = region->next) {
      add(first_region ? "{\"base\":%llu,\"size\":%llu,\"block_size\":%llu,\"blocks\":["
                       : ",{\"base\":%llu,\"size\":%llu,\"block_size\":%llu,\"blocks\":[",
          region->begin(), region->memory().size, region->blockSize());
      first_region = false;
      bool first_block = true;
      for (uint32_t i = 0; i < region->blockCount(); ++i) {
        Block& block = region->block(i);
        uint32_t state = block.state.load(std::memory_order_relaxed);
        if (state == Block::kFree) continue;
        text += first_block ? "" : ",";
        first_block = false;
        add("{\"index\":%llu,\"size\":%llu,", i, block.size.load(std::memory_order_relaxed));
        text += state == Block::kPending || block.freed_early ? "\"state\":\"pending\"" : "\"state\":\"live\"";
        text += block.pinned ? ",\"pinned\":true}" : "}";
      }
      text += "]}";
    }
  }
  text += "]}";
  return text;
}

}  // namespace manyrt::allocator
