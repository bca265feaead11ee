// y = A x by rows: an item walks along its row, so neighbouring items read addresses that lie a row apart.
__kernel void gemv_rows(__global const float* matrix, __global const float* x, __global float* y, uint rows, uint columns) {
  const uint row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0.0f;
  for (uint c = 0; c < columns; ++c) sum += matrix[row * columns + c] * x[c];
  y[row] = sum;
}

// y = A^T x by columns: an item walks down its column, neighbouring items read neighbouring addresses.
__kernel void gemv_columns(__global const float* matrix, __global const float* x, __global float* y, int rows, int columns) {
  const int column = get_global_id(0);
  if (column < columns) {
    float sum = 0.0f;
    for (int r = 0; r < rows; r++) sum += matrix[r * columns + column] * x[r];
    y[column] = sum;
  }
}
