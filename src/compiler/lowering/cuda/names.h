// This file alone lists the names of CUDA that generated text may use. A substitute for CUDA, such as the simulated device of
// the tests, defines these and no others. Besides, the text is C++20 without includes and without templates.
//
//   qualifiers    __global__  __device__  __forceinline__  __shared__  __constant__  __launch_bounds__(n); constexpr, also of
//                 functions that are constant for no arguments, which compilers for hosts refuse: there it has to be nothing
//   variables     threadIdx  blockIdx  blockDim  gridDim: .x .y .z, unsigned int
//   memory        alignas(128) extern __shared__ unsigned char mrt_shared[]: once, at namespace scope. All other __shared__
//                 variables stand at the head of functions: of entries, and of kernels that other kernels call.
//                 __constant__ and __device__ variables have external C linkage, are const and initialised by constants.
//   waiting       __syncthreads()  __threadfence()  __threadfence_block()
//   warps         __syncwarp(mask)  __shfl_sync(mask, unsigned int or unsigned long long, int)  __ballot_sync  __any_sync
//                 __all_sync
//   atomics       atomicAdd atomicExch atomicCAS atomicMin atomicMax atomicAnd atomicOr atomicXor: on int, unsigned int and
//                 unsigned long long; Exch also on float, Min and Max also on long long. atomicSub: on int and unsigned int
//   printing      printf(format, ...), at most 32 values; int, long long, unsigned long long, double, pointers, strings
//   halves        mrt_half_to_float_ptx mrt_float_to_half_ptx: conversions. A substitute defines MANYRT_NO_PTX, and both itself
//   compiler      memcpy  __builtin_bit_cast  __builtin_unreachable  __int128  #pragma unroll [n]  #line
//   mathematics   the second column of kCudaNames, and of library/cuda_math.h:
//                 fmin fmax rsqrt exp10 sinpi cospi sincos lgamma round, with and without f;
//                 __cosf __sinf __tanf __expf __exp10f __logf __log2f __log10f __powf __fdividef
//                 __mul64hi __umul64hi __clz __clzll __popc __popcll; __dp4a, where MANYRT_NO_PTX is not defined
//
// The shared lowering writes gcc's names; cudaText puts CUDA's in their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace manyrt::compiler {

struct CudaName {
  const char* host;        // as the lowering shared with the CPU writes it
  const char* cuda;        // what stands there for CUDA
  const char* definition;  // of that name, where CUDA has none; null: it has
};

// Functions of C's library have the same name after "__builtin_", with f for float and without for double.
inline constexpr const char* kCudaLibrary[] = {
    "acos",  "acosh", "asin",  "asinh", "atan",  "atan2", "atanh",  "cbrt",  "ceil",      "copysign", "cos",
    "cosh",  "erf",   "erfc",  "exp",   "exp2",  "expm1", "fabs",   "floor", "fma",       "fmod",     "frexp",
    "hypot", "ilogb", "ldexp", "log",   "log10", "log1p", "log2",   "logb",  "modf",      "pow",      "remainder",
    "rint",  "sin",   "sinh",  "sqrt",  "tan",   "tanh",  "tgamma", "trunc", "nextafter", "memcpy"};

