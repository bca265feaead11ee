// Records without alignment: a Row has an odd size, so that an array of them puts each member at every alignment. All memory of
// these kernels lies in such records, so that no access may be wider than a byte where the machine needs alignment.
typedef struct {
  long c, l;
  float4 v;
} Aligned;
typedef struct __attribute__((packed)) {
  char c;
  float4 v;
  int2 w;
  long l;
  short s;
  Aligned in;
  int x[3];
  float4 a[2];
  int m[2][2];
} Row;  // 127 bytes
typedef struct {
  char c, d;
  Row row;
  long y __attribute__((packed));
  float4 z __attribute__((packed));
  int x[3] __attribute__((packed));
} Outer;  // 165 bytes
#pragma pack(push, 1)
typedef struct {
  char c;
  float4 v;
  long l;
  int x[3];
} Pragma;  // 37 bytes
#pragma pack(pop)

// Values of assignments and steps: C has no references to what was assigned to.
__kernel void chains(__global Row *q, int i) {
  q[0].v = q[1].v = q[2].v;
  q[2].v.x = (q[3].v = q[1].a[i]).y;
  q[0].l = q[1].l = q[2].l + i;
  q[2].l = ++q[3].l;
  q[3].l = q[2].l--;
  q[3].w = q[0].w++;
  q[1].in = q[2].in = q[0].in;
  q[2].a[0] += (q[3].a[1] *= 2.0f);
  q[1].a[1] = (q[0].a[0] += q[0].a[1] * q[1].a[0]);
}

__kernel void choices(__global Row *q, int i) {
  q[0].v = i ? q[1].v : q[2].v;
  q[0].l = i ? q[2].l : q[1].l;
  q[0].in = i ? q[1].in : q[2].in;
  q[1].v = (i++, q[2].a[0]);
  q[1].l = (i--, q[3].l) + 1;
  q[3] = i ? q[2] : q[1];
  q[2].s = q[1].l && q[1].v.x != 0 ? q[1].s : 2;
}

__kernel void subscripts(__global Row *q, int i) {
  q[0].v[i] = q[1].v[i + 1];
  q[0].w[i]++;
  q[1].w[i] <<= i;
  q[2].w[i & 1] /= i + 1;
  q[0].x[i] = q[1].x[i + 1];
  q[1].x[i] /= i + 1;
  --q[2].x[i + 1];
  q[1].a[i][i + 1] += 2.0f;
  q[0].a[i].x = q[1].a[i].y;
  q[0].m[i][0] = q[1].m[0][i];
  q[1].m[i][i] *= 3;
  q[3].in.v[i] = q[2].in.v[i + 2];
}

__kernel void parts(__global Row *q, int i) {
  q[0].v.xy = q[1].v.zw;
  q[0].v.zw *= 2.0f;
  q[1].v.hi = q[1].v.lo = q[2].v.even;
  q[i].w.yx = q[i + 1].w;
  q[2].w.x++;
  --q[2].w.y;
  q[3].w.xy++;
  q[2].a[i].wzyx = q[1].a[i];
  q[3].a[i].yz += q[3].a[i].xw * q[0].a[i].xy;
  q[3].in.v.xy = q[0].in.v.zw;
}

__kernel void nested(__global Outer *o, __global Pragma *p, int i) {
  o[0].row.v = o[1].row.in.v;
  o[i].row.in.v.x = 2;
  o[i].row.in.v[i] = 3;
  o[i].row.in.l++;
  o[0].row.in.v.xy = o[1].row.a[i].zw;
  o[0].y += o[1].y--;
  o[0].z = o[1].z;
  o[1].z.yz += 2.0f;
  o[0].x[i] = o[1].x[i + 1] + (int)o[1].z[i];
  o[1].row.w -= o[0].row.w;
  p[0].v = p[1].v;
  p[0].v.xy *= p[1].v.zw;
  p[1].v[i] = p[0].v[i];
  p[0].l = p[1].l++;
  p[i].x[i] = p[0].x[i + 1];
  p[2] = p[1];
}

float4 twice(float4 a) { return a + a; }
Row turned(Row a) {
  a.v = a.v.wzyx;
  a.w[1]++;
  return a;
}

__constant Row kTable[2] = {{1, (float4)(1, 2, 3, 4), (int2)(5, 6), 7}, {2, (float4)(9), (int2)(8, 7), 6}};

// Rows in every kind of memory.
__kernel void places(__global Row *q, Row value, __local Row *own, int i) {
  __local Row shared[2];
  Row mine[2];
  q[0].v = twice(value.v);
  q[0].l = value.l;
  q[0].w[i] = value.w[i & 1];
  own[i] = q[2];
  own[i].v.xy = kTable[i].v.zw;
  own[i].v[2] = kTable[i].v[i];
  shared[i] = turned(q[3]);
  shared[i].l = kTable[i].l;
  mine[0] = value;
  mine[i] = own[i];
  mine[i].a[0] = mine[i & 1].v;
  mine[i].v[i + 1] = 77;
  mine[i].l++;
  barrier(CLK_LOCAL_MEM_FENCE);
  q[1] = shared[i];
  q[2] = mine[i];
  q[3].w = kTable[0].w;
}

__kernel void calls(__global Row *q, int i) {
  q[0].v = fma(q[1].v, q[2].v, q[3].v);
  q[1].v = select(q[1].v, q[2].v, as_int4(q[3].v) < 0);
  q[2].l = max(q[1].l, q[2].l);
  q[2].v.x = dot(q[1].v, q[3].v);
  q[3].w = convert_int2(q[3].v.xy) - -q[2].w;
  q[1].a[0] = (float4)(q[0].w.x, q[2].v.yzw);
  q[1].a[1] = 3.0f;
  __global Row *next = q + i;
  (*next).in.v = (next - 1)->a[0];
  float four[4] = {1, 2, 3, 4};
  (&next[1])->in.v = vload4(0, four);
  while (q[3].l > 1) q[3].l >>= 1;
  switch (q[2].x[i]) {
    case 1:
      q[2].s = 1;
      break;
    default:
      q[2].s += 3;
  }
}
