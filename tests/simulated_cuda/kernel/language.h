// CUDA C++ as the host's compiler takes it: qualifiers, built-in variables, vector types, barriers, and the checks of accesses.
// Nothing is included, as nothing is for NVRTC. Functions are constexpr because CUDA's compiler lets constexpr functions call
// any of its own; what cannot be computed by the compiler hides behind SIMULATED_CUDA_RUN.

// The words that compile.cpp looks for are left alone here: __global__, __launch_bounds__.
#define __device__
#define __host__
#define __managed__
#define __grid_constant__
#define __constant__ __attribute__((used))
#define __shared__ thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __restrict__ __restrict
#define __nv_pure__ __attribute__((pure))
#define SIMULATED_CUDA_FUNCTION [[maybe_unused]] static constexpr inline __attribute__((always_inline))
// The compiler also tries to compute `const int i = f();`. It has to fail there, and must not see beforehand that it always
// will.
#define SIMULATED_CUDA_RUN(otherwise, ...) \
  (__builtin_is_constant_evaluated() ? (simulated_cuda_never(0), otherwise) : (__VA_ARGS__))
constexpr int simulated_cuda_never(int zero) { return 1 / zero; }

typedef decltype(sizeof(0)) size_t;
typedef decltype((char*)0 - (char*)0) ptrdiff_t;
typedef unsigned long simulated_cuda_address;

extern "C" {
__attribute__((visibility("default"))) simulated_cuda::Hooks simulated_cuda_hooks{};
__attribute__((visibility("default"))) thread_local simulated_cuda::Item simulated_cuda_item;
int printf(const char*, ...);

#define SIMULATED_CUDA_TOUCH __attribute__((visibility("hidden"), used, no_sanitize("kernel-address"))) void
#define SIMULATED_CUDA_CHECKS(bytes)                                                                                         \
  SIMULATED_CUDA_TOUCH __asan_load##bytes##_noabort(simulated_cuda_address at) { simulated_cuda_hooks.touch(at, bytes, 0); } \
  SIMULATED_CUDA_TOUCH __asan_store##bytes##_noabort(simulated_cuda_address at) { simulated_cuda_hooks.touch(at, bytes, 1); }
SIMULATED_CUDA_CHECKS(1)
SIMULATED_CUDA_CHECKS(2)
SIMULATED_CUDA_CHECKS(4)
SIMULATED_CUDA_CHECKS(8)
SIMULATED_CUDA_CHECKS(16)
SIMULATED_CUDA_TOUCH __asan_loadN_noabort(simulated_cuda_address at, size_t size) { simulated_cuda_hooks.touch(at, size, 0); }
SIMULATED_CUDA_TOUCH __asan_storeN_noabort(simulated_cuda_address at, size_t size) { simulated_cuda_hooks.touch(at, size, 1); }
SIMULATED_CUDA_TOUCH __asan_handle_no_return() {}
}

// ---- built-in variables and vectors ----

#define SIMULATED_CUDA_VECTORS(type, name, align2, align4)                                     \
  struct name##1 {                                                                             \
    type x;                                                                                    \
  };                                                                                           \
  struct alignas(align2) name##2 {                                                             \
    type x, y;                                                                                 \
  };                                                                                           \
  struct name##3 {                                                                             \
    type x, y, z;                                                                              \
  };                                                                                           \
  struct alignas(align4) name##4 {                                                             \
    type x, y, z, w;                                                                           \
  };                                                                                           \
  SIMULATED_CUDA_FUNCTION name##1 make_##name##1(type x) { return {x}; }                       \
  SIMULATED_CUDA_FUNCTION name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  SIMULATED_CUDA_FUNCTION name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  SIMULATED_CUDA_FUNCTION name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
