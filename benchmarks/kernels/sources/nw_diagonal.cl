/* SPDX-License-Identifier: Apache-2.0
 *
 * Global alignment (Needleman and Wunsch) of many pairs: a launch fills one diagonal of every table. x is the place on the
 * diagonal, y the pair. */

#define AT(row, column) table[(pair * (rows + 1) + (row)) * (columns + 1) + (column)]

__kernel void nw_border(__global int* table, int rows, int columns, int gap) {
  int i = get_global_id(0);
  int pair = get_global_id(1);
  if (i <= rows) AT(i, 0) = -gap * i;
  if (i <= columns) AT(0, i) = -gap * i;
}

__kernel void nw_diagonal(__global const char* first, __global const char* second, __global int* table, int diagonal, int rows,
                          int columns, int gap) {
  int pair = get_global_id(1);
  int row = get_global_id(0) + 1;
  int column = diagonal - row;
  if (row > rows || column < 1 || column > columns) return;
  int score = first[pair * rows + row - 1] == second[pair * columns + column - 1] ? 3 : -2;
  int best = AT(row - 1, column - 1) + score;
  best = max(best, AT(row - 1, column) - gap);
  best = max(best, AT(row, column - 1) - gap);
  AT(row, column) = best;
}
