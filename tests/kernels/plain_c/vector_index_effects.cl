// N=256 GROUP=32 OUT=4 IN=1
// An index with an effect happens once, also where the place is used for each component or member.
struct R {
  uint x;
  uint y[2];
};
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  size_t gid = get_global_id(0);
#ifdef PLAIN_C
  out[4 * gid] = 2, out[4 * gid + 1] = 3, out[4 * gid + 2] = 2, out[4 * gid + 3] = 1;
#else
  uint a = in[gid], keep[8] = {0}, sum = 0;
  uint2 v[8];
  struct R r = {a, {1, 2}}, rs[4];
  int k = 0, m = 0, p = 0, q = 0;
  for (int i = 0; i < 2; i++) {
    uint4 w = vload4(k++, in);
    sum += w.y;
  }
  for (int i = 0; i < 3; i++) v[m++] = (uint2)(a, i);
  for (int i = 0; i < 2; i++) vstore2((uint2)(a, 1), p++, keep);
  rs[q++] = r;
  out[4 * gid] = k + 0 * sum;
  out[4 * gid + 1] = m + 0 * v[0].x;
  out[4 * gid + 2] = p + 0 * keep[0];
  out[4 * gid + 3] = q + 0 * rs[0].x;
#endif
}
