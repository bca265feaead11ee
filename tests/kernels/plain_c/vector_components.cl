// N=1000 GROUP=64 OUT=8 IN=2
// Writes to some components under masks, in loops that items leave, through swizzles of swizzles and in memory.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  if (gid >= n) return;
  uint r = in[gid], q = in[gid + 1];
#ifdef PLAIN_C
  uint v[4] = {r, q, r ^ q, r + q};
  for (uint i = 0; i < (r & 7); ++i) {
    uint o[4] = {v[0], v[1], v[2], v[3]};
    v[3] = o[0]; v[0] = o[3] + i;                       // v.wx = v.xw + (uint2)(0, i)
    if ((q >> i) & 1) { v[1] += 3; v[2] += 3; }         // v.yz += 3
    if (v[0] & 4) { v[1] = v[0]; continue; }
    v[2] = v[1] * 2;                                    // v.zyxw.x = v.y * 2
    if ((q >> (i + 8)) & 1) break;
    uint t0 = v[0]; v[0] = v[1]; v[1] = t0;             // v.lo = v.yx
  }
  uint lt = 0; for (int k = 0; k < 4; ++k) if (v[k] < q) lt |= 1u << k;
  for (int k = 0; k < 4; ++k) out[gid * 8 + k] = v[k];
  out[gid * 8 + 4] = lt;
  uint s[4]; for (int k = 0; k < 4; ++k) s[k] = v[k] < q ? r : v[k];
  out[gid * 8 + 5] = s[0] ^ s[1]; out[gid * 8 + 6] = s[2] - s[3];
  out[gid * 8 + 7] = ((r & 1) ? v[0] : v[3]) + 7;
#else
  uint4 v = (uint4)(r, q, r ^ q, r + q);
  for (uint i = 0; i < (r & 7); ++i) {
    v.wx = v.xw + (uint2)(0, i);
    if ((q >> i) & 1) v.yz += 3;
    if (v.x & 4) { v.y = v.x; continue; }
    v.zyxw.x = v.y * 2;
    if ((q >> (i + 8)) & 1) break;
    v.lo = v.yx;
  }
  int4 less = v < q;
  uint lt = (less.x & 1) | (less.y & 2) | (less.z & 4) | (less.w & 8);
  __global uint4* place = (__global uint4*)(out + gid * 8);
  *place = 0;
  if (r & 1) { place->xz = v.xz; place->yw = v.yw; } else *place = v;
  out[gid * 8 + 4] = lt;
  uint4 s = less ? (uint4)(r) : v;
  out[gid * 8 + 5] = s.x ^ s.y; out[gid * 8 + 6] = s.z - s.w;
  uint4 w = (r & 1) ? v : v.wzyx;
  out[gid * 8 + 7] = w.x + 7;
#endif
}
