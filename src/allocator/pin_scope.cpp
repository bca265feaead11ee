// Pin mode: what a pool does with blocks of a stretch, and how graphs join the stretches that are on.
#include "allocator/pin_scope.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

#include "allocator/context_resources.h"
#include "allocator/pool.h"
#include "base/fault.h"

namespace manyrt::allocator {
namespace {

// Pools whose pin mode is on: without any, instantiating a graph looks at no pool. Relaxed: a program that switches the mode on
// on one thread and instantiates on another orders the two itself.
std::atomic<uint32_t> pinning_pools{0};

}  // namespace

PinScope::PinScope(Ref<Pool> pool) : pool_(std::move(pool)) {}
PinScope::~PinScope() = default;

void PinScope::join() { pool_->joinPins(*this); }

void PinScope::recycle() {
  const Ref<Pool> pool(pool_);
  pool->releasePins(this);
}

std::vector<Ref<PinScope>> joinPinScopes(ContextResources& resources) {
  std::vector<Ref<PinScope>> scopes;
  if (pinning_pools.load(std::memory_order_relaxed) == 0) return scopes;
  for (const Ref<Pool>& pool : resources.pools()) {
    if (Ref<PinScope> scope = pool->pinScope()) {
      // Each joining graph counts. Blocks that were handed out before it may be named in it, and those are not reused
      // (takeHeld).
      scope->join();
      scopes.push_back(std::move(scope));
    }
  }
  return scopes;
}

CapturePins::CapturePins(ContextResources& resources) : resources_(&resources), scopes_(joinPinScopes(resources)) {
  resources_->captureBegins();
}

CapturePins::~CapturePins() { resources_->captureEnds(); }

std::vector<Ref<PinScope>> CapturePins::take() {
  // In this order: a stretch that ends between the two is in both, and in neither the other way round.
  std::vector<Ref<PinScope>> on = joinPinScopes(*resources_);
  std::vector<Ref<PinScope>> ended = resources_->endedPins();
  scopes_.reserve(scopes_.size() + on.size() + ended.size());
  std::move(on.begin(), on.end(), std::back_inserter(scopes_));
  std::move(ended.begin(), ended.end(), std::back_inserter(scopes_));
  return std::move(scopes_);
}

void Pool::setPinMode(bool on) {
  Ref<PinScope> scope;  // ends after the lock
  if (on) {
    if (fault::fails("pin mode")) throw std::bad_alloc();
    scope = Ref<PinScope>::adopt(new PinScope(Ref<Pool>(this)));
  }
  {
    std::lock_guard lock(lock_);
    if (on != static_cast<bool>(pins_)) {  // a second begin goes on with the first one's stretch
      // The old one ends after the lock, as its end takes the lock.
      std::swap(scope, pins_);
      if (on) pinning_pools.fetch_add(1, std::memory_order_relaxed);
      // Relaxed: an allocation that another thread makes at the same time is in the stretch or not.
      plain_.store(pins_ == nullptr && isPlain(), std::memory_order_relaxed);
    }
  }
  if (scope && !on) {
    pinning_pools.fetch_sub(1, std::memory_order_relaxed);
    // A capture that began in the stretch may end after it, and its graph holds the stretch then.
    resources_->keepForCaptures(std::move(scope));
  }
}

Ref<PinScope> Pool::pinScope() {
  std::lock_guard lock(lock_);
  return pins_;
}

void Pool::joinPins(PinScope& scope) {
  std::lock_guard lock(lock_);
  ++scope.joined_;
}

void Pool::pinBlock(Block& block) {
  block.pinned = true;
  block.scope = pins_.get();
  // The graphs that had joined by then cannot name the block. takeHeld() compares with this number.
  block.serial = pins_->joined_;
  ++pins_->live_;
}

bool Pool::holdPinned(Block& block) {
  if (!block.pinned) return false;
  PinScope* scope = block.scope;
  --scope->live_;
  // The stretch is over, and the block was live at that time: an ordinary free, and the last such block ends the object.
  if (scope->over_) {
    block.pinned = false;
    if (scope->live_ == 0) delete scope;
    return false;
  }
  // As a block that leases hold: freed, neither ready nor pending, and in no list of the pool.
  leased_bytes_.fetch_add(block.size.load(std::memory_order_relaxed), std::memory_order_relaxed);
  block.freed_early = true;
  block.next = std::exchange(scope->held_, &block);
  return true;
}

void Pool::releasePins(PinScope* scope) {
  Block* held;
  {
    std::lock_guard lock(lock_);
    held = std::exchange(scope->held_, nullptr);
    for (Block* block = held; block != nullptr; block = block->next) block->pinned = false;
    // Live blocks still point to the stretch. With none left it ends here, else at the free of the last (holdPinned).
    scope->over_ = true;
    if (scope->live_ == 0) delete scope;
  }
  while (held != nullptr) {  // work of the graphs may be in flight: every stream of the context may still use them
    Block* block = held;
    held = block->next;
    free(*block->region, *block, nullptr);
  }
}

}  // namespace manyrt::allocator
