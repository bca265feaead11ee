// y = A x for sparse A in the formats that programs keep: compressed rows (an item or a group for each row), ELLPACK (padded rows,
// stored by columns), coordinates with atomics, diagonals.
__kernel void spmv_csr(__global const float* values, __global const int* columns, __global const int* starts, __global const float* x,
                       __global float* y, int rows) {
  int row = get_global_id(0);
  if (row < rows) {
    float sum = 0.0f;
    for (int j = starts[row]; j < starts[row + 1]; j++) sum += values[j] * x[columns[j]];
    y[row] = sum;
  }
}

// A group takes a row: its items walk the row together, then add their sums up in local memory.
__kernel void spmv_csr_group(__global const float* values, __global const uint* columns, __global const uint* starts,
                             __global const float* x, __global float* y, __local volatile float* sums) {
  const uint row = get_group_id(0);
  const uint lane = get_local_id(0);
  const uint size = get_local_size(0);
  float sum = 0.0f;
  for (uint j = starts[row] + lane; j < starts[row + 1]; j += size) sum = mad(values[j], x[columns[j]], sum);
  sums[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint active = size; active > 1;) {
    const uint rest = (active + 1) / 2;
    if (lane + rest < active) sums[lane] += sums[lane + rest];
    barrier(CLK_LOCAL_MEM_FENCE);
    active = rest;
  }
  if (lane == 0) y[row] = sums[0];
}

// Padding has the column NONE.
#define NONE 0xffffffffu
__kernel void spmv_ell(__global const float* values, __global const uint* columns, __global const float* x, __global float* y,
                       uint rows, uint width) {
  const size_t row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0.0f;
  for (uint k = 0; k < width; ++k) {
    const size_t at = k * (size_t)rows + row;
    const uint column = columns[at];
    if (column != NONE) sum += values[at] * x[column];
  }
  y[row] = sum;
}

// The order of additions is open, so the values are integers.
__kernel void spmv_coo(__global const int* values, __global const uint* rows, __global const uint* columns, __global const int* x,
                       __global int* y, uint count) {
  const uint i = get_global_id(0);
  if (i < count) atomic_add(&y[rows[i]], values[i] * x[columns[i]]);
}

// Diagonals of a band, each with its distance from the main one, in double precision.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void spmv_dia(__global const double* values, __constant int* offsets, __global const double* x, __global double* y, int size,
                       int diagonals) {
  const int row = get_global_id(0);
  if (row >= size) return;
  double sum = 0.0;
  for (int d = 0; d < diagonals; ++d) {
    const int column = row + offsets[d];
    if (column >= 0 && column < size) sum += values[d * size + row] * x[column];
  }
  y[row] = sum;
}
