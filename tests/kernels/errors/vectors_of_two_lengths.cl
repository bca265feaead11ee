// error at 3:17: an operator between vectors of two lengths
__kernel void add(__global const float4 *a, __global const float2 *b, __global float4 *out) {
  out[0] = a[0] + b[0];
}
