// Size arithmetic that reports overflow instead of wrapping. The library computes every sum and product of sizes that a caller
// can choose with these functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace manyrt {

inline bool addOverflows(uint64_t a, uint64_t b, uint64_t* sum) { return __builtin_add_overflow(a, b, sum); }
inline bool mulOverflows(uint64_t a, uint64_t b, uint64_t* product) { return __builtin_mul_overflow(a, b, product); }

// Rounds up to a power of two; true where the result does not fit.
inline bool roundUpOverflows(uint64_t size, uint64_t alignment, uint64_t* rounded) {
  if (addOverflows(size, alignment - 1, rounded)) return true;
  *rounded &= ~(alignment - 1);
  return false;
}

inline bool isPowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

// Bytes from the first byte of row 0 to the last byte of the last row of a 2D range.
inline bool spanOverflows(uint64_t pitch, uint64_t width, uint64_t height, uint64_t* span) {
  if (width == 0 || height == 0) {
    *span = 0;
    return false;
  }
  uint64_t rows;
  return mulOverflows(pitch, height - 1, &rows) || addOverflows(rows, width, span);
}

}  // namespace manyrt
