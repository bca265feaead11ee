// error at 2:2: a condition that does not end
#if (1 + 2
#endif
__kernel void copy(__global int *out) { out[0] = 1; }
