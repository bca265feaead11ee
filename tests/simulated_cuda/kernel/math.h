// Mathematics and bits: C's functions with and without f and as overloads, and CUDA's intrinsics. Functions that a device
// approximates are exact here. Conversions to integers saturate, as a device's do.

#define SIMULATED_CUDA_MATH1(name)                                                  \
  SIMULATED_CUDA_FUNCTION float name##f(float a) { return __builtin_##name##f(a); } \
  SIMULATED_CUDA_FUNCTION float name(float a) { return __builtin_##name##f(a); }    \
  SIMULATED_CUDA_FUNCTION double name(double a) { return __builtin_##name(a); }     \
  SIMULATED_CUDA_FUNCTION double name(int a) { return __builtin_##name((double)a); }
#define SIMULATED_CUDA_MATH2(name)                                                                  \
  SIMULATED_CUDA_FUNCTION float name##f(float a, float b) { return __builtin_##name##f(a, b); }     \
  SIMULATED_CUDA_FUNCTION float name(float a, float b) { return __builtin_##name##f(a, b); }        \
  SIMULATED_CUDA_FUNCTION double name(double a, double b) { return __builtin_##name(a, b); }        \
  SIMULATED_CUDA_FUNCTION double name(float a, double b) { return __builtin_##name((double)a, b); } \
  SIMULATED_CUDA_FUNCTION double name(double a, float b) { return __builtin_##name(a, (double)b); } \
  SIMULATED_CUDA_FUNCTION double name(double a, int b) { return __builtin_##name(a, (double)b); }   \
  SIMULATED_CUDA_FUNCTION float name(float a, int b) { return __builtin_##name##f(a, (float)b); }
SIMULATED_CUDA_MATH1(acos)
SIMULATED_CUDA_MATH1(acosh)
SIMULATED_CUDA_MATH1(asin)
SIMULATED_CUDA_MATH1(asinh)
SIMULATED_CUDA_MATH1(atan)
SIMULATED_CUDA_MATH1(atanh)
SIMULATED_CUDA_MATH1(cbrt)
SIMULATED_CUDA_MATH1(ceil)
SIMULATED_CUDA_MATH1(cos)
SIMULATED_CUDA_MATH1(cosh)
SIMULATED_CUDA_MATH1(erf)
SIMULATED_CUDA_MATH1(erfc)
SIMULATED_CUDA_MATH1(exp)
SIMULATED_CUDA_MATH1(exp2)
SIMULATED_CUDA_MATH1(expm1)
SIMULATED_CUDA_MATH1(fabs)
SIMULATED_CUDA_MATH1(floor)
SIMULATED_CUDA_MATH1(lgamma)
SIMULATED_CUDA_MATH1(log)
SIMULATED_CUDA_MATH1(log10)
SIMULATED_CUDA_MATH1(log1p)
SIMULATED_CUDA_MATH1(log2)
SIMULATED_CUDA_MATH1(logb)
SIMULATED_CUDA_MATH1(nearbyint)
SIMULATED_CUDA_MATH1(rint)
SIMULATED_CUDA_MATH1(round)
SIMULATED_CUDA_MATH1(sin)
SIMULATED_CUDA_MATH1(sinh)
SIMULATED_CUDA_MATH1(sqrt)
SIMULATED_CUDA_MATH1(tan)
SIMULATED_CUDA_MATH1(tanh)
SIMULATED_CUDA_MATH1(tgamma)
SIMULATED_CUDA_MATH1(trunc)
SIMULATED_CUDA_MATH2(atan2)
SIMULATED_CUDA_MATH2(copysign)
SIMULATED_CUDA_MATH2(fdim)
SIMULATED_CUDA_MATH2(fmax)
SIMULATED_CUDA_MATH2(fmin)
SIMULATED_CUDA_MATH2(fmod)
SIMULATED_CUDA_MATH2(hypot)
SIMULATED_CUDA_MATH2(nextafter)
SIMULATED_CUDA_MATH2(pow)
SIMULATED_CUDA_MATH2(remainder)

#define SIMULATED_CUDA_BOTH(result, name, parameters_f, parameters_d, arguments)                    \
  SIMULATED_CUDA_FUNCTION result##_f name##f parameters_f { return __builtin_##name##f arguments; } \
  SIMULATED_CUDA_FUNCTION result##_f name parameters_f { return __builtin_##name##f arguments; }    \
  SIMULATED_CUDA_FUNCTION result##_d name parameters_d { return __builtin_##name arguments; }
typedef float simulated_cuda_t_f;
typedef double simulated_cuda_t_d;
typedef int simulated_cuda_i_f;
typedef int simulated_cuda_i_d;
typedef long simulated_cuda_l_f;
typedef long simulated_cuda_l_d;
SIMULATED_CUDA_BOTH(simulated_cuda_t, fma, (float a, float b, float c), (double a, double b, double c), (a, b, c))
SIMULATED_CUDA_BOTH(simulated_cuda_t, frexp, (float a, int* b), (double a, int* b), (a, b))
SIMULATED_CUDA_BOTH(simulated_cuda_t, ldexp, (float a, int b), (double a, int b), (a, b))
SIMULATED_CUDA_BOTH(simulated_cuda_t, scalbn, (float a, int b), (double a, int b), (a, b))
SIMULATED_CUDA_BOTH(simulated_cuda_t, modf, (float a, float* b), (double a, double* b), (a, b))
SIMULATED_CUDA_BOTH(simulated_cuda_i, ilogb, (float a), (double a), (a))
SIMULATED_CUDA_BOTH(simulated_cuda_l, lrint, (float a), (double a), (a))
SIMULATED_CUDA_BOTH(simulated_cuda_l, lround, (float a), (double a), (a))

SIMULATED_CUDA_FUNCTION double rsqrt(double a) { return 1 / __builtin_sqrt(a); }
SIMULATED_CUDA_FUNCTION float rsqrtf(float a) { return (float)(1 / __builtin_sqrt((double)a)); }
SIMULATED_CUDA_FUNCTION float rsqrt(float a) { return rsqrtf(a); }
SIMULATED_CUDA_FUNCTION double exp10(double a) { return __builtin_exp10(a); }
SIMULATED_CUDA_FUNCTION float exp10f(float a) { return __builtin_exp10f(a); }
SIMULATED_CUDA_FUNCTION float exp10(float a) { return exp10f(a); }
SIMULATED_CUDA_FUNCTION void sincos(double a, double* s, double* c) { *s = __builtin_sin(a), *c = __builtin_cos(a); }
SIMULATED_CUDA_FUNCTION void sincosf(float a, float* s, float* c) { *s = __builtin_sinf(a), *c = __builtin_cosf(a); }
SIMULATED_CUDA_FUNCTION void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
// The argument is brought into an eighth of the circle before it is multiplied, so that whole and half numbers are exact.
SIMULATED_CUDA_FUNCTION double simulated_cuda_sinpi(double a, bool cosine) {
  constexpr double kPi = 3.14159265358979323846;
  if (!(__builtin_fabs(a) < 1e300 * 1e8)) return a - a;
  const double eighths = __builtin_rint(__builtin_fmod(a, 2) * 2);
  const double rest = (__builtin_fmod(a, 2) - eighths / 2) * kPi;
  const int quarter = ((int)eighths + (cosine ? 1 : 0)) & 3;
  const double value = (quarter & 1) != 0 ? __builtin_cos(rest) : __builtin_sin(rest);
  if (value == 0) return cosine ? 0.0 : __builtin_copysign(0.0, a);
  return (quarter & 2) != 0 ? -value : value;
}
SIMULATED_CUDA_FUNCTION double sinpi(double a) { return simulated_cuda_sinpi(a, false); }
SIMULATED_CUDA_FUNCTION double cospi(double a) { return simulated_cuda_sinpi(a, true); }
SIMULATED_CUDA_FUNCTION float sinpif(float a) { return (float)simulated_cuda_sinpi(a, false); }
SIMULATED_CUDA_FUNCTION float cospif(float a) { return (float)simulated_cuda_sinpi(a, true); }
SIMULATED_CUDA_FUNCTION float sinpi(float a) { return sinpif(a); }
SIMULATED_CUDA_FUNCTION float cospi(float a) { return cospif(a); }
SIMULATED_CUDA_FUNCTION float abs(float a) { return __builtin_fabsf(a); }
SIMULATED_CUDA_FUNCTION double abs(double a) { return __builtin_fabs(a); }
SIMULATED_CUDA_FUNCTION int abs(int a) { return a < 0 ? -a : a; }
SIMULATED_CUDA_FUNCTION long long abs(long long a) { return a < 0 ? -a : a; }
SIMULATED_CUDA_FUNCTION long long llabs(long long a) { return a < 0 ? -a : a; }
SIMULATED_CUDA_FUNCTION bool isnan(double a) { return __builtin_isnan(a); }
SIMULATED_CUDA_FUNCTION bool isinf(double a) { return __builtin_isinf(a); }
SIMULATED_CUDA_FUNCTION bool isfinite(double a) { return __builtin_isfinite(a); }
SIMULATED_CUDA_FUNCTION bool signbit(double a) { return __builtin_signbit(a); }

#define SIMULATED_CUDA_MINMAX(type)                                          \
  SIMULATED_CUDA_FUNCTION type min(type a, type b) { return b < a ? b : a; } \
  SIMULATED_CUDA_FUNCTION type max(type a, type b) { return a < b ? b : a; }
SIMULATED_CUDA_MINMAX(int)
SIMULATED_CUDA_MINMAX(unsigned)
SIMULATED_CUDA_MINMAX(long)
SIMULATED_CUDA_MINMAX(unsigned long)
SIMULATED_CUDA_MINMAX(long long)
SIMULATED_CUDA_MINMAX(unsigned long long) SIMULATED_CUDA_FUNCTION float min(float a, float b) { return __builtin_fminf(a, b); }
SIMULATED_CUDA_FUNCTION float max(float a, float b) { return __builtin_fmaxf(a, b); }
SIMULATED_CUDA_FUNCTION double min(double a, double b) { return __builtin_fmin(a, b); }
SIMULATED_CUDA_FUNCTION double max(double a, double b) { return __builtin_fmax(a, b); }

// ---- intrinsics ----

#define SIMULATED_CUDA_FAST1(name, exact) \
  SIMULATED_CUDA_FUNCTION float name(float a) { return exact(a); }
SIMULATED_CUDA_FAST1(__cosf, cosf)
SIMULATED_CUDA_FAST1(__sinf, sinf)
SIMULATED_CUDA_FAST1(__tanf, tanf)
SIMULATED_CUDA_FAST1(__expf, expf)
SIMULATED_CUDA_FAST1(__exp10f, exp10f)
SIMULATED_CUDA_FAST1(__logf, logf)
SIMULATED_CUDA_FAST1(__log2f, log2f)
SIMULATED_CUDA_FAST1(__log10f, log10f)
SIMULATED_CUDA_FAST1(__fsqrt_rn, sqrtf)
SIMULATED_CUDA_FAST1(__frsqrt_rn, rsqrtf) SIMULATED_CUDA_FUNCTION float __powf(float a, float b) { return powf(a, b); }
SIMULATED_CUDA_FUNCTION float __fdividef(float a, float b) { return a / b; }
SIMULATED_CUDA_FUNCTION float fdividef(float a, float b) { return a / b; }
SIMULATED_CUDA_FUNCTION float __frcp_rn(float a) { return 1 / a; }
SIMULATED_CUDA_FUNCTION float __fadd_rn(float a, float b) { return a + b; }
SIMULATED_CUDA_FUNCTION float __fsub_rn(float a, float b) { return a - b; }
SIMULATED_CUDA_FUNCTION float __fmul_rn(float a, float b) { return a * b; }
SIMULATED_CUDA_FUNCTION float __fdiv_rn(float a, float b) { return a / b; }
SIMULATED_CUDA_FUNCTION float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SIMULATED_CUDA_FUNCTION double __dadd_rn(double a, double b) { return a + b; }
SIMULATED_CUDA_FUNCTION double __dsub_rn(double a, double b) { return a - b; }
SIMULATED_CUDA_FUNCTION double __dmul_rn(double a, double b) { return a * b; }
SIMULATED_CUDA_FUNCTION double __ddiv_rn(double a, double b) { return a / b; }
SIMULATED_CUDA_FUNCTION double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
SIMULATED_CUDA_FUNCTION float __saturatef(float a) { return a >= 0 ? (a > 1 ? 1.0f : a) : 0.0f; }
SIMULATED_CUDA_FUNCTION void __sincosf(float a, float* s, float* c) { sincosf(a, s, c); }

SIMULATED_CUDA_FUNCTION int __clz(int a) { return a == 0 ? 32 : __builtin_clz((unsigned)a); }
SIMULATED_CUDA_FUNCTION int __clzll(long long a) { return a == 0 ? 64 : __builtin_clzll((unsigned long long)a); }
SIMULATED_CUDA_FUNCTION int __popc(unsigned a) { return __builtin_popcount(a); }
SIMULATED_CUDA_FUNCTION int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
SIMULATED_CUDA_FUNCTION int __ffs(int a) { return __builtin_ffs(a); }
SIMULATED_CUDA_FUNCTION int __ffsll(long long a) { return __builtin_ffsll(a); }
SIMULATED_CUDA_FUNCTION unsigned __brev(unsigned a) {
  unsigned turned = 0;
  for (int i = 0; i < 32; ++i) turned |= (a >> i & 1) << (31 - i);
  return turned;
}
SIMULATED_CUDA_FUNCTION unsigned long long __brevll(unsigned long long a) {
  return (unsigned long long)__brev((unsigned)a) << 32 | __brev((unsigned)(a >> 32));
}
SIMULATED_CUDA_FUNCTION unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned picked = 0;
  for (int i = 0; i < 4; ++i) picked |= (unsigned)(both >> (selector >> 4 * i & 7) * 8 & 255) << 8 * i;
  return picked;
}
SIMULATED_CUDA_FUNCTION unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
SIMULATED_CUDA_FUNCTION unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
SIMULATED_CUDA_FUNCTION int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
SIMULATED_CUDA_FUNCTION unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
SIMULATED_CUDA_FUNCTION int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
SIMULATED_CUDA_FUNCTION unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
__extension__ typedef __int128 simulated_cuda_wide;
__extension__ typedef unsigned __int128 simulated_cuda_uwide;
SIMULATED_CUDA_FUNCTION long long __mul64hi(long long a, long long b) { return (long long)((simulated_cuda_wide)a * b >> 64); }
SIMULATED_CUDA_FUNCTION unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((simulated_cuda_uwide)a * b >> 64);
}
SIMULATED_CUDA_FUNCTION unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
SIMULATED_CUDA_FUNCTION unsigned __sad(int a, int b, unsigned c) {
  return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}

SIMULATED_CUDA_FUNCTION int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
SIMULATED_CUDA_FUNCTION unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
SIMULATED_CUDA_FUNCTION float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
SIMULATED_CUDA_FUNCTION float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
SIMULATED_CUDA_FUNCTION long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
SIMULATED_CUDA_FUNCTION double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }

template <class To>
constexpr inline To simulated_cuda_saturate(double a, To least, To most) {
  if (a != a) return 0;
  return a <= (double)least ? least : a >= (double)most ? most : (To)a;
}
#define SIMULATED_CUDA_CONVERT(from, to, word, least, most)              \
  SIMULATED_CUDA_FUNCTION to __##from##2##word##_rz(from a) {            \
    return simulated_cuda_saturate<to>(__builtin_trunc(a), least, most); \
  }                                                                      \
  SIMULATED_CUDA_FUNCTION to __##from##2##word##_rn(from a) {            \
    return simulated_cuda_saturate<to>(__builtin_rint(a), least, most);  \
  }                                                                      \
  SIMULATED_CUDA_FUNCTION to __##from##2##word##_rd(from a) {            \
    return simulated_cuda_saturate<to>(__builtin_floor(a), least, most); \
  }                                                                      \
  SIMULATED_CUDA_FUNCTION to __##from##2##word##_ru(from a) {            \
    return simulated_cuda_saturate<to>(__builtin_ceil(a), least, most);  \
  }
#define SIMULATED_CUDA_CONVERTS(from)                                                    \
  SIMULATED_CUDA_CONVERT(from, int, int, -__INT_MAX__ - 1, __INT_MAX__)                  \
  SIMULATED_CUDA_CONVERT(from, unsigned, uint, 0u, ~0u)                                  \
  SIMULATED_CUDA_CONVERT(from, long long, ll, -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__) \
  SIMULATED_CUDA_CONVERT(from, unsigned long long, ull, 0ull, ~0ull)
SIMULATED_CUDA_CONVERTS(float)
SIMULATED_CUDA_CONVERTS(double)
SIMULATED_CUDA_FUNCTION float __int2float_rn(int a) { return (float)a; }
SIMULATED_CUDA_FUNCTION float __uint2float_rn(unsigned a) { return (float)a; }
SIMULATED_CUDA_FUNCTION float __ll2float_rn(long long a) { return (float)a; }
SIMULATED_CUDA_FUNCTION float __ull2float_rn(unsigned long long a) { return (float)a; }
SIMULATED_CUDA_FUNCTION float __double2float_rn(double a) { return (float)a; }
SIMULATED_CUDA_FUNCTION double __int2double_rn(int a) { return a; }

struct simulated_cuda_end_of_headers;

// ---- halves ----

// Stands in for manyrt's functions in PTX, as there is no PTX here.
#define MANYRT_NO_PTX
SIMULATED_CUDA_FUNCTION float mrt_half_to_float_ptx(unsigned short half) {
  const unsigned exponent = half >> 10 & 31, fraction = half & 1023u, sign = (half & 0x8000u) << 16;
  const float small = (float)fraction * 0x1p-24f;
  const unsigned bits = exponent == 31 ? 0x7f800000u | fraction << 13 : (exponent + 112) << 23 | fraction << 13;
  return __builtin_bit_cast(float, sign | (exponent == 0 ? __builtin_bit_cast(unsigned, small) : bits));
}
// The number of units in the last place that its exponent gives, rounded; the carry goes into the exponent.
SIMULATED_CUDA_FUNCTION unsigned short mrt_float_to_half_ptx(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value), sign = bits >> 16 & 0x8000u;
  const float size = __builtin_bit_cast(float, bits & 0x7fffffffu);
  if (size != size) return 0x7fff;
  if (size >= 65520) return (unsigned short)(sign | 0x7c00u);
  const unsigned exponent = (bits >> 23 & 255) > 113 ? bits >> 23 & 255 : 113;  // biased; 113 is that of 2^-14
  const float units = size * __builtin_bit_cast(float, (264 - exponent) << 23);
  unsigned whole = (unsigned)units;
  const float rest = units - (float)whole;
  whole += rest > 0.5f || (rest == 0.5f && whole % 2 != 0);
  return (unsigned short)(sign | (((exponent - 113) << 10) + whole));
}
