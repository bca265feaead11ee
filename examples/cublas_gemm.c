/* SPDX-License-Identifier: Apache-2.0
 *
 * cublas_gemm: another library's work in the middle of our stream. cuBLAS multiplies two matrices that rtMalloc made, between
 * our copies, without a wait: rtStreamLaunchNative hands it the stream's cudaStream_t in the right place. Usage: cublas_gemm
 * [FILE], the cuBLAS to open. Without a CUDA device or cuBLAS it says so and does nothing. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "common.h"

enum { kRows = 300, kInner = 200, kColumns = 100 };

/* The part of cublas_v2.h that is called here, so that this compiles without the toolkit. A program of yours includes the
 *  header. */
typedef struct Cublas {
  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*set_stream)(void* handle, void* cuda_stream);
  int (*sgemm)(void* handle, int transpose_a, int transpose_b, int rows, int columns, int inner, const float* alpha,
               const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc);
} Cublas;

static int find(void* library, const char* name, void* function) {
  void* symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static int openCublas(Cublas* cublas, const char* file) {
  const char* names[] = {file, "libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"};
  void* library = NULL;
  for (int i = file == NULL ? 1 : 0; library == NULL && i < (file == NULL ? 4 : 1); ++i) library = dlopen(names[i], RTLD_NOW);
  return library != NULL && find(library, "cublasCreate_v2", &cublas->create) &&
         find(library, "cublasDestroy_v2", &cublas->destroy) && find(library, "cublasSetStream_v2", &cublas->set_stream) &&
         find(library, "cublasSgemm_v2", &cublas->sgemm);
}

typedef struct Product {
  Cublas cublas;
  void* handle;
  const float *a, *b; /* device memory, row by row */
  float* c;
} Product;

/* Called when what is ahead in the stream has been submitted, with the device's CUDA context current: what goes to native[0]
 * now is in order. cuBLAS counts column by column, so that it is asked for the transposed product, B^T A^T. */
static rtStatus_t multiply(const uint64_t native[2], void* user) {
  const Product* product = user;
  const float one = 1, zero = 0;
  const int failed = product->cublas.set_stream(product->handle, (void*)(uintptr_t)native[0]) ||
                     product->cublas.sgemm(product->handle, 0, 0, kColumns, kRows, kInner, &one, product->b, kColumns,
                                           product->a, kInner, &zero, product->c, kColumns);
  return failed ? RT_ERROR_LAUNCH_FAILED : RT_SUCCESS; /* a failure is the stream's: the next synchronise returns it */
}

/* Small whole numbers: every order of adding gives the same bits. */
static float valueAt(int index) { return (float)(index % 17 - 8); }

static int countWrong(const float* a, const float* b, const float* c) {
  int wrong = 0;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      float sum = 0;
      for (int i = 0; i < kInner; ++i) sum += a[row * kInner + i] * b[i * kColumns + column];
      wrong += c[row * kColumns + column] != sum;
    }
  }
  return wrong;
}

int main(int argc, char** argv) {
  enum { kA = kRows * kInner, kB = kInner * kColumns, kC = kRows * kColumns };
  rtBackendInfo_t cuda = RT_BACKEND_INFO_INIT;
  rtDevice_t device = NULL;
  rtContext_t context = NULL;
  rtStream_t stream = NULL;
  void *memory = NULL, *host_memory = NULL;
  Product product = {0};
  CHECK(rtBackendGetInfo(&cuda, RT_BACKEND_CUDA));
  if (cuda.device_count == 0) {
    printf("SKIP: there is no CUDA device here. %s\n", cuda.reason);
    return EXIT_SUCCESS;
  }
  if (!openCublas(&product.cublas, argc > 1 ? argv[1] : NULL)) {
    printf("SKIP: cuBLAS was not found.\n");
    return EXIT_SUCCESS;
  }

  /* A handle of cuBLAS belongs to the thread's device, CUDA's first one unless told; ours is the same, with the same memory. */
  CHECK(rtDeviceGet(&device, RT_BACKEND_CUDA, 0));
  CHECK(rtContextGetPrimary(&context, device));
  CHECK(rtStreamCreate(&stream, NULL, context));
  CHECK(rtMalloc(&memory, (kA + kB + kC) * sizeof(float), context));
  CHECK(rtMallocHost(&host_memory, (kA + kB + kC) * sizeof(float), context));
  EXPECT(product.cublas.create(&product.handle) == 0);
  float *host = host_memory, *values = memory;
  for (int i = 0; i < kA + kB; ++i) host[i] = valueAt(i);
  product.a = values;
  product.b = values + kA;
  product.c = values + kA + kB;

  CHECK(rtMemcpyAsync(values, host, (kA + kB) * sizeof(float), RT_MEMCPY_HOST_TO_DEVICE, stream));
  CHECK(rtStreamLaunchNative(multiply, &product, stream));
  CHECK(rtMemcpyAsync(host + kA + kB, product.c, kC * sizeof(float), RT_MEMCPY_DEVICE_TO_HOST, stream));
  CHECK(rtStreamSynchronize(stream));
  EXPECT(countWrong(host, host + kA, host + kA + kB) == 0);

  EXPECT(product.cublas.destroy(product.handle) == 0);
  CHECK(rtFree(memory));
  CHECK(rtFree(host_memory));
  CHECK(rtStreamDestroy(stream));
  printf("cuBLAS multiplied %d x %d by %d x %d in our stream: all %d elements are right\n", kRows, kInner, kInner, kColumns,
         kC);
  return EXIT_SUCCESS;
}
