/* Conditions that nearly all neighbouring work-items answer in the same way: what lies on one side of a border, or on it. */

#define BORDER(NAME, CONDITION)                                                                                                \
  __kernel void NAME(__global const int *in, __global int *out, int n, int low, int high) {                                    \
    const int i = get_global_id(0);                                                                                            \
    if (i >= n) return;                                                                                                        \
    int sum = in[i] * 3;                                                                                                       \
    if (CONDITION) {                                                                                                           \
      sum += in[max(i - 1, 0)] * 5;                                                                                            \
      out[i + n] = sum;                                                                                                        \
    } else {                                                                                                                   \
      const int more = in[min(i + 1, n - 1)] * 7;                                                                              \
      sum -= more;                                                                                                             \
      out[i + 2 * n] = more;                                                                                                   \
    }                                                                                                                          \
    out[i] = sum;                                                                                                              \
  }
BORDER(on, i == low)
BORDER(beside, low != i)
BORDER(below, i < low)
BORDER(above, high <= i)
BORDER(between, i > low && i < high)
BORDER(outside, i <= low || i > high)
BORDER(not_between, !(i >= low && i <= high))
BORDER(mixed, i < low || in[i] > 0)
BORDER(with_uniform, high > 20 && i != low)
BORDER(without_sign, (uint)i - 5u < (uint)low)
BORDER(without_sign_above, (uint)i - 5u >= (uint)low && high > (uint)(40 - i))
BORDER(wide_without_sign, (ulong)i - 9ul > (ulong)high)
BORDER(down, 3 * (low - i) < high)
BORDER(guarded, low >= 0 && low < n && in[low] > i)

/* A chain, of which the last part reads on both sides: what is not there must not be read. */
__kernel void chain(__global const int *in, __global int *out, int n, int low, int high) {
  const int i = get_global_id(0);
  if (i >= n) return;
  int change = in[i];
  if (i == 0) {
    change += in[i + 1];
  } else if (i == n - 1) {
    change -= in[i - 1];
  } else if (i == low) {
    for (int k = 0; k < 3; ++k) change = change * 31 + in[i - k % 2];
  } else {
    change += in[i - 1] * in[i + 1];
  }
  out[i] = change;
}

/* Inside a loop, with vectors and a loop's end of each item's own. */
__kernel void in_a_loop(__global const int *in, __global int *out, int n, int low, int high) {
  const int i = get_global_id(0);
  if (i >= n) return;
  int4 sum = (int4)(i);
  for (int k = 0; k < high; ++k) {
    if (i > low) {
      sum.yz += in[(i + k) % n];
      sum = sum.wxyz * 3;
    } else {
      sum.x -= k;
      if (sum.x < -40) break;
    }
    if (i != low + k) sum.w ^= sum.x * 5 + in[i];
  }
  out[i] = sum.x + sum.y * 3 + sum.z * 5 + sum.w * 7;
}

/* Sums of an id and a constant, against what is the same for all items. */
#define SUM(NAME, TYPE)                                                                                                        \
  __kernel void NAME##_ends(__global int *out, TYPE bound) {                                                                   \
    const TYPE x = get_global_id(0) + 2;                                                                                       \
    if (x >= bound) return;                                                                                                    \
    out[get_global_id(0)] = (int)x;                                                                                            \
  }                                                                                                                            \
  __kernel void NAME##_ends_inside(__global int *out, TYPE bound) {                                                            \
    if (bound > 5 + (TYPE)get_global_id(0) + 9) out[get_global_id(0)] = 3;                                                     \
  }                                                                                                                            \
  __kernel void NAME##_ends_above(__global int *out, TYPE bound) {                                                             \
    const TYPE i = get_global_id(0), x = i + 1;                                                                                \
    if (x > bound - 1 || x + 3 > 60) return;                                                                                   \
    out[i] = (int)(x * 3);                                                                                                     \
  }                                                                                                                            \
  __kernel void NAME##_begins(__global int *out, TYPE bound) {                                                                 \
    const TYPE x = (TYPE)get_global_id(0) + 7;                                                                                 \
    if (x <= bound || x < 9) return;                                                                                           \
    out[get_global_id(0)] = (int)x;                                                                                            \
  }                                                                                                                            \
  __kernel void NAME##_goes_on(__global int *out, TYPE bound) {                                                                \
    __local int shared[64];                                                                                                    \
    const TYPE x = get_local_id(0) + 3;                                                                                        \
    if (x > bound) return;                                                                                                     \
    shared[get_local_id(0)] = (int)get_global_id(0) * 5;                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                              \
    out[get_global_id(0)] = shared[0] + (int)x;                                                                                \
  }                                                                                                                            \
  __kernel void NAME##_first(__global int *out, TYPE bound) {                                                                  \
    const TYPE x = get_global_id(0) + 1;                                                                                       \
    if (x == 0) out[1] = 77;                                                                                                   \
    if (x > 0 && x != bound) out[get_global_id(0)] = 4;                                                                        \
  }
SUM(int, int)
SUM(uint, uint)
SUM(long, long)
SUM(ulong, ulong)

/* No sums of an id: they go round. */
__kernel void sum_of_bytes(__global int *out, uint bound) {
  const uint x = (uchar)(get_global_id(0) + 250);
  if (x >= bound) return;
  out[get_global_id(0)] = (int)x;
}
__kernel void sum_below_zero(__global int *out, uint bound) {
  const uint x = get_global_id(0) - 3;
  if (x >= bound) return;
  out[get_global_id(0)] = (int)x;
}
__kernel void sum_with_a_byte(__global int *out, uint bound) {
  const uint x = get_global_id(0) + (uchar)260;
  if (x >= bound) return;
  out[get_global_id(0)] = (int)x;
}

// Indices that are kept within bounds: in most vectors they are those of neighbours, near an edge they are not.
kernel void kept_within(global const int* in, global int* out, int n, int low, int high) {
  const int i = get_global_id(0);
  if (i >= n) return;
  const int first = clamp(low, 0, n - 1), last = clamp(high, first, n - 1);
  const uint u = (uint)i - 3u;
  int sum = in[clamp(i - 2, first, last)] * 3 + in[clamp(last - i, first, last)] * 5;
  sum += in[min(u, (uint)last)] * 7 + in[max((uint)i, (uint)first)] * 11 - in[min(max(2 * i - 9, first), last)];
  sum += in[i > first ? i - 1 : 0] * 13 + in[i + 2 < n ? i + 2 : last] * 17 + in[i == low ? last : i] * 19;
  out[i] = sum + in[(uchar)clamp((uchar)i, (uchar)first, (uchar)last)] * 23;
}
