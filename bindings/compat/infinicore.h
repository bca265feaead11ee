/* SPDX-License-Identifier: Apache-2.0
 *
 * infinicore.h - the status codes, device types and data types of InfiniCore's C interface, for programs that are written
 * against it. The text is manyrt's own. Names and numbers are those that InfiniCore has published, so that a program compiles
 * unchanged and means the same; nothing else of InfiniCore is contained. Device types are those up to MARS: a program that
 * names a later one does not compile. Include infinirt.h, which includes this file.
 *
 * Published programs have the name of MARS alone, and no header with its number was found: 11 follows ALI. Only a program that
 * stores such numbers could see a difference, or one that exchanges them with a program that InfiniCore's own header built.
 */
#ifndef MANYRT_COMPAT_INFINICORE_H_
#define MANYRT_COMPAT_INFINICORE_H_

#include <stddef.h>

/* Programs of InfiniCore declare functions with these words. */
#if defined(__GNUC__) || defined(__clang__)
#define __export __attribute__((visibility("default")))
#else
#define __export
#endif
#ifdef __cplusplus
#define __INFINI_C extern "C"
#else
#define __INFINI_C
#endif
#define __C __INFINI_C

typedef enum {
  INFINI_STATUS_SUCCESS = 0,
  INFINI_STATUS_INTERNAL_ERROR = 1,
  INFINI_STATUS_NOT_IMPLEMENTED = 2,
  INFINI_STATUS_BAD_PARAM = 3,
  INFINI_STATUS_NULL_POINTER = 4,
  INFINI_STATUS_DEVICE_TYPE_NOT_SUPPORTED = 5,
  INFINI_STATUS_DEVICE_NOT_FOUND = 6,
  INFINI_STATUS_DEVICE_NOT_INITIALIZED = 7,
  INFINI_STATUS_DEVICE_ARCHITECTURE_NOT_SUPPORTED = 8,
  INFINI_STATUS_BAD_TENSOR_DTYPE = 10, /* this and the next ones come from operators, never from infinirt.h */
  INFINI_STATUS_BAD_TENSOR_SHAPE = 11,
  INFINI_STATUS_BAD_TENSOR_STRIDES = 12,
  INFINI_STATUS_INSUFFICIENT_WORKSPACE = 13
} infiniStatus_t;

typedef enum {
  INFINI_DEVICE_CPU = 0,    /* manyrt's CPU device */
  INFINI_DEVICE_NVIDIA = 1, /* manyrt's CUDA devices */
  INFINI_DEVICE_CAMBRICON = 2,
  INFINI_DEVICE_ASCEND = 3,
  INFINI_DEVICE_METAX = 4,
  INFINI_DEVICE_MOORE = 5,
  INFINI_DEVICE_ILUVATAR = 6,
  INFINI_DEVICE_KUNLUN = 7,
  INFINI_DEVICE_HYGON = 8,
  INFINI_DEVICE_SUGON = 8, /* the earlier name of HYGON */
  INFINI_DEVICE_QY = 9,
  INFINI_DEVICE_ALI = 10,
  INFINI_DEVICE_MARS = 11, /* see the head */
  INFINI_DEVICE_TYPE_COUNT,
  INFINI_DEVICE_OPENCL = 1000 /* an addition of manyrt: its OpenCL devices. Outside the count, far from numbers to come */
} infiniDevice_t;

typedef enum {
  INFINI_DTYPE_INVALID = 0,
  INFINI_DTYPE_BYTE = 1,
  INFINI_DTYPE_BOOL = 2,
  INFINI_DTYPE_I8 = 3,
  INFINI_DTYPE_I16 = 4,
  INFINI_DTYPE_I32 = 5,
  INFINI_DTYPE_I64 = 6,
  INFINI_DTYPE_U8 = 7,
  INFINI_DTYPE_U16 = 8,
  INFINI_DTYPE_U32 = 9,
  INFINI_DTYPE_U64 = 10,
  INFINI_DTYPE_F8 = 11,
  INFINI_DTYPE_F16 = 12,
  INFINI_DTYPE_F32 = 13,
  INFINI_DTYPE_F64 = 14,
  INFINI_DTYPE_C16 = 15,
  INFINI_DTYPE_C32 = 16,
  INFINI_DTYPE_C64 = 17,
  INFINI_DTYPE_C128 = 18,
  INFINI_DTYPE_BF16 = 19
} infiniDtype_t;

#endif /* MANYRT_COMPAT_INFINICORE_H_ */
