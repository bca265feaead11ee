/* Twelve of the sixty kernels written by hand: loops, with OpenMP for the cores and for vectors. Each takes the arguments of
 * the kernel's launch in its order: a buffer is its data, a scalar its address. bench_sixty.cpp calls them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define INT(index) (*(const int32_t*)arguments[index])
#define UINT(index) (*(const uint32_t*)arguments[index])
#define ULONG(index) (*(const uint64_t*)arguments[index])
#define FLOAT(index) (*(const float*)arguments[index])

void sixty_matmul_int(void* const* arguments);
void sixty_gemv_rows(void* const* arguments);
void sixty_gemv_columns(void* const* arguments);
void sixty_transpose_plain(void* const* arguments);
void sixty_spmv_csr(void* const* arguments);
void sixty_spmv_dia(void* const* arguments);
void sixty_stencil_5(void* const* arguments);
void sixty_plate(void* const* arguments);
void sixty_stencil_7(void* const* arguments);
void sixty_rank_sort(void* const* arguments);
void sixty_mandelbrot(void* const* arguments);
void sixty_nbody_tile(void* const* arguments);

/* Four rows of c are made at a time, so that a row of b is read once for them. */
void sixty_matmul_int(void* const* arguments) {
  const float* restrict a = arguments[0];
  const float* restrict b = arguments[1];
  float* restrict c = arguments[2];
  const int m = INT(3), n = INT(4), k = INT(5);
#pragma omp parallel for schedule(static)
  for (int first = 0; first < m; first += 4) {
    const int rows = m - first < 4 ? m - first : 4;
    for (int begin = 0; begin < n; begin += 64) {
      const int width = n - begin < 64 ? n - begin : 64;
      float sums[4][64];
      memset(sums, 0, sizeof sums);
      for (int i = 0; i < k; ++i) {
        const float* restrict in = b + (size_t)i * (size_t)n + begin;
        for (int r = 0; r < rows; ++r) {
          const float factor = a[(size_t)(first + r) * (size_t)k + (size_t)i];
#pragma omp simd
          for (int x = 0; x < width; ++x) sums[r][x] += factor * in[x];
        }
      }
      for (int r = 0; r < rows; ++r)
        memcpy(c + (size_t)(first + r) * (size_t)n + begin, sums[r], (size_t)width * sizeof(float));
    }
  }
}

void sixty_gemv_rows(void* const* arguments) {
  const float* restrict matrix = arguments[0];
  const float* restrict x = arguments[1];
  float* restrict y = arguments[2];
  const uint32_t rows = UINT(3), columns = UINT(4);
#pragma omp parallel for schedule(static)
  for (uint32_t row = 0; row < rows; ++row) {
    const float* restrict own = matrix + (size_t)row * columns;
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (uint32_t c = 0; c < columns; ++c) sum += own[c] * x[c];
    y[row] = sum;
  }
}

void sixty_gemv_columns(void* const* arguments) {
  const float* restrict matrix = arguments[0];
  const float* restrict x = arguments[1];
  float* restrict y = arguments[2];
  const int rows = INT(3), columns = INT(4);
#pragma omp parallel for schedule(static)
  for (int begin = 0; begin < columns; begin += 128) {
    const int width = columns - begin < 128 ? columns - begin : 128;
    float sums[128] = {0};
    for (int r = 0; r < rows; ++r) {
      const float* restrict in = matrix + (size_t)r * (size_t)columns + begin;
      const float factor = x[r];
#pragma omp simd
      for (int c = 0; c < width; ++c) sums[c] += in[c] * factor;
    }
    memcpy(y + begin, sums, (size_t)width * sizeof(float));
  }
}

/* Blocks of 16 by 16, so that the lines of both sides stay in the cache. */
void sixty_transpose_plain(void* const* arguments) {
  const float* restrict in = arguments[0];
  float* restrict out = arguments[1];
  const uint32_t rows = UINT(2), columns = UINT(3);
#pragma omp parallel for schedule(static)
  for (uint32_t left = 0; left < columns; left += 16) {
    const uint32_t right = left + 16 < columns ? left + 16 : columns;
    for (uint32_t top = 0; top < rows; top += 16) {
      const uint32_t bottom = top + 16 < rows ? top + 16 : rows;
      for (uint32_t x = left; x < right; ++x) {
#pragma omp simd
        for (uint32_t y = top; y < bottom; ++y) out[(size_t)x * rows + y] = in[(size_t)y * columns + x];
      }
    }
  }
}

