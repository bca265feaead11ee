// error at 3:13: a number used as an array
__kernel void copy(__global int *out, int n) {
  out[0] = n[1];
}
