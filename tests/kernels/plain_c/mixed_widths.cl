// N=1000 GROUP=64 OUT=8 IN=2
// Short and char arithmetic under masks: promotions, comparisons of both signs, shifts, long division.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint g = get_global_id(0);
  if (g >= n) return;
  uint r = in[g], q = in[g + n];
  char c = (char)r; uchar u = (uchar)(r >> 8); short s = (short)(r >> 16); ushort w = (ushort)q; long l = (long)((ulong)r << 32 | q);
  __global uint* o = out + g * 8;
  o[0] = (uint)(c * u) + (uint)(c < u) * 3 + (uint)(~u >> 1) + (uint)(-u);
  o[1] = (uint)(w * w) ^ (uint)((s << 3) >> 5) ^ (uint)((uint)s > (uint)c);
  if (r & 1) { c += u; u -= s; s *= w; w /= (ushort)(u | 1); }
  o[2] = (uint)c * 3 + (uint)u * 5 + (uint)s * 7 + w;
  if (r & 2) { c++; --u; s = -s; w = ~w; l = -l; }
  o[3] = (uint)c * 3 + (uint)u * 5 + (uint)s * 7 + w;
  o[4] = (uint)(l / ((int)q | 1)) + (uint)(l % (s | 1));
  o[5] = (uint)((ulong)l >> (r & 63)) + (uint)(l >> (q & 63));
  o[6] = (c ? c : -1) > (uint)s ? 1 : (l < (long)r ? 2 : 3);
  o[7] = (uint)(c == (char)0x80) + (uint)(u == 0x80) + (uint)((char)u == u) * 4 + (uint)((s & 0xff) << 24 >> 24) + (uint)(u << 24 >> 24);
}
