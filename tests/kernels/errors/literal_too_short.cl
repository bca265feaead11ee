// error at 3:12: a vector literal with too little
__kernel void parts(__global float4 *out, float a) {
  out[0] = (float4)(a, 2.0f, 3.0f);
}
