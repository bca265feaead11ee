// Atomic functions and fences on the CPU. Atomics are relaxed, as OpenCL C 1.2 has them. Work-items of a group share a thread,
// so that order among them only binds the compiler. The flags of a fence: 1 local, 2 global. Sets and words: language.h.
#pragma once

#include "language.h"

namespace manyrt::library {

template <Integer T>
T atomic_add(volatile T* p, T value) {
  return __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
}

template <Integer T>
T atomic_sub(volatile T* p, T value) {
  return __atomic_fetch_sub(p, value, __ATOMIC_RELAXED);
}

template <Integer T>
T atomic_and(volatile T* p, T value) {
  return __atomic_fetch_and(p, value, __ATOMIC_RELAXED);
}

template <Integer T>
T atomic_or(volatile T* p, T value) {
  return __atomic_fetch_or(p, value, __ATOMIC_RELAXED);
}

template <Integer T>
T atomic_xor(volatile T* p, T value) {
  return __atomic_fetch_xor(p, value, __ATOMIC_RELAXED);
}

template <Integer T>
T atomic_inc(volatile T* p) {
  return __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
}

template <Integer T>
T atomic_dec(volatile T* p) {
  return __atomic_fetch_sub(p, 1, __ATOMIC_RELAXED);
}

template <Integer T>
T atomic_xchg(volatile T* p, T value) {
  return __atomic_exchange_n(p, value, __ATOMIC_RELAXED);
}

// Through an integer of its size, which is what the instruction moves.
template <Floating T>
T atomic_xchg(volatile T* p, T value) {
  T old;
  __atomic_exchange(p, &value, &old, __ATOMIC_RELAXED);
  return old;
}

template <Integer T>
T atomic_cmpxchg(volatile T* p, T expected, T value) {
  __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

template <Integer T>
T atomic_min(volatile T* p, T value) {
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!(old <= value)) {
    if (__atomic_compare_exchange_n(p, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
  }
  return old;
}

template <Integer T>
T atomic_max(volatile T* p, T value) {
  T old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!(old >= value)) {
    if (__atomic_compare_exchange_n(p, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
  }
  return old;
}

// ---- On local memory, which one thread has: plain reads and writes.

template <Integer T>
T local_atomic_add(volatile T* p, T value) {
  T old = *p;
  *p = (T)(old + value);
  return old;
}

template <Integer T>
T local_atomic_sub(volatile T* p, T value) {
  T old = *p;
  *p = (T)(old - value);
  return old;
}

template <Integer T>
T local_atomic_and(volatile T* p, T value) {
  T old = *p;
  *p = (T)(old & value);
  return old;
}

template <Integer T>
T local_atomic_or(volatile T* p, T value) {
  T old = *p;
  *p = (T)(old | value);
  return old;
}

template <Integer T>
T local_atomic_xor(volatile T* p, T value) {
  T old = *p;
  *p = (T)(old ^ value);
  return old;
}

template <Integer T>
T local_atomic_xchg(volatile T* p, T value) {
  T old = *p;
  *p = value;
  return old;
}

template <Floating T>
T local_atomic_xchg(volatile T* p, T value) {
  T old = *p;
  *p = value;
  return old;
}

template <Integer T>
T local_atomic_min(volatile T* p, T value) {
  T old = *p;
  if (value < old) *p = value;
  return old;
}

template <Integer T>
T local_atomic_max(volatile T* p, T value) {
  T old = *p;
  if (value > old) *p = value;
  return old;
}

template <Integer T>
T local_atomic_inc(volatile T* p) {
  T old = *p;
  *p = (T)(old + 1);
  return old;
}

template <Integer T>
T local_atomic_dec(volatile T* p) {
  T old = *p;
  *p = (T)(old - 1);
  return old;
}

template <Integer T>
T local_atomic_cmpxchg(volatile T* p, T expected, T value) {
  T old = *p;
  if (old == expected) *p = value;
  return old;
}

inline void mem_fence(unsigned int flags) {
  if (flags & 2) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  } else {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
}

inline void read_mem_fence(unsigned int flags) {
  if (flags & 2) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  } else {
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
  }
}

inline void write_mem_fence(unsigned int flags) {
  if (flags & 2) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
  } else {
    __atomic_signal_fence(__ATOMIC_RELEASE);
  }
}

}  // namespace manyrt::library
