/* SPDX-License-Identifier: Apache-2.0
 *
 * Light through a cloud: rays march through a grid of densities with interpolation in three dimensions. */

float density(__global const float* grid, int4 size, float4 at) {
  float4 low = floor(at);
  float4 part = at - low;
  int4 cell = clamp(convert_int4(low), (int4)(0), size - 2);
  int base = (cell.z * size.y + cell.y) * size.x + cell.x;
  float2 front0 = vload2(0, grid + base), front1 = vload2(0, grid + base + size.x);
  base += size.x * size.y;
  float2 back0 = vload2(0, grid + base), back1 = vload2(0, grid + base + size.x);
  float2 front = mix(front0, front1, part.y), back = mix(back0, back1, part.y);
  float2 both = mix(front, back, part.z);
  return mix(both.x, both.y, part.x);
}

__kernel void volume_march(__global const float* grid, int4 size, __global float4* image, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float4 at = (float4)((x + 0.5f) / width * (size.x - 1), (y + 0.5f) / height * (size.y - 1), 0.25f, 0.0f);
  float4 step = normalize((float4)(x - 0.4f * width, y - 0.6f * height, 1.5f * width, 0.0f)) * 0.5f;
  float4 top = convert_float4(size - 1);
  float4 colour = (float4)(0.0f);
  while (all(at.xyz >= 0.0f) && all(at.xyz < top.xyz) && colour.w < 0.999f) {
    float d = density(grid, size, at) - 0.1f;
    if (d > 0.0f) {
      float alpha = 1.0f - exp(-0.7f * d);
      float4 light = (float4)(d, d * d, 1.0f - d, 1.0f);
      colour += (1.0f - colour.w) * alpha * light;
    }
    at += step;
  }
  image[y * width + x] = colour;
}
