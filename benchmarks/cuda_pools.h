// The pools of the driver and of PyTorch, which bench_cuda measures beside ours: as pool_work.h and memory_replay.h want a
// pool. The functions of a stream are the CUDA runtime's, on the primary context.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "memory_replay.h"
#include "memory_traces.h"

#define CUDA_CHECK(call)                                                                        \
  do {                                                                                          \
    if (const cudaError_t error = (call); error != cudaSuccess) {                               \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)); \
      exit(EXIT_FAILURE);                                                                       \
    }                                                                                           \
  } while (0)

namespace bench {

inline cudaStream_t createRawStream() {
  cudaStream_t made;
  CUDA_CHECK(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  return made;
}

// The driver's pool, which keeps what is freed, as ours does.
struct DriverPool {
  cudaStream_t createStream() const { return createRawStream(); }
  void* allocate(uint64_t size, cudaStream_t on) const {
    void* pointer = nullptr;
    CUDA_CHECK(cudaMallocAsync(&pointer, size, on));
    return pointer;
  }
  void free(void* pointer, cudaStream_t on) const { CUDA_CHECK(cudaFreeAsync(pointer, on)); }
};

// PyTorch's caching allocator, from the module made of pytorch_module.cpp.
struct PyTorchPool {
  void (*start)() = nullptr;
  void* (*allocate_on)(uint64_t, cudaStream_t) = nullptr;
  void (*free_block)(void*) = nullptr;

  // False, and why, where there is none.
  bool find(std::string* why) {
    void* opened = dlopen(BENCH_PYTORCH, RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      *why = "PyTorch for CUDA was not there when the benchmarks were built";
      return false;
    }
    start = reinterpret_cast<decltype(start)>(dlsym(opened, "bench_pytorch_start"));
    allocate_on = reinterpret_cast<decltype(allocate_on)>(dlsym(opened, "bench_pytorch_allocate"));
    free_block = reinterpret_cast<decltype(free_block)>(dlsym(opened, "bench_pytorch_free"));
    if (start == nullptr || allocate_on == nullptr || free_block == nullptr) {
      *why = "PyTorch: the module lacks a function";
      return false;
    }
    start();
    return true;
  }
  cudaStream_t createStream() const { return createRawStream(); }
  void* allocate(uint64_t size, cudaStream_t on) const { return allocate_on(size, on); }
  void free(void* pointer, cudaStream_t) const { free_block(pointer); }
};

// The peak of what a pool of the driver takes for a trace. Each replay has a pool of its own, which keeps what it has.
inline uint64_t replayInDriverPool(const MemoryTrace& trace) {
  struct Replay {
    cudaMemPool_t pool;
    std::vector<cudaStream_t> streams;

    // Memory without a stream is that of a stream which is synchronised.
    cudaStream_t stream(uint32_t number) {
      const size_t place = number == kNoStream ? 0 : number + 1;
      while (streams.size() <= place) {
        streams.emplace_back();
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams.back(), cudaStreamNonBlocking));
      }
      return streams[place];
    }
    void* allocate(uint64_t bytes, uint32_t number) {
      void* pointer = nullptr;
      CUDA_CHECK(cudaMallocFromPoolAsync(&pointer, bytes, pool, stream(number)));
      if (number == kNoStream) CUDA_CHECK(cudaStreamSynchronize(stream(number)));
      return pointer;
    }
    void free(void* pointer, uint32_t number) {
      CUDA_CHECK(cudaFreeAsync(pointer, stream(number)));
      if (number == kNoStream) CUDA_CHECK(cudaStreamSynchronize(stream(number)));
    }
  } replayed;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CUDA_CHECK(cudaMemPoolCreate(&replayed.pool, &properties));
  uint64_t all = UINT64_MAX, peak = 0;
  CUDA_CHECK(cudaMemPoolSetAttribute(replayed.pool, cudaMemPoolAttrReleaseThreshold, &all));
  replay(trace, replayed);
  CUDA_CHECK(cudaMemPoolGetAttribute(replayed.pool, cudaMemPoolAttrReservedMemHigh, &peak));
  for (const cudaStream_t each : replayed.streams) {
    CUDA_CHECK(cudaStreamSynchronize(each));
    CUDA_CHECK(cudaStreamDestroy(each));
  }
  CUDA_CHECK(cudaMemPoolDestroy(replayed.pool));
  return peak;
}

}  // namespace bench
