// error at 5:16: a helper for a private pointer given __global memory
float sum(const float *values, int count) { float all = 0; for (int i = 0; i < count; ++i) all += values[i]; return all; }

__kernel void add(__global const float *in, __global float *out) {
  out[0] = sum(in, 4);
}
