// error at 3:3: a type that there is not
__kernel void copy(__global const int *in, __global int *out) {
  integer value = in[0];
  out[0] = value;
}
