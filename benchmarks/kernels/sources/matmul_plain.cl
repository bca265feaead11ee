// c = a * b (m x k times k x n, by rows), one item for each element of c, in three forms that programs have: signed indices with
// the columns along dimension 0, unsigned ones with the rows there, and size_t.
__kernel void matmul_int(__global const float* a, __global const float* b, __global float* c, int m, int n, int k) {
  int column = get_global_id(0);
  int row = get_global_id(1);
  if (column >= n || row >= m) return;
  float sum = 0.0f;
  for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

__kernel void matmul_rows(__global const float* a, __global const float* b, __global float* c, uint m, uint n, uint k) {
  const uint row = get_global_id(0);
  const uint column = get_global_id(1);
  if (row < m && column < n) {
    float sum = 0.0f;
    for (uint i = 0; i < k; ++i) sum = mad(a[row * k + i], b[i * n + column], sum);
    c[row * n + column] = sum;
  }
}

__kernel void matmul_size(__global const float* restrict a, __global const float* restrict b, __global float* restrict c, ulong m,
                          ulong n, ulong k) {
  const size_t column = get_global_id(0);
  const size_t row = get_global_id(1);
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (size_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
