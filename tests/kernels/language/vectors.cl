// Vector types: literals, components, operators. Each work-item reads 16 elements and writes up to 32.
#define ITEM                                            \
  __global const int *a = in + get_global_id(0) * 16;   \
  __global int *r = out + get_global_id(0) * 32
#define ARGS __global const int *in, __global int *out, int n

__kernel void literals(ARGS) {
  ITEM;
  int2 p = (int2)(a[0], a[1]);
  int4 v = (int4)(p, a[2], n);
  int8 w = (int8)(v, p, (int2)(7, 8));
  int16 x = (int16)(w, w.hi, (int4)(1));
  int3 t = (int3)(a[3], p);
  int4 brace = {a[4], a[5], n, 4};
  int4 one = (int4)a[6];
  int4 mixed = (int4)((short)a[7], (char)1, 2u, 3L);
  vstore4(v, 0, r);
  vstore3(t, 0, r + 4);
  vstore4(brace, 0, r + 8);
  vstore4(one + (int4)(int4)(0, 1, 2, 3) * (int4)(short)n / (int4)(int)(n), 0, r + 12);
  vstore4(mixed, 0, r + 16);
  vstore4(x.s89ab, 5, r);
  vstore8(x.even, 3, r);
}

__kernel void components(ARGS) {
  ITEM;
  int4 v = vload4(0, a);
  int8 w = vload8(1, a);
  int16 x = vload16(0, a);
  vstore4(v.wzyx, 0, r);
  vstore4(v.xxyy, 1, r);
  vstore2(v.s13, 4, r);
  vstore2(w.lo.hi, 5, r);
  vstore4(w.odd, 3, r);
  vstore4(x.sfEdC, 4, r);
  vstore4(x.hi.even, 5, r);
  vstore2(v.lo, 12, r);
  vstore2(v.hi, 13, r);
  int3 t = (int3)(1, 2, 3);
  r[28] = t.z + t.s0;
  r[29] = v.x + v.s1 + x.s7 + x.sa + x.sB;
  vstore2(t.zy.yx, 15, r);
}

__kernel void writing_components(ARGS) {
  ITEM;
  int4 v = vload4(0, a), w = vload4(1, a);
  int8 x = (int8)(0);
  v.x = n;
  v.zw = w.xy;
  w.yx = w.xy;
  x.s0246 = v;
  x.odd = w;
  x.hi.lo = (int2)(1, 2);
  x.s7 = x.s0 + 5;
  vstore4(v, 0, r);
  vstore4(w, 1, r);
  vstore8(x, 1, r);
  __private int3 t = (int3)(4, 5, 6);
  t.xz = t.zx;
  vstore3(t, 0, r + 16);
}

__kernel void compound_assignments(ARGS) {
  ITEM;
  int4 v = vload4(0, a), w = vload4(1, a);
  v += w;
  v.xy -= w.zw;
  v.z *= 3;
  w <<= 2;
  w.s03 ^= v.s12;
  w >>= (int4)(0, 1, 2, 3);
  v |= 8;
  v.wx &= (int2)(0xff, 0xffff);
  v.y /= 7;
  w %= 1000;
  vstore4(v, 0, r);
  vstore4(w, 1, r);
  v++;
  --v.x;
  w = v--;
  w.y += v.y++;
  vstore4(v, 2, r);
  vstore4(w, 3, r);
}

__kernel void operators(ARGS) {
  ITEM;
  int4 v = vload4(0, a), w = vload4(1, a);
  vstore4(v + w * 2 - n, 0, r);
  vstore4(-v / (w | 1), 1, r);
  vstore4(v % 7 + ~w, 2, r);
  vstore4((v & w) ^ (v | 5), 3, r);
  vstore4((v << 3) + (w >> 1), 4, r);
  vstore4(+v - (int4)(1, 2, 3, 4) * w, 5, r);
  uint4 u = convert_uint4(w & 0xffff);
  vstore4(convert_int4(u / 3u + (u >> 4)), 6, r);
  vstore4(convert_int4((v, u)), 7, r);
}

__kernel void comparisons(ARGS) {
  ITEM;
  int4 v = vload4(0, a), w = vload4(1, a);
  vstore4(v < w, 0, r);
  vstore4((v >= 0) & (w > v), 1, r);
  vstore4(v == v.yxwz, 2, r);
  vstore4((v != w) + (v <= 3), 3, r);
  vstore4(!v + !(v - v), 4, r);
  vstore4((v > 0) && (w > 0), 5, r);
  vstore4((v > 0) || w, 6, r);
  float2 f = convert_float2(v.xy);
  int2 less = f < 0.5f;
  r[28] = less.x;
  r[29] = less.y;
  short2 narrow = (short2)(1, 2) < (short2)(2, 1);
  r[30] = narrow.x;
  r[31] = any(v > w) * 2 + all(v == v);
}

__kernel void selection(ARGS) {
  ITEM;
  int4 v = vload4(0, a), w = vload4(1, a);
  vstore4(v > w ? v : w, 0, r);
  vstore4(v < 0 ? -v : (int4)(n), 1, r);
  vstore4(n > 2 ? v : w, 2, r);
  vstore4(select(v, w, v > w), 3, r);
  vstore4(w ? (int4)(1) : v, 4, r);
  float4 f = v > w ? (float4)(1.5f) : (float4)(0.25f, 0.5f, 0.75f, 1.0f);
  vstore4(convert_int4(f * 4.0f), 5, r);
  vstore4(bitselect(v, w, (int4)(0xff, 0, -1, 0xf0f0)), 6, r);
  vstore4(max(min(v, w), 5), 7, r);
}

__kernel void functions_of_vectors(ARGS) {
  ITEM;
  int4 v = vload4(0, a), w = vload4(1, a);
  vstore4(convert_int4(abs(v)), 0, r);
  vstore4(clamp(v, -50, 50), 1, r);
  vstore4(mad24(v & 0xff, w & 0xff, v), 2, r);
  vstore4(rotate(v, (int4)(1, 31, 32, n)), 3, r);
  vstore4(shuffle(v, (uint4)(3, 3, 0, 1)), 4, r);
  vstore8(shuffle2(v, w, (uint8)(7, 6, 5, 4, 0, 1, 2, 11)), 3, r);
}

int4 twice(int4 v) { return v + v; }
int first(int4 v) { return v.x; }
void store(int4 *to, int4 v, int lane) {
  *to = v;
  to->w = lane;
  (*to).y += 1;
}

__kernel void through_functions_and_pointers(ARGS) {
  ITEM;
  int4 v = vload4(0, a), array[2];
  store(&array[0], twice(v), n);
  store(array + 1, v.wzyx, first(v));
  int4 *p = array;
  int4 sum = p[0] + p[1] + *p;
  p++;
  p->xy = (int2)(p->y, 9);
  vstore4(sum, 0, r);
  vstore4(array[0], 1, r);
  vstore4(array[1], 2, r);
  r[12] = twice(v).z + array[1].s3;
  __global int4 *g = (__global int4 *)r;
  g[4] = v;
  g[5].zw = v.xy;
  g[5].x = 1;
  g[5].y = sizeof(int3) + vec_step(int3) + sizeof(v.xyz);
  g[6] = ((__global const int4 *)a)[1];
}
