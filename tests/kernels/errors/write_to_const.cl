// error at 3:9: a write through a pointer to const
__kernel void copy(__global const int *in, __global int *out) {
  in[0] = 5;
  out[0] = in[0];
}
