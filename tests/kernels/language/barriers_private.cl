// What private variables hold across barriers. Every kernel: one group is `size` consecutive elements of `in` and `out`.
#define ITEM (int)get_local_id(0)
#define SIZE (int)get_local_size(0)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

__kernel void two_barriers(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  int a = in[g];
  scratch[i] = a;
  BARRIER;
  int b = scratch[s - 1 - i] * 3;
  BARRIER;
  scratch[i] = b + a;
  BARRIER;
  int c = scratch[(i + 1) % s];
  out[g] = a + 2 * b + 5 * c + n;
}

__kernel void array_across(__global const int *in, __global int *out, int n, __local int *scratch) {
  const int g = get_global_id(0), i = ITEM, s = SIZE;
  int v[4];
  for (int k = 0; k < 4; ++k) v[k] = in[g] + k * n;
  scratch[i] = v[i & 3];
  BARRIER;
  v[scratch[(i + 1) % s] & 3] += 1000;
  BARRIER;
  scratch[i] = v[3] + v[0];
  BARRIER;
  out[g] = v[0] + 3 * v[1] + 5 * v[2] + 7 * v[3] + scratch[s - 1 - i];
}

__kernel void matrix_across(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE, m[2][3] = {{1, 2, 3}, {4, 5}};
  m[i % 2][n % 3] += in[g];
  scratch[i] = m[1][2] + m[0][n % 3];
  BARRIER;
  m[1][1] = scratch[(i + s / 2) % s];
  BARRIER;
  out[g] = m[0][0] + 2 * m[0][1] + 3 * m[0][2] + 4 * m[1][0] + 5 * m[1][1] + 6 * m[1][2];
}

__kernel void pointer_across(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  int a = in[g], b = n;
  int *p = (i & 1) ? &a : &b;
  scratch[i] = *p;
  BARRIER;
  *p += scratch[s - 1 - i];
  BARRIER;
  p = (i & 2) ? &a : &b;
  scratch[i] = *p - 1;
  BARRIER;
  *p ^= scratch[(i + 1) % s];
  out[g] = a * 3 + b;
}

__kernel void pointer_into_array_across(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  int v[5] = {in[g], 1, 2, 3, 4}, *p = v, *const last = v + 4;
  scratch[i] = *p;
  BARRIER;
  while (p != last) {
    ++p;
    *p += scratch[(i + (int)(p - v)) % s];
  }
  BARRIER;
  out[g] = *last + p[-1] + v[1] * 2 + n;
}

__kernel void pointer_to_pointer_across(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  int a = in[g], b = n, *p = &a, **q = &p;
  scratch[i] = **q;
  BARRIER;
  if (scratch[(i + 1) % s] & 1) *q = &b;
  BARRIER;
  **q += 17;
  out[g] = a - b;
}

// Neither the number nor the array is named after the barrier: only their addresses are.
__kernel void only_the_pointers_are_named(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  int number = in[g], array[3] = {n, i, in[g] + 1}, *p = &number, *q = array;
  scratch[i] = number;
  BARRIER;
  *p += scratch[(i + 1) % s];
  q[1] += 5;
  BARRIER;
  out[g] = *p + q[0] * 2 + q[1] * 3 + q[2];
}

void bump(int *value, int by) { *value = *value * 2 + by; }

__kernel void helper_takes_the_address(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE, x = in[g] & 0xffff;
  bump(&x, n);
  scratch[i] = x;
  BARRIER;
  bump(&x, scratch[s - 1 - i]);
  BARRIER;
  bump(&x, i);
  out[g] = x;
}

__kernel void shadowed_names(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  int v = in[g], sum = 0;
  scratch[i] = v;
  {
    int v = scratch[i] * 3 + n;
    BARRIER;
    sum += v + scratch[(i + 1) % s];
    {
      int v = sum;
      BARRIER;
      scratch[i] = v;
      BARRIER;
      sum += scratch[s - 1 - i] - v;
    }
    sum += v;
    BARRIER;
  }
  for (int v = 0; v < n; ++v) {
    BARRIER;
    sum += v;
  }
  out[g] = sum + v;
}

__kernel void name_of_itself(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE, x = in[g], y = n;
  scratch[i] = x;
  BARRIER;
  for (int x = y, y = x + 1; x < y + 2; ++x) {
    BARRIER;
    out[g] = x + scratch[(i + 1) % s] + y;
  }
  out[g] += x;
}

__kernel void third_region(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  int early = in[g], kept = early ^ n;
  uchar narrow = (uchar)early;
  scratch[i] = i;
  BARRIER;
  early += scratch[s - 1 - i];
  BARRIER;
  scratch[i] = 0;
  BARRIER;
  out[g] = early + kept + narrow + scratch[0];
}

