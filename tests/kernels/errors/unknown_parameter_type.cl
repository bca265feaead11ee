// error at 2:53: a type that there is not, of a parameter
__kernel void copy(__global const int *in, __global real *out) {
  out[0] = in[0];
}
