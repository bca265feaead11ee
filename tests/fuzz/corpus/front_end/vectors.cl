typedef struct { float4 position; uchar4 color; int kind; } Particle;
enum Kind { DUST, STAR = 5, HOLE };
constant float weights[3] = {0.25f, .5f, 0x1p-2f};
float2 turn(float2 v) { return (float2)(-v.y, v.x); }
__kernel void move(__global Particle* p, float16 m) {
  float4 a = p[get_global_id(0)].position, b = (float4)(a.xy, turn(a.zw));
  a.s03 = b.hi; b.lo += convert_float2((int2)(1, 2));
  p->position = select(a, b, a > b) * m.s0123 + weights[1];
  switch (p->kind) { case DUST: p->color.w = 255; break; case STAR: default: ; }
  int4 q = a.x != b.x ? (int4)(7) : as_int4(vload4(0, (__global float*)p));
  do { q--; } while (any(q > 0));
}
