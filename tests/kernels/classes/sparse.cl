// y = A x for a matrix of compressed rows: one work-item for each row, and one group for each row.
__kernel void row_per_item(__global const int *starts, __global const int *columns, __global const float *values,
                           __global const float *x, __global float *y, int rows) {
  const int row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
  y[row] = sum;
}

__kernel void row_per_group(__global const int *restrict starts, __global const int *restrict columns,
                            __global const float *restrict values, __global const float *restrict x,
                            __global float *restrict y, __local float *scratch) {
  const int row = get_group_id(0), item = get_local_id(0), size = get_local_size(0);
  const int begin = starts[row], end = starts[row + 1];
  float sum = 0.0f;
  for (int k = begin + item; k < end; k += size) sum += values[k] * x[columns[k]];
  scratch[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  int left = size;
  while (left > 1) {
    const int half_ = (left + 1) >> 1;
    if (item + half_ < left) scratch[item] += scratch[item + half_];
    barrier(CLK_LOCAL_MEM_FENCE);
    left = half_;
  }
  if (!item) y[row] = *scratch;
}
