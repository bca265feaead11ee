// Loops with barriers inside. Every kernel: one group is `size` consecutive elements of `in` and `out`; n is the same for all.
#define ITEM (int)get_local_id(0)
#define SIZE (int)get_local_size(0)
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define HEAD                                            \
  const int g = get_global_id(0), i = ITEM, s = SIZE;   \
  int x = in[g] & 0xfff

__kernel void for_loop(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int k = 0; k < n; ++k) {
    scratch[i] = x + k;
    BARRIER;
    x += scratch[(i + 1) % s];
    BARRIER;
  }
  out[g] = x;
}

__kernel void nested_loops(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int k = 0; k < n; ++k) {
    int inner = 0;
    for (int m = k; m < n; m += 2) {
      scratch[i] = x + inner;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      inner += scratch[s - 1 - i] & 0xff;
      BARRIER;
    }
    x = (x + inner * k) & 0xffff;
  }
  out[g] = x;
}

__kernel void only_the_inner_loop_has_it(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int k = 0; k < n; ++k)
    for (int m = 0; m < 2; ++m) {
      scratch[i] = x;
      BARRIER;
      x = (x * 3 + scratch[(i + 1) % s]) & 0xffff;
      BARRIER;
    }
  out[g] = x;
}

__kernel void while_on_local_memory(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  __local int left;
  if (i == 0) left = n;
  BARRIER;
  while (left > 0) {
    scratch[i] = x + left;
    BARRIER;
    if (i == 0) left -= 2;
    x += scratch[(i + 1) % s];
    BARRIER;
  }
  out[g] = x + left;
}

__kernel void do_while(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int k = n;
  do {
    scratch[i] = x;
    BARRIER;
    x += scratch[s - 1 - i] + k;
    BARRIER;
  } while (--k > 0);
  out[g] = x + k;
}

__kernel void break_and_continue(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int k = 0; k < 10; ++k) {
    if (k == 2) continue;
    if (k == n) break;
    scratch[i] = x * (k + 1);
    BARRIER;
    if (k & 1) {
      x ^= k;
      BARRIER;
      continue;
    }
    x += scratch[(i + 1) % s] & 0xff;
    BARRIER;
    if (k > 6) break;
  }
  out[g] = x;
}

__kernel void break_of_the_inner_loop(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int k = 0; k < 4; ++k) {
    int m = 0;
    while (true) {
      if (m >= k) break;
      scratch[i] = x;
      BARRIER;
      x = (x + scratch[(i + m) % s]) & 0xffff;
      BARRIER;
      ++m;
    }
    x += m * n;
  }
  out[g] = x;
}

__kernel void endless_for(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int k = 0;
  for (;;) {
    scratch[i] = x;
    BARRIER;
    x += scratch[(i + 1) % s] >> 1;
    BARRIER;
    if (++k >= n) break;
  }
  out[g] = x + k;
}

__kernel void return_from_a_loop(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  out[g] = -5;
  for (int k = 0; k < 8; ++k) {
    scratch[i] = x + k;
    BARRIER;
    x += scratch[s - 1 - i] & 0x3f;
    out[g] = x;
    if (k == n) return;
    BARRIER;
  }
  out[g] = ~x;
}

__kernel void several_loop_variables(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int low = 0, high = n + 3; low < high; ++low, --high) {
    scratch[i] = x + low;
    BARRIER;
    x += scratch[(i + 1) % s] * (high - low) & 0xff;
    BARRIER;
  }
  out[g] = x;
}

__kernel void counter_changed_in_the_body(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int k;
  for (k = 1; k < 50; k++) {
    scratch[i] = x;
    BARRIER;
    x += scratch[(i + 1) % s] & 15;
    k += k + n;
    BARRIER;
  }
  out[g] = x * 2 + k;
}

__kernel void halving(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  scratch[i] = x;
  BARRIER;
  for (int left = s; left > 1; left = (left + 1) / 2) {
    if (i < left / 2) scratch[i] += scratch[i + (left + 1) / 2];
    BARRIER;
  }
  out[g] = scratch[0] + n;
}

__kernel void trip_count_from_global_memory(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  const int trips = (in[get_group_id(0) * s] & 3) + n;
  for (int k = 0; k < trips; ++k) {
    scratch[i] = x;
    BARRIER;
    x = (x + scratch[(i + k) % s]) & 0xfffff;
    BARRIER;
  }
  out[g] = x;
}

__kernel void inner_loop_of_each_item(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int sum[2] = {0, 0};
  for (int k = 0; k < n; ++k) {
    scratch[i] = x + k;
    BARRIER;
    for (int m = 0; m < (x & 3) + 1; ++m) {
      if (m == 2) continue;
      sum[m & 1] += scratch[(i + m) % s];
    }
    BARRIER;
  }
  out[g] = sum[0] - sum[1];
}

__kernel void unrolled(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
#pragma unroll 2
  for (int k = 0; k < 4; ++k) {
    scratch[i] = x;
    BARRIER;
    x += scratch[s - 1 - i] & 7;
    BARRIER;
  }
  out[g] = x - n;
}

