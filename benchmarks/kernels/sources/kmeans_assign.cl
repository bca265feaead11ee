/* SPDX-License-Identifier: Apache-2.0
 *
 * A step of k-means: the nearest centre of each point, and how many points each centre has. Features lie in columns. */

__kernel void kmeans_start(__global uint* members, uint centres) {
  if (get_global_id(0) < centres) members[get_global_id(0)] = 0;
}

__kernel void kmeans_assign(__global const float* points, __global const float* centre, __global int* nearest,
                            __global uint* members, __local uint* counts, uint features, uint centres, uint count) {
  const uint point = get_global_id(0);
  for (uint c = get_local_id(0); c < centres; c += get_local_size(0)) counts[c] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (point < count) {
    float smallest = FLT_MAX;
    int best = -1;
    for (uint c = 0; c < centres; ++c) {
      float distance = 0;
      for (uint f = 0; f < features; ++f) {
        float difference = points[f * count + point] - centre[c * features + f];
        distance += difference * difference;
      }
      if (distance < smallest) {
        smallest = distance;
        best = c;
      }
    }
    nearest[point] = best;
    atomic_inc(&counts[best]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint c = get_local_id(0); c < centres; c += get_local_size(0)) {
    if (counts[c] > 0) atomic_add(&members[c], counts[c]);
  }
}
