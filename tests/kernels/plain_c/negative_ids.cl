// N=1000 GROUP=64 OUT=2 IN=1
// An id less a constant, as an unsigned number that wraps, and widened.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  int i = (int)get_global_id(0) - 5;
  uint u = (uint)i;
  if (get_global_id(0) >= n) return;
  uint r = 7;
  if (u < n) r = in[u];
  out[get_global_id(0) * 2] = r;
  ulong w = u;
  out[get_global_id(0) * 2 + 1] = (uint)(w >> 32) * 1000 + (uint)(w > 0xfffffff0ul);
}
