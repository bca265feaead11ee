// Work-items that do not take part touch nothing: the memory that they would touch is not there, or what they would do is a fault.
#define COPY(T)                                                                           \
  __kernel void copy_##T(__global const T *in, __global T *out, uint n) {                 \
    uint i = get_global_id(0);                                                            \
    if (i < n) out[i] = in[i];                                                            \
  }                                                                                       \
  __kernel void after_##T(__global const T *in, __global T *out, uint low, uint n) {     \
    uint i = get_global_id(0);                                                            \
    if (i >= low && i < n) out[i - low] = in[i - low];                                    \
  }                                                                                       \
  __kernel void chosen_##T(__global const T *in, __global T *out, __global const int *flags, uint n) { \
    uint i = get_global_id(0);                                                            \
    if (i >= n) return;                                                                   \
    if (flags[i]) out[i] = in[i];                                                         \
  }                                                                                       \
  __kernel void indexed_##T(__global const T *in, __global T *out, __global const int *index, uint n) { \
    uint i = get_global_id(0);                                                            \
    if (i >= n) return;                                                                   \
    int at = index[i];                                                                    \
    if (at < 100000) out[at] = in[at];                                                    \
  }                                                                                       \
  __kernel void stepped_##T(__global const T *in, __global T *out, uint step, uint n) {   \
    uint i = get_global_id(0);                                                            \
    if (i * step < n) out[i * step] = in[i * step];                                       \
  }
COPY(uchar)
COPY(ushort)
COPY(int)
COPY(float)
COPY(long)
COPY(uchar4)
COPY(short2)
COPY(float2)
COPY(float4)

__kernel void divided(__global const int *x, __global const int *by, __global int *out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  int d = by[i];
  if (d != 0 && !(d == -1 && x[i] == INT_MIN)) out[i] = x[i] / d + x[i] % d;
  else out[i] = -7;
}

// The lanes leave where `limits` says, all at once where these are 0.
__kernel void left(__global const int *limits, __global const int *in, __global int *out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  int sum = 0;
  for (int k = 0;; ++k) {
    if (k >= limits[i]) break;
    if (in[k] == 3) continue;
    if (in[k] == 99) {
      out[i] = -1;
      return;
    }
    sum += in[k];
  }
  out[i] = sum;
}

// Whole groups are beyond n, and so are all lanes of some vectors, on both sides of a barrier.
__kernel void around_a_barrier(__global const int *in, __global int *out, uint n, __local int *tile) {
  uint i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  tile[l] = -1;
  if (i < n) tile[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = tile[size - 1 - l];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) tile[0] = other + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) out[i] = other ^ tile[0];
}

// The bits of numbers go through a mask as they are.
__kernel void one_of_two(__global const float *x, __global const float *y, __global const int *flags, __global float *out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  float a = x[i];
  if (flags[i]) a = y[i];
  out[i] = a;
}

// Groups of rows that are shorter than a vector, or a little longer; the pages end where the last row does.
__kernel void rows_uchar(__global const uchar *in, __global uchar *out, uint width, uint height) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  out[y * width + x] = in[y * width + x];
}
__kernel void rows_float(__global const float *in, __global float *out, uint width, uint height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < width && y < height) out[y * (int)width + x] = in[y * (int)width + x];
}
__kernel void rows_long(__global const long *in, __global long *out, uint width, uint height) {
  size_t x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  long sum = 0;
  for (uint k = 0; k < height; ++k) sum += in[k * width + x];
  for (uint k = 0; k < height; ++k) sum -= k == y ? 0 : in[k * width + x];
  out[y * width + x] = sum;
}
__kernel void rows_float4(__global const float4 *in, __global float4 *out, uint width, uint height) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  out[y * width + x] = in[y * width + x];
}

// Across a barrier: each item takes what the item opposite to it in the group has put there.
__kernel void rows_turned(__global const int *in, __global int *out, uint width, uint height, __local int *tile) {
  uint lx = get_local_id(0), ly = get_local_id(1), nx = get_local_size(0), ny = get_local_size(1);
  uint x = get_global_id(0), y = get_global_id(1);
  tile[ly * nx + lx] = -1;
  if (x < width && y < height) tile[ly * nx + lx] = in[y * width + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < width && y < height) out[y * width + x] = tile[(ny - 1 - ly) * nx + nx - 1 - lx];
}

// What only a loop reads: lanes that have left it are gone, but not those that come back with the next turn of the loop around.
__kernel void gone(__global const int *limits, __global const int *in, __global int *out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  int total = 0;
  for (int k = 0; k < 4; ++k) {
    int x = in[i] + k, turns = 0;
    while (turns < limits[i] && x < 10000) {
      x = x * 2 + 1;
      turns++;
    }
    total = total * 8 + turns;
  }
  out[i] = total;
}
__kernel void back_again(__global const int *limits, __global const int *in, __global int *out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  int x = in[i], total = 0;
  for (int k = 0; k < 4; ++k) {
    int turns = 0;
    while (turns < limits[i] && x < 10000) {
      x = x * 2 + 1;
      turns++;
    }
    total = total * 8 + turns;
  }
  out[i] = total;
}
__kernel void out_for_a_turn(__global const int *limits, __global const int *in, __global int *out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  int x = in[i], turns = 0;
  while (turns < 2 * limits[i]) {
    turns++;
    if ((x ^ turns) & 1) continue;
    x += turns;
    if (turns % 3 == 0) x ^= 5;
    out[i] = x;
  }
}
__kernel void broken_off(__global const int *limits, __global const int *in, __global int *out, uint n) {
  uint i = get_global_id(0);
  if (i >= n) return;
  int x = in[i], y = 1;
  for (int k = 0; k < limits[i]; ++k) {
    x = x * 3 + y;
    if (x > 5000) break;
    if (x & 2) y += k;
    out[i] = x - y;
  }
}
