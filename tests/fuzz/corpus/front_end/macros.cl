#include "a.h"
#define CAT(a, b) a##b
#define XCAT(a, b) CAT(a, b)
#define STR(...) #__VA_ARGS__
#define LOG(f, ...) printf(f, ## __VA_ARGS__)
#define KERNEL(T) __kernel void XCAT(fill_, T)(__global T* p) { p[get_global_id(0)] = (T)SQUARE(N); }
#if defined(cl_khr_fp64) && N >= 4 && (-1 > 0u ? 1 : 0)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
KERNEL(double)
#elif 1 / 0
#error never
#else
# line 30 "other.cl"
#endif
KERNEL(int)
__kernel void say(void) { LOG("%d\n", __LINE__); LOG(STR(a, "b" '\n')); _Pragma("unroll 4") for (int i = 0; i < N; ++i) ; }
