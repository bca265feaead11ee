// Allocates and frees, and handles memory that no pool made: registered and imported ranges.
#include "ops/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>

#include "allocator/address_map.h"
#include "allocator/allocation_records.h"
#include "allocator/block_lease.h"
#include "allocator/crash_memory.h"
#include "allocator/import_release.h"
#include "allocator/pool_fast.h"
#include "base/checked.h"
#include "base/fault.h"
#include "base/lock_order.h"
#include "base/trace.h"
#include "manager/device.h"
#include "ops/out_of_memory.h"
#include "ops/range.h"
#include "ops/wait.h"

namespace manyrt::ops {
namespace {

using allocator::Block;
using allocator::Region;
using Number = unsigned long long;

// An allocation in a capture: it is made at once, keeps its address for good, and belongs to the graph.
[[gnu::cold]] Status allocateCaptured(void** pointer, const AllocationRequest& request, allocator::Pool& pool,
                                      manager::Context& context, epoch::Guard& guard) {
  const Lease<manager::Stream> lease(request.stream);  // allocate() may leave the guard
  AllocationRequest outside = request;
  outside.stream = nullptr;
  RT_TRY(allocate(pointer, outside, pool, context, guard));
  if (*pointer == nullptr) return Status();
  Status status;
  try {
    // Again, and with acquire: the caller only asked whether there is a capture, and the guard may have been left since.
    manager::Recorder* recorder = request.stream->recorder.load(std::memory_order_acquire);
    status = recorder != nullptr ? recorder->allocated(*request.stream, *pointer, request.size)
                                 : Status::error(RT_ERROR_CAPTURE_INVALIDATED,
                                                 "The capture of the stream was ended by another thread during the call.");
  } catch (const std::bad_alloc&) {  // the memory has to be freed
    status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  if (status.ok()) return status;
  (void)free(*pointer, nullptr);
  *pointer = nullptr;
  return status;
}

// RT_MEMORY_DEBUG: notes the allocation, and puts a guard after the allocation. `status`: of the first attempt.
[[gnu::cold]] Status allocateDebugged(Status status, void** pointer, const AllocationRequest& request, uint64_t alignment,
                                      allocator::Pool& pool, manager::Context& context, epoch::Guard& guard) {
  const Ref<allocator::Pool> kept(&pool);  // the guard is left below
  if (status.code() == RT_ERROR_OUT_OF_MEMORY) status = findMemory(pointer, request, alignment, pool, context, guard);
  if (!status.ok() || !pool.recordAllocation(*pointer, request.label)) return status;
  const Lease<manager::Context> lease(&context);
  guard.leave();
  pool.fillDistant(*pointer);
  guard.enter();
  return status;
}

// In a context that is open (Context::isOpen).
[[gnu::always_inline]] inline Status allocateFrom(allocator::Pool& pool, void** pointer, const AllocationRequest& request,
                                                  manager::Context& context, epoch::Guard& guard) {
  backend::Stream* stream = nullptr;
  if (request.stream != nullptr) {
    if (request.stream->recorder.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      return allocateCaptured(pointer, request, pool, context, guard);
    stream = request.stream->native.get();
    if (stream->latch.failed()) [[unlikely]]
      return stream->latch.get();
  }
  if (context.device->native.isLost()) [[unlikely]]
    return context.device->native.lost();
  const uint64_t alignment = request.alignment == 0 ? allocator::kAlignment : request.alignment;
  RT_CHECK_ARG(isPowerOfTwo(alignment), "An alignment of %llu bytes is no power of two.", static_cast<Number>(alignment));
  if (request.size == 0) return Status();
  if (stream != nullptr && alignment <= allocator::kAlignment) [[likely]] {
    *pointer = pool.allocateFromCache(request.size, *stream);
    if (*pointer != nullptr) [[likely]]
      return Status();
  }
  Status status = pool.allocate(pointer, request.size, alignment, stream);
  if (pool.debugs()) [[unlikely]]
    return allocateDebugged(std::move(status), pointer, request, alignment, pool, context, guard);
  if (status.ok() || status.code() != RT_ERROR_OUT_OF_MEMORY) [[likely]]
    return status;
  return findMemory(pointer, request, alignment, pool, context, guard);
}

}  // namespace

void noteLabel(const void* pointer, const char* label) {
  if (pointer == nullptr || label[0] == '\0') return;
  trace::label(reinterpret_cast<uintptr_t>(pointer), label);
  Region* const region = allocator::address_map::find(pointer);
  if (region != nullptr) allocator::crash_memory::noteLabel(*region, reinterpret_cast<uintptr_t>(pointer), label);
}

Status allocate(void** pointer, const AllocationRequest& request, allocator::Pool& pool, manager::Context& context,
                epoch::Guard& guard) {
  *pointer = nullptr;
  if (!context.isOpen()) [[unlikely]]
    return context.resetting();
  return allocateFrom(pool, pointer, request, context, guard);
}

Status allocate(void** pointer, const AllocationRequest& request, int32_t kind, manager::Context& context,
                epoch::Guard& guard) {
  *pointer = nullptr;
  if (!context.isOpen()) [[unlikely]]  // before the first use starts the native context
    return context.resetting();
  if (kind == RT_MEMORY_DEVICE) [[likely]] {
    manager::Pool* pool = context.knownPool();
    if (pool == nullptr) [[unlikely]]
      RT_TRY(context.defaultPool(&pool));
    return allocateFrom(*pool->pool, pointer, request, context, guard);
  }
  RT_CHECK_ARG(kind >= RT_MEMORY_DEVICE && kind <= RT_MEMORY_SHARED, "%d is no kind of memory: RT_MEMORY_* goes to %d.", kind,
               RT_MEMORY_SHARED);
  if (kind == RT_MEMORY_SHARED && !context.device->native.has(RT_CAPABILITY_SHARED_MEMORY)) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "The device %s has no shared memory.", context.device->name().c_str());
  }
  Ref<allocator::Pool> pool;
  RT_TRY(context.hostPool(kind, &pool));
  return allocateFrom(*pool, pointer, request, context, guard);
}

namespace {

// Explains why `pointer` cannot be freed.
[[gnu::cold]] Status notFreed(const void* pointer, Region* region) {
  RT_CHECK_ARG(region != nullptr, "%p is not memory of the library.", pointer);
  RT_CHECK_ARG(region->kind() != Region::Kind::kRegistered,
               "%p was registered by rtHostRegister; rtHostUnregister takes it back.", pointer);
  RT_CHECK_ARG(region->kind() != Region::Kind::kGlobal, "%p is a variable of a module and goes with it.", pointer);
  const Block* block = region->blockAt(reinterpret_cast<uintptr_t>(pointer));
  const bool live = block != nullptr && block->state.load(std::memory_order_acquire) == Block::kLive;
  RT_CHECK_ARG(live, "%p is not a live allocation: it was freed already, or lies beside one.%s", pointer,
               block == nullptr ? "" : allocator::records::history(region->addressOf(*block)).c_str());
  RT_CHECK_ARG(region->addressOf(*block) == reinterpret_cast<uintptr_t>(pointer),
               "%p is %llu bytes inside an allocation; only its start can be freed.", pointer,
               static_cast<Number>(reinterpret_cast<uintptr_t>(pointer) - region->addressOf(*block)));
  RT_CHECK_ARG(!allocator::belongsToLeases(*block), "The memory at %p was allocated in a capture: it goes with its graph.",
               pointer);
  return Status::error(RT_ERROR_INVALID_VALUE, "%p is being freed by another thread.", pointer);
}

[[gnu::cold]] Status freeImported(const void* pointer, Region* region) {
  const auto claim = [&] {
    Block& block = region->block(0);
    uint32_t live = Block::kLive;
    return region->begin() == reinterpret_cast<uintptr_t>(pointer) && !allocator::belongsToLeases(block) &&
           // seq_cst, as the claim of claimRegistered(): a lease that is taken meanwhile sees it, or is seen.
           block.state.compare_exchange_strong(live, Block::kClosing, std::memory_order_seq_cst);
  };
  // Another thread may have freed this import, and the memory may be imported again: then the newer import is freed.
  while (!claim()) {
    Region* next = allocator::address_map::find(pointer);
    if (next == nullptr || next == region || next->kind() != Region::Kind::kImported) return notFreed(pointer, next);
    region = next;
  }
  Block& block = region->block(0);
  region->resources().countAdopted(-1);
  if (!allocator::releaseFromProgram(block)) return Status();  // the last lease of a graph or an exec frees it
  allocator::releaseImported(*region);
  return Status();
}

}  // namespace

Status free(void* pointer, manager::Stream* stream) {
  if (pointer == nullptr) return Status();
  if (stream != nullptr) {
    if (manager::Recorder* recorder = stream->recorder.load(std::memory_order_acquire)) [[unlikely]]
      return recorder->free(*stream, pointer);
  }
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  Region* region = allocator::address_map::find(pointer);
  if (region == nullptr || region->pool() == nullptr) [[unlikely]] {
    const bool imported = region != nullptr && region->kind() == Region::Kind::kImported;
    return imported ? freeImported(pointer, region) : notFreed(pointer, region);
  }
  Block* block = region->blockAt(address);
  if (block == nullptr || region->addressOf(*block) != address) [[unlikely]]
    return notFreed(pointer, region);
  const auto freed = region->pool()->release(*region, *block, stream == nullptr ? nullptr : stream->native.get());
  if (freed == allocator::Pool::Freed::kNotLive) [[unlikely]]
    return notFreed(pointer, region);
  return Status();
}

namespace {

Status adopt(const backend::Memory& memory, Region::Kind kind, allocator::ContextResources& resources, ImportOwner told = {}) {
  if (fault::fails("region")) throw std::bad_alloc();
  std::unique_ptr<callbacks::Release> release;
  if (told.release != nullptr) release = std::make_unique<callbacks::Release>(told.user, told.release);
  Region* region = new Region(Ref<allocator::ContextResources>(&resources), nullptr, kind, memory, memory.size);
  region->block(0).size = memory.size;
  // Relaxed: insert() publishes the region with release.
  region->block(0).state.store(Block::kLive, std::memory_order_relaxed);
  region->tellOwner(release.get());  // before it can be found: another thread may free it at once
  Status status = allocator::address_map::insert(region);
  if (status.ok()) {
    (void)release.release();
    resources.countAdopted(1);
  } else {
    delete region;
  }
  return status;
}

// msync with MS_ASYNC has no effect on mapped pages, and fails with ENOMEM for others.
bool isMapped(uintptr_t begin, uint64_t size) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = begin & ~(page - 1);
  return msync(reinterpret_cast<void*>(first), begin + size - first, MS_ASYNC) == 0 || errno != ENOMEM;
}

// The list of ranges in registration. Between the look at the address map and the entry there lies a call of the driver. If two
// threads register overlapping ranges at the same time, the list refuses one. A range in unregistration is listed too, from
// before it leaves the map until the driver has unlocked its pages. Page locks are not counted: a lock that another
// registration took in between would be lost.
class Registering {
 public:
  Registering(uintptr_t begin, uintptr_t end) : begin_(begin), end_(end) {
    std::lock_guard lock(mutex());
    for (const Registering* each = first(); each != nullptr; each = each->next_) {
      if (begin < each->end_ && each->begin_ < end) return;
    }
    // Under the lock: a range leaves this list when the map has it.
    if (allocator::address_map::overlaps(reinterpret_cast<const void*>(begin), end - begin)) return;
    granted_ = true;
    next_ = std::exchange(first(), this);
  }
  explicit Registering(const Region& leaving) : begin_(leaving.begin()), end_(leaving.end()), granted_(true) {
    std::lock_guard lock(mutex());
    next_ = std::exchange(first(), this);
  }
  ~Registering() {
    if (!granted_) return;
    std::lock_guard lock(mutex());
    Registering** at = &first();
    while (*at != this) at = &(*at)->next_;
    *at = next_;
  }
  Registering(const Registering&) = delete;
  Registering& operator=(const Registering&) = delete;
  bool granted() const { return granted_; }

