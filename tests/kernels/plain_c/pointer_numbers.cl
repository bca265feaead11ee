// N=1000 GROUP=64 OUT=2 IN=1
// Addresses as numbers and as truths.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  if (gid >= n) return;
  ulong base = (ulong)in, own = (ulong)(in + gid);
  out[gid * 2] = (uint)(own - base);
  out[gid * 2 + 1] = (in + gid) ? 1 : 0;
}
