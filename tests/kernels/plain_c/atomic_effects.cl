// N=300 GROUP=64 OUT=6 IN=2
// Atomic functions with effects in their place and their operand, by pointers that walk.
#ifdef PLAIN_C
static uint atomic_add(uint* p, uint v) {
  uint o = *p;
  *p += v;
  return o;
}
static uint atomic_xchg(uint* p, uint v) {
  uint o = *p;
  *p = v;
  return o;
}
static uint atomic_inc(uint* p) { return (*p)++; }
static uint atomic_cmpxchg(uint* p, uint c, uint v) {
  uint o = *p;
  if (o == c) *p = v;
  return o;
}
static uint atomic_max(uint* p, uint v) {
  uint o = *p;
  if (v > o) *p = v;
  return o;
}
#endif
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint gid = get_global_id(0);
  volatile __global uint *own = (volatile __global uint*)out + gid * 6, *p = own;
  for (int i = 0; i < 6; i++) own[i] = i + 1;
  uint v = in[gid * 2] & 255, k = 0, s = 0;
  s += atomic_add(own + k++, v++);
  s = s * 3 + atomic_xchg(&own[k++], --v);
  if (v & 1) s = s * 3 + atomic_inc(p++ + 2);
  s = s * 3 + atomic_cmpxchg(p + 3, (k & 1) + 3, v++ & 0xFF);
  while (k < 5) atomic_max(&own[k++], v >> 2);
  for (uint j = 0; j < (v & 3); j++) atomic_add((v & 4 ? p : own) + j, j + 1);
  own[5] += s * 8 + k;
}
