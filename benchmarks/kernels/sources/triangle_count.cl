/* SPDX-License-Identifier: Apache-2.0
 *
 * Triangles at each edge of a graph: two sorted lists of neighbours are walked at the same time. */

uint common(__global const uint* neighbours, uint a, uint a_end, uint b, uint b_end) {
  uint count = 0;
  while (a < a_end && b < b_end) {
    uint left = neighbours[a], right = neighbours[b];
    if (left == right) {
      ++count;
      ++a;
      ++b;
    } else if (left < right) {
      ++a;
    } else {
      ++b;
    }
  }
  return count;
}

__kernel void triangle_count(__global const uint* first, __global const uint* neighbours, __global const uint2* edges,
                             __global uint* counts, __global uint* group_counts, uint edge_count) {
  __local uint total;
  uint edge = get_global_id(0);
  if (get_local_id(0) == 0) total = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (edge < edge_count) {
    uint2 ends = edges[edge];
    uint found = common(neighbours, first[ends.x], first[ends.x + 1], first[ends.y], first[ends.y + 1]);
    counts[edge] = found;
    if (found != 0) atomic_add(&total, found);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) group_counts[get_group_id(0)] = total;
}
