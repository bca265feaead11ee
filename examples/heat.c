/* SPDX-License-Identifier: Apache-2.0
 *
 * heat: a plate with a warm ring and a hot bar cools at its edges. A stencil of five points, two buffers that change places
 * after every step, and a picture: `heat [file.ppm]`, default heat.ppm. */
#include <string.h>

#include "common.h"

enum { kSide = 256, kSteps = 600, kRows = 16 };

static float heatAt(const float* old, int x, int y) {
  const float* p = old + y * kSide + x;
  return *p + 0.2f * ((p[-1] + p[1]) + (p[-kSide] + p[kSide]) - 4.0f * *p);
}

/* A work-group is a band of rows, an item a row. The edge of the plate stays as cold as it is. */
static void heatKernel(const rtHostGroup_t* group, void* const* args) {
  const float* old = *(float* const*)args[0];
  float* next = *(float* const*)args[1];
  for (uint32_t item = 0; item < group->group_size[0]; ++item) {
    const int y = (int)(group->group_id[0] * group->group_size[0] + item);
    if (y == 0 || y >= kSide - 1) continue;
    for (int x = 1; x < kSide - 1; ++x) next[y * kSide + x] = heatAt(old, x, y);
  }
}

static rtKernel_t createHeatKernel(void) {
  const rtHostArg_t args[] = {{8, RT_ARG_POINTER}, {8, RT_ARG_POINTER}};
  rtHostKernel_t host = RT_HOST_KERNEL_INIT;
  host.function = heatKernel;
  host.name = "heat";
  host.args = args;
  host.arg_count = 2;
  rtKernel_t kernel = NULL;
  CHECK(rtKernelCreateFromHost(&kernel, &host, NULL));
  return kernel;
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
  useCpuDevice();
  const char* path = argc > 1 ? argv[1] : "heat.ppm";
  const size_t size = kSide * kSide * sizeof(float);
  float* expected[2] = {calloc(1, size), calloc(1, size)};
  void* result = NULL;
  void* memory[2] = {NULL, NULL};
  EXPECT(expected[0] != NULL && expected[1] != NULL);
  CHECK(rtMallocHost(&result, size, NULL));
  rtStream_t stream = NULL;
  rtKernel_t heat = createHeatKernel();
  CHECK(rtStreamCreate(&stream, NULL, NULL));

  warm(expected[0]);
  memcpy(result, expected[0], size);
  for (int i = 0; i < 2; ++i) {
    CHECK(rtMallocAsync(&memory[i], size, stream));
    CHECK(rtMemcpyAsync(memory[i], result, size, RT_MEMCPY_HOST_TO_DEVICE, stream));
  }
  for (int step = 0; step < kSteps; ++step) {
    void* args[] = {&memory[step % 2], &memory[(step + 1) % 2]};
    CHECK(rtLaunchKernel(heat, kSide / kRows, 1, 1, kRows, 1, 1, 0, stream, args, RT_ARGS_ALL));
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

  CHECK(rtKernelDestroy(heat));
  CHECK(rtStreamDestroy(stream));
  CHECK(rtFree(result));
  free(expected[0]);
  free(expected[1]);
  return EXIT_SUCCESS;
}
