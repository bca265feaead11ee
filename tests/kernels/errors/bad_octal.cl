// error at 3:12: a digit that octal numbers lack
__kernel void copy(__global int *out) {
  out[0] = 0189;
}
