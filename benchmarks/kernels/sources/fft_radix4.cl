/* SPDX-License-Identifier: Apache-2.0
 *
 * A pass of a Fourier transform by quarters; the factors come from a table of the whole circle. */

float2 multiply(float2 a, float2 b) { return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
float2 turn(float2 a) { return (float2)(a.y, -a.x); } /* by -i */

__kernel void fft_radix4(__global const float2* input, __global float2* output, __global const float2* circle, int span, int size,
                         int signals) {
  const int quarter = size / 4;
  const int i = get_global_id(0);
  if (i >= quarter || (int)get_global_id(1) >= signals) return;
  input += (size_t)get_global_id(1) * size;
  output += (size_t)get_global_id(1) * size;
  const int k = i & (span - 1);
  const int stride = quarter / span;
  const float2 a = input[i];
  const float2 b = multiply(circle[k * stride], input[i + quarter]);
  const float2 c = multiply(circle[2 * k * stride], input[i + 2 * quarter]);
  const float2 d = multiply(circle[3 * k * stride], input[i + 3 * quarter]);
  const float2 ac = a + c, a_c = a - c, bd = b + d, b_d = turn(b - d);
  const int to = ((i - k) << 2) + k;
  output[to] = ac + bd;
  output[to + span] = a_c + b_d;
  output[to + 2 * span] = ac - bd;
  output[to + 3 * span] = a_c - b_d;
}
