// error at 4:16: a member of what is no struct
__kernel void add(__global const int *in, __global int *out) {
  int sum = in[0];
  out[0] = sum.first;
}
