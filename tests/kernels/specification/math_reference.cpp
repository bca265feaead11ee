// The math functions of OpenCL C 1.2 by MPFR, as a library that math_part.py loads. They give the right result, and how far a
// device's result is from it, in units in the last place (section 7.4 of the specification). The edge cases are those of C99's
// F.9, which MPFR keeps, and of section 7.5.1 where that says otherwise. It knows neither the runtime nor its functions.
#include <mpfr.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace {

// The operands of one call, and what rounds to an element of the type.
struct Call {
  double a, b, c, got;
  bool single;
  mpfr_t x, y, z, t;
};

struct Type {
  int digits, least, most;  // bits of the significand; the exponents of the least unit and of what is beyond the largest
};
constexpr Type kSingle{24, -149, 128};
constexpr Type kDouble{53, -1074, 1024};

double rounded(const mpfr_t value, bool single) {
  return single ? static_cast<double>(mpfr_get_flt(value, MPFR_RNDN)) : mpfr_get_d(value, MPFR_RNDN);
}

bool isWhole(double x) { return x == std::floor(x); }

using Compute = void (*)(mpfr_t result, Call& call);

enum Rule : unsigned {
  kNone = 0,
  kExact = 1,    // the result, or what it is rounded from, needs all bits that the operands can give it
  kAnyZero = 2,  // the sign of a zero is free
  kEitherLimit =
      4,  // two results are allowed where `result` is the least int: that, and the largest int or one above the least
};

struct Function {
  const char* name;
  Compute compute;
  unsigned rules;
};

template <int (*F)(mpfr_t, const mpfr_t, mpfr_rnd_t)>
void unary(mpfr_t r, Call& call) {
  F(r, call.x, MPFR_RNDN);
}

template <int (*F)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t)>
void binary(mpfr_t r, Call& call) {
  F(r, call.x, call.y, MPFR_RNDN);
}

template <int (*F)(mpfr_t, const mpfr_t)>
void whole(mpfr_t r, Call& call) {
  F(r, call.x);
}

void fromDouble(mpfr_t r, double value) { mpfr_set_d(r, value, MPFR_RNDN); }

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMinInt = -2147483648.0, kMaxInt = 2147483647.0;

// The part of x that is left over a whole number: the type's largest number below one is the most.
void fract(mpfr_t r, Call& call) {
  if (std::isinf(call.a)) return fromDouble(r, std::copysign(0.0, call.a));
  if (call.a == 0) return fromDouble(r, call.a);
  mpfr_frac(r, call.x, MPFR_RNDN);
  if (mpfr_sgn(r) < 0) mpfr_add_si(r, r, 1, MPFR_RNDN);
  if (mpfr_zero_p(r)) return fromDouble(r, 0.0);
  if (mpfr_nan_p(r) == 0 && rounded(r, call.single) >= 1) fromDouble(r, call.single ? 0x1.fffffep-1 : 0x1.fffffffffffffp-1);
}

void frexpFraction(mpfr_t r, Call& call) {
  int exponent;
  fromDouble(r, std::frexp(call.a, &exponent));
}

void frexpExponent(mpfr_t r, Call& call) {
  int exponent = 0;
  if (std::isfinite(call.a)) (void)std::frexp(call.a, &exponent);
  fromDouble(r, exponent);
}

void ilogb(mpfr_t r, Call& call) {
  const bool finite = std::isfinite(call.a) && call.a != 0;
  fromDouble(r, finite ? std::ilogb(call.a) : std::isinf(call.a) ? kMaxInt : kMinInt);
}

void lgammaValue(mpfr_t r, Call& call) {
  int sign;
  mpfr_lgamma(r, &sign, call.x, MPFR_RNDN);
}

void lgammaSign(mpfr_t r, Call& call) {
  if (!std::isfinite(call.a)) return fromDouble(r, call.got);  // nothing is said of it
  int sign = 1;
  mpfr_lgamma(r, &sign, call.x, MPFR_RNDN);
  if (call.a <= 0 && isWhole(call.a)) sign = 0;
  fromDouble(r, sign);
}

// Beyond these the result is infinite, or zero, in any type; MPFR would compute it.
void tgamma(mpfr_t r, Call& call) {
  if (call.a > 1000 && std::isfinite(call.a)) return (void)mpfr_set_si_2exp(r, 1, 5000, MPFR_RNDN);
  if (call.a < -1000 && !isWhole(call.a)) {
    return (void)mpfr_set_si_2exp(r, std::fmod(std::floor(call.a), 2) == 0 ? 1 : -1, -5000, MPFR_RNDN);
  }
  mpfr_gamma(r, call.x, MPFR_RNDN);
}

