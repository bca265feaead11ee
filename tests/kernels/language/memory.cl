// Memory: structs and their copies, pointers to pointers, arrays of arrays, vload and vstore, async copies, atomics.
typedef struct Node {
  int value;
  struct Node *next;
  int2 pair;
} Node;

typedef union {
  uint word;
  uchar bytes[4];
  ushort2 halves;
} Word;

int walk(const Node *node) {
  int sum = 0;
  for (; node; node = node->next) sum = sum * 10 + node->value;
  return sum;
}

void swap(int **a, int **b) {
  int *t = *a;
  *a = *b;
  *b = t;
}

__kernel void structs(__global const int *in, __global int *out) {
  int g = get_global_id(0), x = in[g], at = 0;
  __global int *r = out + g * 16;
  Node c = {x & 7, 0}, b = {2, &c}, a = {.value = 1, .next = &b, .pair = (int2)(x)};
  r[at++] = walk(&a);
  Node copy = a;
  copy.next->value = 5;
  copy.value = 9;
  r[at++] = walk(&copy) + walk(&a);
  Node list[3] = {a, b};
  list[2] = list[0];
  list[2].pair.y++;
  r[at++] = list[2].pair.y - list[0].pair.x + list[1].value;
  Word w;
  w.word = (uint)x;
  w.bytes[1] = 0xab;
  r[at++] = (int)w.word;
  r[at++] = w.halves.y;
  int *p = &x, y = 3, *q = &y;
  swap(&p, &q);
  r[at++] = *p * 100 + (*q == x);
  int table[3][4], (*row)[4] = table;
  for (int i = 0; i < 12; ++i) table[i / 4][i % 4] = i * i;
  r[at++] = row[2][1] + (*(row + 1))[3] + *(*table + 3);
  int *pointers[2] = {&table[0][1], &table[2][0]};
  *pointers[1] += *pointers[0];
  r[at++] = table[2][0] + (int)(pointers[1] - pointers[0]);
  Node *null = 0;
  r[at++] = !null + (null == 0) + (&a != &b);
  r[at++] = (x > 0 ? a : b).value;
  Word two[2] = {{1u}, {.bytes = {1, 2, 3, 4}}};
  r[at++] = (int)(two[0].word + two[1].word);
  r[at++] = ((Node){.value = 4, .pair = (int2)(5, 6)}).pair.y;
  char *raw = (char *)&a;
  r[at++] = *(int *)raw + (int)((char *)&a.pair - raw);
  struct {
    int x, y;
  } inner = {1, 2}, other;
  other = inner;
  r[at++] = other.x + other.y;
}

__kernel void loads_and_stores(__global const int *in, __global int *out, __local int *scratch) {
  int g = get_global_id(0), i = get_local_id(0);
  __global int *r = out + g * 32;
  vstore3(vload3(0, in + g) + 1, 0, r);
  vstore4(vload4(0, in + g), 0, r + 3);
  int private_[8] = {0};
  vstore4(vload4(1, in), 1, private_);
  vstore8(vload8(0, private_), 0, r + 7);
  vstore2(vload2(0, in + g), i, scratch);
  barrier(CLK_LOCAL_MEM_FENCE);
  vstore2(vload2(get_local_size(0) - 1 - i, scratch), 0, r + 15);
  vstore16((int16)(vload8(0, in), vload8(1, in)), 1, r);
}

__kernel void copies(__global const int *in, __global int *out, __local int *scratch, int n) {
  int group = get_group_id(0);
  event_t event = async_work_group_copy(scratch, in + group * n, n, 0);
  event = async_work_group_strided_copy(scratch + n, in, n / 2, 2, event);
  wait_group_events(1, &event);
  for (int i = get_local_id(0); i < n; i += get_local_size(0)) scratch[i] = scratch[i] * 2 + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t back[2];
  back[0] = async_work_group_copy(out + group * 2 * n, scratch, n, 0);
  back[1] = async_work_group_copy(out + group * 2 * n + n, scratch + n, n / 2, 0);
  wait_group_events(2, back);
}

__kernel void vector_copies(__global const float4 *in, __global float4 *out, __local float4 *scratch) {
  size_t count = get_local_size(0), start = get_group_id(0) * count;
  event_t event = async_work_group_copy(scratch, in + start, count, 0);
  prefetch(in, 1);
  wait_group_events(1, &event);
  out[get_global_id(0)] = scratch[count - 1 - get_local_id(0)];
}

__kernel void atomics(__global int *counters, __global uint *bits, __global float *real, __local int *local_counter,
                      __global int *order) {
  int g = get_global_id(0);
  if (get_local_id(0) == 0) *local_counter = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counters[0], g);
  atomic_sub(counters + 1, 2);
  order[atomic_inc(&counters[2])] = g;
  atomic_dec(&counters[3]);
  atomic_min(&counters[4], g - 5);
  atomic_max(&counters[5], g * 3);
  atomic_or(&bits[0], 1u << (g & 31));
  atomic_and(&bits[1], ~(1u << (g & 15)));
  atomic_xor(&bits[2], (uint)g);
  atom_add(&counters[6], 1);
  atomic_inc(local_counter);
  volatile __global int *turns = counters + 7;
  int seen = atomic_add(turns, 0);
  for (;;) {
    int before = atomic_cmpxchg(turns, seen, seen + g);
    if (before == seen) break;
    seen = before;
  }
  if (g == 0) atomic_xchg(real, 2.5f);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_add(&counters[8], *local_counter);
}

// An item takes a row of vectors. Indices of the items before `back` wrap: these leave. There is enough work for lanes to pay.
#define ROWS(name, type, element)                                                         \
  __kernel void name(__global const type *in, __global type *out, uint length, uint back) { \
    uint row = get_global_id(0);                                                          \
    if (row < back) return;                                                               \
    for (uint i = 0; i < length; ++i) {                                                   \
      type x = in[(row - back) * length + i];                                             \
      x = ((x + (element)i) * (element)3 + (element)row) * (element)3;                    \
      x = ((x - (element)i) * (element)3 - (element)row) + (element)back;                 \
      out[(row - back) * length + i] = x;                                                 \
    }                                                                                     \
  }
ROWS(rows_uint4, uint4, uint)
ROWS(rows_float2, float2, float)
ROWS(rows_uchar4, uchar4, uchar)
ROWS(rows_ulong8, ulong8, ulong)
ROWS(rows_short16, short16, short)