__kernel void body_is_the_barrier_alone(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  scratch[i] = x;
  for (int k = 0; k < n; ++k) BARRIER;
  int k = 0;
  while (k++ < 2) BARRIER;
  do
    BARRIER;
  while (k-- > 0);
  out[g] = scratch[(i + 1) % s] + k;
}

__kernel void accumulates_in_vectors(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int4 sum = (int4)(0);
  for (int k = 0; k < n; ++k) {
    scratch[i] = x + k;
    BARRIER;
    sum += (int4)(scratch[i], scratch[(i + 1) % s], k, 1);
    sum.xy = sum.yx;
    BARRIER;
  }
  out[g] = sum.x + 3 * sum.y + 5 * sum.z + 7 * sum.w;
}

// The first expression reads what it changes: it runs once for the group.
__kernel void first_expression_changes_the_variable(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  int stride = 16 * n + 64;
  scratch[i] = x;
  BARRIER;
  scratch[i] += stride;
  for (stride >>= 1; stride > 0; stride >>= 1) {
    BARRIER;
    const int other = scratch[(i + stride) % s];
    BARRIER;
    scratch[i] += other & 15;
  }
  BARRIER;
  int k = n;
  for (k += 3; k < 12; ++k) {
    const int other = scratch[s - 1 - i];
    BARRIER;
    scratch[i] += (other & 7) * k;
    BARRIER;
  }
  out[g] = scratch[i] + k;
}

__kernel void declared_in_the_body(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  for (int k = 0; k < n; ++k) {
    int doubled = x * 2, tripled;
    scratch[i] = doubled;
    BARRIER;
    tripled = scratch[(i + 1) % s] + x;
    BARRIER;
    int last = tripled - doubled;
    scratch[i] = last;
    BARRIER;
    x = (last + scratch[s - 1 - i] + k) & 0xfff;
    BARRIER;
  }
  out[g] = x;
}

// Names that are used again for other values, and declared far above their use.
__kernel void names_used_again(__global const int *in, __global int *out, int n, __local int *scratch) {
  int k, t, sum, at;
  HEAD;
  at = (i + 1) % s;
  scratch[i] = x;
  BARRIER;
  t = scratch[at];
  sum = t;
  at = (i + n) % s;
  BARRIER;
  for (k = 0; k < n; ++k) {
    t = x * k;
    if (t & 1) continue;
    sum += t;
    t = sum >> 3;
    sum ^= t;
  }
  scratch[i] = sum;
  BARRIER;
  for (k = 1; k < 5; ++k) {
    if ((scratch[(at + k) % s] & 3) == 0) break;
  }
  t = k;
  at = t < 5 ? (sum = t) : n;
  switch (at & 3) {
    case 0:
      t = 40;
    case 1:
      sum += t;
      break;
    default:
      t = 7;
  }
  out[g] = sum + 3 * t + 5 * at;
}

// What one item of a group does by itself, in the forms in which programs say so.
__kernel void one_item_by_itself(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  uint me = get_local_id(0);
  scratch[i] = x;
  BARRIER;
  if (i == 0) {
    int sum = 0;
    for (size_t k = 0; k < (size_t)s; ++k) sum = (sum * 3 + scratch[k]) & 0xffff;
    scratch[0] = sum;
  }
  BARRIER;
  x = (x + scratch[0]) & 0xfff;
  BARRIER;
  if (!me) scratch[0] = x * n;
  BARRIER;
  x ^= scratch[0] & 0xff;
  BARRIER;
  if (get_local_id(0) < 1 && n > 2) scratch[0] = x + 5;
  BARRIER;
  x ^= scratch[0] & 0x1ff;
  BARRIER;
  if (1 > i) scratch[0] = x - 7;
  BARRIER;
  x += scratch[0] & 0x3f;
  BARRIER;
  if (0 == me) {
    size_t at = 0;
    for (size_t k = 1; k < (size_t)s; ++k) at = in[g + k] > in[g + at] ? k : at;
    scratch[0] = (int)at;
  }
  BARRIER;
  out[g] = x + scratch[0];
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i > 0) return;
  for (int k = 0; k < s; k += 2) out[g + k] += k;
}

// Sums and products of 64 bits, and of int, of which fewer are kept.
__kernel void cut_to_fewer_bits(__global const int *in, __global int *out, int n, __local int *scratch) {
  HEAD;
  uint a = get_local_id(0) * (size_t)(x + n);
  uchar b = x * 3 + (x << 4) - (uchar)n;
  short c = (short)((long)x * -x);
  ushort d = 40000;
  d += (ulong)x * 0x100000001ul;
  uchar e = 200;
  e ^= x | 0x100;
  e *= (int)a;
  char f = -(~(x & 0x1ff));
  scratch[i] = (uchar)(x << 7) > 100 ? (int)(uint)((size_t)x - 5000) : (int)((long)x * 0x7fffffffl);
  BARRIER;
  out[g] = (int)(a * 31) + b * 7 + c + d + e * 1000 + f + scratch[s - 1 - i];
}
