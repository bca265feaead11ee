// error at 3:2: an #endif without its #if
__kernel void copy(__global int *out) { out[0] = 1; }
#endif
