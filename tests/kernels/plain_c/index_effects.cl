// N=256 GROUP=32 OUT=3 IN=1
// An index with an effect, of a place that is read and written.
__kernel void t(__global uint *out, __global const uint *in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  uint a = in[gid], t[8] = {1, 2, 3, 4, 0, 0, 0, 0};
  int k = 0, m = 0, p = 2;
  while (k < 4) t[k++] += a;
  out[3 * gid] = t[0] + t[1] + t[2] + t[3];
  t[m++]++;
  t[(m += 1) & 7] ^= 5;
  out[3 * gid + 1] = m + 0 * t[0];
  out[3 * gid + 2] = a;
  out[3 * gid + p++] += 5;
}
