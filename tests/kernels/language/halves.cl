// Halves as numbers (cl_khr_fp16). language_half_test.cpp has what each kernel computes.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifndef cl_khr_fp16
#error "cl_khr_fp16 is not defined"
#endif

__kernel void operators(__global const half *a, __global const half *b, __global const half *c, __global half *out) {
  const size_t i = get_global_id(0), n = get_global_size(0);
  const half x = a[i], y = b[i], z = c[i];
  out[i] = x + y;
  out[n + i] = x - y;
  out[2 * n + i] = x * y;
  out[3 * n + i] = x / y;
  out[4 * n + i] = -x;
  out[5 * n + i] = fma(x, y, z);
  out[6 * n + i] = x * y + z;  // each is rounded, in one expression too
  out[7 * n + i] = sqrt(fabs(x));
  out[8 * n + i] = fmod(x, y);
  out[9 * n + i] = nextafter(x, y);
  half step = x;
  const half before = step++, after = --step;
  out[10 * n + i] = before - after;
  half sum = x;
  sum += y;
  sum *= z;
  out[11 * n + i] = sum;
}

// The same operators in vectors.
__kernel void vectors(__global const half *a, __global const half *b, __global const half *c, __global half *out) {
  const size_t i = get_global_id(0), n = 4 * get_global_size(0);
  const half4 x = vload4(i, a), y = vload4(i, b), z = vload4(i, c);
  vstore4(x + y, i, out);
  vstore4(x - y, i, out + n);
  vstore4(x * y, i, out + 2 * n);
  vstore4(x / y, i, out + 3 * n);
  vstore4(-x, i, out + 4 * n);
  vstore4(fma(x, y, z), i, out + 5 * n);
  vstore4(x * y + z, i, out + 6 * n);
  vstore4(sqrt(fabs(x)), i, out + 7 * n);
  vstore4(fmod(x, y), i, out + 8 * n);
  vstore4(nextafter(x, y), i, out + 9 * n);
  half4 step = x;
  step.xw = 0;
  step.yz += 1;
  step.x = x.x;
  step.w = x.w;
  vstore4((half4)(x.x, step.y, step.z, x.w), i, out + 10 * n);
  half4 sum = x;
  sum += y;
  sum *= z;
  vstore4(sum, i, out + 11 * n);
}

