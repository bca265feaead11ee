/* SPDX-License-Identifier: Apache-2.0
 *
 * A step of PageRank that collects along incoming edges. The constants are double, as careless sources have them. */

__kernel void pagerank(__global const uint* first_edge, __global const uint* sources, __global const uint* out_degree,
                       __global const float* rank, __global float* next, uint nodes) {
  size_t node = get_global_id(0);
  if (node >= nodes) return;
  float sum = 0;
  for (size_t e = first_edge[node]; e < first_edge[node + 1]; ++e) {
    size_t from = sources[e];
    sum += rank[from] / out_degree[from];
  }
  next[node] = 0.15 / nodes + 0.85 * sum;
}
