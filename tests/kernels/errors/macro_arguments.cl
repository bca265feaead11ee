// error at 4:12: a macro with too few arguments
#define ADD(a, b) ((a) + (b))
__kernel void copy(__global int *out) {
  out[0] = ADD(1);
}
