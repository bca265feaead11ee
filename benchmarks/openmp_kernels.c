/* The benchmarks' kernels written by hand: loops, with OpenMP for the cores and for vectors. Compiled with
 * the flags that this library compiles kernels with, into a module that bench_kernels.cpp opens. */
#include <stdint.h>
#include <string.h>

void bench_matmul(const float* restrict a, const float* restrict b, float* restrict c, uint32_t n);
void bench_reduce(const float* restrict in, float* restrict out, uint32_t groups, uint32_t size);
void bench_nbody(const float* restrict bodies, float* restrict accelerations, uint32_t count, float softening);
void bench_triad(const float* restrict a, const float* restrict b, float* restrict c, float factor, uint32_t count);

/* Rows of b stay in the cache while a block of rows of c is made. */
void bench_matmul(const float* restrict a, const float* restrict b, float* restrict c, uint32_t n) {
#pragma omp parallel for schedule(static)
  for (uint32_t row = 0; row < n; ++row) {
    float* restrict out = c + (size_t)row * n;
    memset(out, 0, n * sizeof *out);
    for (uint32_t k = 0; k < n; ++k) {
      const float factor = a[(size_t)row * n + k];
      const float* restrict in = b + (size_t)k * n;
#pragma omp simd
      for (uint32_t column = 0; column < n; ++column) out[column] += factor * in[column];
    }
  }
}

void bench_reduce(const float* restrict in, float* restrict out, uint32_t groups, uint32_t size) {
#pragma omp parallel for schedule(static)
  for (uint32_t group = 0; group < groups; ++group) {
    const float* restrict from = in + (size_t)group * size;
    float sum = 0.0f;
#pragma omp simd reduction(+ : sum)
    for (uint32_t i = 0; i < size; ++i) sum += from[i];
    out[group] = sum;
  }
}

void bench_nbody(const float* restrict bodies, float* restrict accelerations, uint32_t count, float softening) {
#pragma omp parallel for schedule(static)
  for (uint32_t i = 0; i < count; ++i) {
    const float* own = bodies + 4 * (size_t)i;
    float x = 0.0f, y = 0.0f, z = 0.0f;
#pragma omp simd reduction(+ : x, y, z)
    for (uint32_t k = 0; k < count; ++k) {
      const float dx = bodies[4 * (size_t)k] - own[0];
      const float dy = bodies[4 * (size_t)k + 1] - own[1];
      const float dz = bodies[4 * (size_t)k + 2] - own[2];
      const float inverse = 1.0f / __builtin_sqrtf(dx * dx + dy * dy + dz * dz + softening);
      const float strength = bodies[4 * (size_t)k + 3] * inverse * inverse * inverse;
      x += dx * strength;
      y += dy * strength;
      z += dz * strength;
    }
    accelerations[4 * (size_t)i] = x;
    accelerations[4 * (size_t)i + 1] = y;
    accelerations[4 * (size_t)i + 2] = z;
    accelerations[4 * (size_t)i + 3] = 0.0f;
  }
}

void bench_triad(const float* restrict a, const float* restrict b, float* restrict c, float factor, uint32_t count) {
#pragma omp parallel for simd schedule(static)
  for (uint32_t i = 0; i < count; ++i) c[i] = a[i] * factor + b[i];
}
