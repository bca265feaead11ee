// Built-in functions of one lane that CUDA does otherwise than the CPU: rows of the same form as in prelude_table.h, found
// before those. On a GPU double is slow, so that a float stays one; native_ functions are the approximate instructions. Those
// of half_ functions alone that keep within 8192 units in the last place over the whole range are approximate too.
#pragma once

#include "compiler/builtins/prelude_table.h"

namespace manyrt::compiler {

inline constexpr LaneRow kCudaRows[] = {
    {"quiet_nan", 'f', "gg", "return __builtin_bit_cast(float, 0x7fc00000u) + a;"},
    {"quiet_nan", 'd', "gg", "return __builtin_bit_cast(double, 0x7ff8000000000000ul) + a;"},

    {"acospi", 'f', "gg", "return acosf(a) * 0x1.45f306p-2f;"},
    {"asinpi", 'f', "gg", "return asinf(a) * 0x1.45f306p-2f;"},
    {"atanpi", 'f', "gg", "return atanf(a) * 0x1.45f306p-2f;"},
    {"atan2pi", 'f', "ggg", "return atan2f(a, b) * 0x1.45f306p-2f;"},
    {"cbrt", 'd', "gg", "return cbrt(a);"},
    {"cospi", 'F', "gg", "return cospi$f(a);"},
    {"exp10", 'F', "gg", "return exp10$f(a);"},
    {"fmax", 'F', "ggg", "return fmax$f(a, b);"},
    {"fmin", 'F', "ggg", "return fmin$f(a, b);"},
    // The sign of the gamma function: negative between -1 and 0, -3 and -2, and so on.
    {"lgamma_r", 'F', "ggPk",
     "$T w = floor$f(a); *b = (a < 0 && w != a && floor$f(w * ($T)0.5) * 2 != w) || (a == 0 && ($I)@bits(a) < 0) ? -1 : 1; "
     "return lgamma$f(a);"},
    {"mad", 'F', "gggg", "return fma$f(a, b, c);"},
    // Up to 2^24 the exponent is exact as a float.
    {"pown", 'f', "ggk", "return b >= -16777216 && b <= 16777216 ? powf(a, (float)b) : (float)pow((double)a, (double)b);"},
    // 1/b is rounded, and a power makes that large: the error of the exponent, times the logarithm, puts it right.
    {"rootn", 'f', "ggk",
     "if (b == 0 || (a < 0 && !(b & 1))) return @quiet_nan(0); "
     "float n = (float)b, p = 1 / n, x = fabsf(a), r = powf(x, p); "
     "if (x > 0 && x <= $max && r > 0 && r <= $max) r += r * (fmaf(-n, p, 1.0f) / n * logf(x)); "
     "return b & 1 ? copysignf(r, a) : r;"},
    {"round", 'F', "gg", "return round$f(a);"},
    {"rsqrt", 'F', "gg", "return rsqrt$f(a);"},
    {"sincos", 'F', "ggPg", "$T s, c; sincos$f(a, &s, &c); *b = c; return s;"},
    {"sinpi", 'F', "gg", "return sinpi$f(a);"},
    {"tanpi", 'f', "gg", "return sinpif(a) / cospif(a);"},
    {"tgamma", 'f', "gg", "return tgammaf(a);"},

    {"native_cos", 'f', "gg", "return __cosf(a);"},
    {"native_divide", 'f', "ggg", "return __fdividef(a, b);"},
    {"native_exp", 'f', "gg", "return __expf(a);"},
    {"native_exp10", 'f', "gg", "return __exp10f(a);"},
    {"native_log", 'f', "gg", "return __logf(a);"},
    {"native_log2", 'f', "gg", "return __log2f(a);"},
    {"native_log10", 'f', "gg", "return __log10f(a);"},
    {"native_powr", 'f', "ggg", "return __powf(a, b);"},
    {"native_recip", 'f', "gg", "return __fdividef(1.0f, a);"},
    {"native_sin", 'f', "gg", "return __sinf(a);"},
    {"native_tan", 'f', "gg", "return __tanf(a);"},
    {"half_exp", 'f', "gg", "return __expf(a);"},
    {"half_exp10", 'f', "gg", "return __exp10f(a);"},

    {"mul_hi", 'l', "ggg", "return __mul64hi(a, b);"},
    {"mul_hi", 'm', "ggg", "return __umul64hi(a, b);"},
};

}  // namespace manyrt::compiler