void sixty_spmv_csr(void* const* arguments) {
  const float* restrict values = arguments[0];
  const int32_t* restrict columns = arguments[1];
  const int32_t* restrict starts = arguments[2];
  const float* restrict x = arguments[3];
  float* restrict y = arguments[4];
  const int rows = INT(5);
#pragma omp parallel for schedule(static)
  for (int row = 0; row < rows; ++row) {
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (int j = starts[row]; j < starts[row + 1]; ++j) sum += values[j] * x[columns[j]];
    y[row] = sum;
  }
}

void sixty_spmv_dia(void* const* arguments) {
  const double* restrict values = arguments[0];
  const int32_t* restrict offsets = arguments[1];
  const double* restrict x = arguments[2];
  double* restrict y = arguments[3];
  const int size = INT(4), diagonals = INT(5);
#pragma omp parallel for schedule(static)
  for (int begin = 0; begin < size; begin += 1024) {
    const int end = size - begin < 1024 ? size : begin + 1024;
    memset(y + begin, 0, (size_t)(end - begin) * sizeof(double));
    for (int d = 0; d < diagonals; ++d) {
      const int offset = offsets[d];
      const int from = begin + offset < 0 ? -offset : begin;
      const int to = end + offset > size ? size - offset : end;
      const double* restrict own = values + (size_t)d * (size_t)size;
#pragma omp simd
      for (int row = from; row < to; ++row) y[row] += own[row] * x[row + offset];
    }
  }
}

void sixty_stencil_5(void* const* arguments) {
  const float* restrict in = arguments[0];
  float* restrict out = arguments[1];
  const int width = INT(2), height = INT(3);
  const float centre = FLOAT(4), side = FLOAT(5);
#pragma omp parallel for schedule(static)
  for (int y = 1; y < height - 1; ++y) {
    const float* restrict row = in + (size_t)y * (size_t)width;
    float* restrict to = out + (size_t)y * (size_t)width;
#pragma omp simd
    for (int x = 1; x < width - 1; ++x)
      to[x] = centre * row[x] + side * (row[x - 1] + row[x + 1] + row[x - width] + row[x + width]);
  }
}

/* Rows at the border take themselves for the neighbour that they lack, which adds nothing; so do the first and the last column.
 */
void sixty_plate(void* const* arguments) {
  const float* restrict temperature = arguments[0];
  const float* restrict power = arguments[1];
  float* restrict result = arguments[2];
  const int width = INT(3), height = INT(4);
  const float step = FLOAT(5), rx = FLOAT(6), ry = FLOAT(7), rz = FLOAT(8), ambient = FLOAT(9);
#pragma omp parallel for schedule(static)
  for (int y = 0; y < height; ++y) {
    const float* restrict row = temperature + (size_t)y * (size_t)width;
    const float* restrict below = y > 0 ? row - width : row;
    const float* restrict above = y < height - 1 ? row + width : row;
    const float* restrict heat = power + (size_t)y * (size_t)width;
    float* restrict to = result + (size_t)y * (size_t)width;
#pragma omp simd
    for (int x = 1; x < width - 1; ++x) {
      const float here = row[x];
      const float change = heat[x] + (ambient - here) * rz + (row[x + 1] + row[x - 1] - 2.0f * here) * rx +
                           (above[x] + below[x] - 2.0f * here) * ry;
      to[x] = here + step * change;
    }
    for (int x = 0; x < width; x += width - 1) {
      const float here = row[x];
      const float beside = x == 0 ? row[1] : row[x - 1];
      to[x] = here + step * (heat[x] + (ambient - here) * rz + (beside - here) * rx + (above[x] + below[x] - 2.0f * here) * ry);
    }
  }
}

