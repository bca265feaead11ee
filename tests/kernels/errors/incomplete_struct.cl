// error at 5:16: a variable of a struct that is only named
struct Later;

__kernel void copy(__global int *out) {
  struct Later later;
  out[0] = 1;
}