 private:
  using RankedMutex = Ranked<std::mutex, LockRank::kHostRegistrations>;
  static RankedMutex& mutex() {
    static auto* all = new RankedMutex;  // never destroyed
    return *all;
  }
  static Registering*& first() {
    static Registering* list = nullptr;
    return list;
  }

  const uintptr_t begin_, end_;
  bool granted_ = false;
  Registering* next_ = nullptr;
};

}  // namespace

Status registerHost(void* pointer, uint64_t size, manager::Context& context) {
  uint64_t end;
  RT_CHECK_ARG(pointer != nullptr && size != 0, "A range of %llu bytes at %p cannot be registered.", static_cast<Number>(size),
               pointer);
  RT_CHECK_ARG(!addOverflows(reinterpret_cast<uintptr_t>(pointer), size, &end),
               "A range of %llu bytes at %p leaves the address space.", static_cast<Number>(size), pointer);
  const Registering claim(reinterpret_cast<uintptr_t>(pointer), end);
  RT_CHECK_ARG(claim.granted(), "The range of %llu bytes at %p overlaps memory that is known.", static_cast<Number>(size),
               pointer);
  RT_CHECK_ARG(isMapped(reinterpret_cast<uintptr_t>(pointer), size), "The range of %llu bytes at %p is not mapped throughout.",
               static_cast<Number>(size), pointer);
  allocator::ContextResources* resources;
  RT_TRY(context.ensureResources(&resources));
  backend::HostRegistration* registration = resources->native().hostRegistration();
  if (registration == nullptr) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "The device %s cannot register host memory.", context.device->name().c_str());
  }
  backend::Memory memory;
  memory.address = pointer;
  memory.size = size;
  memory.kind = RT_MEMORY_HOST;
  memory.host_visible = true;
  memory.native[0] = reinterpret_cast<uintptr_t>(pointer);
  void* device_pointer = nullptr;
  RT_TRY(registration->add(pointer, size, &device_pointer));
  memory.native[1] = reinterpret_cast<uintptr_t>(device_pointer);
  Status status;
  try {
    status = adopt(memory, Region::Kind::kRegistered, *resources);
  } catch (const std::bad_alloc&) {  // the range has to be unlocked
    status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  if (!status.ok()) registration->remove(pointer, size);
  return status;
}

