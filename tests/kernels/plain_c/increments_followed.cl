// N=1000 GROUP=64 OUT=1 IN=4
// *p++ and *++p of a pointer that each item has at its own place.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  if (gid >= n) return;
  __global const uint* p = in + gid * 4;
  uint a = *p++;
  a = a * 3 + *p++;
  a = a * 3 + *++p;
  out[gid] = a;
}