__kernel void assigned_after_the_barrier(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE, late;
  scratch[i] = in[g];
  BARRIER;
  if (scratch[i] > scratch[(i + 1) % s])
    late = n;
  else
    late = -n;
  BARRIER;
  scratch[i] = late;
  BARRIER;
  out[g] = late * 10 + scratch[(i + 1) % s];
}

typedef struct {
  int first;
  int2 pair;
  char bytes[3];
} Mixed;

__kernel void struct_across(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  Mixed m = {in[g], (int2)(n, 2 * n), {1, 2, 3}};
  scratch[i] = m.first;
  BARRIER;
  m.pair.y += scratch[(i + 1) % s];
  m.bytes[i % 3] = 9;
  BARRIER;
  Mixed copy = m;
  copy.pair.x = 1;
  scratch[i] = copy.pair.y;
  BARRIER;
  out[g] = m.first + m.pair.x + m.pair.y + m.bytes[0] + m.bytes[1] * 2 + m.bytes[2] * 3 + copy.pair.x + scratch[s - 1 - i];
}

__kernel void vector_across(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  int4 v = (int4)(in[g], n, i, 1);
  short3 w = (short3)((short)i, 2, 3);
  scratch[i] = v.x + v.w;
  BARRIER;
  v.yz = (int2)(scratch[(i + 1) % s], v.z + 1);
  w.s2 += (short)n;
  BARRIER;
  v += v.wzyx;
  scratch[i] = v.y;
  BARRIER;
  v.w *= scratch[s - 1 - i];
  out[g] = v.x + 3 * v.y + 5 * v.z + 7 * v.w + w.x + w.y + w.z;
}

__kernel void vector_array_across(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  int2 v[3];
  v[0] = (int2)(in[g]);
  v[1] = v[0] + n;
  v[2] = (int2)(i, -i);
  scratch[i] = v[1].y;
  BARRIER;
  v[i % 3].x = scratch[(i + 1) % s];
  BARRIER;
  out[g] = v[0].x + 2 * v[0].y + 3 * v[1].x + 4 * v[1].y + 5 * v[2].x + 6 * v[2].y;
}

__kernel void modified_without_a_barrier_between(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE, x = in[g], y = 0;
  BARRIER;
  if (x & 1) {
    x += n;
    y = x--;
  } else if (i == 0) {
    y = ++x;
  }
  for (int k = 0; k < (x & 7); ++k) y += k == 3 ? x : k;
  scratch[i] = y;
  BARRIER;
  out[g] = scratch[(i + 1) % s] + (x, y) * 2;
}

__kernel void uniform_counter(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE, step = 1, rounds = n;
  scratch[i] = in[g] & 0xff;
  BARRIER;
  rounds++;
  while (step < s) {
    int other = i >= step ? scratch[i - step] : 0;
    BARRIER;
    scratch[i] += other;
    step *= 2;
    ++rounds;
    BARRIER;
  }
  rounds += step;
  BARRIER;
  out[g] = scratch[i] + rounds * 10000;
}

__kernel void swapped_local_pointers(__global const int *in, __global int *out, int n, __local int *scratch) {
  int g = get_global_id(0), i = ITEM, s = SIZE;
  __local int *from = scratch, *to = scratch + s;
  from[i] = in[g] & 0xffff;
  BARRIER;
  for (int step = 1; step < s; step <<= 1) {
    to[i] = from[i] + (i >= step ? from[i - step] : 0);
    __local int *t = from;
    from = to;
    to = t;
    BARRIER;
  }
  out[g] = from[i] + n;
}

__kernel void local_variables(__global const int *in, __global int *out, int n, __local int *scratch) {
  __local int table[256], total;
  __local struct {
    int least;
    int2 both;
  } found;
  int g = get_global_id(0), i = ITEM, s = SIZE;
  table[i] = in[g];
  if (i == 0) total = n;
  BARRIER;
  if (i == s - 1) {
    found.least = table[0];
    for (int k = 1; k < s; ++k) found.least = min(found.least, table[k]);
    found.both = (int2)(table[0], table[s - 1]);
  }
  BARRIER;
  scratch[i] = found.least;
  out[g] = total + scratch[i] + found.both.x * 3 + found.both.y;
}

__kernel void qualified_and_many_types(__global const int *in, __global int *out, int n, __local int *scratch) {
  const size_t g = get_global_id(0);
  const uint i = get_local_id(0);
  bool odd = in[g] & 1;
  ulong wide = (ulong)in[g] << 20;
  volatile short seen = (short)n;
  float real = (float)(in[g] & 1023) * 0.5f;
  __global int *const target = out + g;
  event_t unused;
  scratch[i] = odd ? 1 : 2;
  BARRIER;
  real += (float)scratch[i];
  seen += 1;
  BARRIER;
  *target = (int)odd + (int)(wide >> 20) + seen + (int)(real * 2.0f);
}
