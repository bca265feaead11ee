// Floating point: functions of the standard on scalars and vectors, double, and what only C has (precedence, promotions).
__kernel void functions(__global const float *in, __global float *out) {
  int g = get_global_id(0), at = 0;
  float x = in[g], y = fabs(x) + 0.5f;
  __global float *r = out + g * 48;
  r[at++] = sin(x);
  r[at++] = cos(x);
  r[at++] = tan(x * 0.1f);
  r[at++] = exp(x);
  r[at++] = exp2(x);
  r[at++] = log(y);
  r[at++] = log2(y);
  r[at++] = log10(y);
  r[at++] = sqrt(y);
  r[at++] = rsqrt(y);
  r[at++] = cbrt(x);
  r[at++] = pow(y, 1.7f);
  r[at++] = pown(x, 3);
  r[at++] = rootn(y, 4);
  r[at++] = powr(y, -0.5f);
  r[at++] = hypot(x, y);
  r[at++] = atan(x);
  r[at++] = atan2(x, y);
  r[at++] = asin(x * 0.1f);
  r[at++] = acos(x * 0.1f);
  r[at++] = sinh(x * 0.2f);
  r[at++] = tanh(x);
  r[at++] = floor(x);
  r[at++] = ceil(x);
  r[at++] = trunc(x);
  r[at++] = rint(x);
  r[at++] = round(x);
  r[at++] = fmod(x, 0.7f);
  r[at++] = fma(x, y, 1.0f);
  r[at++] = mad(x, y, 1.0f);
  r[at++] = fmin(x, y) + fmax(x, 0.0f) + fdim(x, y);
  r[at++] = copysign(y, x) + sign(x);
  r[at++] = mix(x, y, 0.25f) + step(0.0f, x) + smoothstep(-1.0f, 1.0f, x);
  r[at++] = clamp(x, -1.0f, 1.0f) + degrees(x) + radians(x);
  r[at++] = ldexp(x, 3) + (float)ilogb(y) + logb(y);
  r[at++] = sinpi(x * 0.25f) + erf(x) + expm1(x * 0.1f) + log1p(y);
  float whole;
  r[at++] = fract(y, &whole) + whole * 2.0f;
  r[at++] = modf(x, &whole) - whole;
  float cosine, sine = sincos(x, &cosine);
  r[at++] = sine * 2.0f + cosine;
  int exponent;
  r[at++] = frexp(y, &exponent) + (float)exponent;
  r[at++] = native_sqrt(y) + half_recip(y) + native_exp(x * 0.1f);
  r[at++] = (float)(isfinite(x) + isinf(x / 0.0f) + signbit(x) + (nextafter(x, 100.0f) > x));
}

__kernel void geometry(__global const float *in, __global float *out) {
  int g = get_global_id(0);
  float4 a = vload4(g * 2, in), b = vload4(g * 2 + 1, in);
  __global float *r = out + g * 32;
  vstore4(cross(a, b), 0, r);
  vstore3(cross(a.xyz, b.xyz), 0, r + 4);
  r[7] = dot(a, b);
  r[8] = length(a.xyz) + fast_length(b);
  r[9] = distance(a, b);
  vstore4(normalize(a), 0, r + 10);
  vstore2(fast_normalize(b.xy), 0, r + 14);
  vstore4(fma(a, b, (float4)(1.0f)), 4, r);
  vstore4(fmax(a, 0.0f) + fabs(b) * 2.0f, 5, r);
  vstore4(a / (fabs(b) + 1.0f) - floor(a), 6, r);
  vstore4(mix(a, b, 0.5f) * sqrt(fabs(a)), 7, r);
}

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__constant double weights[3] = {0.1, 0.2, 0.3};
typedef struct {
  float f;
  double d;
} Two;

__kernel void doubles(__global const double *in, __global double *out, double by, Two two) {
  int g = get_global_id(0), at = 0;
  double x = in[g];
  __global double *r = out + g * 16;
  r[at++] = x * by + weights[g % 3];
  r[at++] = sin(x) * exp(x) + pow(fabs(x), 0.3);
  double2 v = (double2)(x, by);
  v = v.yx * 2.0 + sqrt(fabs(v));
  r[at++] = v.x;
  r[at++] = v.y;
  r[at++] = x / 3 + 1 / 3.0;
  r[at++] = (double)(float)x + 0.1f;
  r[at++] = convert_double(convert_int_rte(x * 100)) + convert_float(by);
  r[at++] = two.d + two.f + sizeof(two);
  r[at++] = as_double(as_long(x) ^ (1l << 63));
  r[at++] = x > by ? x : by;
  r[at++] = fma(x, x, -x * x) + 1e300 / 1e290;
  double4 w = convert_double4((float4)(1, 2, 3, (float)x));
  r[at++] = dot(w, w) + length(w.xy);
  r[at++] = (w > 2.0).z + (x == x);
  r[at++] = floor(x) + 5 % 3 + 7 / 2 + 7 / 2.0;
}
#endif
