// error at 6:10: the type of a function, after a struct without its semicolon
struct Pair {
  int first, second;
}

__kernel void copy(__global const int *in, __global int *out) {
  out[0] = in[0];
}
