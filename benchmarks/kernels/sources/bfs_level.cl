/* SPDX-License-Identifier: Apache-2.0
 *
 * Breadth-first search: a launch visits the nodes of one level. The graph is a list of edges for each node. */

__kernel void bfs_start(__global int* depth, __global int* reached, int nodes, int root) {
  int node = get_global_id(0);
  if (node < nodes) depth[node] = node == root ? 0 : -1;
  if (node == 0) *reached = 0;
}

__kernel void bfs_level(__global const int* first_edge, __global const int* edges, __global int* depth, __global int* reached,
                        int level, int nodes) {
  int node = get_global_id(0);
  if (node >= nodes) return;
  if (depth[node] != level) return;
  for (int e = first_edge[node]; e < first_edge[node + 1]; e++) {
    int other = edges[e];
    if (depth[other] < 0) depth[other] = level + 1; /* several items may write the same value */
  }
  atomic_inc(reached);
}
