// N=300 GROUP=20 OUT=8 IN=4
// Private arrays that are reached through pointers in memory: in records, copies of them, and behind pointers to pointers.
typedef struct { uint* first; int count; } view;
typedef struct { view inner; uint more; } nested;
typedef struct { __global const uint* at; uint left; } reader;
uint total(view v) {
  uint sum = 0;
  for (int i = 0; i < v.count; i++) sum = sum * 3 + v.first[i];
  return sum;
}
void put(view* v, uint at, uint value) { v->first[at] += value; }
view made(uint* first) {
  view v;
  v.first = first;
  v.count = 12;
  return v;
}
uint next(__global const uint** p) {
  uint value = **p;
  (*p)++;
  return value;
}
uint taken(reader* r) {
  r->left--;
  return *r->at++;
}
void swapped(uint* a, uint* b) {
  uint first = *a;
  *a = *b;
  *b = first;
}
void chosen(__global const uint* in, __global const uint** out, uint g) { *out = in + g; }
__kernel void t(__global uint* out, __global const uint* in, uint n, ulong big) {
  uint g = get_global_id(0);
  if (g >= n) return;
  uint a[12], x = in[g] % 12;
  view v = {a, 12};
  for (int i = 0; i < 12; i++) v.first[i] = i;
  v.first[x] += g;
  out[8 * g] = total(v);
  view w = v;
  put(&w, in[g + 1] % 12, 5);
  out[8 * g + 1] = total(v);
  nested nest = {made(a), 3};
  *(nest.inner.first + x) ^= nest.more;
  out[8 * g + 2] = total(nest.inner);
  uint *q = a, **r = &q;
  (*r)[x] += 7;
  *r += 2;
  out[8 * g + 3] = **r + total(v);
  __global const uint* p = in + g;
  uint first = next(&p);
  out[8 * g + 4] = first + 66 + (next(&p) - first - 1);
  reader source = {in + 4 * g, 4};
  uint sum = 0;
  while (source.left) sum = sum * 5 + taken(&source);
  out[8 * g + 5] = sum;
  swapped(&a[x], &a[11 - x]);
  uint* rows[3] = {a, a + 4, a + 8};
  rows[x % 3][1] += 9;
  out[8 * g + 6] = total(v) + *rows[g % 3];
  __global const uint* far;
  chosen(in, &far, g);
  out[8 * g + 7] = far[1] + (uint)(far - in);
}