__kernel void comparisons(__global const half *a, __global const half *b, __global int *out) {
  const size_t i = get_global_id(0);
  const half x = a[i], y = b[i];
  const half2 v = (half2)(x, y), w = (half2)(y, x);
  int bits = (x < y) | (x > y) << 1 | (x <= y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5;
  bits |= isless(x, y) << 6 | isnan(x) << 7 | isinf(x) << 8 | isnormal(x) << 9 | signbit(x) << 10 | isfinite(x) << 11;
  bits |= isunordered(x, y) << 12 | (x && y) << 13 | (x || y) << 14 | !x << 15;
  if (x) bits |= 1 << 16;
  const short2 less = v < w, same = v == w, both = v && w, none = !v, number = isequal(v, v);
  bits |= (less.x & 1) << 17 | (less.y & 1) << 18 | (same.x & 1) << 19 | (both.y & 1) << 20 | (none.x & 1) << 21;
  bits |= (number.x & 1) << 22;
  const half2 chosen = less ? v : w;
  bits |= (as_ushort(chosen.x) == as_ushort(x)) << 23;
  out[i] = bits;
}

#define CONVERT(TYPE, NUMBER)                                  \
  at[0] = as_ushort(convert_half((TYPE)(NUMBER)));             \
  at[1] = as_ushort(convert_half_rtz((TYPE)(NUMBER)));         \
  at[2] = as_ushort(convert_half_rtp((TYPE)(NUMBER)));         \
  at[3] = as_ushort(convert_half_rtn((TYPE)(NUMBER)));         \
  at[4] = as_ushort((half)(TYPE)(NUMBER));                     \
  at[5] = as_ushort(convert_half2((TYPE##2)((NUMBER), 0)).x);  \
  at += 6;

__kernel void to_halves(__global const float *f, __global const long *l, __global int *out) {
  const size_t i = get_global_id(0);
  __global int *at = out + 30 * i;
  CONVERT(float, f[i])
  CONVERT(int, l[i])
  CONVERT(ushort, l[i])
  CONVERT(long, l[i])
  CONVERT(ulong, l[i])
}

__kernel void from_halves(__global const half *a, __global int *out) {
  const size_t i = get_global_id(0);
  const half x = a[i];
  out += 10 * i;
  out[0] = convert_int_sat_rte(x);
  out[1] = convert_int_sat_rtz(x);
  out[2] = convert_int_sat_rtp(x);
  out[3] = convert_int_sat_rtn(x);
  out[4] = convert_uchar_sat(x);
  out[5] = convert_short4_sat_rte((half4)(x, 0, 1, 2)).x;
  out[6] = as_int(convert_float(x));
  out[7] = as_int((float)x);
  out[8] = as_ushort(convert_half(x));
  out[9] = as_int(convert_float2_rtz((half2)(x, x)).y);
}

// One function for each number; the results of those with several are summed up in float by the test too.
__kernel void functions(__global const half *a, __global float *out) {
  const size_t i = get_global_id(0);
  const half x = a[i];
  half whole, cosine;
  int power, sign_of_gamma;
  __global float *at = out + 40 * i;
  at[0] = sin(x);
  at[1] = cos(x);
  at[2] = tan(x);
  at[3] = exp(x);
  at[4] = exp2(x);
  at[5] = log(fabs(x));
  at[6] = log2(fabs(x));
  at[7] = rsqrt(fabs(x));
  at[8] = atan(x);
  at[9] = tanh(x);
  at[10] = floor(x);
  at[11] = ceil(x);
  at[12] = trunc(x);
  at[13] = rint(x);
  at[14] = round(x);
  at[15] = fract(x, &whole);
  at[16] = whole;
  at[17] = modf(x, &whole);
  at[18] = whole;
  at[19] = frexp(x, &power);
  at[20] = power;
  at[21] = sincos(x, &cosine);
  at[22] = cosine;
  at[23] = ldexp(x, 3);
  at[24] = pown(x, 2);
  at[25] = cbrt(x);
  at[26] = ilogb(x);
  at[27] = erf(x);
  at[28] = fmax(x, 1.5h);
  at[29] = clamp(x, -2.0h, 2.0h);
  at[30] = radians(x);
  at[31] = sign(x);
  at[32] = step(0.5h, x);
  at[33] = mix(1.0h, x, 0.25h);
  at[34] = copysign(2.0h, x);
  at[35] = fdim(x, 1.0h);
  at[36] = lgamma_r(fabs(x), &sign_of_gamma);
  at[37] = hypot(x, 3.0h);
  at[38] = sinpi(x);
  at[39] = max(x, 0.25h);
}

__kernel void geometry(__global const half *a, __global float *out) {
  const half3 u = vload3(0, a), v = vload3(1, a);
  out[0] = dot(u, v);
  out[1] = length(u);
  out[2] = distance(u, v);
  const half3 n = normalize(u), c = cross(u, v);
  out[3] = n.x;
  out[4] = n.y;
  out[5] = n.z;
  out[6] = c.x;
  out[7] = c.y;
  out[8] = c.z;
  out[9] = length((half2)(60000.0h, 1.0h));  // whose square no half holds
}

// Bits that move without being computed with.
typedef struct {
  half one;
  half4 four;
  char after;
} Record;
typedef struct __attribute__((packed)) {
  char before;
  half one;
  half2 two;
} Packed;
__constant half table[] = {1.5h, -2, 0.25f, HALF_MAX, -HALF_EPSILON, 1.0h / 3};

half helper(half value, half4 lanes, volatile half *kept) {
  *kept = value;
  return lanes.w + *kept;
}

__kernel void moves(__global const half *a, __global half *out, half value, half4 lanes, __local half *near) {
  const size_t i = get_local_id(0);
  near[i] = a[i];
  __local half shared[16];
  shared[i] = near[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  const half other = near[get_local_size(0) - 1 - i], same = shared[i];
  half array[3] = {other, [2] = 1};
  array[1] = array[0] + array[2];
  Record record = {value, lanes, 1};
  record.four.x = record.one;
  Packed packed = {1, value, (half2)(value, 2)};
  packed.one += 1;
  packed.two.y *= 2;
  half kept;
  const half8 eight = shuffle2(lanes, record.four, (ushort8)(0, 4, 1, 5, 2, 6, 3, 7));
  const half chosen = select(value, other, (short)(i & 1));
  const half2 lane = select((half2)(1, 2), (half2)(3, 4), (short2)(-1, 0));
  const half mixed = bitselect(value, (half)-0.0f, as_half((ushort)0x8000));
  const half2 halves = as_half2(as_int((half2)(value, other)));
  __global half *at = out + 24 * i;
  at[0] = same;
  at[1] = array[1];
  at[2] = record.four.x;
  at[3] = packed.one;
  at[4] = packed.two.y;
  at[5] = helper(value, lanes, &kept);
  at[6] = kept;
  at[7] = eight.s1;
  at[8] = eight.s7;
  at[9] = chosen;
  at[10] = lane.x;
  at[11] = lane.y;
  at[12] = mixed;
  at[13] = halves.y;
  at[14] = table[i % 6];
  at[15] = nan((ushort)1) != nan((ushort)1);
  at[16] = vload_half(0, out + 23) + sizeof(half) + sizeof(half3) + vec_step(half4);
  at[17] = value > 1 ? value : other;
  vstore3((half3)(1, 2, 3), 6, at);
  vstore_half(0.5f, 21, at);
}
