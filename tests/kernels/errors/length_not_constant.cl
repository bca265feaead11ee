// error at 3:14: an array as long as a variable says
__kernel void copy(__global int *out, int n) {
  int values[n];
  values[0] = 1;
  out[0] = values[0];
}