void sixty_stencil_7(void* const* arguments) {
  const float* restrict in = arguments[0];
  float* restrict out = arguments[1];
  const size_t width = ULONG(2), height = ULONG(3), depth = ULONG(4), plane = width * height;
  const float centre = FLOAT(5), side = FLOAT(6);
#pragma omp parallel for schedule(static)
  for (size_t z = 1; z < depth - 1; ++z) {
    for (size_t y = 1; y < height - 1; ++y) {
      const float* restrict row = in + z * plane + y * width;
      float* restrict to = out + z * plane + y * width;
#pragma omp simd
      for (size_t x = 1; x < width - 1; ++x) {
        to[x] = centre * row[x] +
                side * (row[x - plane] + row[x + plane] + row[x - 1] + row[x + 1] + row[x - width] + row[x + width]);
      }
    }
  }
}

void sixty_rank_sort(void* const* arguments) {
  const float* restrict in = arguments[0];
  float* restrict out = arguments[1];
  const int count = INT(2);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < count; ++i) {
    const float own = in[i];
    int rank = 0;
#pragma omp simd reduction(+ : rank)
    for (int k = 0; k < i; ++k) rank += in[k] <= own;
#pragma omp simd reduction(+ : rank)
    for (int k = i; k < count; ++k) rank += in[k] < own;
    out[rank] = own;
  }
}

/* Sixteen points at a time, until all of them are far away. */
void sixty_mandelbrot(void* const* arguments) {
  float* restrict steps = arguments[0];
  const float left = FLOAT(1), top = FLOAT(2), pixel = FLOAT(3);
  const int width = INT(4), height = INT(5), limit = INT(6);
#pragma omp parallel for schedule(dynamic, 4)
  for (int row = 0; row < height; ++row) {
    const float cy = top + (float)row * pixel;
    for (int begin = 0; begin < width; begin += 16) {
      float x[16] = {0}, y[16] = {0};
      int n[16] = {0};
      for (int step = 0, some = 1; step < limit && some != 0; ++step) {
        some = 0;
#pragma omp simd reduction(| : some)
        for (int i = 0; i < 16; ++i) {
          const int near = x[i] * x[i] + y[i] * y[i] <= 4.0f;
          const float cx = left + (float)(begin + i) * pixel;
          const float next = x[i] * x[i] - y[i] * y[i] + cx;
          y[i] = near ? 2.0f * x[i] * y[i] + cy : y[i];
          x[i] = near ? next : x[i];
          n[i] += near;
          some |= near;
        }
      }
      for (int i = 0; i < 16 && begin + i < width; ++i) steps[(size_t)row * (size_t)width + (size_t)(begin + i)] = (float)n[i];
    }
  }
}

void sixty_nbody_tile(void* const* arguments) {
  const float* restrict position = arguments[0];
  const float* restrict velocity = arguments[1];
  float* restrict new_position = arguments[2];
  float* restrict new_velocity = arguments[3];
  const float dt = FLOAT(5);
  const int bodies = INT(6);
#pragma omp parallel for schedule(static)
  for (int body = 0; body < bodies; ++body) {
    const float* own = position + 4 * (size_t)body;
    float force[3] = {0.0f, 0.0f, 0.0f};
    float fx = 0.0f, fy = 0.0f, fz = 0.0f;
#pragma omp simd reduction(+ : fx, fy, fz)
    for (int i = 0; i < bodies; ++i) {
      const float dx = position[4 * (size_t)i] - own[0];
      const float dy = position[4 * (size_t)i + 1] - own[1];
      const float dz = position[4 * (size_t)i + 2] - own[2];
      const float inverse = 1.0f / __builtin_sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float strength = position[4 * (size_t)i + 3] * inverse * inverse * inverse;
      fx += dx * strength;
      fy += dy * strength;
      fz += dz * strength;
    }
    force[0] = fx, force[1] = fy, force[2] = fz;
    for (int axis = 0; axis < 3; ++axis) {
      const float speed = velocity[4 * (size_t)body + (size_t)axis] + force[axis] * dt;
      new_velocity[4 * (size_t)body + (size_t)axis] = speed;
      new_position[4 * (size_t)body + (size_t)axis] = own[axis] + speed * dt;
    }
    new_velocity[4 * (size_t)body + 3] = velocity[4 * (size_t)body + 3];
    new_position[4 * (size_t)body + 3] = own[3];
  }
}
