// error at 4:9: one name twice in a scope
__kernel void copy(__global const int *in, __global int *out) {
  int value = in[0];
  float value = 2.0f;
  out[0] = value;
}
