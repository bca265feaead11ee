// Steps that allocate and free: every kind of memory, by every allocator, mostly with work in flight; and pools with their
// limits.
#include <algorithm>
#include <cstdlib>
#include <thread>

#include "random/actor.h"
#include "random/callbacks.h"
#include "random/journal.h"
#include "random/settings.h"
#include "random/steps.h"

namespace rtrandom {
namespace {

constexpr size_t kMaxBuffers = 24;
constexpr size_t kPage = 4096;

rtMemPool_t poolOf(Actor& actor, Context& context) {
  if (context.pool == nullptr) {
    rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
    options.initial_bytes = actor.rng.chance(30) ? 1 << 16 : 0;
    options.release_threshold = actor.rng.chance(50) ? actor.rng.size(1 << 20) : 0;
    OK(rtMemPoolCreate, &context.pool, &options, context.handle);
  }
  return context.pool;
}

void allocateDevice(Actor& actor, const BufferRef& buffer, size_t size) {
  void* pointer = nullptr;
  Context& context = *buffer->context;
  const StreamRef stream = actor.streamOf(buffer->context);
  switch (actor.rng.below(4)) {
    case 0:
      OK(rtMallocAsync, &pointer, size, stream->handle);
      ++stream->submitted;
      buffer->uses.push_back({stream, stream->submitted, true});
      break;
    case 1:
      OK(rtMallocFromPool, &pointer, size, size_t{1} << actor.rng.range(4, 12), stream->handle, poolOf(actor, context));
      ++stream->submitted;
      buffer->uses.push_back({stream, stream->submitted, true});
      break;
    case 2: {
      rtMallocOptions_t options = RT_MALLOC_OPTIONS_INIT;
      options.alignment = uint64_t{1} << actor.rng.range(4, 12);
      OK(rtMallocWithOptions, &pointer, size, &options, context.handle);
      if (reinterpret_cast<uintptr_t>(pointer) % options.alignment != 0) fail("%p is not aligned.", pointer);
      break;
    }
    default:
      OK(rtMalloc, &pointer, size, context.handle);
      break;
  }
  buffer->address = static_cast<uint8_t*>(pointer);
}

// A graph that has just gone may keep a range for a while: the last launch of its exec, or a call of another thread.
void unregister(const Buffer& buffer) {
  const int64_t end = nowNanoseconds() + int64_t{30} * 1000000000;
  for (;;) {
    const rtStatus_t status = CALL(rtHostUnregister, buffer.address, buffer.context->handle);
    if (status == RT_SUCCESS) return;
    if (status != RT_ERROR_BUSY || kUnregisterFollowsGraphs || nowNanoseconds() > end) {
      fail("rtHostUnregister returned %s: %s", rtGetErrorName(status), lastMessage().c_str());
    }
    std::this_thread::yield();
  }
}

}  // namespace

BufferRef Actor::addBuffer() {
  auto buffer = std::make_shared<Buffer>();
  const auto context = anyContext();
  const size_t size = rng.chance(5) ? rng.size(1 << 20) : rng.size(1 << 14);
  buffer->contents.resize(size);
  const size_t choice = rng.below(11);
  buffer->type = choice < 5 ? MemoryType::kDevice : static_cast<MemoryType>(choice - 5);
  if (buffer->type == MemoryType::kShared && !context->shared_memory) buffer->type = MemoryType::kDevice;
  if (buffer->type == MemoryType::kRegistered && !context->registers) buffer->type = MemoryType::kPageable;
  if (buffer->type == MemoryType::kImported && context->backend != RT_BACKEND_CPU) buffer->type = MemoryType::kDevice;
  if (buffer->type != MemoryType::kPageable) buffer->context = context;
  void* pointer = nullptr;
  switch (buffer->type) {
    case MemoryType::kDevice:
      allocateDevice(*this, buffer, size);
      break;
    case MemoryType::kPinned:
      OK(rtMallocHost, &pointer, size, context->handle);
      buffer->address = static_cast<uint8_t*>(pointer);
      break;
    case MemoryType::kShared:
      OK(rtMallocShared, &pointer, size, context->handle);
      buffer->address = static_cast<uint8_t*>(pointer);
      break;
    case MemoryType::kRegistered:
    case MemoryType::kImported:
    case MemoryType::kPageable: {  // pages of its own, which no other range shares
      void* memory = nullptr;
      if (posix_memalign(&memory, kPage, (size + kPage - 1) / kPage * kPage) != 0) fail("out of the host's memory");
      buffer->program_memory = buffer->address = static_cast<uint8_t*>(memory);
      if (buffer->type == MemoryType::kRegistered) OK(rtHostRegister, memory, size, context->handle);
      if (buffer->type == MemoryType::kImported) {
        const uint64_t native[2] = {reinterpret_cast<uintptr_t>(memory), 0};
        OK(rtMemImport, &pointer, native, uint64_t{size}, context->handle);
        if (pointer != memory) fail("memory at %p was imported as %p.", memory, pointer);
      }
      break;
    }
  }
  if (buffer->address == nullptr) fail("an allocation of %zu bytes gave NULL.", size);
  if (buffer->type == MemoryType::kPinned || buffer->type == MemoryType::kRegistered) {
    void* reached = nullptr;  // where kernels use another address, they are not given this memory
    const rtStatus_t status = CALL(rtHostGetDevicePointer, &reached, static_cast<void*>(buffer->address), context->handle);
    if (status != RT_SUCCESS && status != RT_ERROR_NOT_SUPPORTED) {
      fail("rtHostGetDevicePointer returned %s: %s", rtGetErrorName(status), lastMessage().c_str());
    }
    buffer->kernels = reached == buffer->address;
  }
  noteMemory("allocated", buffer->address, size, step, nullptr, nullptr);
  fillNew(buffer);
  buffers.push_back(buffer);
  return buffer;
}

void Actor::removeBuffer(size_t position) {
  const BufferRef buffer = buffers[position];
  const bool owned_by_program = buffer->program_memory != nullptr;
  if (buffer->hostReaches() && buffer->graphs != 0) return;  // a graph does not know what its host functions use
  if (rng.chance(20)) compare(buffer);
  if (owned_by_program) {
    payDebts();  // rtHostUnregister waits for all streams of its context
    if (buffer->type == MemoryType::kRegistered && rng.chance(50)) {
      unregister(*buffer);
      waitForUses(buffer, false);
    } else {
      waitForUses(buffer, false);
      if (buffer->type == MemoryType::kRegistered) unregister(*buffer);
    }
    if (buffer->type == MemoryType::kImported) OK(rtFree, buffer->address);
  } else if (rng.chance(50)) {
    OK(rtFree, buffer->address);
  } else {
    const StreamRef stream = streamOf(buffer->context);
    order(stream, buffer, true);
    OK(rtFreeAsync, buffer->address, stream->handle);
    ++stream->submitted;
    used(stream, buffer, true);
  }
  buffer->freed = true;
  noteMemory(buffer->graphs != 0 ? "freed, named by a graph" : "freed", buffer->address, buffer->size(), step, nullptr,
             nullptr);
  buffers.erase(buffers.begin() + static_cast<std::ptrdiff_t>(position));
}

void stepAllocate(Actor& actor) {
  if (actor.buffers.size() < kMaxBuffers) (void)actor.addBuffer();
}

void stepFree(Actor& actor) {
  if (actor.buffers.size() > 4) actor.removeBuffer(actor.rng.below(actor.buffers.size()));
}

namespace {

struct Reserve {
  void* memory = nullptr;
};

// Gives back what was kept for this case, once.
int32_t onOutOfMemory(uint64_t, void* user) {
  counts().out_of_memory.fetch_add(1);
  auto& reserve = *static_cast<Reserve*>(user);
  if (reserve.memory == nullptr) return 0;
  OK(rtFree, reserve.memory);
  reserve.memory = nullptr;
  return 1;
}

void checkStats(rtMemPool_t pool, uint64_t live_bytes, uint64_t live_count) {
  rtMemPoolStats_t stats = RT_MEM_POOL_STATS_INIT;
  OK(rtMemPoolGetStats, &stats, pool);
  const bool right = stats.live_bytes == live_bytes && stats.live_count == live_count &&
                     stats.allocation_count - stats.free_count == live_count && stats.peak_live_bytes >= stats.live_bytes &&
                     stats.peak_reserved_bytes >= stats.reserved_bytes && stats.reuse_count <= stats.allocation_count;
  if (!right) {
    fail(
        "a pool with %llu bytes in %llu allocations says: live %llu in %llu, allocations %llu, frees %llu, peak %llu, reserved "
        "%llu, peak %llu, reused %llu.",
        static_cast<unsigned long long>(live_bytes), static_cast<unsigned long long>(live_count),
        static_cast<unsigned long long>(stats.live_bytes), static_cast<unsigned long long>(stats.live_count),
        static_cast<unsigned long long>(stats.allocation_count), static_cast<unsigned long long>(stats.free_count),
        static_cast<unsigned long long>(stats.peak_live_bytes), static_cast<unsigned long long>(stats.reserved_bytes),
        static_cast<unsigned long long>(stats.peak_reserved_bytes), static_cast<unsigned long long>(stats.reuse_count));
  }
}

}  // namespace

// A pool of its own is filled to its limit and emptied. Its statistics are known exactly, since nothing else uses it.
void stepPool(Actor& actor) {
  const auto context = actor.anyContext();
  const StreamRef stream = actor.streamOf(context);
  rtMemPoolOptions_t options = RT_MEM_POOL_OPTIONS_INIT;
  options.kind = actor.rng.chance(70) ? RT_MEMORY_DEVICE : RT_MEMORY_HOST;
  options.maximum_bytes = actor.rng.chance(70) ? actor.rng.range(1 << 16, 1 << 19) : 0;
  rtMemPool_t pool = nullptr;
  OK(rtMemPoolCreate, &pool, &options, context->handle);
  Reserve reserve;
  uint64_t reserved = 0;
  if (actor.rng.chance(50)) {
    reserved = actor.rng.size(1 << 14);
    if (CALL(rtMallocFromPool, &reserve.memory, reserved, size_t{0}, stream->handle, pool) == RT_SUCCESS) {
      OK(rtMemPoolSetOutOfMemoryCallback, onOutOfMemory, static_cast<void*>(&reserve), pool);
    }
  }
  std::vector<std::pair<void*, uint64_t>> live;
  const auto check = [&] {
    uint64_t bytes = reserve.memory == nullptr ? 0 : reserved, count = reserve.memory == nullptr ? 0 : 1;
    for (const auto& [pointer, size] : live) {
      bytes += size;
      ++count;
    }
    checkStats(pool, bytes, count);
  };
  const size_t rounds = actor.rng.range(4, 40);
  for (size_t round = 0; round < rounds; ++round) {
    const bool frees = actor.rng.chance(35), in_order = actor.rng.chance(50);  // drawn whether they are needed or not
    const size_t position = actor.rng.next() % 64, size = actor.rng.size(1 << 15);
    if (frees && !live.empty()) {
      const size_t index = position % live.size();
      if (in_order) {
        OK(rtFreeAsync, live[index].first, stream->handle);
      } else {
        OK(rtFree, live[index].first);
      }
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(index));
    } else if (!frees) {
      void* pointer = nullptr;
      const rtStatus_t status = CALL(rtMallocFromPool, &pointer, size, size_t{0}, stream->handle, pool);
      if (status == RT_SUCCESS) {
        noteMemory("allocated from a pool", pointer, size, actor.step, nullptr, stream->handle);
        if (options.kind == RT_MEMORY_DEVICE) OK(rtMemsetAsync, pointer, 1, size, stream->handle);
        live.emplace_back(pointer, size);
      } else if (status != RT_ERROR_OUT_OF_MEMORY || options.maximum_bytes == 0) {
        fail("an allocation returned %s: %s", rtGetErrorName(status), lastMessage().c_str());
      }
    }
    check();
  }
  stream->submitted += 1;
  if (actor.rng.chance(30)) OK(rtMemPoolTrim, uint64_t{0}, pool);
  if (actor.rng.chance(30)) OK(rtMemPoolResetPeak, pool);
  OK(rtMemPoolSetOutOfMemoryCallback, nullptr, nullptr, pool);
  check();
  const bool pool_first = actor.rng.chance(50);
  if (pool_first) OK(rtMemPoolDestroy, pool);
  for (const auto& [pointer, size] : live) OK(rtFree, pointer);
  OK(rtFree, reserve.memory);
  if (!pool_first) {
    checkStats(pool, 0, 0);
    OK(rtMemPoolDestroy, pool);
  }
}

}  // namespace rtrandom
