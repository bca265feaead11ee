// N=128 GROUP=32 OUT=4 IN=3
// Constants and values that go to places without alignment, of private memory and of the buffer.
#pragma pack(1)
struct P {
  uchar a;
  ushort h;
  uint b;
  float f;
  ulong w;
};
struct Q {
  uchar a;
  ushort h;
  uint b;
};
#pragma pack()
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint i = get_global_id(0), v = in[i * 3];
  struct P s = {1, 2, 3, 4.0f, 5};
  struct P* p = &s;
  p->h = 7;
  p->b = 0x12345678u;
  p->f = -1.5f;
  p->w = 0x1122334455667788ul;
  if (v & 1) p->b = v;
  __global uchar* bytes = (__global uchar*)(out + i * 4);
  __global struct Q* g = (__global struct Q*)(bytes + 1);
  g->h = 9;
  g->b = 77;
  if (v & 2) g->b = v ^ 5;
  g->a = (uchar)(s.a + s.h);
  bytes[0] = 1;
  for (int k = 8; k < 12; k++) bytes[k] = (uchar)k;
  out[i * 4 + 3] = s.b + (uint)s.w + (uint)(int)(s.f * 2.0f) + (uint)(s.w >> 32);
}
