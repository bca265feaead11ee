// The bodies of the built-in functions of one lane, for prelude_scalar.cpp. What the words of a body mean:
//
//   a b c      the parameters, in order          $T $I $U $W $V  T; signed and unsigned integers of its size; twice as wide,
//   $P         unsigned int or unsigned long                     of T's sign and unsigned
//   $f         "f" for float, "" for double      $b $m           T's bits, and one less
//   $max $min  limits (of reals: the largest, the smallest normal)
//   @fused(    a * b + c, rounded once where the processor does that
//   @name(     another function of these tables for the same T; @name:double( for T = double
//
// Signatures: the result, then the parameters: g T, i u signed and unsigned integers of T's size, k int, w $W, P a pointer to
// what follows. Classes: f float, d double, F both, s signed of up to 32 bits, l long, S both, m ulong,
// U all unsigned, I all integers, A all.
#pragma once

namespace manyrt::compiler {

struct LaneRow {
  const char* name;
  char types;
  const char* signature;
  const char* body;
};

// Taken from the compiler as they are: it knows which have instructions, and calls libm for the others.
inline constexpr const char* kLibm1[] = {"acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos",   "cosh",  "erf",
                                         "erfc", "exp",   "exp2", "expm1", "fabs", "floor", "log",  "log10", "log1p", "log2",
                                         "logb", "rint",  "sin",  "sinh",  "sqrt", "tan",   "tanh", "trunc"};
inline constexpr const char* kLibm2[] = {"atan2", "copysign", "fmod", "hypot", "nextafter", "pow", "remainder"};

// Other names of functions of one or two parameters.
struct Alias {
  const char* name;
  const char* of;
};
inline constexpr Alias kAliases[] = {
    {"half_cos", "cos"},       {"half_exp", "exp"},       {"half_exp2", "exp2"},       {"half_exp10", "exp10"},
    {"half_log", "log"},       {"half_log2", "log2"},     {"half_log10", "log10"},     {"half_powr", "powr"},
    {"half_rsqrt", "rsqrt"},   {"half_sin", "sin"},       {"half_sqrt", "sqrt"},       {"half_tan", "tan"},
    {"half_divide", "divide"}, {"half_recip", "recip"},   {"native_cos", "cos"},       {"native_exp", "exp"},
    {"native_exp2", "exp2"},   {"native_exp10", "exp10"}, {"native_log", "log"},       {"native_log2", "log2"},
    {"native_log10", "log10"}, {"native_powr", "powr"},   {"native_rsqrt", "rsqrt"},   {"native_sin", "sin"},
    {"native_sqrt", "sqrt"},   {"native_tan", "tan"},     {"native_divide", "divide"}, {"native_recip", "recip"},
};

inline constexpr LaneRow kLaneRows[] = {
    // Helpers of the rows below
    {"bits", 'F', "ug", "$U r; __builtin_memcpy(&r, &a, sizeof r); return r;"},
    {"from_bits", 'F', "gu", "$T r; __builtin_memcpy(&r, &a, sizeof r); return r;"},
    {"quiet_nan", 'F', "gg", "return __builtin_nan$f(\"\") + a;"},
    {"divide", 'F', "ggg", "return a / b;"},
    {"recip", 'F', "gg", "return 1 / a;"},

    // Math: what libm lacks, or has with other special cases. A float is best computed in double where that is at hand.
    {"acospi", 'f', "gg", "return (float)@acospi:double(a);"},
    {"acospi", 'd', "gg", "return __builtin_acos(a) / 0x1.921fb54442d18p1;"},
    {"asinpi", 'f', "gg", "return (float)@asinpi:double(a);"},
    {"asinpi", 'd', "gg", "return __builtin_asin(a) / 0x1.921fb54442d18p1;"},
    {"atanpi", 'f', "gg", "return (float)@atanpi:double(a);"},
    {"atanpi", 'd', "gg", "return __builtin_atan(a) / 0x1.921fb54442d18p1;"},
    {"atan2pi", 'f', "ggg", "return (float)@atan2pi:double(a, b);"},
    {"atan2pi", 'd', "ggg", "return __builtin_atan2(a, b) / 0x1.921fb54442d18p1;"},
    {"cbrt", 'f', "gg", "return __builtin_cbrtf(a);"},
    // One step of Newton's behind libm's, with the residual a - y^3 exact to a rounding; small ones are scaled by 2^300.
    {"cbrt", 'd', "gg",
     "bool t = __builtin_fabs(a) < 0x1p-900; double x = t ? a * 0x1p300 : a, y = __builtin_cbrt(x); "
     "if (!(__builtin_fabs(x) <= $max) || x == 0) return y; "
     "double s = y * y, e = __builtin_fma(y, y, -s), r = __builtin_fma(s, y, -x) + e * y; y -= r / (3 * s); "
     "return t ? y * 0x1p-100 : y;"},
    {"cospi", 'f', "gg", "return (float)@cospi:double(a);"},
    {"cospi", 'd', "gg",
     "double t = __builtin_fabs(a - 2 * __builtin_rint(a * 0.5)); "
     "return t <= 0.25 ? __builtin_cos(t * 0x1.921fb54442d18p1) : t < 0.75 ? __builtin_sin((0.5 - t) * 0x1.921fb54442d18p1) "
     ": -__builtin_cos((1 - t) * 0x1.921fb54442d18p1);"},
    {"exp10", 'f', "gg", "return (float)__builtin_exp2((double)a * 0x1.a934f0979a371p1);"},
    {"exp10", 'd', "gg", "return __builtin_pow(10.0, a);"},
    {"fdim", 'F', "ggg", "return a != a || b != b ? a + b : a > b ? a - b : 0;"},
    {"fma", 'F', "gggg", "return __builtin_fma$f(a, b, c);"},
    {"fmax", 'F', "ggg", "return b > a ? b : a == a ? a : b;"},
    {"fmin", 'F', "ggg", "return b < a ? b : a == a ? a : b;"},
    {"fract", 'f', "ggPg",
     "float w = __builtin_floorf(a); *b = w; float r = a - w; "
     "if (a == w) r = a == 0 || __builtin_fabsf(a) > $max ? __builtin_copysignf(0, a) : 0; "
     "return r >= 1 ? 0x1.fffffep-1f : r;"},
    {"fract", 'd', "ggPg",
     "double w = __builtin_floor(a); *b = w; double r = a - w; "
     "if (a == w) r = a == 0 || __builtin_fabs(a) > $max ? __builtin_copysign(0, a) : 0; "
     "return r >= 1 ? 0x1.fffffffffffffp-1 : r;"},
    {"frexp", 'F', "ggPk", "*b = 0; return __builtin_frexp$f(a, b);"},
    {"ilogb", 'F', "kg",
     "return a == 0 ? -2147483647 - 1 : !(__builtin_fabs$f(a) <= $max) ? 2147483647 : __builtin_ilogb$f(a);"},
    {"ldexp", 'F', "ggk", "return __builtin_ldexp$f(a, b);"},
    {"lgamma", 'F', "gg", "int s; return @lgamma_r(a, &s);"},
    {"lgamma_r", 'F', "ggPk", "*b = 1; return mrt_libm_lgamma$f(a, b);"},
    {"mad", 'F', "gggg", "return @fused(a, b, c);"},
    {"maxmag", 'F', "ggg", "$T x = __builtin_fabs$f(a), y = __builtin_fabs$f(b); return x > y ? a : y > x ? b : @fmax(a, b);"},
    {"minmag", 'F', "ggg", "$T x = __builtin_fabs$f(a), y = __builtin_fabs$f(b); return x < y ? a : y < x ? b : @fmin(a, b);"},
    {"modf", 'F', "ggPg", "return __builtin_modf$f(a, b);"},
    {"nan", 'f', "gu", "return @from_bits(0x7fc00000u | (a & 0x3fffffu));"},
    {"nan", 'd', "gu", "return @from_bits(0x7ff8000000000000ul | (a & 0x7fffffffffffful));"},
    {"pown", 'f', "ggk", "return (float)__builtin_pow(a, b);"},
    {"pown", 'd', "ggk", "return __builtin_pow(a, b);"},
    {"powr", 'F', "ggg",
     "bool odd = a == 0 || __builtin_fabs$f(a) > $max ? b == 0 : a == 1 && __builtin_fabs$f(b) > $max; "
     "return !(a >= 0) || b != b || odd ? @quiet_nan(0) : __builtin_pow$f(__builtin_fabs$f(a), b);"},
    // The last seven bits of the quotient: what is left of 128 b is taken apart bit by bit, without rounding.
    {"remquo", 'F', "gggPk",
     "$T x = __builtin_fabs$f(a), y = __builtin_fabs$f(b); *c = 0; "
     "if (!(x <= $max) || !(y > 0)) return a != a ? a : b != b ? b : @quiet_nan(0); "
     "int q = 0; x = __builtin_fmod$f(x, 128 * y); "
     "for (int k = 64; k > 0; k >>= 1) { $T s = ($T)k * y; if (x >= s) { x -= s; q += k; } } "
     "if (x > y - x || (x == y - x && (q & 1))) { x -= y; ++q; } "
     "q &= 127; *c = (a < 0) != (b < 0) ? -q : q; return x == 0 ? __builtin_copysign$f(0, a) : a < 0 ? -x : x;"},
    {"rootn", 'f', "ggk",
     "if (b == 0 || (a < 0 && !(b & 1))) return @quiet_nan(0); "
     "double r = __builtin_pow(__builtin_fabs((double)a), 1.0 / b); return (float)(b & 1 ? __builtin_copysign(r, (double)a) : "
     "r);"},
    // 1/b is rounded, and a power makes that large: the error of the exponent, times the logarithm, puts it right.
    {"rootn", 'd', "ggk",
     "if (b == 0 || (a < 0 && !(b & 1))) return @quiet_nan(0); "
     "double n = b, p = 1 / n, x = __builtin_fabs(a), r = __builtin_pow(x, p); "
     "if (x > 0 && x <= $max && r > 0 && r <= $max) r += r * (__builtin_fma(-n, p, 1.0) / n * __builtin_log(x)); "
     "return b & 1 ? __builtin_copysign(r, a) : r;"},
    // Written out, because the compilers vectorise trunc and not round.
    {"round", 'F', "gg",
     "$T t = __builtin_trunc$f(a); return __builtin_fabs$f(a - t) >= ($T)0.5 ? t + __builtin_copysign$f(1, a) : t;"},
    {"rsqrt", 'F', "gg", "return 1 / __builtin_sqrt$f(a);"},
    {"sincos", 'F', "ggPg", "$T s = __builtin_sin$f(a); *b = __builtin_cos$f(a); return s;"},
    {"sinpi", 'f', "gg", "return (float)@sinpi:double(a);"},
    {"sinpi", 'd', "gg",
     "double t = a - 2 * __builtin_rint(a * 0.5); if (__builtin_fabs(t) > 0.5) t = __builtin_copysign(1, t) - t; "
     "double r = __builtin_sin(t * 0x1.921fb54442d18p1); return r == 0 ? __builtin_copysign(r, a) : r;"},
    {"tanpi", 'f', "gg", "return (float)@tanpi:double(a);"},
    {"tanpi", 'd', "gg",
     "double n = __builtin_rint(a), t = a - n, h = n * 0.5; "
     "if (t == 0) return h == __builtin_rint(h) ? __builtin_copysign(0, a) : __builtin_copysign(0, -a); "
     "if (__builtin_fabs(t) <= 0.25) return __builtin_tan(t * 0x1.921fb54442d18p1); "
     "return __builtin_copysign(1 / __builtin_tan((0.5 - __builtin_fabs(t)) * 0x1.921fb54442d18p1), t);"},
    {"tgamma", 'f', "gg", "return (float)__builtin_tgamma(a);"},
    {"tgamma", 'd', "gg", "return __builtin_tgamma(a);"},

    // Common
    {"clamp", 'A', "gggg", "$T t = a < b ? b : a; return c < t ? c : t;"},
    {"max", 'A', "ggg", "return a < b ? b : a;"},
    {"min", 'A', "ggg", "return b < a ? b : a;"},
    {"degrees", 'F', "gg", "return a * ($T)57.295779513082320876798154814105;"},
    {"radians", 'F', "gg", "return a * ($T)0.017453292519943295769236907684886;"},
    {"mix", 'F', "gggg", "return @fused(b - a, c, a);"},
    {"sign", 'F', "gg", "return a > 0 ? ($T)1 : a < 0 ? ($T)-1 : a == 0 ? a : ($T)0;"},
    {"smoothstep", 'F', "gggg", "$T t = (c - a) / (b - a); t = t < 0 ? 0 : t; t = 1 < t ? 1 : t; return t * t * (3 - 2 * t);"},
    {"step", 'F', "ggg", "return b < a ? 0 : 1;"},

    // Relational, as 0 or 1
    {"isequal", 'F', "kgg", "return a == b;"},
    {"isnotequal", 'F', "kgg", "return a != b;"},
    {"isgreater", 'F', "kgg", "return a > b;"},
    {"isgreaterequal", 'F', "kgg", "return a >= b;"},
    {"isless", 'F', "kgg", "return a < b;"},
    {"islessequal", 'F', "kgg", "return a <= b;"},
    {"islessgreater", 'F', "kgg", "return (a < b) | (a > b);"},
    {"isfinite", 'F', "kg", "return __builtin_fabs$f(a) <= $max;"},
    {"isinf", 'F', "kg", "return __builtin_fabs$f(a) > $max;"},
    {"isnan", 'F', "kg", "return a != a;"},
    {"isnormal", 'F', "kg", "return (__builtin_fabs$f(a) >= $min) & (__builtin_fabs$f(a) <= $max);"},
    {"isordered", 'F', "kgg", "return (a == a) & (b == b);"},
    {"isunordered", 'F', "kgg", "return (a != a) | (b != b);"},
    {"signbit", 'F', "kg", "return ($I)@bits(a) < 0;"},
    {"bitselect", 'I', "gggg", "return ($T)((a & ~c) | (b & c));"},
    {"bitselect", 'F', "gggg", "return @from_bits((@bits(a) & ~@bits(c)) | (@bits(b) & @bits(c)));"},
    {"select", 'A', "gggi", "return c != 0 ? b : a;"},
    {"select_lane", 'A', "gggi", "return c < 0 ? b : a;"},

    // Integers
    {"abs", 'S', "ug", "return ($U)(a < 0 ? 0u - ($P)a : ($P)a);"},
    {"abs", 'U', "ug", "return a;"},
    {"abs_diff", 'I', "ugg", "return ($U)(a < b ? ($P)b - ($P)a : ($P)a - ($P)b);"},
    {"add_sat", 's', "ggg", "$W r = ($W)(($W)a + b); return ($T)(r > $max ? $max : r < $min ? $min : r);"},
    {"add_sat", 'l', "ggg", "long r; return __builtin_add_overflow(a, b, &r) ? (a < 0 ? $min : $max) : r;"},
    {"add_sat", 'U', "ggg", "$T r = ($T)(a + b); return r < a ? $max : r;"},
    {"sub_sat", 's', "ggg", "$W r = ($W)(($W)a - b); return ($T)(r > $max ? $max : r < $min ? $min : r);"},
    {"sub_sat", 'l', "ggg", "long r; return __builtin_sub_overflow(a, b, &r) ? (a < 0 ? $min : $max) : r;"},
    {"sub_sat", 'U', "ggg", "return ($T)(a < b ? 0 : a - b);"},
    {"clz", 'l', "gg", "return a == 0 ? 64 : __builtin_clzl(($U)a);"},
    {"clz", 'm', "gg", "return a == 0 ? 64 : (unsigned long)__builtin_clzl(a);"},
    {"clz", 'I', "gg", "return ($T)(a == 0 ? $b : __builtin_clz(($U)a) - (32 - $b));"},
    {"hadd", 'I', "ggg", "return ($T)((a >> 1) + (b >> 1) + (a & b & 1));"},
    {"rhadd", 'I', "ggg", "return ($T)((a >> 1) + (b >> 1) + ((a | b) & 1));"},
    {"mad24", 'I', "gggg", "return ($T)(($P)a * ($P)b + ($P)c);"},
    {"mul24", 'I', "ggg", "return ($T)(($P)a * ($P)b);"},
    {"mul_hi", 'I', "ggg", "return ($T)((($W)a * b) >> $b);"},
    {"mad_hi", 'I', "gggg", "return ($T)(($P)@mul_hi(a, b) + ($P)c);"},
    {"mad_sat", 'S', "gggg", "$W r = ($W)(($W)a * b + c); return ($T)(r > $max ? $max : r < $min ? $min : r);"},
    {"mad_sat", 'U', "gggg", "$W r = ($W)(($W)a * b + c); return ($T)(r > $max ? $max : r);"},
    {"popcount", 'l', "gg", "return __builtin_popcountl(($U)a);"},
    {"popcount", 'm', "gg", "return (unsigned long)__builtin_popcountl(a);"},
    {"popcount", 'I', "gg", "return ($T)__builtin_popcount(($U)a);"},
    {"rotate", 'I', "ggg", "$P x = ($U)a, n = ($P)b & $m; return ($T)(($U)(x << n) | ($U)(x >> (($b - n) & $m)));"},
    {"upsample", 'I', "wgu", "return ($W)(($V)(($V)($U)a << $b) | b);"},
};

}  // namespace manyrt::compiler
