// error at 3:27: no semicolon after a statement
__kernel void copy(__global const int *in, __global int *out) {
  int i = get_global_id(0)
  out[i] = in[i];
}
