// error at 3:17: no parenthesis after a condition
__kernel void copy(__global const int *in, __global int *out) {
  if (in[0] > 3 {
    out[0] = in[0];
  }
}
