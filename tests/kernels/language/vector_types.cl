// The same kernel for each element type, made by a macro: arithmetic, components and three-lane layout of all widths.
#define KERNEL(T)                                                                      \
  __kernel void of_##T(__global const T *in, __global T *out, int n) {                 \
    __global const T *a = in + get_global_id(0) * 16;                                  \
    __global T *r = out + get_global_id(0) * 32;                                       \
    T##2 p = vload2(0, a);                                                             \
    T##3 t = vload3(1, a);                                                             \
    T##4 q = vload4(1, a);                                                             \
    T##8 w = vload8(0, a);                                                             \
    T##16 x = vload16(0, a);                                                           \
    vstore2(p + p.yx, 0, r);                                                           \
    vstore3(t * (T)2 + t.zxy, 1, r);                                                   \
    vstore4(q - q.s3210, 2, r);                                                        \
    vstore4(w.odd + w.even, 3, r);                                                     \
    vstore8(x.hi - x.lo, 2, r);                                                        \
    T##3 array[3];                                                                     \
    array[0] = t;                                                                      \
    array[1] = array[0] + (T##3)(1, 2, 3);                                             \
    array[2] = (T##3)((T)n);                                                           \
    r[24] = array[1].z;                                                                \
    r[25] = (T)sizeof(array);                                                          \
    r[26] = (T)((__private char *)&array[2] - (__private char *)&array[1]);            \
    r[27] = ((T *)array)[4];                                                           \
    T##4 chosen = (q > q.yxwz) ? q : (T##4)(3);                                        \
    r[28] = chosen.x;                                                                  \
    r[29] = chosen.y;                                                                  \
    r[30] = array[2].y;                                                                \
    r[31] = (T)(x.sf + x.s8 * x.s1);                                                   \
  }

KERNEL(char)
KERNEL(uchar)
KERNEL(short)
KERNEL(ushort)
KERNEL(int)
KERNEL(uint)
KERNEL(long)
KERNEL(ulong)
KERNEL(float)
#if defined(cl_khr_fp64) && defined(WITH_DOUBLE)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
KERNEL(double)
#endif
