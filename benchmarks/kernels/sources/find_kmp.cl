/* SPDX-License-Identifier: Apache-2.0
 *
 * Search by Knuth, Morris and Pratt: an item takes a piece of the text and what its last matches need of the next piece. */

__kernel void find_kmp(__global const uchar* text, __global const uchar* pattern, __global const int* fallback,
                       __global int* counts, __global int* last, int text_length, int pattern_length, int piece, int pieces) {
  __local uchar wanted[64];
  __local int back[64];
  const int lid = get_local_id(0);
  for (int i = lid; i < pattern_length; i += get_local_size(0)) {
    wanted[i] = pattern[i];
    back[i] = fallback[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const int id = get_global_id(0);
  if (id >= pieces) return;
  const int begin = id * piece;
  const int end = min(begin + piece + pattern_length - 1, text_length);
  int state = 0, count = 0, latest = -1;
  for (int i = begin; i < end; ++i) {
    const uchar letter = text[i];
    while (state > 0 && wanted[state] != letter) state = back[state - 1];
    if (wanted[state] == letter) ++state;
    if (state == pattern_length) {
      ++count;
      latest = i - pattern_length + 1;
      state = back[state - 1];
    }
  }
  counts[id] = count;
  last[id] = latest;
}
