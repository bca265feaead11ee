/* SPDX-License-Identifier: Apache-2.0
 *
 * Best value for every capacity up to a limit: a launch adds one thing to choose from. */

__kernel void knapsack_start(__global int* best, int count) {
  int capacity = get_global_id(0);
  if (capacity < count) best[capacity] = 0;
}

__kernel void knapsack(__global const int* before, __global int* after, __global uchar* taken, int weight, int value, int thing,
                       int count) {
  int capacity = get_global_id(0);
  if (capacity >= count) return;
  int without = before[capacity];
  int with = capacity >= weight ? before[capacity - weight] + value : -1;
  after[capacity] = with > without ? with : without;
  taken[thing * count + capacity] = with > without;
}
