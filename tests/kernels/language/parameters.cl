// Parameters of every kind: scalars, vectors, typedefs, structs and unions by value, enums, constant and local pointers.
typedef unsigned int index_t;
typedef float4 color;
typedef __global int *target_t;
typedef enum { PLAIN, NEGATED = 5, DOUBLED } mode_t_;

typedef struct {
  int first;
  float4 color;
  short3 steps;
  char tag;
} Settings;

struct Nested {
  Settings settings[2];
  union {
    uint bits;
    float real;
  };
  struct {
    uchar r, g, b;
  } pixel;
  ulong last;
};

typedef struct __attribute__((packed)) {
  char a;
  int b;
  double c;
} Packed;

__kernel void scalars(target_t out, char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, index_t j,
                      uint k, unsigned l, const volatile int m, unsigned char n, long int o) {
  __private int at = 0;
  out[at++] = a;
  out[at++] = b;
  out[at++] = c;
  out[at++] = d;
  out[at++] = e;
  out[at++] = f > 0x80000000 ? 1 : 0;
  out[at++] = (int)(g >> 32);
  out[at++] = (int)(h >> 32);
  out[at++] = (int)(i * 4.0f);
  out[at++] = (int)j;
  out[at++] = (int)k;
  out[at++] = (int)l + m + n + (int)o;
}

__kernel void vectors(__global int *out, char2 a, uchar3 b, short4 c, int8 d, uint16 e, long3 f, float2 g, color h) {
  int at = 0;
  out[at++] = a.x * 10 + a.y;
  out[at++] = b.x * 100 + b.y * 10 + b.z;
  out[at++] = c.x + c.y + c.z + c.w;
  out[at++] = d.s0 + d.s7;
  out[at++] = (int)(e.s0 + e.sf);
  out[at++] = (int)(f.x + f.y + f.z);
  out[at++] = (int)(g.x * g.y);
  out[at++] = (int)(h.x + h.y + h.z + h.w);
}

float total(const Settings s) { return s.color.x + s.color.w + (float)s.first; }
Settings changed(Settings s, int by) {
  s.first += by;
  s.color.xy = s.color.yx;
  s.steps.z = (short)by;
  return s;
}

__kernel void records(__global int *out, Settings s, struct Nested n, const Packed p, mode_t_ mode, int other) {
  enum { LOCAL = 3 };
  int at = 0;
  Settings t = changed(s, 10);
  out[at++] = s.first;
  out[at++] = (int)(total(s) * 2.0f);
  out[at++] = s.steps.x + s.steps.y * 10 + s.steps.z * 100 + s.tag;
  out[at++] = t.first + t.steps.z;
  out[at++] = (int)(t.color.x * 10.0f + t.color.y);
  out[at++] = (int)total(n.settings[1]) + n.settings[0].tag;
  out[at++] = n.bits == as_uint(n.real);
  out[at++] = n.pixel.r + n.pixel.g * 2 + n.pixel.b * 3;
  out[at++] = (int)(n.last >> 40);
  out[at++] = sizeof(Settings) * 10000 + sizeof(struct Nested) * 10 + sizeof(Packed);
  out[at++] = p.a + p.b + (int)p.c;
  out[at++] = mode == NEGATED ? -1 : mode == DOUBLED ? (int)other * LOCAL : 7;
}

__kernel void pointers(__global Settings *s, __constant int *table, __global const struct Nested *restrict n,
                       __local float4 *l, __local Settings *shared, __global int *out, __global int *nothing) {
  int i = get_local_id(0), count = get_local_size(0);
  l[i] = s[i].color * 2.0f;
  shared[i] = s[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  s[i].color = l[count - 1 - i];
  s[i].first = shared[(i + 1) % count].first + table[i & 3];
  s[i].steps.xy = (short2)(1, 2);
  (&s[i])->tag = (char)n->pixel.b;
  if (i == 0) out[0] = nothing == 0;
}

__kernel void nothing_at_all(void) {}
__kernel void no_list() {}
