/* SPDX-License-Identifier: Apache-2.0
 *
 * Shortest paths from one node: each launch relaxes all edges, with an atomic minimum where several meet at a node. */

#define FAR 0x3fffffff

typedef struct {
  int from, to, weight;
} Edge;

__kernel void bellman_ford_start(__global int* distance, uint nodes, uint root) {
  const uint node = get_global_id(0);
  if (node < nodes) distance[node] = node == root ? 0 : FAR;
}

__kernel void bellman_ford(__global const Edge* edges, __global int* distance, uint count) {
  const uint e = get_global_id(0);
  if (e >= count) return;
  const Edge edge = edges[e];
  const int start = distance[edge.from];
  if (start == FAR) return;
  const int length = start + edge.weight;
  if (length < distance[edge.to]) atomic_min(&distance[edge.to], length);
}
