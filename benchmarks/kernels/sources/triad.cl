// A stream of memory: c = a * factor + b.
__kernel void triad(__global const float* a, __global const float* b, __global float* c, float factor, uint count) {
  const uint i = get_global_id(0);
  if (i < count) c[i] = a[i] * factor + b[i];
}
