// The loops, made from the lists of types and reductions. Compiled for speed, as compilers vectorise them;
// in_process/kernels.cpp has the same arithmetic in the language of kernels.
#include "comm/host_reduction.h"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "comm/half.h"
#include "comm/types.h"

namespace manyrt::comm {
namespace {

// The number that an element is calculated as, and back. Integers wrap, which only unsigned ones may in C++.
template <class T>
struct Number {
  using Type = T;
  static T load(T value) { return value; }
  static T store(T value) { return value; }
};
template <>
struct Number<Half> {
  using Type = float;
  static float load(Half value) { return toFloat(value); }
  static Half store(float value) { return toHalf(value); }
};
template <>
struct Number<BFloat> {
  using Type = float;
  static float load(BFloat value) { return toFloat(value); }
  static BFloat store(float value) { return toBFloat(value); }
};

template <int32_t kReduction, class T>
T reduce(T a, T b) {
  if constexpr (kReduction == RT_COMM_MINIMUM) {
    if constexpr (std::integral<T>) return b < a ? b : a;
    return b < a || b != b ? b : a;  // of two NaN the first
  } else if constexpr (kReduction == RT_COMM_MAXIMUM) {
    if constexpr (std::integral<T>) return b > a ? b : a;
    return b > a || b != b ? b : a;
  } else if constexpr (std::integral<T>) {
    // 64 bits wide, as the product of two uint16_t would be a signed int that overflows.
    const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<T>(kReduction == RT_COMM_PRODUCT ? x * y : x + y);
  } else {
    return kReduction == RT_COMM_PRODUCT ? a * b : a + b;
  }
}

template <class T, int32_t kReduction>
void combine(void* out, const void* a, const void* b, uint64_t count) {
  T* const to = static_cast<T*>(out);
  const T* const x = static_cast<const T*>(a);
  const T* const y = static_cast<const T*>(b);
  for (uint64_t i = 0; i < count; ++i) {
    to[i] = Number<T>::store(reduce<kReduction, typename Number<T>::Type>(Number<T>::load(x[i]), Number<T>::load(y[i])));
  }
}

template <class T>
void divide(void* data, uint64_t count, uint32_t divisor) {
  using Type = typename Number<T>::Type;
  T* const elements = static_cast<T*>(data);
  for (uint64_t i = 0; i < count; ++i) {
    if constexpr (std::integral<Type>) {  // 64 bits wide: not every number of ranks is an int8_t
      using Wide = std::conditional_t<std::is_signed_v<Type>, int64_t, uint64_t>;
      elements[i] = static_cast<T>(static_cast<Wide>(elements[i]) / static_cast<Wide>(divisor));
    } else {
      elements[i] = Number<T>::store(Number<T>::load(elements[i]) / static_cast<Type>(divisor));
    }
  }
}

using Combine = void (*)(void*, const void*, const void*, uint64_t);
using Divide = void (*)(void*, uint64_t, uint32_t);

// An average is a sum until its end.
#define MANYRT_COMM_ROW(number, Type, name)                                                                                    \
  {combine<Type, RT_COMM_SUM>, combine<Type, RT_COMM_PRODUCT>, combine<Type, RT_COMM_MINIMUM>, combine<Type, RT_COMM_MAXIMUM>, \
   combine<Type, RT_COMM_SUM>},
constexpr Combine kCombine[kTypeCount][kReductionCount] = {MANYRT_COMM_TYPES(MANYRT_COMM_ROW)};
#undef MANYRT_COMM_ROW
#define MANYRT_COMM_ROW(number, Type, name) divide<Type>,
constexpr Divide kDivide[kTypeCount] = {MANYRT_COMM_TYPES(MANYRT_COMM_ROW)};
#undef MANYRT_COMM_ROW

}  // namespace

void combineOnHost(int32_t type, int32_t reduction, void* out, const void* a, const void* b, uint64_t count) {
  kCombine[type][reduction](out, a, b, count);
}

// The sum grows beside the operands, as the result may lie where a later one is, and within a core's cache.
void reduceOnHost(int32_t type, int32_t reduction, void* result, const void* const* operands, int32_t ranks, uint64_t count) {
  constexpr uint64_t kBlock = 16 * 1024;  // bytes
  // On the stack: ranks reduce on many threads at once.
  alignas(64) unsigned char sums[kBlock];
  const uint64_t element = sizeOf(type), most = kBlock / element;
  for (uint64_t first = 0; first < count; first += most) {
    // Block by block, over all ranks: the block of the sum stays in the cache while the operands come by.
    const uint64_t elements = std::min(most, count - first), offset = first * element;
    const auto operand = [&](int32_t rank) { return static_cast<const char*>(operands[rank]) + offset; };
    char* const to = static_cast<char*>(result) + offset;
    if (ranks == 1 && to != operand(0)) memcpy(to, operand(0), elements * element);
    const void* left = operand(0);
    for (int32_t rank = 1; rank < ranks; ++rank) {
      // Only the last step writes the result. Until then an operand that lies there is still whole.
      void* const out = rank + 1 == ranks ? static_cast<void*>(to) : sums;
      combineOnHost(type, reduction, out, left, operand(rank), elements);
      left = out;
    }
    // Block by block, too: the sum is still in the cache.
    if (reduction == RT_COMM_AVERAGE && ranks > 1) divideOnHost(type, to, elements, static_cast<uint32_t>(ranks));
  }
}

void divideOnHost(int32_t type, void* data, uint64_t count, uint32_t divisor) { kDivide[type](data, count, divisor); }

}  // namespace manyrt::comm
