// error at 4:23: an unknown name in the argument of a macro
#define SQUARE(x) ((x) * (x))
__kernel void copy(__global int *out, int n) {
  out[0] = SQUARE(n + m);
}
