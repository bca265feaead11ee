// Conversions of bfloat16 (cl_intel_bfloat16_conversions): of one lane and of vectors.
#pragma OPENCL EXTENSION cl_intel_bfloat16_conversions : enable
#ifndef cl_intel_bfloat16_conversions
#error "cl_intel_bfloat16_conversions is not defined"
#endif

__kernel void narrow(__global const float *in, __global ushort *out) {
  const size_t i = get_global_id(0);
  out[i] = intel_convert_bfloat16_as_ushort(in[i]);
}

__kernel void widen(__global const ushort *in, __global float *out) {
  const size_t i = get_global_id(0);
  out[i] = intel_convert_as_bfloat16_float(in[i]);
}

#define BOTH(N)                                                                     \
  vstore##N(intel_convert_bfloat16##N##_as_ushort##N(vload##N(0, in)), 0, out);     \
  vstore##N(intel_convert_as_bfloat16##N##_float##N(vload##N(0, out)), 0, back);    \
  out += N;                                                                         \
  back += N;

__kernel void vectors(__global const float *in, __global ushort *out, __global float *back) {
  BOTH(2)
  BOTH(3)
  BOTH(4)
  BOTH(8)
  BOTH(16)
}