namespace {

Status namedByGraph(const void* pointer) {
  return Status::error(RT_ERROR_BUSY, "The range at %p is named by a graph, which has to go first.", pointer);
}

// Refuses a range that a graph names. The claim and the second look at the leases are seq_cst, as are the count of a lease and
// its look at the state (BlockLease::take). So a lease that begins meanwhile sees the claim, or this sees the lease and undoes
// the claim.
Status claimRegistered(const void* pointer, Block& block) {
  if (allocator::leased(block)) return namedByGraph(pointer);
  uint32_t live = Block::kLive;
  RT_CHECK_ARG(block.state.compare_exchange_strong(live, Block::kClosing, std::memory_order_seq_cst),
               "%p is being unregistered already.", pointer);
  if (!allocator::leased(block)) return Status();
  block.state.store(Block::kLive, std::memory_order_seq_cst);  // undoes the claim; seq_cst as the claim itself
  return namedByGraph(pointer);
}

// For a call of epoch::synchronize() that gave up.
[[gnu::cold]] Status callsUnknown(const char* what) {
  return Status::error(
      RT_ERROR_BUSY,
      "%s: the kernel refuses membarrier since the library has started, and a thread has not called the library "
      "since then, so that its last call may not have ended.",
      what);
}

}  // namespace

