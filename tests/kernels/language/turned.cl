/* Work-items whose neighbours in one dimension read, or write, what lies apart: matrices that are turned. */

#ifdef INDEX /* one kernel of each kind for each type of elements */

#define TURN(T)                                                                                                                \
  __kernel void turn_##T(__global const T *in, __global T *out, INDEX rows, INDEX columns) {                                   \
    const INDEX x = get_global_id(0), y = get_global_id(1);                                                                    \
    if (x < columns && y < rows) out[x * rows + y] = in[y * columns + x];                                                      \
  }                                                                                                                            \
  __kernel void fetch_##T(__global const T *in, __global T *out, INDEX rows, INDEX columns) {                                  \
    const INDEX x = get_global_id(0), y = get_global_id(1);                                                                    \
    if (x >= columns || y >= rows) return;                                                                                     \
    out[y * columns + x] = in[x * rows + y] + (T)3;                                                                            \
  }
TURN(char)
TURN(ushort)
TURN(int)
TURN(float)
TURN(long)

#else

__kernel void by_pointer(__global const int *in, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  __global const int *row = in + y * columns;
  if (x < columns && y < rows) out[x * rows + y] = row[x];
}

int halved(int a) { return a / 2; }
__kernel void two(__global const int *a, __global const int *b, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) {
    const int first = a[y * columns + x];
    out[x * rows + y] = halved(first * 31) + b[(y + 1) * columns - 1 - x] * b[x + y * columns] + first;
  }
}

/* What an item has written is what it reads. */
__kernel void written_before(__global int *all, __global const int *more, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) {
    all[x * rows + y] = x * 7 + y;
    out[y * columns + x] = all[x * rows + y] + more[y * columns + x] * more[y * columns + x];
  }
}
__kernel void written_within(__global int *all, __global const int *more, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows)
    out[y * columns + x] = (all[x * rows + y] = x * 7 + y, all[x * rows + y]) + more[y * columns + x] * more[y * columns + x];
}
__kernel void written_if(__global int *all, __global const int *more, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) {
    if (more[y * columns + x] > -1000) all[x * rows + y] = x * 7 + y;
    out[y * columns + x] = all[x * rows + y] + more[y * columns + x] * more[y * columns + x];
  }
}
/* And what it writes after its read may be the same. */
__kernel void written_after(__global int *all, __global const int *more, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) all[y * columns + x] = all[y * columns + x] * 3 + more[x * rows + y];
}

__kernel void some(__global const int *in, __global const int *wanted, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) {
    if (wanted[x * rows + y] != 0) out[x * rows + y] = in[y * columns + x];
  }
}
__kernel void lazy(__global const int *in, __global const int *wanted, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) out[x * rows + y] = wanted[x * rows + y] != 0 ? in[y * columns + x] : -5;
}
__kernel void leaving(__global const int *in, __global const int *wanted, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= columns || y >= rows) return;
  if (wanted[x * rows + y] == 0) return;
  out[x * rows + y] = in[y * columns + x];
}

__kernel void inside(__global const int *in, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= 1 && x < columns - 1 && y >= 2 && y < rows) out[x * rows + y] = in[(y - 1) * columns + x + 1];
}

/* An index that memory has, for each row; and one for each element, which is no row. */
__kernel void rows_of(__global const int *in, __global const int *starts, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) out[x * rows + y] = in[starts[y] + x];
}
__kernel void places_of(__global const int *in, __global const int *places, __global int *out, int rows, int columns) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) out[x * rows + y] = in[places[x] + y * columns];
}

/* Items keep what they know across a barrier. */
__kernel void across(__global const int *in, __global int *out, int rows, int columns) {
  __local int factor;
  const int x = get_global_id(0), y = get_global_id(1);
  int shift = 0;
  if (x < columns && y < rows) shift = in[x * rows + y] & 1;
  if (get_local_id(0) == 0 && get_local_id(1) == 0) factor = 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x < columns && y < rows) out[y * columns + x] = in[x * rows + y + shift] * factor;
}

#define SIDE 16
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void by_tile(__global const float *in, __global float *out,
                                                                           int rows, int columns) {
  __local float tile[SIDE][SIDE + 1];
  const int lx = get_local_id(0), ly = get_local_id(1);
  int x = get_group_id(0) * SIDE + lx, y = get_group_id(1) * SIDE + ly;
  if (x < columns && y < rows) tile[ly][lx] = in[y * columns + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * SIDE + lx;
  y = get_group_id(0) * SIDE + ly;
  if (x < rows && y < columns) out[y * rows + x] = tile[lx][ly];
}

/* The index begins at 0 again somewhere. */
__kernel void wrapping(__global const uchar *bytes, __global uchar *out, uint first, uint rows, uint columns) {
  const uint x = get_global_id(0), y = get_global_id(1);
  if (x < columns && y < rows) out[x * rows + y] = bytes[first + y * columns + x];
}

#endif
