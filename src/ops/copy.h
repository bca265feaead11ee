// Copies, fills and prefetches: every check, then one order to the stream.
#pragma once

#include "base/epoch.h"
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
// Rows that are one piece become one row; pitches below the width are refused.
Status normalise(CopyArguments* copy);

// Whether the rows of both sides meet; each spans `..._span` bytes. With one pitch this is exact, with two it is the whole
// spans.
bool overlap(const CopyArguments& copy, uint64_t dst_span, uint64_t src_span);
bool overlap(const CopyArguments& copy, const Range& dst, const Range& src);
// What is left to ask of two ranges that were found: overlap and kind.
Status checkCopy(const CopyArguments& copy, const Range& dst, const Range& src);
// A source that the library does not know has been read when this returns; the guard is left where that takes long.
Status copyAsync(const CopyArguments& copy, manager::Stream& stream, epoch::Guard& guard);
// On the default stream of the context that owns the destination's device side, else the source's.
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