static Status findRegistered(Region** out, void* pointer, manager::Context& context) {
  Region* region = allocator::address_map::find(pointer);
  RT_CHECK_ARG(region != nullptr && region->kind() == Region::Kind::kRegistered &&
                   region->begin() == reinterpret_cast<uintptr_t>(pointer),
               "%p is not the start of a range that rtHostRegister has taken.", pointer);
  // Any context may unregister memory of a destroyed one.
  bool orphan = manager::contexts.find(toBits(region->resources().contextHandle())) == nullptr;
  if (&region->resources() != context.resourcesIfStarted() && !orphan) {
    return Status::error(RT_ERROR_WRONG_CONTEXT, "%p was registered with %s, not with the %s.", pointer,
                         holderOf(*region).c_str(), context.name().c_str());
  }
  *out = region;
  return Status();
}

static Status insideTask() {
  return Status::error(RT_ERROR_BUSY, "A host function cannot wait for its own stream, which may use the range.");
}

// A destroyed graph holds the range until its launches have ended and its objects are reclaimed. This reclaims first, and waits
// for the launches only if leases are left.
static Status awaitGraphsThatWent(void* pointer, manager::Context& context, epoch::Guard& guard) {
  Lease<manager::Context> lease(&context);
  for (const bool waits : {false, true}) {
    Region* region = nullptr;
    RT_TRY(findRegistered(&region, pointer, context));  // again, since the guard was left
    if (!allocator::leased(region->block(0))) break;
    std::vector<allocator::Stamp> stamps;
    if (waits) {
      region->resources().pendingStreams(&stamps);
      region->pendingUses(&stamps);
    }
    for (const allocator::Stamp& each : stamps) {
      if (each.stream->isInsideTask()) return insideTask();
    }
    guard.leave();
    waitFor(stamps);
    stamps.clear();
    epoch::drain();
    guard.enter();
  }
  return Status();
}

