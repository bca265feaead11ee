// N=300 GROUP=60 OUT=8 IN=4
// The elements between two pointers, cut to fewer bits, as indices, of records and of private arrays.
struct three { uint a, b, c; };
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t g = get_global_id(0);
  if (g >= n) return;
  __global const uint *p = in + g, *q = in + (in[g] % n);
  __global uint* o = out + 8 * g;
  o[0] = p - q;
  int x = p - q;
  short s = q - in;
  o[1] = x + s;
  o[2] = in[p - in] + in[q - in];
  o[3] = (uint)((p - q) * 2) + (uint)((p - q) / 3) + (uint)((p - q) >> 1);
  o[4] = (p - q < 5) + 2 * (p - in > 100) + 4 * (q - p == 3) + 8 * !(p - q);
  __global const struct three *m = (__global const struct three*)in, *k = m + (in[g] % n);
  o[5] = (uint)(k - m) + (uint)((m + g) - k);
  uint own[8], *a = own + (in[g] & 7), *b = own + (g & 7);
  o[6] = (uint)(a - b) * 3 + (a > b) + 2 * (a == b);
  uchar bytes[4] = {1, 2, 3, 4}, *c = bytes;
  c += in[g] & 3;
  o[7] = *c + (uint)(c - bytes);
}
