// Sizes of blocks in slabs: multiples of 256 bytes, four steps in each doubling, up to 1 MiB.
#pragma once

#include <cstdint>

namespace manyrt::allocator {

inline constexpr uint64_t kAlignment = 256;
inline constexpr uint64_t kSlabBytes = uint64_t{1} << 21;
inline constexpr uint64_t kMaxBlock = uint64_t{1} << 20;
inline constexpr uint64_t kMaxBlockBesideRanges = uint64_t{1} << 19;  // of pools that cut ranges for larger ones
inline constexpr uint32_t kSizeClasses = 44;

// The class of the smallest block of at least `size` bytes, which is not 0 and at most kMaxBlock.
constexpr uint32_t sizeClass(uint64_t size) {
  uint64_t units = (size + kAlignment - 1) / kAlignment;
  if (units <= 8) return static_cast<uint32_t>(units - 1);
  uint32_t exponent = 63 - static_cast<uint32_t>(__builtin_clzll(units - 1));  // 2^exponent <= units - 1
  uint32_t step = exponent - 2;
  uint64_t quarter = (units - 1) >> step;  // 4 to 7
  return 8 + (exponent - 3) * 4 + static_cast<uint32_t>(quarter - 4);
}

constexpr uint64_t classBytes(uint32_t index) {
  if (index < 8) return (index + 1) * kAlignment;
  uint32_t exponent = (index - 8) / 4 + 3;
  uint64_t quarter = (index - 8) % 4 + 4;
  return ((quarter + 1) << (exponent - 2)) * kAlignment;
}

// Blocks of a slab may be further apart than they are long: see Pool::spreads().
constexpr uint32_t classAtMost(uint64_t block_size) {
  const uint32_t index = sizeClass(block_size);
  return classBytes(index) > block_size ? index - 1 : index;
}

}  // namespace manyrt::allocator