// Claims the range, waits for its users and takes it out of the map. Then waits for calls that may have found it there, and
// unlocks it. A failure before the wait undoes the claim.
Status unregisterHost(void* pointer, manager::Context& context, epoch::Guard& guard) {
  Region* region = nullptr;
  RT_TRY(findRegistered(&region, pointer, context));
  for (const Ref<backend::Stream>& stream : region->resources().streams()) {
    if (stream->isInsideTask()) return insideTask();
  }
  if (allocator::leased(region->block(0))) {
    RT_TRY(awaitGraphsThatWent(pointer, context, guard));
    RT_TRY(findRegistered(&region, pointer, context));
  }
  allocator::ContextResources& resources = region->resources();
  RT_TRY(claimRegistered(pointer, region->block(0)));
  Lease<manager::Context> lease(&context);
  std::vector<allocator::Stamp> stamps;
  try {
    resources.pendingStreams(&stamps);
    region->pendingUses(&stamps);
  } catch (...) {  // the claim has to be undone
    region->block(0).state.store(Block::kLive);
    throw;
  }
  for (const allocator::Stamp& each : stamps) {  // streams of other contexts, too
    if (!each.stream->isInsideTask()) continue;
    region->block(0).state.store(Block::kLive, std::memory_order_seq_cst);
    return insideTask();
  }
  guard.leave();
  waitFor(stamps);
  guard.enter();
  resources.countAdopted(-1);
  const Registering leaving(*region);
  allocator::address_map::remove(region);
  // The range is unlocked before this returns: the program may free it, or register it again.
  guard.leave();
  const bool unseen = epoch::synchronize();
  if (unseen) {
    region->reclaim();
  } else {
    epoch::retire(region);
  }
  guard.enter();
  return unseen ? Status() : callsUnknown("The range stays locked until then");
}

Status hostDevicePointer(void** device_pointer, void* host, manager::Context& context) {
  Range range;
  RT_TRY(findRange(&range, host, 1, "address"));
  RT_CHECK_ARG(range.known() && range.hostSide(), "%p is not pinned, shared or registered host memory.", host);
  allocator::ContextResources* resources;
  RT_TRY(context.ensureResources(&resources));
  const Region& region = *range.allocation.region;
  const backend::Limits& limits = context.device->native.limits();
  const bool own = &region.resources().device() == &context.device->native;
  if (own ? region.memory().kind == RT_MEMORY_HOST && !limits.reaches_pinned : !limits.reaches_host) {
    return Status::error(RT_ERROR_NOT_SUPPORTED, "The device of the %s cannot reach %p, which is memory of %s.",
                         context.name().c_str(), host, holderOf(region).c_str());
  }
  uintptr_t base = region.kind() == Region::Kind::kRegistered ? region.memory().native[1] : region.begin();
  *device_pointer = reinterpret_cast<void*>(base + (range.address - region.begin()));
  return Status();
}

Status importMemory(void** pointer, const uint64_t native[2], uint64_t size, ImportOwner told, manager::Context& context) {
  RT_CHECK_ARG(size != 0, "Memory of 0 bytes cannot be imported.");
  allocator::ContextResources* resources;
  RT_TRY(context.ensureResources(&resources));
  backend::Memory memory;
  backend::Interop* interop;
  RT_TRY(backend::interopOf(&interop, resources->device()));
  if (const char* object = interop->memoryObject(); object != nullptr) {
    // A driver follows any word. An address of the library, as rtPointerGetNative gives it in some tiers, is told here.
    Range range;
    RT_TRY(findRange(&range, reinterpret_cast<const void*>(native[0]), 1, "address"));
    if (range.known()) {
      return Status::error(RT_ERROR_NOT_FOUND,
                           "0x%llx is an address, and no %s: the device of the %s imports memory as %s and offset.",
                           static_cast<Number>(native[0]), object, context.name().c_str(), object);
    }
  }
  RT_TRY(interop->importMemory(&memory, resources->native(), native, size));
  uint64_t end;
  Status status;
  if (addOverflows(reinterpret_cast<uintptr_t>(memory.address), size, &end)) {
    status = Status::error(RT_ERROR_INVALID_VALUE, "A range of %llu bytes at %p leaves the address space.",
                           static_cast<Number>(size), memory.address);
  } else {
    try {
      status = adopt(memory, Region::Kind::kImported, *resources, told);
    } catch (const std::bad_alloc&) {  // the import has to end
      status = Status::bare(RT_ERROR_OUT_OF_MEMORY);
    }
  }
  if (status.ok()) {
    *pointer = memory.address;
  } else {
    resources->native().release(memory);
  }
  return status;
}

