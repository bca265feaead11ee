// error at 3:14: a cast from __global to private memory
__kernel void add(__global uint *data, __global float *out) {
  float *p = (float *)data;
  out[0] = *p;
}
