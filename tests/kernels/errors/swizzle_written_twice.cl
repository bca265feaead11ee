// error at 3:14: one component written twice
__kernel void parts(__global float4 *data, __global const float2 *by) {
  data[0].xx = by[0];
}
