// N=1000 GROUP=64 OUT=1 IN=1 SMALL=2
// A declaration in a part of a switch that no item takes reads through a null pointer.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  if (gid >= n) return;
  __global const uint* far = (__global const uint*)big;
  uint r = 3;
  switch (in[gid]) {
    case 0:
      r = 10;
      break;
    case 5:;
      uint y = *far;
      r = y + 1;
      break;
    default:
      r += 1;
  }
  out[gid] = r;
}
