// error at 4:17: a __local variable in an inner scope
__kernel void copy(__global int *out) {
  for (int i = 0; i < 3; ++i) {
    __local int shared;
    shared = i;
    out[i] = shared;
  }
}
