/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20: each item makes a block of the key stream from its counter and adds it to 64 bytes. A row of the state is a uint4. */

#define QUARTERS(a, b, c, d)      \
  a += b;                         \
  d = rotate(d ^ a, (uint4)(16)); \
  c += d;                         \
  b = rotate(b ^ c, (uint4)(12)); \
  a += b;                         \
  d = rotate(d ^ a, (uint4)(8));  \
  c += d;                         \
  b = rotate(b ^ c, (uint4)(7))

__kernel void chacha20(__global const uint4* key, __global const uint4* input, __global uint4* output, uint4 nonce, int blocks) {
  const int block = get_global_id(0);
  if (block >= blocks) return;
  const uint4 row0 = (uint4)(0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u);
  const uint4 row1 = key[0], row2 = key[1];
  uint4 row3 = nonce;
  row3.x += (uint)block;
  uint4 a = row0, b = row1, c = row2, d = row3;
  for (int round = 0; round < 10; ++round) {
    QUARTERS(a, b, c, d);
    b = b.yzwx;
    c = c.zwxy;
    d = d.wxyz;
    QUARTERS(a, b, c, d);
    b = b.wxyz;
    c = c.zwxy;
    d = d.yzwx;
  }
  output[block * 4] = input[block * 4] ^ (a + row0);
  output[block * 4 + 1] = input[block * 4 + 1] ^ (b + row1);
  output[block * 4 + 2] = input[block * 4 + 2] ^ (c + row2);
  output[block * 4 + 3] = input[block * 4 + 3] ^ (d + row3);
}
