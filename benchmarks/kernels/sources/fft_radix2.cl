/* SPDX-License-Identifier: Apache-2.0
 *
 * A pass of a Fourier transform by halves, in the order that needs no reversal of bits. y is the signal of a batch. */

__kernel void fft_radix2(__global const float2* input, __global float2* output, uint span, uint size,
                         uint signals) {
  const uint i = get_global_id(0); /* below size / 2 */
  if (i >= size / 2 || get_global_id(1) >= signals) return;
  input += get_global_id(1) * size;
  output += get_global_id(1) * size;
  const uint k = i % span;
  const float angle = -M_PI_F * k / span;
  const float2 a = input[i], b = input[i + size / 2];
  const float2 w = (float2)(cos(angle), sin(angle));
  const float2 t = (float2)(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
  const uint to = (i - k) * 2 + k;
  output[to] = a + t;
  output[to + span] = a - t;
}
