// NCCL's numbers of types and reductions, and those of rt_comm.h.
#pragma once

#include "rt_comm.h"

namespace manyrt::comm::nccl {

inline int sizeOfType(int type) {
  static constexpr int sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return sizes[type];
}
inline int typeOf(int type) {
  static constexpr int types[] = {RT_COMM_I8,  RT_COMM_U8,  RT_COMM_I32, RT_COMM_U32, RT_COMM_I64,
                                  RT_COMM_U64, RT_COMM_F16, RT_COMM_F32, RT_COMM_F64, RT_COMM_BF16};
  return types[type];
}
inline int reductionOf(int reduction) {
  static constexpr int reductions[] = {RT_COMM_SUM, RT_COMM_PRODUCT, RT_COMM_MAXIMUM, RT_COMM_MINIMUM, RT_COMM_AVERAGE};
  return reductions[reduction];
}

}  // namespace manyrt::comm::nccl
