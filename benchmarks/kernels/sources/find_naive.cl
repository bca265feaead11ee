/* SPDX-License-Identifier: Apache-2.0
 *
 * Every place of a text where a pattern begins, tried letter by letter. */

__kernel void find_naive_start(__global uint* matches) { *matches = 0; }

__kernel void find_naive(__global const char* text, __constant char* pattern, __global uchar* found, __global uint* matches,
                         uint text_length, uint pattern_length) {
  size_t at = get_global_id(0);
  if (at + pattern_length > text_length) return;
  uint i = 0;
  while (i < pattern_length && text[at + i] == pattern[i]) i++;
  found[at] = i == pattern_length;
  if (i == pattern_length) atomic_inc(matches);
}
