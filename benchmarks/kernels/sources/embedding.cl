/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a table for the words of a text, with waves for their places added; x is the column, y the word. */

__kernel void embedding(__global const float* table, __global const ushort* words, __global float* output, uint width, uint length) {
  const uint column = get_global_id(0), place = get_global_id(1);
  if (column >= width || place >= length) return;
  const float angle = place * exp(-9.2103404f * (column & ~1u) / width);
  const float wave = (column & 1) ? cos(angle) : sin(angle);
  output[place * width + column] = table[words[place] * width + column] * sqrt((float)width) + wave;
}