inline constexpr CudaName kCudaNames[] = {
    {"__builtin_inff", "mrt_inff",
     "static __device__ __forceinline__ constexpr float mrt_inff() { return __builtin_bit_cast(float, 0x7f800000u); }\n"},
    {"__builtin_inf", "mrt_inf",
     "static __device__ __forceinline__ constexpr double mrt_inf() { return __builtin_bit_cast(double, 0x7ff0000000000000ul); "
     "}\n"},
    {"__builtin_nanf", "mrt_nanf",
     "static __device__ __forceinline__ constexpr float mrt_nanf(const char*) { return __builtin_bit_cast(float, 0x7fc00000u); "
     "}\n"},
    {"__builtin_nan", "mrt_nan",
     "static __device__ __forceinline__ constexpr double mrt_nan(const char*) { return __builtin_bit_cast(double, "
     "0x7ff8000000000000ul); }\n"},
    // In C++ these have overloads, which would choose by the arguments: as functions of doubles, whatever is given.
    {"__builtin_copysign", "mrt_copysign",
     "static __device__ __forceinline__ double mrt_copysign(double a, double b) { return copysign(a, b); }\n"},
    {"__builtin_pow", "mrt_pow",
     "static __device__ __forceinline__ double mrt_pow(double a, double b) { return pow(a, b); }\n"},
    // Instructions, but where a constant is computed by the compiler: there the least that constants need.
    {"__builtin_half_to_float", "mrt_half_to_float_ptx",
     "#ifndef MANYRT_NO_PTX\nstatic __device__ __forceinline__ constexpr float mrt_half_to_float_ptx(unsigned short a) { if "
     "(__builtin_is_constant_evaluated()) { unsigned int u = (a & 0x7fffu) << 13; u = __builtin_bit_cast(unsigned int, "
     "__builtin_bit_cast(float, u) * 0x1p112f); if ((a & 0x7c00u) == 0x7c00u) u |= 0x7f800000u; return "
     "__builtin_bit_cast(float, u | (a & 0x8000u) << 16); } float r = 0; asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(r) : \"h\"(a)); "
     "return r; }\n#endif\n"},
    {"__builtin_float_to_half", "mrt_float_to_half_ptx",
     "#ifndef MANYRT_NO_PTX\nstatic __device__ __forceinline__ constexpr unsigned short mrt_float_to_half_ptx(float a) { if "
     "(__builtin_is_constant_evaluated()) { unsigned int u = __builtin_bit_cast(unsigned int, a), s = u >> 16 & 0x8000u; u &= "
     "0x7fffffffu; const float y = __builtin_bit_cast(float, u) + 0.5f; unsigned int h = u < 0x38800000u ? "
     "__builtin_bit_cast(unsigned int, y) - 0x3f000000u : (u - 0x37fff001u + (u >> 13 & 1u)) >> 13; if (u >= 0x47800000u) h = "
     "u "
     "> 0x7f800000u ? 0x7e00u : 0x7c00u; return (unsigned short)(s | h); } unsigned short r = 0; asm(\"cvt.rn.f16.f32 %0, "
     "%1;\" "
     ": \"=h\"(r) : \"f\"(a)); return r; }\n#endif\n"},
    // Instructions from 6.1 on, but for constants and for a substitute.
    {"__builtin_dp4a_s", "mrt_dp4a_s",
     "static __device__ __forceinline__ constexpr int mrt_dp4a_s(unsigned int a, unsigned int b) {\n"
     "#if !defined(MANYRT_NO_PTX) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610\n"
     "if (!__builtin_is_constant_evaluated()) return __dp4a((int)a, (int)b, 0);\n#endif\n"
     "return (signed char)a * (signed char)b + (signed char)(a >> 8) * (signed char)(b >> 8) + (signed char)(a >> 16) * "
     "(signed char)(b >> 16) + (signed char)(a >> 24) * (signed char)(b >> 24); }\n"},
    {"__builtin_dp4a_u", "mrt_dp4a_u",
     "static __device__ __forceinline__ constexpr unsigned int mrt_dp4a_u(unsigned int a, unsigned int b) {\n"
     "#if !defined(MANYRT_NO_PTX) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610\n"
     "if (!__builtin_is_constant_evaluated()) return __dp4a(a, b, 0u);\n#endif\n"
     "return (a & 255) * (b & 255) + (a >> 8 & 255) * (b >> 8 & 255) + (a >> 16 & 255) * (b >> 16 & 255) + (a >> 24) * (b >> "
     "24); }\n"},
    {"__builtin_clz", "__clz", nullptr},
    {"__builtin_clzl", "__clzll", nullptr},
    {"__builtin_popcount", "__popc", nullptr},
    {"__builtin_popcountl", "__popcll", nullptr},
    {"__builtin_add_overflow", "mrt_add_overflow",
     "static __device__ __forceinline__ bool mrt_add_overflow(long a, long b, long* r) { *r = (long)((unsigned long)a + "
     "(unsigned long)b); return ((a ^ *r) & (b ^ *r)) < 0; }\n"},
    {"__builtin_sub_overflow", "mrt_sub_overflow",
     "static __device__ __forceinline__ bool mrt_sub_overflow(long a, long b, long* r) { *r = (long)((unsigned long)a - "
     "(unsigned long)b); return ((a ^ b) & (a ^ *r)) < 0; }\n"},
    {"__builtin_bit_cast", "__builtin_bit_cast", nullptr},
    {"__builtin_unreachable", "__builtin_unreachable", nullptr},
};

// The text with CUDA's names, and in front of it the definitions that it needs. Text in quotes and in #line is left alone.
// `unknown` receives the names of gcc's that no table has: a mistake of this library, which a test looks for.
std::string cudaText(std::string_view text, std::vector<std::string>* unknown);

}  // namespace manyrt::compiler
