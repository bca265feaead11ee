/* SPDX-License-Identifier: Apache-2.0
 *
 * A multiplicative hash in the manner of Murmur on four streams at a time: each item hashes its block of uint4. */

uint4 mix_block(uint4 hash, uint4 block) {
  block *= 0xcc9e2d51u;
  block = rotate(block, (uint4)(15));
  block *= 0x1b873593u;
  hash ^= block;
  hash = rotate(hash, (uint4)(13));
  return hash * 5u + 0xe6546b64u;
}

uint4 finish(uint4 hash) {
  hash ^= hash >> 16;
  hash *= 0x85ebca6bu;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35u;
  return hash ^ (hash >> 16);
}

__kernel void murmur4(__global const uint4* data, __global uint4* hashes, __global uint* folded, uint blocks, uint count) {
  uint i = get_global_id(0);
  if (i >= count) return;
  uint4 hash = (uint4)(1u, 2u, 3u, 4u) + i;
  for (uint b = 0; b < blocks; ++b) hash = mix_block(hash, data[b * count + i]);
  hash = finish(hash ^ (blocks * 16));
  hashes[i] = hash;
  folded[i] = hash.x ^ hash.y ^ hash.z ^ hash.w;
}
