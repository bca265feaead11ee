// error at 2:49: a kernel that takes a private pointer
__kernel void copy(__global const int *in, int *out) {
  out[0] = in[0];
}
