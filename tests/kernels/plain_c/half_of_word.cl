// N=1000 GROUP=64 OUT=1 IN=1
// vload_half of bits that the same item has written as a uint.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  if (gid >= n) return;
#ifdef PLAIN_C
  union { _Float16 h; ushort u; } v; v.u = (ushort)(in[gid] & 0x7bff);
  out[gid] = as_uint(v.h);
#else
  out[gid] = in[gid] & 0x7bff;
  out[gid] = as_uint(vload_half(0, (__global half*)(out + gid)));
#endif
}
