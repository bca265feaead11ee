/* Every function of cl_khr_integer_dot_product, over words of four bytes. */
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#if !defined(cl_khr_integer_dot_product) || !defined(__opencl_c_integer_dot_product_input_4x8bit) || \
    !defined(__opencl_c_integer_dot_product_input_4x8bit_packed)
#error The extension is missing.
#endif

__kernel void packed(__global const uint *a, __global const uint *b, __global uint *out) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  out[i] = dot_4x8packed_uu_uint(a[i], b[i]);
  out[n + i] = (uint)dot_4x8packed_ss_int(a[i], b[i]);
  out[2 * n + i] = (uint)dot_4x8packed_us_int(a[i], b[i]);
  out[3 * n + i] = (uint)dot_4x8packed_su_int(a[i], b[i]);
}

__kernel void packed_sat(__global const uint *a, __global const uint *b, __global const uint *c, __global uint *out) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  out[i] = dot_acc_sat_4x8packed_uu_uint(a[i], b[i], c[i]);
  out[n + i] = (uint)dot_acc_sat_4x8packed_ss_int(a[i], b[i], (int)c[i]);
  out[2 * n + i] = (uint)dot_acc_sat_4x8packed_us_int(a[i], b[i], (int)c[i]);
  out[3 * n + i] = (uint)dot_acc_sat_4x8packed_su_int(a[i], b[i], (int)c[i]);
}

__kernel void vectors(__global const uint *a, __global const uint *b, __global uint *out) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  const uchar4 ua = as_uchar4(a[i]), ub = as_uchar4(b[i]);
  const char4 sa = as_char4(a[i]), sb = as_char4(b[i]);
  out[i] = dot(ua, ub);
  out[n + i] = (uint)dot(sa, sb);
  out[2 * n + i] = (uint)dot(ua, sb);
  out[3 * n + i] = (uint)dot(sa, ub);
}

__kernel void vectors_sat(__global const uchar *a, __global const char *b, __global const int *c, __global uint *out) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  const uchar4 ua = vload4(i, a), ub = as_uchar4(vload4(i, b));
  const char4 sa = as_char4(ua), sb = vload4(i, b);
  out[i] = dot_acc_sat(ua, ub, (uint)c[i]);
  out[n + i] = (uint)dot_acc_sat(sa, sb, c[i]);
  out[2 * n + i] = (uint)dot_acc_sat(ua, sb, c[i]);
  out[3 * n + i] = (uint)dot_acc_sat(sa, ub, c[i]);
}

/* A row of bytes times a vector of bytes, as programs use them; beside them dot of floats, and results whose sign matters. */
#define STEP(sum, x, y) sum = dot_acc_sat_4x8packed_ss_int(x, y, sum)
int row(__global const uint *m, __global const uint *v, uint words) {
  int sum = 0;
  for (uint k = 0; k < words; ++k) STEP(sum, m[k], v[k]);
  return sum;
}
__kernel void product(__global const uint *m, __global const uint *v, __global float *out, uint words) {
  const size_t i = get_global_id(0);
  const float4 scale = (float4)(1, 2, 3, 4);
  out[i] = row(m + i * words, v, words) * dot(scale, scale);
}
__constant uint kOnes = 0x01010101u;
__kernel void signs(__global const uint *a, __global int *out) {
  const size_t i = get_global_id(0);
  const uint one = dot_4x8packed_uu_uint(a[i], kOnes), two = dot(as_uchar4(a[i]), (uchar4)(2));
  out[i] = (dot_4x8packed_uu_uint(a[i], kOnes) - 2000u > 0u) + 2 * (one - two > 0u) + 4 * (dot(as_char4(a[i]), (char4)(1)) < 0) +
           8 * (dot(as_uchar4(a[i]), as_uchar4(kOnes)) - 1021u > 5u);
}
