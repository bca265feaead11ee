/* SPDX-License-Identifier: Apache-2.0
 *
 * split_product: a matrix product on devices of different kinds, each of which gets as many rows as its speed is worth.
 *   split_product [DEVICE...], as split_product cpu opencl:0; default: every device that runs kernels, two ranks at least.
 * Rank 0 has the matrices: it broadcasts b, sends each rank its rows of a, and receives their rows of c, all in the streams. */
#define _POSIX_C_SOURCE 200809L /* files.h */

#include "../common_comm.h"
#include "../files.h"

enum { kSize = 512, kTile = 16, kTrialRows = 32, kTrialMilliseconds = 500 };

typedef struct Rank {
  char device[32];
  rtContext_t context;
  rtStream_t stream;
  rtComm_t comm;
  rtModule_t module;
  rtKernel_t multiply;
  rtEvent_t start, stop;
  float *a, *b, *c;     /* device: of rank 0 whole matrices */
  double milliseconds;  /* of kTrialRows rows */
  uint32_t first, rows; /* its piece */
} Rank;

static void createRank(Rank* rank, rtDevice_t device) {
  const size_t bytes = kSize * kSize * sizeof(float);
  char build_options[32];
  char path[kExamplePath];
  rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
  rtModuleOptions_t options = RT_MODULE_OPTIONS_INIT;
  snprintf(build_options, sizeof build_options, "-DTILE=%d", (int)kTile);
  options.format = RT_IMAGE_OPENCL_C;
  options.build_options = build_options;
  CHECK(rtDeviceGetProperties(&properties, device));
  snprintf(rank->device, sizeof rank->device, "%s", properties.id);
  CHECK(rtContextCreate(&rank->context, NULL, device));
  CHECK(rtStreamCreate(&rank->stream, NULL, rank->context));
  CHECK(rtModuleLoadFile(&rank->module, exampleFile(path, "split_product/split_product.cl"), &options, rank->context));
  CHECK(rtModuleGetKernel(&rank->multiply, "multiply", rank->module));
  CHECK(rtEventCreate(&rank->start, NULL, rank->context));
  CHECK(rtEventCreate(&rank->stop, NULL, rank->context));
  float** memory[] = {&rank->a, &rank->b, &rank->c};
  for (int i = 0; i < 3; ++i) {
    CHECK(rtMalloc((void**)memory[i], bytes, rank->context));
    CHECK(rtMemsetAsync(*memory[i], 0, bytes, rank->stream));
  }
}

static void destroyRank(Rank* rank) {
  void* const memory[] = {rank->a, rank->b, rank->c};
  for (int i = 0; i < 3; ++i) CHECK(rtFree(memory[i]));
  CHECK_COMM(rtCommDestroy(rank->comm));
  CHECK(rtEventDestroy(rank->start));
  CHECK(rtEventDestroy(rank->stop));
  CHECK(rtModuleDestroy(rank->module));
  CHECK(rtStreamDestroy(rank->stream));
  CHECK(rtContextDestroy(rank->context));
}

/* Every device that runs kernels or those named; a single one twice. */
static uint32_t createRanks(Rank* ranks, int argc, char** argv) {
  rtContext_t contexts[kMostRanks];
  rtComm_t comms[kMostRanks];
  int32_t found = argc - 1;
  uint32_t count = 0;
  if (argc < 2) CHECK(rtDeviceGetCount(&found, RT_BACKEND_ALL));
  for (int32_t i = 0; i < found && count < kMostRanks; ++i) {
    rtDevice_t device = NULL;
    int32_t builds = 0;
    CHECK(argc < 2 ? rtDeviceGet(&device, RT_BACKEND_ALL, i) : rtDeviceGetByName(&device, argv[i + 1]));
    CHECK(rtDeviceHasCapability(&builds, RT_CAPABILITY_KERNELS, device));
    if (!builds) continue;
    createRank(&ranks[count++], device);
    if (found == 1) createRank(&ranks[count++], device);
  }
  EXPECT(count >= 2);
  for (uint32_t i = 0; i < count; ++i) contexts[i] = ranks[i].context;
  CHECK_COMM(rtCommCreateAll(comms, NULL, contexts, count));
  for (uint32_t i = 0; i < count; ++i) ranks[i].comm = comms[i];
  return count;
}

static void multiply(Rank* rank, const float* a, float* c, uint32_t rows) {
  uint32_t size = kSize;
  void* args[] = {&a, &rank->b, &c, &size};
  CHECK(rtEventRecord(rank->start, rank->stream));
  if (rows != 0) {
    CHECK(rtLaunchKernel(rank->multiply, kSize / kTile, rows / kTile, 1, kTile, kTile, 1, 0, rank->stream, args, RT_ARGS_ALL));
  }
  CHECK(rtEventRecord(rank->stop, rank->stream));
}

static double elapsed(const Rank* rank) {
  float milliseconds = 0.0f;
  CHECK(rtEventElapsedTime(&milliseconds, rank->start, rank->stop));
  return (double)milliseconds;
}

/* All at the same time, as they will work: devices may share cores. The first round is not counted: drivers compile there. A
 * running average forgets the next ones, in which the CPU may run code that was compiled quickly. */
