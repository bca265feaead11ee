// Kernels in which nothing tells the work-groups apart: several groups may run as one, and along either dimension. Each adds to
// what is there, so that an item that runs twice shows.
uint mixed(uint seed) {
  uint sum = seed;
  for (uint d = 0; d < 4; ++d) sum = sum * 31 + (uint)get_global_id(d) * 7 + (uint)get_global_size(d);
  return sum;
}

__kernel void ids(__global uint *out, uint seed) {
  size_t linear = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  out[linear] += mixed(seed) * 3 + get_work_dim();
}

__kernel void linear_ids(__global uint *out) { out[get_global_linear_id()] += (uint)get_global_id(0) + 1000 * (uint)get_global_id(1); }

__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void required(__global uint *out) {
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] += (uint)(get_global_id(0) * 100 + get_global_id(1));
}

// Dimension 0 is called the row, as in many programs: neighbours in memory are neighbours along dimension 1.
__kernel void rows_first(__global const float *in, __global float *out, int rows, int columns, float factor) {
  int row = get_global_id(0), column = get_global_id(1);
  if (row < rows && column < columns) out[row * columns + column] += factor * in[row * columns + column];
}

__kernel void product_rows_first(__global const float *a, __global const float *b, __global float *c, int n) {
  int row = get_global_id(0), column = get_global_id(1);
  if (row >= n || column >= n) return;
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + column];
  c[row * n + column] += sum;
}

__kernel void turned(__global const int *in, __global int *out, uint rows, uint columns) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) out[x * rows + y] += in[y * columns + x];
}

__kernel void space_first(__global const short *in, __global short *out, int width, int height, int depth) {
  int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  if (x >= width || y >= height || z >= depth) return;
  int at = (z * width + x) * height + y;
  out[at] += in[at] + (short)(x * 100 + y * 10 + z);
}

// Items that do nothing at both ends.
__kernel void inside(__global int *out, int width, int left, int right, int top, int bottom) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < left || y < top || x >= right || y > bottom) return;
  out[y * width + x] += 1;
}

__kernel void inside_unsigned(__global int *out, uint width, uint left, uint right, uint top, uint bottom) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x > left && top <= y && right > x && bottom >= y) out[y * width + x] += 1;
}

__kernel void inside_wide(__global int *out, ulong width, ulong left, ulong right, ulong top, ulong bottom) {
  const size_t x = get_global_id(0), y = get_global_id(1);
  if (left > x) return;
  if (y <= top || y >= bottom) return;
  if (x >= right) return;
  out[y * width + x] += 1;
}

__kernel void not_first(__global int *out, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x == 0 || !y) return;
  out[y * width + x] += 1;
}

__kernel void not_first_either(__global int *out, int width) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x > 0 && y != 0 && 1 <= x) out[y * width + x] += 1;
}

__kernel void not_first_in_group(__global int *out, int width) {
  int x = get_local_id(0), y = get_local_id(1);
  if (x < 1) return;
  if (y >= 1) out[get_global_id(1) * width + get_global_id(0)] += 1;
}

// Switches whose parts all end: with a break, inside braces, by leaving the loop's turn or the helper.
int named(int n) {
  switch (n & 7) {
    case 0:
    case 5: return 10;
    default: return n;
    case 3: n *= 2; return n + 1;
    case 6: if (n > 40) return 7; break;
    case 7: {
      int m = n * 3;
      n = m - 1;
      break;
    }
  }
  return n - 100;
}

__kernel void parted(__global const int *in, __global int *out, int count) {
  int i = get_global_id(0);
  if (i >= count) return;
  int value = in[i], sum = 0;
  for (int k = 0; k < 6; ++k) {
    switch (value % 5) {
      case 0: value += 3; break;
      case 1: { sum += 10; value ^= k; } break;
      case 2: value -= 7; sum += named(value); break;
      case -3: continue;
      case 3: break;
      default: { int twice = value * 2; sum ^= twice; break; }
    }
    ++value;
    sum += k;
  }
  out[i] += sum * 31 + value;
}

/* No item asks which one it is: what one of them does stands for all. */
int gcd(int a, int b) {
  while (b != 0) {
    const int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
__kernel void task(__global const int *in, __global int *out, int n) {
  int sum = 0;
  float4 mean = (float4)(0.0f);
  for (int k = 0; k < n; ++k) {
    if (in[k] == 99) {
      out[k] = -1;
      return;
    }
    sum += in[k] * (k & 1 ? -1 : 3);
    mean = mean.yzwx + (float)in[k];
    out[k] = sum + gcd(in[k], 12) + (int)mean.x;
  }
  out[n] = sum;
}
__kernel void task_with_rounds(__global int *out, int n) {
  int values[8];
  for (int k = 0; k < 8; ++k) values[k] = k * n;
  for (int round = 0; round < n; ++round) {
    for (int k = 0; k < 8; ++k) values[k] = values[(k + round) & 7] + round;
  }
  for (int k = 0; k < 8; ++k) out[k] = values[k] + (int)get_global_size(0) * 0;
}
