// error at 3:21: a __local variable with a value
__kernel void copy(__global int *out) {
  __local int total = 0;
  out[0] = total;
}
