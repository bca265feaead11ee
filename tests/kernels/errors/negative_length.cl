// error at 3:14: an array of negative length
__kernel void copy(__global int *out) {
  int values[3 - 5];
  out[0] = values[0];
}
