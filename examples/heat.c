/* SPDX-License-Identifier: Apache-2.0
 *
 * heat: a plate with a warm ring and a hot bar cools at its edges. A stencil of five points, which is in heat.cl, two buffers
 * that change places after every step, and a picture: `heat [file.ppm]`, default heat.ppm. */
#define _POSIX_C_SOURCE 200809L /* files.h */

#include <math.h>
#include <string.h>

#include "common.h"
#include "files.h"

enum { kSide = 256, kSteps = 600, kGroupX = 64, kGroupY = 4 };

/* The kernel's own line, in C. */
static float heatAt(const float* old, int x, int y) {
  const float* p = old + y * kSide + x;
  return fmaf(0.2f, (p[-1] + p[1]) + (p[-kSide] + p[kSide]) - 4.0f * *p, *p);
}

static void warm(float* plate) {
  for (int y = 1; y < kSide - 1; ++y) {
    for (int x = 1; x < kSide - 1; ++x) {
      const int radius = (x - 100) * (x - 100) + (y - 128) * (y - 128);
      const int ring = radius > 50 * 50 && radius < 70 * 70;
      const int bar = x > 190 && x < 215 && y > 40 && y < 216;
      plate[y * kSide + x] = bar ? 1.0f : ring ? 0.8f : 0.0f;
    }
  }
}

/* Black, red, yellow, white, as hot iron. */
static int writePicture(const char* path, const float* plate) {
  FILE* file = fopen(path, "wb");
  if (file == NULL) return 0;
  fprintf(file, "P6\n%d %d\n255\n", kSide, kSide);
  for (int i = 0; i < kSide * kSide; ++i) {
    for (int channel = 0; channel < 3; ++channel) {
      const float level = 3.0f * plate[i] - (float)channel;
      fputc(level <= 0.0f ? 0 : level >= 1.0f ? 255 : (int)(255.0f * level), file);
    }
  }
  const int failed = ferror(file) != 0;
  return fclose(file) == 0 && !failed;
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "heat.ppm";
  const size_t size = kSide * kSide * sizeof(float);
  float* expected[2] = {calloc(1, size), calloc(1, size)};
  void* result = NULL;
  void* memory[2] = {NULL, NULL};
  EXPECT(expected[0] != NULL && expected[1] != NULL);
  CHECK(rtMallocHost(&result, size, NULL));
  rtStream_t stream = NULL;
  char kernels[kExamplePath];
  rtModule_t module = NULL;
  rtKernel_t heat = NULL;
  CHECK(rtStreamCreate(&stream, NULL, NULL));
  CHECK(rtModuleLoadFile(&module, exampleFile(kernels, "heat.cl"), NULL, NULL));
  CHECK(rtModuleGetKernel(&heat, "heat", module));

  warm(expected[0]);
  memcpy(result, expected[0], size);
  for (int i = 0; i < 2; ++i) {
    CHECK(rtMallocAsync(&memory[i], size, stream));
    CHECK(rtMemcpyAsync(memory[i], result, size, RT_MEMCPY_HOST_TO_DEVICE, stream));
  }
  for (int step = 0; step < kSteps; ++step) {
    void* args[] = {&memory[step % 2], &memory[(step + 1) % 2]};
    CHECK(rtLaunchKernel(heat, kSide / kGroupX, kSide / kGroupY, 1, kGroupX, kGroupY, 1, 0, stream, args, RT_ARGS_ALL));
  }
  CHECK(rtMemcpyAsync(result, memory[kSteps % 2], size, RT_MEMCPY_DEVICE_TO_HOST, stream));
  for (int i = 0; i < 2; ++i) CHECK(rtFreeAsync(memory[i], stream));

  /* While the device works, the host does the same steps: the results are equal to the last bit. */
  for (int step = 0; step < kSteps; ++step) {
    for (int i = kSide; i < kSide * (kSide - 1); ++i) {
      if (i % kSide == 0 || i % kSide == kSide - 1) continue;
      expected[(step + 1) % 2][i] = heatAt(expected[step % 2], i % kSide, i / kSide);
    }
  }
  CHECK(rtStreamSynchronize(stream));
  EXPECT(memcmp(result, expected[kSteps % 2], size) == 0);
  EXPECT(writePicture(path, result));
  printf("%d steps on %d x %d points, equal to the host's; picture in %s\n", kSteps, kSide, kSide, path);

  CHECK(rtModuleDestroy(module)); /* its kernels end with it */
  CHECK(rtStreamDestroy(stream));
  CHECK(rtFree(result));
  free(expected[0]);
  free(expected[1]);
  return EXIT_SUCCESS;
}
