// QR by Gram-Schmidt, in the three launches of a step: the norm of column k (one group, a tree in local memory), column k of q, and
// row k of r with the columns after it made orthogonal to q's.
__kernel void gram_norm(__global const float* a, __global float* r, uint rows, uint columns, uint k, __local float* sums) {
  const uint lane = get_local_id(0);
  const uint size = get_local_size(0);
  float sum = 0.0f;
  for (uint i = lane; i < rows; i += size) sum += a[i * columns + k] * a[i * columns + k];
  sums[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint active = size; active > 1;) {
    const uint half_size = (active + 1) / 2;
    if (lane + half_size < active) sums[lane] += sums[lane + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
    active = half_size;
  }
  if (lane == 0) r[k * columns + k] = sqrt(sums[0]);
}

__kernel void gram_column(__global const float* a, __global const float* r, __global float* q, uint rows, uint columns, uint k) {
  const uint i = get_global_id(0);
  if (i < rows) q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

__kernel void gram_rest(__global float* a, __global float* r, __global const float* q, uint rows, uint columns, uint k) {
  const uint j = get_global_id(0) + k + 1;
  if (j >= columns) return;
  float sum = 0.0f;
  for (uint i = 0; i < rows; ++i) sum += q[i * columns + k] * a[i * columns + j];
  r[k * columns + j] = sum;
  for (uint i = 0; i < rows; ++i) a[i * columns + j] -= q[i * columns + k] * sum;
}
