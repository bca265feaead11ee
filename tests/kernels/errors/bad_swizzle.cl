// error at 3:18: a component that a vector of two does not have
__kernel void parts(__global const float2 *in, __global float *out) {
  out[0] = in[0].z;
}
