/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole Fourier transform of POINTS (a power of two) in local memory; a group takes a signal. */

#ifndef POINTS
#define POINTS 1024 /* of a signal */
#endif

__kernel void fft_local(__global const float* real_part, __global const float* imaginary_part, __global float2* spectrum) {
  __local float re[POINTS], im[POINTS];
  const int lid = get_local_id(0), size = get_local_size(0);
  const int signal = get_group_id(0);
  for (int i = lid; i < POINTS; i += size) {
    int reversed = 0;
    for (int bit = 1, rest = i; bit < POINTS; bit <<= 1, rest >>= 1) reversed = reversed << 1 | (rest & 1);
    re[reversed] = real_part[signal * POINTS + i];
    im[reversed] = imaginary_part[signal * POINTS + i];
  }
  for (int half_span = 1; half_span < POINTS; half_span *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < POINTS / 2; i += size) {
      const int k = i & (half_span - 1);
      const int low = 2 * i - k;
      const int high = low + half_span;
      float cosine;
      const float sine = sincos(-M_PI_F * k / half_span, &cosine);
      const float x = cosine * re[high] - sine * im[high];
      const float y = cosine * im[high] + sine * re[high];
      re[high] = re[low] - x;
      im[high] = im[low] - y;
      re[low] += x;
      im[low] += y;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = lid; i < POINTS; i += size) spectrum[signal * POINTS + i] = (float2)(re[i], im[i]);
}
