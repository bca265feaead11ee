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

// Products of numbers with 32 bits that have 64, some whose operands only look like it, and halves of products.
__kernel void wide_products(__global const uint* a, __global const uint* b, __global ulong* out, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const uint x = a[i], y = b[i];
  const int s = x, t = y;
  const ulong far = (ulong)x << 32 | y;
  __global ulong* to = out + i * 16;
  to[0] = (ulong)x * y;
  to[1] = (ulong)x * 3528905107u;
  to[2] = (far >> 32) * (far & 0xffffffffu);
  to[3] = (long)s * t;
  to[4] = (long)s * -7;
  to[5] = (long)s * (ushort)t;
  to[6] = (ulong)s * y;
  to[7] = (far >> 31) * (ulong)x;
  to[8] = (far & 0x1ffffffffu) * (ulong)x;
  to[9] = (long)s * x;
  to[10] = (far >> 33) * 4294967295u;
  to[11] = (ulong)(uchar)x * (ulong)(ushort)y;
  to[12] = mul_hi(x, y);
  to[13] = (ulong)(uint)mul_hi(s, t);
  to[14] = mad_hi(x, y, x);
  to[15] = (ulong)(uint)mad_hi(s, t, s);
}

// Divisors that are powers of two, whose inverses are numbers, and others.
__kernel void parts_of_two(__global const float* a, __global float* out, __global double* wide, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const float x = a[i];
  const double z = (double)x * 1.0000000001;
  __global float* to = out + i * 8;
  __global double* wides = wide + i * 7;
  to[0] = x / 16777216.0f;
  to[1] = x / 0.125f;
  to[2] = x / 8;
  to[3] = x / 3.0f;
  to[4] = x / 0x1p126f;
  to[5] = x / 0x1p-126f;
  to[6] = x / 0x1p127f;
  to[7] = x / 0x1p-127f;
  wides[0] = z / 16777216.0f;
  wides[1] = z / 0x1p-1022;
  wides[2] = z / 0x1p1023;
  wides[3] = z / -2.0;
  wides[4] = z / (double)(float)0x1p200;  // is 0, as no float is so large
  wides[5] = pow(z, 2.0);
  wides[6] = pow(z, -1.0);
}

// Doubles that are floats, rounded or compared at once, beside ones that are not.
__kernel void floats_as_doubles(__global const float* a, __global const float* b, __global float* out, __global int* flags, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  const float x = a[i], y = b[i];
  __global float* to = out + i * 14;
  to[0] = x * 0.5;
  to[1] = 1.0 - x;
  to[2] = (double)x * y;
  to[3] = (double)x / y;
  to[4] = x + 0.1;
  to[5] = x / 4.0;
  to[6] = x / 3.0;
  to[7] = (double)x - y;
  to[8] = 2.0 * x + 1.0;
  to[9] = 0.5 * (x + 1.0f) + y;
  to[10] = x * 3.0 * y;
  to[11] = x < 0.25 ? x * 1e-10 : y + 1e20;
  to[12] = -1.5 * y + (x < 0.5);
  to[13] = (float)(x < 0.5) * 2.0 - 1;
  flags[i] = (x < 0.5) | (x >= (double)y) << 1 | (x == 0.1) << 2 | (0.25 != x) << 3 | ((double)x > y) << 4 | (x <= 1e300) << 5 | (x > -1.0) << 6 |
             (3 >= (double)y) << 7;
}

// Variables of one and two bytes that loops set where wider numbers decide; their values wrap.
__kernel void narrow_choices(__global const float* a, __global const int* b, __global int* out, uint columns, uint n) {
  const uint i = get_global_id(0);
  if (i >= n) return;
  float best = -1;
  int least = 0x7fffffff, sum = 0;
  uchar at = 7;
  char from = -1;
  ushort turn = 0;
  short last = 5, chosen;
  bool any = false;
  chosen = (short)i;
  for (uint k = 0; k < columns; ++k) {
    const float x = a[k * n + i];
    const int y = b[k * n + i];
    if (x > best) {
      best = x;
      at = (uchar)k;
      last = (short)(y * 3);
      any = k > 3;
    }
    if (y < least) {
      least = y;
      from = (char)(k + i);
    } else if (at == (uchar)(k - 1)) {
      sum += at + from;
    }
    turn = x * 2.0f < best ? (ushort)(k * 700u) : turn;
    chosen = y > sum ? chosen : (short)k;
    sum ^= turn > 40000 ? last : -last;
  }
  __global int* to = out + i * 8;
  to[0] = at;
  to[1] = from;
  to[2] = turn;
  to[3] = last;
  to[4] = chosen;
  to[5] = sum;
  to[6] = any;
  to[7] = (at << 24) + (uchar)from * 3;
}
