// Steps until a point leaves the circle of radius 2, at most `limit`: one point for each item, and four in a vector.
__kernel void mandelbrot(__global int *steps, int width, int height, float4 window, int limit) {
  const int px = get_global_id(0), py = get_global_id(1);
  if (px >= width || py >= height) return;
  const float cx = mix(window.x, window.z, (float)px / width), cy = mix(window.y, window.w, (float)py / height);
  float x = 0, y = 0;
  int n = 0;
  for (; n < limit && x * x + y * y <= 4; ++n) {
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  steps[py * width + px] = n;
}

__kernel void four_at_once(__global int4 *steps, int width, float4 window, int limit) {
  const int px = get_global_id(0), py = get_global_id(1), height = get_global_size(1);
  const float4 column = (float4)(px * 4) + (float4)(0, 1, 2, 3);
  const float4 cx = window.x + (window.z - window.x) * column / width;
  const float4 cy = (float4)(window.y + (window.w - window.y) * py / height);
  float4 x = 0.0f, y = 0.0f;
  int4 n = (int4)(0), inside = (int4)(-1);
  for (int k = 0; k < limit; ++k) {
    inside &= x * x + y * y <= 4.0f;
    if (!any(inside)) break;
    n -= inside;
    const float4 t = x * x - y * y + cx;
    y = inside ? 2.0f * x * y + cy : y;
    x = select(x, t, inside);
  }
  steps[py * (width / 4) + px] = n;
}
