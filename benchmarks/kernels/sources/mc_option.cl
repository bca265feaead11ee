/* SPDX-License-Identifier: Apache-2.0
 *
 * Price of an Asian call by sampling: an item follows paths of its own, with normal numbers by Box and Muller. */

uint2 rounds(uint2 counter, uint key) {
  for (int i = 0; i < 6; ++i) {
    uint high = mul_hi(counter.x, 0xd256d193u);
    uint low = counter.x * 0xd256d193u;
    counter = (uint2)(high ^ key ^ counter.y, low);
    key += 0x9e3779b9u;
  }
  return counter;
}

float2 normal_pair(uint2 bits) {
  float radius = sqrt(-2.0f * log(((bits.x >> 8) + 0.5f) / 16777216.0f));
  float angle = 2 * M_PI * (bits.y >> 8) / 16777216.0f;
  return (float2)(radius * cos(angle), radius * sin(angle));
}

__kernel void mc_option(__global const float4* options, __global float* prices, int paths, int steps, int count) {
  int option = get_global_id(0);
  if (option >= count) return;
  float4 o = options[option]; /* price now, strike, volatility, years */
  float dt = o.w / (2 * steps);
  float drift = (0.03f - 0.5f * o.z * o.z) * dt;
  float spread = o.z * sqrt(dt);
  float total = 0;
  for (int path = 0; path < paths; ++path) {
    float logarithm = 0, mean = 0;
    for (int step = 0; step < steps; ++step) {
      float2 z = normal_pair(rounds((uint2)(path * steps + step, option), 77u));
      logarithm += drift + spread * z.x;
      mean += exp(logarithm);
      logarithm += drift + spread * z.y;
      mean += exp(logarithm);
    }
    total += max(o.x * mean / (2 * steps) - o.y, 0.0f);
  }
  prices[option] = total / paths * exp(-0.03f * o.w);
}
