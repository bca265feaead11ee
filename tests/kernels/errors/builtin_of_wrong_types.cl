// error at 3:12: dot of vectors of two lengths
__kernel void product(__global const float4 *in, __global float *out) {
  out[0] = dot(in[0], in[1].xyz);
}
