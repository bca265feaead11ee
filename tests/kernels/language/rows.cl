/* SPDX-License-Identifier: Apache-2.0
 *
 * Each item walks along a row of its own: addresses of neighbouring items are a row apart, those of an item are next to each
 * other. `a` has `rows` rows of n numbers, x has n, and out has a number for each row. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define SUM_OF(T, S)                                                                                                          \
  __kernel void sum_##T(__global const T *a, __global const T *x, __global S *out, uint rows, uint n) {                       \
    uint row = get_global_id(0);                                                                                              \
    if (row >= rows) return;                                                                                                  \
    S sum = 1;                                                                                                                \
    for (uint j = 0; j < n; ++j) sum += a[row * n + j] * x[j] - j;                                                            \
    out[row] = sum;                                                                                                           \
  }
SUM_OF(char, int)
SUM_OF(uchar, int)
SUM_OF(short, int)
SUM_OF(ushort, int)
SUM_OF(int, int)
SUM_OF(uint, int)
SUM_OF(long, long)
SUM_OF(float, float)
SUM_OF(double, double)

/* Numbers of few bytes in vectors of large ones. */
__kernel void sum_bytes_double(__global const char *a, __global const char *x, __global double *out, uint rows, uint n) {
  uint row = get_global_id(0);
  if (row >= rows) return;
  double sum = 1;
  for (uint j = 0; j < n; ++j) sum += (double)(a[row * n + j] * x[j]) - (double)j;
  out[row] = sum;
}

/* From here on the order of the turns shows in the result: mixed * 31 + what a turn adds. */
#define MIXED(name, signature, before, ...)                                                                                   \
  __kernel void name(__global const int *a, __global const int *x, __global int *out, uint rows, uint n signature) {          \
    int row = get_global_id(0);                                                                                               \
    if (row >= (int)rows) return;                                                                                             \
    uint mixed = 7;                                                                                                           \
    before;                                                                                                                   \
    __VA_ARGS__                                                                                                               \
    out[row] = mixed;                                                                                                         \
  }
#define NOTHING

MIXED(signed_index, NOTHING, int width = n, for (int j = 0; j < width; j++) mixed = mixed * 31 + a[row * width + j] * x[j];)
MIXED(size_index, NOTHING, size_t width = n, for (size_t j = 0; j < width; j++) mixed = mixed * 31 + a[row * width + j];)
MIXED(own_pointer, NOTHING, __global const int *mine = a + row * n,
      for (uint j = 0; n > j; j += 1) mixed = mixed * 31 + mine[j] * x[j];)
MIXED(own_sums, NOTHING, __global const int *mine = a + row * (int)n,
      for (int j = 0; j < (int)n; ++j) mixed = mixed * 31 + *(mine + j);)
MIXED(derived_index, NOTHING, NOTHING, for (int j = 0; j < (int)n; ++j) {
  const int base = row * (int)n, at = base + j;
  mixed = mixed * 31 + a[at];
})
MIXED(inclusive, NOTHING, int last = (int)n - 1, for (int j = 0; j <= last; ++j) mixed = mixed * 31 + a[row * (int)n + j];)
MIXED(unequal, NOTHING, NOTHING, for (uint j = 0; j != n; ++j) mixed = mixed * 31 + a[row * n + j];)
MIXED(from_below, NOTHING, int half_of = (int)n / 2, for (int j = -half_of; j < (int)n - half_of; ++j) {
  mixed = mixed * 31 + a[(uint)(row * (int)n + half_of) + j];
})
/* The counter is read after its loop, and the loop is gone through twice. */
MIXED(counter_after, NOTHING, uint j = n / 3, for (; j < n; ++j) mixed = mixed * 31 + a[row * n + j];
      mixed += j; for (j = 0; j < n / 3; ++j) mixed = mixed * 31 + a[row * n + j]; mixed += j;)
MIXED(two_rows, NOTHING, NOTHING, for (uint j = 0; j < n; ++j) {
  mixed = mixed * 31 + a[row * n + j] * a[(rows - 1 - row) * n + j] + a[row * n + j];
})
MIXED(with_conditions, NOTHING, NOTHING, for (uint j = 0; j < n; ++j) {
  int value = a[row * n + j];
  if (value > x[j]) mixed += value;
  if (value < 0) { mixed ^= j; } else { mixed *= 3; }
})
/* Whole groups of 32 with a sum each, as weights of few bits have them; the rest is not read. */
MIXED(groups_of_32, NOTHING, int groups = n / 32, for (int g = 0; g < groups; ++g) {
  int part = 0;
  for (int i = 0; i < 32; ++i) part = part * 3 + a[row * (int)n + g * 32 + i];
  mixed = mixed * 31 + part * x[g] + a[row * (int)n + g];
})

