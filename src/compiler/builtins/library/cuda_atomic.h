// Atomic functions and fences on CUDA: on generic addresses, and without any order, as OpenCL C 1.2 has them. The flags of a
// fence: 1 local, 2 global; CUDA has one kind for reads and writes. Found before those of atomic.h. Sets and words: language.h.
#pragma once

#include "language.h"

namespace manyrt::library {

template <Integer T>
T atomic_add(volatile T* p, T value) {
  return (T)atomicAdd((CudaWord<T>*)p, (CudaWord<T>)value);
}

template <Integer T>
T atomic_sub(volatile T* p, T value) {
  return (T)atomicAdd((CudaWord<T>*)p, (CudaWord<T>)(0 - (CudaWord<T>)value));
}

template <Integer T>
T atomic_inc(volatile T* p) {
  return (T)atomicAdd((CudaWord<T>*)p, (CudaWord<T>)1);
}

template <Integer T>
T atomic_dec(volatile T* p) {
  return (T)atomicAdd((CudaWord<T>*)p, ~(CudaWord<T>)0);
}

template <Integer T>
T atomic_and(volatile T* p, T value) {
  return (T)atomicAnd((CudaWord<T>*)p, (CudaWord<T>)value);
}

template <Integer T>
T atomic_or(volatile T* p, T value) {
  return (T)atomicOr((CudaWord<T>*)p, (CudaWord<T>)value);
}

template <Integer T>
T atomic_xor(volatile T* p, T value) {
  return (T)atomicXor((CudaWord<T>*)p, (CudaWord<T>)value);
}

template <Integer T>
T atomic_xchg(volatile T* p, T value) {
  return (T)atomicExch((CudaWord<T>*)p, (CudaWord<T>)value);
}

template <Float T>
T atomic_xchg(volatile T* p, T value) {
  return atomicExch((T*)p, value);
}

template <Integer T>
T atomic_cmpxchg(volatile T* p, T expected, T value) {
  return (T)atomicCAS((CudaWord<T>*)p, (CudaWord<T>)expected, (CudaWord<T>)value);
}

template <Integer T>
T atomic_min(volatile T* p, T value) {
  return (T)atomicMin((CudaNumber<T>*)p, (CudaNumber<T>)value);
}

template <Integer T>
T atomic_max(volatile T* p, T value) {
  return (T)atomicMax((CudaNumber<T>*)p, (CudaNumber<T>)value);
}

inline void mem_fence(unsigned int flags) {
  if (flags & 2) {
    __threadfence();
  } else {
    __threadfence_block();
  }
}

inline void read_mem_fence(unsigned int flags) {
  if (flags & 2) {
    __threadfence();
  } else {
    __threadfence_block();
  }
}

inline void write_mem_fence(unsigned int flags) {
  if (flags & 2) {
    __threadfence();
  } else {
    __threadfence_block();
  }
}

}  // namespace manyrt::library
