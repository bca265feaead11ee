// Types of elements and reductions, each as one list: the numbers of rt_comm.h, the C++ type, the name in messages, and the
// name in kernels. Everything that depends on a type is made from these lists.
#pragma once

#include <cstdint>

#include "rt_comm.h"

namespace manyrt::comm {

// 16-bit floating point: storage alone. half.h calculates with them.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};

// number, C++ type, name
#define MANYRT_COMM_TYPES(X)      \
  X(RT_COMM_I8, int8_t, "i8")     \
  X(RT_COMM_U8, uint8_t, "u8")    \
  X(RT_COMM_I16, int16_t, "i16")  \
  X(RT_COMM_U16, uint16_t, "u16") \
  X(RT_COMM_I32, int32_t, "i32")  \
  X(RT_COMM_U32, uint32_t, "u32") \
  X(RT_COMM_I64, int64_t, "i64")  \
  X(RT_COMM_U64, uint64_t, "u64") \
  X(RT_COMM_F16, Half, "f16")     \
  X(RT_COMM_BF16, BFloat, "bf16") \
  X(RT_COMM_F32, float, "f32")    \
  X(RT_COMM_F64, double, "f64")

// number, name
#define MANYRT_COMM_REDUCTIONS(X) \
  X(RT_COMM_SUM, "sum")           \
  X(RT_COMM_PRODUCT, "product")   \
  X(RT_COMM_MINIMUM, "minimum")   \
  X(RT_COMM_MAXIMUM, "maximum")   \
  X(RT_COMM_AVERAGE, "average")

#define MANYRT_COMM_COUNT(...) +1
inline constexpr int32_t kTypeCount = 0 MANYRT_COMM_TYPES(MANYRT_COMM_COUNT);
inline constexpr int32_t kReductionCount = 0 MANYRT_COMM_REDUCTIONS(MANYRT_COMM_COUNT);
#undef MANYRT_COMM_COUNT

inline bool isType(int32_t type) { return type >= 0 && type < kTypeCount; }
inline bool isReduction(int32_t reduction) { return reduction >= 0 && reduction < kReductionCount; }

// The number has to be valid.
inline uint32_t sizeOf(int32_t type) {
#define MANYRT_COMM_SIZE(number, Type, name) sizeof(Type),
  static constexpr uint32_t sizes[] = {MANYRT_COMM_TYPES(MANYRT_COMM_SIZE)};
#undef MANYRT_COMM_SIZE
  return sizes[type];
}

inline const char* typeName(int32_t type) {
#define MANYRT_COMM_NAME(number, Type, name) name,
  static constexpr const char* names[] = {MANYRT_COMM_TYPES(MANYRT_COMM_NAME)};
#undef MANYRT_COMM_NAME
  return names[type];
}

inline const char* reductionName(int32_t reduction) {
#define MANYRT_COMM_NAME(number, name) name,
  static constexpr const char* names[] = {MANYRT_COMM_REDUCTIONS(MANYRT_COMM_NAME)};
#undef MANYRT_COMM_NAME
  return names[reduction];
}

}  // namespace manyrt::comm
