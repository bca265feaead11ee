// error at 3:12: a number used as a pointer
__kernel void copy(__global int *out, int n) {
  out[0] = *n;
}
