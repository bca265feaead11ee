// N=1000 GROUP=64 OUT=2 IN=1
// Indices that are negative as (char) and (short) of an unsigned variable.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint g = get_global_id(0);
  if (g >= n) return;
  __global const uint* mid = in + 500;
  uchar u = (uchar)in[g];
  ushort w = (ushort)((in[g] & 0x1ff) - 256);
  out[g * 2] = mid[(char)u];
  out[g * 2 + 1] = mid[(short)w];
}
