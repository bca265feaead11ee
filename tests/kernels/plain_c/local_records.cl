// N=256 GROUP=32 OUT=4 IN=3
// Records in local memory: members by pointers, bytes of them, copies under a condition.
struct L {
  uint w;
  ushort h[2];
  uchar c[4];
};
uint use_(__local struct L* l, uint k) {
  l->h[k & 1] += 3;
  l->c[k & 3]--;
  __local ushort* p = l->h;
  p[k & 1] <<= 1;
  return l->w ^ *(__local uint*)l->c;
}
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint gid = get_global_id(0), lid = get_local_id(0), v = in[gid * 3];
  __local struct L all[32];
  __local uint total[32];
  __local struct L* l = all + lid;
  l->w = v;
  l->h[0] = (ushort)v;
  l->h[1] = 9;
  for (int i = 0; i < 4; i++) l->c[i] = (uchar)(v >> i);
  total[lid] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  total[lid] += use_(l, v);
  if (v & 1) total[lid] ^= use_(&all[lid], v >> 3);
  barrier(CLK_LOCAL_MEM_FENCE);
  struct L copy = *l;
  copy.c[v & 3] = 1;
  if (v & 2) *l = copy;
  __local uchar* b = (__local uchar*)l;
  uint s = 0;
  for (__local uchar* e = b + 12; b < e; b++) s = s * 3 + *b;
  out[gid * 4] = s;
  out[gid * 4 + 1] = total[lid];
  out[gid * 4 + 2] = copy.h[0] + copy.c[2] * 65536u;
  out[gid * 4 + 3] = (uint)(b - (__local uchar*)l) + (l > all) * 64;
}
