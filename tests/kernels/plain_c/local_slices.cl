// N=256 GROUP=32 OUT=3 IN=4
// Local memory: each item's own part, by pointers to other types that walk.
uint sum_(__local const ushort* p, int count) {
  uint s = 0;
  do s = s * 3 + *p++;
  while (--count);
  return s;
}
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  __local uint all[32 * 8];
  uint gid = get_global_id(0), lid = get_local_id(0);
  __local uint* mine = all + lid * 8;
  for (__local uint* p = mine; p != mine + 8; ++p) *p = in[gid * 4 + ((p - mine) & 3)] + (uint)(p - mine);
  __local uchar* b = (__local uchar*)(mine + 1);
  b[-1] ^= 0x55;
  b[3] += b[2];
  *(b + 5) = (uchar)gid;
  b[lid & 15]++;
  __local ulong* w = (__local ulong*)mine;
  w[2] += w[1] * 3;
  *++w ^= 7;
  out[gid * 3] = sum_((__local const ushort*)mine, 16);
  out[gid * 3 + 1] = sum_((__local const ushort*)mine + (in[gid * 4] & 7), 1 + (in[gid * 4 + 1] & 7));
  out[gid * 3 + 2] = (uint)(*w >> 8) + (uint)(b - (__local uchar*)mine);
}
