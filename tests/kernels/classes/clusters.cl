// The assignment step of k-means in two dimensions, and the sums from which new centres come.
typedef struct {
  uint count;
  int sum_x, sum_y;  // in 1/256, so that the order of additions does not matter
} Cluster;

__kernel void assign(__global const float2 *points, __constant float2 *centres, __global int *nearest_, int count, int clusters,
                     __global Cluster *result, __local Cluster *mine) {
  const int g = get_global_id(0);
  for (int k = get_local_id(0); k < clusters; k += get_local_size(0)) {
    mine[k].count = 0;
    mine[k].sum_x = mine[k].sum_y = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (g < count) {
    const float2 p = points[g];
    float best = FLT_MAX;
    int which = -1;
    for (int k = 0; k < clusters; ++k) {
      const float2 d = p - centres[k];
      const float square = dot(d, d);
      if (square < best) {
        best = square;
        which = k;
      }
    }
    nearest_[g] = which;
    atomic_inc(&mine[which].count);
    atomic_add(&mine[which].sum_x, convert_int_rte(p.x * 256.0f));
    atomic_add(&mine[which].sum_y, convert_int_rte(p.y * 256.0f));
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = get_local_id(0); k < clusters; k += get_local_size(0)) {
    if (mine[k].count == 0) continue;
    atomic_add(&result[k].count, mine[k].count);
    atomic_add(&result[k].sum_x, mine[k].sum_x);
    atomic_add(&result[k].sum_y, mine[k].sum_y);
  }
}
