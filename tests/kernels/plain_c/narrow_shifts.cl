// N=1000 GROUP=64 OUT=8 IN=1
// Compound shifts of narrow integers: the left side is an int then, so that amounts count modulo 32.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  if (gid >= n) return;
  uint r = in[gid];
  uchar a = (uchar)r; a <<= 9;
  uchar b = (uchar)r; b >>= 8;
  char c = (char)r; c >>= 8;
  short s = (short)r; s >>= 17;
  ushort u = (ushort)r; u <<= 16;
  uchar d = (uchar)r; d >>= (r >> 8) & 15;
  short e = (short)r; e <<= (r >> 8) & 31;
  char f = (char)r; f >>= (r >> 8) & 31;
  out[gid * 8] = a; out[gid * 8 + 1] = b; out[gid * 8 + 2] = c; out[gid * 8 + 3] = s;
  out[gid * 8 + 4] = u; out[gid * 8 + 5] = d; out[gid * 8 + 6] = e; out[gid * 8 + 7] = f;
}
