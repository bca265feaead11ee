// error at 3:12: a number that is none
__kernel void copy(__global int *out) {
  out[0] = 12abc;
}
