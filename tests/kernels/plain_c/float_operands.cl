// N=1000 GROUP=64 OUT=8 IN=1
// Integers with compound operators and a float on the right side are computed in float.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  if (gid >= n) return;
  uint r = in[gid] & 0xffff;
  float half_ = 0.5f + (float)(r & 3) * 0.25f;
  long a = r; a *= half_;
  long b = r; b += 0.75f;
  ulong c = r; c /= half_;
  ulong d = r; d -= half_;
  int e = (int)r; e *= half_;
  uint f = r; f -= -half_;
  short g = (short)(r & 0xfff); g *= half_;
  uchar h = (uchar)(r & 63); h *= half_;
  out[gid * 8] = (uint)a; out[gid * 8 + 1] = (uint)b; out[gid * 8 + 2] = (uint)c; out[gid * 8 + 3] = (uint)d;
  out[gid * 8 + 4] = (uint)e; out[gid * 8 + 5] = f; out[gid * 8 + 6] = (uint)g; out[gid * 8 + 7] = h;
}