SIMULATED_CUDA_VECTORS(signed char, char, 2, 4)
SIMULATED_CUDA_VECTORS(unsigned char, uchar, 2, 4)
SIMULATED_CUDA_VECTORS(short, short, 4, 8)
SIMULATED_CUDA_VECTORS(unsigned short, ushort, 4, 8)
SIMULATED_CUDA_VECTORS(int, int, 8, 16)
SIMULATED_CUDA_VECTORS(unsigned, uint, 8, 16)
SIMULATED_CUDA_VECTORS(long, long, 16, 16)
SIMULATED_CUDA_VECTORS(unsigned long, ulong, 16, 16)
SIMULATED_CUDA_VECTORS(long long, longlong, 16, 16)
SIMULATED_CUDA_VECTORS(unsigned long long, ulonglong, 16, 16)
SIMULATED_CUDA_VECTORS(float, float, 8, 16)
SIMULATED_CUDA_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned its_x = 1, unsigned its_y = 1, unsigned its_z = 1) : x(its_x), y(its_y), z(its_z) {}
  constexpr dim3(uint3 other) : x(other.x), y(other.y), z(other.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

SIMULATED_CUDA_FUNCTION uint3 simulated_cuda_index(const simulated_cuda::Index& index) { return {index.x, index.y, index.z}; }
#define threadIdx simulated_cuda_index(simulated_cuda_item.thread)
#define blockIdx simulated_cuda_index(simulated_cuda_item.block)
#define blockDim dim3(simulated_cuda_index(simulated_cuda_item.block_size))
#define gridDim dim3(simulated_cuda_index(simulated_cuda_item.grid_size))
#define warpSize 32

// ---- waiting ----

SIMULATED_CUDA_FUNCTION int simulated_cuda_barrier(int predicate) {
  return SIMULATED_CUDA_RUN(0, simulated_cuda_hooks.barrier(predicate));
}
SIMULATED_CUDA_FUNCTION int simulated_cuda_block_threads() {
  return SIMULATED_CUDA_RUN(
      1, (int)(simulated_cuda_item.block_size.x * simulated_cuda_item.block_size.y * simulated_cuda_item.block_size.z));
}
SIMULATED_CUDA_FUNCTION void __syncthreads() { simulated_cuda_barrier(0); }
SIMULATED_CUDA_FUNCTION int __syncthreads_count(int predicate) { return simulated_cuda_barrier(predicate); }
SIMULATED_CUDA_FUNCTION int __syncthreads_or(int predicate) { return simulated_cuda_barrier(predicate) != 0; }
SIMULATED_CUDA_FUNCTION int __syncthreads_and(int predicate) {
  return simulated_cuda_barrier(predicate) == simulated_cuda_block_threads();
}
SIMULATED_CUDA_FUNCTION void __threadfence() { __atomic_thread_fence(5); }
SIMULATED_CUDA_FUNCTION void __threadfence_block() { __atomic_thread_fence(5); }
SIMULATED_CUDA_FUNCTION void __threadfence_system() { __atomic_thread_fence(5); }
SIMULATED_CUDA_FUNCTION void simulated_cuda_pause() { SIMULATED_CUDA_RUN((void)0, simulated_cuda_hooks.pause()); }
SIMULATED_CUDA_FUNCTION void __nanosleep(unsigned) { simulated_cuda_pause(); }
SIMULATED_CUDA_FUNCTION void __trap() { SIMULATED_CUDA_RUN((void)0, simulated_cuda_hooks.fail(719, "__trap() was called")); }
SIMULATED_CUDA_FUNCTION void __brkpt() { __trap(); }
SIMULATED_CUDA_FUNCTION long long clock64() { return SIMULATED_CUDA_RUN(0, (long long)__builtin_ia32_rdtsc()); }
SIMULATED_CUDA_FUNCTION int clock() { return (int)clock64(); }

#if defined(NDEBUG)
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : simulated_cuda_hooks.fail(710, "assertion failed: " #condition))
#endif

// ---- memory ----

SIMULATED_CUDA_FUNCTION void simulated_cuda_touch(const volatile void* at, size_t size, int writes) {
  SIMULATED_CUDA_RUN((void)0, simulated_cuda_hooks.touch((simulated_cuda_address)at, size, writes));
}
SIMULATED_CUDA_FUNCTION void* memcpy(void* to, const void* from, size_t size) {
  simulated_cuda_touch(from, size, 0);
  simulated_cuda_touch(to, size, 1);
  return __builtin_memcpy(to, from, size);
}
SIMULATED_CUDA_FUNCTION void* memmove(void* to, const void* from, size_t size) {
  simulated_cuda_touch(from, size, 0);
  simulated_cuda_touch(to, size, 1);
  return __builtin_memmove(to, from, size);
}
SIMULATED_CUDA_FUNCTION void* memset(void* to, int value, size_t size) {
  simulated_cuda_touch(to, size, 1);
  return __builtin_memset(to, value, size);
}
template <class T>
SIMULATED_CUDA_FUNCTION T __ldg(const T* at) {
  return *at;
}

// ---- kernels, as the library finds them ----

namespace simulated_cuda {

template <auto object>
struct Description {  // of a variable, which an expression may name, too
  static constexpr unsigned kCount = 0;
  static constexpr void (*invoke)(unsigned char*) = nullptr;
  static constexpr struct { unsigned *offsets = nullptr, *sizes = nullptr; } kLayout{};
};
template <class... Parameters, void (*function)(Parameters...)>
struct Description<function> {
  static constexpr unsigned kCount = sizeof...(Parameters);
  struct Layout {
    unsigned offsets[kCount + 1]{}, sizes[kCount + 1]{};
  };
  static constexpr Layout layout() {
    Layout made;
    [[maybe_unused]] unsigned offset = 0, index = 0;
    ((offset = (offset + alignof(Parameters) - 1) / alignof(Parameters) * alignof(Parameters), made.offsets[index] = offset,
      made.sizes[index] = sizeof(Parameters), offset += sizeof(Parameters), ++index),
     ...);
    return made;
  }
  static constexpr Layout kLayout = layout();

  template <class T>
  static T& at(unsigned char* parameters, unsigned index) {
    return *reinterpret_cast<T*>(parameters + kLayout.offsets[index]);
  }
  template <unsigned... index>
  struct Indices {};
  template <unsigned count, unsigned... index>
  struct Count : Count<count - 1, count - 1, index...> {};
  template <unsigned... index>
  struct Count<0, index...> {
    using Type = Indices<index...>;
  };
  template <unsigned... index>
  static void call([[maybe_unused]] unsigned char* parameters, Indices<index...>) {
    function(at<Parameters>(parameters, index)...);
  }
  static void invoke(unsigned char* parameters) { call(parameters, typename Count<kCount>::Type{}); }
};

}  // namespace simulated_cuda
