/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounds of a block cipher like AES: substitution by a table in local memory, rows shifted, columns mixed, a key added. */

uchar twice(uchar x) { return (uchar)(x << 1) ^ ((x & 0x80) ? 0x1b : 0); }

uchar4 mix_column(uchar4 c) {
  const uchar all = c.x ^ c.y ^ c.z ^ c.w;
  uchar4 r;
  r.x = c.x ^ all ^ twice(c.x ^ c.y);
  r.y = c.y ^ all ^ twice(c.y ^ c.z);
  r.z = c.z ^ all ^ twice(c.z ^ c.w);
  r.w = c.w ^ all ^ twice(c.w ^ c.x);
  return r;
}

__kernel void sbox_rounds(__global const uchar* sbox, __constant uchar4* keys, __global const uchar4* input,
                          __global uchar4* output, __local uchar* table, uint rounds, uint blocks) {
  for (int i = get_local_id(0); i < 256; i += get_local_size(0)) table[i] = sbox[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint block = get_global_id(0);
  if (block >= blocks) return;
  uchar4 state[4];
  for (int c = 0; c < 4; ++c) state[c] = input[block * 4 + c] ^ keys[c];
  for (uint round = 1; round <= rounds; ++round) {
    uchar4 moved[4];
    for (int c = 0; c < 4; ++c) {
      moved[c] = (uchar4)(table[state[c].x], table[state[(c + 1) & 3].y], table[state[(c + 2) & 3].z], table[state[(c + 3) & 3].w]);
    }
    for (int c = 0; c < 4; ++c) state[c] = mix_column(moved[c]) ^ keys[round * 4 + c];
  }
  for (int c = 0; c < 4; ++c) output[block * 4 + c] = state[c];
}