Status attributes(rtPointerAttributes_t* out, const void* pointer) {
  allocator::address_map::Allocation allocation = allocator::address_map::locate(pointer);
  out->kind = RT_POINTER_UNKNOWN;
  if (!allocation) return Status();
  switch (allocation.region->kind()) {
    case Region::Kind::kRegistered:
      out->kind = RT_POINTER_REGISTERED;
      break;
    case Region::Kind::kImported:
      out->kind = RT_POINTER_IMPORTED;
      break;
    default:
      out->kind = RT_POINTER_DEVICE + allocation.region->memory().kind;  // the kinds stand in the same order
      break;
  }
  out->base = reinterpret_cast<void*>(allocation.base);
  out->size = allocation.size;
  out->context = allocation.region->resources().contextHandle();
  out->device = allocation.region->resources().deviceHandle();
  return Status();
}

Status nativeOf(uint64_t native[2], const void* pointer) {
  allocator::address_map::Allocation allocation = allocator::address_map::locate(pointer);
  RT_CHECK_ARG(allocation, "%p is not inside a live allocation of the library.", pointer);
  const backend::Memory& memory = allocation.region->memory();
  uint64_t offset = reinterpret_cast<uintptr_t>(pointer) - allocation.region->begin();
  bool address = memory.native[0] == reinterpret_cast<uintptr_t>(memory.address);  // the driver uses addresses itself
  native[0] = address ? memory.native[0] + offset : memory.native[0];
  native[1] = address ? 0 : offset;
  return Status();
}

Status memInfo(uint64_t* free_bytes, uint64_t* total_bytes, manager::Context& context) {
  uint64_t free_now = 0, total = 0;
  RT_TRY(context.device->native.memInfo(&free_now, &total));
  for (const Ref<allocator::Pool>& pool : context.allPools()) {
    if (pool->kind() == RT_MEMORY_DEVICE) free_now += pool->unusedBytes();
  }
  if (free_bytes != nullptr) *free_bytes = std::min(free_now, total);
  if (total_bytes != nullptr) *total_bytes = total;
  return Status();
}

// The order matters. Destroyed objects are reclaimed first, so that they do not count. A live object is refused before any
// wait. After the wait for work the context is closed for creating calls. Calls that began before have to end, and their
// objects are looked for. Then the resources are detached, and dropped when no call holds the plain pointer.
Status reset(manager::Context& context, epoch::Guard& guard) {
  std::vector<allocator::Stamp> so_far;
  if (allocator::ContextResources* started = context.resourcesIfStarted()) so_far = started->submissions();
  for (const allocator::Stamp& stamp : so_far) {
    if (stamp.stream->isInsideTask()) {
      return Status::error(RT_ERROR_BUSY, "A host function cannot reset the context of its own stream.");
    }
  }
  Lease<manager::Context> lease(&context);
  guard.leave();
  epoch::drain();  // objects that were destroyed before the call
  guard.enter();
  RT_TRY(context.beginReset());  // the common refusal comes before the wait, during which the context stays open
  context.endReset();
  guard.leave();
  waitFor(so_far);
  so_far.clear();
  guard.enter();
  RT_TRY(context.beginReset());
  guard.leave();
  const bool seen = epoch::synchronize();  // after it every call that allocates sees the reset
  guard.enter();
  if (!seen) {
    context.endReset();
    return callsUnknown("The context cannot be reset before");
  }
  if (Status unused = context.checkUnused(); !unused.ok()) {
    context.endReset();
    return unused;
  }
  allocator::ContextResources* resources = context.detachResources();
  guard.leave();
  const bool unseen = epoch::synchronize();  // after it no call holds the plain pointer
  if (resources != nullptr) unseen ? resources->drop() : epoch::retire(resources);
  epoch::collect();
  context.endReset();
  guard.enter();
  return Status();
}

}  // namespace manyrt::ops
