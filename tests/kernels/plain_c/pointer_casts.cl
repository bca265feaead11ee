// N=1000 GROUP=64 OUT=4 IN=1
// A pointer to an element of each item, seen as another type, read and written.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  if (gid >= n) return;
  __global const uchar* q = (__global const uchar*)(in + gid);
  __global const uint* p = (__global const uint*)((__global const uchar*)in + 4 * gid);
  __global const ushort* s = (__global const ushort*)(in + gid);
  out[gid * 4] = q[0] + 256 * q[1];
  out[gid * 4 + 1] = *p;
  out[gid * 4 + 2] = s[1];
  __global uchar* w = (__global uchar*)(out + gid * 4 + 3);
  w[0] = (uchar)gid; w[1] = 1; w[2] = 2; w[3] = 3;
}