/* A row of each length begins anywhere; rows of items that have no flag do not exist. */
__kernel void starts_signed(__global const int *a, __global const int *starts, __global int *out, uint rows, uint n) {
  uint row = get_global_id(0);
  if (row >= rows) return;
  int begin = starts[row];
  uint mixed = 7;
  if (begin >= 0) {
    for (int j = 0; j < (int)n; ++j) mixed = mixed * 31 + a[begin + j];
  }
  out[row] = mixed;
}
__kernel void starts_unsigned(__global const int *a, __global const uint *starts, __global int *out, uint rows, uint n) {
  uint row = get_global_id(0);
  if (row >= rows) return;
  uint mixed = 7;
  if (starts[row] < 0x80000000u) {
    for (uint j = 0; j < n; ++j) mixed = mixed * 31 + a[starts[row] + j];
  }
  out[row] = mixed;
}

/* Loops that end early, and elements that only some turns read: what is after them may not exist. */
MIXED(left_early, NOTHING, NOTHING, for (uint j = 0; j < n; ++j) {
  if (x[j] == 0) break;
  mixed = mixed * 31 + a[row * n + j];
})
MIXED(read_at_times, NOTHING, NOTHING, for (uint j = 0; j < n; ++j) {
  if (x[j] != 0) mixed = mixed * 31 + a[row * n + j];
})
MIXED(skipped_at_times, NOTHING, NOTHING, for (uint j = 0; j < n; ++j) {
  if (x[j] == 0) continue;
  mixed = mixed * 31 + a[row * n + j];
})
MIXED(chosen_at_times, NOTHING, NOTHING, for (uint j = 0; j < n; ++j) {
  mixed = mixed * 31 + (x[j] != 0 ? a[row * n + j] : 0);
  mixed += x[j] != 0 && a[row * n + j] > 3;
})
/* Lanes leave by themselves. */
MIXED(left_by_some, NOTHING, NOTHING, for (uint j = 0; j < n; ++j) {
  int value = a[row * n + j];
  if (value == 0) break;
  mixed = mixed * 31 + value;
})

/* What is read was written in the turn before, through the same pointer or another one that nothing tells apart. */
__kernel void written_before(__global int *a, __global const int *x, __global int *same, uint rows, uint n) {
  uint row = get_global_id(0);
  if (row >= rows) return;
  for (uint j = 0; j + 1 < n; ++j) a[row * n + j + 1] += a[row * n + j] * 3 + x[j];
  for (int j = 0; j < (int)n - 1; ++j) same[row * (int)n + j + 1] += a[row * (int)n + j] ^ x[j];
}
/* `restrict` says that they are different objects. */
__kernel void written_apart(__global const int *restrict a, __global const int *x, __global int *restrict out, uint rows, uint n) {
  uint row = get_global_id(0);
  if (row >= rows) return;
  uint mixed = 7;
  for (uint j = 0; j < n; ++j) {
    mixed = mixed * 31 + a[row * n + j];
    out[row * n + j] = mixed + x[j];
  }
}

/* Rows in local memory, which the loop does not write, and a helper that has the loop. */
int mixed_row(__local const int *mine, __global const int *x, int n) {
  uint mixed = 7;
  for (int j = 0; j < n; ++j) mixed = mixed * 31 + mine[j] * x[j];
  return mixed;
}
__kernel void local_rows(__global const int *a, __global const int *x, __global int *out, uint rows, uint n, __local int *own) {
  uint row = get_global_id(0), lid = get_local_id(0), size = get_local_size(0), first = get_group_id(0) * size;
  for (uint k = lid; k < size * n; k += size) own[k] = first * n + k < rows * n ? a[first * n + k] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (row < rows) out[row] = mixed_row(own + lid * n, x, n);
}

/* The index begins at 0 again somewhere. */
__kernel void wrapping_rows(__global const uchar *bytes, __global uint *out, uint first, uint n) {
  uint row = get_global_id(0);
  uint mixed = 7;
  for (uint j = 0; j < n; ++j) mixed = mixed * 31 + bytes[first + row * n + j];
  out[row] = mixed;
}
__kernel void wrapping_starts(__global const uchar *bytes, __global const uint *starts, __global uint *out, uint n) {
  uint row = get_global_id(0), start = starts[row], mixed = 7;
  for (int j = 0; j < (int)n; ++j) mixed = mixed * 31 + bytes[start + j];
  out[row] = mixed;
}
