// Objects in unusual places: compound literals as values and as objects, records that point to each other before they are
// complete, packed members, and steps and assignments of parts of vectors.
typedef struct {
  int a;
  float4 v;
  int t[3];
} parts;

__kernel void literals_as_values(__global int *o, int n) {
  o[0] = (int){7} + (int){n};
  parts s = (parts){1, (float4)(2), {3, 4, 5}};
  o[1] = s.a + (int)s.v.w + s.t[2];
  o[2] = ((parts){6, (float4)(1), {7, 8, 9}}).t[n & 1];
  o[3] = (parts){.a = n}.a;
  s = (parts){.t[1] = 8};
  o[4] = s.a * 100 + s.t[1] * 10 + s.t[2];
  o[5] = ((union {
           float f;
           int i;
         }){1.0f})
             .i;
  o[6] = (n ? (parts){.a = 5} : (parts){.a = 6}).a;
  o[7] = (int)sizeof((short[]){1, 2, 3}) + ((int4){1, 2, 3, 4}).w;
  (int){3};
  (void)(parts){1};
}

int third(const parts *p) { return p->t[2]; }
int first(parts s) { return s.a; }

__kernel void literals_as_objects(__global int *o, int n) {
  int *p = &(int){5};
  *p += n;
  o[0] = *p;
  parts *q = &(parts){.a = 4, .t[1] = 9};
  q->a += 2;
  q->v.xy += 1.0f;
  o[1] = q->a * 1000 + q->t[1] * 10 + (int)(q->v.x + q->v.z);
  o[2] = (&(parts){.a = n})->a + (int){n}++ + ((int){n} += 2);
  o[3] = third(&(parts){.t = {1, 2, 3}}) * 10 + third(&(parts){.t[2] = 4}) + first((parts){n}) * 100;
  int4 *v = &(int4){5, 6, 7, 8};
  v->yz++;
  o[4] = v->x + v->y * 10 + v->z * 100;
  int **m = (int *[]){&(int){3}, &(int){n}};
  o[5] = *m[1] * 10 + *m[0];
  o[6] = *(int *)&(float){1.0f};
  int *t = (parts){.t = {1, 2, 3}}.t;
  t[1] = 8;
  o[7] = t[1] * 10 + t[2];
}

__kernel void literals_of_arrays(__global int *o, int n) {
  o[0] = (int[]){1, 2, 3}[n & 1];
  int *p = (int[]){4, 5, 6};
  p[1] = n;
  o[1] = p[0] + p[1] * 10 + p[2] * 100;
  int(*q)[2] = &(int[2]){7, 8};
  o[2] = (*q)[1];
  int(*m)[2] = (int[][2]){{1, 2}, {3, 4}};
  o[3] = m[1][0] * 10 + m[0][1];
  parts *s = (parts[]){{1}, {2, .t = {3}}};
  o[4] = s[1].a * 10 + s[1].t[0];
  o[5] = (int)((const float[]){1, 2, 3, 4}[n]) + *(int[1]){n};
  int *c = n ? (int[]){1, 2} : (int[]){3, 4};
  o[6] = c[1];
  o[7] = (int)vload4(0, (float[]){1, 2, 3, 4}).z;
  (int[]){1, 2};
}

__kernel void literals_in_loops(__global int *o, int n) {
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    int *p = (int[]){i, i + 1};
    p[0]++;
    sum += p[0] * p[1];
  }
  o[0] = sum;
  int j = 0, *q = 0;
again: {
  int *p = &(int){j};
  if (q != 0) o[1] = q == p;
  q = p;
  *p += 1;
}
  if (j++ < 1) goto again;
  for (int *p = (int[]){3, 2, 1, 0}; *p; p++) o[2] += *p;
  switch (n & 1) {
    case 0:
      o[3] = *(int[]){5};
      break;
    default:
      o[3] = (int[]){6, 7}[1];
  }
  o[4] = j;
  if (n) o[5] = *&(int){n + 1};
  o[6] = o[7] = 0;
}

