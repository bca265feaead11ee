// N=1000 GROUP=64 OUT=5 IN=4 BIG=0x1e40000000
// A step that only the launch tells and that goes round 32 bits: lanes that are on have places near each other, and those between
// them are off.
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint gid = get_global_id(0);
  uint step = (uint)big, shift = (uint)(big >> 32);
  __global uint* own = out + 5 * gid;
  for (int k = 0; k < 5; ++k) own[k] = k;
  int fourth = (int)(gid * step), shifted = (int)(gid << shift), down = (int)(3u - gid * (step * 3u));
  if ((gid & 3) == 0) own[0] = in[fourth];
  if ((gid & 3) == 0) out[fourth + 5 * (int)gid + 1] = in[gid];
  if (shifted >= 0 && shifted < 64) own[2] = in[shifted] + in[shifted + 1];
  for (uint k = 0; k < 4; ++k) {
    if (((gid + k) & 3) == 0) own[3] += in[(int)((gid + k) * step) + (int)k];
  }
  if (down >= 0 && down < 64) own[4] = in[down];
}
