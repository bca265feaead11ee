/* SPDX-License-Identifier: Apache-2.0
 *
 * Length of the longest common subsequence: a group takes a pair and keeps three diagonals in local memory. */

__kernel void lcs_group(__global const uchar* first, __global const uchar* second, __global uint* lengths, uint rows, uint columns,
                        __local ushort* diagonals) {
  const uint pair = get_group_id(0);
  const uint lid = get_local_id(0), size = get_local_size(0);
  __global const uchar* a = first + pair * rows;
  __global const uchar* b = second + pair * columns;
  const uint width = rows + 1;
  for (uint i = lid; i < 3 * width; i += size) diagonals[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 2; d <= rows + columns; ++d) {
    __local ushort* now = diagonals + d % 3 * width;
    __local const ushort* before = diagonals + (d + 2) % 3 * width;
    __local const ushort* two_before = diagonals + (d + 1) % 3 * width;
    for (uint row = lid; row <= rows; row += size) {
      if (row == 0 || row >= d) {
        now[row] = 0;
      } else if (d - row <= columns) {
        now[row] = a[row - 1] == b[d - row - 1] ? two_before[row - 1] + 1 : max(before[row], before[row - 1]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lid == 0) lengths[pair] = diagonals[(rows + columns) % 3 * width + rows];
}
