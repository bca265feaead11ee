// N=300 GROUP=64 OUT=4 IN=4
// float3 in arrays and records takes 16 bytes, vload3 and vstore3 go by 12.
#ifdef PLAIN_C
typedef struct {
  _Alignas(16) float x;
  float y, z, w;
} float3;
#endif
struct Body {
  float3 p;
  uint id;
  float3 v;
};
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint gid = get_global_id(0);
  float3 a[3];
  struct Body b[2];
  float s = 0;
  for (int i = 0; i < 3; i++) {
    a[i].x = (float)(in[gid * 4 + i] & 255);
    a[i].y = (float)i;
    a[i].z = (float)(in[gid * 4 + i] >> 8 & 15);
  }
  for (int i = 0; i < 2; i++) {
    b[i].p = a[i + (in[gid * 4] & 1)];
    b[i].id = gid + i;
    b[i].v = a[2 - i];
  }
  struct Body* p = b + (in[gid * 4 + 3] & 1);
  p->p.x += p->v.y;
  p->v.z *= 2;
  p->id++;
  float* f = (float*)p;
  f[1] += 3;
  for (float3* q = a; q < a + 3; q++) s = s * 2 + q->x + q->y - q->z;
  for (int i = 0; i < 2; i++) s += b[i].p.x * 3 + b[i].p.y + b[i].p.z + b[i].v.x + b[i].v.y * 5 + b[i].v.z;
  uint words[8] = {0};
#ifdef PLAIN_C
  words[(gid & 1) * 3] = in[gid * 4];
  words[(gid & 1) * 3 + 1] = in[gid * 4 + 1];
  words[(gid & 1) * 3 + 2] = in[gid * 4 + 2];
#else
  vstore3(vload3(0, in + gid * 4), gid & 1, words);
#endif
  out[gid * 4] = as_uint(s);
  out[gid * 4 + 1] = b[0].id + b[1].id * 3;
  out[gid * 4 + 2] = words[1] + words[3] * 3 + words[4] * 5;
  out[gid * 4 + 3] = (uint)sizeof(struct Body) + (uint)((uchar*)&b[1] - (uchar*)b);
}
