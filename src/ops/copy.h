// Copies, fills and prefetches: all checks, then one submission to the stream.
#pragma once

#include "base/handles/epoch.h"
#include "base/status.h"
#include "manager/stream.h"
#include "ops/range.h"

namespace manyrt::manager {
struct Device;
}

namespace manyrt::ops {

struct CopyArguments {
  void* dst;
  const void* src;
  uint64_t width;
  uint64_t height = 1;
  uint64_t dst_pitch = 0;
  uint64_t src_pitch = 0;
  int32_t kind = RT_MEMCPY_DEFAULT;
};
// Makes one row of adjoining rows. Refuses pitches below the width.
Status normalise(CopyArguments* copy);

// Whether the rows of both sides overlap; each side spans `..._span` bytes. Exact if both pitches are equal; else the whole
// spans are compared.
bool overlap(const CopyArguments& copy, uint64_t dst_span, uint64_t src_span);
bool overlap(const CopyArguments& copy, const Range& dst, const Range& src);
// The checks of two ranges that were found: overlap and kind.
Status checkCopy(const CopyArguments& copy, const Range& dst, const Range& src);
// An unknown source has been read when this returns. Leaves the guard if that takes long.
Status copyAsync(const CopyArguments& copy, manager::Stream& stream, epoch::Guard& guard);
// On the default stream of the context that owns the destination if that is device memory, else the source.
Status copy(const CopyArguments& copy, epoch::Guard& guard);

struct FillArguments {
  void* dst;
  const void* pattern;
  uint64_t pattern_size;
  uint64_t count;  // patterns in a row
  uint64_t height = 1;
  uint64_t pitch = 0;
};
Status fillAsync(const FillArguments& fill, manager::Stream& stream);
Status fill(const FillArguments& fill, epoch::Guard& guard);

Status prefetchAsync(const void* pointer, uint64_t size, manager::Device* destination, manager::Stream& stream);

}  // namespace manyrt::ops
