__kernel void saxpy(__global float* y, __global const float* x, float a, uint count) {
  size_t i = get_global_id(0);
  if (i < count) y[i] = mad(a, x[i], y[i]);
}
