// Stencils in two dimensions: five and nine points, a plate with its borders by conditions, heat through a tile of local memory, and
// electromagnetic fields in three launches for each step of time.
__kernel void stencil_5(__global const float* in, __global float* out, int width, int height, float centre, float side) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  out[y * width + x] = centre * in[y * width + x] + side * (in[y * width + x - 1] + in[y * width + x + 1] +
                                                            in[(y - 1) * width + x] + in[(y + 1) * width + x]);
}

// Weights in constant memory, borders clamped.
__kernel void stencil_9(__global const float* in, __global float* out, uint width, uint height, __constant float* weights) {
  const uint x = get_global_id(0);
  const uint y = get_global_id(1);
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const int sx = clamp((int)x + dx, 0, (int)width - 1);
      const int sy = clamp((int)y + dy, 0, (int)height - 1);
      sum += weights[(dy + 1) * 3 + dx + 1] * in[sy * width + sx];
    }
  }
  out[y * width + x] = sum;
}

// The temperature of a chip: a corner, an edge or the inside, each with the neighbours that it has.
__kernel void plate(__global const float* temperature, __global const float* power, __global float* result, int width, int height,
                    float step, float rx, float ry, float rz, float ambient) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  const int at = y * width + x;
  const float here = temperature[at];
  float change = power[at] + (ambient - here) * rz;
  if (x == 0) {
    change += (temperature[at + 1] - here) * rx;
  } else if (x == width - 1) {
    change += (temperature[at - 1] - here) * rx;
  } else {
    change += (temperature[at + 1] + temperature[at - 1] - 2.0f * here) * rx;
  }
  if (y == 0) {
    change += (temperature[at + width] - here) * ry;
  } else if (y == height - 1) {
    change += (temperature[at - width] - here) * ry;
  } else {
    change += (temperature[at + width] + temperature[at - width] - 2.0f * here) * ry;
  }
  result[at] = here + step * change;
}

// A group of TILE x TILE items reads its tile and a border of one, two loads for some items.
#define TILE 16
__kernel void heat_tile(__global const float* in, __global float* out, uint width, uint height, float rate) {
  __local float tile[TILE + 2][TILE + 2];
  const uint lane = get_local_id(1) * TILE + get_local_id(0);
  const int left = (int)(get_group_id(0) * TILE) - 1;
  const int top = (int)(get_group_id(1) * TILE) - 1;
  for (uint i = lane; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
    const int x = left + (int)(i % (TILE + 2));
    const int y = top + (int)(i / (TILE + 2));
    const bool inside = x >= 0 && y >= 0 && x < (int)width && y < (int)height;
    tile[i / (TILE + 2)][i % (TILE + 2)] = inside ? in[y * (int)width + x] : 0.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint x = get_global_id(0);
  const uint y = get_global_id(1);
  if (x >= width || y >= height) return;
  const uint lx = get_local_id(0) + 1;
  const uint ly = get_local_id(1) + 1;
  const float here = tile[ly][lx];
  const float around = tile[ly - 1][lx] + tile[ly + 1][lx] + tile[ly][lx - 1] + tile[ly][lx + 1];
  out[y * width + x] = here + rate * (around - 4.0f * here);
}

__kernel void fields_ey(__global float* ey, __global const float* hz, int width, int height, float source) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x >= width || y >= height) return;
  if (y == 0) {
    ey[x] = source;
  } else {
    ey[y * width + x] = ey[y * width + x] - 0.5f * (hz[y * width + x] - hz[(y - 1) * width + x]);
  }
}
__kernel void fields_ex(__global float* ex, __global const float* hz, int width, int height) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x < width && y < height && x > 0) ex[y * width + x] -= 0.5f * (hz[y * width + x] - hz[y * width + x - 1]);
}
__kernel void fields_hz(__global const float* ex, __global const float* ey, __global float* hz, int width, int height) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x < width - 1 && y < height - 1) {
    hz[y * width + x] -= 0.7f * (ex[y * width + x + 1] - ex[y * width + x] + ey[(y + 1) * width + x] - ey[y * width + x]);
  }
}