void ldexpValue(mpfr_t r, Call& call) { mpfr_mul_2si(r, call.x, static_cast<long>(call.b), MPFR_RNDN); }

// As OpenCL has them, and not C's library: a signalling NaN is a NaN.
double larger(double x, double y) { return std::isnan(x) ? y : std::isnan(y) || x > y ? x : y; }
double smaller(double x, double y) { return std::isnan(x) ? y : std::isnan(y) || x < y ? x : y; }

void maxmag(mpfr_t r, Call& call) {
  const double x = std::fabs(call.a), y = std::fabs(call.b);
  fromDouble(r, x > y ? call.a : y > x ? call.b : larger(call.a, call.b));
}

void minmag(mpfr_t r, Call& call) {
  const double x = std::fabs(call.a), y = std::fabs(call.b);
  fromDouble(r, x < y ? call.a : y < x ? call.b : smaller(call.a, call.b));
}

void modfFraction(mpfr_t r, Call& call) {
  double part;
  fromDouble(r, std::modf(call.a, &part));
}

void modfWhole(mpfr_t r, Call& call) {
  double part;
  (void)std::modf(call.a, &part);
  fromDouble(r, part);
}

void nextafter(mpfr_t r, Call& call) {
  fromDouble(
      r, call.single ? std::nextafter(static_cast<float>(call.a), static_cast<float>(call.b)) : std::nextafter(call.a, call.b));
}

// MPFR has IEEE 754's powr, where one to the power of a NaN is one.
void powr(mpfr_t r, Call& call) {
  if (std::isnan(call.b)) return mpfr_set_nan(r);
  mpfr_powr(r, call.x, call.y, MPFR_RNDN);
}

void pown(mpfr_t r, Call& call) { mpfr_pow_si(r, call.x, static_cast<long>(call.b), MPFR_RNDN); }
void rootn(mpfr_t r, Call& call) { mpfr_rootn_si(r, call.x, static_cast<long>(call.b), MPFR_RNDN); }

void remquoBits(mpfr_t r, Call& call) {
  long quotient = 0;
  const bool none = std::isnan(call.a) || std::isnan(call.b) || std::isinf(call.a) || call.b == 0;
  if (!none) mpfr_remquo(r, &quotient, call.x, call.y, MPFR_RNDN);
  fromDouble(r, static_cast<double>(quotient < 0 ? -(-quotient & 127) : quotient & 127));
}

void rsqrt(mpfr_t r, Call& call) {
  mpfr_rec_sqrt(r, call.x, MPFR_RNDN);
  if (call.a == 0) fromDouble(r, std::copysign(kInfinity, call.a));
}

void cospi(mpfr_t r, Call& call) {
  mpfr_cospi(r, call.x, MPFR_RNDN);
  if (mpfr_zero_p(r)) fromDouble(r, 0.0);
}

void fma(mpfr_t r, Call& call) { mpfr_fma(r, call.x, call.y, call.z, MPFR_RNDN); }
void notANumber(mpfr_t r, Call&) { mpfr_set_nan(r); }
void reciprocal(mpfr_t r, Call& call) { mpfr_ui_div(r, 1, call.x, MPFR_RNDN); }
void maximum(mpfr_t r, Call& call) { fromDouble(r, larger(call.a, call.b)); }
void minimum(mpfr_t r, Call& call) { fromDouble(r, smaller(call.a, call.b)); }
void same(mpfr_t r, Call& call) { fromDouble(r, std::fabs(call.a)); }
void copysign(mpfr_t r, Call& call) { fromDouble(r, std::copysign(call.a, call.b)); }
void logb(mpfr_t r, Call& call) { fromDouble(r, std::logb(call.a)); }
void floorWhole(mpfr_t r, Call& call) { fromDouble(r, std::floor(call.a)); }
void degrees(mpfr_t r, Call& call) {
  mpfr_const_pi(call.t, MPFR_RNDN);
  mpfr_mul_ui(r, call.x, 180, MPFR_RNDN);
  mpfr_div(r, r, call.t, MPFR_RNDN);
}
void radians(mpfr_t r, Call& call) {
  mpfr_const_pi(call.t, MPFR_RNDN);
  mpfr_div_ui(call.t, call.t, 180, MPFR_RNDN);
  mpfr_mul(r, call.x, call.t, MPFR_RNDN);
}

