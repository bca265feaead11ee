// error at 2:44: a kernel that takes a bool
__kernel void copy(__global int *out, bool on) {
  out[0] = on;
}
