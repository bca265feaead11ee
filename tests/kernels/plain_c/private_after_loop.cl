// N=256 GROUP=32 OUT=2 IN=4
// Private objects that a pointer reaches after a loop, which names them no more.
struct S { uint x, y; };
__kernel void t(__global uint *out, __global const uint *in, uint n, ulong big) {
  size_t gid = get_global_id(0);
  uint a[4] = {in[4 * gid], in[4 * gid + 1], in[4 * gid + 2], in[4 * gid + 3]};
  struct S s = {in[4 * gid], 3};
  struct S *ps = &s;
  uint *p = a, *best = a;
  uint sum = 0;
  for (int i = 0; i < 4; i++) {
    sum = sum * 7 + p[i];
    if (p[i] > *best) best = p + i;
  }
  if (gid < n) {
    out[2 * gid] = sum;
    out[2 * gid + 1] = ps->x * ps->y;
  }
}