__kernel void literals_across_barriers(__global int *o, __local int *l) {
  int i = get_local_id(0), size = get_local_size(0);
  int *p = (int[]){i, i + 1, i + 2};
  int *s = &(int){i * 3};
  const parts *q = &(parts){.a = i};
  l[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  *s += 1;
  o[get_global_id(0)] = p[1] + 100 * l[(i + 1) % size] + 10000 * *s + q->a;
}

struct chain;
typedef struct ring ring;
typedef struct chain_user {
  struct chain *of;
} chain_user;
struct chain {
  struct chain *next;
  int v;
};
struct ring {
  ring *next;
  __global struct never_defined *never;
  int v;
};
int last(struct chain *c) {
  while (c->next) c = c->next;
  return c->v;
}

__kernel void incomplete_records(__global int *o, int n) {
  struct chain c = {0, n}, b = {&c, 2}, a = {&b, 1};
  o[0] = last(&a);
  chain_user user = {&b};
  o[1] = user.of->v * 10 + user.of->next->v;
  ring x, y;
  x.next = &y;
  y.next = &x;
  x.v = 4;
  y.v = 5;
  o[2] = x.next->next->v * 10 + x.next->v;
  struct inner_a {
    struct inner_b *b;
    int i;
  } ia;
  struct inner_b {
    struct inner_a *a;
    int j;
  } ib;
  ia.b = &ib;
  ib.a = &ia;
  ia.i = 6;
  ib.j = 7;
  o[3] = ia.b->a->i * 10 + ib.a->b->j;
}

__kernel void opaque(__global struct unknown *u, __global int *o) { o[0] = u == 0; }

typedef struct {
  char a;
  int x[2] __attribute__((packed));
} packed_member;  // 9 bytes: the specification's own example
typedef struct {
  char a;
  __attribute__((packed)) int x;
  int y;
} packed_first;
typedef struct {
  char a;
  int x __attribute__((packed, aligned(2)));
} packed_aligned;
typedef struct {
  char a;
  int x __attribute__((packed)) __attribute__((aligned(8)));
  char b;
} packed_wide;
typedef struct {
  char a;
  int x, y __attribute__((packed)), z;
} packed_one;
typedef struct {
  char a;
  float4 v __attribute__((packed));
} packed_vector;
typedef struct __attribute__((packed)) {
  char c;
  float4 v;
  int4 w;
  int i;
  short s;
  bool b;
} packed_all;

__kernel void packed_sizes(__global int *o) {
  o[0] = sizeof(packed_member);
  o[1] = sizeof(packed_first);
  o[2] = sizeof(packed_aligned);
  o[3] = sizeof(packed_wide);
  o[4] = sizeof(packed_one);
  o[5] = sizeof(packed_vector);
  o[6] = sizeof(packed_all);
  o[7] = __alignof__(packed_wide);
}

// The alignment of a typedef stands in for the type's own: where that does not count, neither does the typedef's.
typedef int int_by_8 __attribute__((aligned(8)));
typedef int int_by_2 __attribute__((aligned(2)));
typedef int_by_8 int_by_4 __attribute__((aligned(4)));
typedef struct { char a; int_by_8 x; } by_8;
typedef struct { char a; int_by_8 x __attribute__((packed)); } by_8_packed;
typedef struct __attribute__((packed)) { char a; int_by_8 x; char b; } by_8_in_packed;
typedef struct { char a; int_by_8 x __attribute__((packed, aligned(4))); } by_8_packed_by_4;
typedef struct { char a; int_by_8 x, y __attribute__((packed)); } by_8_twice;
typedef struct { char a; int_by_2 x, y[2]; } by_2;
typedef struct { char a; int_by_4 x; } by_4;
typedef struct { char a; __attribute__((aligned(16))) int_by_8 x __attribute__((packed)); } by_16;
typedef struct { char a; int_by_2 *x; } by_2_pointer;

__kernel void aligned_typedefs(__global int *o, int n) {
  o[0] = sizeof(by_8) * 100 + __alignof__(by_8);
  o[1] = sizeof(by_8_packed) * 100 + __alignof__(by_8_packed);
  o[2] = sizeof(by_8_in_packed) * 100 + __alignof__(by_8_in_packed);
  o[3] = sizeof(by_8_packed_by_4) * 100 + __alignof__(by_8_packed_by_4);
  o[4] = sizeof(by_8_twice) * 100 + __alignof__(by_8_twice);
  o[5] = sizeof(by_2) * 100 + __alignof__(by_2);
  o[6] = sizeof(by_4) * 100 + __alignof__(by_4);
  o[7] = sizeof(by_16) * 100 + __alignof__(by_16);
  o[8] = sizeof(by_2_pointer) * 100 + __alignof__(by_2_pointer);
  by_8_packed p[3];
  by_2 q[3];
  for (int i = 0; i < 3; ++i) p[i].x = q[i].x = q[i].y[i & 1] = n + i;
  p[n & 1].x += q[2].y[0]++;
  o[9] = p[1].x * 100 + q[2].y[0] * 10 + q[1].x;
}

typedef struct __attribute__((packed)) { char c; float4 v; } packed_quad;

// Parts of packed vectors that are changed and then read, by whatever name: the compiler may not take them for other memory.
__kernel void packed_parts(__global float *o) {
  packed_quad q[2], alone;
  int k = 0;
  q[1].v = 1.0f;
  q[++k].v.xy *= 4.0f;
  o[0] = q[1].v.x + q[1].v.z;
  alone.v = 1.0f;
  alone.v.xy += 4.0f;
  alone.v += 1.0f;
  o[1] = alone.v.x * 10.0f + alone.v.w;
}

__kernel void packed_storage(__global int *o, int n) {
  packed_member m;
  m.x[0] = n;
  m.x[1] = 2;
  m.x[1] += m.x[0]++;
  o[0] = m.x[0] * 10 + m.x[1];
  packed_all p[2];
  packed_all *q = p;
  q->v = (float4)(n);
  q->v.xy += 1.0f;
  q->v.lo = q->v.hi;
  q->v.zw *= (float2)(2, 4);
  o[1] = (int)(q->v.x + 10 * q->v.y + 100 * q->v.z + 1000 * q->v.w);
  q->w = (int4)(n);
  q->w.xy++;
  --q->w.hi;
  int4 before = q->w++;
  o[2] = q->w.x + 10 * q->w.w + 100 * before.x;
  (q++)->w.odd -= 2;
  q--;
  q->w /= 2;
  q->w.x <<= 2;
  o[3] = q->w.x + 10 * q->w.y + 100 * q->w.z;
  q->i = 17;
  (q++)->i /= n;
  (--q)->i %= 4;
  q->s = 9;
  q->s /= 2;
  q->s >>= 1;
  q->b = true;
  q->b++;
  o[4] = q->i * 100 + q->s * 10 + q->b;
  p[1] = p[0];
  q[1].v.x += q->v.y * q->v.z;
  q[1].v.yz += q->v.xy * q->v.zw;
  o[5] = (int)(q[1].v.x + 100 * q[1].v.y + 1000 * q[1].v.z);
  o[6] = (int)sizeof(packed_all);
  p[1].w[n & 3]++;
  o[7] = p[1].w[n & 3] - p[0].w[n & 3];
}

__kernel void parts_of_vectors(__global int *o, int n) {
  int4 a = (int4)(n);
  a.xy++;
  --a.hi;
  int2 b = a.lo++;
  o[0] = a.x + a.y * 10 + a.z * 100 + a.w * 1000 + b.x * 10000;
  int4 *p = &a;
  p->yz--;
  (*p).even++;
  int2 c = ++p->odd;
  o[1] = a.x + a.y * 10 + a.z * 100 + a.w * 1000 + c.x * 10000;
  __global int4 *g = (__global int4 *)(o + 4);
  g->xw++;
  g[0].s21--;
  g++->xy++;
  o[2] = (int)(g - (__global int4 *)(o + 4));
  uchar4 u = (uchar4)(255, 0, 7, 7);
  u.xy = u.yx;
  u.zx--;
  o[3] = u.x + u.y * 1000 + u.z * 1000000;
}
