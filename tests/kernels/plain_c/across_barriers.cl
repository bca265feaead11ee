// N=200 GROUP=32 OUT=3 IN=4
// Private memory that pointers, records and pointers to pointers reach on both sides of barriers, also in a loop.
uint mix_(uint* p, uint k) {
  uint s = *p;
  p[k & 1] += 3;
  return s * 5;
}
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint gid = get_global_id(0);
  uint a[4], b = in[gid];
  struct {
    uint* p;
    uchar k;
  } r;
  uint* q = a + 1;
  uint** pp = &q;
  for (int i = 0; i < 4; i++) a[i] = in[gid * 4 + i];
  r.p = b & 1 ? a : a + 2;
  r.k = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (b & 2) {
    *r.p += 7;
    q = &b;
  }
  r.p[r.k]++;
  for (uint j = 0; j < (n & 3) + 2; j++) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[gid * 4 + (j & 3)] & 4) {
      **pp ^= j;
      *pp = &a[j & 3];
    }
    r.k ^= (uchar)j & 1;
    b += mix_(a + (j & 1), *q);
    barrier(CLK_LOCAL_MEM_FENCE);
    r.p = r.p == a ? a + 1 : a;
  }
  out[gid * 3] = b + *q;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[gid * 3 + 1] = (uint)(r.p - a) + r.k * 8u;
  out[gid * 3 + 2] = a[0] ^ a[1] * 3 ^ a[2] * 5 ^ a[3] * 7;
}
