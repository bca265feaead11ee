// Functions on vectors for every type and number of lanes: shuffles with masks of other lengths, any and all, bounds that are
// scalars, bits of vectors as those of others, and halves in memory in every rounding mode and address space.
#define SHUFFLE(M, N)                                                                  \
  vstore##N(shuffle(vload##M(0, in), vload##N(0, masks)), 0, out);                     \
  vstore##N(shuffle2(vload##M(0, in), vload##M(1, in), vload##N(0, masks)), 1, out);   \
  out += 2 * N;
#define SHUFFLES(T, U)                                                                               \
  __kernel void shuffles_##T(__global const T *in, __global const U *masks, __global T *out) {       \
    SHUFFLE(2, 2) SHUFFLE(2, 4) SHUFFLE(2, 8) SHUFFLE(2, 16)                                         \
    SHUFFLE(4, 2) SHUFFLE(4, 4) SHUFFLE(4, 8) SHUFFLE(4, 16)                                         \
    SHUFFLE(8, 2) SHUFFLE(8, 4) SHUFFLE(8, 8) SHUFFLE(8, 16)                                         \
    SHUFFLE(16, 2) SHUFFLE(16, 4) SHUFFLE(16, 8) SHUFFLE(16, 16)                                     \
  }
SHUFFLES(char, uchar)
SHUFFLES(uchar, uchar)
SHUFFLES(short, ushort)
SHUFFLES(ushort, ushort)
SHUFFLES(int, uint)
SHUFFLES(uint, uint)
SHUFFLES(long, ulong)
SHUFFLES(ulong, ulong)
SHUFFLES(float, uint)

#define TEST(N) \
  *out++ = any(vload##N(0, in)); \
  *out++ = all(vload##N(0, in));
#define TESTS(T)                                                        \
  __kernel void tests_##T(__global const T *in, __global int *out) {    \
    in += get_global_id(0) * 16;                                        \
    out += get_global_id(0) * 12;                                       \
    *out++ = any(*in);                                                  \
    *out++ = all(*in);                                                  \
    TEST(2) TEST(3) TEST(4) TEST(8) TEST(16)                            \
  }
TESTS(char)
TESTS(short)
TESTS(int)
TESTS(long)

// Each number of lanes writes 16 results at most, and what lies behind its lanes stays as it was.
#define BOUND(N)                                                  \
  vstore##N(clamp(vload##N(0, in), low, high), 0, out);           \
  vstore##N(max(vload##N(0, in), low), 0, out + 16);              \
  vstore##N(min(vload##N(0, in), high), 0, out + 32);             \
  out += 48;
#define BOUNDS(T)                                                                        \
  __kernel void bounds_##T(__global const T *in, __global T *out, T low, T high) {       \
    BOUND(2) BOUND(3) BOUND(4) BOUND(8) BOUND(16)                                        \
  }
BOUNDS(char)
BOUNDS(uchar)
BOUNDS(short)
BOUNDS(ushort)
BOUNDS(int)
BOUNDS(uint)
BOUNDS(long)
BOUNDS(ulong)
BOUNDS(float)

__kernel void bits(__global const uint *in, __global uint *out) {
  uint4 v = vload4(0, in);
  vstore3(as_uint3(v), 0, out);
  vstore3(as_uint3(as_float3(v)), 1, out);
  vstore3(as_uint4(as_float3(v)).xyz, 2, out);
  vstore4(as_uint4(as_short8(v).s76543210), 0, out + 9);
  vstore4(as_uint4(as_ulong2(v).yx), 1, out + 9);
  vstore4(as_uint4(as_uchar16(v).sfedcba9876543210), 2, out + 9);
  out[21] = as_uint(as_uchar4(as_uchar3(in[0])).xyzx);
  out[22] = as_uint(as_char4(as_short2(in[1])).wzyx);
  vstore2(as_uint2(as_ushort4(as_long(v.xy)).wzyx), 0, out + 23);
  vstore2(as_uint2(as_ulong(as_int2(v.zw)) + 1), 1, out + 23);
  vstore4(as_uint4(as_long3((ulong4)(in[0], in[1], in[2], 0)).zy), 0, out + 27);
}

#define KEEP(T, N)                                                                                          \
  vstore##N(convert_##T##N##_sat(vload##N(0, in)), 0, out); out += N;                                       \
  vstore##N(convert_##T##N##_sat_rtp(as_ulong##N(vload##N(0, in))), 0, out); out += N;                      \
  vstore##N(convert_##T##N(convert_short##N(vload##N(0, in))), 0, out); out += N;                           \
  vstore##N(convert_##T##N##_sat_rte(convert_short##N(vload##N(0, in))), 0, out); out += N;
#define KEEPS(T)                                                                      \
  __kernel void keeps_##T(__global const long *in, __global T *out) {                 \
    KEEP(T, 2) KEEP(T, 3) KEEP(T, 4) KEEP(T, 8) KEEP(T, 16)                           \
  }
KEEPS(char)
KEEPS(uchar)
KEEPS(short)
KEEPS(ushort)
KEEPS(int)
KEEPS(uint)
KEEPS(long)
KEEPS(ulong)

// 80 halves for each call and one more that stays: what follows a vector of three is not written.
#define STORE(N, MODE)                                                    \
  vstore_half##N##MODE(vload##N(0, in), 1, out);                          \
  vstorea_half##N##MODE(vload##N(0, in), 1, out + 40);                    \
  out += 80;
#define STORES(MODE)                                                                          \
  __kernel void halves##MODE(__global const float *in, __global half *out) {                  \
    in += get_global_id(0) * 16;                                                              \
    out += get_global_id(0) * 401;                                                            \
    STORE(2, MODE) STORE(3, MODE) STORE(4, MODE) STORE(8, MODE) STORE(16, MODE)               \
    vstore_half##MODE(in[0], 0, out);                                                         \
  }
STORES()
STORES(_rte)
STORES(_rtz)
STORES(_rtp)
STORES(_rtn)

__constant ushort stored[8] = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x8400, 0x7c00, 0x3555, 0x0000};

__kernel void loads(__global const half *in, __global float *out, __local half *near) {
  __private ushort own[8];
  for (int i = 0; i < 8; ++i) own[i] = stored[7 - i];
  for (int i = 0; i < 16; ++i) ((__local ushort *)near)[i] = ((__global const ushort *)in)[i + 3];
  out[0] = vload_half(5, in);
  out[1] = vload_half(2, near);
  vstore2(vload_half2(1, in), 1, out);
  vstore3(vload_half3(1, in), 0, out + 4);
  vstore3(vloada_half3(1, in), 1, out + 4);
  vstore4(vload_half4(0, (__constant half *)stored), 0, out + 10);
  vstore4(vloada_half4(1, (__private half *)own), 1, out + 10);
  vstore8(vload_half8(1, near), 0, out + 18);
  vstore16(vload_half16(0, near), 0, out + 26);
}