static void measure(Rank* ranks, uint32_t count) {
  double passed = 0.0;
  for (int round = 0; passed < kTrialMilliseconds; ++round) {
    double longest = 1e-3; /* a clock that stands still must not make this loop endless */
    for (uint32_t i = 0; i < count; ++i) multiply(&ranks[i], ranks[i].a, ranks[i].c, kTrialRows);
    for (uint32_t i = 0; i < count; ++i) {
      synchronizeRank(ranks[i].stream, ranks[i].comm);
      const double now = elapsed(&ranks[i]);
      ranks[i].milliseconds = round <= 1 ? now : 0.9 * ranks[i].milliseconds + 0.1 * now;
      if (now > longest) longest = now;
    }
    if (round > 0) passed += longest;
  }
}

/* Rows in a millisecond. */
static double speedOf(const Rank* rank) {
  return kTrialRows / (rank->milliseconds > 1e-3 ? rank->milliseconds : 1e-3); /* of a clock that is too coarse to tell */
}

/* Whole tiles of rows, in proportion to the speeds: a piece ends where the sum of the speeds up to it says. */
static void split(Rank* ranks, uint32_t count) {
  double total = 0.0, sum = 0.0;
  uint32_t first = 0;
  for (uint32_t i = 0; i < count; ++i) total += speedOf(&ranks[i]);
  for (uint32_t i = 0; i < count; ++i) {
    sum += speedOf(&ranks[i]);
    const uint32_t end = i + 1 == count ? kSize : (uint32_t)(sum / total * (kSize / kTile) + 0.5) * kTile;
    ranks[i].first = first;
    ranks[i].rows = end - first;
    first = end;
  }
}

/* Rows of a to the ranks, or rows of c from them; rank 0 has its own in place. Sends and receives of one thread are a group. */
static void exchange(Rank* ranks, uint32_t count, int results) {
  CHECK_COMM(rtCommGroupBegin());
  for (uint32_t i = 1; i < count; ++i) {
    Rank* from = results ? &ranks[i] : &ranks[0];
    Rank* to = results ? &ranks[0] : &ranks[i];
    const float* source = results ? from->c : from->a + (size_t)ranks[i].first * kSize;
    float* target = results ? to->c + (size_t)ranks[i].first * kSize : to->a;
    const uint64_t elements = (uint64_t)ranks[i].rows * kSize;
    CHECK_COMM(rtCommSend(source, elements, RT_COMM_F32, results ? 0 : (int32_t)i, from->stream, from->comm));
    CHECK_COMM(rtCommReceive(target, elements, RT_COMM_F32, results ? (int32_t)i : 0, to->stream, to->comm));
  }
  CHECK_COMM(rtCommGroupEnd());
}

/* Small whole numbers: every sum is exact, whatever its order, so that results are compared with ==. */
static void fill(float* a, float* b, float* expected) {
  for (int i = 0; i < kSize * kSize; ++i) {
    a[i] = (float)(i * 7 % 11 - 5);
    b[i] = (float)(i * 5 % 13 - 6);
    expected[i] = 0.0f;
  }
  for (int row = 0; row < kSize; ++row) {
    for (int k = 0; k < kSize; ++k) {
      for (int column = 0; column < kSize; ++column)
        expected[row * kSize + column] += a[row * kSize + k] * b[k * kSize + column];
    }
  }
}

int main(int argc, char** argv) {
  static float a[kSize * kSize], b[kSize * kSize], c[kSize * kSize], expected[kSize * kSize];
  static Rank ranks[kMostRanks + 1];
  const uint32_t count = createRanks(ranks, argc, argv);
  fill(a, b, expected);
  measure(ranks, count);
  split(ranks, count);

  CHECK(rtMemcpyAsync(ranks[0].a, a, sizeof a, RT_MEMCPY_HOST_TO_DEVICE, ranks[0].stream));
  CHECK(rtMemcpyAsync(ranks[0].b, b, sizeof b, RT_MEMCPY_HOST_TO_DEVICE, ranks[0].stream));
  for (uint32_t i = 0; i < count; ++i) {
    CHECK_COMM(rtCommBroadcast(ranks[i].b, ranks[i].b, kSize * kSize, RT_COMM_F32, 0, ranks[i].stream, ranks[i].comm));
  }
  exchange(ranks, count, 0);
  for (uint32_t i = 0; i < count; ++i) multiply(&ranks[i], ranks[i].a, ranks[i].c, ranks[i].rows);
  exchange(ranks, count, 1);
  CHECK(rtMemcpyAsync(c, ranks[0].c, sizeof c, RT_MEMCPY_DEVICE_TO_HOST, ranks[0].stream));
  for (uint32_t i = 0; i < count; ++i) synchronizeRank(ranks[i].stream, ranks[i].comm);

  for (int i = 0; i < kSize * kSize; ++i) EXPECT(c[i] == expected[i]);
  uint32_t rows = 0;
  for (uint32_t i = 0; i < count; ++i) {
    printf("%-10s  %7.1f rows in a millisecond: got %3u of %d, and took %.2f ms\n", ranks[i].device, speedOf(&ranks[i]),
           ranks[i].rows, (int)kSize, elapsed(&ranks[i]));
    rows += ranks[i].rows;
  }
  EXPECT(rows == kSize);
  printf("%d x %d on %u ranks, every element as expected\n", (int)kSize, (int)kSize, count);
  for (uint32_t i = 0; i < count; ++i) destroyRank(&ranks[i]);
  return EXIT_SUCCESS;
}
