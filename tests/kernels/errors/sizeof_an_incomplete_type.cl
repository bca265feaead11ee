// error at 3:50: the size of a struct that is only named
struct Later;
__kernel void copy(__global int *out) { out[0] = sizeof(struct Later); }
