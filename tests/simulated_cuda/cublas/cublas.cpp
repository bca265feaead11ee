// The functions of cuBLAS that examples/cublas_gemm.c calls, on the simulated runtime: a product is a function in the stream's
// order. It knows untransposed products in memory that the host reaches, which the simulation's is, and refuses every other.
#include <algorithm>
#include <memory>

#include "interface.h"

namespace manyrt::simulated {
namespace {

enum : int { kCublasSuccess = 0, kCublasInvalidValue = 7, kCublasExecutionFailed = 13 };

struct Handle {
  NativeStream stream = nullptr;
};

struct Product {
  int rows, columns, inner;
  float alpha, beta;
  const float *a, *b;
  int lda, ldb;
  float* c;
  int ldc;

  void run() const {  // column by column, as cuBLAS has its matrices
    for (int column = 0; column < columns; ++column) {
      for (int row = 0; row < rows; ++row) {
        float sum = 0;
        for (int i = 0; i < inner; ++i) sum += a[row + size_t(i) * lda] * b[i + size_t(column) * ldb];
        float& out = c[row + size_t(column) * ldc];
        out = alpha * sum + (beta == 0 ? 0 : beta * out);
      }
    }
  }
};

void run(void* user) { std::unique_ptr<Product>(static_cast<Product*>(user))->run(); }

}  // namespace

extern "C" {

SIMULATED_EXPORT int cublasCreate_v2(Handle** handle) {
  if (handle == nullptr) return kCublasInvalidValue;
  *handle = new Handle;
  return kCublasSuccess;
}

SIMULATED_EXPORT int cublasDestroy_v2(Handle* handle) {
  delete handle;
  return kCublasSuccess;
}

SIMULATED_EXPORT int cublasSetStream_v2(Handle* handle, NativeStream stream) {
  handle->stream = stream;
  return kCublasSuccess;
}

SIMULATED_EXPORT int cublasSgemm_v2(Handle* handle, int transpose_a, int transpose_b, int rows, int columns, int inner,
                                    const float* alpha, const float* a, int lda, const float* b, int ldb, const float* beta,
                                    float* c, int ldc) {
  const bool sizes = rows >= 0 && columns >= 0 && inner >= 0;
  if (!sizes || transpose_a != 0 || transpose_b != 0 || lda < std::max(1, rows) || ldb < std::max(1, inner) ||
      ldc < std::max(1, rows))
    return kCublasInvalidValue;
  auto product = std::make_unique<Product>(Product{rows, columns, inner, *alpha, *beta, a, b, lda, ldb, c, ldc});
  if (cudaLaunchHostFunc(handle->stream, run, product.get()) != kSuccess) return kCublasExecutionFailed;
  (void)product.release();  // run() has it
  return kCublasSuccess;
}

}  // extern "C"

}  // namespace manyrt::simulated
