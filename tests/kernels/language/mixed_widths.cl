// Few numbers of 8 bytes among many of 4: they do not decide how many items run together, and are two vectors then.
__kernel void rare_doubles(__global const float* a, __global const float* b, __global float* out, __global int* flags, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  float x = a[i], y = b[i], sum = 0.0f;
  for (uint k = 0; k < 9; ++k) {
    sum += x * y - sum * 0.125f;
    x = x * 0.5f + y * 0.25f + sum * 0.0625f;
    y = y * 0.5f - x * 0.25f;
    sum = sum > 8.0f ? sum - x * x : sum + y * y;
  }
  const double wide = 0.01 * sum + x;
  out[i] = sum > 0 ? wide : wide * wide;
  flags[i] = wide < y ? 1 : wide > 2.0 * y ? 2 : 3;
}

__kernel void rare_longs(__global const int* a, __global long* out, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  int x = a[i], y = x ^ 21, z = x - 7;
  for (int k = 0; k < 5; ++k) {
    x = (x << 3) ^ y ^ (z >> 2);
    y = (y >> 1) + x * 5 - z;
    z = (z ^ x) - (y & 1023);
  }
  long product = (long)x * y;
  if (z < 0) product = product < 0 ? -product : product + z;
  out[i] = product;
}

// Unsigned ints whose highest bit the text keeps off, and some where it only seems to.
__kernel void unsigned_to_float(__global const uint* a, __global const uint* b, __global float* out, __global double* wide, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const uint x = a[i], y = b[i];
  __global float* to = out + i * 12;
  to[0] = x & 0x7fffffffu;
  to[1] = x >> 1;
  to[2] = x >> 8 | (uchar)y;
  to[3] = x % 1000u;
  to[4] = x / 2u;
  to[5] = y & 1 ? x & 255u : x >> 16;
  to[6] = x & 0xffffffffu;
  to[7] = x >> 0;
  to[8] = x / 1u;
  to[9] = x & y;
  to[10] = (x & 15u) ^ y;
  to[11] = y & 1 ? x & 255u : x;
  wide[i] = (x >> 3) + 0.5;
}

__kernel void counted(__global const int* a, __global int* out, __global uint* down, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  int up = -2, seen = 0;
  uint left = 3;
  uchar small = 250;
  for (int k = 0; k < 20; ++k) {
    const int x = a[(i + k * 7) % n];
    if (x > 0) ++up;
    if (x % 3 == 0) left--;
    if (x < -40) small++;
    if (x & 1) seen = up++ - seen;
  }
  out[i] = up + 1000 * seen + small;
  down[i] = left;
}
