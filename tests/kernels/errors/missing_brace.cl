// error at 2:63: a brace that nothing closes
__kernel void copy(__global const int *in, __global int *out) {
  for (int i = 0; i < 3; ++i) {
    out[i] = in[i];
}
