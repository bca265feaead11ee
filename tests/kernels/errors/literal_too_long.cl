// error at 3:12: a vector literal with too much
__kernel void parts(__global float2 *out, float a) {
  out[0] = (float2)(a, 2.0f, 3.0f);
}
