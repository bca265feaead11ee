// error at 2:44: a kernel that takes a pointer to pointers
__kernel void copy(__global int *__global *in, __global int *out) {
  out[0] = 1;
}
