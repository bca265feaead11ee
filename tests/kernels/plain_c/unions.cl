// N=300 GROUP=64 OUT=3 IN=2
// Unions with arrays and records, by value, by pointers and in arrays.
union U {
  uint w[2];
  ulong l;
  uchar b[8];
  float f;
  struct {
    short lo, hi;
  } h;
};
ulong turn(union U u, int k) {
  u.b[k & 7] ^= 0x40;
  u.h.hi -= k;
  return u.l;
}
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint gid = get_global_id(0);
  union U u, many[3];
  u.l = 0;
  u.w[gid & 1] = in[gid];
  u.b[5]++;
  union U* p = &u;
  p->h.lo += 300;
  for (int i = 0; i < 3; i++) {
    many[i] = u;
    many[i].w[0] += i;
    u.l = turn(many[i], (int)in[gid + 1] + i);
  }
  union U* q = many + (in[gid] & 1);
  q[1].b[3] = q->b[2];
  *q = *p;
  q->w[1]--;
  u.f = (float)(gid & 15);
  u.w[0] >>= 20;
  uint s = 0;
  for (int i = 0; i < 3; i++) s = s * 3 + many[i].w[0] + many[i].w[1] * 5;
  out[gid * 3] = s;
  out[gid * 3 + 1] = u.w[0] ^ u.w[1];
  out[gid * 3 + 2] = (uint)(turn(u, 3) >> 16);
}
