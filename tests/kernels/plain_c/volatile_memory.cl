// N=300 GROUP=64 OUT=3 IN=2
// Volatile variables, arrays, members and global memory, also as counters.
struct V {
  volatile uint a;
  uint b;
};
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint gid = get_global_id(0);
  volatile uint x = in[gid * 2];
  volatile char c = (char)x;
  volatile uint arr[4] = {1, 2, 3, 4};
  struct V v = {x, c};
  volatile __global uint* o = out + gid * 3;
  x++;
  x *= 3;
  c <<= 1;
  arr[x & 3] += x;
  v.a -= v.b++;
  volatile uint* p = &x;
  *p ^= arr[(uint)c & 3];
  o[0] = x;
  o[0] += c;
  for (volatile int i = 0; i < 3; i++) o[0] = o[0] * 3 + arr[i];
  o[1] = v.a;
  o[2] = v.b + arr[3];
}
