// PyTorch's caching allocator as bench_cuda uses it: a module, opened at run time, since PyTorch need not be there.
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdint>

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED void bench_pytorch_start() { c10::cuda::CUDACachingAllocator::init(1); }

EXPORTED void* bench_pytorch_allocate(uint64_t size, cudaStream_t stream) {
  return c10::cuda::CUDACachingAllocator::raw_alloc_with_stream(size, stream);
}

EXPORTED void bench_pytorch_free(void* pointer) { c10::cuda::CUDACachingAllocator::raw_delete(pointer); }
