// error at 3:2: an #if without its #endif
__kernel void copy(__global int *out) { out[0] = 1; }
#if 1
__kernel void more(__global int *out) { out[0] = 2; }
