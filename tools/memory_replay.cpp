// First fit: holes by their offset; a freed block joins the holes beside it, and the last one gives its room back to the end.
#include "memory_replay.h"

#include <stdlib.h>

#include <filesystem>
#include <map>
#include <utility>

#include "check.h"

namespace {

class FirstFit {
 public:
  uint64_t allocate(uint64_t bytes) {
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
      if (hole->second < bytes) continue;
      const auto [offset, room] = *hole;
      holes_.erase(hole);
      if (room > bytes) holes_.emplace(offset + bytes, room - bytes);
      return offset;
    }
    return std::exchange(end_, end_ + bytes);
  }
  void free(uint64_t offset, uint64_t bytes) {
    auto next = holes_.lower_bound(offset);
    if (next != holes_.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = holes_.erase(next);
    }
    if (next != holes_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        offset = before->first;
        bytes += before->second;
        holes_.erase(before);
      }
    }
    if (offset + bytes == end_) {
      end_ = offset;
    } else {
      holes_.emplace(offset, bytes);
    }
  }
  uint64_t end() const { return end_; }

 private:
  std::map<uint64_t, uint64_t> holes_;
  uint64_t end_ = 0;
};

struct DevicePool {
  rtContext_t context;
  std::vector<rtStream_t> streams;

  rtStream_t stream(uint32_t number) {
    while (streams.size() <= number) {
      streams.emplace_back();
      CHECK(rtStreamCreate(&streams.back(), nullptr, context));
    }
    return streams[number];
  }
  void* allocate(uint64_t bytes, uint32_t number) {
    void* pointer = nullptr;
    if (number == kNoStream) {
      CHECK(rtMalloc(&pointer, bytes, context));
    } else {
      CHECK(rtMallocAsync(&pointer, bytes, stream(number)));
    }
    return pointer;
  }
  void free(void* pointer, uint32_t number) {
    if (number == kNoStream) {
      CHECK(rtFree(pointer));
    } else {
      CHECK(rtFreeAsync(pointer, stream(number)));
    }
  }
};

}  // namespace

MemoryTrace placeFirstFit(const MemoryTrace& trace, uint64_t alignment) {
  MemoryTrace placed;
  placed.name = trace.name + (trace.name.empty() ? "first fit" : ", first fit");
  placed.timed = trace.timed;
  placed.placed = true;
  placed.blocks = trace.blocks;
  std::vector<uint64_t> offsets(trace.blocks);
  FirstFit memory;
  uint64_t reserved = 0, ranges = 0;
  const auto rounded = [alignment](uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
  for (MemoryEvent event : trace.events) {
    if (event.kind == MemoryEvent::Kind::kAllocate) {
      event.address = offsets[event.id] = memory.allocate(rounded(event.bytes));
      if (memory.end() > reserved) {
        placed.events.push_back({MemoryEvent::Kind::kReserve, 0, ranges++, memory.end() - reserved, reserved, event.time});
        reserved = memory.end();
      }
    } else if (event.kind == MemoryEvent::Kind::kFree) {
      event.address = offsets[event.id];
      memory.free(event.address, rounded(event.bytes));
    } else {
      continue;  // of the allocator that the trace was recorded with
    }
    placed.events.push_back(event);
  }
  return placed;
}

rtMemPoolStats_t replayInPool(const MemoryTrace& trace, rtDevice_t device) {
  DevicePool pool{};
  CHECK(rtContextCreate(&pool.context, nullptr, device));
  replay(trace, pool);
  rtMemPool_t handle = nullptr;
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  CHECK(rtContextGetDefaultPool(&handle, pool.context));
  CHECK(rtMemPoolGetStats(&stats, handle));
  for (const rtStream_t stream : pool.streams) CHECK(rtStreamDestroy(stream));
  CHECK(rtContextDestroy(pool.context));
  return stats;
}

MemoryTrace placeInPool(const MemoryTrace& trace, const std::string& name) {
  struct Folder {
    std::string path = (std::filesystem::temp_directory_path() / "manyrt-memory-XXXXXX").string();
    Folder() {
      if (mkdtemp(path.data()) == nullptr) throw Failure(path + ": this folder cannot be made.");
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  } folder;
  const std::string file = folder.path + "/trace.json";
  setenv("RT_TRACE", file.c_str(), 1);
  rtDevice_t device = nullptr;
  CHECK(rtDeviceGetByName(&device, name.c_str()));
  (void)replayInPool(trace, device);
  CHECK(rtShutdown());
  MemoryTrace placed = loadMemoryTrace(file, 0);
  placed.name = trace.name + (trace.name.empty() ? "" : ", ") + "pool of " + name;
  return placed;
}
