// error at 3:19: a break outside of every loop
__kernel void copy(__global int *out) {
  if (out[0] > 3) break;
  out[0] = 1;
}
