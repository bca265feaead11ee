// error at 4:2: an #error that is reached
#define FAST 0
#if FAST == 0
#error "choose FAST"
#endif
__kernel void copy(__global int *out) { out[0] = 1; }
