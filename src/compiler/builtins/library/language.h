// The vocabulary of this folder, which makes its functions C++ that a compiler, an editor and a test can read. Concepts are the
// sets of types that a template is for; other words name what belongs to a type T. library.cpp and instantiate.cpp know the
// same words and replace them by their meaning for one T: templates would cost the compiler of a kernel time.
#pragma once

#include <type_traits>

namespace manyrt::library {

template <typename T, typename... Others>
concept OneOf = (std::is_same_v<T, Others> || ...);

struct half {  // as it is in memory
  unsigned short bits;
};

template <typename T>
concept Half = OneOf<T, half>;
template <typename T>
concept Float = OneOf<T, float>;
template <typename T>
concept Double = OneOf<T, double>;
template <typename T>
concept Floating = Float<T> || Double<T>;
template <typename T>
concept Int = OneOf<T, int>;
template <typename T>
concept Long = OneOf<T, long>;
template <typename T>
concept ULong = OneOf<T, unsigned long>;
template <typename T>
concept SmallSigned = OneOf<T, signed char, short>;
template <typename T>
concept SmallUnsigned = OneOf<T, unsigned char, unsigned short>;
template <typename T>
concept SmallInteger = SmallSigned<T> || SmallUnsigned<T>;
template <typename T>
concept NarrowSigned = SmallSigned<T> || Int<T>;
template <typename T>
concept NarrowUnsigned = SmallUnsigned<T> || OneOf<T, unsigned int>;
template <typename T>
concept SignedInteger = NarrowSigned<T> || Long<T>;
template <typename T>
concept WideSigned = Int<T> || Long<T>;
template <typename T>
concept UnsignedInteger = NarrowUnsigned<T> || ULong<T>;
template <typename T>
concept Integer = SignedInteger<T> || UnsignedInteger<T>;
template <typename T>
concept Number = Integer<T> || Floating<T>;
template <typename T>
concept Element = Number<T> || Half<T>;  // of what is moved and not computed with

// A function for these has a text without branches: T may also be a vector of the values of several work-items.
template <typename T>
concept Floats = Float<T>;
template <typename T>
concept Doubles = Double<T>;
template <typename T>
concept Reals = Floating<T>;
template <typename T>
concept Numbers = Number<T>;

template <int kBytes>
struct Integers;  // of a size
template <>
struct Integers<1> {
  using Signed = signed char;
  using Unsigned = unsigned char;
};
template <>
struct Integers<2> {
  using Signed = short;
  using Unsigned = unsigned short;
};
template <>
struct Integers<4> {
  using Signed = int;
  using Unsigned = unsigned int;
};
template <>
struct Integers<8> {
  using Signed = long;
  using Unsigned = unsigned long;
};
template <>
struct Integers<16> {
  using Signed = __int128;
  using Unsigned = unsigned __int128;
};

template <typename T>
using Signed = typename Integers<sizeof(T)>::Signed;  // the integer of T's size
template <typename T>
using Unsigned = typename Integers<sizeof(T)>::Unsigned;
template <typename T>
using WideUnsigned = typename Integers<2 * sizeof(T)>::Unsigned;  // twice as wide
template <typename T>
using Wide = std::conditional_t<std::is_signed_v<T>, typename Integers<2 * sizeof(T)>::Signed, WideUnsigned<T>>;
template <typename T>
using Promoted = std::conditional_t<sizeof(T) == 8, unsigned long, unsigned int>;  // computes without overflow
template <typename T>
using CudaWord = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;  // what CUDA's atomics take for T
template <typename T>
using CudaNumber = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<CudaWord<T>>, CudaWord<T>>;  // of T's sign

template <typename T>
inline constexpr int bits = 8 * sizeof(T);
// For integers the limits; for floating types the largest number and the smallest normal one.
template <typename T>
inline constexpr T largest = static_cast<T>(std::is_signed_v<T> ? Unsigned<T>(~Unsigned<T>(0)) >> 1 : ~Unsigned<T>(0));
template <>
inline constexpr float largest<float> = 0x1.fffffep127f;
template <>
inline constexpr double largest<double> = 0x1.fffffffffffffp1023;
template <typename T>
inline constexpr T smallest = static_cast<T>(-largest<T> - 1);
template <>
inline constexpr float smallest<float> = 0x1p-126f;
template <>
inline constexpr double smallest<double> = 0x1p-1022;

template <typename T>
inline constexpr double beyond = 2.0 *
                                 (1ul << (bits<T> - 1 - std::is_signed_v<T>));  // the power of two above the largest integer
template <typename T>
using Common =
    std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8, __int128, double>;  // holds T and floating types near it

// How many bits of a whole number T holds.
template <typename T>
inline constexpr int whole_bits = std::is_same_v<T, float>    ? 24
                                  : std::is_same_v<T, double> ? 53
                                                              : bits<T> - std::is_signed_v<T>;
// Every value of From is one of T; the others have values beyond T's.
template <typename From, typename T>
concept HeldBy = (Floating<T>
                      ? whole_bits<From> <= whole_bits<T>
                      : Integer<From> && whole_bits<From> <= whole_bits<T> && std::is_signed_v<T> >= std::is_signed_v<From>);
template <typename From, typename T>
concept Beyond = !HeldBy<From, T>;
template <typename From, typename T>
concept SignedBeyond = SignedInteger<From> && !HeldBy<From, T>;
template <typename From, typename T>
concept UnsignedBeyond = UnsignedInteger<From> && !HeldBy<From, T>;

// A vector of the language. The numbers of its components are a pack, so that one text serves every number of components. The
// list of the sums is p.s[I] + q.s[I]..., and (p.s[I] | ...) joins all components. Vector<T, 0> is T itself.
template <typename T, int... I>
struct Vector {
  T s[sizeof...(I)];
};
template <typename T>
struct Vector<T, 0> {
  Vector(T value) : s{value} {}
  operator T() const { return s[0]; }
  T s[1];
};
template <typename T>
using Vector2 = Vector<T, 0, 1>;
template <typename T>
using Vector3 = Vector<T, 0, 1, 2>;
template <typename T>
using Vector4 = Vector<T, 0, 1, 2, 3>;

// a * b + c, rounded once where the processor does that, else twice.
template <Floating T>
T fused(T a, T b, T c);

// Whether it is rounded once: the compiler of a kernel is asked, and this is for reading.
inline constexpr bool fuses = true;

// x as it has been computed: options that let a compiler take sums in another order do not reach through it.
template <typename T>
T kept(T x) {
  return x;
}

// The same value in another type; of a vector, of each of them.
template <typename To, typename From>
To to(From x) {
  return static_cast<To>(x);
}

// f(x) where |x| is above a limit or not a number, which is seldom, else the other value. f is for one number.
template <typename T>
T rarely_beyond(T limit, T (*f)(T), T x, T other) {
  return (x < 0 ? -x : x) <= limit ? other : f(x);
}
// The same of two numbers, where a condition holds.
template <typename T>
T rarely_of_two(bool condition, T (*f)(T, T), T x, T y, T other) {
  return condition ? f(x, y) : other;
}

}  // namespace manyrt::library
