// Contexts: starting the native one, default objects, children, and giving the native one up for a reset.
#include "manager/context.h"

#include <new>

#include "base/config.h"
#include "base/handles/epoch.h"
#include "base/text.h"
#include "manager/child.h"
#include "manager/device.h"
#include "manager/pool.h"
#include "manager/stream.h"

namespace manyrt::manager {

Context::Context(Device& owner_device, const rtContextOptions_t& context_options, bool primary_context)
    : device(&owner_device),
      options(context_options),
      primary(primary_context),
      strict((context_options.flags & RT_CONTEXT_STRICT) != 0 || config::flag(config::Variable::kStrict)) {}

Context::~Context() {
  callbacks::Release::giveBack(user);  // the program may have set it while it destroyed the context
  host_pool_ = nullptr;
  shared_pool_ = nullptr;
  if (allocator::ContextResources* resources = resources_.load(std::memory_order_acquire)) resources->drop();
}

std::string Context::name() const {
  const std::string where = " of " + device->name();
  if (options.label[0] != '\0') return "context \"" + std::string(options.label) + "\"" + where;
  return primary ? "primary context" + where : "context " + std::to_string(bits >> 8 & 0xffffff) + where;
}

std::string contextText(HandleBits context) {
  const Context* const known = contexts.find(context);
  return known != nullptr ? "the " + known->name() : "a context that was destroyed";
}

Status Context::ensureResources(allocator::ContextResources** out) {
  *out = resources_.load(std::memory_order_acquire);
  if (*out != nullptr) return Status();
  RT_TRY(device->native.lost());
  Ref<backend::Context> native = imported;
  if (!native) {
    backend::ContextOptions native_options;
    native_options.wait = static_cast<backend::WaitPolicy>(options.wait_policy);
    native_options.cpu_threads = options.cpu_threads;
    native_options.label = options.label;
    RT_TRY(device->native.createContext(&native, native_options));
  }
  if (fault::fails("resources")) throw std::bad_alloc();
  auto made = Ref<allocator::ContextResources>::adopt(new allocator::ContextResources(
      std::move(native), device->native, reinterpret_cast<rtContext_t>(bits), reinterpret_cast<rtDevice_t>(device->bits)));
  // Release publishes the object. If another thread was first, acquire shows its object, which serves; ours is dropped.
  if (resources_.compare_exchange_strong(*out, made.get(), std::memory_order_acq_rel)) *out = made.detach();
  return Status();
}

// Two threads may create a default object at the same time: the first one publishes its object, the second one closes its own.
//
// Against a reset: detachResources() exchanges `resources_` first and `default_stream_` then; this publishes `default_stream_`
// first and reads `resources_` then, all seq_cst. So a stream over detached resources is closed by the reset, which finds its
// handle, or here, since the resources have changed.
Status Context::defaultStream(Stream** stream) {
  HandleBits known = default_stream_.load(std::memory_order_acquire);
  *stream = streams.find(known);
  if (*stream != nullptr) return Status();
  allocator::ContextResources* resources;
  RT_TRY(ensureResources(&resources));
  rtStreamOptions_t stream_options = RT_STREAM_OPTIONS_INIT;
  snprintf(stream_options.label, sizeof stream_options.label, "default");
  Stream* made = nullptr;
  RT_TRY(createStream(&made, *this, *resources, stream_options, true));
  HandleBits mine = made->bits;
  if (default_stream_.compare_exchange_strong(known, mine, std::memory_order_seq_cst)) {
    *stream = made;
    made->offerToCopies();
    if (resources_.load(std::memory_order_seq_cst) == resources) return Status();
    // The reset has taken the handle away already, or this does. Closing it twice is harmless: one of the two finds it closed.
    default_stream_.compare_exchange_strong(mine, 0);
    closeHandle(made->bits);
    return defaultStream(stream);
  }
  closeHandle(mine);
  *stream = streams.find(known);
  return *stream != nullptr ? Status() : defaultStream(stream);
}

// As defaultStream(), also against a reset.
Status Context::ownPool(Pool** pool) {
  HandleBits known = own_pool_.load(std::memory_order_acquire);
  *pool = pools.find(known);
  if (*pool != nullptr) return Status();
  allocator::ContextResources* resources;
  RT_TRY(ensureResources(&resources));
  allocator::PoolOptions pool_options;
  pool_options.release_threshold = UINT64_MAX;  // a program uses its memory again; rtMemPoolTrim gives it back
  Pool* made = nullptr;
  RT_TRY(createPool(&made, *this, *resources, pool_options, true));
  HandleBits mine = made->bits;
  if (own_pool_.compare_exchange_strong(known, mine, std::memory_order_seq_cst)) {
    *pool = made;
    if (resources_.load(std::memory_order_seq_cst) == resources) return Status();
    own_pool_.compare_exchange_strong(mine, 0);
    closeHandle(made->bits);
    return ownPool(pool);
  }
  closeHandle(mine);
  *pool = pools.find(known);
  return *pool != nullptr ? Status() : ownPool(pool);
}

Status Context::defaultPool(Pool** pool) {
  *pool = knownPool();
  return *pool != nullptr ? Status() : ownPool(pool);
}

Status Context::hostPool(int32_t kind, Ref<allocator::Pool>* pool) {
  allocator::ContextResources* resources;
  RT_TRY(ensureResources(&resources));
  std::lock_guard lock(start_mutex_);
  Ref<allocator::Pool>& kept = kind == RT_MEMORY_HOST ? host_pool_ : shared_pool_;
  if (!kept) {
    allocator::PoolOptions pool_options;
    pool_options.kind = kind;
    pool_options.release_threshold = UINT64_MAX;
    if (fault::fails("pool")) throw std::bad_alloc();
    kept = Ref<allocator::Pool>::adopt(new allocator::Pool(Ref<allocator::ContextResources>(resources), pool_options));
  }
  *pool = kept;
  return Status();
}

std::vector<Ref<allocator::Pool>> Context::allPools() {
  std::vector<Ref<allocator::Pool>> all;
  std::vector<HandleBits> handles;
  {
    std::lock_guard lock(children_lock_);
    for (Child* child = children_; child != nullptr; child = child->next) {
      if (handleKind(child->bits) == RT_HANDLE_MEM_POOL) handles.push_back(child->bits);
    }
  }
  for (HandleBits handle : handles) {
    if (Pool* pool = pools.find(handle)) all.push_back(pool->pool);
  }
  std::lock_guard lock(start_mutex_);
  if (host_pool_) all.push_back(host_pool_);
  if (shared_pool_) all.push_back(shared_pool_);
  return all;
}

Status Context::pin() {
  if (pins_.fetch_add(1, std::memory_order_acquire) >= 0) return Status();
  // Relaxed: the refused call has created nothing that a reset would have to see.
  pins_.fetch_sub(1, std::memory_order_relaxed);
  return resetting();
}

Status Context::resetting() const {
  return Status::error(RT_ERROR_BUSY, "The %s is being reset by another thread.", name().c_str());
}

bool Context::hasChildren() {
  std::lock_guard lock(children_lock_);
  for (Child* child = children_; child != nullptr; child = child->next) {
    if (child->counted) return true;
  }
  return false;
}

Status Context::checkUnused() {
  allocator::ContextResources* resources = resourcesIfStarted();
  const uint64_t allocations = resources == nullptr ? 0 : resources->liveAllocations();
  if (allocations == 0 && !hasChildren()) return Status();
  return inUse(allocations);
}

Status Context::inUse(uint64_t allocations) const {
  return Status::error(RT_ERROR_BUSY,
                       "The %s cannot be reset: a stream, event, fence, pool, kernel, module or allocation of it is alive "
                       "(%llu allocation%s).",
                       name().c_str(), static_cast<unsigned long long>(allocations), plural(allocations));
}

Status Context::beginReset() {
  int none = 0;
  // From 0 alone: a pin shows that another thread creates an object.
  if (!pins_.compare_exchange_strong(none, kResetting, std::memory_order_seq_cst)) {
    allocator::ContextResources* resources = resourcesIfStarted();
    return inUse(resources == nullptr ? 0 : resources->liveAllocations());
  }
  Status status = checkUnused();
  if (!status.ok()) endReset();
  return status;
}

allocator::ContextResources* Context::detachResources() {
  // The resources first, then the handles: see defaultStream().
  allocator::ContextResources* resources = resources_.exchange(nullptr, std::memory_order_seq_cst);
  closeHandle(default_stream_.exchange(0, std::memory_order_seq_cst));
  closeHandle(own_pool_.exchange(0, std::memory_order_seq_cst));
  default_pool_.store(0);
  Ref<allocator::Pool> host_pool, shared_pool;  // closed and dropped after the lock
  {
    std::lock_guard lock(start_mutex_);
    host_pool = std::move(host_pool_);
    shared_pool = std::move(shared_pool_);
  }
  if (host_pool) host_pool->close();
  if (shared_pool) shared_pool->close();
  return resources;
}

void Context::addChild(Child& child) {
  std::lock_guard lock(children_lock_);
  child.next = children_;
  child.previous = nullptr;
  if (children_ != nullptr) children_->previous = &child;
  children_ = &child;
  child.linked = true;
  if (handleKind(child.bits) != RT_HANDLE_EVENT) return;
  ++events_created_;
  ++events_live_;
  if (child.bits >> 32 > 1) ++events_recycled_;  // the generation: its slot was used before
}

void Context::unlink(Child& child) {
  child.linked = false;
  if (handleKind(child.bits) == RT_HANDLE_EVENT) --events_live_;
  if (child.previous != nullptr) {
    child.previous->next = child.next;
  } else {
    children_ = child.next;
  }
  if (child.next != nullptr) child.next->previous = child.previous;
}

void Context::removeChild(Child& child) {
  std::lock_guard lock(children_lock_);
  if (child.linked) unlink(child);
}

void Context::statistics(rtContextStats_t* stats) {
  {
    std::lock_guard lock(children_lock_);
    stats->events_created = events_created_;
    stats->events_recycled = events_recycled_;
    stats->events_live = events_live_;
  }
  allocator::ContextResources* started = resourcesIfStarted();
  if (started == nullptr) return;
  const backend::Counts of_streams = started->streamCounts(), of_points = started->native().pointCounts();
  stats->streams_created = of_streams.created;
  stats->streams_recycled = of_streams.recycled;
  stats->streams_live = of_streams.live;
  stats->streams_native = of_streams.native;
  stats->points_created = of_points.created;
  stats->points_recycled = of_points.recycled;
  stats->points_live = of_points.live;
  stats->points_native = of_points.native;
}

// Closing a handle may take locks and call a driver, so the lock of the list covers the unlinking alone. A child that is linked
// later sees the closed context and closes itself (createChild).
void Context::closeChildren() {
  for (;;) {
    HandleBits handle;
    {
      std::lock_guard lock(children_lock_);
      Child* child = children_;
      if (child == nullptr) break;
      handle = child->bits;
      unlink(*child);
    }
    closeHandle(handle);
  }
  Ref<allocator::Pool> host_pool, shared_pool;
  {
    std::lock_guard lock(start_mutex_);
    host_pool = host_pool_;
    shared_pool = shared_pool_;
  }
  if (host_pool) host_pool->close();
  if (shared_pool) shared_pool->close();
}

Status createContext(Context** context, Device& device, const rtContextOptions_t& options, bool primary,
                     Ref<backend::Context> imported) {
  HandleBits bits = 0;
  Context* object = contexts.create(&bits, device, options, primary);
  if (object == nullptr) return Status::error(RT_ERROR_OUT_OF_MEMORY, "There are no more handles for a context.");
  object->bits = bits;
  object->counted = !primary;
  object->imported = std::move(imported);
  if (!primary) live_handles[RT_HANDLE_CONTEXT].fetch_add(1, std::memory_order_relaxed);
  *context = object;
  return Status();
}

}  // namespace manyrt::manager
