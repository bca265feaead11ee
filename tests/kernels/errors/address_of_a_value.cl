// error at 3:18: the address of a value
__kernel void copy(__global const int *in, __global int *out) {
  const int *p = &(in[0] + 1);
  out[0] = *p;
}
