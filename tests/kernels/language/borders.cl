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
