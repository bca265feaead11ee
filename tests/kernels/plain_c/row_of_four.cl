// N=1000 GROUP=64 OUT=1 IN=4
// Four neighbours of each item, read with *p++ in a loop.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint g = get_global_id(0);
  if (g >= n) return;
  __global const uint* p = in + g * 4;
  uint s = 0;
  for (int i = 0; i < 4; i++) s = s * 3 + *p++;
  out[g] = s;
}
