// Takes staging memory, fills it, and frees it after the copy.
#include "ops/staged_source.h"

#include <cstring>
#include <new>

#include "allocator/address_map.h"
#include "allocator/pool_fast.h"
#include "base/fault.h"

namespace manyrt::ops {
namespace {

// Smaller sources are not counted, as the arguments of a launch are not.
constexpr uint64_t kSmallBytes = 4096;

void* allocate(uint64_t bytes, manager::Context& context) {
  if (fault::fails("staged source")) return nullptr;
  Ref<allocator::Pool> pool;
  void* address = nullptr;
  // Without a stream, since the host writes the memory now: a block that a stream may still read does not serve.
  if (!context.hostPool(RT_MEMORY_HOST, &pool).ok() || !pool->allocate(&address, bytes, 0, nullptr).ok()) return nullptr;
  return address;
}

}  // namespace

bool StagedSource::take(const CopyArguments& copy, manager::Context& context) {
  uint64_t bytes;
  if (__builtin_mul_overflow(copy.width, copy.height, &bytes)) return false;
  try {
    if (bytes > kSmallBytes) {
      share_ = stream_.staged.take(bytes, *stream_.native);
      if (share_ == nullptr) return false;
    }
    address_ = allocate(bytes, context);
  } catch (const std::bad_alloc&) {  // the copy waits for the stream instead
    return false;
  }
  return address_ != nullptr;
}

CopyArguments StagedSource::read(const CopyArguments& copy) const {
  const auto* from = static_cast<const char*>(copy.src);
  for (uint64_t row = 0; row < copy.height; ++row) {
    memcpy(static_cast<char*>(address_) + row * copy.width, from + row * copy.src_pitch, copy.width);
  }
  CopyArguments staged = copy;
  staged.src = address_;
  staged.src_pitch = copy.width;
  return staged;
}

StagedSource::~StagedSource() {
  backend::Stream& native = *stream_.native;
  if (share_ != nullptr) stream_.staged.settle(*share_, address_ == nullptr ? 0 : native.submitted());
  if (address_ == nullptr) return;
  allocator::Region* region = allocator::address_map::find(address_);
  (void)region->pool()->release(*region, *region->blockAt(reinterpret_cast<uintptr_t>(address_)), &native);
}

}  // namespace manyrt::ops
