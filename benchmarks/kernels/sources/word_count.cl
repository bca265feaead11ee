/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of a text and how long they are: an item looks at the words that begin in its piece, a group counts in local memory. */

#define LENGTHS 16

int is_letter(uchar c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\''; }

__kernel void word_count_start(__global uint* words, __global uint* lengths) {
  if (get_global_id(0) == 0) *words = 0;
  if (get_global_id(0) < LENGTHS) lengths[get_global_id(0)] = 0;
}

__kernel void word_count(__global const uchar* text, __global uint* words, __global uint* lengths, uint piece, uint length) {
  __local uint counts[LENGTHS];
  __local uint all_words;
  const uint lid = get_local_id(0);
  for (uint i = lid; i < LENGTHS; i += get_local_size(0)) counts[i] = 0;
  if (lid == 0) all_words = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  uint mine = 0;
  const uint begin = get_global_id(0) * piece;
  const uint end = min(begin + piece, length);
  for (uint i = begin; i < end; ++i) {
    if (!is_letter(text[i]) || (i > 0 && is_letter(text[i - 1]))) continue;
    uint stop = i + 1;
    while (stop < length && is_letter(text[stop])) stop++;
    atomic_inc(&counts[min(stop - i, (uint)LENGTHS) - 1]);
    ++mine;
  }
  if (mine) atomic_add(&all_words, mine);

  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = lid; i < LENGTHS; i += get_local_size(0)) atomic_add(&lengths[i], counts[i]);
  if (lid == 0) atomic_add(words, all_words);
}