constexpr Function kFunctions[] = {
    {"acos", unary<mpfr_acos>, kNone},
    {"acosh", unary<mpfr_acosh>, kNone},
    {"acospi", unary<mpfr_acospi>, kNone},
    {"asin", unary<mpfr_asin>, kNone},
    {"asinh", unary<mpfr_asinh>, kNone},
    {"asinpi", unary<mpfr_asinpi>, kNone},
    {"atan", unary<mpfr_atan>, kNone},
    {"atan2", binary<mpfr_atan2>, kNone},
    {"atanh", unary<mpfr_atanh>, kNone},
    {"atanpi", unary<mpfr_atanpi>, kNone},
    {"atan2pi", binary<mpfr_atan2pi>, kNone},
    {"cbrt", unary<mpfr_cbrt>, kNone},
    {"ceil", whole<mpfr_ceil>, kExact},
    {"copysign", copysign, kExact},
    {"cos", unary<mpfr_cos>, kNone},
    {"cosh", unary<mpfr_cosh>, kNone},
    {"cospi", cospi, kNone},
    {"erf", unary<mpfr_erf>, kNone},
    {"erfc", unary<mpfr_erfc>, kNone},
    {"exp", unary<mpfr_exp>, kNone},
    {"exp2", unary<mpfr_exp2>, kNone},
    {"exp10", unary<mpfr_exp10>, kNone},
    {"expm1", unary<mpfr_expm1>, kNone},
    {"fabs", same, kExact},
    {"fdim", binary<mpfr_dim>, kExact},
    {"floor", whole<mpfr_floor>, kExact},
    {"fma", fma, kExact},
    {"fmax", maximum, kExact | kAnyZero},
    {"fmin", minimum, kExact | kAnyZero},
    {"fmod", binary<mpfr_fmod>, kNone},
    {"fract", fract, kExact},
    {"fract.whole", floorWhole, kExact},
    {"frexp", frexpFraction, kNone},
    {"frexp.exponent", frexpExponent, kNone},
    {"hypot", binary<mpfr_hypot>, kNone},
    {"ilogb", ilogb, kEitherLimit},
    {"ldexp", ldexpValue, kNone},
    {"lgamma", lgammaValue, kNone},
    {"lgamma_r", lgammaValue, kNone},
    {"lgamma_r.sign", lgammaSign, kNone},
    {"log", unary<mpfr_log>, kNone},
    {"log2", unary<mpfr_log2>, kNone},
    {"log10", unary<mpfr_log10>, kNone},
    {"log1p", unary<mpfr_log1p>, kNone},
    {"logb", logb, kNone},
    {"mad", fma, kExact},
    {"maxmag", maxmag, kAnyZero},
    {"minmag", minmag, kAnyZero},
    {"modf", modfFraction, kNone},
    {"modf.whole", modfWhole, kNone},
    {"nan", notANumber, kNone},
    {"nextafter", nextafter, kNone},
    {"pow", binary<mpfr_pow>, kNone},
    {"pown", pown, kNone},
    {"powr", powr, kNone},
    {"remainder", binary<mpfr_remainder>, kNone},
    {"remquo", binary<mpfr_remainder>, kNone},
    {"remquo.quotient", remquoBits, kNone},
    {"rint", whole<mpfr_roundeven>, kExact},
    {"rootn", rootn, kNone},
    {"round", whole<mpfr_round>, kExact},
    {"rsqrt", rsqrt, kNone},
    {"sin", unary<mpfr_sin>, kNone},
    {"sincos", unary<mpfr_sin>, kNone},
    {"sincos.cosine", unary<mpfr_cos>, kNone},
    {"sinh", unary<mpfr_sinh>, kNone},
    {"sinpi", unary<mpfr_sinpi>, kNone},
    {"sqrt", unary<mpfr_sqrt>, kNone},
    {"tan", unary<mpfr_tan>, kNone},
    {"tanh", unary<mpfr_tanh>, kNone},
    {"tanpi", unary<mpfr_tanpi>, kNone},
    {"tgamma", tgamma, kNone},
    {"trunc", whole<mpfr_trunc>, kExact},
    {"divide", binary<mpfr_div>, kNone},
    {"recip", reciprocal, kNone},
    {"x + y", binary<mpfr_add>, kExact},
    {"x - y", binary<mpfr_sub>, kExact},
    {"x * y", binary<mpfr_mul>, kExact},
    {"x / y", binary<mpfr_div>, kNone},
    {"1 / x", reciprocal, kNone},
    {"degrees", degrees, kNone},
    {"radians", radians, kNone},
};

