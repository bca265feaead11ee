// Regions and the uses that streams of other contexts make of them.
#include "allocator/region.h"

#include <algorithm>
#include <mutex>

#include "allocator/context_resources.h"
#include "allocator/crash_memory.h"
#include "allocator/poison.h"
#include "allocator/pool.h"
#include "allocator/size_class.h"

namespace manyrt::allocator {

Region::Region(Ref<ContextResources> resources, Ref<Pool> pool, Kind kind, const backend::Memory& memory, uint64_t block_size)
    : resources_(std::move(resources)),
      pool_(std::move(pool)),
      kind_(kind),
      memory_(memory),
      block_size_(kind == Kind::kRange ? RangeBlocks::kUnit : block_size),
      block_reciprocal_(((uint64_t{1} << kReciprocalBits) + block_size_ - 1) / block_size_),
      block_count_(static_cast<uint32_t>(kind == Kind::kSlab    ? memory.size / block_size
                                         : kind == Kind::kRange ? 0
                                                                : 1)),
      size_class_(kind == Kind::kSlab ? classAtMost(block_size) : 0),
      blocks_(block_count_ != 0 ? new Block[block_count_] : nullptr) {  // LeakSanitizer misses the end of an empty array
  if (kind == Kind::kRange) {
    range_ = std::make_unique<RangeBlocks>(this, static_cast<uint32_t>(memory.size / RangeBlocks::kUnit),
                                           static_cast<uint32_t>(block_size / RangeBlocks::kUnit));
  }
  for (uint32_t i = 0; i < block_count_; ++i) {
    blocks_[i].index = i;
    blocks_[i].region = this;
  }
}

Region::~Region() = default;

void Region::noteUse(Ref<backend::Stream> stream, uint64_t serial) {
  std::lock_guard lock(uses_lock_);
  for (Stamp& use : uses_) {
    // One entry for each stream: a later submission covers the earlier ones.
    if (use.stream.get() == stream.get()) {
      use.serial = std::max(use.serial, serial);  // two threads may note their submissions in the other order
      return;
    }
  }
  uses_.push_back({std::move(stream), serial});
  // Release: pairs with hasUses(), after which the lock is taken.
  has_uses_.store(true, std::memory_order_release);
}

bool Region::usesPending() {
  // Most memory is used by its own context alone, and costs no lock here.
  if (!hasUses()) return false;
  std::lock_guard lock(uses_lock_);
  return std::any_of(uses_.begin(), uses_.end(), [](const Stamp& use) { return !use.passed(); });
}

void Region::pendingUses(std::vector<Stamp>* stamps) {
  if (!hasUses()) return;
  std::vector<Stamp> passed;  // destroyed after the lock, since the last reference ends a stream
  std::lock_guard lock(uses_lock_);
  for (size_t i = 0; i < uses_.size();) {
    if (uses_[i].passed()) {
      passed.push_back(std::move(uses_[i]));
      uses_[i] = std::move(uses_.back());
      uses_.pop_back();
    } else {
      stamps->push_back(uses_[i++]);
    }
  }
  has_uses_.store(!uses_.empty(), std::memory_order_release);
}

void Region::reclaim() {
  switch (kind_) {
    case Kind::kSlab:
    case Kind::kLarge:
    case Kind::kRange:
      // The next user of these addresses is not this library, and must not meet shadow memory of it.
      if (memory_.host_visible) unpoison(begin(), memory_.size);
      if (kind_ == Kind::kLarge) crash_memory::noteReturned(*this);
      [[fallthrough]];
    case Kind::kImported:
      resources_->native().release(memory_);
      break;
    case Kind::kRegistered:
      resources_->native().hostRegistration()->remove(memory_.address, memory_.size);
      break;
    case Kind::kGlobal:  // its module's
      break;
  }
  // Last: the owner may free the memory at once.
  if (release_ != nullptr) callbacks::Release::giveBack(release_);
  delete this;
}

}  // namespace manyrt::allocator
