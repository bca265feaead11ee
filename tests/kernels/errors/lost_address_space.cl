// error at 3:29: a __global pointer kept in a pointer to __local
__kernel void copy(__global const int *in, __global int *out) {
  __local const int *from = in;
  out[0] = from[0];
}
