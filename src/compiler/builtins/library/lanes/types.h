// Library of the generated vector code, part one: the size of the processor's vectors, vectors of N elements of type T, and
// packs of numbers. A kernel whose regions run several work-items at once gets this file and lanes.h as they stand after their
// heads (emit/cpu_unit.cpp). It knows no T of a template by the words of ../language.h.
#pragma once

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define MRT_BYTES 64
#elif defined(__AVX2__)
#define MRT_BYTES 32
#else
#define MRT_BYTES 16
#endif
#define MRT_LINE (64 / MRT_BYTES)  // vectors in a line of the cache
// Masked loads and stores of gcc's are not seen by sanitizers: what they watch takes its lanes one by one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MRT_WATCHED 1
#else
#define MRT_WATCHED 0
#endif
#if defined(__GNUC__) && !defined(__clang__) && !MRT_WATCHED && MRT_BYTES == 64
#define MRT_MASKED 1
#else
#define MRT_MASKED 0
#endif
#if defined(__GNUC__) && !defined(__clang__) && !MRT_WATCHED && MRT_BYTES == 32
#define MRT_MASKED_AVX2 1
#else
#define MRT_MASKED_AVX2 0
#endif
// Text for processors that have such vectors of floating-point numbers, where gcc's own functions are at hand.
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
#define MRT_IF_512(...) __VA_ARGS__
#else
#define MRT_IF_512(...)
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX__)
#define MRT_IF_256(...) __VA_ARGS__
#else
#define MRT_IF_256(...)
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
#define MRT_IF_128(...) __VA_ARGS__
#else
#define MRT_IF_128(...)
#endif
#define MRT_IN static inline __attribute__((always_inline))
#define MRT_V(n, t) typename mrt_vector<n, t>::type
#define MRT_E typename mrt_plain<T>::type
template <int... I>
struct mrt_numbers {};
#ifdef __clang__
template <class T, T... I>
struct mrt_as_numbers {
  using type = mrt_numbers<I...>;
};
template <int N>
using mrt_count = typename __make_integer_seq<mrt_as_numbers, int, N>::type;
#else
template <int N>
using mrt_count = mrt_numbers<__integer_pack(N)...>;
#endif
template <int N, class T>
struct mrt_vector {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T>
struct mrt_plain {
  using type = T;
};
template <>
struct mrt_plain<bool> {
  using type = unsigned char;
};
template <int S>
struct mrt_signed;
template <>
struct mrt_signed<1> {
  using type = signed char;
};
template <>
struct mrt_signed<2> {
  using type = short;
};
template <>
struct mrt_signed<4> {
  using type = int;
};
template <>
struct mrt_signed<8> {
  using type = long;
};
template <int S>
struct mrt_unsigned;
template <>
struct mrt_unsigned<1> {
  using type = unsigned char;
};
template <>
struct mrt_unsigned<2> {
  using type = unsigned short;
};
template <>
struct mrt_unsigned<4> {
  using type = unsigned int;
};
template <>
struct mrt_unsigned<8> {
  using type = unsigned long;
};
// Some lanes of a vector, from number F on; and two vectors as one.
template <int F, class V, int... I>
MRT_IN auto mrt_slice(V x, mrt_numbers<I...>) {
  return __builtin_shufflevector(x, x, (F + I)...);
}
template <class V, int... I>
MRT_IN auto mrt_joined(V low, V high, mrt_numbers<I...>) {
  return __builtin_shufflevector(low, high, I...);
}
// The address 0, which lanes' addresses are offsets from. Compilers take sums with a null pointer for undefined.
MRT_IN char* mrt_nowhere() {
  unsigned long address = 0;
#ifdef __GNUC__
  __asm__("" : "+r"(address));
#endif
  return (char*)address;
}
