// error at 5:1: a label twice
__kernel void copy(__global int *out) {
here:
  out[0] = 1;
here:
  if (out[0] < 3) goto here;
}
