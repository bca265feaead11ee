// N=1000 GROUP=64 OUT=2 IN=4
// A helper gets a pointer to an item's four numbers as a pointer to a vector, or to bytes.
#ifdef PLAIN_C
uint sum(__global const uint* p) { return p[0] + p[1] * 3 + p[2] * 5 + p[3] * 7; }
#define V const uint
#else
uint sum(__global const uint4* p) { uint4 v = *p; return v.x + v.y * 3 + v.z * 5 + v.w * 7; }
#define V const uint4
#endif
uint bytes(__global const uchar* p) { return p[0] + 2 * p[3]; }
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  if (gid >= n) return;
  out[gid * 2] = sum((__global V*)(in + gid * 4));
  out[gid * 2 + 1] = bytes((__global const uchar*)(in + gid));
}
