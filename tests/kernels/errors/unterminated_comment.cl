// error at 5:1: a comment without an end
__kernel void copy(__global int *out) {
  out[0] = 1;
}
/* here it begins
