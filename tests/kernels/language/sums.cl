/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums over loops that all items of a group go through together: several vectors of items may take their steps in turn. An item is
 * a column of b, which has `rows` rows of `columns` numbers; `a` has a number for each row, and out is as large as b. */

__kernel void products(__global const int *a, __global const int *b, __global int *out, uint rows, uint columns) {
  uint i = get_global_id(0);
  if (i >= columns) return;
  int sum = 3;
  for (uint k = 0; k < rows; ++k) sum += a[k] * b[k * columns + i];
  out[i] = sum;
}

/* Sums of what came before, each stored; the index is signed. */
__kernel void running(__global const int *a, __global const int *b, __global int *out, uint rows, uint columns) {
  int i = get_global_id(0), width = columns;
  if (i >= (int)columns) return;
  int sum = 0, largest = INT_MIN;
  for (int k = 0; k < (int)rows; ++k) {
    const int value = b[k * width + i];
    sum += value;
    largest = max(largest, sum ^ a[k]);
    out[k * width + i] = sum - largest;
  }
}

/* Loops in loops, left early and gone through in part, where all items agree. */
__kernel void agreed(__global const int *a, __global const int *b, __global int *out, uint rows, uint columns) {
  size_t i = get_global_id(0);
  if (i >= columns) return;
  int sum = 0;
  uint turns = 0;
  for (uint k = 0; k < rows; k += 2) {
    if (a[k] < 0) continue;
    uint j = k;
    while (true) {
      sum = (sum & 4095) * 3 + b[j * columns + i];
      turns++;
      if (++j == rows || j > k + 3) break;
    }
    if (turns > 20) break;
  }
  out[i] = sum + (int)turns;
}

/* A counter inside the sum moves once for each row, not for each vector. */
__kernel void counted(__global const int *a, __global const int *b, __global int *out, uint rows, uint columns) {
  uint i = get_global_id(0);
  if (i >= columns) return;
  int sum = 0;
  uint at = 0;
  while (at < rows) {
    const uint row = at;
    sum += a[at++] + b[row * columns + i];
  }
  out[i] = sum * 16 + at;
}

/* What goes on over a barrier, and a place that moves with the item. */
__kernel void across(__global const int *a, __global const int *b, __global int *out, uint rows, uint columns,
                     __local uint *shared) {
  uint i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  uint column = min(i, columns - 1), sum = 0;
  for (uint k = 0; k < rows; ++k) sum += (uint)a[k] ^ i * k;
  shared[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  __local const uint *own = shared + l;
  for (uint k = 0; k < size - l && k < 1; ++k) sum -= own[k];
  for (uint k = 0; k < size; ++k) sum += shared[k] * (k + 1);
  if (i < columns) out[i] = (int)(sum + (uint)b[column]);
}

__kernel void fours(__global const int *a, __global const int4 *b, __global int4 *out, uint rows, uint columns) {
  uint i = get_global_id(0);
  if (i >= columns / 4) return;
  int4 sum = (int4)(1, 2, 3, 4);
  for (uint k = 0; k < rows; ++k) sum += a[k] * b[k * (columns / 4) + i];
  out[i] = sum.wzyx;
}

/* The largest of a column and where it was: a choice of each item in a loop that all go through together. Integers around the loop
   are wider than those in it. */
__kernel void largest(__global const int *a, __global const int *b, __global int *out, uint rows, uint columns) {
  size_t i = get_global_id(0);
  if (i >= columns) return;
  int best = INT_MIN;
  uchar at = 255;
  uint equal = 0;
  for (size_t k = 0; k < rows; ++k) {
    const int value = b[k * columns + i] * a[k] & 1023;
    if (value > best) {
      best = value;
      at = (uchar)k;
      equal = 1;
    } else if (value == best) {
      equal++;
    }
  }
  const ulong all = ((ulong)(uint)best << 32) ^ (i * 0x100000001ul) ^ ((ulong)equal << 8 | at);
  out[i] = (int)(all >> 32) ^ (int)all;
}

/* From `first` on, an index may pass 2^32 and begin at 0 again. */
__kernel void wrapping(__global const uchar *bytes, __global uint *out, uint first, uint turns) {
  uint i = get_global_id(0);
  uint sum = 0;
  for (uint k = 0; k < turns; ++k) sum = sum * 7 + bytes[i + k + first];
  out[i] = sum;
}

/* A value that all items share, in the sign of zero too. */
__kernel void shared_zero(__global const float *x, __global float *out, __global float *sums, float zero, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  out[i] = zero;
  float sum = zero;
  for (uint k = 0; k < 3; ++k) sum += zero;
  sums[i] = x[i] < 2.0f ? x[i] * zero : sum;
}