const Function* find(const char* name) {
  for (const Function& function : kFunctions) {
    if (std::strcmp(function.name, name) == 0) return &function;
  }
  return nullptr;
}

// Where a number is wanted and another kind of value came, or the other way round.
constexpr double kWrongKind = kInfinity;

// An infinity that came counts as the power of two beyond the largest number, as a rounding of the exact result would take it.
double errorOf(const mpfr_t result, double got, const Function& function, const Type& type, mpfr_t scratch) {
  if (mpfr_nan_p(result) != 0) return std::isnan(got) ? 0 : kWrongKind;
  if (std::isnan(got)) return kWrongKind;
  if ((function.rules & kEitherLimit) != 0 && mpfr_get_d(result, MPFR_RNDN) == kMinInt) {
    return got == kMinInt || got == kMinInt + 1 || got == kMaxInt ? 0 : kWrongKind;
  }
  if (mpfr_inf_p(result) != 0) return got == mpfr_get_d(result, MPFR_RNDN) ? 0 : kWrongKind;
  const bool exact_zero = mpfr_zero_p(result) != 0 && mpfr_underflow_p() == 0;
  if (exact_zero && got == 0) {
    const bool same_sign = std::signbit(got) == (mpfr_signbit(result) != 0);
    return same_sign || (function.rules & kAnyZero) != 0 ? 0 : kWrongKind;
  }
  if (exact_zero) return kWrongKind;
  if (std::isinf(got)) {
    mpfr_set_si_2exp(scratch, got > 0 ? 1 : -1, type.most, MPFR_RNDN);
  } else {
    mpfr_set_d(scratch, got, MPFR_RNDN);
  }
  long unit = type.least;
  if (mpfr_zero_p(result) == 0) {
    long exponent = mpfr_get_exp(result);
    if (mpfr_min_prec(result) == 1) --exponent;  // a power of two: the numbers nearest to it are below
    if (exponent > type.most) exponent = type.most;
    if (exponent - type.digits > unit) unit = exponent - type.digits;
  }
  mpfr_sub(scratch, scratch, result, MPFR_RNDN);
  mpfr_div_2si(scratch, scratch, unit, MPFR_RNDN);
  return std::fabs(mpfr_get_d(scratch, MPFR_RNDN));
}

}  // namespace

// For n calls: the error of each result, infinite where it is of the wrong kind (NaN, infinity, zero, sign of a zero); and the
// wanted result, rounded. Values are given as double, which holds a float and an int. Answers 0, or -1 for an unknown name.
extern "C" __attribute__((visibility("default"))) int math_errors(const char* name, int single, long n, const double* a,
                                                                  const double* b, const double* c, const double* got,
                                                                  double* error, double* want) {
  const Function* const function = find(name);
  if (function == nullptr) return -1;
  const Type& type = single != 0 ? kSingle : kDouble;
  const bool exact = (function->rules & kExact) != 0;
  const mpfr_prec_t precision = single != 0 ? (exact ? 700 : 110) : (exact ? 4400 : 170);
  Call call{0, 0, 0, 0, single != 0, {}, {}, {}, {}};
  mpfr_t result, scratch;
  mpfr_inits2(53, call.x, call.y, call.z, nullptr);
  mpfr_inits2(precision, result, scratch, call.t, nullptr);
  for (long i = 0; i < n; ++i) {
    call.a = a[i];
    call.b = b != nullptr ? b[i] : 0;
    call.c = c != nullptr ? c[i] : 0;
    call.got = got[i];
    mpfr_set_d(call.x, call.a, MPFR_RNDN);
    mpfr_set_d(call.y, call.b, MPFR_RNDN);
    mpfr_set_d(call.z, call.c, MPFR_RNDN);
    mpfr_clear_flags();
    function->compute(result, call);
    if (mpfr_number_p(result) != 0 && mpfr_zero_p(result) == 0 && mpfr_get_exp(result) > type.most) {
      mpfr_set_si_2exp(result, mpfr_sgn(result), type.most, MPFR_RNDN);  // how far beyond does not count
    }
    want[i] = rounded(result, single != 0);
    error[i] = errorOf(result, got[i], *function, type, scratch);
  }
  mpfr_clears(call.x, call.y, call.z, call.t, result, scratch, nullptr);
  mpfr_free_cache();
  return 0;
}
