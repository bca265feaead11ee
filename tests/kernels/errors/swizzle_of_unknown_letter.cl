// error at 3:18: a component with a name that none has
__kernel void parts(__global const float4 *in, __global float *out) {
  out[0] = in[0].q;
}
