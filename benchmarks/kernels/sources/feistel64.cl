/* SPDX-License-Identifier: Apache-2.0
 *
 * A Feistel network on blocks of 64 bits, in the manner of XTEA, in counter mode: an item makes one block of the stream. */

ulong encrypt(ulong block, __constant uint* key, uint rounds) {
  uint left = (uint)(block >> 32), right = (uint)block;
  uint sum = 0;
  for (uint i = 0; i < rounds; i++) {
    left += (((right << 4) ^ (right >> 5)) + right) ^ (sum + key[sum & 3]);
    sum += 0x9e3779b9;
    right += (((left << 4) ^ (left >> 5)) + left) ^ (sum + key[(sum >> 11) & 3]);
  }
  return upsample(left, right);
}

__kernel void feistel64(__constant uint* key, __global const ulong* text, __global ulong* cipher, ulong start, uint rounds,
                        ulong count) {
  size_t i = get_global_id(0);
  if (i < count) cipher[i] = text[i] ^ encrypt(start + i, key, rounds);
}
