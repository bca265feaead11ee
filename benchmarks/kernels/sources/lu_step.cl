// Elimination without pivots, two launches for each step: the factors of the column below the pivot, then the rest of the matrix.
__kernel void lu_column(__global float* matrix, int n, int step) {
  const int row = get_global_id(0) + step + 1;
  if (row < n) matrix[row * n + step] /= matrix[step * n + step];
}

__kernel void lu_update(__global float* matrix, int n, int step) {
  const int column = get_global_id(0) + step + 1;
  const int row = get_global_id(1) + step + 1;
  if (row < n && column < n) matrix[row * n + column] -= matrix[row * n + step] * matrix[step * n + column];
}
