// error at 3:13: an assignment to a value
__kernel void copy(__global const int *in, __global int *out) {
  in[0] + 1 = out[0];
}
