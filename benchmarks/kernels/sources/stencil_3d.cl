// Seven points in three dimensions with size_t indices: an item walks along z, and keeps the two points below and above in variables.
__kernel void stencil_7(__global const float* in, __global float* out, ulong width, ulong height, ulong depth, float centre,
                        float side) {
  const size_t x = get_global_id(0) + 1;
  const size_t y = get_global_id(1) + 1;
  if (x >= width - 1 || y >= height - 1) return;
  const size_t plane = width * height;
  size_t at = y * width + x;
  float below = in[at];
  float here = in[at + plane];
  for (size_t z = 1; z < depth - 1; ++z) {
    at += plane;
    const float above = in[at + plane];
    out[at] = centre * here + side * (below + above + in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
    below = here;
    here = above;
  }
}
