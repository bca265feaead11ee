/* SPDX-License-Identifier: Apache-2.0
 *
 * Levenshtein's distance of a word to each of a list, with one row of the table in private memory. */

#define LONGEST 24

__kernel void edit_distance(__constant char* word, uint word_length, __global const char* words, __global const uchar* lengths,
                            __global uchar* distances, uint count) {
  uint id = get_global_id(0);
  if (id >= count) return;
  uchar row[LONGEST + 1];
  for (uint i = 0; i <= word_length; ++i) row[i] = i;
  for (uint j = 0; j < lengths[id]; ++j) {
    char letter = words[id * LONGEST + j];
    uchar diagonal = row[0];
    row[0] = j + 1;
    for (uint i = 1; i <= word_length; ++i) {
      uchar replaced = diagonal + (word[i - 1] != letter);
      diagonal = row[i];
      row[i] = min(replaced, (uchar)(min(row[i], row[i - 1]) + 1));
    }
  }
  distances[id] = row[word_length];
}
