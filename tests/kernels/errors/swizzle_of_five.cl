// error at 3:18: more components than a vector can have
__kernel void parts(__global const float4 *in, __global float4 *out) {
  out[0] = in[0].xyzwx;
}
