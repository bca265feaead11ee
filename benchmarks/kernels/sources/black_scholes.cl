/* SPDX-License-Identifier: Apache-2.0
 *
 * Closed form of a European call and put with erf. Some constants are double, as careless sources have them. */

float cumulative(float x) { return 0.5 * (1.0f + erf(x * 0.70710678f)); }

__kernel void black_scholes(__global const float* price, __global const float* strike, __global const float* years,
                            __global float* call, __global float* put, float rate, float volatility, int count) {
  const int i = get_global_id(0);
  if (i >= count) return;
  const float s = price[i], x = strike[i], t = years[i];
  const float root = volatility * sqrt(t);
  const float d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / root;
  const float d2 = d1 - root;
  const float discounted = x * exp(-rate * t);
  call[i] = s * cumulative(d1) - discounted * cumulative(d2);
  put[i] = discounted * cumulative(-d2) - s * cumulative(-d1);
}
